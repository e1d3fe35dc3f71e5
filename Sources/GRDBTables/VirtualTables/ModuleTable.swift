import GRDB

/// Runs a table that conforms to ``VirtualTable``.
final class ModuleTable<Table: VirtualTable>: RawVirtualTable {
    private let table: Table
    private weak var database: Database?
    private let region: DatabaseRegion

    init(_ table: Table, _ connection: VirtualTableConnection) {
        self.table = table
        database = connection.database
        region = DatabaseRegion(table: connection.tableName)
    }

    override func plan(_ raw: RawTablePlan) throws -> Bool {
        var plan = VirtualTablePlan(raw)
        guard try table.plan(&plan) else { return false }
        try plan.apply()
        return true
    }

    override func makeCursor() throws -> RawTableCursor {
        try ModuleCursor(table.makeCursor())
    }

    override func destroy() throws { try table.destroy() }

    override func rename(to name: String) throws { try table.rename(to: name) }

    override func integrityProblem(
        schema: String, table name: String, isQuick: Bool
    ) throws -> String? {
        try table.integrityProblem(schema: schema, table: name, isQuick: isQuick)
    }

    // MARK: - Changes

    private func writable() throws -> any WritableVirtualTable {
        guard let table = table as? any WritableVirtualTable else {
            throw DatabaseError(resultCode: .SQLITE_READONLY)
        }
        return table
    }

    override func delete(rowID: OpaquePointer) throws {
        try writable().delete(rowID: RawValue.int64(rowID))
        try notify()
    }

    override func insert(
        _ values: RawFunctionArguments, rowID: OpaquePointer, onConflict: Int32
    ) throws -> Int64 {
        let rowID =
            try Int64.fromDatabaseValue(DatabaseValue(rawValue: rowID))
            ?? Self.checkNull(rowID)
        let inserted = try writable().insert(
            Self.values(values), rowID: rowID, onConflict: Self.resolution(onConflict))
        try notify()
        return inserted
    }

    override func update(
        rowID: OpaquePointer, newRowID: OpaquePointer, _ values: RawFunctionArguments,
        onConflict: Int32
    ) throws {
        try writable().update(
            rowID: RawValue.int64(rowID), newRowID: RawValue.int64(newRowID),
            Self.values(values), onConflict: Self.resolution(onConflict))
        try notify()
    }

    /// SQLite reports no changes of virtual tables.
    private func notify() throws {
        guard let database, database.broker.isActive else { return }
        try database.notifyChanges(in: region)
    }

    private static func checkNull(_ rowID: OpaquePointer) throws -> Int64? {
        if DatabaseValue(rawValue: rowID).isNull { return nil }
        throw DatabaseError(resultCode: .SQLITE_MISMATCH, message: "datatype mismatch")
    }

    private static func values(_ values: RawFunctionArguments) -> [DatabaseValue] {
        (0..<values.count).map { DatabaseValue(rawValue: values[$0]) }
    }

    private static func resolution(_ code: Int32) -> Database.ConflictResolution {
        switch code {
        case 1: .rollback
        case 2: .ignore
        case 3: .fail
        case 5: .replace
        default: .abort
        }
    }

    // MARK: - Transactions

    private var transactional: (any TransactionalVirtualTable)? {
        table as? any TransactionalVirtualTable
    }

    override func begin() throws { try transactional?.begin() }
    override func sync() throws { try transactional?.sync() }
    override func commit() { transactional?.commit() }
    override func rollback() { transactional?.rollback() }
    override func savepoint(_ number: Int32) throws {
        try transactional?.savepoint(Int(number))
    }
    override func release(_ number: Int32) throws { try transactional?.release(Int(number)) }
    override func rollback(to number: Int32) throws {
        try transactional?.rollback(to: Int(number))
    }
}

private final class ModuleCursor<Cursor: VirtualTableCursor>: RawTableCursor {
    private let cursor: Cursor

    init(_ cursor: Cursor) { self.cursor = cursor }

    override func filter(
        number: Int32, text: UnsafePointer<CChar>?, _ arguments: RawFunctionArguments
    ) throws {
        try cursor.filter(
            number: Int(number), text: text.map { String(cString: $0) },
            arguments: VirtualTableArguments(raw: arguments))
    }

    override func next() throws { try cursor.next() }
    override var isAtEnd: Bool { cursor.isAtEnd }

    override func column(_ index: Int32, _ result: RawFunctionCall) throws {
        try cursor.column(Int(index), into: VirtualTableResult(raw: result))
    }

    override func rowID() throws -> Int64 { try cursor.rowID }
}
