import GRDB

extension DatabaseFunction {
    /// Options for the use of a function in SQL.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/c_deterministic.html>
    public struct Options: OptionSet, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The function may be called by the SQL of the app, but not by the schema: by triggers,
        /// views, `CHECK` constraints, default values, generated columns and indexes. The schema of
        /// a file may be untrusted.
        ///
        /// Choose this option for functions with side effects, and functions that return secrets.
        public static let directOnly = Options(rawValue: 1)

        /// The function is harmless, even if malicious SQL calls it: it has no side effects, and
        /// its result depends only on its arguments. The schema may call it even if
        /// `PRAGMA trusted_schema` is off.
        public static let innocuous = Options(rawValue: 2)
    }

    /// Returns the same function with other options.
    ///
    /// ```swift
    /// let sendMail = DatabaseFunction("send_mail", argumentCount: 2) { ... }
    ///     .withOptions(.directOnly)
    /// ```
    ///
    /// - parameter options: the options, which replace the previous options.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/c_deterministic.html>
    public func withOptions(_ options: Options) -> DatabaseFunction {
        var rawOptions = self.options.intersection([.isPure, .usesSubtypes])
        if options.contains(.directOnly) { rawOptions.insert(.isDirectOnly) }
        if options.contains(.innocuous) { rawOptions.insert(.isInnocuous) }
        return DatabaseFunction(self, options: rawOptions)
    }
}

extension DatabaseFunction {
    /// A value with a subtype, which one function can pass to another.
    ///
    /// The subtype is lost when the value is stored.
    public struct SubtypedValue: Sendable {
        /// The value.
        public var databaseValue: DatabaseValue

        /// The subtype; 0 for none.
        public var subtype: UInt8

        /// Creates a value with a subtype.
        public init(
            _ value: (any DatabaseValueConvertible)?, subtype: UInt8 = 0
        ) {
            databaseValue = value?.databaseValue ?? .null
            self.subtype = subtype
        }

        /// The subtype of texts that SQLite's JSON functions treat as JSON instead of strings.
        public static let json: UInt8 = 74
    }

    /// Creates an SQL function that reads the subtypes of its arguments, and sets the subtype of
    /// its result.
    ///
    /// ```swift
    /// // json_array(tags()) is [["a","b"]], and not ["[\"a\",\"b\"]"]
    /// let tags = DatabaseFunction.withSubtypes("tags", argumentCount: 0) { _ in
    ///     DatabaseFunction.SubtypedValue(
    ///         #"["a","b"]"#, subtype: DatabaseFunction.SubtypedValue.json)
    /// }
    /// ```
    ///
    /// - parameter name: the function name.
    /// - parameter argumentCount: the number of arguments; nil for any number.
    /// - parameter pure: whether the function always returns the same result for the same arguments.
    /// - parameter function: receives the arguments, and returns the result.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/result_subtype.html>
    public static func withSubtypes(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false,
        function: @escaping @Sendable ([SubtypedValue]) throws -> SubtypedValue
    ) -> DatabaseFunction {
        let function = DatabaseFunction(
            name, argumentCount: argumentCount, pure: pure,
            kind: .scalar { call in
                let result = try function(
                    call.databaseValues.enumerated().map {
                        SubtypedValue($1, subtype: call.subtype(at: $0))
                    })
                try call.setResult(result.databaseValue)
                if result.subtype != 0 { call.returnSubtype(result.subtype) }
            })
        return DatabaseFunction(function, options: function.options.union(.usesSubtypes))
    }
}
