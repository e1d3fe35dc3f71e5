import GRDB
import _GRDBSystem

extension DatabaseReplica {
    /// Opens a connection that holds no lock between its reads.
    ///
    /// Litestream restores the database of a pool in WAL mode, and switches it to rollback mode
    /// when it applies the first transaction. A connection in WAL mode locks the file until it is
    /// closed, so the follower would wait forever.
    static func openReader(
        path: String, configuration: Configuration, number: Int, patience: TimeInterval
    ) throws -> SerializedDatabase {
        // This happens once per file, so the time limit may be longer than that of reads.
        let deadline = Monotonic.nanoseconds + UInt64(max(10, min(patience, 1e6)) * 1e9)
        while true {
            let reader = try SerializedDatabase(
                path: path, configuration: configuration, defaultLabel: defaultLabel,
                purpose: "reader.\(number)", isReader: true, isPooled: true,
                // Pages of a mapped file could change at any time.
                setUp: { try $0.execute(sql: "PRAGMA mmap_size = 0") })
            var mode: String?
            try reader.sync { mode = try journalMode($0) }
            if mode != "wal" { return reader }
            try reader.close()
            do {
                try leaveWALMode(path: path, configuration: configuration)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                // The follower is writing, or another process is also leaving WAL mode. This
                // process holds no connection while it waits, so one of them succeeds.
                if Monotonic.nanoseconds >= deadline { throw error }
                usleep(.random(in: 1000...20_000))
            }
        }
    }

    private static func journalMode(_ db: Database) throws -> String? {
        try String.fetchOne(db, sql: "PRAGMA journal_mode")
    }

    private static func leaveWALMode(path: String, configuration: Configuration) throws {
        var configuration = configuration
        configuration.readonly = false
        // Don't wait: two processes that each wait with a lock would deadlock.
        configuration.busyMode = .immediateError
        let writer = try SerializedDatabase(
            path: path, configuration: configuration, defaultLabel: defaultLabel,
            purpose: "journalMode")
        try writer.sync { db in
            do {
                // The exclusive lock prevents the follower from writing until this connection is
                // closed.
                _ = try String.fetchOne(db, sql: "PRAGMA locking_mode = EXCLUSIVE")
                guard try journalMode(db) == "wal" else { return }
                try db.execute(sql: "BEGIN EXCLUSIVE; COMMIT")
                let writtenAt = ReplicaFiles.modificationTime(path)
                _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = DELETE")
                // The content still is that of the last transaction, so keep its modification time.
                if let writtenAt { ReplicaFiles.setModificationTime(path, writtenAt) }
            } catch let error as DatabaseError where error.resultCode != .SQLITE_BUSY {
                throw DatabaseError(
                    resultCode: error.extendedResultCode,
                    message: """
                        The replica is in WAL mode, in which a reader stops the follower, and can't be \
                        switched to the rollback mode: \(error.message ?? "")
                        """,
                    sql: "PRAGMA journal_mode = DELETE")
            }
        }
        try writer.close()
    }
}

extension ReplicaFiles {
    static func modificationTime(_ path: String) -> timespec? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
        return status.st_mtimespec
        #else
        return status.st_mtim
        #endif
    }

    /// Uses the path, because closing a descriptor of the file would release the locks of SQLite.
    static func setModificationTime(_ path: String, _ time: timespec) {
        var times = [time, time]
        // UTIME_OMIT: don't change the access time.
        #if canImport(Darwin)
        times[0].tv_nsec = Int(UTIME_OMIT)
        #else
        times[0].tv_nsec = (1 << 30) - 2
        #endif
        _ = utimensat(AT_FDCWD, path, &times, 0)
    }
}
