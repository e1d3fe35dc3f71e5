import CGRDBSQLite

extension RawConnection {
    func limit(_ limit: RawLimit) -> Int {
        handle.map { Int(grdb_sqlite3_limit($0, limit.code, -1)) } ?? 0
    }

    /// - returns: the former limit.
    func setLimit(_ limit: RawLimit, to value: Int) -> Int {
        guard let handle else { return 0 }
        return Int(grdb_sqlite3_limit(handle, limit.code, CInt(clamping: max(value, 0))))
    }

    /// Prevents SQL from damaging the file, and from changing shadow tables.
    func setDefensive(_ enabled: Bool) {
        guard let handle else { return }
        _ = grdb_db_config_int(handle, SQLITE_DBCONFIG_DEFENSIVE, enabled ? 1 : 0, nil)
    }

    /// Allows the schema to use functions and virtual tables that have side effects.
    func setTrustedSchema(_ enabled: Bool) {
        guard let handle else { return }
        _ = grdb_db_config_int(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, enabled ? 1 : 0, nil)
    }
}

/// The limits of SQLite.
enum RawLimit {
    case length
    case sqlLength
    case columnCount
    case expressionDepth
    case compoundQueryCount
    case instructionCount
    case functionArgumentCount
    case attachedDatabaseCount
    case likePatternLength
    case argumentCount
    case triggerDepth
    case workerThreadCount
    case parserDepth

    fileprivate var code: CInt {
        switch self {
        case .length: SQLITE_LIMIT_LENGTH
        case .sqlLength: SQLITE_LIMIT_SQL_LENGTH
        case .columnCount: SQLITE_LIMIT_COLUMN
        case .expressionDepth: SQLITE_LIMIT_EXPR_DEPTH
        case .compoundQueryCount: SQLITE_LIMIT_COMPOUND_SELECT
        case .instructionCount: SQLITE_LIMIT_VDBE_OP
        case .functionArgumentCount: SQLITE_LIMIT_FUNCTION_ARG
        case .attachedDatabaseCount: SQLITE_LIMIT_ATTACHED
        case .likePatternLength: SQLITE_LIMIT_LIKE_PATTERN_LENGTH
        case .argumentCount: SQLITE_LIMIT_VARIABLE_NUMBER
        case .triggerDepth: SQLITE_LIMIT_TRIGGER_DEPTH
        case .workerThreadCount: SQLITE_LIMIT_WORKER_THREADS
        case .parserDepth: SQLITE_LIMIT_PARSER_DEPTH
        }
    }
}
