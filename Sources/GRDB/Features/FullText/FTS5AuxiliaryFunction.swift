/// An FTS5 function that computes a value for each row that matches a pattern, such as a rank or a
/// formatted text.
///
/// ```swift
/// // The more often a pattern is found in the first column, the better
/// let titleRank = FTS5AuxiliaryFunction("titleRank") { match in
///     var count = 0
///     try match.forEachInstance { if $0.column == 0 { count += 1 } }
///     return -Double(count)
/// }
///
/// var config = Configuration()
/// config.prepareDatabase { db in
///     try db.add(auxiliaryFunction: titleRank)
/// }
///
/// // SELECT * FROM "book" WHERE "book" MATCH 'moby dick' ORDER BY titleRank("book")
/// let books = try Book.matching(pattern).order(titleRank()).fetchAll(db)
/// ```
///
/// In SQL, the first argument is the table. The function gets the other arguments from its
/// ``FTS5MatchContext``. The function can be called in any query that searches the table with a
/// pattern, and can be the rank of a table:
///
/// ```swift
/// // SELECT * FROM book WHERE book MATCH 'moby' AND rank MATCH 'titleRank()' ORDER BY rank
/// // INSERT INTO book(book, rank) VALUES('rank', 'titleRank()')
/// ```
///
/// If the function throws an error, its statement throws the same error.
///
/// Related SQLite documentation: <https://www.sqlite.org/fts5.html#custom_auxiliary_functions>
public final class FTS5AuxiliaryFunction: Sendable {
    /// The name of the SQL function. ASCII case is ignored.
    public let name: String

    /// Sets the result of a call.
    private let body: @Sendable (FTS5MatchContext, RawFunctionCall) throws -> Void

    /// Creates a function that ranks rows. Lower values rank higher.
    ///
    /// ```swift
    /// let rowRank = FTS5AuxiliaryFunction("rowRank") { match in Double(match.rowID) }
    /// ```
    ///
    /// - parameter name: the name of the function. It replaces a built-in function of the same
    ///   name, such as `bm25`.
    /// - parameter ranking: returns the rank of a row. It is called on the thread of the connection
    ///   while a statement runs, and must not use the connection.
    public init(_ name: String, ranking: @escaping @Sendable (FTS5MatchContext) throws -> Double) {
        self.name = name
        body = { try $1.returnValue(ranking($0)) }
    }

    /// Creates a function that returns any value.
    ///
    /// ```swift
    /// let phrases = FTS5AuxiliaryFunction("phrases", function: { match in match.phraseCount })
    /// ```
    ///
    /// - parameter name: the name of the function. It replaces a built-in function of the same
    ///   name, such as `highlight`.
    /// - parameter function: returns the value for a row, or nil for NULL. It is called on the
    ///   thread of the connection while a statement runs, and must not use the connection.
    public init(
        _ name: String,
        function: @escaping @Sendable (FTS5MatchContext) throws -> (any DatabaseValueConvertible)?
    ) {
        self.name = name
        body = { try $1.setResult(function($0)) }
    }

    fileprivate func register(in db: Database) throws {
        let calls = AuxiliaryCalls(name: name, connection: db.raw)
        let function = RawAuxiliaryFunction { [body] match, call in
            calls.perform(match, call) { try body($0, call) }
        }
        try DatabaseError.convertingFailures { try function.register(in: db.raw, name: name) }
    }
}

extension Database {
    /// Adds an auxiliary function to FTS5. It replaces a function of the same name in the
    /// statements that are compiled from now on.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in
    ///     try db.add(auxiliaryFunction: titleRank)
    /// }
    /// ```
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the connection is closed or does
    ///   not belong to the current thread, or if the name contains a NUL character or more than 255
    ///   bytes.
    public func add(auxiliaryFunction function: FTS5AuxiliaryFunction) throws {
        try checkAccess()
        guard !function.name.utf8.contains(0) else {
            throw DatabaseError(misuse: "The name contains a NUL character")
        }
        try function.register(in: self)
        // Compiled statements keep the function with which they were compiled.
        expirePreparedStatements()
    }
}

/// The active calls of an auxiliary function, on the thread of a connection.
///
/// Distinguishes the contexts of active calls from the contexts of calls that have ended, whose
/// rows are no longer available.
final class AuxiliaryCalls {
    let name: String

    /// Used only during calls. A context may outlive the connection.
    private unowned let connection: RawConnection

    /// The thread of the active calls; 0 without active calls.
    @exclusivity(unchecked)
    private var thread: UInt = 0

    /// The number of the innermost call; 0 if there is none.
    @exclusivity(unchecked)
    private var innermost = 0

    /// The numbers of the enclosing calls.
    private var outer: [Int] = []

    @exclusivity(unchecked)
    private var lastCall = 0

    init(name: String, connection: RawConnection) {
        self.name = name
        self.connection = connection
    }

    /// Calls the closure with the context of a new call.
    func perform(
        _ match: RawMatch, _ call: RawFunctionCall, _ body: (FTS5MatchContext) throws -> Void
    ) {
        do {
            try withContext(match, call, body)
        } catch {
            connection.fail(call, error)
        }
    }

    func withContext(
        _ match: RawMatch, _ call: RawFunctionCall?, _ body: (FTS5MatchContext) throws -> Void
    ) rethrows {
        lastCall &+= 1
        let isNested = innermost != 0
        if isNested { outer.append(innermost) } else { thread = currentThreadID() }
        innermost = lastCall
        defer {
            innermost = isNested ? outer.removeLast() : 0
            if !isNested { thread = 0 }
        }
        try body(FTS5MatchContext(match: match, call: call, calls: self, number: lastCall))
    }

    /// Throws an error if the call is not active on the current thread.
    func check(_ number: Int) throws {
        if innermost == number, thread == currentThreadID() { return }
        try checkSlowly(number)
    }

    private func checkSlowly(_ number: Int) throws {
        let thread = thread
        guard thread == 0 || thread == currentThreadID() else {
            throw misuse("the context of a match was used on another thread")
        }
        guard thread != 0, outer.contains(number) else {
            throw misuse("the context of a match was used after the call that it belongs to")
        }
    }

    func misuse(_ message: String) -> DatabaseError {
        DatabaseError(misuse: "auxiliary function \(name): \(message)")
    }

    /// The error for a code that FTS5 has returned.
    func error(_ code: CInt, _ what: String) -> DatabaseError {
        let result = ResultCode(rawValue: code)
        if result == .SQLITE_RANGE {
            return DatabaseError(
                resultCode: result, message: "auxiliary function \(name): there is no \(what)")
        }
        return DatabaseError(resultCode: result, message: "auxiliary function \(name): \(result)")
    }
}
