/// A module for virtual tables.
///
/// Conform to this protocol to create virtual tables with a Swift definition:
///
/// ```swift
/// // CREATE VIRTUAL TABLE "document" USING fts5(content)
/// try db.create(virtualTable: "document", using: FTS5()) { t in
///     t.column("content")
/// }
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/vtab.html>
public protocol VirtualTableModule {
    /// The type of the definition that the closure of
    /// ``Database/create(virtualTable:options:using:_:)`` receives.
    associatedtype TableDefinition

    /// The name of the module.
    var moduleName: String { get }

    /// Returns a table definition, which is passed to the closure that defines the table.
    func makeTableDefinition(configuration: VirtualTableConfiguration) -> TableDefinition

    /// Returns the arguments of the module, as SQL text, for a defined table.
    ///
    /// - throws: any error, which prevents the creation of the table.
    func moduleArguments(for definition: TableDefinition, in db: Database) throws -> [String]

    /// Called after the table was created, to complete it.
    ///
    /// - throws: any error, which rolls back the creation of the table.
    func database(
        _ db: Database, didCreate tableName: String, using definition: TableDefinition) throws
}

/// The options of a virtual table to create.
public struct VirtualTableConfiguration: Sendable {
    /// Whether nothing happens if the table already exists.
    public let ifNotExists: Bool

    /// Whether the table is deleted when the connection is closed.
    public let temporary: Bool

    /// The schema of the table.
    var schemaName: String { temporary ? "temp" : "main" }
}

/// A definition of a virtual table that reports mistakes more precisely than SQLite.
package protocol CheckedVirtualTableDefinition {
    /// Called before the table is created.
    ///
    /// - throws: an error, if the table can't be created with this definition.
    func check(_ context: VirtualTableContext) throws

    /// Called if the table already exists and was created with the same definition.
    func completeExistingTable(_ context: VirtualTableContext) throws
}

extension CheckedVirtualTableDefinition {
    package func completeExistingTable(_ context: VirtualTableContext) throws {}
}

/// A virtual table to create, and its database.
package struct VirtualTableContext {
    let db: Database
    let tableName: String
    let schemaName: String

    package func error(_ message: String) -> DatabaseError {
        DatabaseError(message: "can't create table \(tableName): \(message)")
    }
}

extension Database {
    /// Creates a table whose rows a module provides.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "vocabulary" USING spellfix1
    /// try db.create(virtualTable: "vocabulary", using: "spellfix1")
    /// ```
    ///
    /// - parameter name: the table name.
    /// - parameter options: virtual table creation options.
    /// - parameter module: the name of the module and its arguments, as SQL text.
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if the module does not exist or
    ///   rejects its arguments, or if the name is taken.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_createvtab.html>
    public func create(
        virtualTable name: String, options: VirtualTableOptions = [], using module: String
    ) throws {
        var sql = "CREATE VIRTUAL TABLE"
        if options.contains(.ifNotExists) { sql += " IF NOT EXISTS" }
        sql += options.contains(.temporary) ? " temp." : " "
        try execute(sql: "\(sql)\(name.schemaIdentifier()) USING \(module)")
    }

    /// Creates a table whose rows a module provides.
    ///
    /// Prefer ``create(virtualTable:options:using:)``.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if the module does not exist or
    ///   rejects its arguments, or if the name is taken.
    @_disfavoredOverload
    public func create(
        virtualTable name: String, ifNotExists: Bool = false, using module: String
    ) throws {
        try create(
            virtualTable: name, options: ifNotExists ? .ifNotExists : [], using: module)
    }

    /// Creates a table whose rows a module provides.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "book" USING fts4(content)
    /// try db.create(virtualTable: "book", using: FTS4()) { t in
    ///     t.column("content")
    /// }
    /// ```
    ///
    /// - parameter tableName: the table name.
    /// - parameter options: virtual table creation options.
    /// - parameter module: the module.
    /// - parameter body: a closure that defines the table.
    /// - throws: an error of the closure or of the module, or a ``DatabaseError``. The database is
    ///   then unchanged.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_createvtab.html>
    public func create<Module: VirtualTableModule>(
        virtualTable tableName: String,
        options: VirtualTableOptions = [],
        using module: Module,
        _ body: ((Module.TableDefinition) throws -> Void)? = nil
    ) throws {
        try checkAccess()
        let configuration = VirtualTableConfiguration(
            ifNotExists: options.contains(.ifNotExists), temporary: options.contains(.temporary))
        let definition = module.makeTableDefinition(configuration: configuration)
        try body?(definition)
        try inSavepoint {
            let schema = configuration.schemaName
            let context = VirtualTableContext(
                db: self, tableName: tableName, schemaName: schema)
            let checkedDefinition = definition as? any CheckedVirtualTableDefinition
            let existingTable =
                try options.contains(.ifNotExists)
                ? schemaObjects(in: .attached(schema)).tableOrView(named: tableName) : nil
            if existingTable == nil { try checkedDefinition?.check(context) }
            let arguments = try module.moduleArguments(for: definition, in: self)
            let list = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
            try create(
                virtualTable: tableName, options: options, using: module.moduleName + list)
            if let existingTable {
                // SQLite stores the module and its arguments as they were written.
                let isSame =
                    existingTable.sql?.hasSuffix(" USING \(module.moduleName)\(list)") ?? false
                if isSame { try checkedDefinition?.completeExistingTable(context) }
            } else {
                try module.database(self, didCreate: tableName, using: definition)
            }
            return .commit
        }
    }

    /// Creates a table whose rows a module provides.
    ///
    /// Prefer ``create(virtualTable:options:using:_:)``.
    ///
    /// - throws: an error of the closure or of the module, or a ``DatabaseError``.
    @_disfavoredOverload
    public func create<Module: VirtualTableModule>(
        virtualTable tableName: String,
        ifNotExists: Bool = false,
        using module: Module,
        _ body: ((Module.TableDefinition) throws -> Void)? = nil
    ) throws {
        try create(
            virtualTable: tableName, options: ifNotExists ? .ifNotExists : [], using: module,
            body)
    }
}
