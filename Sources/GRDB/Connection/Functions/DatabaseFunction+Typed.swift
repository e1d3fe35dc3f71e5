// Functions with the argument and result types of a closure.

extension DatabaseFunction {
    /// Creates an SQL function from a closure on Swift values. The closure determines the number
    /// and the types of the arguments, and the type of the result.
    ///
    /// ```swift
    /// let isLong = DatabaseFunction("isLong", pure: true) { (text: String, limit: Int) in
    ///     text.count > limit
    /// }
    /// db.add(function: isLong)
    /// try Bool.fetchOne(db, sql: "SELECT isLong('Arthur', 3)") // true
    /// ```
    ///
    /// Use an optional type for arguments that may be NULL. If another argument is NULL, or a value
    /// can't be converted, the statement throws an error of code `SQLITE_MISMATCH`.
    public convenience init<each Argument: DatabaseValueConvertible & SendableMetatype>(
        _ name: String, pure: Bool = false,
        typed function:
            @escaping @Sendable (repeat each Argument) throws ->
            (any DatabaseValueConvertible)?
    ) {
        var count = 0
        for _ in repeat (each Argument).self { count += 1 }
        self.init(name, argumentCount: count, pure: pure) { dbValues in
            var arguments = TypedArguments(name: name, dbValues: dbValues)
            return try function(repeat arguments.next((each Argument).self))
        }
    }

    /// Creates an SQL aggregate function from an initial value and a reducer.
    ///
    /// ```swift
    /// // Concatenates the distinct characters of all rows
    /// let letters = DatabaseFunction(
    ///     "letters", argumentCount: 1, initialValue: Set<Character>(),
    ///     reduce: { letters, dbValues in
    ///         if let text = String.fromDatabaseValue(dbValues[0]) { letters.formUnion(text) }
    ///     },
    ///     result: { String($0.sorted()) })
    /// ```
    ///
    /// - parameter name: the name of the function in SQL.
    /// - parameter argumentCount: the number of arguments; nil for any number.
    /// - parameter pure: whether the function returns the same result for the same rows.
    /// - parameter initialValue: the value of a group before its first row.
    /// - parameter reduce: updates the value with the arguments of a row.
    /// - parameter result: returns the result of a group.
    public convenience init<State: Sendable>(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false, initialValue: State,
        reduce: @escaping @Sendable (inout State, [DatabaseValue]) throws -> Void,
        result: @escaping @Sendable (State) throws -> (any DatabaseValueConvertible)?
    ) {
        self.init(
            name, argumentCount: argumentCount, pure: pure,
            kind: .aggregate {
                ReducingAggregateState(state: initialValue, reduce: reduce, result: result)
            })
    }

    /// Creates an SQL aggregate function whose result is the reduced value.
    ///
    /// ```swift
    /// let product = DatabaseFunction("product", argumentCount: 1, initialValue: 1.0) {
    ///     $0 *= Double.fromDatabaseValue($1[0]) ?? 1
    /// }
    /// ```
    public convenience init<State: DatabaseValueConvertible & Sendable>(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false, initialValue: State,
        reduce: @escaping @Sendable (inout State, [DatabaseValue]) throws -> Void
    ) {
        self.init(
            name, argumentCount: argumentCount, pure: pure, initialValue: initialValue,
            reduce: reduce, result: { $0 })
    }
}

/// Decodes the arguments of a function one after the other.
private struct TypedArguments {
    let name: String
    let dbValues: [DatabaseValue]
    var index = 0

    mutating func next<Argument: DatabaseValueConvertible>(
        _ type: Argument.Type
    ) throws -> Argument {
        defer { index += 1 }
        if let value = Argument.fromDatabaseValue(dbValues[index]) { return value }
        throw DatabaseError(
            resultCode: .SQLITE_MISMATCH,
            message: """
                function \(name): could not decode \(Argument.self) from argument \
                \(index + 1), \(dbValues[index])
                """)
    }
}
