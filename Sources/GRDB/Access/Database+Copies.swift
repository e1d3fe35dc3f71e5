extension Database {
    /// Copies a schema into a schema of another connection, page by page.
    ///
    /// ```swift
    /// try dbQueue.read { db in
    ///     try destination.writeWithoutTransaction { destinationDb in
    ///         // The attached database becomes the main one
    ///         try db.copy(schema: "archive", to: destinationDb, pagesPerStep: 100) { progress in
    ///             print("\(progress.completedPageCount) of \(progress.totalPageCount) pages")
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// - parameter schemaName: `main`, `temp`, or the name of an attached database.
    /// - parameter destination: the connection to copy to, outside of a transaction.
    /// - parameter destinationSchemaName: the schema whose content is replaced.
    /// - parameter pagesPerStep: the number of pages between two calls of `progress`. A negative number,
    ///   the default, copies all pages in one step.
    /// - parameter progress: called after each step. An error thrown before completion ends the copy,
    ///   leaves the destination as it was, and is rethrown. An error from the last call is ignored.
    /// - throws: the error of `progress`, or a ``DatabaseError``: see ``DatabaseBackup``.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/backup.html>
    public func copy(
        schema schemaName: String = "main", to destination: Database,
        schema destinationSchemaName: String = "main", pagesPerStep: CInt = -1,
        progress: ((DatabaseBackupProgress) throws -> Void)? = nil
    ) throws {
        let backup = try DatabaseBackup(
            from: self, schema: schemaName, to: destination, schema: destinationSchemaName)
        do {
            while try backup.step(pages: pagesPerStep) {
                try progress?(backup.progress)
            }
        } catch {
            // Undo the copy. The first error is the one that matters.
            try? backup.finish()
            throw error
        }
        let finalProgress = backup.progress
        try backup.finish()
        // The copy is complete and can no longer fail.
        try? progress?(finalProgress)
    }

    /// Copies a schema into a database file, page by page.
    ///
    /// ```swift
    /// try dbQueue.read { db in
    ///     try db.copy(schema: "archive", to: "/path/to/archive.sqlite")
    /// }
    /// ```
    ///
    /// Unlike `vacuum(into:)`, it copies the pages as they are, and reports its progress.
    ///
    /// - parameter schemaName: `main`, `temp`, or the name of an attached database.
    /// - parameter path: the path of a file, which is created if it does not exist. The content of
    ///   another database is replaced.
    /// - parameter pagesPerStep: the number of pages between two calls of `progress`. A negative number,
    ///   the default, copies all pages in one step.
    /// - parameter progress: called after each step. An error thrown before completion ends the copy,
    ///   leaves the file as it was, and is rethrown. An error from the last call is ignored.
    /// - throws: the error of `progress`, or a ``DatabaseError``: see ``DatabaseBackup``.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/backup.html>
    public func copy(
        schema schemaName: String = "main", to path: String, pagesPerStep: CInt = -1,
        progress: ((DatabaseBackupProgress) throws -> Void)? = nil
    ) throws {
        try checkAccess()
        var configuration = Configuration()
        configuration.busyMode = self.configuration.busyMode
        let destination = try DatabaseQueue(path: path, configuration: configuration)
        try destination.tryWriteWithoutTransaction { destination in
            try copy(
                schema: schemaName, to: destination, pagesPerStep: pagesPerStep,
                progress: progress)
        }
        try destination.close()
    }
}
