/// Builds queries on a database table, with or without a record type.
///
/// ```swift
/// try dbQueue.read { db in
///     // SELECT * FROM "player" WHERE "score" >= 1000
///     let rows = try Table("player")
///         .filter(Column("score") >= 1000)
///         .fetchAll(db) // [Row]
/// }
/// ```
///
/// Specify a type to decode rows:
///
/// ```swift
/// let players = try Table<Player>("player").fetchAll(db) // [Player]
/// ```
///
/// The table may belong to an attached database: see `init(_:in:)`.
///
/// See <doc:Queries#Mix-in-SQL-or-work-without-a-record-type>.
public struct Table<RowDecoder>: Sendable {
    /// The name of the table, without its schema.
    public var tableName: String

    /// The schema of the table: `main`, `temp`, or the name of an attached database; nil for the
    /// first schema that contains the table.
    public var schemaName: String?

    private init(tableName: String, schemaName: String?) {
        self.tableName = tableName
        self.schemaName = schemaName
    }

    /// Creates a table whose rows are decoded as the given type.
    ///
    /// ```swift
    /// let table = Table<Player>("player")
    /// ```
    public init(_ tableName: String) {
        self.init(tableName: tableName, schemaName: nil)
    }

    /// Creates a table in the given schema.
    ///
    /// ```swift
    /// // SELECT * FROM "archive"."player"
    /// try db.attach(path, as: "archive")
    /// let players = try Table<Player>("player", in: "archive").fetchAll(db)
    /// ```
    public init(_ tableName: String, in schemaName: String) {
        self.init(tableName: tableName, schemaName: schemaName)
    }

    var relation: Relation {
        Relation(
            table: .init(tableName, schema: schemaName), selection: [AllColumns().sqlSelection])
    }

    /// The request for all rows of the table. The other methods refine it.
    ///
    /// ```swift
    /// // SELECT * FROM "player"
    /// let rows = try Table("player").all().fetchAll(db)
    /// ```
    public func all() -> QueryInterfaceRequest<RowDecoder> {
        QueryInterfaceRequest(relation: relation)
    }
}

extension Table<Row> {
    /// Creates a table of database rows.
    ///
    /// ```swift
    /// let table = Table("player") // Table<Row>
    /// ```
    public init(_ tableName: String) {
        self.init(tableName: tableName, schemaName: nil)
    }

    /// Creates a table of database rows in the given schema.
    public init(_ tableName: String, in schemaName: String) {
        self.init(tableName: tableName, schemaName: schemaName)
    }
}

extension Table: DatabaseRegionConvertible {
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        // The tables that a view reads, and the single name under which SQLite reports the table of
        // the schema.
        if try db.hasView(tableName, in: schemaName) || tableName.hasPrefix("sqlite_") {
            return try all().databaseRegion(db)
        }
        // All columns, including columns that are added later. The table may not exist yet.
        return DatabaseRegion(table: tableName)
    }
}

extension SQLInterpolation {
    /// `SELECT * FROM \(table)`: the quoted name of the table.
    public mutating func appendInterpolation<T>(_ table: Table<T>) {
        if let schemaName = table.schemaName {
            appendInterpolation(identifier: schemaName)
            appendLiteral(".")
        }
        appendInterpolation(identifier: table.tableName)
    }
}
