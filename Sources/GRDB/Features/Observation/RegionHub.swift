/// Notifies the observations of one connection of the transactions that have changed their regions.
///
/// Observations of the same tables and columns share one transaction observer. It finds the ones to
/// wake by the row that has changed, so that a thousand observations of a thousand different rows cost
/// a write what one does. This object, the first observer of the connection, has the last word when a
/// transaction ends: it also looks whether the schema is another one.
///
/// It remains as long as the connection: when it comes and goes, statements are compiled again.
final class RegionHub: DatabaseClosingObserver, LastingInterestObserver {
    private var trackers: [Int: RegionTracker] = [:]
    private var groups: [RegionGroup.Key: RegionGroup] = [:]
    private var latestNumber = 0

    /// The trackers that the current transaction has to do with.
    private var changed: [RegionTracker] = []

    /// The definitions of all tables and views, and the state of the schema that they are of.
    private var definitions: [CaseInsensitiveIdentifier: [String]]?
    private var schemaGeneration: Int

    private enum StorageKey: DatabaseStorageKey {
        static var defaultValue: RegionHub? { nil }
    }

    private init(_ db: Database) {
        schemaGeneration = db.schemaGeneration
        definitions = try? Self.definitions(db)
    }

    /// The hub of a connection that can write.
    static func of(_ db: Database) -> RegionHub {
        if let hub = db[StorageKey.self] { return hub }
        let hub = RegionHub(db)
        db[StorageKey.self] = hub
        db.add(transactionObserver: hub, extent: .databaseLifetime)
        return hub
    }

    /// The hub of a connection, if it is open and has one.
    static func existing(_ db: Database) -> RegionHub? { db[StorageKey.self] }

    // MARK: - Trackers

    /// Has a tracker observe a region, instead of another one if it is registered.
    ///
    /// - parameter isUncertain: whether the current transaction, in which the tracker has begun, must
    ///   be waited for.
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
        let region = tracker.region.ignoringInternalTables().withoutRowIDs()
        if region.isEmpty { return }
        let key = RegionGroup.Key(region)
        let group: RegionGroup
        if let existing = groups[key] {
            group = existing
        } else {
            group = RegionGroup(region) { [unowned self] in hasChanged($0) }
            groups[key] = group
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
            groups[RegionGroup.Key(group.region)] = nil
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

    func databaseDidCommit(_ db: Database) {
        let changed = takeChanged()
        guard db.schemaGeneration != schemaGeneration else {
            for tracker in changed where tracker.number != nil {
                tracker.regionDidChange(db, isSchemaChanged: false)
            }
            return
        }
        let names = changedNames(db)
        let woken = Set(changed.map(ObjectIdentifier.init))
        for (_, tracker) in trackers.sorted(by: { $0.key < $1.key }) where tracker.number != nil {
            let isSchemaChanged = tracker.region.mayDepend(on: names)
            if isSchemaChanged || woken.contains(ObjectIdentifier(tracker)) {
                tracker.regionDidChange(db, isSchemaChanged: isSchemaChanged)
            }
        }
        // There are tables that don't have the columns, or row identifiers, that they had.
        for group in groups.values {
            group.schemaDidChange(db)
        }
    }

    func databaseDidRollback(_ db: Database) {
        if db.broker.mayHaveCommitted {
            // No observation may keep a former value.
            db.schemaGeneration &+= 1
            db.isContentReplaced = true
            return databaseDidCommit(db)
        }
        let uncertain = changed.filter(\.isUncertain)
        _ = takeChanged()
        _ = db.takeDroppedOrAlteredTables()
        for tracker in uncertain where tracker.number != nil {
            tracker.regionDidChange(db, isSchemaChanged: true)
        }
    }

    /// What the transaction that has ended has changed, in the order of registration.
    private func takeChanged() -> [RegionTracker] {
        if changed.isEmpty { return [] }
        let result = changed.filter { $0.number != nil }.sorted { $0.number! < $1.number! }
        for tracker in changed {
            tracker.isChanged = false
            tracker.isUncertain = false
        }
        changed = []
        return result
    }

    func databaseDidClose() {
        let closed = trackers.sorted { $0.key < $1.key }.map(\.value)
        trackers = [:]
        groups = [:]
        changed = []
        for tracker in closed {
            tracker.number = nil
            tracker.group = nil
            tracker.databaseDidClose()
        }
    }

    // MARK: - Schema

    /// The names of the tables and views that are not what they were; nil if that is unknown.
    private func changedNames(_ db: Database) -> Set<CaseInsensitiveIdentifier>? {
        let former = definitions
        schemaGeneration = db.schemaGeneration
        definitions = try? Self.definitions(db)
        let droppedOrAltered = db.takeDroppedOrAlteredTables()
        if db.isContentReplaced {
            db.isContentReplaced = false
            return nil
        }
        guard let former, let definitions else { return nil }
        let names = Set(former.keys).union(definitions.keys)
        // A table that was dropped may be there again, empty. One that was renamed may have its name
        // again, and rows that were changed under the other name.
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
    /// Whether the region may be another one since the definitions of tables or views have changed.
    ///
    /// - parameter names: nil if any may have changed.
    fileprivate func mayDepend(on names: Set<CaseInsensitiveIdentifier>?) -> Bool {
        guard let names, let tables else { return true }
        // The schema tables have rows for indexes and triggers, too, which have no part in the names.
        return tables.keys.contains {
            names.contains($0) || Database.isSchemaTable($0.rawValue)
        }
    }
}

extension Database {
    fileprivate func takeDroppedOrAlteredTables() -> Set<CaseInsensitiveIdentifier> {
        defer { droppedOrAlteredTables = [] }
        return droppedOrAlteredTables
    }

    fileprivate static func isSchemaTable(_ name: String) -> Bool {
        ["sqlite_master", "sqlite_temp_master", "sqlite_schema", "sqlite_temp_schema"]
            .contains { ASCIICase.equal($0, name) }
    }
}
