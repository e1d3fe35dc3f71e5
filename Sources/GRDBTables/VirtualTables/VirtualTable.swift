import GRDB

/// A virtual table: a table whose rows come from Swift code.
///
/// A class that conforms to this protocol implements the tables of a ``DatabaseModule``. For the
/// elements of a collection, use ``GRDB/Database/add(table:of:_:)-(_,Elements,_)`` instead, which needs no class.
///
/// ```swift
/// // CREATE VIRTUAL TABLE log USING logfile('/var/log/app.log')
/// final class LogTable: VirtualTable {
///     let lines: [String]
///     var declaration: String { "line TEXT" }
///
///     init(connecting connection: VirtualTableConnection) throws {
///         lines = try readLines(of: connection.arguments[0])
///     }
///
///     func makeCursor() -> LogCursor { LogCursor(lines) }
/// }
///
/// try db.add(module: DatabaseModule("logfile", LogTable.self))
/// ```
///
/// Each connection has an instance of its own for each table. All methods are called on the thread of the
/// connection. An error that a method throws is the error of the statement. Methods may run statements
/// on ``VirtualTableConnection/database``.
///
/// A table can be written if it also conforms to ``WritableVirtualTable``, and takes part in transactions
/// if it conforms to ``TransactionalVirtualTable``.
///
/// Related SQLite documentation: <https://www.sqlite.org/vtab.html>
public protocol VirtualTable: AnyObject {
    /// The type of the cursors that read the rows.
    associatedtype Cursor: VirtualTableCursor

    /// The suffixes of the names of the tables that store the content, such as `"data"` for `document_data`.
    /// SQL can't write them when the connection is in defensive mode, and they belong to the table.
    static var shadowTableSuffixes: [String] { get }

    /// The columns, in SQL text, as in `CREATE TABLE` between the parentheses. Columns whose type contains
    /// `HIDDEN` are arguments of table-valued functions.
    var declaration: String { get }

    /// Whether views and triggers may use the table: see ``VirtualTableTrust``.
    var trust: VirtualTableTrust { get }

    /// Connects to a table, or creates it if ``VirtualTableConnection/isCreated`` is true.
    ///
    /// - parameter connection: the connection, the names and the arguments of the table.
    /// - throws: any error. The table is then not created, or not opened.
    init(connecting connection: VirtualTableConnection) throws

    /// Chooses how to look for rows.
    ///
    /// SQLite calls this method for several sets of constraints, compares the costs, and passes the
    /// best plan to ``VirtualTableCursor/filter(number:text:arguments:)``. The default implementation reads
    /// all rows.
    ///
    /// - returns: false if the table can't answer with these constraints, because an argument is missing,
    ///   for example.
    /// - throws: any error. The statement is then not compiled.
    func plan(_ plan: inout VirtualTablePlan) throws -> Bool

    /// Creates a cursor over the rows.
    ///
    /// - throws: any error, which becomes the error of the statement.
    func makeCursor() throws -> Cursor

    /// Called when the table is dropped.
    ///
    /// - throws: any error. The table is then not dropped.
    func destroy() throws

    /// Called when the table is renamed.
    ///
    /// - throws: any error. The table then keeps its name.
    func rename(to name: String) throws

    /// Looks for problems in the content, for `PRAGMA integrity_check`.
    ///
    /// - parameter schema: the schema that the table is in.
    /// - parameter table: the name of the table.
    /// - parameter isQuick: whether `PRAGMA quick_check` runs.
    /// - returns: the description of a problem, or nil.
    /// - throws: any error, which ends the check.
    func integrityProblem(schema: String, table: String, isQuick: Bool) throws -> String?
}

extension VirtualTable {
    public static var shadowTableSuffixes: [String] { [] }
    public var trust: VirtualTableTrust { .standard }
    public func plan(_ plan: inout VirtualTablePlan) -> Bool { true }
    public func destroy() {}
    public func rename(to name: String) {}
    public func integrityProblem(schema: String, table: String, isQuick: Bool) -> String? { nil }
}

/// A cursor on the rows of a ``VirtualTable``.
///
/// SQLite calls ``filter(number:text:arguments:)``, and then reads columns and calls ``next()`` until
/// ``isAtEnd`` is true. It may start again with another call of `filter`.
public protocol VirtualTableCursor: AnyObject {
    /// Moves to the first row of a plan.
    ///
    /// - parameter number: the number of the plan, from ``VirtualTablePlan/number``.
    /// - parameter text: the text of the plan, from ``VirtualTablePlan/text``.
    /// - parameter arguments: the values of the constraints that the plan uses.
    /// - throws: any error, which becomes the error of the statement.
    func filter(number: Int, text: String?, arguments: VirtualTableArguments) throws

    /// Moves to the next row.
    ///
    /// - throws: any error, which becomes the error of the statement.
    func next() throws

    /// Whether the cursor is past the last row.
    var isAtEnd: Bool { get }

    /// Reports the value of a column of the current row. The value is NULL unless `result` receives one.
    ///
    /// - parameter index: the number of the column, from 0.
    /// - parameter result: receives the value.
    /// - throws: any error, which becomes the error of the statement.
    func column(_ index: Int, into result: VirtualTableResult) throws

    /// The rowid of the current row, which must be unique.
    ///
    /// - throws: any error, which becomes the error of the statement.
    var rowID: Int64 { get throws }
}

/// A virtual table that SQL can change.
///
/// Observers are notified of the changes, without the rows.
public protocol WritableVirtualTable: VirtualTable {
    /// Inserts a row.
    ///
    /// - parameter values: the values of all columns, including hidden columns.
    /// - parameter rowID: the rowid that the statement sets, or nil.
    /// - parameter resolution: what to do when the row conflicts with another one. For `ignore` and
    ///   `replace`, the table skips the row or deletes the other one; otherwise, it throws a
    ///   ``/GRDB/DatabaseError`` of code `SQLITE_CONSTRAINT`.
    /// - returns: the rowid of the row.
    /// - throws: any error, which becomes the error of the statement.
    func insert(
        _ values: [DatabaseValue], rowID: Int64?,
        onConflict resolution: Database.ConflictResolution
    ) throws -> Int64

    /// Changes a row.
    ///
    /// - parameter rowID: the rowid of the row.
    /// - parameter newRowID: its new rowid, which is usually the same.
    /// - parameter values: the values of all columns.
    /// - parameter resolution: what to do when the row conflicts with another one, as for `insert`.
    /// - throws: any error, which becomes the error of the statement.
    func update(
        rowID: Int64, newRowID: Int64, _ values: [DatabaseValue],
        onConflict resolution: Database.ConflictResolution
    ) throws

    /// Deletes a row.
    ///
    /// - throws: any error, which becomes the error of the statement.
    func delete(rowID: Int64) throws
}

/// A writable virtual table whose changes can be undone.
///
/// Tables that keep their content in tables of the same database need not conform: SQLite undoes
/// the changes of these tables.
public protocol TransactionalVirtualTable: WritableVirtualTable {
    /// A transaction begins in which the table is changed.
    ///
    /// - throws: any error, which becomes the error of the statement.
    func begin() throws

    /// The transaction is about to be committed.
    ///
    /// - throws: any error. The transaction is then rolled back.
    func sync() throws

    /// The transaction is committed.
    func commit()

    /// The transaction is rolled back.
    func rollback()

    /// Savepoint `number` begins. A statement that makes several changes also has a savepoint.
    ///
    /// - throws: any error, which becomes the error of the statement.
    func savepoint(_ number: Int) throws

    /// Savepoint `number` and all later savepoints are released, and keep their changes.
    ///
    /// - throws: any error, which becomes the error of the statement.
    func release(_ number: Int) throws

    /// The changes since savepoint `number` began are undone. The savepoint stays open.
    ///
    /// - throws: any error, which becomes the error of the statement.
    func rollback(to number: Int) throws
}

extension TransactionalVirtualTable {
    public func begin() {}
    public func sync() {}
    public func savepoint(_ number: Int) {}
    public func release(_ number: Int) {}
}

/// Which SQL may use a virtual table.
///
/// Related SQLite documentation: <https://www.sqlite.org/c3ref/c_vtab_constraint_support.html>
public enum VirtualTableTrust: Sendable {
    /// Statements of the app; triggers and views unless the schema is not trusted.
    case standard

    /// Statements of the app only. For tables that read files, or change more than the database.
    case directOnly

    /// Anything, also triggers and views of an untrusted schema. For tables that can do no harm.
    case innocuous
}

/// The connection, names and arguments of a virtual table.
public struct VirtualTableConnection {
    /// The connection. Tables that keep it should do so weakly.
    public let database: Database

    /// The name of the module.
    public let moduleName: String

    /// The schema that the table is in.
    public let schemaName: String

    /// The name of the table.
    public let tableName: String

    /// The arguments of `CREATE VIRTUAL TABLE`, in SQL text: texts still have their quotes.
    public let arguments: [String]

    /// Whether the table is being created, and not opened.
    public let isCreated: Bool
}
