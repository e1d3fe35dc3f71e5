import GRDB
import _GRDBSystem

/// The files of a replica that Litestream maintains: the database, and a file with the ID of the
/// last transaction.
///
/// The follower changes the pages of the database in place while it holds the exclusive lock of
/// SQLite's rollback mode, releases the lock, and replaces the ID file, which is then newer than
/// the database. If the database is newer, the follower is either about to write the transaction
/// ID, or has terminated while writing pages. Then the database may contain an incomplete
/// transaction.
///
/// This type never opens the database, because closing it again would release all POSIX locks that
/// SQLite holds on it in this process.
struct ReplicaFiles: Sendable {
    var databasePath: String
    var transactionIDPath: String

    /// The state of the two files at a point in time.
    struct Stamp: Hashable {
        var file: FileIdentity
        var size: Int64
        /// When the database was written, in nanoseconds.
        var writtenAt: Int64
        var transactionID: UInt64
        /// When the transaction ID was written, in nanoseconds.
        var appliedAt: Int64

        var isComplete: Bool { appliedAt >= writtenAt }

        /// Whether any later change is certain to change the stamp. File timestamps are coarse: two
        /// changes in quick succession may have the same time.
        var isSettled: Bool { ReplicaFiles.now - max(writtenAt, appliedAt) > 1_000_000_000 }
    }

    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Returns the state of both files.
    ///
    /// - throws: a ``DatabaseReplicaError``.
    func stamp() throws(DatabaseReplicaError) -> Stamp {
        // Read the ID first: if the follower writes in the meantime, the database is newer.
        let (transactionID, appliedAt) = try lastTransaction()
        guard let status = Self.status(databasePath) else {
            throw .notFollowed(path: databasePath)
        }
        return Stamp(
            file: status.identity, size: status.size, writtenAt: status.time,
            transactionID: transactionID, appliedAt: appliedAt)
    }

    /// Returns the ID of the last transaction, and when it was applied, in nanoseconds.
    func lastTransaction() throws(DatabaseReplicaError) -> (id: UInt64, appliedAt: Int64) {
        // The follower replaces the file and never changes it, so the time and the text belong
        // together.
        let file = open(transactionIDPath, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .notFollowed(path: transactionIDPath) }
        defer { close(file) }
        var status = stat()
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = read(file, &buffer, buffer.count)
        guard fstat(file, &status) == 0, count >= 0 else {
            throw .notFollowed(path: transactionIDPath)
        }
        let text = String(decoding: buffer[..<count], as: UTF8.self).trimmed
        guard let id = UInt64(text, radix: 16) else {
            throw .invalidTransactionID(path: transactionIDPath, text: text)
        }
        return (id, Self.time(status))
    }

    private static func status(
        _ path: String
    ) -> (identity: FileIdentity, size: Int64, time: Int64)? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let identity = FileIdentity(
            device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino))
        return (identity, Int64(status.st_size), time(status))
    }

    private static func time(_ status: stat) -> Int64 {
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
