public import CGRDBSQLite

/// The functions of a raw statement, other than reading columns and binding parameters.
@usableFromInline
package enum RawStatement {
    // Computed properties, because stored globals are initialized lazily, which costs a check at each use.
    @inlinable static var row: CInt { SQLITE_ROW }
    @inlinable static var done: CInt { SQLITE_DONE }
    @inlinable package static var ok: CInt { SQLITE_OK }

    @inlinable
    static func step(_ statement: SQLiteStatement) -> CInt {
        grdb_step(statement)
    }

    /// Declares that a ``Statement`` owns a raw statement, which C code then can't free.
    static func own(_ statement: SQLiteStatement) {
        grdb_own_statement(statement)
    }

    /// Whether C code has finalized a statement that a ``Statement`` owns.
    static func isFinalized(_ statement: SQLiteStatement) -> Bool {
        grdb_is_finalized(statement) != 0
    }

    /// Whether SQLite had no memory to convert a text of the current row. The text was read nevertheless,
    /// but the next step fails.
    @inlinable
    @inline(__always)
    static func lacksMemory(_ statement: SQLiteStatement) -> Bool {
        grdb_lacks_memory(statement) != 0
    }

    /// Ignores the result code: it is that of the last step, which the caller has already handled.
    @inlinable
    static func reset(_ statement: SQLiteStatement) {
        grdb_sqlite3_reset(statement)
    }

    static func finalize(_ statement: SQLiteStatement) {
        grdb_finalize_statement(statement)
    }

    /// Calls a closure with a copy of the value of a parameter, numbered from 1. Returns nil if there is no
    /// such parameter, or no memory.
    static func withBoundValue<Result>(
        _ statement: SQLiteStatement, at index: CInt, _ body: (OpaquePointer) -> Result
    ) -> Result? {
        guard let value = grdb_bound_value(statement, index) else { return nil }
        defer { grdb_sqlite3_value_free(value) }
        return body(value)
    }

    /// Whether a parameter, numbered from 1, is NULL or has no value.
    static func isBoundNull(_ statement: SQLiteStatement, at index: CInt) -> Bool {
        grdb_is_bound_null(statement, index) != 0
    }

    /// Whether the value of a parameter, numbered from 1, is a text of more than 15 bytes.
    static func isBoundLongText(_ statement: SQLiteStatement, at index: CInt) -> Bool {
        grdb_is_bound_long_text(statement, index) != 0
    }

    /// The next parameter after another one, numbered from 1, whose value is a text that contains U+FFFD; 0 if
    /// there is none.
    static func replacedText(_ statement: SQLiteStatement, after index: CInt) -> CInt {
        grdb_replaced_text(statement, index)
    }

    static func clearBindings(_ statement: SQLiteStatement) {
        grdb_sqlite3_clear_bindings(statement)
    }

    static func columnCount(_ statement: SQLiteStatement) -> Int {
        Int(grdb_sqlite3_column_count(statement))
    }

    static func columnName(_ statement: SQLiteStatement, at index: Int) -> String {
        // A null pointer means that memory is exhausted.
        grdb_sqlite3_column_name(statement, CInt(index)).map { String(cString: $0) } ?? ""
    }

    /// The table that a column is read from; nil if the column is computed.
    static func columnTable(_ statement: SQLiteStatement, at index: Int) -> String? {
        grdb_sqlite3_column_table_name(statement, CInt(index)).map { String(cString: $0) }
    }

    static func parameterCount(_ statement: SQLiteStatement) -> Int {
        Int(grdb_sqlite3_bind_parameter_count(statement))
    }

    /// The name of a parameter, including its prefix, or nil for `?`. Indexes start at 1.
    static func parameterName(_ statement: SQLiteStatement, at index: Int) -> String? {
        grdb_sqlite3_bind_parameter_name(statement, CInt(index)).map { String(cString: $0) }
    }

    static func isReadOnly(_ statement: SQLiteStatement) -> Bool {
        grdb_sqlite3_stmt_readonly(statement) != 0
    }

    /// Whether the statement is between a step and a reset.
    static func isBusy(_ statement: SQLiteStatement) -> Bool {
        grdb_sqlite3_stmt_busy(statement) != 0
    }

    /// Whether a failed statement that is not reset yet has undone its changes, while the transaction
    /// continues.
    static func wasUndone(_ statement: SQLiteStatement) -> Bool {
        grdb_was_undone(statement) != 0
    }

    /// The tables whose rows a statement may delete, with all their columns. This includes rows that
    /// `REPLACE` deletes, which SQLite does not report to the authorizer.
    static func deletions(_ statement: SQLiteStatement) -> [CaseInsensitiveIdentifier: Set<String>]
    {
        var deletions: [CaseInsensitiveIdentifier: Set<String>] = [:]
        withUnsafeMutablePointer(to: &deletions) { deletions in
            grdb_deletions(statement, deletions) { context, table, column in
                guard let context, let table, let column else { return }
                context.assumingMemoryBound(to: [CaseInsensitiveIdentifier: Set<String>].self)
                    .pointee[CaseInsensitiveIdentifier(String(cString: table)), default: []]
                    .insert(String(cString: column))
            }
        }
        return deletions
    }

    /// How many times the statement was recompiled after schema changes.
    static func recompilationCount(_ statement: SQLiteStatement) -> CInt {
        grdb_sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0)
    }

    /// The SQL text with the values of its parameters.
    static func expandedSQL(_ statement: SQLiteStatement) -> String? {
        guard let chars = grdb_sqlite3_expanded_sql(statement) else { return nil }
        defer { grdb_sqlite3_free(chars) }
        return String(cString: chars)
    }

    static func sql(_ statement: SQLiteStatement) -> String? {
        grdb_sqlite3_sql(statement).map { String(cString: $0) }
    }

    /// Whether the changes of the statement are undone if it fails, while the transaction continues.
    static func isUndoneOnFailure(_ statement: SQLiteStatement) -> Bool {
        grdb_is_undone_on_failure(statement) != 0
    }
}
