import GRDB

/// An element of a JSON array or object: a row of `json_each` or `json_tree`.
///
/// ```swift
/// // SELECT * FROM "json_each"('[1, 2]')
/// let elements = try JSONElement.each(in: "[1, 2]").all().fetchAll(db) // [JSONElement]
///
/// // SELECT * FROM "player"
/// // WHERE 'vip' IN (SELECT "value" FROM "json_each"("player"."tags"))
/// let request = Player.filter {
///     JSONElement.each(in: $0.tags).all().select(\.value).contains("vip")
/// }
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/json1.html#table_valued_functions_for_parsing_json>
public struct JSONElement: TableRecord, FetchableRecord, Sendable {
    /// The columns of `json_each` and `json_tree`.
    public enum Columns {
        /// The index in an array, the name in an object, or NULL.
        public static let key = Column("key")
        /// The value as an SQL value. It is JSON text for arrays and objects.
        public static let value = Column("value")
        /// `null`, `true`, `false`, `integer`, `real`, `text`, `array` or `object`.
        public static let type = Column("type")
        /// The value; NULL for arrays and objects.
        public static let atom = Column("atom")
        /// The number of the element, unique within the document.
        public static let id = Column("id")
        /// The number of the array or object that holds the element, in `json_tree`.
        public static let parent = Column("parent")
        /// The path of the element.
        public static let fullkey = Column("fullkey")
        /// The path of the array or object that holds the element.
        public static let path = Column("path")
    }

    public static var databaseTableName: String { "json_each" }

    /// The index in an array, the name in an object, or NULL.
    public let key: DatabaseValue

    /// The value as an SQL value. It is JSON text for arrays and objects.
    public let value: DatabaseValue

    /// `null`, `true`, `false`, `integer`, `real`, `text`, `array` or `object`.
    public let type: String

    /// The value; NULL for arrays and objects.
    public let atom: DatabaseValue

    /// The number of the element, unique within the document.
    public let id: Int64

    /// The number of the array or object that holds the element, in `json_tree`.
    public let parent: Int64?

    /// The path of the element.
    public let fullkey: String

    /// The path of the array or object that holds the element.
    public let path: String

    /// Reads an element from a row of `json_each` or `json_tree`.
    ///
    /// - throws: a ``/GRDB/RowDecodingError`` if the row has no such columns.
    public init(row: Row) throws {
        key = try row.decode(forColumn: "key")
        value = try row.decode(forColumn: "value")
        type = try row.decode(forColumn: "type")
        atom = try row.decode(forColumn: "atom")
        id = try row.decode(forColumn: "id")
        parent = try row.decode(forColumn: "parent")
        fullkey = try row.decode(forColumn: "fullkey")
        path = try row.decode(forColumn: "path")
    }

    /// The elements of an array or object.
    ///
    /// ```swift
    /// // SELECT * FROM "json_each"('{"tags": [1, 2]}', '$.tags')
    /// let elements = try JSONElement
    ///     .each(in: #"{"tags": [1, 2]}"#, at: "$.tags")
    ///     .all().fetchAll(db)
    /// ```
    ///
    /// - parameter json: JSON text, or a column that contains it. NULL has no elements.
    /// - parameter path: the path of the array or object; nil for all of the JSON.
    /// - returns: the function. Fetching from it throws a ``/GRDB/DatabaseError`` if `json` is not valid.
    public static func each(
        in json: any SQLExpressible, at path: (any SQLExpressible)? = nil
    ) -> TableFunction<JSONElement> {
        TableFunction("json_each", arguments: [json] + (path.map { [$0] } ?? []))
    }

    /// The elements of an array or object, and the elements of its elements, and so on.
    ///
    /// ```swift
    /// // SELECT "fullkey" FROM "json_tree"('{"a": {"b": 1}}') WHERE "atom" IS NOT NULL
    /// let paths = try JSONElement.tree(in: #"{"a": {"b": 1}}"#).all()
    ///     .filter { $0.atom != nil }
    ///     .select(\.fullkey)
    ///     .fetchAll(db) // ["$.a.b"]
    /// ```
    ///
    /// - parameter json: JSON text, or a column that contains it. NULL has no elements.
    /// - parameter path: the path of the array or object; nil for all of the JSON.
    /// - returns: the function. Fetching from it throws a ``/GRDB/DatabaseError`` if `json` is not valid.
    public static func tree(
        in json: any SQLExpressible, at path: (any SQLExpressible)? = nil
    ) -> TableFunction<JSONElement> {
        TableFunction("json_tree", arguments: [json] + (path.map { [$0] } ?? []))
    }
}
