/// The plan of repeated insertions, which is looked up again only if it may have changed.
///
/// ```swift
/// var insertion = RepeatedInsertion(db)
/// for record in records {
///     let plan = try insertion.plan(for: Player.self, onConflict: conflictResolution)
///     let outcome = try record.insert(db, by: plan, .insert, onConflict: conflictResolution)
///     if outcome == .unfit { insertion.forgetPlan() }
/// }
/// ```
///
/// Use it inside of one transaction, for records of one type.
@usableFromInline
struct RepeatedInsertion {
    private let db: Database
    private var lastPlan: PersistencePlan?
    private var schemaNumber = 0
    private var transactionNumber = 0

    @usableFromInline
    init(_ db: Database) {
        self.db = db
    }

    /// The plan; nil if there is none.
    @inlinable
    mutating func plan<Record: MutablePersistableRecord>(
        for recordType: Record.Type,
        onConflict conflictResolution: Database.ConflictResolution?
    ) throws -> PersistencePlan? {
        if let currentPlan { return currentPlan }
        return try findPlan(
            for: ObjectIdentifier(recordType), table: recordType.databaseTableName,
            conflictResolution
                ?? recordType.persistenceConflictPolicy.conflictResolutionForInsert)
    }

    /// The last plan; nil if it must be looked up.
    @usableFromInline
    var currentPlan: PersistencePlan? {
        // Callbacks may have changed the schema, and even ended the transaction.
        guard let lastPlan, schemaNumber == db.schemaCache.number,
            transactionNumber == db.transactionNumber, !db.raw.isInAutocommitMode
        else { return nil }
        return lastPlan
    }

    @usableFromInline
    mutating func findPlan(
        for recordType: ObjectIdentifier, table: String,
        _ conflictResolution: Database.ConflictResolution
    ) throws -> PersistencePlan? {
        lastPlan = try db.plan(
            .insert, for: recordType, table: table, onConflict: conflictResolution)
        schemaNumber = db.schemaCache.number
        transactionNumber = db.transactionNumber
        return lastPlan
    }

    /// Forces a new lookup of the plan, because the last record did not fit.
    @usableFromInline
    mutating func forgetPlan() {
        lastPlan = nil
    }
}
