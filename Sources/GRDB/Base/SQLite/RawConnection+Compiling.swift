import CGRDBSQLite
import _GRDBSystem

extension RawConnection {

    struct Prepared {
        var statement: OpaquePointer
        /// The end of the compiled text, in UTF-8 bytes.
        var end: Int
    }

    /// Compiles the first statement at or after an offset.
    ///
    /// - returns: nil if the text only contains white space and comments.
    func prepare(
        _ sql: String, from offset: Int, persistent: Bool
    ) throws(RawFailure) -> Prepared? {
        #if GRDB_ENCRYPTION
        if SQLText.containsKey(sql) {
            return try RawLog.withholdingMessages { () throws(RawFailure) in
                try compile(sql, from: offset, persistent: persistent)
            }
        }
        #endif
        return try compile(sql, from: offset, persistent: persistent)
    }

    @inline(__always)
    private func compile(
        _ sql: String, from offset: Int, persistent: Bool
    ) throws(RawFailure) -> Prepared? {
        let handle = try openHandle()
        // Long sessions that free statements on other threads must not accumulate them.
        drainReleasedHandles()
        try checkState()

        var sql = sql
        var result = CInt(SQLITE_OK)
        var statement: OpaquePointer?
        var end = 0
        var nulOffset: Int?
        sql.withUTF8 { utf8 in
            guard utf8.count - offset <= Int(CInt.max) - 1 else {
                result = SQLITE_TOOBIG
                return
            }
            utf8.withMemoryRebound(to: CChar.self) { chars in
                guard let base = chars.baseAddress else { return }
                let start = base + offset
                let count = chars.count - offset
                // SQLite silently stops at a NUL character.
                if let nul = memchr(start, 0, count) {
                    nulOffset = nul - UnsafeMutableRawPointer(mutating: base)
                    return
                }
                let formerLimits = count > 100 ? fitDepthLimitsToStack(handle) : nil
                defer { formerLimits?.restore(handle) }
                var tail: UnsafePointer<CChar>?
                result = grdb_sqlite3_prepare_v3(
                    handle, start, CInt(count),
                    persistent ? CUnsignedInt(SQLITE_PREPARE_PERSISTENT) : 0, &statement, &tail)
                end = tail.map { $0 - base } ?? chars.count
            }
        }
        if let nulOffset {
            throw RawFailure(
                code: SQLITE_MISUSE,
                message: "The SQL holds a NUL character, at byte \(nulOffset)")
        }
        guard result == SQLITE_OK else {
            throw failure(result)
        }
        guard let statement else { return nil }
        return Prepared(statement: statement, end: end)
    }
}

extension RawConnection {
    /// The current compilation, for comparison; nil if there is none.
    var currentCompilation: UnsafeRawPointer? {
        handle.flatMap { grdb_current_compilation($0) }
    }

    /// The compilation that encloses the current one, or nil. For use in the authorizer, and for
    /// comparison only.
    var enclosingCompilation: UnsafeRawPointer? {
        handle.flatMap { grdb_enclosing_compilation($0) }
    }
}

extension RawConnection {
    /// SQLite's limits on the depth of statements.
    private struct DepthLimits {
        var expression: CInt
        var parser: CInt

        func restore(_ handle: OpaquePointer) {
            grdb_sqlite3_limit(handle, SQLITE_LIMIT_EXPR_DEPTH, expression)
            grdb_sqlite3_limit(handle, SQLITE_LIMIT_PARSER_DEPTH, parser)
        }
    }

    /// Lowers SQLite's limits on the depth of statements to the available stack. The limits are designed
    /// for the stack of a main thread: SQLite overflows smaller stacks.
    ///
    /// - returns: the former limits, if they were lowered.
    private func fitDepthLimitsToStack(_ handle: OpaquePointer) -> DepthLimits? {
        // Measured: an expression takes 400 bytes per level when optimized, 900 when not. One level of an
        // expression takes four to six levels of the parser.
        let depth = ThreadStack.remaining(above: stackLimit) / Int(grdb_stack_bytes_per_level())
        if depth >= 1000 { return nil }
        let formerExpression = grdb_sqlite3_limit(handle, SQLITE_LIMIT_EXPR_DEPTH, -1)
        let formerParser = grdb_sqlite3_limit(handle, SQLITE_LIMIT_PARSER_DEPTH, -1)
        // Zero means no limit, or the hard upper bound.
        let maximum = CInt(max(depth, 10))
        func lowered(_ limit: CInt, _ maximum: CInt) -> CInt {
            limit <= 0 ? maximum : min(limit, maximum)
        }
        grdb_sqlite3_limit(handle, SQLITE_LIMIT_EXPR_DEPTH, lowered(formerExpression, maximum))
        grdb_sqlite3_limit(handle, SQLITE_LIMIT_PARSER_DEPTH, lowered(formerParser, 4 * maximum))
        return DepthLimits(expression: formerExpression, parser: formerParser)
    }
}
