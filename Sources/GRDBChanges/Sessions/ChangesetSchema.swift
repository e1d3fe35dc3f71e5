import GRDB

/// The column names of tables, numbered as in changesets. Read it once from a database to name the
/// columns of changesets, and to combine changesets that were recorded before and after columns
/// were added.
///
/// ```swift
/// let schema = try dbQueue.read { db in try ChangesetSchema(db) }
/// for change in changeset.changes(in: schema) {
///     // update player [id:1 score:10 → 1000]
///     print(change)
/// }
/// ```
public struct ChangesetSchema: Sendable {
    struct Table: Sendable {
        /// All columns except generated ones. `_rowid_` is the first column of a table without a
        /// primary key.
        var columnNames: [String]

        /// Whether the table has no primary key.
        var identifiesRowsByRowID = false

        /// Nonzero for columns of the primary key.
        var keyFlags: [UInt8]

        /// The default values, as SQL expressions.
        var defaultExpressions: [String?]

        /// The default values, for rows that were recorded before the columns were added.
        var defaultValues: [DatabaseValue] = []
    }

    /// The reasons why changes don't fit a table.
    enum Mismatch: Sendable, Hashable {
        case missing
        case columnCount(Int)
        case primaryKey
    }

    private var tables: [CaseInsensitiveIdentifier: Table] = [:]

    /// Reads the tables of a database.
    ///
    /// - parameter db: a database connection.
    /// - parameter schema: the schema of the tables: `main`, `temp`, or the name of an attached database.
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_ERROR` if there is no such schema.
    public init(_ db: Database, schema: String = "main") throws {
        let names = try String.fetchAll(
            db,
            sql: """
                SELECT name FROM \(schema.quotedDatabaseIdentifier).sqlite_master \
                WHERE type = 'table'
                """)
        for name in names {
            guard var table = try Self.table(name, schema: schema, in: db) else { continue }
            let expressions = table.defaultExpressions.map { $0 ?? "NULL" }
            table.defaultValues =
                try Row.fetchOne(db, sql: "SELECT \(expressions.joined(separator: ", "))")
                .map { Array($0.databaseValues) } ?? []
            tables[CaseInsensitiveIdentifier(name)] = table
        }
    }

    /// - returns: nil if there is no such table.
    static func table(_ name: String, schema: String, in db: Database) throws -> Table? {
        if ASCIICase.equal(name, "sqlite_stat1") {
            // The table has no primary key. Sessions treat its first two columns as the primary
            // key.
            let exists = try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS(SELECT * FROM \(schema.quotedDatabaseIdentifier).sqlite_master \
                    WHERE name = 'sqlite_stat1')
                    """)
            guard exists == true else { return nil }
            return Table(
                columnNames: ["tbl", "idx", "stat"], keyFlags: [1, 2, 0],
                defaultExpressions: [nil, nil, nil])
        }
        var table = Table(columnNames: [], keyFlags: [], defaultExpressions: [])
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT name, pk, dflt_value FROM pragma_table_xinfo(?, ?) \
                WHERE hidden = 0 ORDER BY cid
                """, arguments: [name, schema])
        for row in rows {
            table.columnNames.append(row[0])
            table.keyFlags.append(UInt8(truncatingIfNeeded: row[1] as Int))
            table.defaultExpressions.append(row[2])
        }
        if table.columnNames.isEmpty { return nil }
        if !table.keyFlags.contains(where: { $0 != 0 }) {
            table.identifiesRowsByRowID = true
            table.columnNames.insert("_rowid_", at: 0)
            table.keyFlags.insert(1, at: 0)
            table.defaultExpressions.insert(nil, at: 0)
        }
        return table
    }

    subscript(table name: String) -> Table? {
        tables[CaseInsensitiveIdentifier(name)]
    }

    /// Returns the column names of changes; nil if the table is unknown, or does not fit.
    func columnNames(of header: ChangesetHeader) -> [String]? {
        guard let table = self[table: header.tableName], table.mismatch(header) == nil else {
            return nil
        }
        return Array(table.columnNames.prefix(header.columnCount))
    }
}

extension ChangesetSchema.Table {
    /// Returns why changes don't fit the table, by the rules of SQLite; nil if they fit.
    func mismatch(_ header: ChangesetHeader) -> ChangesetSchema.Mismatch? {
        if columnNames.count < header.columnCount { return .columnCount(columnNames.count) }
        guard keyFlags.prefix(header.columnCount) == header.keyFlags[...],
            keyFlags.dropFirst(header.columnCount).allSatisfy({ $0 == 0 })
        else { return .primaryKey }
        return nil
    }
}
