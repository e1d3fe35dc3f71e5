import GRDB
import _GRDBSystem

/// A table as a group has changed it. A changeset only has the names of tables, and the numbers of
/// columns: without these, values would land in whatever table or column has them when a group is
/// undone.
struct UndoneTable: Codable {
    private let name: String
    private let columnNames: [String]
    private let rootPage: Int64

    /// The version of the schema if rows are identified by rowids, which `VACUUM` may change. It then
    /// also changes the version.
    private let schemaVersion: Int64?

    /// The tables of a changeset, as JSON.
    static func encode(_ changeset: Changeset, in db: Database) throws -> String {
        let tables = try changeset.tableNames.map { name in
            guard let table = try UndoneTable(name, in: db) else {
                throw DatabaseError.noSuchTable(name)
            }
            return table
        }
        return try String(decoding: JSONEncoder().encode(tables), as: UTF8.self)
    }

    /// Throws unless tables are the ones that a group has changed, with the same columns.
    ///
    /// - parameter text: the JSON of `encode`; nil if the group was stored without it.
    /// - throws: a `DatabaseError` of code `SQLITE_SCHEMA`.
    static func check(_ text: String?, in db: Database) throws {
        guard let text, let tables = try? JSONDecoder().decode([Self].self, from: Data(text.utf8))
        else {
            throw DatabaseError(
                resultCode: .SQLITE_SCHEMA, message: "The group does not name its tables")
        }
        for table in tables {
            guard let current = try UndoneTable(table.name, in: db) else {
                throw DatabaseError(
                    resultCode: .SQLITE_SCHEMA, message: "no such table: \(table.name)")
            }
            guard current.isIdentical(table) else {
                throw DatabaseError(
                    resultCode: .SQLITE_SCHEMA,
                    message: "The table \(table.name) is not as it was when the group was recorded")
            }
        }
    }

    /// - returns: nil if there is no such table.
    private init?(_ name: String, in db: Database) throws {
        guard let table = try ChangesetSchema.table(name, schema: "main", in: db),
            let rootPage = try Int64.fetchOne(
                db,
                sql: """
                    SELECT rootpage FROM main.sqlite_master \
                    WHERE type = 'table' AND name = ? COLLATE NOCASE
                    """, arguments: [name])
        else { return nil }
        self.name = name
        self.rootPage = rootPage
        columnNames = table.columnNames
        schemaVersion =
            table.identifiesRowsByRowID
            ? try Int64.fetchOne(db, sql: "PRAGMA main.schema_version") : nil
    }

    private func isIdentical(_ other: Self) -> Bool {
        rootPage == other.rootPage && schemaVersion == other.schemaVersion
            && columnNames.elementsEqual(other.columnNames) { $0.utf8.elementsEqual($1.utf8) }
    }
}
