import GRDB

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
    /// - throws: the error of `progress`, or a ``/GRDB/DatabaseError``: see ``/GRDB/DatabaseBackup``.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/backup.html>
    public func copy(
        schema schemaName: String = "main", to destination: Database,
        schema destinationSchemaName: String = "main", pagesPerStep: CInt = -1,
        progress: ((DatabaseBackupProgress) throws -> Void)? = nil
    ) throws {
        try copyPages(
            ofSchema: schemaName, to: destination, schema: destinationSchemaName,
            pagesPerStep: pagesPerStep, progress: progress)
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
    /// - throws: the error of `progress`, or a ``/GRDB/DatabaseError``: see ``/GRDB/DatabaseBackup``.
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

extension DatabaseReader {
    /// Copies the database into a file, while the program continues.
    ///
    /// ```swift
    /// try await dbPool.backup(to: "/var/backups/app.sqlite") { progress in
    ///     print("\(progress.completedPageCount) of \(progress.totalPageCount) pages")
    /// }
    /// ```
    ///
    /// A pool copies the last commit on a read-only connection: writes never wait, and are not in the copy. A
    /// queue has no other connection, so its accesses wait.
    ///
    /// If the task is cancelled or an error occurs before the copy is complete, a database that was at the path
    /// keeps its content. A new file remains, without content.
    ///
    /// - parameter path: the path of a file, which is created if it does not exist. The content of
    ///   another database is replaced.
    /// - parameter pagesPerStep: the number of pages between two calls of `progress`, at which a cancellation
    ///   is noticed.
    /// - parameter progress: called after each step, on the thread of the copy.
    /// - throws: a ``/GRDB/DatabaseError``: of code `SQLITE_CANTOPEN` if the file can't be opened or created, of code
    ///   `SQLITE_READONLY` if it can't be written; or an error that ``/GRDB/DatabaseBackup/step(pages:)`` throws.
    ///   `CancellationError` when the task is cancelled.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/backup.html>
    public func backup(
        to path: String, pagesPerStep: CInt = 1000,
        progress: (@Sendable (DatabaseBackupProgress) -> Void)? = nil
    ) async throws {
        try await read { db in
            // Other processes may write.
            if db.raw.isInWALMode { try db.isolateTransaction() }
            try db.copy(to: path, pagesPerStep: pagesPerStep) { state in
                progress?(state)
                try Task.checkCancellation()
            }
        }
    }
}
