/// Watches the same columns of the same tables for several observations, which may each be interested
/// in other rows.
///
/// Belongs to the queue of its connection.
final class RegionGroup: RowChangeObserver {
    /// Tells groups apart.
    struct Key: Hashable {
        private let tables: [CaseInsensitiveIdentifier: DatabaseRegion.TablePart]?

        init(_ region: DatabaseRegion) {
            tables = region.tables
        }
    }

    /// The observations of one table.
    private final class Table {
        /// Those that any row matters to.
        @exclusivity(unchecked)
        var ofAllRows: [ObjectIdentifier: RegionTracker] = [:]
        /// The others, by row.
        @exclusivity(unchecked)
        var byRow: [Int64: [ObjectIdentifier: RegionTracker]] = [:]
        /// Whether SQLite calls no update hook for the table.
        var isWithoutRowID = false
        /// Whether SQLite could not read the schema, because memory is exhausted, for instance. Any
        /// change may then matter to all observations of the table.
        var isUnknown = false
        /// The columns that are another name of the rowid, of tables of the same name.
        var rowIDColumns: Set<CaseInsensitiveIdentifier> = []

        /// Whether the update hook does not report all that matters of some kind of change. It never
        /// reports rows that a conflict has deleted, nor the former rowids of rows.
        func needsPreUpdates(ofKind kind: DatabaseEventKind, replaces: Bool) -> Bool {
            if isWithoutRowID || isUnknown { return true }
            if byRow.isEmpty { return false }
            if replaces { return true }
            guard case .update(_, let columnNames) = kind else { return false }
            return columnNames.contains { name in
                let name = CaseInsensitiveIdentifier(name)
                return name == "rowid" || rowIDColumns.contains(name)
            }
        }
    }

    /// The tables and columns, with all rows.
    let region: DatabaseRegion

    /// The observations by table; empty when they observe the full database.
    private let tables: [CaseInsensitiveIdentifier: Table]
    @exclusivity(unchecked)
    private var trackers: [ObjectIdentifier: RegionTracker] = [:]
    private let hasChanged: (RegionTracker) -> Void
    private var rowWatcher: RowWatcher?

    /// For the full database, the tables for which SQLite calls no update hook; nil if they could not be
    /// read.
    private var tablesWithoutRowID: Set<CaseInsensitiveIdentifier>? = []

    /// The table of the latest event, and how the event names it.
    @exclusivity(unchecked)
    private var latestTable: (names: TableNames, table: Table?)?

    /// - parameter hasChanged: called when the region of an observation has changed, maybe several
    ///   times a transaction.
    init(_ region: DatabaseRegion, hasChanged: @escaping (RegionTracker) -> Void) {
        self.region = region
        self.hasChanged = hasChanged
        tables = (region.tables ?? [:]).mapValues { _ in Table() }
    }

    /// Looks again which tables have row identifiers.
    func schemaDidChange(_ db: Database) {
        if region.isFullDatabase { tablesWithoutRowID = try? db.tablesWithoutRowID() }
        for (name, table) in tables {
            do {
                let primaryKeys = try Self.primaryKeys(ofTablesNamed: name.rawValue, db)
                table.isUnknown = false
                table.isWithoutRowID = primaryKeys.contains { !$0.tableHasRowID }
                table.rowIDColumns = Set(
                    primaryKeys.compactMap(\.rowIDColumn).map { CaseInsensitiveIdentifier($0) })
            } catch {
                table.isUnknown = true
            }
        }
        updateRowWatcher(db)
    }

    private static func primaryKeys(
        ofTablesNamed name: String, _ db: Database
    ) throws -> [PrimaryKeyInfo] {
        try db.schemaIDs(named: nil).compactMap {
            do {
                return try db.primaryKey(name, in: $0.name)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                // The schema has no such table.
                return nil
            }
        }
    }

    /// The preupdate hook costs more than the update hook. It is only installed for what the latter does
    /// not report.
    private func updateRowWatcher(_ db: Database) {
        // It may want to know more than before, or less.
        if rowWatcher != nil { return db.broker.interestsDidChange() }
        guard
            tablesWithoutRowID?.isEmpty != true
                || tables.values.contains(where: {
                    $0.isWithoutRowID || $0.isUnknown || !$0.byRow.isEmpty
                })
        else { return }
        let watcher = RowWatcher(group: self)
        rowWatcher = watcher
        db.add(transactionObserver: watcher, extent: .databaseLifetime)
    }

    /// Begins to observe the connection.
    func start(_ db: Database) {
        db.add(transactionObserver: self, extent: .databaseLifetime)
        schemaDidChange(db)
    }

    func stop(_ db: Database) {
        db.remove(transactionObserver: self)
        if let rowWatcher {
            db.remove(transactionObserver: rowWatcher)
        }
    }

    // MARK: - Trackers

    var isEmpty: Bool { trackers.isEmpty }

    func insert(_ tracker: RegionTracker, _ db: Database) {
        let id = ObjectIdentifier(tracker)
        trackers[id] = tracker
        var hasNewRows = false
        for (name, part) in tracker.region.tables ?? [:] {
            guard let table = tables[name] else { continue }
            if let rowIDs = part.rowIDs {
                if table.byRow.isEmpty, !rowIDs.isEmpty { hasNewRows = true }
                for rowID in rowIDs {
                    table.byRow[rowID, default: [:]][id] = tracker
                }
            } else {
                table.ofAllRows[id] = tracker
            }
        }
        if hasNewRows { updateRowWatcher(db) }
    }

    func remove(_ tracker: RegionTracker) {
        let id = ObjectIdentifier(tracker)
        trackers[id] = nil
        for (name, part) in tracker.region.tables ?? [:] {
            guard let table = tables[name] else { continue }
            if let rowIDs = part.rowIDs {
                for rowID in rowIDs {
                    table.byRow[rowID]?[id] = nil
                    if table.byRow[rowID]?.isEmpty == true {
                        table.byRow[rowID] = nil
                    }
                }
            } else {
                table.ofAllRows[id] = nil
            }
        }
    }

    // MARK: - Changes

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        region.isModified(byEventsOfKind: eventKind)
    }

    func databaseDidChange() {
        wakeAll()
    }

    /// Whether the events of `databaseDidChange(with:)` are not enough.
    fileprivate func needsPreUpdates(ofKind kind: DatabaseEventKind, replaces: Bool) -> Bool {
        let name = CaseInsensitiveIdentifier(kind.tableName)
        if region.isFullDatabase { return tablesWithoutRowID?.contains(name) ?? true }
        guard let table = tables[name] else { return false }
        return table.needsPreUpdates(ofKind: kind, replaces: replaces)
            && region.isModified(byEventsOfKind: kind)
    }

    func databaseDidChange(with event: DatabaseEvent) {
        rowDidChange(event.rowID, table(event.names))
    }

    /// Handles what `databaseDidChange(with:)` does not receive: rows that `INSERT OR REPLACE`
    /// deletes, former row identifiers, tables `WITHOUT ROWID`.
    fileprivate func rowWillChange(_ event: DatabasePreUpdateEvent) {
        if region.isFullDatabase { return wakeAll() }
        let table = table(event.names)
        if let table, table.isUnknown {
            wakeAll()
        } else if let table, table.isWithoutRowID {
            wakeAll(of: table)
        } else if let rowID = event.initialRowID, rowID != event.finalRowID {
            rowDidChange(rowID, table)
        }
    }

    /// The table of an event; nil if it is a part of a virtual one, or of the full database.
    @inline(__always)
    private func table(_ names: TableNames) -> Table? {
        if let latestTable, latestTable.names === names { return latestTable.table }
        let table = tables[CaseInsensitiveIdentifier(names.tableName)]
        latestTable = (names, table)
        return table
    }

    private func rowDidChange(_ rowID: Int64, _ table: Table?) {
        guard let table else { return wakeAll() }
        if !table.byRow.isEmpty, let trackers = table.byRow[rowID] {
            for tracker in trackers.values {
                hasChanged(tracker)
            }
        }
        wakeAll(of: table)
    }

    private func wakeAll(of table: Table) {
        if !table.ofAllRows.isEmpty {
            for tracker in table.ofAllRows.values {
                hasChanged(tracker)
            }
        }
        // With one table, or in others as well, everybody knows.
        if table.ofAllRows.count == trackers.count {
            stopObservingDatabaseChangesUntilNextTransaction()
        }
    }

    private func wakeAll() {
        for tracker in trackers.values {
            hasChanged(tracker)
        }
        stopObservingDatabaseChangesUntilNextTransaction()
    }
}

/// Hands a group what is only known before a row changes.
private final class RowWatcher: RowChangeObserver {
    private unowned let group: RegionGroup

    static var wantsPreUpdates: Bool { true }

    init(group: RegionGroup) {
        self.group = group
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        observes(eventsOfKind: eventKind, replaces: true)
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind, replaces: Bool) -> Bool {
        group.needsPreUpdates(ofKind: eventKind, replaces: replaces)
    }

    func databaseWillChange(with event: DatabasePreUpdateEvent) {
        group.rowWillChange(event)
    }

    func databaseDidChange(with event: DatabaseEvent) {}
}
