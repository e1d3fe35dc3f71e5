import GRDB
import CGRDBSQLite

/// The query that SQLite plans for a virtual table, and the table's answer. Valid during the call of
/// `RawVirtualTable.plan(_:)`.
///
/// See <https://www.sqlite.org/vtab.html#xbestindex>.
struct RawTablePlan {
    fileprivate let info: UnsafeMutablePointer<grdb_sqlite3_index_info>

    init(info: UnsafeMutablePointer<grdb_sqlite3_index_info>) {
        self.info = info
    }

    /// The operators of constraints.
    enum Operator {
        static let equal = CInt(SQLITE_INDEX_CONSTRAINT_EQ)
        static let greaterThan = CInt(SQLITE_INDEX_CONSTRAINT_GT)
        static let lessThanOrEqual = CInt(SQLITE_INDEX_CONSTRAINT_LE)
        static let lessThan = CInt(SQLITE_INDEX_CONSTRAINT_LT)
        static let greaterThanOrEqual = CInt(SQLITE_INDEX_CONSTRAINT_GE)
        static let match = CInt(SQLITE_INDEX_CONSTRAINT_MATCH)
        static let like = CInt(SQLITE_INDEX_CONSTRAINT_LIKE)
        static let glob = CInt(SQLITE_INDEX_CONSTRAINT_GLOB)
        static let regexp = CInt(SQLITE_INDEX_CONSTRAINT_REGEXP)
        static let notEqual = CInt(SQLITE_INDEX_CONSTRAINT_NE)
        static let isNot = CInt(SQLITE_INDEX_CONSTRAINT_ISNOT)
        static let isNotNull = CInt(SQLITE_INDEX_CONSTRAINT_ISNOTNULL)
        static let isNull = CInt(SQLITE_INDEX_CONSTRAINT_ISNULL)
        static let `is` = CInt(SQLITE_INDEX_CONSTRAINT_IS)
        static let limit = CInt(SQLITE_INDEX_CONSTRAINT_LIMIT)
        static let offset = CInt(SQLITE_INDEX_CONSTRAINT_OFFSET)
    }

    var constraintCount: Int { Int(info.pointee.nConstraint) }

    func constraint(_ index: Int) -> (column: Int, operation: CInt, isUsable: Bool) {
        let constraint = info.pointee.aConstraint[index]
        return (Int(constraint.iColumn), CInt(constraint.op), constraint.usable != 0)
    }

    func collation(_ index: Int) -> String {
        grdb_sqlite3_vtab_collation(info, CInt(index)).map { String(cString: $0) } ?? "BINARY"
    }

    /// The value of a constraint, if it is already known.
    func value(_ index: Int) -> OpaquePointer? {
        var value: OpaquePointer?
        guard grdb_sqlite3_vtab_rhs_value(info, CInt(index), &value) == SQLITE_OK else {
            return nil
        }
        return value
    }

    /// Whether a constraint is an `IN` operator whose values can be received as a list.
    func isList(_ index: Int) -> Bool {
        grdb_sqlite3_vtab_in(info, CInt(index), -1) != 0
    }

    func receiveList(_ index: Int) {
        _ = grdb_sqlite3_vtab_in(info, CInt(index), 1)
    }

    /// Passes the value of a constraint to the cursor.
    ///
    /// - parameter argument: the position of the value, from 1.
    func use(_ index: Int, asArgument argument: Int, omitsCheck: Bool) {
        info.pointee.aConstraintUsage[index].argvIndex = CInt(argument)
        info.pointee.aConstraintUsage[index].omit = omitsCheck ? 1 : 0
    }

    var orderingCount: Int { Int(info.pointee.nOrderBy) }

    func ordering(_ index: Int) -> (column: Int, isDescending: Bool) {
        let term = info.pointee.aOrderBy[index]
        return (Int(term.iColumn), term.desc != 0)
    }

    /// 0: all rows in order; 1: the rows of each group together; 2: distinct rows, together; 3: distinct
    /// rows, in order. See <https://www.sqlite.org/c3ref/vtab_distinct.html>.
    var distinctMode: CInt { grdb_sqlite3_vtab_distinct(info) }

    /// One bit per column that the statement uses. The highest bit represents all columns from 63 on.
    var usedColumns: UInt64 { UInt64(info.pointee.colUsed) }

    func setOrdered() { info.pointee.orderByConsumed = 1 }

    func setCost(_ cost: Double) { info.pointee.estimatedCost = cost }

    func setRowCount(_ count: Int64) { info.pointee.estimatedRows = max(count, 0) }

    func setUnique() { info.pointee.idxFlags |= CInt(SQLITE_INDEX_SCAN_UNIQUE) }

    func setNumber(_ number: CInt) { info.pointee.idxNum = number }

    func setText(_ text: String) {
        if info.pointee.needToFreeIdxStr != 0 { grdb_sqlite3_free(info.pointee.idxStr) }
        info.pointee.idxStr = grdbCopyMessage(text)
        info.pointee.needToFreeIdxStr = 1
    }
}

/// Returns a copy of a string that SQLite frees.
func grdbCopyMessage(_ message: String) -> UnsafeMutablePointer<CChar>? {
    let bytes = Array(message.utf8CString)
    guard let copy = grdb_sqlite3_malloc64(UInt64(bytes.count)) else { return nil }
    let chars = copy.assumingMemoryBound(to: CChar.self)
    chars.update(from: bytes, count: bytes.count)
    return chars
}
