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
/// Formats of your own are printed to a ``DumpStream``. They receive the rows of one statement
/// after the other:
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
///         count = 0
///     }
/// }
/// ```
public protocol DumpFormat {
    /// Writes the current row of a statement.
    ///
    /// - parameter db: the connection of the statement.
    /// - parameter statement: a statement that has a row: see ``Statement/sqliteStatement``. It
    ///   must not be stepped.
    /// - parameter stream: where to write.
    mutating func writeRow(
        _ db: Database, statement: Statement, to stream: inout DumpStream) throws

    /// Called after the last row of a statement, or when there is none. The rows that follow come
    /// from another statement.
    mutating func finalize(
        _ db: Database, statement: Statement, to stream: inout DumpStream)
}
