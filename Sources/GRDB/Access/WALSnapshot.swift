/// A state of a database in WAL mode, which other connections can read as well, as long as it is
/// somewhere in the WAL file.
///
/// Related SQLite documentation: <https://www.sqlite.org/c3ref/snapshot.html>
struct WALSnapshot: Sendable {
    private let raw: RawSnapshot

    /// The state that the connection sees: in its transaction, or else now.
    ///
    /// The state is safe from checkpoints as long as the transaction lasts, provided that the
    /// transaction had not read before. If it had, test whether another connection can still open
    /// the snapshot.
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
        // What was known of the schema was that of another state.
        db.clearSchemaCache()
    }

    /// Whether the snapshot is older than another one of the same file.
    func isOlder(than other: WALSnapshot) -> Bool { raw.compare(other.raw) < 0 }

    /// Whether both are the same state of the same file.
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
