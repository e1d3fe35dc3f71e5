// Binding arguments to the parameters of a statement.

extension Statement {
    /// The name of each parameter, without its prefix; nil for `?`.
    private var parameterNames: [String?] {
        cachedParameterNames ?? readParameterNames()
    }

    @inline(never)
    private func readParameterNames() -> [String?] {
        let names = (0..<parameterCount).map { index in
            RawStatement.parameterName(sqliteStatement, at: index + 1).map {
                String($0.dropFirst())
            }
        }
        cachedParameterNames = names
        return names
    }

    /// The values of the parameters, such as `?` and `:name`, for the next executions.
    ///
    /// - precondition: new arguments must provide exactly the values that the statement expects.
    ///   See ``setArguments(_:)`` for a method that throws.
    public var arguments: StatementArguments {
        get { boundElements.isEmpty ? boundArguments : StatementArguments(boundElements) }
        set {
            do {
                try setArguments(newValue)
            } catch {
                fatalError("\(error)")
            }
        }
    }

    /// Checks that the arguments provide exactly the values that the statement expects.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if they don't.
    public func validateArguments(_ arguments: StatementArguments) throws {
        var arguments = arguments
        _ = try arguments.takeValues(
            ofParameters: parameterNames, allowingRemainingValues: false, sql: sql)
    }

    /// Sets the arguments, after checking that they fit the parameters.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE id = ?")
    /// try statement.setArguments([1])
    /// ```
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` unless the arguments provide exactly
    ///   the values expected by the statement, `SQLITE_TOOBIG` if a value is too long. The previous
    ///   arguments are then restored.
    public func setArguments(_ arguments: StatementArguments) throws {
        try database.checkAccess()
        if !arguments.literal.isEmpty, arguments.literal.elements.count == parameterCount,
            !arguments.hasNames
        {
            return try bind(arguments.literal.elements)
        }
        if parameterCount == 0, arguments.isEmpty {
            resetBeforeBinding()
            areArgumentsValid = true
            return forgetBoundArguments()
        }
        try arguments.checkValues(sql: sql)
        if !arguments.hasNames, arguments.count == parameterCount {
            try bind(arguments)
        } else {
            var remaining = arguments
            try bind(
                remaining.takeValues(
                    ofParameters: parameterNames, allowingRemainingValues: false, sql: sql))
        }
        didBind(arguments)
    }

    /// Binds the values that the statement needs, and removes them from the arguments.
    func consumeArguments(_ arguments: inout StatementArguments) throws {
        try arguments.checkValues(sql: sql)
        let bindings = try arguments.takeValues(
            ofParameters: parameterNames, allowingRemainingValues: true, sql: sql)
        try bind(bindings)
        didBind(bindings)
    }

    private func didBind(_ arguments: StatementArguments) {
        boundArguments = arguments
        if !boundElements.isEmpty { boundElements = [] }
    }

    /// Binds the elements of a literal, without converting them to database values.
    func bind(_ elements: [(any DatabaseValueConvertible)?]) throws {
        guard elements.count == parameterCount else {
            return try setArguments(StatementArguments(elements))
        }
        resetBeforeBinding()
        let wereArgumentsValid = areArgumentsValid
        areArgumentsValid = false
        let code = elements.bind(to: sqliteStatement)
        if code != RawStatement.ok {
            if wereArgumentsValid { setUncheckedArguments(self.arguments) }
            // Throws an error that describes the problem.
            return try setArguments(StatementArguments(elements))
        }
        areArgumentsValid = true
        boundElements = elements
        if !boundArguments.isEmpty { boundArguments = StatementArguments() }
    }

    /// Binds one positional value per parameter.
    private func bind(_ arguments: StatementArguments) throws {
        resetBeforeBinding()
        let wereArgumentsValid = areArgumentsValid
        areArgumentsValid = false
        for (index, value) in arguments.values.enumerated() {
            let parameter = CInt(index + 1)
            let code =
                if let array = arguments.array(at: index) {
                    array.bind(to: sqliteStatement, at: parameter)
                } else {
                    value.bind(to: sqliteStatement, at: parameter)
                }
            if code != RawStatement.ok {
                let error = bindingError(code)
                if wereArgumentsValid {
                    setUncheckedArguments(self.arguments)
                }
                throw error
            }
        }
        areArgumentsValid = true
    }

    /// Marks all parameters unbound until `didBind`.
    @usableFromInline
    func willBind() throws {
        try database.checkAccess()
        resetBeforeBinding()
        areArgumentsValid = false
    }

    @usableFromInline
    func didBind(_ count: CInt) throws {
        guard count == parameterCount else {
            throw StatementArguments.wrongNumberOfValues(
                Int(count), expected: parameterCount, sql: sql)
        }
        areArgumentsValid = true
        forgetBoundArguments()
    }

    private func forgetBoundArguments() {
        if !boundArguments.isEmpty { boundArguments = StatementArguments() }
        if !boundElements.isEmpty { boundElements = [] }
    }

    @usableFromInline
    func bindingError(_ code: CInt) -> DatabaseError {
        DatabaseError(raw.failure(code), sql: sql)
    }

    /// Sets arguments without any validation: parameters without a value are NULL, and values
    /// without a parameter are ignored.
    public func setUncheckedArguments(_ arguments: StatementArguments) {
        database.preconditionAccess()
        resetBeforeBinding()
        RawStatement.clearBindings(sqliteStatement)
        var position = 0
        let values = arguments.values
        for (index, name) in parameterNames.enumerated() {
            let parameter = CInt(index + 1)
            var value = name.flatMap { arguments.namedValues[ExactText($0)] }
            if value == nil, position < values.count {
                if let array = arguments.array(at: position) {
                    _ = array.bind(to: sqliteStatement, at: parameter)
                } else {
                    value = values[position]
                }
                position += 1
            }
            _ = value?.bind(to: sqliteStatement, at: parameter)
        }
        didBind(arguments)
        areArgumentsValid = true
    }

    /// Returns the value bound to a parameter, by this library or by C code.
    func boundValue(at index: CInt) -> DatabaseValue {
        RawStatement.withBoundValue(sqliteStatement, at: index) { DatabaseValue(rawValue: $0) }
            ?? .null
    }

    /// Removes the arguments of the previous user of a cached statement.
    func forgetArguments() {
        invalidateArguments()
        if parameterCount > 0 { forgetBoundArguments() }
    }

    /// Prevents a cached statement from running with the arguments of its previous user.
    func invalidateArguments() {
        if regionRefinement != nil { regionRefinement = nil }
        if parameterCount > 0 { areArgumentsValid = false }
    }

    /// Sets the arguments of a statement that was checked out of the cache.
    ///
    /// - parameter values: one value per parameter. On return, the array is empty, with the memory
    ///   of the previous arguments, and can be reused for another statement.
    /// - throws: a ``DatabaseError``, of code `SQLITE_TOOBIG` if a value is too long. The statement then
    ///   has no arguments.
    func exchangeArguments(_ values: inout [DatabaseValue]) throws {
        guard values.count == parameterCount, boundArguments.isPlain, boundElements.isEmpty else {
            forgetBoundArguments()
            return try setArguments(StatementArguments(values: values))
        }
        resetBeforeBinding()
        if values.isEmpty { return }
        for index in values.indices {
            let code = values[index].bind(to: sqliteStatement, at: CInt(index + 1))
            if code != RawStatement.ok {
                forgetBoundArguments()
                throw bindingError(code)
            }
        }
        swap(&boundArguments.values, &values)
        // Much faster than `removeAll(keepingCapacity:)` for few values.
        while values.popLast() != nil {}
        areArgumentsValid = true
    }

    private func resetBeforeBinding() {
        if regionRefinement != nil { regionRefinement = nil }
        // A cursor that still iterates the statement must not continue with other arguments.
        executionID &+= 1
        if RawStatement.isBusy(sqliteStatement) {
            endExecution()
        }
    }
}
