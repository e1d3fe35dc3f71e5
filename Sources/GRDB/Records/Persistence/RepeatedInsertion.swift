/// The plan of repeated insertions, which is looked up again only if it may have changed.
///
/// ```swift
/// var insertion = RepeatedInsertion(db)
/// for record in records {
///     try record.insert(db, by: &insertion, onConflict: conflictResolution)
/// }
/// ```
///
/// Use it inside of one transaction, for records of one type.
@usableFromInline
struct RepeatedInsertion {
    private let db: Database
    private var plan: PersistencePlan?
    private var schemaNumber = 0
    private var transactionNumber = 0

    @usableFromInline
    init(_ db: Database) {
        self.db = db
    }

    /// The plan; nil if it must be looked up.
    @usableFromInline
    var currentPlan: PersistencePlan? {
        // Callbacks may have changed the schema, and even ended the transaction.
        guard let plan, schemaNumber == db.schemaCache.number,
            transactionNumber == db.transactionNumber, !db.raw.isInAutocommitMode
        else { return nil }
        return plan
    }

    /// Looks the plan up.
    @usableFromInline
    mutating func findPlan(
        for recordType: ObjectIdentifier, table: String,
        _ conflictResolution: Database.ConflictResolution
    ) throws -> PersistencePlan? {
        plan = try db.insertionPlan(for: recordType, table: table, conflictResolution)
        schemaNumber = db.schemaCache.number
        transactionNumber = db.transactionNumber
        return plan
    }

    /// Forces a new lookup of the plan, because the last record did not fit.
    @usableFromInline
    mutating func forgetPlan() {
        plan = nil
    }
}

extension MutablePersistableRecord {
    /// Inserts one of many records, as ``insert(_:onConflict:)`` does.
    @inlinable
    mutating func insert(
        _ db: Database, by insertion: inout RepeatedInsertion,
        onConflict conflictResolution: Database.ConflictResolution?
    ) throws {
        guard
            let plan = try insertion.currentPlan
                ?? insertion.findPlan(
                    for: ObjectIdentifier(Self.self), table: Self.databaseTableName,
                    conflictResolution
                        ?? Self.persistenceConflictPolicy.conflictResolutionForInsert)
        else { return try insertAndCallBack(db, onConflict: conflictResolution) }
        try willSave(db)
        try willInsert(db)
        let outcome = try run(plan)
        if outcome == .unfit { insertion.forgetPlan() } else if !plan.hasReceiver { return }
        try didInsert(db, by: plan, outcome, onConflict: conflictResolution)
    }
}

extension PersistableRecord {
    /// Inserts one of many records, as ``insert(_:onConflict:)`` does.
    @inlinable
    func insert(
        _ db: Database, by insertion: inout RepeatedInsertion,
        onConflict conflictResolution: Database.ConflictResolution?
    ) throws {
        guard
            let plan = try insertion.currentPlan
                ?? insertion.findPlan(
                    for: ObjectIdentifier(Self.self), table: Self.databaseTableName,
                    conflictResolution
                        ?? Self.persistenceConflictPolicy.conflictResolutionForInsert)
        else {
            var record = self
            return try record.insertAndCallBack(db, onConflict: conflictResolution)
        }
        try willSave(db)
        try willInsert(db)
        let outcome = try run(plan)
        if outcome == .unfit { insertion.forgetPlan() } else if !plan.hasReceiver { return }
        var record = self
        try record.didInsert(db, by: plan, outcome, onConflict: conflictResolution)
    }
}
