import GRDB

/// A call of a table-valued function. The rows depend on the arguments.
///
/// Use it for the table-valued functions of SQLite, such as `json_each`, for pragmas, and for
/// functions that apps define with ``DatabaseModule``:
///
/// ```swift
/// // SELECT * FROM "pragma_table_info"('player') WHERE "pk" > 0
/// let request = TableFunction("pragma_table_info", "player")
///     .all()
///     .filter(Column("pk") > 0)
/// let rows = try request.fetchAll(db) // [Row]
/// ```
///
/// The arguments can be columns of another table if the function is joined to that table, or called
/// in a subquery of one of its conditions:
///
/// ```swift
/// // SELECT "player".*, "json_each".*
/// // FROM "player" JOIN "json_each"("player"."tags")
/// let tags = Player.association(to: TableFunction("json_each", Column("tags")))
/// let request = Player.including(required: tags)
///
/// // SELECT * FROM "player"
/// // WHERE 'vip' IN (SELECT "value" FROM "json_each"("player"."tags"))
/// let request = Player.filter {
///     TableFunction("json_each", $0.tags).all().select(Column("value")).contains("vip")
/// }
/// ```
///
/// Specify a type to decode rows:
///
/// ```swift
/// let function = TableFunction<JSONElement>("json_tree", $0.address, "$.street")
/// ```
///
/// For `json_each` and `json_tree`, ``JSONElement`` has typed columns.
///
/// An observation of the request also observes the tables whose columns are arguments.
///
/// Related SQLite documentation: <https://www.sqlite.org/vtab.html#table_valued_functions>
public struct TableFunction<RowDecoder>: Sendable {
    /// The name of the function.
    public let name: String

    /// The arguments. If there are fewer arguments than hidden columns of the function, the
    /// remaining hidden columns have no value.
    public let arguments: [SQLExpression]

    /// Creates a call of a function whose rows are decoded as the given type.
    ///
    /// - parameter name: the name of the function.
    /// - parameter arguments: the arguments.
    public init(_ name: String, _ arguments: any SQLExpressible...) {
        self.init(name, arguments: arguments)
    }

    /// Creates a call of a function with a list of arguments.
    ///
    /// - parameter name: the name of the function.
    /// - parameter arguments: the arguments.
    public init(_ name: String, arguments: [any SQLExpressible]) {
        self.name = name
        self.arguments = arguments.map(\.sqlExpression)
    }

    /// The request for all rows of the function.
    ///
    /// ```swift
    /// // SELECT * FROM "json_each"('[1, 2]')
    /// let request = TableFunction("json_each", "[1, 2]").all()
    /// ```
    public func all() -> QueryInterfaceRequest<RowDecoder> {
        QueryInterfaceRequest(tableFunction: name, arguments)
    }
}

extension TableFunction<Row> {
    /// Creates a call of a function that returns database rows.
    ///
    /// - parameter name: the name of the function.
    /// - parameter arguments: the arguments.
    public init(_ name: String, _ arguments: any SQLExpressible...) {
        self.init(name, arguments: arguments)
    }
}

extension TableFunction where RowDecoder: DatabaseValueConvertible {
    /// Returns the values of a sequence as rows: the table-valued function `carray`.
    ///
    /// ```swift
    /// // SELECT "player".* FROM "carray"(?) JOIN "player" ON "player"."id" = "carray"."value"
    /// let ids = TableFunction.values([3, 1, 2])
    /// let players = ids.association(
    ///     to: Player.self, on: { id, player in player.id == id["value"] })
    /// ```
    ///
    /// The column is named `value`. The whole sequence is bound as a single argument of the
    /// statement.
    ///
    /// - parameter values: the values. All must have the same storage class: integers, real
    ///   numbers, texts or blobs. Texts can't contain NUL characters.
    /// - returns: the function. Fetching throws a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` if the
    ///   values don't meet these requirements.
    public static func values(_ values: some Sequence<RowDecoder>) -> TableFunction {
        TableFunction(
            "carray", arguments: [SQLExpression.array(values.map(\.databaseValue))])
    }
}

// MARK: - Associations

extension TableRecord {
    /// Creates an association to the rows of a table-valued function.
    ///
    /// ```swift
    /// extension Player {
    ///     static let tags = association(
    ///         to: TableFunction("json_each", Column("tags")))
    /// }
    ///
    /// // SELECT "player".*
    /// // FROM "player" JOIN "json_each"("player"."tags") ON "json_each"."value" = 'vip'
    /// let request = Player.joining(required: Player.tags.filter(Column("value") == "vip"))
    /// ```
    ///
    /// The function is called for each row. Columns in its arguments refer to this table. Each row
    /// of this table is repeated for each row of the function.
    ///
    /// - parameter function: the function.
    public static func association<Destination>(
        to function: TableFunction<Destination>
    ) -> JoinAssociation<Self, Destination> {
        JoinAssociation(to: function.all())
    }
}

extension Table {
    /// Creates an association to the rows of a table-valued function.
    ///
    /// ```swift
    /// // SELECT "player".*, "json_each".*
    /// // FROM "player" JOIN "json_each"("player"."tags")
    /// let players = Table("player")
    /// let tags = players.association(to: TableFunction("json_each", Column("tags")))
    /// let request = players.including(required: tags)
    /// ```
    ///
    /// The function is called for each row. Columns in its arguments refer to this table.
    ///
    /// - parameter function: the function.
    public func association<Destination>(
        to function: TableFunction<Destination>
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: function.all())
    }
}

extension TableFunction {
    /// Creates an association to the table of a record type, on a condition.
    ///
    /// ```swift
    /// // SELECT "json_each".*, "player".*
    /// // FROM "json_each"('[1, 2]') JOIN "player" ON "player"."id" = "json_each"."value"
    /// let ids = TableFunction("json_each", "[1, 2]")
    /// let player = ids.association(
    ///     to: Player.self, on: { element, player in player.id == element["value"] })
    /// let request = ids.all().including(required: player)
    /// ```
    ///
    /// - parameter destination: the record type whose table to join.
    /// - parameter condition: the condition on both tables. The closure receives an alias of each
    ///   table.
    public func association<Destination: TableRecord>(
        to destination: Destination.Type,
        on condition:
            @escaping @Sendable (
                _ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>
            ) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: destination.all(), on: condition)
    }

    /// Creates an association to a table without a record type, on a condition.
    ///
    /// ```swift
    /// // SELECT "json_each".*, "player".*
    /// // FROM "json_each"('[1, 2]') JOIN "player" ON "player"."id" = "json_each"."value"
    /// let ids = TableFunction("json_each", "[1, 2]")
    /// let player = ids.association(
    ///     to: Table("player"), on: { element, player in player["id"] == element["value"] })
    /// let request = ids.all().including(required: player)
    /// ```
    ///
    /// - parameter destination: the table to join.
    /// - parameter condition: the condition on both tables. The closure receives an alias of each
    ///   table.
    public func association<Destination>(
        to destination: Table<Destination>,
        on condition:
            @escaping @Sendable (
                _ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>
            ) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: destination.all(), on: condition)
    }

    /// Creates an association to the rows of another table-valued function.
    ///
    /// ```swift
    /// // SELECT "pragma_table_list".*, "pragma_table_info".*
    /// // FROM "pragma_table_list" JOIN "pragma_table_info"("pragma_table_list"."name")
    /// let tables = TableFunction("pragma_table_list")
    /// let columns = tables.association(to: TableFunction("pragma_table_info", Column("name")))
    /// let request = tables.all().including(required: columns)
    /// ```
    ///
    /// - parameter function: the function. Columns in its arguments refer to the first function.
    public func association<Destination>(
        to function: TableFunction<Destination>
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(to: function.all())
    }
}
