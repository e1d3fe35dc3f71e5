/// A prepared statement.
///
/// ```swift
/// try dbQueue.write { db in
///     let statement = try db.makeStatement(
///         sql: "INSERT INTO player (name, score) VALUES (:name, :score)")
///     try statement.execute(arguments: ["name": "Arthur", "score": 1000])
///     try statement.execute(arguments: ["name": "Barbara", "score": 2000])
/// }
/// ```
///
/// A statement belongs to its connection: it may only be used inside database accesses, and at most
/// one cursor may iterate it. It may be deallocated on any thread.
///
/// Related SQLite documentation: <https://www.sqlite.org/c3ref/stmt.html>
public final class Statement {
    /// The statement as C functions take it. See ``SQLiteStatement``.
    public let sqliteStatement: SQLiteStatement

    /// The SQL query.
    public let sql: String

    let database: Database

    /// Keeps the connection open as long as the statement lives, and finalizes it.
    private let raw: RawConnection

    private(set) var effects: StatementEffects

    /// The schema that the effects were learned with.
    private var effectsGeneration: Int

    /// Whether running the statement writes nothing by itself. SQLite counts neither what functions
    /// called by the statement do, nor changes of settings.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/stmt_readonly.html>
    public let isReadonly: Bool

    @usableFromInline let parameterCount: Int

    /// Whether all parameters have got a value.
    @exclusivity(unchecked)
    private var areArgumentsValid: Bool

    private var boundArguments = StatementArguments()

    /// What was bound instead of `boundArguments`, when it is not empty: the elements of a literal.
    private var boundElements: [(any DatabaseValueConvertible)?] = []

    /// Counts executions, so that a cursor knows that its statement was taken from it.
    @exclusivity(unchecked)
    private(set) var executionID = 0

    /// What observers wanted to know of the last execution.
    var changePlan: ChangePlan?

    /// When it was found that no observer wants to know of the statement: see `Database.interestEpoch`.
    @exclusivity(unchecked)
    var uninterestingEpoch = -1

    private var cachedRowLayout: RowLayout?
    private var cachedParameterNames: [String?]?

    init(
        database: Database, sqliteStatement: SQLiteStatement, sql: String,
        effects: StatementEffects
    ) {
        self.database = database
        self.raw = database.raw
        self.sqliteStatement = sqliteStatement
        self.sql = sql
        self.effects = effects
        effectsGeneration = database.schemaGeneration
        isReadonly = RawStatement.isReadOnly(sqliteStatement)
        parameterCount = RawStatement.parameterCount(sqliteStatement)
        areArgumentsValid = parameterCount == 0
    }

    deinit {
        raw.release(.finalizeStatement(sqliteStatement))
    }

    var eventKinds: [DatabaseEventKind] {
        if effectsGeneration != database.schemaGeneration {
            effectsGeneration = database.schemaGeneration
            if let newEffects = database.effects(ofStatement: self) {
                effects = newEffects
            }
        }
        return effects.eventKinds
    }

    // MARK: - Columns

    /// How many columns each row has; zero for a statement that returns no rows.
    public var columnCount: Int {
        RawStatement.columnCount(sqliteStatement)
    }

    /// The names of the columns of each row, leftmost first.
    public var columnNames: [String] { rowLayout.names }

    /// Returns the index of the leftmost column with the given name, ASCII case apart; nil if there
    /// is no such column.
    public func index(ofColumn name: String) -> Int? {
        rowLayout.index(of: name)
    }

    var rowLayout: RowLayout {
        if let cachedRowLayout { return cachedRowLayout }
        let layout = RowLayout(
            names: (0..<columnCount).map { RawStatement.columnName(sqliteStatement, at: $0) },
            isFetched: true,
            convertsMismatchedValues: database.configuration.convertsMismatchedValues)
        cachedRowLayout = layout
        knownColumnCount = layout.names.count
        return layout
    }

    /// Forgets the column names if the first step has compiled the statement anew, after a change
    /// of the schema.
    private func refreshRowLayout() {
        if knownColumnCount < 0 { return }
        if columnCount == knownColumnCount,
            RawStatement.recompilationCount(sqliteStatement) == knownRecompilationCount
        {
            return
        }
        knownRecompilationCount = RawStatement.recompilationCount(sqliteStatement)
        cachedRowLayout = nil
        knownColumnCount = -1
    }

    /// The number of columns of the cached layout, negative if there is none.
    @exclusivity(unchecked)
    private var knownColumnCount = -1

    private var knownRecompilationCount: CInt = 0

    /// The values of the current row.
    func columnValues() -> [DatabaseValue] {
        let count = columnCount
        return [DatabaseValue](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            for index in 0..<count {
                buffer.initializeElement(
                    at: index,
                    to: DatabaseValue(sqliteStatement: sqliteStatement, index: CInt(index)))
            }
            initializedCount = count
        }
    }

    // MARK: - Region

    /// The tables, columns and rows that the statement reads, as the authorizer of SQLite reports
    /// them.
    ///
    /// - complexity: compiles the statement once more.
    public var databaseRegion: DatabaseRegion {
        refined(readRegion)
    }

    /// What the statement may look into, whatever its arguments.
    var readRegion: DatabaseRegion {
        (try? database.region(ofStatement: self)) ?? .fullDatabase
    }

    /// What the statement looks into with its present arguments.
    func refined(_ readRegion: DatabaseRegion) -> DatabaseRegion {
        guard let regionRefinement else { return readRegion }
        return (try? regionRefinement.refine(readRegion)) ?? readRegion
    }

    /// What knows more about the region of the statement with its present arguments.
    private(set) var regionRefinement: (any RegionRefinement)?

    /// Lets the query that has set the arguments tell more about the region.
    ///
    /// The cache forgets it when the access ends, unless the statement is still in use: closures of
    /// a request may hold anything, even the queue that the connection belongs to.
    func setRegionRefinement(_ refinement: any RegionRefinement) {
        regionRefinement = refinement
        database.statementCache.mayHoldRefinements = true
    }

    /// Forgets what is known of the region, and returns it so that the caller chooses when it goes.
    func takeRegionRefinement() -> (any RegionRefinement)? {
        defer { regionRefinement = nil }
        return regionRefinement
    }

    // MARK: - Arguments

    /// The name of each parameter, without its prefix; nil for `?`.
    private var parameterNames: [String?] {
        if let cachedParameterNames { return cachedParameterNames }
        let names = (0..<parameterCount).map { index in
            RawStatement.parameterName(sqliteStatement, at: index + 1).map {
                String($0.dropFirst())
            }
        }
        cachedParameterNames = names
        return names
    }

    /// The statement arguments.
    ///
    /// - precondition: in order to be set, arguments must provide all values that the statement
    ///   expects. See ``setArguments(_:)`` for a method that throws.
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

    /// Throws a ``DatabaseError`` of code `SQLITE_MISUSE` unless the arguments provide exactly the
    /// values expected by the statement.
    public func validateArguments(_ arguments: StatementArguments) throws {
        var arguments = arguments
        _ = try arguments.takeValues(
            ofParameters: parameterNames, allowingRemainingValues: false, sql: sql)
    }

    /// Validates and sets the statement arguments.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE id = ?")
    /// try statement.setArguments([1])
    /// ```
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` unless the arguments provide exactly
    ///   the values expected by the statement, `SQLITE_TOOBIG` if a value is too long. The former
    ///   arguments are then set again.
    public func setArguments(_ arguments: StatementArguments) throws {
        try database.checkAccess()
        try arguments.checkValues(sql: sql)
        if arguments.namedValues.isEmpty, arguments.values.count == parameterCount {
            try bind(arguments)
        } else {
            var remaining = arguments
            try bind(
                remaining.takeValues(
                    ofParameters: parameterNames, allowingRemainingValues: false, sql: sql))
        }
        didBind(arguments)
    }

    /// Takes the values of the statement out of the arguments.
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

    /// Binds the elements of a literal, without making database values of them.
    private func bind(_ elements: [(any DatabaseValueConvertible)?]) throws {
        guard elements.count == parameterCount else {
            return try setArguments(StatementArguments(elements))
        }
        resetBeforeBinding()
        let wereArgumentsValid = areArgumentsValid
        areArgumentsValid = false
        var parameter: CInt = 0
        for element in elements {
            parameter &+= 1
            let code =
                if let element {
                    element.bind(to: sqliteStatement, at: parameter)
                } else {
                    RawBinding.null(sqliteStatement, parameter)
                }
            if code != RawStatement.ok {
                if wereArgumentsValid { setUncheckedArguments(self.arguments) }
                // Throws the error that tells what is wrong.
                return try setArguments(StatementArguments(elements))
            }
        }
        areArgumentsValid = true
        boundElements = elements
        if !boundArguments.isEmpty { boundArguments = StatementArguments() }
    }

    /// Binds one positional value a parameter.
    private func bind(_ arguments: StatementArguments) throws {
        resetBeforeBinding()
        let wereArgumentsValid = areArgumentsValid
        areArgumentsValid = false
        for (index, value) in arguments.values.enumerated() {
            let parameter = CInt(index + 1)
            let code =
                if !arguments.arrays.isEmpty, let array = arguments.arrays[index] {
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
            throw StatementArguments.wrongNumberOfValues(Int(count), sql: sql)
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
        for (index, name) in parameterNames.enumerated() {
            let parameter = CInt(index + 1)
            if let name, let value = arguments.namedValues[name] {
                _ = value.bind(to: sqliteStatement, at: parameter)
            } else if position < arguments.values.count {
                if let array = arguments.arrays[position] {
                    _ = array.bind(to: sqliteStatement, at: parameter)
                } else {
                    _ = arguments.values[position].bind(to: sqliteStatement, at: parameter)
                }
                position += 1
            }
        }
        didBind(arguments)
        areArgumentsValid = true
    }

    /// The value that is bound to a parameter, by this library or by C code.
    func boundValue(at index: CInt) -> DatabaseValue {
        RawStatement.withBoundValue(sqliteStatement, at: index) { DatabaseValue(rawValue: $0) }
            ?? .null
    }

    /// Forgets the arguments of the former user of a cached statement.
    func forgetArguments() {
        if regionRefinement != nil { regionRefinement = nil }
        if parameterCount > 0 {
            areArgumentsValid = false
            forgetBoundArguments()
        }
    }

    private func resetBeforeBinding() {
        if regionRefinement != nil { regionRefinement = nil }
        // A cursor that still iterates the statement must not go on with other arguments.
        executionID &+= 1
        if RawStatement.isBusy(sqliteStatement) {
            endExecution()
        }
    }

    // MARK: - Execution

    /// Executes the prepared statement, and ignores its rows.
    ///
    /// - parameter arguments: the new arguments; nil keeps those that were set before.
    /// - throws: a ``DatabaseError`` when an argument is missing or an SQLite error occurs; the
    ///   error of an SQL function or of a transaction observer.
    @_disfavoredOverload
    public func execute(arguments: StatementArguments? = nil) throws {
        if let arguments {
            try setArguments(arguments)
        } else {
            try database.checkAccess()
        }
        try run()
    }

    /// Executes the prepared statement with the arguments that were set before.
    ///
    /// Without it, a call without arguments would be one of the method that takes a pack of values.
    ///
    /// - throws: what `execute(arguments:)` throws.
    @_documentation(visibility: internal)
    public func execute() throws {
        try database.checkAccess()
        try run()
    }

    /// Executes the prepared statement with the elements of an array literal, and ignores its rows.
    ///
    /// It is the method of the same name for literals, which it binds without making
    /// ``StatementArguments``:
    ///
    /// ```swift
    /// try statement.execute(arguments: [1, "Arthur"])
    /// ```
    ///
    /// - parameter arguments: the new arguments.
    /// - throws: what `execute(arguments:)` throws.
    @_documentation(visibility: internal)
    public func execute(arguments: _ArgumentsLiteral) throws {
        try database.checkAccess()
        try bind(arguments.elements)
        try run()
    }

    /// Executes the prepared statement with one value a parameter, and ignores its rows.
    ///
    /// The values go to SQLite without being put in ``StatementArguments``: this is the fastest
    /// way to run a statement many times. Errors, then, do not know the arguments.
    ///
    /// ```swift
    /// let statement = try db.makeStatement(sql: "INSERT INTO player VALUES (?, ?, ?)")
    /// for player in players {
    ///     try statement.execute(values: player.id, player.name, player.score)
    /// }
    /// ```
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` unless there are as many values as
    ///   parameters, `SQLITE_TOOBIG` if a value is too long; and what `execute(arguments:)`
    ///   throws.
    @inlinable
    public func execute<each Value: StatementBinding>(values value: repeat each Value) throws {
        try willBind()
        var index: CInt = 0
        for value in repeat each value {
            index += 1
            let code = value.bind(to: sqliteStatement, at: index)
            // `didBind` reports values without a parameter.
            if code != RawStatement.ok, index <= parameterCount {
                throw bindingError(code)
            }
        }
        try didBind(index)
        try run()
    }

    @usableFromInline
    func run() throws {
        beginExecution()
        try checkArguments()
        while try step() {}
    }

    private func checkArguments() throws {
        if !areArgumentsValid {
            // Throws the error that tells what is missing.
            try validateArguments(StatementArguments())
        }
    }

    /// Starts an execution that a cursor will step through.
    ///
    /// - returns: a number by which the cursor knows whether the statement still works for it.
    func beginCursor() throws -> Int {
        try database.checkAccess()
        beginExecution()
        try checkArguments()
        raw.cursorCount += 1
        return executionID
    }

    private func beginExecution() {
        if RawStatement.isBusy(sqliteStatement) {
            endExecution()
        }
        executionID &+= 1
        isStarted = false
        if database.recordedRegion != nil {
            database.recordRegion(of: self)
        }
    }

    /// Whether the current execution has made its first step.
    @exclusivity(unchecked)
    private var isStarted = false

    /// Resets the statement, which may end a transaction.
    private func endExecution() {
        executionID &+= 1
        RawStatement.reset(sqliteStatement)
        database.statementDidReset()
    }

    /// Runs the statement up to its first row, and calls the closure to read it. Does not call the
    /// closure when there is no row.
    @usableFromInline
    func withFirstRow(
        adapter: (any RowAdapter)?, _ body: (SQLiteStatement, CInt) throws -> Void
    ) throws {
        let id = try beginCursor()
        defer { endCursor(id) }
        // Before the first step, so that an adapter that does not fit needs no row to fail.
        let mayHaveStaleColumns = mayHaveStaleColumns
        var columnIndex = try mayHaveStaleColumns ? 0 : valueColumnIndex(adapter)
        guard try step() else { return }
        if mayHaveStaleColumns {
            columnIndex = try valueColumnIndex(adapter)
        }
        do {
            try body(sqliteStatement, columnIndex)
        } catch {
            throw decodingError(error)
        }
        try checkMemory()
        try finishChanges()
    }

    /// The error to throw when the values of a row could not be decoded.
    ///
    /// In a database of UTF-16, SQLite converts texts when they are read. Without memory for it, they
    /// are NULL or empty.
    func decodingError(_ error: any Error) -> any Error {
        memoryError ?? error
    }

    /// Throws if there was no memory for a text of the current row, which was then read as another
    /// value. To be called when a row was decoded after which the statement is not stepped: a step
    /// would throw this error.
    func checkMemory() throws {
        if let memoryError { throw memoryError }
    }

    private var memoryError: DatabaseError? {
        let code = ResultCode.SQLITE_NOMEM.rawValue
        guard raw.lastErrorCode & 0xff == code else { return nil }
        return DatabaseError(raw.failure(code), sql: sql)
    }

    /// Runs a statement that changes the database to its end. A reset would commit as well, but
    /// would not tell when the commit fails.
    func finishChanges() throws {
        if isReadonly { return }
        while try step() {}
    }

    /// Whether the statement has run before: its first step may then find that the schema has
    /// changed, and change its columns.
    var mayHaveStaleColumns: Bool { runCount > 0 }

    /// The number of times that the statement was started.
    private(set) var runCount = 0

    /// The column that values are decoded from: the leftmost one of the adapted row.
    func valueColumnIndex(_ adapter: (any RowAdapter)?) throws -> CInt {
        // A statement without any column has no row either.
        guard let adapter else { return 0 }
        let mapping = try adapter.checkedAdapter(for: rowLayout)._selection
        guard let index = mapping.columnIndexes.first else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "The request selects no column", sql: sql)
        }
        return index
    }

    /// Ends the execution of a cursor, on whatever thread it is deallocated.
    func endCursor(_ id: Int) {
        if raw.isOwnedByCurrentThread {
            cursorDidEnd(id)
        } else {
            // The statement may be used meanwhile: the next access decides whether there is
            // something to reset.
            raw.release(.perform { self.cursorDidEnd(id) })
        }
    }

    private func cursorDidEnd(_ id: Int) {
        raw.cursorCount -= 1
        if id == executionID, !raw.isResettingStatements,
            RawStatement.isBusy(sqliteStatement)
        {
            endExecution()
        }
    }

    /// Whether the statement is still on the row of the cursor.
    @inline(__always)
    func isIterated(by id: Int, generation: Int) -> Bool {
        id == executionID && generation == raw.cursorGeneration && raw.isOwnedByCurrentThread
    }

    var cursorGeneration: Int { raw.cursorGeneration }

    /// Advances to the next row.
    ///
    /// - returns: whether there is one. If not, the statement has been reset.
    func step() throws -> Bool {
        if isStarted {
            let code = RawStatement.step(sqliteStatement)
            if code == RawStatement.row { return true }
            try didEnd(code)
            return false
        }
        return try firstStep()
    }

    /// Advances to the next row of a statement that a cursor of another module runs. That module may
    /// have bound the parameters, and have reset the statement, by C functions.
    func stepAsBound() throws -> Bool {
        try database.checkAccess()
        if !RawStatement.isBusy(sqliteStatement) {
            isStarted = false
            if database.recordedRegion != nil {
                database.recordRegion(of: self)
            }
        }
        return try step()
    }

    /// All changes of a statement happen in its first step, even those of `RETURNING`.
    private func firstStep() throws -> Bool {
        try database.checkTransaction(sql, effect: effects.transactionEffect)
        do throws(RawFailure) { try raw.checkState() } catch {
            throw DatabaseError(error, sql: sql)
        }
        if database.suspension != nil {
            try database.checkSuspension(
                isReadonly: isReadonly, effect: effects.transactionEffect, sql: sql)
        }
        isStarted = true
        runCount &+= 1
        // A statement may run inside of another one, by way of a function or a virtual table.
        let outerError = raw.callbackError
        raw.callbackError = nil
        let hadFailedWithinChange = raw.hasFailedWithinChange
        raw.hasFailedWithinChange = false
        defer { raw.hasFailedWithinChange = hadFailedWithinChange }
        let code: CInt
        if !isReadonly, database.broker.isActive {
            code = database.broker.observing(self) { RawStatement.step(sqliteStatement) }
        } else {
            code = RawStatement.step(sqliteStatement)
        }
        if code == RawStatement.row || code == RawStatement.done {
            raw.callbackError = outerError
        }
        if code == RawStatement.row {
            refreshRowLayout()
            return true
        }
        try didEnd(code)
        return false
    }

    func didEnd(_ code: CInt) throws {
        if code == RawStatement.done {
            RawStatement.reset(sqliteStatement)
            isStarted = false
            try database.statementDidSucceed(self)
            return
        }
        // Before the reset, which would replace the message.
        let failure = raw.failure(code)
        RawStatement.reset(sqliteStatement)
        isStarted = false
        throw database.statementDidFail(self, failure)
    }
}

extension Statement: CustomStringConvertible {
    public var description: String { sql }
}

// See `Database`.
@available(*, unavailable)
extension Statement: Sendable {}

/// The query that a statement was made from.
protocol RegionRefinement: AnyObject {
    /// The region of the query.
    ///
    /// - parameter region: what the statement may look into, whatever its arguments.
    func refine(_ region: DatabaseRegion) throws -> DatabaseRegion
}
