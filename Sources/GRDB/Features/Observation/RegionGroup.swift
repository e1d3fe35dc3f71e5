/// Observes columns of tables on behalf of several observations, each of which may track different
/// rows.
///
/// Belongs to the queue of its connection.
final class RegionGroup: RowChangeObserver {
    /// The observations of one table.
    private final class Table {
        /// The observations of all rows.
        @exclusivity(unchecked)
        var ofAllRows: [ObjectIdentifier: RegionTracker] = [:]
        /// The observations of single rows, by rowid.
        @exclusivity(unchecked)
        var byRow: [Int64: [ObjectIdentifier: RegionTracker]] = [:]
        /// Whether SQLite calls no update hook for the table.
        var isWithoutRowID = false
        /// Whether SQLite could not read the schema, for example because memory is exhausted. Any
        /// change then wakes all observations of the table.
        var isUnknown = false
        /// The columns that alias the rowid, in all tables of that name in the attached databases.
        var rowIDColumns: Set<CaseInsensitiveIdentifier> = []

        /// Whether the update hook misses some changes of a kind. It reports neither rows deleted
        /// by conflict resolution, nor the former rowids of rows.
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

    /// The tables and columns, with all rows. They identify the group.
    let region: DatabaseRegion

    /// The observations by table; empty when they observe the full database.
    private let tables: [CaseInsensitiveIdentifier: Table]
    @exclusivity(unchecked)
    private var trackers: [ObjectIdentifier: RegionTracker] = [:]
    private let hasChanged: (RegionTracker) -> Void
    private var rowWatcher: RowWatcher?

    /// For the full database, the tables for which SQLite calls no update hook; nil if the schema
    /// could not be read.
    private var tablesWithoutRowID: Set<CaseInsensitiveIdentifier>? = []

    /// The table of the latest event, with the names in that event. A cache.
    @exclusivity(unchecked)
    private var latestTable: (names: TableNames, table: Table?)?

    /// - parameter hasChanged: called when the region of an observation has changed, possibly
    ///   several times per transaction.
    init(_ region: DatabaseRegion, hasChanged: @escaping (RegionTracker) -> Void) {
        self.region = region
        self.hasChanged = hasChanged
        tables = (region.tables ?? [:]).mapValues { _ in Table() }
    }

    /// Finds out again which tables have row identifiers.
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

    /// Installs the preupdate hook if needed. It costs more than the update hook, so it only
    /// reports what the update hook does not.
    private func updateRowWatcher(_ db: Database) {
        // The set of statements that the watcher observes may have changed.
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

    /// Starts observing the connection.
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

    /// The hub answers.
    func contentWasReplaced(in schemaName: String?, _ db: Database) {}

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

    /// Handles the changes that `databaseDidChange(with:)` does not receive: rows deleted by
    /// `INSERT OR REPLACE`, former row identifiers, and `WITHOUT ROWID` tables.
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

    /// Returns the table of an event; nil if the group observes the full database, or does not know
    /// the table because it belongs to a virtual table.
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
        // All trackers were woken: further changes in the transaction don't matter.
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

/// Passes to a group the events that only the preupdate hook reports.
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

    func contentWasReplaced(in schemaName: String?, _ db: Database) {}

    func databaseDidChange(with event: DatabaseEvent) {}
}
