import GRDB
import _GRDBSystem

/// Applies the changeset of a group exactly: with the recorded changes of triggers and foreign key
/// actions, and no others. Neither triggers nor foreign key actions run.
struct UndoneChangeset {
    private let changeset: Changeset

    init(_ changeset: Changeset, isInverted: Bool) throws {
        self.changeset = isInverted ? try changeset.inverted() : changeset
    }

    /// - throws: a `ChangesetConflictError` if rows have changed since the changeset was recorded; a
    ///   `DatabaseError` of code `SQLITE_MISMATCH` if the database has changed otherwise than the
    ///   changeset says.
    func apply(_ db: Database) throws {
        let rows = try indexedRows(db)
        for row in rows {
            for index in row.indexes { try index.remove(row.key, in: db) }
        }
        let session = try db.makeSession(options: .rowIDs)
        try session.attachAllTables()
        try applyWithoutTriggers(db)
        // A conflict clause of the schema may have replaced other rows, or a column converted values.
        guard try Self.effects(of: session.changeset()) == Self.effects(of: changeset) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISMATCH, message: "The rows of the group can't be restored")
        }
        for row in rows {
            for index in row.indexes { try index.insert(row.key, in: db) }
        }
    }

    private func applyWithoutTriggers(_ db: Database) throws {
        let formerly = db.raw.setTriggersEnabled(false)
        defer { db.raw.setTriggersEnabled(formerly) }
        try db.apply(changeset, options: .withoutForeignKeyActions)
    }

    /// The rows of tables with full-text indexes.
    private func indexedRows(
        _ db: Database
    ) throws -> [(key: [DatabaseValue], indexes: [SynchronizedFullTextIndex])] {
        var indexes: [CaseInsensitiveIdentifier: [SynchronizedFullTextIndex]] = [:]
        return try changeset.compactMap { change in
            let name = CaseInsensitiveIdentifier(change.tableName)
            if indexes[name] == nil {
                let table = try ChangesetSchema.table(change.tableName, schema: "main", in: db)
                let columns = table?.columnNames ?? []
                indexes[name] =
                    columns.count < change.columnCount
                    ? []
                    : try SynchronizedFullTextIndex.indexes(
                        of: change.tableName,
                        keyColumns: change.primaryKeyColumns.map { columns[$0] },
                        in: db)
            }
            let indexes = indexes[name]!
            return indexes.isEmpty ? nil : (change.primaryKey, indexes)
        }
    }

    /// The changes of a changeset, regardless of their order and origin.
    private static func effects(of changeset: Changeset) -> Set<Effect> {
        Set(
            changeset.map { change in
                var bytes = change.bytes
                bytes[bytes.startIndex + 1] = 0
                return Effect(tableName: CaseInsensitiveIdentifier(change.tableName), bytes: bytes)
            })
    }

    private struct Effect: Hashable {
        let tableName: CaseInsensitiveIdentifier
        let bytes: Data
    }
}
