/// A cursor over the rows of a ``Statement``, which takes one step per element.
///
/// The `fetchCursor` methods make cursors:
///
/// ```swift
/// try dbQueue.read { db in
///     let scores = try Int.fetchCursor(db, sql: "SELECT score FROM player")
///     while let score = try scores.next() {
///         print(score)
///     }
/// }
/// ```
///
/// A cursor is only valid during the database access that made it. It resets its statement when it
/// is made, and when it is deallocated. A statement has one cursor at a time: making another one,
/// or executing the statement, makes the former cursor throw an `SQLITE_MISUSE` error.
///
/// Related SQLite documentation: <https://www.sqlite.org/c3ref/step.html>
///
/// A type of your own can be such a cursor. It says which statement to step, and how to decode its
/// current row; `next()` and the methods of cursors come for free. The statement is stepped as it
/// is, so that its parameters may have been bound by C functions:
///
/// ```swift
/// final class ScoreCursor: DatabaseCursor {
///     typealias Element = Int64
///
///     let _statement: Statement
///     var _isDone = false
///
///     init(statement: Statement, minimum: Int64) {
///         _statement = statement
///         sqlite3_reset(statement.sqliteStatement)
///         sqlite3_bind_int64(statement.sqliteStatement, 1, minimum)
///     }
///
///     deinit {
///         sqlite3_reset(_statement.sqliteStatement)
///         sqlite3_clear_bindings(_statement.sqliteStatement)
///     }
///
///     func _element(sqliteStatement: SQLiteStatement) throws -> Int64 {
///         sqlite3_column_int64(sqliteStatement, 0)
///     }
/// }
/// ```
public protocol DatabaseCursor<Element>: Cursor {
    /// Whether there is no more row. ``next()`` sets it, and returns nil from then on.
    var _isDone: Bool { get set }

    /// The statement that is stepped.
    var _statement: Statement { get }

    /// Decodes the current row.
    func _element(sqliteStatement: SQLiteStatement) throws -> Element
}

/// A cursor of the library: its stepper knows when another cursor has taken its statement over.
public protocol _SteppingCursor<Element>: DatabaseCursor {
    /// The steps through the statement.
    var _stepper: _StatementStepper { get }
}

/// Steps through the rows of a statement on behalf of a cursor.
public final class _StatementStepper {
    @usableFromInline let statement: Statement
    @usableFromInline let sqliteStatement: SQLiteStatement
    private let executionID: Int
    private let generation: Int

    @usableFromInline
    enum State {
        case ready
        case running
        case done
        /// A step has failed, and fails again.
        case failed
    }

    @usableFromInline
    @exclusivity(unchecked)
    var state = State.ready

    /// The error of the step that failed.
    private var failure: (any Error)?

    @usableFromInline
    init(statement: Statement) throws {
        self.statement = statement
        sqliteStatement = statement.sqliteStatement
        executionID = try statement.beginCursor()
        generation = statement.cursorGeneration
    }

    deinit {
        statement.endCursor(executionID)
    }

    /// Advances to the next row, and returns whether there is one.
    @usableFromInline
    func next() throws -> Bool {
        if state == .running, statement.isIterated(by: executionID, generation: generation) {
            let code = RawStatement.step(sqliteStatement)
            if code == RawStatement.row { return true }
            try end(code)
            return false
        }
        return try start()
    }

    private func start() throws -> Bool {
        if state == .done { return false }
        if let failure { throw failure }
        try statement.database.checkAccess()
        return try failing {
            guard statement.isIterated(by: executionID, generation: generation) else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: generation == statement.cursorGeneration
                        ? "The statement of the cursor was executed again"
                        : "The database access of the cursor has ended",
                    sql: statement.sql)
            }
            let hasRow = try statement.step()
            state = hasRow ? .running : .done
            return hasRow
        }
    }

    /// Each later step throws the error again, so that callers that ignore it don't take the rows
    /// so far for all rows.
    private func failing<T>(_ step: () throws -> T) throws -> T {
        do {
            return try step()
        } catch {
            state = .failed
            failure = error
            throw error
        }
    }

    /// Runs a statement that changes the database to its end. See ``Statement/finishChanges()``.
    func finishChanges() throws {
        if state == .running {
            try statement.finishChanges()
        }
    }

    /// The error to throw for a row that could not be decoded.
    @usableFromInline
    func decodingError(_ error: any Error) -> any Error {
        RawStatement.lacksMemory(sqliteStatement) ? memoryFailure() : error
    }

    /// Throws if there was no memory for a text of the row that was decoded.
    @inlinable
    @inline(__always)
    func checkMemory() throws {
        if RawStatement.lacksMemory(sqliteStatement) { throw memoryFailure() }
    }

    /// Ends the steps.
    ///
    /// - returns: the error that the next step would have thrown.
    @usableFromInline
    func memoryFailure() -> any Error {
        let error = statement.memoryFailure()
        state = .failed
        failure = error
        return error
    }

    private func end(_ code: CInt) throws {
        try failing {
            state = .done
            try statement.didEnd(code)
        }
    }
}

extension _SteppingCursor {
    /// Whether there is no more row.
    public var _isDone: Bool {
        get { _stepper.state == .done }
        set { if newValue { _stepper.state = .done } }
    }

    /// The statement that is stepped.
    public var _statement: Statement { _stepper.statement }

    /// Advances to the next row and decodes it; nil if there is none.
    ///
    /// - throws: a ``DatabaseError``, a ``RowDecodingError``, or the error of an SQL function. After
    ///   an error of the database, each call throws it again. After a row that can't be decoded, the
    ///   following call returns the following row.
    @inlinable
    public func next() throws -> Element? {
        guard try _stepper.next() else { return nil }
        let element: Element
        do {
            element = try _element(sqliteStatement: _stepper.sqliteStatement)
        } catch {
            throw _stepper.decodingError(error)
        }
        try _stepper.checkMemory()
        return element
    }

    @inlinable
    public func _forEachOwned(_ body: (consuming Element) throws -> Void) throws {
        while let element = try next() { try body(element) }
    }
}

extension DatabaseCursor {
    /// Advances to the next row and decodes it; nil if there is none.
    ///
    /// - throws: a ``DatabaseError``, what decoding the row throws, or the error of an SQL function.
    ///   After an error of the database, the following call steps the statement again. After a row
    ///   that can't be decoded, it returns the following row.
    public func next() throws -> Element? {
        if _isDone { return nil }
        guard try _statement.stepAsBound() else {
            _isDone = true
            return nil
        }
        let element: Element
        do {
            element = try _element(sqliteStatement: _statement.sqliteStatement)
        } catch {
            throw _statement.decodingError(error)
        }
        try _statement.checkMemory()
        return element
    }

    /// Calls the closure on each element that remains.
    ///
    /// - throws: what ``next()`` throws, or the error of the closure.
    @inlinable
    public func forEach(_ body: (Element) throws -> Void) throws {
        while let element = try next() {
            try body(element)
        }
    }

    /// The SQL query.
    public var sql: String { _statement.sql }

    /// The statement arguments.
    public var arguments: StatementArguments { _statement.arguments }

    /// How many columns each row has.
    public var columnCount: Int { _statement.columnCount }

    /// The names of the columns of each row, leftmost first.
    public var columnNames: [String] { _statement.columnNames }

    /// The tables, columns and rows that the cursor reads. See ``Statement/databaseRegion``.
    public var databaseRegion: DatabaseRegion { _statement.databaseRegion }
}
