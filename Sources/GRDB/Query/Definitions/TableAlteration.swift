/// Describes the changes of a table: columns to add, rename or drop.
///
/// ``Database/alter(table:body:)`` passes an instance to its closure:
///
/// ```swift
/// try db.alter(table: "player") { t in // t is TableAlteration
///     t.add(column: "bonus", .integer)
/// }
/// ```
///
/// The changes are made in order, and either all of them or none.
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_altertable.html>
public final class TableAlteration {
    enum Change {
        case add(ColumnDefinition)
        case addSQL(SQL)
        case rename(String, String)
        case drop(String)
    }

    let name: String
    private(set) var changes: [Change] = []

    init(name: String) {
        self.name = name
    }

    /// Appends a column.
    ///
    /// ```swift
    /// // ALTER TABLE "player" ADD COLUMN "bonus" INTEGER
    /// try db.alter(table: "player") { t in
    ///     t.add(column: "bonus", .integer)
    /// }
    /// ```
    ///
    /// SQLite can't add a primary key, a unique column, or a NOT NULL column without a default
    /// value.
    ///
    /// - parameter name: the name of the column.
    /// - parameter type: the type of the column; nil for an untyped column.
    @discardableResult
    public func add(
        column name: String, _ type: Database.ColumnType? = nil
    ) -> ColumnDefinition {
        let column = ColumnDefinition((name, type))
        changes.append(.add(column))
        return column
    }

    /// Appends a column defined by SQL text.
    ///
    /// ```swift
    /// // ALTER TABLE "player" ADD COLUMN bonus INTEGER
    /// t.addColumn(sql: "bonus INTEGER")
    /// ```
    public func addColumn(sql: String) {
        changes.append(.addSQL(SQL(sql: sql)))
    }

    /// Appends a column defined by an SQL literal.
    ///
    /// ```swift
    /// // ALTER TABLE "player" ADD COLUMN name TEXT DEFAULT 'O''Reilly'
    /// let defaultName = "O'Reilly"
    /// t.addColumn(literal: "name TEXT DEFAULT \(defaultName)")
    /// ```
    public func addColumn(literal: SQL) {
        changes.append(.addSQL(literal))
    }

    /// Renames a column.
    ///
    /// ```swift
    /// // ALTER TABLE "player" RENAME COLUMN "url" TO "homeURL"
    /// t.rename(column: "url", to: "homeURL")
    /// ```
    public func rename(column name: String, to newName: String) {
        changes.append(.rename(name, newName))
    }

    /// Drops a column.
    ///
    /// ```swift
    /// // ALTER TABLE "player" DROP COLUMN "age"
    /// t.drop(column: "age")
    /// ```
    public func drop(column name: String) {
        changes.append(.drop(name))
    }
}

extension TableAlteration.Change {
    /// The statements of the change. They may depend on the previous changes.
    @inline(never)  // 5 KB
    func statements(_ db: Database, table: String) throws -> [String] {
        let head = "ALTER TABLE \(table.quotedDatabaseIdentifier)"
        switch self {
        case .add(let column):
            let text = try column.text(ReferenceResolver(db: db))
            var statements = ["\(head) ADD COLUMN \(text)"]
            if let index = column.index(inTable: table) { statements.append(try index.text(db)) }
            return statements
        case .addSQL(let literal):
            return ["\(head) ADD COLUMN \(try db.schemaText(literal))"]
        case .rename(let name, let newName):
            return [
                "\(head) RENAME COLUMN \(try name.schemaIdentifier()) "
                    + "TO \(try newName.schemaIdentifier())"
            ]
        case .drop(let name):
            return ["\(head) DROP COLUMN \(try name.schemaIdentifier())"]
        }
    }
}

// See `Database`.
@available(*, unavailable)
extension TableAlteration: Sendable {}
