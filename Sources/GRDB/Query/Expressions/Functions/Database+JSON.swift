// The built-in JSON functions that create, read and check JSON values.
//
// Related SQLite documentation: <https://www.sqlite.org/json1.html>

extension Database {
    /// The `JSON` SQL function: checks and minifies JSON text.
    ///
    /// ```swift
    /// // JSON("info")
    /// Database.json(Column("info"))
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jmini>
    public static func json(_ value: some SQLExpressible) -> SQLExpression {
        .function("JSON", value.sqlExpression)
    }

    /// The `JSON_ARRAY` SQL function: creates a JSON array.
    ///
    /// JSON expressions are embedded as JSON, other expressions as values.
    ///
    /// ```swift
    /// // JSON_ARRAY(1, 2, 3)
    /// Database.jsonArray([1, 2, 3])
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jarray>
    public static func jsonArray(_ values: some Collection<some SQLExpressible>) -> SQLExpression {
        .function("JSON_ARRAY", arguments: values.map { $0.sqlExpression.jsonArgument })
    }

    /// The `JSON_ARRAY` SQL function: creates a JSON array.
    ///
    /// JSON expressions are embedded as JSON, other expressions as values.
    ///
    /// ```swift
    /// // JSON_ARRAY("name", JSON("info"), 3)
    /// Database.jsonArray([Column("name"), JSONColumn("info"), 3])
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jarray>
    public static func jsonArray(_ values: some Collection<any SQLExpressible>) -> SQLExpression {
        .function("JSON_ARRAY", arguments: values.map { $0.sqlExpression.jsonArgument })
    }

    /// The `JSON_ARRAY_LENGTH` SQL function: the number of elements of a JSON array, or 0 for other
    /// JSON values.
    ///
    /// ```swift
    /// // JSON_ARRAY_LENGTH("scores")
    /// Database.jsonArrayLength(Column("scores"))
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jarraylen>
    public static func jsonArrayLength(_ value: some SQLExpressible) -> SQLExpression {
        .function("JSON_ARRAY_LENGTH", value.sqlExpression)
    }

    /// The `JSON_ARRAY_LENGTH` SQL function, on the value at a path.
    ///
    /// ```swift
    /// // JSON_ARRAY_LENGTH("info", '$.scores')
    /// Database.jsonArrayLength(Column("info"), atPath: "$.scores")
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jarraylen>
    public static func jsonArrayLength(
        _ value: some SQLExpressible, atPath path: some SQLExpressible
    ) -> SQLExpression {
        .function("JSON_ARRAY_LENGTH", value.sqlExpression, path.sqlExpression)
    }

    /// The `JSON_EXTRACT` SQL function: the value at a path.
    ///
    /// ```swift
    /// // JSON_EXTRACT("info", '$.name')
    /// Database.jsonExtract(Column("info"), atPath: "$.name")
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jex>
    public static func jsonExtract(
        _ value: some SQLExpressible, atPath path: some SQLExpressible
    ) -> SQLExpression {
        .function("JSON_EXTRACT", value.sqlExpression, path.sqlExpression)
    }

    /// The `JSON_EXTRACT` SQL function: an array of the values at several paths.
    ///
    /// ```swift
    /// // JSON_EXTRACT("info", '$.name', '$.score')
    /// Database.jsonExtract(Column("info"), atPaths: ["$.name", "$.score"])
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jex>
    public static func jsonExtract(
        _ value: some SQLExpressible, atPaths paths: some Collection<some SQLExpressible>
    ) -> SQLExpression {
        .function("JSON_EXTRACT", arguments: [value.sqlExpression] + paths.map { $0.sqlExpression })
    }

    /// The `JSON_OBJECT` SQL function: creates a JSON object.
    ///
    /// JSON expressions are embedded as JSON, other expressions as values.
    ///
    /// ```swift
    /// // JSON_OBJECT('name', "name", 'info', JSON("info"))
    /// Database.jsonObject(["name": Column("name"), "info": JSONColumn("info")])
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jobj>
    public static func jsonObject(
        _ elements: some Collection<(key: String, value: any SQLExpressible)>
    ) -> SQLExpression {
        .function("JSON_OBJECT", arguments: .json(elements))
    }

    /// The `JSON_TYPE` SQL function: the type of a JSON value, one of `object`, `array`, `text`,
    /// `integer`, `real`, `true`, `false` and `null`.
    ///
    /// ```swift
    /// // JSON_TYPE("info")
    /// Database.jsonType(Column("info"))
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jtype>
    public static func jsonType(_ value: some SQLExpressible) -> SQLExpression {
        .function("JSON_TYPE", value.sqlExpression)
    }

    /// The `JSON_TYPE` SQL function, on the value at a path.
    ///
    /// ```swift
    /// // JSON_TYPE("info", '$.score')
    /// Database.jsonType(Column("info"), atPath: "$.score")
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jtype>
    public static func jsonType(
        _ value: some SQLExpressible, atPath path: some SQLExpressible
    ) -> SQLExpression {
        .function("JSON_TYPE", value.sqlExpression, path.sqlExpression)
    }

    /// The `JSON_VALID` SQL function: whether the value is well-formed JSON text.
    ///
    /// ```swift
    /// // JSON_VALID("info")
    /// Database.jsonIsValid(Column("info"))
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jvalid>
    public static func jsonIsValid(_ value: some SQLExpressible) -> SQLExpression {
        .function("JSON_VALID", value.sqlExpression)
    }

    /// The `JSON_QUOTE` SQL function: the JSON text of a value.
    ///
    /// ```swift
    /// // JSON_QUOTE("name")
    /// Database.jsonQuote(Column("name"))
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/json1.html#jquote>
    public static func jsonQuote(_ value: some SQLExpressible) -> SQLExpression {
        .function("JSON_QUOTE", value.sqlExpression.jsonArgument)
    }
}

extension [SQLExpression] {
    /// `key, value, key, value`
    package static func json(
        _ elements: some Collection<(key: String, value: any SQLExpressible)>
    ) -> [SQLExpression] {
        elements.flatMap { [$0.key.sqlExpression, $0.value.sqlExpression.jsonArgument] }
    }
}
