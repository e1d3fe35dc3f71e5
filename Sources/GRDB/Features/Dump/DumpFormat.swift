/// A type that prints database rows.
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
/// Formats of your own are printed to a ``DumpStream``. Each statement, and each table, is printed
/// by a copy of the format, which receives all rows of the statement:
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
/// A format that must know all statements, such as the total of their rows, is a class.
public protocol DumpFormat {
    /// Writes the current row of a statement.
    ///
    /// - parameter db: the connection of the statement.
    /// - parameter statement: a statement that has a row: see ``Statement/sqliteStatement``. It
    ///   must not be stepped.
    /// - parameter stream: where to write.
    /// - throws: any error, which ends the dump: the method that dumps throws it.
    mutating func writeRow(
        _ db: Database, statement: Statement, to stream: inout DumpStream) throws

    /// Called after the last row of a statement, or when there is none.
    mutating func finalize(
        _ db: Database, statement: Statement, to stream: inout DumpStream)
}
