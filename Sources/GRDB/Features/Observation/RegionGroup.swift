/// Watches the same columns of the same tables for several observations, which may each be interested
/// in other rows.
///
/// Belongs to the queue of its connection.
final class RegionGroup: TransactionObserver {
    /// Tells groups apart.
    struct Key: Hashable {
        private let tables: [CaseInsensitiveIdentifier: DatabaseRegion.TablePart]?

        init(_ region: DatabaseRegion) {
            tables = region.tables
        }
    }

    /// The observations of one table.
    private struct Table {
        /// Those that any row matters to.
        var ofAllRows: [ObjectIdentifier: RegionTracker] = [:]
        /// The others, by row.
        var byRow: [Int64: [ObjectIdentifier: RegionTracker]] = [:]
        /// Whether `DatabaseEvent` does not tell of the table.
        var isWithoutRowID = false
    }

    /// The tables and columns, with all rows.
    let region: DatabaseRegion

    /// The observations by table; empty when they observe the full database.
    private var tables: [CaseInsensitiveIdentifier: Table] = [:]
    private var trackers: [ObjectIdentifier: RegionTracker] = [:]
    private let hasChanged: (RegionTracker) -> Void
    private var rowWatcher: RowWatcher?

    /// - parameter hasChanged: called when the region of an observation has changed, maybe several
    ///   times a transaction.
    init(_ region: DatabaseRegion, hasChanged: @escaping (RegionTracker) -> Void) {
        self.region = region
        self.hasChanged = hasChanged
        for name in region.tables?.keys ?? [:].keys {
            tables[name] = Table()
        }
    }

    /// Looks again which tables have row identifiers.
    func schemaDidChange(_ db: Database) {
        for name in tables.keys {
            let primaryKey = try? db.primaryKey(name.rawValue)
            tables[name]!.isWithoutRowID = primaryKey.map { !$0.tableHasRowID } ?? false
        }
        updateRowWatcher(db)
    }

    /// The preupdate hook costs more than the update hook. It is only wanted for what the latter does
    /// not tell.
    private func updateRowWatcher(_ db: Database) {
        guard rowWatcher == nil,
            tables.values.contains(where: { $0.isWithoutRowID || !$0.byRow.isEmpty })
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
        for (name, table) in tracker.region.tables ?? [:] where tables[name] != nil {
            if let rowIDs = table.rowIDs {
                for rowID in rowIDs {
                    tables[name]!.byRow[rowID, default: [:]][id] = tracker
                }
            } else {
                tables[name]!.ofAllRows[id] = tracker
            }
        }
        updateRowWatcher(db)
    }

    func remove(_ tracker: RegionTracker) {
        let id = ObjectIdentifier(tracker)
        trackers[id] = nil
        for (name, table) in tracker.region.tables ?? [:] where tables[name] != nil {
            if let rowIDs = table.rowIDs {
                for rowID in rowIDs {
                    tables[name]!.byRow[rowID]?[id] = nil
                    if tables[name]!.byRow[rowID]?.isEmpty == true {
                        tables[name]!.byRow[rowID] = nil
                    }
                }
            } else {
                tables[name]!.ofAllRows[id] = nil
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

    func databaseDidChange(with event: DatabaseEvent) {
        rowDidChange(event.rowID, event.tableName)
    }

    /// Handles what `databaseDidChange(with:)` is not told: rows that make room for others in
    /// `INSERT OR REPLACE`, former row identifiers, tables `WITHOUT ROWID`.
    fileprivate func rowWillChange(_ event: DatabasePreUpdateEvent) {
        let table = tables[CaseInsensitiveIdentifier(event.tableName)]
        if let table, table.isWithoutRowID {
            wakeAll(of: table)
        } else if let rowID = event.initialRowID, rowID != event.finalRowID {
            rowDidChange(rowID, event.tableName)
        }
    }

    private func rowDidChange(_ rowID: Int64, _ tableName: String) {
        // What is not one of the tables is a part of a virtual one, or of the full database.
        guard let table = tables[CaseInsensitiveIdentifier(tableName)] else { return wakeAll() }
        if !table.byRow.isEmpty {
            for tracker in (table.byRow[rowID] ?? [:]).values {
                hasChanged(tracker)
            }
        }
        wakeAll(of: table)
    }

    private func wakeAll(of table: Table) {
        for tracker in table.ofAllRows.values {
            hasChanged(tracker)
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

    func databaseDidCommit(_ db: Database) {}

    func databaseDidRollback(_ db: Database) {}
}

/// Hands a group what is only known before a row changes.
private final class RowWatcher: TransactionObserver {
    private unowned let group: RegionGroup

    init(group: RegionGroup) {
        self.group = group
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        group.observes(eventsOfKind: eventKind)
    }

    func databaseWillChange(with event: DatabasePreUpdateEvent) {
        group.rowWillChange(event)
    }

    func databaseDidChange(with event: DatabaseEvent) {}

    func databaseDidCommit(_ db: Database) {}

    func databaseDidRollback(_ db: Database) {}
}
