/// A state of a database in WAL mode, which other connections can read while it is still in the WAL
/// file.
///
/// Related SQLite documentation: <https://www.sqlite.org/c3ref/snapshot.html>
struct WALSnapshot: Sendable {
    private let raw: RawSnapshot

    /// Captures the state that the connection sees in its transaction, or now if it is in no transaction.
    ///
    /// The transaction protects the state from checkpoints, provided that it had not read before.
    /// Otherwise, check whether another connection can still open the snapshot.
    ///
    /// - throws: a ``DatabaseError`` if the database is not in WAL mode, if its WAL file is empty, or
    ///   if the transaction has changed something.
    init(_ db: Database) throws {
        try db.checkAccess()
        func snapshot() throws -> RawSnapshot {
            do {
                return try RawSnapshot(db.raw)
            } catch {
                throw DatabaseError(error, message: "No snapshot can be taken of the database")
            }
        }
        raw = try db.isInsideTransaction ? snapshot() : db.inReadOnlyTransaction(snapshot)
    }

    /// Makes the transaction of the connection see the snapshot.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_ERROR_SNAPSHOT` if a checkpoint has overwritten
    ///   the snapshot.
    func open(in db: Database) throws {
        try db.checkAccess()
        do {
            try raw.open(in: db.raw)
        } catch {
            throw DatabaseError(error, message: "The snapshot is not available any more")
        }
        // The cached schema information belongs to another state.
        db.clearSchemaCache()
    }

    /// Whether the snapshot is older than another snapshot of the same file.
    func isOlder(than other: WALSnapshot) -> Bool { raw.compare(other.raw) < 0 }

    /// Whether both snapshots are the same state of the same file.
    func isSame(as other: WALSnapshot) -> Bool { raw.compare(other.raw) == 0 }
}

extension DatabaseError {
    fileprivate init(_ failure: RawFailure, message: String) {
        self.init(
            resultCode: ResultCode(rawValue: failure.code),
            message: failure.code & 0xff == ResultCode.SQLITE_ERROR.rawValue
                ? message : failure.message)
    }
}
