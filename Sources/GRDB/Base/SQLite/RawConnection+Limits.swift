import CGRDBSQLite

extension RawConnection {
    package func limit(_ limit: RawLimit) -> Int {
        handle.map { Int(grdb_sqlite3_limit($0, limit.code, -1)) } ?? 0
    }

    /// - returns: the former limit.
    @discardableResult
    package func setLimit(_ limit: RawLimit, to value: Int) -> Int {
        guard let handle else { return 0 }
        return Int(grdb_sqlite3_limit(handle, limit.code, CInt(clamping: max(value, 0))))
    }
}

/// A limit of SQLite. The core only needs the three below; GRDBServer knows the others.
package struct RawLimit {
    fileprivate let code: CInt

    package init(code: CInt) {
        self.code = code
    }

    static let length = RawLimit(code: SQLITE_LIMIT_LENGTH)
    static let sqlLength = RawLimit(code: SQLITE_LIMIT_SQL_LENGTH)
    static let argumentCount = RawLimit(code: SQLITE_LIMIT_VARIABLE_NUMBER)
}
