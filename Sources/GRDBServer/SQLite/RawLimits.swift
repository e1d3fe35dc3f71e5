import GRDB
import CGRDBSQLite

extension Database.Limit {
    var raw: RawLimit { RawLimit(code: code) }

    private var code: CInt {
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
