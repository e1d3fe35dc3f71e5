import CGRDBSQLite

extension RawConnection {
    func limit(_ limit: RawLimit) -> Int {
        handle.map { Int(grdb_sqlite3_limit($0, limit.code, -1)) } ?? 0
    }

    /// - returns: the former limit.
    @discardableResult
    func setLimit(_ limit: RawLimit, to value: Int) -> Int {
        guard let handle else { return 0 }
        return Int(grdb_sqlite3_limit(handle, limit.code, CInt(clamping: max(value, 0))))
    }
}

/// The limits of SQLite.
struct RawLimit {
    fileprivate let code: CInt

    static let length = RawLimit(code: SQLITE_LIMIT_LENGTH)
    static let sqlLength = RawLimit(code: SQLITE_LIMIT_SQL_LENGTH)
    static let columnCount = RawLimit(code: SQLITE_LIMIT_COLUMN)
    static let expressionDepth = RawLimit(code: SQLITE_LIMIT_EXPR_DEPTH)
    static let compoundQueryCount = RawLimit(code: SQLITE_LIMIT_COMPOUND_SELECT)
    static let instructionCount = RawLimit(code: SQLITE_LIMIT_VDBE_OP)
    static let functionArgumentCount = RawLimit(code: SQLITE_LIMIT_FUNCTION_ARG)
    static let attachedDatabaseCount = RawLimit(code: SQLITE_LIMIT_ATTACHED)
    static let likePatternLength = RawLimit(code: SQLITE_LIMIT_LIKE_PATTERN_LENGTH)
    static let argumentCount = RawLimit(code: SQLITE_LIMIT_VARIABLE_NUMBER)
    static let triggerDepth = RawLimit(code: SQLITE_LIMIT_TRIGGER_DEPTH)
    static let workerThreadCount = RawLimit(code: SQLITE_LIMIT_WORKER_THREADS)
    static let parserDepth = RawLimit(code: SQLITE_LIMIT_PARSER_DEPTH)
}
