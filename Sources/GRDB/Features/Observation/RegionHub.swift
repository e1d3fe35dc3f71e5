/// Notifies the observations of one connection about the transactions that have changed their
/// regions.
///
/// Observations of the same tables and columns share one transaction observer. It looks up the
/// observations to wake by rowid, so that a thousand observations of a thousand different rows slow
/// down a write as much as one. At the end of a transaction, the hub notifies the observations of
/// all groups, and checks whether the schema has changed.
///
/// The hub lives as long as its connection, because adding and removing it would recompile
/// statements.
final class RegionHub: DatabaseClosingObserver, LastingInterestObserver {
    private var trackers: [Int: RegionTracker] = [:]
    private var groups: [RegionGroup] = []
    private var latestNumber = 0

    /// The trackers whose region the current transaction has changed, or that must wait for its
    /// end.
    private var changed: [RegionTracker] = []

    /// The definitions of all tables and views, and the schema generation in which they were read.
    private var definitions: [CaseInsensitiveIdentifier: [String]]?
    private var schemaGeneration: Int

    /// Whether any table may have changed since the last commit.
    private var isContentReplaced = false

    private enum StorageKey: DatabaseStorageKey {
        static var defaultValue: RegionHub? { nil }
    }

    private init(_ db: Database) {
        schemaGeneration = db.schemaGeneration
        definitions = try? Self.definitions(db)
    }

    /// Returns the hub of a writable connection, and creates it if needed.
    static func of(_ db: Database) -> RegionHub {
        if let hub = db[StorageKey.self] { return hub }
        let hub = RegionHub(db)
        db[StorageKey.self] = hub
        db.add(transactionObserver: hub, extent: .databaseLifetime)
        return hub
    }

    /// Returns the hub of a connection, if the connection is open and has one.
    static func existing(_ db: Database) -> RegionHub? { db[StorageKey.self] }

    // MARK: - Trackers

    /// Registers a tracker for a region, replacing the tracker's previous region.
    ///
    /// - parameter isUncertain: whether the tracker has started in the current transaction, and
    ///   must be notified of its end.
    func track(
        _ region: DatabaseRegion, by tracker: RegionTracker, isUncertain: Bool = false,
        _ db: Database
    ) {
        if tracker.number == nil {
            latestNumber += 1
            tracker.number = latestNumber
            trackers[latestNumber] = tracker
        } else if tracker.region == region, !isUncertain {
            return
        }
        leaveGroup(tracker, db)
        tracker.region = region
        joinGroup(tracker, db)
        if isUncertain {
            tracker.isUncertain = true
            hasChanged(tracker)
        }
    }

    func remove(_ tracker: RegionTracker, _ db: Database) {
        guard let number = tracker.number else { return }
        leaveGroup(tracker, db)
        tracker.number = nil
        trackers[number] = nil
    }

    private func joinGroup(_ tracker: RegionTracker, _ db: Database) {
        let region = tracker.region.ignoringInternalTables(db).withoutRowIDs()
        if region.isEmpty { return }
        let group: RegionGroup
        // Not a dictionary by tables, which would take 6 KB: regions differ in their first table, as a rule.
        if let existing = groups.first(where: { $0.region.tables == region.tables }) {
            group = existing
        } else {
            group = RegionGroup(region) { [unowned self] in hasChanged($0) }
            groups.append(group)
            group.start(db)
        }
        group.insert(tracker, db)
        tracker.group = group
    }

    private func leaveGroup(_ tracker: RegionTracker, _ db: Database) {
        guard let group = tracker.group else { return }
        tracker.group = nil
        group.remove(tracker)
        if group.isEmpty {
            groups.removeAll { $0 === group }
            group.stop(db)
        }
    }

    fileprivate func hasChanged(_ tracker: RegionTracker) {
        if tracker.isChanged { return }
        tracker.isChanged = true
        changed.append(tracker)
    }

    // MARK: - Transactions

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }

    func databaseDidChange(with event: DatabaseEvent) {}

    func contentWasReplaced(in schemaName: String?, _ db: Database) { isContentReplaced = true }

    func databaseDidCommit(_ db: Database) {
        let changed = takeChanged()
        guard db.schemaGeneration != schemaGeneration || isContentReplaced else {
            for tracker in changed where tracker.number != nil {
                tracker.regionDidChange(db, isSchemaChanged: false)
            }
            return
        }
        let names = changedNames(db)
        let woken = Set(changed.map(ObjectIdentifier.init))
        for (_, tracker) in trackers.ordered(by: { $0.key < $1.key }) where tracker.number != nil {
            let isSchemaChanged = tracker.region.mayDepend(on: names)
            if isSchemaChanged || woken.contains(ObjectIdentifier(tracker)) {
                tracker.regionDidChange(db, isSchemaChanged: isSchemaChanged)
            }
        }
        // Tables may have gained or lost columns or row identifiers.
        for group in groups {
            group.schemaDidChange(db)
        }
    }

    func databaseDidRollback(_ db: Database) {
        if db.broker.mayHaveCommitted || isContentReplaced {
            // The outcome is unknown: wake all observations.
            isContentReplaced = true
            return databaseDidCommit(db)
        }
        let uncertain = changed.filter(\.isUncertain)
        _ = takeChanged()
        _ = db.takeDroppedOrAlteredTables()
        for tracker in uncertain where tracker.number != nil {
            tracker.regionDidChange(db, isSchemaChanged: true)
        }
    }

    /// Returns the trackers of the transaction that has ended, in the order of registration.
    private func takeChanged() -> [RegionTracker] {
        if changed.isEmpty { return [] }
        let result = changed.filter { $0.number != nil }.ordered { $0.number! < $1.number! }
        for tracker in changed {
            tracker.isChanged = false
            tracker.isUncertain = false
        }
        changed = []
        return result
    }

    func databaseDidClose() {
        let closed = trackers.ordered { $0.key < $1.key }.map(\.value)
        trackers = [:]
        groups = []
        changed = []
        for tracker in closed {
            tracker.number = nil
            tracker.group = nil
            tracker.databaseDidClose()
        }
    }

    // MARK: - Schema

    /// Returns the names of the tables and views that have changed; nil if they are unknown.
    private func changedNames(_ db: Database) -> Set<CaseInsensitiveIdentifier>? {
        let former = definitions
        schemaGeneration = db.schemaGeneration
        definitions = try? Self.definitions(db)
        let droppedOrAltered = db.takeDroppedOrAlteredTables()
        if isContentReplaced {
            isContentReplaced = false
            return nil
        }
        guard let former, let definitions else { return nil }
        let names = Set(former.keys).union(definitions.keys)
        // A dropped table may have been created again, empty. A renamed table may have been renamed
        // back, after changes under the other name.
        return names.filter { former[$0] != definitions[$0] || droppedOrAltered.contains($0) }
    }

    private static func definitions(
        _ db: Database
    ) throws -> [CaseInsensitiveIdentifier: [String]] {
        var definitions: [CaseInsensitiveIdentifier: [String]] = [:]
        for schemaID in try db.schemaIDs(named: nil) {
            for object in try db.schemaObjects(in: schemaID).all
            where object.kind == .table || object.kind == .view {
                definitions[CaseInsensitiveIdentifier(object.name), default: []]
                    .append("\(schemaID.name) \(object.sql ?? "")")
            }
        }
        return definitions
    }
}

extension DatabaseRegion {
    /// Whether the region may have changed because of changed definitions of tables or views.
    ///
    /// - parameter names: nil if any may have changed.
    fileprivate func mayDepend(on names: Set<CaseInsensitiveIdentifier>?) -> Bool {
        guard let names, let tables else { return true }
        // The schema tables also have rows for indexes and triggers, which `names` does not
        // contain.
        return tables.keys.contains {
            names.contains($0) || Database.isSchemaTable($0.rawValue)
        }
    }
}

extension Database {
    fileprivate func takeDroppedOrAlteredTables() -> Set<CaseInsensitiveIdentifier> {
        defer { alterations.unobserved = [] }
        return alterations.unobserved
    }

    fileprivate static func isSchemaTable(_ name: String) -> Bool {
        ["sqlite_master", "sqlite_temp_master", "sqlite_schema", "sqlite_temp_schema"]
            .contains { ASCIICase.equal($0, name) }
    }
}
