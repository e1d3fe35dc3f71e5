/// How many pages a backup has copied, and how many remain.
public struct DatabaseBackupProgress: Sendable {
    /// The number of pages that remain to be copied.
    public let remainingPageCount: Int

    /// The number of pages of the source.
    public let totalPageCount: Int

    /// The number of pages copied so far.
    public var completedPageCount: Int { totalPageCount - remainingPageCount }

    /// Whether the backup is complete.
    public let isCompleted: Bool
}

/// A backup that runs step by step, under the control of the caller.
///
/// ```swift
/// try source.unsafeRead { sourceDb in
///     try destination.writeWithoutTransaction { destinationDb in
///         let backup = try DatabaseBackup(from: sourceDb, to: destinationDb)
///         while try backup.step(pages: 100) {
///             print(backup.remainingPageCount, backup.pageCount)
///         }
///         try backup.finish()
///     }
/// }
/// ```
///
/// The destination can't be used until the backup is finished. An unfinished backup ends when one of
/// the two accesses it was created in ends.
///
/// Related SQLite documentation: <https://www.sqlite.org/c3ref/backup_finish.html>
public final class DatabaseBackup: AccessBound {
    private let backup: RawBackup
    private let source: Database
    private let destination: Database
    private let destinationSchema: String
    private var isFinished = false
    private var failure: (any Error)?

    /// Whether all pages are copied.
    public private(set) var isCompleted = false

    /// Starts a backup.
    ///
    /// - parameter source: the connection to copy from.
    /// - parameter sourceSchema: the schema to copy: `main`, `temp`, or an attached database.
    /// - parameter destination: the connection to copy to.
    /// - parameter destinationSchema: the schema to replace.
    /// - throws: a ``DatabaseError``: of code `SQLITE_READONLY` if the destination can't be
    ///   written, of code `SQLITE_MISUSE` if it is in a transaction, or is the source itself.
    public init(
        from source: Database, schema sourceSchema: String = "main",
        to destination: Database, schema destinationSchema: String = "main"
    ) throws {
        try source.checkAccess()
        try destination.checkAccess()
        guard source !== destination else {
            throw DatabaseError(
                misuse: "The source and the destination of a backup must be distinct")
        }
        guard destination.raw.isInAutocommitMode else {
            throw DatabaseError(misuse: "The destination of a backup must not be in a transaction")
        }
        // SQLite does not check for query-only connections.
        guard destination.readOnlyScopes.depth == 0, !destination.raw.isQueryOnly else {
            throw DatabaseError(
                resultCode: .SQLITE_READONLY,
                message: "The destination of a backup must not be read-only")
        }
        do {
            backup = try RawBackup(
                from: source.raw, schema: sourceSchema,
                to: destination.raw, schema: destinationSchema)
        } catch {
            throw DatabaseError(error)
        }
        self.source = source
        self.destination = destination
        self.destinationSchema = destinationSchema
        destination.setBackupDestination(true)
        source.accessBounds.append(Database.WeakAccessBound(bound: self))
        destination.accessBounds.append(Database.WeakAccessBound(bound: self))
    }

    /// Ends an unfinished backup at the end of the first of its two accesses, while both connections
    /// are still held. Otherwise, SQLite would let the destination close during the backup, and the
    /// source would keep writing to it.
    func end() {
        if !isFinished { try? finishNow() }
    }

    deinit {
        if !isFinished {
            let (destination, schema) = (destination, isCompleted ? destinationSchema : nil)
            destination.raw.release(
                .perform {
                    destination.setBackupDestination(false)
                    if let schema { destination.contentWasReplaced(in: schema) }
                })
        }
    }

    private func checkAccess() throws {
        try source.checkAccess()
        guard destination.raw.isOwnedByCurrentThread else { throw Database.wrongThreadError }
    }

    /// Copies pages.
    ///
    /// - parameter pages: the number of pages to copy. A negative number copies all remaining pages.
    /// - returns: whether pages remain.
    /// - throws: a ``DatabaseError``. After `SQLITE_BUSY` and `SQLITE_LOCKED`, the step can be retried.
    ///   Other errors end the backup. Of code `SQLITE_READONLY` if the pages of the source do not fit: a
    ///   destination in WAL mode, in memory or with encryption can't change the size of its pages.
    public func step(pages: CInt = -1) throws -> Bool {
        try checkAccess()
        if isCompleted { return false }
        guard pages != 0 else {
            throw DatabaseError(misuse: "A backup step must copy a page or more")
        }
        try destination.checkSuspension(isReadonly: false, effect: nil)
        try source.checkSuspension(isReadonly: true, effect: nil)
        do {
            switch try backup.step(pages: pages) {
            case .more:
                return true
            case .done:
                isCompleted = true
                return false
            case .locked(let failure):
                throw DatabaseError(failure)
            }
        } catch let failure as RawFailure {
            let error = source.error(failure)
            self.failure = error
            throw error
        }
    }

    /// The number of pages still to copy after the last step.
    public var remainingPageCount: Int { Int(backup.remainingPageCount) }

    /// The number of pages in the source, as of the last step.
    public var pageCount: Int { Int(backup.pageCount) }

    /// The state after the last step.
    public var progress: DatabaseBackupProgress {
        DatabaseBackupProgress(
            remainingPageCount: remainingPageCount, totalPageCount: pageCount,
            isCompleted: isCompleted)
    }

    /// Ends the backup. Unless it is complete, the destination is left as it was.
    ///
    /// - throws: a ``DatabaseError``.
    public func finish() throws {
        if isFinished { return }
        try checkAccess()
        try finishNow()
    }

    private func finishNow() throws {
        isFinished = true
        destination.setBackupDestination(false)
        do {
            try backup.finish()
        } catch {
            let error = DatabaseError(error)
            destination.contentWasReplaced(in: destinationSchema, failure: failure ?? error)
            throw error
        }
        if isCompleted {
            destination.contentWasReplaced(in: destinationSchema)
        } else {
            // Finishing has undone an incomplete copy.
            destination.clearSchemaCache()
        }
    }
}

extension Database {
    /// Replaces the content of another database by a copy of this one.
    ///
    /// See ``DatabaseReader/backup(to:pagesPerStep:progress:)``.
    ///
    /// ```swift
    /// try source.read { sourceDb in
    ///     try destination.barrierWriteWithoutTransaction { destinationDb in
    ///         try sourceDb.backup(to: destinationDb)
    ///     }
    /// }
    /// ```
    ///
    /// - throws: a ``DatabaseError``, or the error of `progress`, except for its last call.
    public func backup(
        to destDb: Database, pagesPerStep: CInt = -1,
        progress: ((DatabaseBackupProgress) throws -> Void)? = nil
    ) throws {
        try copyPages(to: destDb, pagesPerStep: pagesPerStep, progress: progress)
    }

    /// Replaces the content of a schema of another database. GRDBServer copies attached schemas.
    package func copyPages(
        ofSchema schemaName: String = "main", to destination: Database,
        schema destinationSchemaName: String = "main", pagesPerStep: CInt,
        progress: ((DatabaseBackupProgress) throws -> Void)?
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
}

// Tied to its connections: see `Database`.
@available(*, unavailable)
extension DatabaseBackup: Sendable {}
