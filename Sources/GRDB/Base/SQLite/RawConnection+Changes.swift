import CGRDBSQLite

// Information about changes that no `Statement` declares.

extension RawConnection {
    /// In the authorizer, whether a change of a table is compiled for the app, and not by SQLite itself.
    func isChangeOfApp(_ schema: UnsafePointer<CChar>?, _ table: UnsafePointer<CChar>) -> Bool {
        handle.map { grdb_is_change_of_app($0, schema, table) != 0 } ?? false
    }

    /// Whether C code has replaced the update hook or the preupdate hook of a receiver.
    func hasHooks(otherThanOf receiver: RawChangeReceiver) -> Bool {
        guard let handle else { return false }
        return grdb_has_hooks_of_app(handle, Unmanaged.passUnretained(receiver).toOpaque()) != 0
    }

    /// The number of statements that have started and not ended.
    var runningStatementCount: CInt {
        handle.map { grdb_running_statements($0) } ?? 0
    }

    /// Whether a function of the app may change the database, because it is declared neither deterministic
    /// nor innocuous.
    func mayWriteByFunction(_ name: UnsafePointer<CChar>) -> Bool {
        handle.map { grdb_may_write_by_function($0, name) != 0 } ?? false
    }

    /// The columns of a table, including its rowid. Runs no statement.
    func columnsOfTable(_ schema: String, _ table: String) -> Set<String> {
        guard let handle else { return [] }
        var columns: Set<String> = []
        withUnsafeMutablePointer(to: &columns) { columns in
            grdb_columns_of_table(handle, schema, table, columns) { context, column in
                guard let context, let column else { return }
                context.assumingMemoryBound(to: Set<String>.self)
                    .pointee.insert(String(cString: column))
            }
        }
        return columns
    }

    /// The virtual table that stores content in a table; nil if there is none.
    ///
    /// - parameter schema: nil for any schema.
    package func virtualTable(keepingContentIn table: String, _ schema: String?) -> String? {
        guard let handle else { return nil }
        let length = Int(grdb_virtual_table_prefix(handle, schema, table))
        return length > 0 ? String(decoding: table.utf8.prefix(length), as: UTF8.self) : nil
    }

    /// Whether a schema has a virtual table with this name.
    ///
    /// - parameter schema: nil for any schema.
    func hasVirtualTable(_ name: String, in schema: String? = nil) -> Bool {
        guard let handle else { return false }
        // A virtual table of this name would store content in a table whose name begins like this.
        return Int(grdb_virtual_table_prefix(handle, schema, name + "_")) == name.utf8.count
    }
}
