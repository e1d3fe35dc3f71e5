import GRDB

/// A named implementation of virtual tables.
///
/// ```swift
/// var config = Configuration()
/// config.prepareDatabase { db in
///     db.add(module: .environment())
///     db.add(module: DatabaseModule("logfile", LogTable.self))
/// }
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/vtab.html>
public struct DatabaseModule: Sendable {
    /// How the tables of a module are created.
    public enum Creation: Sendable {
        /// By `CREATE VIRTUAL TABLE … USING name(…)`.
        case explicit

        /// The table has the name of the module, and exists as soon as the module is added. Its hidden
        /// columns are the arguments of a table-valued function.
        case eponymous

        /// Both of the above. Such a table must not require arguments.
        case explicitAndEponymous
    }

    /// The name of the module.
    public let name: String

    let makeModule: @Sendable (Database) -> RawTableModule

    init(name: String, makeModule: @escaping @Sendable (Database) -> RawTableModule) {
        self.name = name
        self.makeModule = makeModule
    }

    /// Creates a module.
    ///
    /// - parameter name: the name of the module.
    /// - parameter table: the type of the tables. See ``VirtualTable``.
    /// - parameter creation: whether SQL creates the tables.
    public init<Table: VirtualTable>(
        _ name: String, _ table: Table.Type, creation: Creation = .explicit
    ) where Table: SendableMetatype {
        self.init(name: name) { db in
            ClosureModule(
                db.raw,
                RawTableModule.Features(
                    isEponymousOnly: creation == .eponymous,
                    isEponymous: creation != .explicit,
                    isWritable: table is any WritableVirtualTable.Type,
                    hasTransactions: table is any TransactionalVirtualTable.Type,
                    shadowNames: table.shadowTableSuffixes)
            ) { [weak db] arguments, isCreated in
                guard let db else { throw Database.closedError }
                let connection = VirtualTableConnection(
                    database: db, moduleName: arguments[0], schemaName: arguments[1],
                    tableName: arguments[2], arguments: Array(arguments.dropFirst(3)),
                    isCreated: isCreated)
                let instance = try table.init(connecting: connection)
                return (
                    ModuleTable(instance, connection),
                    "CREATE TABLE x(\(instance.declaration))",
                    instance.trust.config
                )
            }
        }
    }
}

extension VirtualTableTrust {
    var config: [Int32] {
        switch self {
        case .standard: []
        case .directOnly: [RawTableConfig.directOnly]
        case .innocuous: [RawTableConfig.innocuous]
        }
    }
}

/// A module whose tables a closure makes.
final class ClosureModule: RawTableModule {
    typealias Connection = (
        table: RawVirtualTable, declaration: String, config: [Int32]
    )

    private let makeTable: ([String], Bool) throws -> Connection

    init(
        _ connection: RawConnection, _ features: Features,
        makeTable: @escaping ([String], Bool) throws -> Connection
    ) {
        self.makeTable = makeTable
        super.init(connection, features)
    }

    override func connect(_ arguments: [String], isCreated: Bool) throws -> Connection {
        try makeTable(arguments, isCreated)
    }
}

extension Database {
    /// Adds a module, so that the connection can use its virtual tables. It replaces the module of the
    /// same name for the tables that are opened from now on.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in
    ///     db.add(module: .environment())
    /// }
    /// ```
    ///
    /// If SQLite refuses the module, the current access throws a ``/GRDB/DatabaseError`` and commits nothing. If
    /// the access can't throw, the next access of the connection does. In `prepareDatabase`, the connection
    /// is not opened. See ``tryAdd(module:)`` for a method that throws at once.
    ///
    /// - precondition: the connection belongs to the current thread.
    public func add(module: DatabaseModule) {
        keepingFailure(of: "add module \(module.name)") { try tryAdd(module: module) }
    }

    /// Adds a module, as ``add(module:)`` does, or throws.
    ///
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` if the connection is closed or does not
    ///   belong to the current thread, or if the name has a NUL character.
    public func tryAdd(module: DatabaseModule) throws {
        try checkAccess()
        try Database.checkName(module.name, of: "module")
        do throws(RawFailure) {
            try module.makeModule(self).register(name: module.name)
        } catch {
            throw DatabaseError(error)
        }
        modulesDidChange()
    }

    /// Removes a module. Tables that statements use remain usable until the statements are finalized.
    ///
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` if the connection is closed or does not
    ///   belong to the current thread.
    public func removeModule(named name: String) throws {
        try checkAccess()
        try Database.checkName(name, of: "module")
        do throws(RawFailure) {
            try RawTableModule.remove(name: name, from: raw)
        } catch {
            throw DatabaseError(error)
        }
        modulesDidChange()
    }

    /// SQLite does not compile statements anew because of modules.
    private func modulesDidChange() {
        schemaGeneration &+= 1
        clearSchemaCache()
        statementCache.removeAll()
    }
}
