import CGRDBSQLite

/// Owns an `sqlite3_backup*`.
///
/// Both connections must be owned by the current thread from `init` to `finish()`.
///
/// See <https://www.sqlite.org/c3ref/backup_finish.html>.
final class RawBackup {
    private var handle: OpaquePointer?
    private let destination: RawConnection

    init(
        from source: RawConnection, schema sourceSchema: String = "main",
        to destination: RawConnection, schema destinationSchema: String = "main"
    ) throws(RawFailure) {
        let sourceHandle = try source.openHandle()
        let destinationHandle = try destination.openHandle()
        guard
            let handle = grdb_sqlite3_backup_init(
                destinationHandle, destinationSchema, sourceHandle, sourceSchema)
        else {
            throw destination.failure(destination.lastErrorCode)
        }
        self.handle = handle
        self.destination = destination
    }

    deinit {
        if let handle {
            destination.release(.finishBackup(handle))
        }
    }

    enum Step {
        case more
        case done
        /// A lock prevented the step. It can be tried again.
        case locked(RawFailure)
    }

    /// Copies pages. A negative count copies all remaining pages.
    func step(pages: CInt) throws(RawFailure) -> Step {
        guard let handle else {
            throw RawFailure(code: SQLITE_MISUSE, message: "Backup is finished")
        }
        let code = grdb_sqlite3_backup_step(handle, pages)
        switch code {
        case SQLITE_OK:
            return .more
        case SQLITE_DONE:
            return .done
        default:
            // Backup functions set the error of the destination only when the backup finishes.
            let failure = RawFailure(code: code, message: RawSQLite.errorString(code))
            if code & 0xff == SQLITE_BUSY || code & 0xff == SQLITE_LOCKED {
                return .locked(failure)
            }
            throw code == SQLITE_READONLY ? mismatch(handle) ?? failure : failure
        }
    }

    /// The failure to copy pages that do not fit the destination, which SQLite calls read-only.
    private func mismatch(_ handle: OpaquePointer) -> RawFailure? {
        var source: CInt = 0
        var target: CInt = 0
        let message: String
        switch grdb_backup_mismatch(handle, &source, &target) {
        case GRDB_BACKUP_PAGE_SIZE:
            message = """
                The pages of the source have \(source) bytes, but the destination uses pages of \(target) \
                bytes. SQLite can't change the page size of a database that is in WAL mode, in memory or \
                encrypted. If the destination is new, run PRAGMA page_size = \(source) in its \
                prepareDatabase. Otherwise, run PRAGMA page_size = \(target) and VACUUM INTO on the source, \
                and back up the resulting file.
                """
        case GRDB_BACKUP_RESERVED_BYTES:
            message = """
                The pages of the source reserve \(source) bytes, and the cipher of the destination needs \
                \(target). Export the source with exportEncrypted instead.
                """
        default:
            return nil
        }
        return RawFailure(code: SQLITE_READONLY, message: message)
    }

    /// The number of pages still to copy, as of the last step.
    var remainingPageCount: CInt { handle.map { grdb_sqlite3_backup_remaining($0) } ?? 0 }

    /// The number of pages in the source, as of the last step.
    var pageCount: CInt { handle.map { grdb_sqlite3_backup_pagecount($0) } ?? 0 }

    /// Ends the backup. Rolls the destination back if the backup is incomplete.
    func finish() throws(RawFailure) {
        guard let handle else { return }
        self.handle = nil
        try destination.check(grdb_sqlite3_backup_finish(handle))
    }
}
