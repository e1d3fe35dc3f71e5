/// A set of tables, columns and rows of a database, such as those that a request reads.
///
/// ```swift
/// let region = try db.makeStatement(sql: "SELECT name FROM player").databaseRegion
/// print(region) // player(name)
/// ```
///
/// A transaction observer can check whether a change modifies a region:
///
/// ```swift
/// func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
///     region.isModified(byEventsOfKind: eventKind)
/// }
///
/// func databaseDidChange(with event: DatabaseEvent) {
///     if region.isModified(by: event) {
///         isModified = true
///         stopObservingDatabaseChangesUntilNextTransaction()
///     }
/// }
/// ```
///
/// Names ignore ASCII case. Schemas are not distinguished: tables of the same name in different
/// attached databases count as one table.
public struct DatabaseRegion: Sendable {
    /// The columns and rows of one table. Nil means all of them.
    package struct TablePart: Hashable, Sendable {
        var columns: Set<CaseInsensitiveIdentifier>?
        var rowIDs: Set<Int64>?

        var isEmpty: Bool { columns?.isEmpty == true || rowIDs?.isEmpty == true }

        /// The names of the columns, spelled as in the table if it has these columns.
        func columnNames(as known: Set<String>) -> Set<String> {
            guard let columns else { return known }
            return Set(
                columns.map { column in
                    known.first { CaseInsensitiveIdentifier($0) == column } ?? column.rawValue
                })
        }

        func union(_ other: TablePart) -> TablePart {
            if isEmpty { return other }
            if other.isEmpty { return self }
            var result = TablePart()
            if let columns, let otherColumns = other.columns {
                result.columns = columns.union(otherColumns)
            }
            if let rowIDs, let otherRowIDs = other.rowIDs {
                result.rowIDs = rowIDs.union(otherRowIDs)
            }
            return result
        }
    }

    /// Nil means the full database.
    package private(set) var tables: [CaseInsensitiveIdentifier: TablePart]?

    private init(tables: [CaseInsensitiveIdentifier: TablePart]?) {
        self.tables = tables
    }

    /// The empty region.
    public init() {
        self.init(tables: [:])
    }

    /// The whole database: every row and column of every table.
    public static let fullDatabase = DatabaseRegion(tables: nil)

    /// Creates the region of a table, or of some of its columns and rows.
    package init(table: String, columns: Set<String>? = nil, rowIDs: Set<Int64>? = nil) {
        let columns = columns.map { Set($0.map { CaseInsensitiveIdentifier($0) }) }
        self.init(tables: [
            CaseInsensitiveIdentifier(table): TablePart(columns: columns, rowIDs: rowIDs)
        ])
    }

    /// Whether the region covers the full database.
    public var isFullDatabase: Bool { tables == nil }

    /// Whether the region is empty.
    public var isEmpty: Bool {
        tables.map { $0.values.allSatisfy(\.isEmpty) } ?? false
    }

    /// Adds a column. An empty name adds the whole table: a query that reads no column, such as
    /// `COUNT(*)`, depends on all rows.
    mutating func insert(column: String, ofTable table: String) {
        guard tables != nil else { return }
        let table = CaseInsensitiveIdentifier(table)
        if column.isEmpty {
            tables![table] = TablePart()
            return
        }
        if tables![table] == nil {
            tables![table] = TablePart(columns: [CaseInsensitiveIdentifier(column)])
        } else {
            tables![table]!.columns?.insert(CaseInsensitiveIdentifier(column))
        }
    }

    /// Adds the source columns of the generated columns in the region.
    ///
    /// - parameter generatedColumns: returns the generated columns of a table, one pair for each
    ///   source column.
    mutating func insertSourcesOfGeneratedColumns(
        _ generatedColumns: (String) -> [(column: String, source: String)]
    ) {
        for (table, part) in tables ?? [:] where part.columns != nil {
            let generatedColumns = generatedColumns(table.rawValue)
            var count = -1
            // A source may be generated as well.
            while let columns = tables?[table]?.columns, columns.count != count {
                count = columns.count
                for (column, source) in generatedColumns
                where columns.contains(CaseInsensitiveIdentifier(column)) {
                    tables![table]!.columns!.insert(CaseInsensitiveIdentifier(source))
                }
            }
        }
    }

    /// Whether the region has columns or rows of the table.
    func contains(table: String) -> Bool {
        tables?[CaseInsensitiveIdentifier(table)] != nil
    }

    /// Returns the region without a table.
    package func removing(table: String) -> DatabaseRegion {
        var result = self
        result.tables?[CaseInsensitiveIdentifier(table)] = nil
        return result
    }

    /// Returns the region, limited to the given rows of a table.
    func limiting(_ table: String, toRowIDs rowIDs: Set<Int64>) -> DatabaseRegion {
        guard let tables else { return DatabaseRegion(table: table, rowIDs: rowIDs) }
        let key = CaseInsensitiveIdentifier(table)
        guard var tableRegion = tables[key] else { return self }
        tableRegion.rowIDs = tableRegion.rowIDs.map { $0.intersection(rowIDs) } ?? rowIDs
        var result = self
        result.tables![key] = tableRegion
        return result
    }

    /// Returns the region with all rows of its tables.
    func withoutRowIDs() -> DatabaseRegion {
        guard let tables else { return self }
        return DatabaseRegion(
            tables: tables.compactMapValues { table in
                table.isEmpty ? nil : TablePart(columns: table.columns)
            })
    }

    /// Returns the region without the internal tables of SQLite and of this library, except for the entries
    /// of outboxes, which an app may count.
    func ignoringInternalTables(_ db: Database) -> DatabaseRegion {
        guard let tables else { return self }
        return DatabaseRegion(
            tables: tables.filter { table, _ in
                let name = table.rawValue
                if Database.isReservedTableName(name) { return false }
                if Database.isGRDBInternalTable(name) {
                    return ASCIICase.lowercased(name).hasPrefix("grdb_outbox_")
                }
                // A pragma function, unless the application has created such a table.
                return !Database.isSQLiteInternalTable(name) || (try? db.hasTable(name)) ?? true
            })
    }

    /// Returns the region without views, because only tables have rows that change.
    func ignoringViews(_ db: Database) throws -> DatabaseRegion {
        guard let tables else { return self }
        let views = try Set(
            db.schemaObjects(ofType: .view).map { CaseInsensitiveIdentifier($0.name) })
        if tables.keys.allSatisfy({ !views.contains($0) }) { return self }
        // A temporary view may hide a table that other statements read.
        let names = try Set(
            db.schemaObjects(ofType: .table).map { CaseInsensitiveIdentifier($0.name) })
        return DatabaseRegion(
            tables: tables.filter { !views.contains($0.key) || names.contains($0.key) })
    }

    /// Returns the union of two regions.
    public func union(_ other: DatabaseRegion) -> DatabaseRegion {
        guard let tables, let otherTables = other.tables else { return .fullDatabase }
        return DatabaseRegion(tables: tables.merging(otherTables) { $0.union($1) })
    }

    /// Adds another region to this one.
    public mutating func formUnion(_ other: DatabaseRegion) {
        self = union(other)
    }

    /// The kinds of changes that certainly modify the region, with names spelled as in the schemas.
    /// Includes all tables of the same name in different schemas.
    func modifyingEventKinds(in db: Database) throws -> [DatabaseEventKind] {
        // The tables and views with each name, and their schemas.
        var objects: [CaseInsensitiveIdentifier: [(name: String, schema: String)]] = [:]
        var allTables: [CaseInsensitiveIdentifier: TablePart] = [:]
        for schemaID in try db.schemaIDs(named: nil) {
            for object in try db.schemaObjects(in: schemaID).all
            where object.kind == .table || object.kind == .view {
                let name = CaseInsensitiveIdentifier(object.name)
                objects[name, default: []].append((object.name, schemaID.name))
                if object.kind == .table, !Database.isReservedTableName(object.name) {
                    allTables[name] = TablePart()
                }
            }
        }
        return try (tables ?? allTables).filter { !$0.value.isEmpty }
            .ordered { $0.key.rawValue < $1.key.rawValue }
            .flatMap { table, part -> [DatabaseEventKind] in
                if try Self.isEmptyTemporarySchema(table, in: db) { return [] }
                var columns: [String: Set<String>] = [:]
                for (name, schema) in objects[table] ?? [] {
                    let known = try String.fetchSet(
                        db, sql: "SELECT name FROM pragma_table_xinfo(?, ?)",
                        arguments: [name, schema])
                    columns[name, default: []].formUnion(part.columnNames(as: known))
                }
                if columns.isEmpty { columns[table.rawValue] = part.columnNames(as: []) }
                return columns.ordered { $0.key < $1.key }
                    .flatMap { name, columns -> [DatabaseEventKind] in
                        [
                            .insert(tableName: name), .delete(tableName: name),
                            .update(tableName: name, columnNames: columns),
                        ]
                    }
            }
    }

    /// Whether a table is the list of temporary objects, and is empty. Every connection has this list,
    /// even without temporary objects.
    private static func isEmptyTemporarySchema(
        _ table: CaseInsensitiveIdentifier, in db: Database
    ) throws -> Bool {
        guard table == "sqlite_temp_master" || table == "sqlite_temp_schema" else { return false }
        return try !db.raw.hasTemporaryDatabase
            || Row.fetchOne(db, sql: "SELECT 1 FROM sqlite_temp_master") == nil
    }

    // MARK: - Changes

    /// Returns whether changes of the given kind may modify the region.
    public func isModified(byEventsOfKind eventKind: DatabaseEventKind) -> Bool {
        guard let tables else { return true }
        guard let region = tables[CaseInsensitiveIdentifier(eventKind.tableName)],
            !region.isEmpty
        else { return false }
        switch eventKind {
        case .insert, .delete:
            return true
        case .update(_, let columnNames):
            guard let columns = region.columns else { return true }
            // A full-text table has a hidden column of the same name, which represents all its columns.
            if columns.contains(CaseInsensitiveIdentifier(eventKind.tableName)) { return true }
            return columnNames.contains { name in
                let name = CaseInsensitiveIdentifier(name)
                // A change of `rowid` may change any column: each may be an alias of the rowid. A set of
                // Swift strings keeps one of several names that only differ in their normalization.
                return columns.contains(name) || name == "rowid"
                    || columns.contains { $0.rawValue == name.rawValue }
            }
        }
    }

    /// Returns whether a change modifies the region.
    ///
    /// Call this method only for changes whose kind was accepted by ``isModified(byEventsOfKind:)``:
    /// the event does not contain the changed columns.
    ///
    /// SQLite does not report changes of virtual tables, such as full-text tables. It reports changes
    /// of the tables that store their content, such as `document_content` for `document`. Such a change
    /// modifies a region that contains the virtual table.
    ///
    /// The event only contains the rowid after the change. If a region of specific rows must detect that
    /// one of them gets another rowid, or is replaced by another row, call
    /// ``isModified(by:)-(DatabasePreUpdateEvent)`` in
    /// ``TransactionObserver/databaseWillChange(with:)``.
    public func isModified(by event: DatabaseEvent) -> Bool {
        guard let tables else { return true }
        for name in event.virtualTableNames {
            // The changed rows and columns of the virtual table are unknown.
            if tables[CaseInsensitiveIdentifier(name)]?.isEmpty == false { return true }
        }
        guard let region = tables[CaseInsensitiveIdentifier(event.tableName)], !region.isEmpty
        else { return false }
        guard let rowIDs = region.rowIDs else { return true }
        return rowIDs.contains(event.rowID)
    }

    /// Returns whether a change modifies the region.
    ///
    /// ```swift
    /// func databaseWillChange(with event: DatabasePreUpdateEvent) {
    ///     if region.isModified(by: event) { isModified = true }
    /// }
    /// ```
    ///
    /// Unlike ``isModified(by:)-(DatabaseEvent)``, this method compares the rowids before and after the
    /// change, including those of replaced rows, and the values of columns. It also supports tables
    /// `WITHOUT ROWID`. An update is assumed to change all `VIRTUAL` generated columns. A change of a table
    /// such as `document_content` is assumed to modify `document`, even if that is not a virtual table.
    public func isModified(by event: DatabasePreUpdateEvent) -> Bool {
        guard let tables else { return true }
        guard let region = tables[CaseInsensitiveIdentifier(event.tableName)] else {
            return hasVirtualTable(withContentIn: event.tableName)
        }
        if region.isEmpty { return false }
        let hasRowID = event.hasRowID
        if hasRowID, let rowIDs = region.rowIDs,
            !(event.initialRowID.map(rowIDs.contains) ?? false),
            !(event.finalRowID.map(rowIDs.contains) ?? false)
        {
            return false
        }
        guard event.kind == .update, let columns = region.columns else { return true }
        if hasRowID, event.initialRowID != event.finalRowID { return true }
        let names = event.columnNames
        return names.indices.contains { index in
            guard columns.contains(CaseInsensitiveIdentifier(names[index])) else { return false }
            // The dependencies of a generated column are unknown here.
            if !event.isColumnStored(at: index) { return true }
            guard let value = event.initialDatabaseValue(atIndex: index),
                let newValue = event.finalDatabaseValue(atIndex: index)
            else { return true }
            return !value.isIdentical(to: newValue)
        }
    }

    /// Whether a table, judging by its name, may store content of a virtual table in the region.
    private func hasVirtualTable(withContentIn name: String) -> Bool {
        tables?.contains { table, region in
            let count = table.rawValue.utf8.count + 1
            return !region.isEmpty && name.utf8.count > count
                && ASCIICase.equal(
                    String(decoding: name.utf8.prefix(count), as: UTF8.self),
                    table.rawValue + "_")
        } ?? false
    }
}

extension DatabaseRegion: Equatable {
    public static func == (lhs: DatabaseRegion, rhs: DatabaseRegion) -> Bool {
        switch (lhs.tables, rhs.tables) {
        case (nil, nil): true
        case (let lhs?, let rhs?):
            lhs.filter { !$0.value.isEmpty } == rhs.filter { !$0.value.isEmpty }
        default: false
        }
    }
}

extension DatabaseRegion: CustomStringConvertible {
    /// `full database`, `empty`, or the sorted tables: `player(id,name)[1,2],team(*)`.
    public var description: String {
        guard let tables else { return "full database" }
        if isEmpty { return "empty" }
        return tables.filter { !$0.value.isEmpty }
            .ordered { $0.key.rawValue < $1.key.rawValue }
            .map { name, region -> String in
                var text = name.rawValue
                if let columns = region.columns {
                    text += "(" + columns.map(\.rawValue).ordered().joined(separator: ",") + ")"
                } else {
                    text += "(*)"
                }
                if let rowIDs = region.rowIDs {
                    let texts = rowIDs.ordered(by: <).map(String.init)
                    text += "[" + texts.joined(separator: ",") + "]"
                }
                return text
            }
            .joined(separator: ",")
    }
}

/// A type that provides the database region it depends on.
///
/// ```swift
/// struct PlayerRequest: DatabaseRegionConvertible {
///     func databaseRegion(_ db: Database) throws -> DatabaseRegion {
///         try db.makeStatement(sql: "SELECT * FROM player").databaseRegion
///     }
/// }
/// ```
public protocol DatabaseRegionConvertible: Sendable {
    /// Returns the region.
    ///
    /// - throws: any error, such as a ``DatabaseError`` of code `SQLITE_ERROR` if a table does not
    ///   exist. Observations of the region fail with this error.
    func databaseRegion(_ db: Database) throws -> DatabaseRegion
}

extension DatabaseRegion: DatabaseRegionConvertible {
    public func databaseRegion(_ db: Database) throws -> DatabaseRegion { self }
}

extension DatabaseRegionConvertible where Self == DatabaseRegion {
    /// The region that covers the full database.
    public static var fullDatabase: DatabaseRegion { DatabaseRegion.fullDatabase }
}

/// A type-erased ``DatabaseRegionConvertible``.
public struct AnyDatabaseRegionConvertible: DatabaseRegionConvertible {
    private let region: @Sendable (Database) throws -> DatabaseRegion

    /// Creates a region from a closure.
    public init(_ region: @escaping @Sendable (Database) throws -> DatabaseRegion) {
        self.region = region
    }

    /// Creates a type-erased region.
    public init(_ region: some DatabaseRegionConvertible) {
        self.region = { try region.databaseRegion($0) }
    }

    public func databaseRegion(_ db: Database) throws -> DatabaseRegion {
        try region(db)
    }
}
