extension DatabaseFunction {
    /// What SQL may do with a function.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/c_deterministic.html>
    public struct Options: OptionSet, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The function may only be called by the SQL of the app, and not by the schema: by triggers,
        /// views, `CHECK` constraints, default values, generated columns and indexes, which may come with
        /// a file of somebody else.
        ///
        /// Choose it for functions that have side effects, or that return secrets.
        public static let directOnly = Options(rawValue: 1)

        /// The function does no harm, even if malicious SQL calls it: it has no side effects, and its
        /// result depends on its arguments only. A schema may call it even when `PRAGMA trusted_schema`
        /// is off.
        public static let innocuous = Options(rawValue: 2)
    }

    /// Returns the same function with other options.
    ///
    /// ```swift
    /// let sendMail = DatabaseFunction("send_mail", argumentCount: 2) { ... }
    ///     .withOptions(.directOnly)
    /// ```
    ///
    /// - parameter options: the options, which replace former ones.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/c_deterministic.html>
    public func withOptions(_ options: Options) -> DatabaseFunction {
        DatabaseFunction(self, options: options)
    }
}

extension DatabaseFunction {
    /// A value that one function passes to another one with a note: its subtype.
    ///
    /// A subtype is lost when the value is stored.
    public struct SubtypedValue: Sendable {
        /// The value.
        public var databaseValue: DatabaseValue

        /// The note; 0 for none.
        public var subtype: UInt8

        /// Creates a value with a subtype.
        public init(
            _ value: (any DatabaseValueConvertible)?, subtype: UInt8 = 0
        ) {
            databaseValue = value?.databaseValue ?? .null
            self.subtype = subtype
        }

        /// The subtype of texts that the JSON functions of SQLite take for JSON, and not for strings.
        public static let json: UInt8 = 74
    }

    /// Returns an SQL function that reads the subtypes of its arguments, and gives its result one.
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
    /// - parameter argumentCount: the number of arguments; nil means any.
    /// - parameter pure: whether the function always returns the same result for the same arguments.
    /// - parameter function: receives the arguments, and returns the result.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/result_subtype.html>
    public static func withSubtypes(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false,
        function: @escaping @Sendable ([SubtypedValue]) throws -> SubtypedValue
    ) -> DatabaseFunction {
        DatabaseFunction(
            name, argumentCount: argumentCount, pure: pure, kind: .subtyped(function))
    }
}

extension RawFunctionCall {
    var subtypedValues: [DatabaseFunction.SubtypedValue] {
        (0..<argumentCount).map { index in
            DatabaseFunction.SubtypedValue(
                DatabaseValue(rawValue: argument(at: index)), subtype: subtype(at: index))
        }
    }
}
