import CGRDBSQLite

/// The process that owns an object, as opposed to its forked children.
package struct OwningProcess: Sendable {
    private let forkCount: UInt

    /// The current process.
    package init() {
        grdb_watch_forks()
        forkCount = grdb_current_fork_count()
    }

    /// Throws in a forked child.
    func check() throws(RawFailure) {
        if grdb_current_fork_count() != forkCount { throw RawConnection.forkFailure }
    }
}

extension RawConnection {
    static var forkFailure: RawFailure {
        RawFailure(
            code: SQLITE_MISUSE,
            message:
                "A database connection can't be used after a fork: open another one in the child")
    }
}
