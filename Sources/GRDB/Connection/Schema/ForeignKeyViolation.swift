/// A row that refers to a missing row.
///
/// See ``Database/foreignKeyViolations()`` and ``Database/foreignKeyViolations(in:in:)``.
///
/// ```swift
/// try dbQueue.read { db in
///     let violations = try db.foreignKeyViolations()
///     while let violation = try violations.next() {
///         // "FOREIGN KEY constraint violation - from player to team, in rowid 1"
///         print(violation)
///
///         // "FOREIGN KEY constraint violation - from player(teamId) to team(id),
///         // in [id:1 teamId:2 name:"O'Brien" score:1000]"
///         try print(violation.failureDescription(db))
///     }
/// }
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_foreign_key_check>
public struct ForeignKeyViolation: Sendable {
    /// The table that declares the foreign key and contains the row.
    public var originTable: String

    /// The rowid of the row that refers to a missing row; nil if the origin table is a
    /// `WITHOUT ROWID` table.
    public var originRowID: Int64?

    /// The table that does not contain the referenced row.
    public var destinationTable: String

    /// The number of the violated foreign key in the origin table.
    ///
    /// It equals ``ForeignKeyInfo/id``. See ``Database/foreignKeys(on:in:)``.
    public var foreignKeyId: Int

    /// The schema of the tables, if known.
    var schemaName: String?

    /// Creates a violation from a row of `PRAGMA foreign_key_check`.
    public init(row: Row) {
        originTable = row.columnValue("table")
        originRowID = row.columnValue("rowid")
        destinationTable = row.columnValue("parent")
        foreignKeyId = row.columnValue("fkid")
        schemaName = row.columnValue("schema")
    }

    /// Describes the violation for a developer, with the names of the columns and the values of the
    /// row.
    ///
    /// See the second text in the example of ``ForeignKeyViolation``.
    ///
    /// - throws: a ``DatabaseError``.
    public func failureDescription(_ db: Database) throws -> String {
        try failureDescription(db, showingRow: true)
    }

    private func failureDescription(_ db: Database, showingRow: Bool) throws -> String {
        let table = try db.existingTable(originTable, in: schemaName)
        var origin = originTable
        var destination = destinationTable
        if let foreignKey = try db.foreignKeyDeclarations(of: table)
            .first(where: { $0.id == foreignKeyId })
        {
            origin += "(\(foreignKey.originColumns.joined(separator: ", ")))"
            // The destination may not exist. This is a violation, too.
            if let columns = foreignKey.destinationColumns
                ?? (try? db.resolve(foreignKey, of: table))?.destinationColumns
            {
                destination += "(\(columns.joined(separator: ", ")))"
            }
        }
        var description =
            "FOREIGN KEY constraint violation - from \(origin) to \(destination)"
        if !showingRow {
            if let originRowID { description += ", in rowid \(originRowID)" }
        } else if let row = try originRow(db, in: table) {
            description += ", in \(row)"
        }
        return description
    }

    private func originRow(_ db: Database, in table: DatabaseObjectID) throws -> Row? {
        guard let originRowID else { return nil }
        // A column may be named rowid.
        let columns = try db.allColumns(in: table.name, in: table.schemaID.name)
        guard let name = db.rowIDName(besides: columns) else { return nil }
        return try Row.fetchOne(
            db, sql: "SELECT * FROM \(table.qualifiedName) WHERE \(name) = ?",
            arguments: [originRowID])
    }

    /// Returns an error to throw, of extended code `SQLITE_CONSTRAINT_FOREIGNKEY`, whose message is
    /// the ``failureDescription(_:)``.
    ///
    /// The message contains the values of the row only if
    /// ``Configuration/publicStatementArguments`` is true. Otherwise, it contains the rowid.
    public func databaseError(_ db: Database) -> DatabaseError {
        let showsRow = db.configuration.publicStatementArguments
        let message = (try? failureDescription(db, showingRow: showsRow)) ?? description
        return DatabaseError(resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY, message: message)
    }
}

extension ForeignKeyViolation: CustomStringConvertible {
    /// For example: `FOREIGN KEY constraint violation - from player to team, in rowid 1`.
    public var description: String {
        let row = originRowID.map { ", in rowid \($0)" } ?? ""
        return
            "FOREIGN KEY constraint violation - from \(originTable) to \(destinationTable)\(row)"
    }
}
