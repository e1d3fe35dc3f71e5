/// A cursor whose elements come from the rows of a ``Statement``, which is stepped once an element.
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
public protocol DatabaseCursor<Element>: Cursor {
    /// The steps through the statement.
    var _stepper: _StatementStepper { get }

    /// Decodes the current row.
    func _element(sqliteStatement: SQLiteStatement) throws -> Element
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
    }

    @usableFromInline
    @exclusivity(unchecked)
    var state = State.ready

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
        try statement.database.checkAccess()
        guard statement.isIterated(by: executionID, generation: generation) else {
            state = .done
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: generation == statement.cursorGeneration
                    ? "The statement of the cursor was executed again"
                    : "The database access of the cursor has ended",
                sql: statement.sql)
        }
        state = .done
        if try statement.step() {
            state = .running
            return true
        }
        return false
    }

    /// Runs a statement that changes the database to its end. See ``Statement/finishChanges()``.
    func finishChanges() throws {
        if state == .running {
            try statement.finishChanges()
        }
    }

    private func end(_ code: CInt) throws {
        state = .done
        try statement.didEnd(code)
    }
}

extension DatabaseCursor {
    /// Advances to the next row and decodes it; nil if there is none.
    ///
    /// - throws: a ``DatabaseError``, a ``RowDecodingError``, or the error of an SQL function. The
    ///   cursor has then ended.
    @inlinable
    public func next() throws -> Element? {
        guard try _stepper.next() else { return nil }
        do {
            return try _element(sqliteStatement: _stepper.sqliteStatement)
        } catch {
            _stepper.state = .done
            throw error
        }
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
    public var sql: String { _stepper.statement.sql }

    /// The statement arguments.
    public var arguments: StatementArguments { _stepper.statement.arguments }

    /// How many columns each row has.
    public var columnCount: Int { _stepper.statement.columnCount }

    /// The names of the columns of each row, leftmost first.
    public var columnNames: [String] { _stepper.statement.columnNames }

    /// The tables, columns and rows that the cursor reads. See ``Statement/databaseRegion``.
    public var databaseRegion: DatabaseRegion { _stepper.statement.databaseRegion }
}
