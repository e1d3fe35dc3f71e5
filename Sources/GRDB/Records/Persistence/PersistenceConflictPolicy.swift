/// The conflict resolutions for inserted and updated records that violate a constraint.
///
/// ```swift
/// struct Player: MutablePersistableRecord {
///     // INSERT OR REPLACE INTO "player" ...
///     // UPDATE OR IGNORE "player" ...
///     static let persistenceConflictPolicy = PersistenceConflictPolicy(
///         insert: .replace, update: .ignore)
/// }
/// ```
///
/// With `.ignore`, an ignored insertion still calls `didInsert`, with the rowID of an earlier
/// insertion.
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_conflict.html>
public struct PersistenceConflictPolicy: Sendable {
    /// The conflict resolution of insertions.
    public let conflictResolutionForInsert: Database.ConflictResolution

    /// The conflict resolution of updates.
    public let conflictResolutionForUpdate: Database.ConflictResolution

    /// Creates a policy.
    @inlinable
    public init(
        insert: Database.ConflictResolution = .abort, update: Database.ConflictResolution = .abort
    ) {
        conflictResolutionForInsert = insert
        conflictResolutionForUpdate = update
    }
}

extension PersistenceConflictPolicy {
    /// The policy of a record type; the default policy for other types.
    package init(of type: Any.Type) {
        let recordType = type as? any MutablePersistableRecord.Type
        self = recordType?.persistenceConflictPolicy ?? PersistenceConflictPolicy()
    }
}
