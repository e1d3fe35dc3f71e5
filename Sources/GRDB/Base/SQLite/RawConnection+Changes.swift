import CGRDBSQLite

// What the connection knows of changes that no statement of the toolkit has declared.

extension RawConnection {
    /// In the authorizer, whether the app compiles the change of a table, rather than SQLite on its own.
    func isChangeOfApp(_ schema: UnsafePointer<CChar>?, _ table: UnsafePointer<CChar>) -> Bool {
        handle.map { grdb_is_change_of_app($0, schema, table) != 0 } ?? false
    }

    /// Whether C code has installed an update hook or a preupdate hook in the place of a receiver.
    func hasHooks(otherThanOf receiver: RawChangeReceiver) -> Bool {
        guard let handle else { return false }
        return grdb_has_hooks_of_app(handle, Unmanaged.passUnretained(receiver).toOpaque()) != 0
    }

    /// The number of statements that have begun, and not ended.
    var runningStatementCount: CInt {
        handle.map { grdb_running_statements($0) } ?? 0
    }

    /// Whether a function of the app may change the database: it is declared neither deterministic nor
    /// innocuous.
    func mayWriteByFunction(_ name: UnsafePointer<CChar>) -> Bool {
        handle.map { grdb_may_write_by_function($0, name) != 0 } ?? false
    }

    /// The columns of a table, and its rowid. Runs no statement.
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

    /// The virtual table that keeps content in a table; nil if there is none.
    ///
    /// - parameter schema: nil for any schema.
    func virtualTable(keepingContentIn table: String, _ schema: String?) -> String? {
        guard let handle else { return nil }
        let length = Int(grdb_virtual_table_prefix(handle, schema, table))
        return length > 0 ? String(decoding: table.utf8.prefix(length), as: UTF8.self) : nil
    }

    /// Whether some schema has a virtual table of this name.
    func hasVirtualTable(_ name: String) -> Bool {
        guard let handle else { return false }
        // It would keep content in a table of this name.
        return Int(grdb_virtual_table_prefix(handle, nil, name + "_")) == name.utf8.count
    }
}
