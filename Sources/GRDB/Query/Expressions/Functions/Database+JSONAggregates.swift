// The built-in JSON functions that aggregate the rows of a group.
//
// Related SQLite documentation: <https://www.sqlite.org/json1.html>

extension Database {
    /// The `JSON_GROUP_ARRAY` SQL function: a JSON array of the values of all rows of a group.
    ///
    /// ```swift
    /// // JSON_GROUP_ARRAY("name") FILTER (WHERE "isActive")
    /// Database.jsonGroupArray(Column("name"), filter: Column("isActive"))
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jgrouparray>
    public static func jsonGroupArray(
        _ value: some SQLExpressible, filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        .aggregate(
            "JSON_GROUP_ARRAY", [value.sqlExpression.jsonArgument], filter: filter)
    }

    /// The `JSON_GROUP_OBJECT` SQL function: a JSON object of all rows of a group.
    ///
    /// ```swift
    /// // JSON_GROUP_OBJECT("name", "score")
    /// Database.jsonGroupObject(key: Column("name"), value: Column("score"))
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jgroupobject>
    public static func jsonGroupObject(
        key: some SQLExpressible, value: some SQLExpressible,
        filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        .aggregate(
            "JSON_GROUP_OBJECT", [key.sqlExpression, value.sqlExpression.jsonArgument],
            filter: filter)
    }
}
