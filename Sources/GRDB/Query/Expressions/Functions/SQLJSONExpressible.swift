/// An expression whose value is JSON, as opposed to text that contains JSON.
///
/// Conforming types have methods and subscripts to read JSON:
///
/// ```swift
/// // SELECT "info" ->> 'firstName' FROM "player"
/// Player.select { $0.info["firstName"] }
///
/// // SELECT "info" ->> '$.address.city' FROM "player"
/// Player.select { $0.info["$.address.city"] }
/// ```
///
/// Functions that build JSON values, such as `jsonArray(_:)`, embed JSON expressions as JSON, and
/// other expressions as strings:
///
/// ```swift
/// enum Columns {
///     static let info = JSONColumn("info")
///     static let name = Column("name")
/// }
///
/// // SELECT JSON_ARRAY(JSON("info"), "name") FROM "player"
/// Player.select { Database.jsonArray([$0.info, $0.name]) }
/// ```
///
/// ``JSONColumn`` is a JSON expression. ``SQLSpecificExpressible/asJSON`` converts any other
/// expression.
///
/// Related SQLite documentation: <https://www.sqlite.org/json1.html>
public protocol SQLJSONExpressible: SQLSpecificExpressible {}

/// A JSON expression that hides the type of another one.
public struct AnySQLJSONExpressible: SQLJSONExpressible, Sendable {
    public let sqlExpression: SQLExpression

    /// Creates a JSON expression from another JSON expression.
    public init(_ base: some SQLJSONExpressible) {
        sqlExpression = base.sqlExpression
    }

    /// Creates a JSON expression from any expression.
    init(json expression: SQLExpression) {
        // No extra node: queries look for the alias of a selected column, and a node would hide the
        // alias.
        sqlExpression =
            expression.traits.contains(.json)
            ? expression : SQLExpression(JSONNode(base: expression.node))
    }
}

extension SQLSpecificExpressible {
    /// The expression, interpreted as a JSON value.
    ///
    /// ```swift
    /// // SELECT "info" ->> 'name' FROM "player"
    /// Player.select(Column("info").asJSON["name"])
    ///
    /// // SELECT JSON_ARRAY(JSON("info")) FROM "player"
    /// Player.select(Database.jsonArray([Column("info").asJSON]))
    /// ```
    public var asJSON: AnySQLJSONExpressible { AnySQLJSONExpressible(json: sqlExpression) }
}

/// A column that contains JSON.
///
/// ```swift
/// struct Player: Codable {
///     var id: Int64
///     var address: Address
/// }
///
/// extension Player: FetchableRecord, PersistableRecord {
///     enum Columns {
///         static let id = Column(CodingKeys.id)
///         static let address = JSONColumn(CodingKeys.address)
///     }
/// }
///
/// // SELECT DISTINCT "address" ->> 'countryCode' FROM "player"
/// let countryCodes = try Player
///     .select({ $0.address["countryCode"] }, as: String.self)
///     .distinct()
///     .fetchAll(db)
/// ```
///
/// See <doc:JSONColumns>.
public struct JSONColumn: ColumnExpression, SQLJSONExpressible, Sendable {
    /// The name of the column, unquoted.
    public var name: String

    /// Creates a column from its name.
    public init(_ name: String) {
        self.name = name
    }

    /// Creates a column from a coding key.
    public init(_ codingKey: some CodingKey) {
        name = codingKey.stringValue
    }

    public var sqlExpression: SQLExpression {
        SQLExpression(JSONNode(base: ColumnNode(name: name)))
    }
}

/// A node whose value is JSON. Functions that build JSON embed it as JSON, not as a string.
struct JSONNode: SQLNode {
    let base: any SQLNode

    func columnName(aliases: [AnyObject]) -> String? { base.columnName(aliases: aliases) }

    func write(to writer: SQLWriter) throws {
        try base.write(to: writer)
    }

    var traits: SQLTraits {
        base.traits.intersection([.compound, .aggregate, .repeatable]).union(.json)
    }

    var children: [any SQLNode] { [base] }

    var depth: Int { 1 + base.depth }
}

extension SQLExpression {
    /// The expression as the argument of a function that builds JSON. SQLite treats JSON in a
    /// column as a string, so the argument is wrapped in the function `JSON`.
    package var jsonArgument: SQLExpression {
        traits.contains(.json) ? .function("JSON", self) : self
    }
}

// MARK: - Reading JSON

extension SQLJSONExpressible {
    /// The value at a path, as an SQL value: the `->>` operator.
    ///
    /// ```swift
    /// // "info" ->> 'firstName'
    /// JSONColumn("info")["firstName"]
    ///
    /// // "info" ->> '$.address.city'
    /// JSONColumn("info")["$.address.city"]
    ///
    /// // "scores" ->> 0
    /// JSONColumn("scores")[0]
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jptr>
    ///
    /// - parameter path: a label, the index of an array, or a
    ///   [path](https://www.sqlite.org/json1.html#path_arguments), which begins with `$`.
    public subscript(_ path: some SQLExpressible) -> SQLExpression {
        SQLExpression(
            BinaryOperation(
                left: sqlExpression, sqlOperator: .jsonValue, right: path.sqlExpression))
    }

    /// The value at a path of several parts, as an SQL value.
    ///
    /// Parts are labels and indexes, and need no quotes, even if a label contains a period. Only labels that begin with
    /// `$`, look like `[0]` or contain a quotation mark need a path instead:
    ///
    /// ```swift
    /// // ("info" -> 'address') ->> 'city'
    /// JSONColumn("info")["address", "city"]
    ///
    /// // (("info" -> 'scores') -> 0) ->> 'best.ever'
    /// JSONColumn("info")["scores", 0, "best.ever"]
    /// ```
    ///
    /// The value is NULL if the path does not exist.
    public subscript(
        _ first: any SQLExpressible, _ second: any SQLExpressible, _ others: any SQLExpressible...
    ) -> SQLExpression {
        ([second] + others).reduce(self[first.sqlExpression]) { $0[$1.sqlExpression] }
    }

    /// The value at a path, as an SQL value: the `JSON_EXTRACT` function.
    ///
    /// ```swift
    /// // JSON_EXTRACT("info", '$.firstName')
    /// JSONColumn("info").jsonExtract(atPath: "$.firstName")
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jex>
    public func jsonExtract(atPath path: some SQLExpressible) -> SQLExpression {
        Database.jsonExtract(self, atPath: path)
    }

    /// The values at several paths, as a JSON array: the `JSON_EXTRACT` function.
    ///
    /// ```swift
    /// // JSON_EXTRACT("info", '$.firstName', '$.lastName')
    /// JSONColumn("info").jsonExtract(atPaths: ["$.firstName", "$.lastName"])
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jex>
    public func jsonExtract(
        atPaths paths: some Collection<some SQLExpressible>
    ) -> SQLExpression {
        Database.jsonExtract(self, atPaths: paths)
    }

    /// The JSON representation of the value at a path: the `->` operator.
    ///
    /// ```swift
    /// // "info" -> 'address'
    /// JSONColumn("info").jsonRepresentation(atPath: "address")
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jptr>
    public func jsonRepresentation(atPath path: some SQLExpressible) -> SQLExpression {
        SQLExpression(
            BinaryOperation(
                left: sqlExpression, sqlOperator: .jsonRepresentation, right: path.sqlExpression))
    }
}

extension SQLExpression {
    /// The value at a path inside a JSON value: the `->>` operator.
    ///
    /// Chain subscripts to read nested JSON values:
    ///
    /// ```swift
    /// // ("info" -> 'address') ->> 'city'
    /// JSONColumn("info")["address"]["city"]
    ///
    /// // (("scores" -> 0) -> 'history') ->> 2
    /// JSONColumn("scores")[0]["history"][2]
    /// ```
    ///
    /// The value is NULL if the path does not exist. Fetching throws an error of code
    /// `SQLITE_ERROR` if the expression is neither JSON nor NULL.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jptr>
    ///
    /// - parameter path: a label, the index of an array, or a
    ///   [path](https://www.sqlite.org/json1.html#path_arguments).
    public subscript(_ path: some SQLExpressible) -> SQLExpression {
        // A string inside JSON is not JSON: `->` preserves what `->>` would convert to an SQL
        // value.
        guard let operation = node as? BinaryOperation, operation.sqlOperator == .jsonValue else {
            return asJSON[path]
        }
        let json = BinaryOperation(
            left: operation.left, sqlOperator: .jsonRepresentation, right: operation.right)
        return SQLExpression(json).asJSON[path]
    }
}
