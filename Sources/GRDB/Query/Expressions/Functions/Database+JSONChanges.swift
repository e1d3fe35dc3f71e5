// The built-in JSON functions that change JSON values.
//
// Related SQLite documentation: <https://www.sqlite.org/json1.html>

extension Database {
    /// The `JSON_INSERT` SQL function: sets the values at the paths that do not exist.
    ///
    /// JSON expressions are embedded as JSON, other expressions as values.
    ///
    /// ```swift
    /// // JSON_INSERT("info", '$.score', 1000)
    /// Database.jsonInsert(Column("info"), ["$.score": 1000])
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jins>
    public static func jsonInsert(
        _ value: some SQLExpressible,
        _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        .function("JSON_INSERT", arguments: .json(value, assignments))
    }

    /// The `JSON_REPLACE` SQL function: sets the values at the paths that exist.
    ///
    /// JSON expressions are embedded as JSON, other expressions as values.
    ///
    /// ```swift
    /// // JSON_REPLACE("info", '$.score', 1000)
    /// Database.jsonReplace(Column("info"), ["$.score": 1000])
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jins>
    public static func jsonReplace(
        _ value: some SQLExpressible,
        _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        .function("JSON_REPLACE", arguments: .json(value, assignments))
    }

    /// The `JSON_SET` SQL function: sets the values at paths, whether or not the paths exist.
    ///
    /// JSON expressions are embedded as JSON, other expressions as values.
    ///
    /// ```swift
    /// // JSON_SET("info", '$.score', 1000)
    /// Database.jsonSet(Column("info"), ["$.score": 1000])
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jins>
    public static func jsonSet(
        _ value: some SQLExpressible,
        _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        .function("JSON_SET", arguments: .json(value, assignments))
    }

    /// The `JSON_PATCH` SQL function: merges two objects according to RFC 7396.
    ///
    /// ```swift
    /// // JSON_PATCH("info", '{"score":1000}')
    /// Database.jsonPatch(Column("info"), with: #"{"score":1000}"#)
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jpatch>
    public static func jsonPatch(
        _ value: some SQLExpressible, with patch: some SQLExpressible
    ) -> SQLExpression {
        .function("JSON_PATCH", value.sqlExpression, patch.sqlExpression)
    }

    /// The `JSON_REMOVE` SQL function: removes the value at a path.
    ///
    /// ```swift
    /// // JSON_REMOVE("info", '$.score')
    /// Database.jsonRemove(Column("info"), atPath: "$.score")
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jrm>
    public static func jsonRemove(
        _ value: some SQLExpressible, atPath path: some SQLExpressible
    ) -> SQLExpression {
        .function("JSON_REMOVE", value.sqlExpression, path.sqlExpression)
    }

    /// The `JSON_REMOVE` SQL function: removes the values at paths, one after the other.
    ///
    /// ```swift
    /// // JSON_REMOVE("info", '$.score', '$.name')
    /// Database.jsonRemove(Column("info"), atPaths: ["$.score", "$.name"])
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jrm>
    public static func jsonRemove(
        _ value: some SQLExpressible, atPaths paths: some Collection<some SQLExpressible>
    ) -> SQLExpression {
        .function("JSON_REMOVE", arguments: [value.sqlExpression] + paths.map { $0.sqlExpression })
    }
}

extension [SQLExpression] {
    /// `value, path, value, path, value`
    package static func json(
        _ value: some SQLExpressible,
        _ assignments: some Collection<(key: String, value: any SQLExpressible)>
    ) -> [SQLExpression] {
        [value.sqlExpression] + json(assignments)
    }
}
