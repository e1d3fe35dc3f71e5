import GRDB

// The JSON functions that GRDB 7 lacks: they write the binary JSONB format, sort what they aggregate, or format text.
//
// Related SQLite documentation: <https://www.sqlite.org/json1.html>

extension Database {
    /// The `JSONB` SQL function: checks JSON text, and converts it to the binary JSONB format.
    ///
    /// ```swift
    /// // JSONB("info")
    /// Database.jsonb(Column("info"))
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jsonbx>
    public static func jsonb(_ value: some SQLExpressible) -> SQLExpression {
        .function("JSONB", value.sqlExpression)
    }

    /// The `JSONB_ARRAY` SQL function: creates a JSON array in the binary JSONB format.
    ///
    /// ```swift
    /// // JSONB_ARRAY(1, 2, 3)
    /// Database.jsonbArray([1, 2, 3])
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jsonbx>
    public static func jsonbArray(_ values: some Collection<some SQLExpressible>) -> SQLExpression {
        .function("JSONB_ARRAY", arguments: values.map { $0.sqlExpression.jsonArgument })
    }

    /// The `JSONB_ARRAY` SQL function: creates a JSON array in the binary JSONB format.
    ///
    /// ```swift
    /// // JSONB_ARRAY("name", JSON("info"), 3)
    /// Database.jsonbArray([Column("name"), JSONColumn("info"), 3])
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jsonbx>
    public static func jsonbArray(_ values: some Collection<any SQLExpressible>) -> SQLExpression {
        .function("JSONB_ARRAY", arguments: values.map { $0.sqlExpression.jsonArgument })
    }

    /// The `JSON_ERROR_POSITION` SQL function: the position of the first syntax error, counted from
    /// 1, or 0 for well-formed JSON.
    ///
    /// ```swift
    /// // JSON_ERROR_POSITION("info")
    /// Database.jsonErrorPosition(Column("info"))
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jerr>
    public static func jsonErrorPosition(_ value: some SQLExpressible) -> SQLExpression {
        .function("JSON_ERROR_POSITION", value.sqlExpression)
    }

    /// The `JSONB_EXTRACT` SQL function: the value at a path, in the binary JSONB format.
    ///
    /// ```swift
    /// // JSONB_EXTRACT("info", '$.name')
    /// Database.jsonbExtract(Column("info"), atPath: "$.name")
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jsonbx>
    public static func jsonbExtract(
        _ value: some SQLExpressible, atPath path: some SQLExpressible
    ) -> SQLExpression {
        .function("JSONB_EXTRACT", value.sqlExpression, path.sqlExpression)
    }

    /// The `JSONB_EXTRACT` SQL function: an array of the values at several paths, in the binary
    /// JSONB format.
    ///
    /// ```swift
    /// // JSONB_EXTRACT("info", '$.name', '$.score')
    /// Database.jsonbExtract(Column("info"), atPaths: ["$.name", "$.score"])
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jsonbx>
    public static func jsonbExtract(
        _ value: some SQLExpressible, atPaths paths: some Collection<some SQLExpressible>
    ) -> SQLExpression {
        .function(
            "JSONB_EXTRACT", arguments: [value.sqlExpression] + paths.map { $0.sqlExpression })
    }

    /// The `JSONB_OBJECT` SQL function: creates a JSON object in the binary JSONB format.
    ///
    /// ```swift
    /// // JSONB_OBJECT('name', "name", 'info', JSON("info"))
    /// Database.jsonbObject(["name": Column("name"), "info": JSONColumn("info")])
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jsonbx>
    public static func jsonbObject(
        _ elements: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        .function("JSONB_OBJECT", arguments: .json(elements))
    }

    /// The `JSON_PRETTY` SQL function: formats JSON text with line feeds and indentation.
    ///
    /// ```swift
    /// // JSON_PRETTY("info")
    /// Database.jsonPretty(Column("info"))
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jpretty>
    public static func jsonPretty(_ value: some SQLExpressible) -> SQLExpression {
        .function("JSON_PRETTY", value.sqlExpression)
    }

    // MARK: - Changes

    /// The `JSONB_INSERT` SQL function: sets the values at the paths that do not exist. The result
    /// is in the binary JSONB format.
    ///
    /// ```swift
    /// // JSONB_INSERT("info", '$.score', 1000)
    /// Database.jsonbInsert(Column("info"), ["$.score": 1000])
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jsonbx>
    public static func jsonbInsert(
        _ value: some SQLExpressible,
        _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        .function("JSONB_INSERT", arguments: .json(value, assignments))
    }

    /// The `JSONB_REPLACE` SQL function: sets the values at the paths that exist. The result is in
    /// the binary JSONB format.
    ///
    /// ```swift
    /// // JSONB_REPLACE("info", '$.score', 1000)
    /// Database.jsonbReplace(Column("info"), ["$.score": 1000])
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jsonbx>
    public static func jsonbReplace(
        _ value: some SQLExpressible,
        _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        .function("JSONB_REPLACE", arguments: .json(value, assignments))
    }

    /// The `JSONB_SET` SQL function: sets the values at paths, whether or not the paths exist. The
    /// result is in the binary JSONB format.
    ///
    /// ```swift
    /// // JSONB_SET("info", '$.score', 1000)
    /// Database.jsonbSet(Column("info"), ["$.score": 1000])
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jsonbx>
    public static func jsonbSet(
        _ value: some SQLExpressible,
        _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        .function("JSONB_SET", arguments: .json(value, assignments))
    }

    /// The `JSONB_PATCH` SQL function: merges two objects according to RFC 7396. The result is in
    /// the binary JSONB format.
    ///
    /// ```swift
    /// // JSONB_PATCH("info", '{"score":1000}')
    /// Database.jsonbPatch(Column("info"), with: #"{"score":1000}"#)
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jsonbx>
    public static func jsonbPatch(
        _ value: some SQLExpressible, with patch: some SQLExpressible
    ) -> SQLExpression {
        .function("JSONB_PATCH", value.sqlExpression, patch.sqlExpression)
    }

    /// The `JSONB_REMOVE` SQL function: removes the value at a path. The result is in the binary
    /// JSONB format.
    ///
    /// ```swift
    /// // JSONB_REMOVE("info", '$.score')
    /// Database.jsonbRemove(Column("info"), atPath: "$.score")
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jsonbx>
    public static func jsonbRemove(
        _ value: some SQLExpressible, atPath path: some SQLExpressible
    ) -> SQLExpression {
        .function("JSONB_REMOVE", value.sqlExpression, path.sqlExpression)
    }

    /// The `JSONB_REMOVE` SQL function: removes the values at paths, one after the other. The
    /// result is in the binary JSONB format.
    ///
    /// ```swift
    /// // JSONB_REMOVE("info", '$.score', '$.name')
    /// Database.jsonbRemove(Column("info"), atPaths: ["$.score", "$.name"])
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jsonbx>
    public static func jsonbRemove(
        _ value: some SQLExpressible, atPaths paths: some Collection<some SQLExpressible>
    ) -> SQLExpression {
        .function("JSONB_REMOVE", arguments: [value.sqlExpression] + paths.map { $0.sqlExpression })
    }

    // MARK: - Aggregates

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
