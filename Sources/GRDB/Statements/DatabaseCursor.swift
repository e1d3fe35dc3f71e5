/// A cursor that lazily iterates the results of a prepared ``Statement``.
///
/// To get a cursor, use one of the `fetchCursor` methods:
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
/// or executing the statement, has the former cursor throw an `SQLITE_MISUSE` error.
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
    private let executionID: Int
    @usableFromInline var isDone = false

    init(statement: Statement) throws {
        self.statement = statement
        executionID = try statement.beginCursor()
    }

    deinit {
        statement.endCursor(executionID)
    }

    /// Advances to the next row, and returns whether there is one.
    @usableFromInline
    func next() throws -> Bool {
        if isDone { return false }
        guard executionID == statement.executionID else {
            isDone = true
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "The statement of the cursor was executed again", sql: statement.sql)
        }
        do {
            if try statement.step() { return true }
            isDone = true
            return false
        } catch {
            isDone = true
            throw error
        }
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
            return try _element(sqliteStatement: _stepper.statement.sqliteStatement)
        } catch {
            _stepper.isDone = true
            throw error
        }
    }

    /// The SQL query.
    public var sql: String { _stepper.statement.sql }

    /// The statement arguments.
    public var arguments: StatementArguments { _stepper.statement.arguments }

    /// The number of columns in the resulting rows.
    public var columnCount: Int { _stepper.statement.columnCount }

    /// The column names, ordered from left to right.
    public var columnNames: [String] { _stepper.statement.columnNames }

    /// The database region that the cursor looks into.
    public var databaseRegion: DatabaseRegion { _stepper.statement.databaseRegion }
}
