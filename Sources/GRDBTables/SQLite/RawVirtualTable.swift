import GRDB
import CGRDBSQLite

/// The implementation of a virtual table of one connection. SQLite owns it until it is disconnected.
///
/// Every method is called on the thread of the connection. An error thrown by a method becomes the error
/// of the running statement.
class RawVirtualTable {
    /// Plans a query with constraints and an order: see `RawTablePlan`.
    ///
    /// - returns: false if the table can't run the query with these constraints.
    func plan(_ plan: RawTablePlan) throws -> Bool { true }

    func makeCursor() throws -> RawTableCursor { fatalError("overridden") }

    /// Whether the affinity of a column would convert none of its values.
    func returnsOnlyValues(of affinity: RawAffinity, at index: Int) -> Bool { false }

    /// Called when the table is dropped.
    func destroy() throws {}

    func delete(rowID: OpaquePointer) throws {}

    /// - parameter rowID: a value that may be NULL.
    /// - returns: the rowid of the new row.
    func insert(_ values: RawFunctionArguments, rowID: OpaquePointer, onConflict: CInt) throws
        -> Int64
    {
        0
    }

    func update(
        rowID: OpaquePointer, newRowID: OpaquePointer, _ values: RawFunctionArguments,
        onConflict: CInt
    ) throws {}

    func begin() throws {}
    func sync() throws {}
    func commit() {}
    func rollback() {}
    func savepoint(_ number: CInt) throws {}
    func release(_ number: CInt) throws {}
    func rollback(to number: CInt) throws {}
    func rename(to name: String) throws {}

    /// - returns: the description of a problem, or nil.
    func integrityProblem(schema: String, table: String, isQuick: Bool) throws -> String? { nil }
}

/// The values passed to a callback.
struct RawFunctionArguments {
    let count: Int
    private let start: UnsafeMutablePointer<OpaquePointer?>?

    init(count: Int, start: UnsafeMutablePointer<OpaquePointer?>?) {
        self.count = count
        self.start = start
    }

    subscript(index: Int) -> OpaquePointer { start![index]! }

    /// Calls the closure with each value of an argument that represents the right side of `IN`.
    ///
    /// - returns: `SQLITE_OK`, or the code of a failure.
    func forEachValue(at index: Int, _ body: (OpaquePointer) -> Void) -> CInt {
        var value: OpaquePointer?
        var code = grdb_sqlite3_vtab_in_first(start![index], &value)
        while code == SQLITE_OK, let current = value {
            body(current)
            code = grdb_sqlite3_vtab_in_next(start![index], &value)
        }
        return code == SQLITE_DONE ? SQLITE_OK : code
    }
}

/// A cursor of a virtual table. SQLite owns it until it is closed.
class RawTableCursor {
    func filter(number: CInt, text: UnsafePointer<CChar>?, _ arguments: RawFunctionArguments) throws
    {}
    func next() throws {}
    var isAtEnd: Bool { true }
    func column(_ index: CInt, _ result: RawFunctionCall) throws {}
    func rowID() throws -> Int64 { 0 }
    func close() {}
}

/// A module of virtual tables implemented in Swift. SQLite owns it until all its tables are disconnected,
/// after it was replaced or the connection was closed.
class RawTableModule {
    struct Features: Hashable {
        /// Whether the table exists without `CREATE VIRTUAL TABLE`, and can't be created.
        var isEponymousOnly: Bool
        /// Whether the table also exists under the name of the module.
        var isEponymous: Bool
        var isWritable: Bool
        var hasTransactions: Bool
        /// The suffixes of the tables that store the content, without the underscore.
        var shadowNames: [String]
    }

    unowned let connection: RawConnection
    let features: Features

    init(_ connection: RawConnection, _ features: Features) {
        self.connection = connection
        self.features = features
    }

    /// Creates the table and its declaration.
    ///
    /// - parameter arguments: the names of the module, the schema and the table, then the arguments.
    func connect(_ arguments: [String], isCreated: Bool) throws
        -> (table: RawVirtualTable, declaration: String, config: [CInt])
    {
        fatalError("overridden")
    }

    /// Registers or replaces a module.
    func register(name: String) throws(RawFailure) {
        guard let handle = connection.handle else { throw RawFailure(code: SQLITE_MISUSE) }
        guard let definition = RawModuleDefinitions.definition(for: features) else {
            throw RawFailure(
                code: SQLITE_FULL,
                message: "Too many modules with different names of shadow tables")
        }
        // SQLite also calls xDestroy when this fails.
        let code = grdb_sqlite3_create_module_v2(
            handle, name, definition, Unmanaged.passRetained(self).toOpaque(),
            { Unmanaged<RawTableModule>.fromOpaque($0!).release() })
        if code != SQLITE_OK { throw connection.failure(code) }
    }

    /// Removes a module. Connected tables remain connected.
    static func remove(name: String, from connection: RawConnection) throws(RawFailure) {
        guard let handle = connection.handle else { throw RawFailure(code: SQLITE_MISUSE) }
        let code = grdb_sqlite3_create_module_v2(handle, name, nil, nil, nil)
        if code != SQLITE_OK { throw connection.failure(code) }
    }
}

/// The options of a virtual table, such as `SQLITE_VTAB_DIRECTONLY`.
enum RawTableConfig {
    static let directOnly = SQLITE_VTAB_DIRECTONLY
    static let innocuous = SQLITE_VTAB_INNOCUOUS
    static let usesConflicts = SQLITE_VTAB_CONSTRAINT_SUPPORT
}

/// The memory of an `sqlite3_vtab`, which starts with the part that SQLite uses.
struct RawTableMemory {
    var base = grdb_sqlite3_vtab()
    var table: Unmanaged<RawVirtualTable>
    var connection: Unmanaged<RawConnection>
    /// The codes of the affinities by which values of the columns are converted.
    var affinities: UnsafeMutablePointer<UInt8>
}

/// The memory of an `sqlite3_vtab_cursor`, which starts with the part that SQLite uses.
struct RawCursorMemory {
    var base = grdb_sqlite3_vtab_cursor()
    var cursor: Unmanaged<RawTableCursor>
}

extension RawConnection {
    /// Keeps the error of a callback for the statement that fails.
    ///
    /// - returns: the code and the message for SQLite.
    func keepCallbackError(_ error: any Error) -> (code: CInt, message: String) {
        if let failure = error as? RawFailure {
            return (failure.code, failure.message ?? RawSQLite.errorString(failure.code))
        }
        if callbackError == nil { callbackError = error }
        guard let error = error as? DatabaseError else { return (SQLITE_ERROR, "\(error)") }
        let code = error.extendedResultCode.rawValue
        return (
            code & 0xff == SQLITE_OK || code & 0xff >= SQLITE_ROW ? SQLITE_ERROR : code,
            error.message ?? "\(error)"
        )
    }
}
