/// A cursor of the statements of an SQL text. Each statement is compiled when it is requested, so
/// that the previous ones can run first.
///
/// See ``Database/allStatements(sql:arguments:)``.
public class SQLStatementCursor: Cursor {
    private let database: Database
    private let sql: String
    private var offset = 0
    private let count: Int

    /// The arguments that no statement has consumed yet; nil to leave statements without arguments.
    private var arguments: StatementArguments?
    private let argumentCount: Int

    init(database: Database, sql: String, arguments: StatementArguments?) {
        self.database = database
        self.sql = sql
        self.arguments = arguments
        count = sql.utf8.count
        argumentCount = arguments?.count ?? 0
    }

    /// Whether only blanks and semicolons are left.
    var isAtEnd: Bool {
        sql.utf8.dropFirst(offset).allSatisfy { $0 == 0x20 || 0x09...0x0d ~= $0 || $0 == 0x3b }
    }

    /// Compiles the next statement, and sets its arguments.
    ///
    /// - throws: a ``DatabaseError`` when the statement does not compile, when values are missing,
    ///   or when values remain after the last statement.
    public func next() throws -> Statement? {
        guard offset < count else {
            try checkRemainingArguments()
            return nil
        }
        guard let (statement, end) = try database.compile(sql, from: offset, persistent: false)
        else {
            offset = count
            try checkRemainingArguments()
            return nil
        }
        if arguments != nil {
            try statement.consumeArguments(&arguments!)
        }
        offset = end
        return statement
    }

    /// - parameter sql: the text of the only statement; nil if there may be others.
    func checkRemainingArguments(sql: String? = nil) throws {
        guard let arguments, arguments.count > 0 else { return }
        throw StatementArguments.wrongNumberOfValues(
            argumentCount, expected: argumentCount - arguments.count, sql: sql)
    }
}

// See `Database`.
@available(*, unavailable)
extension SQLStatementCursor: Sendable {}
