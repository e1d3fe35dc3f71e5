import GRDB

/// The possible effects of the changes of a table, including triggers and foreign key actions. They
/// are found by compiling statements like those that SQLite runs when it applies a changeset.
struct ChangesetEffects {
    private(set) var kinds: [DatabaseEventKind] = []

    /// Whether inserted rows may replace other rows.
    private(set) var replacesRows = false

    /// - parameter changedColumns: for each column, whether updates set it.
    init(
        _ header: ChangesetHeader, columnNames: [String], changedColumns: [Bool], in db: Database
    ) throws {
        let table = "main.\(header.tableName.quotedDatabaseIdentifier)"
        let columns = columnNames.prefix(header.columnCount).map(\.quotedDatabaseIdentifier)
        let key = columns.indices.filter { header.keyFlags[$0] != 0 }
            .map { "\(columns[$0]) = NULL" }.joined(separator: " AND ")
        let assignments = columns.indices.filter { changedColumns[$0] }
            .map { "\(columns[$0]) = NULL" }.joined(separator: ", ")
        let values = columns.map { _ in "NULL" }.joined(separator: ", ")
        // All operations are possible with any changeset: conflicts may delete rows, and insert
        // them again.
        var statements = [
            "INSERT INTO \(table)(\(columns.joined(separator: ", "))) VALUES (\(values))",
            "DELETE FROM \(table) WHERE \(key)",
        ]
        if !assignments.isEmpty {
            statements.append("UPDATE \(table) SET \(assignments) WHERE \(key)")
        }
        for sql in statements {
            do {
                let statement = try db.makeStatement(sql: sql)
                kinds += statement.eventKinds
                replacesRows = replacesRows || statement.effects.replacesRows
            } catch let error as DatabaseError
                where error.resultCode == .SQLITE_ERROR || error.resultCode == .SQLITE_AUTH
            {
                // A statement that does not compile will fail when the changeset is applied.
            }
        }
    }
}
