/// A format for printing rows.
///
/// ```swift
/// // 1|Arthur|500
/// // 2|Barbara|1000
/// try db.dumpSQL("SELECT * FROM player")
///
/// // [{"id":1,"name":"Arthur","score":500},
/// // {"id":2,"name":"Barbara","score":1000}]
/// try db.dumpSQL("SELECT * FROM player", format: .json())
/// ```
///
/// Custom formats print to a ``DumpStream``. Each statement and each table is printed by a copy of
/// the format, which receives all rows of the statement:
///
/// ```swift
/// struct RowCountFormat: DumpFormat {
///     private var count = 0
///
///     mutating func writeRow(
///         _ db: Database, statement: Statement, to stream: inout DumpStream
///     ) {
///         count += 1
///     }
///
///     mutating func finalize(
///         _ db: Database, statement: Statement, to stream: inout DumpStream
///     ) {
///         stream.write("\(count) rows\n")
///     }
/// }
/// ```
///
/// Use a class for a format with state that spans statements, such as the total number of rows.
public protocol DumpFormat {
    /// Writes the current row of a statement.
    ///
    /// - parameter db: the connection of the statement.
    /// - parameter statement: a statement with a current row: see ``Statement/sqliteStatement``. Do
    ///   not step it.
    /// - parameter stream: the stream to print to.
    /// - throws: any error, which ends the dump. The dump method throws it.
    mutating func writeRow(
        _ db: Database, statement: Statement, to stream: inout DumpStream) throws

    /// Called after the last row of a statement, even if there are no rows.
    mutating func finalize(
        _ db: Database, statement: Statement, to stream: inout DumpStream)
}
