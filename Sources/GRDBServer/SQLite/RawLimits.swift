import GRDB
import CGRDBSQLite

extension Database.Limit {
    var raw: RawLimit {
        switch self {
        case .length: RawLimit(code: SQLITE_LIMIT_LENGTH)
        case .sqlLength: RawLimit(code: SQLITE_LIMIT_SQL_LENGTH)
        case .columnCount: RawLimit(code: SQLITE_LIMIT_COLUMN)
        case .expressionDepth: RawLimit(code: SQLITE_LIMIT_EXPR_DEPTH)
        case .compoundQueryCount: RawLimit(code: SQLITE_LIMIT_COMPOUND_SELECT)
        case .instructionCount: RawLimit(code: SQLITE_LIMIT_VDBE_OP)
        case .functionArgumentCount: RawLimit(code: SQLITE_LIMIT_FUNCTION_ARG)
        case .attachedDatabaseCount: RawLimit(code: SQLITE_LIMIT_ATTACHED)
        case .likePatternLength: RawLimit(code: SQLITE_LIMIT_LIKE_PATTERN_LENGTH)
        case .argumentCount: RawLimit(code: SQLITE_LIMIT_VARIABLE_NUMBER)
        case .triggerDepth: RawLimit(code: SQLITE_LIMIT_TRIGGER_DEPTH)
        case .workerThreadCount: RawLimit(code: SQLITE_LIMIT_WORKER_THREADS)
        case .parserDepth: RawLimit(code: SQLITE_LIMIT_PARSER_DEPTH)
        }
    }
}
