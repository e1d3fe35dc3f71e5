/// A cursor over the rows of a ``Statement``, which takes one step per element.
///
/// The `fetchCursor` methods return such cursors:
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
/// A cursor is only valid during the database access that created it. It resets its statement when
/// it is created, and when it is deallocated. A statement has one cursor at a time: after another
/// cursor is created, or the statement is executed, the previous cursor throws an `SQLITE_MISUSE`
/// error.
///
/// Related SQLite documentation: <https://www.sqlite.org/c3ref/step.html>
///
/// Custom types can conform to this protocol. They provide the statement to step, and decode its
/// current row; the protocol provides `next()` and the other methods of cursors. The statement is
/// stepped without changing its arguments, so that its parameters may be bound by C functions:
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
    /// Whether there are no more rows. ``next()`` sets it, and returns nil from then on.
    var _isDone: Bool { get set }

    /// The statement that is stepped.
    var _statement: Statement { get }

    /// Decodes the current row.
    func _element(sqliteStatement: SQLiteStatement) throws -> Element
}

/// A cursor of the library, whose stepper detects that another cursor has taken over its statement.
public protocol _SteppingCursor<Element>: DatabaseCursor {
    /// Steps through the rows of the statement.
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
        /// A step has failed: all later steps throw the same error.
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

    /// Each later step throws the error again, so that callers that ignore it don't mistake the
    /// previous rows for all rows.
    private func failing<T>(_ step: () throws -> T) throws -> T {
        do {
            return try step()
        } catch {
            state = .failed
            failure = error
            throw error
        }
    }

    /// Runs the statement to completion if it changes the database. See
    /// ``Statement/finishChanges()``.
    func finishChanges() throws {
        if state == .running {
            try statement.finishChanges()
        }
    }

    /// Returns the error to throw for a row that could not be decoded.
    @usableFromInline
    func decodingError(_ error: any Error) -> any Error {
        RawStatement.lacksMemory(sqliteStatement) ? memoryFailure() : error
    }

    /// Throws if there was no memory for a string of the decoded row.
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
    /// Whether there are no more rows.
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
    /// - throws: a ``DatabaseError``, a decoding error, or the error of an SQL function. After an
    ///   error of the database, the following call steps the statement again. After a row that
    ///   can't be decoded, it returns the following row.
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

    /// Calls the closure on each remaining element.
    ///
    /// - throws: the errors of ``next()``, or the error of the closure.
    @inlinable
    public func forEach(_ body: (Element) throws -> Void) throws {
        while let element = try next() {
            try body(element)
        }
    }

    /// The SQL of the statement that the cursor runs.
    public var sql: String { _statement.sql }

    /// The values that were bound to the statement when the cursor was created.
    public var arguments: StatementArguments { _statement.arguments }

    /// The number of columns of each row.
    public var columnCount: Int { _statement.columnCount }

    /// The names of the columns of each row, leftmost first.
    public var columnNames: [String] { _statement.columnNames }

    /// The tables, columns and rows that the cursor reads. See ``Statement/databaseRegion``.
    public var databaseRegion: DatabaseRegion { _statement.databaseRegion }
}
