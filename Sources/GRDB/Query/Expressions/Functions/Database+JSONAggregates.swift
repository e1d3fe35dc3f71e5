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

    /// The `JSON_GROUP_ARRAY` SQL function, on sorted rows.
    ///
    /// ```swift
    /// // JSON_GROUP_ARRAY("name" ORDER BY "score" DESC)
    /// Database.jsonGroupArray(Column("name"), orderBy: Column("score").desc)
    /// ```
    public static func jsonGroupArray(
        _ value: some SQLExpressible,
        orderBy ordering: any SQLOrderingTerm, _ orderings: any SQLOrderingTerm...,
        filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        .aggregate(
            "JSON_GROUP_ARRAY", [value.sqlExpression.jsonArgument],
            orderBy: [ordering] + orderings, filter: filter)
    }

    /// The `JSONB_GROUP_ARRAY` SQL function: a JSON array of the values of all rows of a group,
    /// in the binary JSONB format.
    ///
    /// ```swift
    /// // JSONB_GROUP_ARRAY("name") FILTER (WHERE "isActive")
    /// Database.jsonbGroupArray(Column("name"), filter: Column("isActive"))
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jsonbx>
    public static func jsonbGroupArray(
        _ value: some SQLExpressible, filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        .aggregate(
            "JSONB_GROUP_ARRAY", [value.sqlExpression.jsonArgument], filter: filter)
    }

    /// The `JSONB_GROUP_ARRAY` SQL function, on sorted rows.
    ///
    /// ```swift
    /// // JSONB_GROUP_ARRAY("name" ORDER BY "score" DESC)
    /// Database.jsonbGroupArray(Column("name"), orderBy: Column("score").desc)
    /// ```
    public static func jsonbGroupArray(
        _ value: some SQLExpressible,
        orderBy ordering: any SQLOrderingTerm, _ orderings: any SQLOrderingTerm...,
        filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        .aggregate(
            "JSONB_GROUP_ARRAY", [value.sqlExpression.jsonArgument],
            orderBy: [ordering] + orderings, filter: filter)
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

    /// The `JSON_GROUP_OBJECT` SQL function, on sorted rows.
    ///
    /// ```swift
    /// // JSON_GROUP_OBJECT("name", "score" ORDER BY "score" DESC)
    /// Database.jsonGroupObject(key: Column("name"), value: Column("score"), orderBy: Column("score").desc)
    /// ```
    public static func jsonGroupObject(
        key: some SQLExpressible, value: some SQLExpressible,
        orderBy ordering: any SQLOrderingTerm, _ orderings: any SQLOrderingTerm...,
        filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        .aggregate(
            "JSON_GROUP_OBJECT", [key.sqlExpression, value.sqlExpression.jsonArgument],
            orderBy: [ordering] + orderings, filter: filter)
    }

    /// The `JSONB_GROUP_OBJECT` SQL function: a JSON object of all rows of a group,
    /// in the binary JSONB format.
    ///
    /// ```swift
    /// // JSONB_GROUP_OBJECT("name", "score")
    /// Database.jsonbGroupObject(key: Column("name"), value: Column("score"))
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jsonbx>
    public static func jsonbGroupObject(
        key: some SQLExpressible, value: some SQLExpressible,
        filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        .aggregate(
            "JSONB_GROUP_OBJECT", [key.sqlExpression, value.sqlExpression.jsonArgument],
            filter: filter)
    }

    /// The `JSONB_GROUP_OBJECT` SQL function, on sorted rows.
    ///
    /// ```swift
    /// // JSONB_GROUP_OBJECT("name", "score" ORDER BY "score" DESC)
    /// Database.jsonbGroupObject(key: Column("name"), value: Column("score"), orderBy: Column("score").desc)
    /// ```
    public static func jsonbGroupObject(
        key: some SQLExpressible, value: some SQLExpressible,
        orderBy ordering: any SQLOrderingTerm, _ orderings: any SQLOrderingTerm...,
        filter: (any SQLSpecificExpressible)? = nil
    ) -> SQLExpression {
        .aggregate(
            "JSONB_GROUP_OBJECT", [key.sqlExpression, value.sqlExpression.jsonArgument],
            orderBy: [ordering] + orderings, filter: filter)
    }
}
