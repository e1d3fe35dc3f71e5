/// The information that a connection keeps about a record type: its table, and the statements that
/// read and write its rows. Dropped with the schema cache.
final class RecordPlans {
    let table: String
    let primaryKey: PrimaryKeyInfo

    /// Whether the table is a view, so that the changes of `INSTEAD OF` triggers count: see
    /// ``ChangeCount``.
    let isView: Bool

    /// The columns of the table, from left to right.
    let columns: [String]

    /// The columns that would round decimals.
    let roundingColumns: [RoundingColumn]

    /// The columns of the table, for `willUpdate`.
    let columnSet: Set<String>

    /// The name of the rowid in `RETURNING` clauses; nil if they can't return it.
    let rowIDName: String?

    /// Whether records of the type can be bound to a statement without being collected first.
    ///
    /// False for records that read back their values, and for classes, because the plans of an
    /// object depend on its dynamic type.
    @exclusivity(unchecked)
    var isBindable: Bool

    /// The plans. The plan that was used last comes first among the plans of its operation.
    @exclusivity(unchecked)
    private var plans: [PersistencePlan] = []

    /// The number of consecutive records whose columns match no plan.
    @exclusivity(unchecked)
    private var missCount = 0

    let defaultCallbacks: DefaultCallbacks

    /// The statement that fetches one row by primary key.
    @exclusivity(unchecked)
    var keyLookup: KeyLookup?

    /// The statements that look for one row by primary key, or delete it, by verb.
    @exclusivity(unchecked)
    var keyStatements = [Statement?](repeating: nil, count: PersistenceOperation.Verb.count)

    init(_ db: Database, recordType: any TableRecord.Type, table: String) throws {
        defaultCallbacks = DefaultCallbacks(of: recordType)
        self.table = table
        primaryKey = try db.primaryKey(table)
        isView = try !primaryKey.tableHasRowID && db.isView(table)
        let columnInfos = try db.columns(in: table)
        columns = columnInfos.map(\.name)
        // A view passes texts to its triggers as they are.
        roundingColumns = isView ? [] : columnInfos.compactMap(RoundingColumn.init)
        columnSet = Set(columns)
        rowIDName = try db.returnedRowIDName(in: table)
        isBindable = !(recordType is AnyObject.Type)
    }

    // MARK: - Plans

    /// The maximum number of plans per record type. Each plan has a compiled statement.
    private static let maximumPlanCount = 16

    /// Returns the most recently used plan of an operation.
    @inline(__always)
    func plan(for operation: PersistenceOperation) -> PersistencePlan? {
        // By index: an iterator would retain the array.
        for index in plans.indices where plans[index].operation.isSame(as: operation) {
            return plans[index]
        }
        return nil
    }

    /// Returns the most recently used plan of an operation without `around` callbacks.
    @inline(__always)
    func plan(
        _ verb: PersistenceOperation.Verb, columns: [String]?,
        onConflict conflictResolution: Database.ConflictResolution
    ) -> PersistencePlan? {
        let code = PersistenceOperation.code(verb, conflictResolution)
        for index in plans.indices
        where plans[index].operation.isPlain(code, updating: columns) {
            let plan = plans[index]
            // Callbacks that are known to be the default ones remain so.
            if plan.hasReceiver {
                let known = defaultCallbacks.known
                guard known.isSuperset(of: .around(verb)) else { return nil }
                plan.hasReceiver = !known.isSuperset(of: .receiving(verb))
            }
            return plan
        }
        return nil
    }

    /// Returns the plan of an operation on records that set these columns, and moves it to the
    /// front.
    func plan(
        for operation: PersistenceOperation, settingColumns columns: [String]
    ) -> PersistencePlan? {
        guard
            let index = plans.firstIndex(where: {
                $0.operation.isSame(as: operation) && $0.columns.hasSameBytes(as: columns)
            })
        else { return nil }
        missCount = 0
        if index > 0 { plans.insert(plans.remove(at: index), at: 0) }
        return plans[0]
    }

    /// Whether a statement should be compiled for a plan: not if the columns that records set keep
    /// changing.
    func wantsPlan() -> Bool {
        if plans.count < Self.maximumPlanCount { return true }
        missCount += 1
        return missCount > Self.maximumPlanCount
    }

    func add(_ plan: PersistencePlan) {
        missCount = 0
        // A running execution retains its plan.
        if plans.count == Self.maximumPlanCount { plans.removeLast() }
        plans.insert(plan, at: 0)
    }

    // MARK: - Keys

    /// The values of the primary key in a container.
    func key(in container: PersistenceContainer) -> [DatabaseValue] {
        primaryKey.columns.map { container.databaseValue(at: $0) }
    }

    func recordNotFound(_ key: [DatabaseValue]) -> RecordError {
        .recordNotFound(
            databaseTableName: table,
            key: Dictionary(columns: primaryKey.columns, values: key))
    }
}

extension Database {
    /// The plans of a record type.
    ///
    /// - throws: a ``DatabaseError`` if the table does not exist.
    func recordPlans(for recordType: (some TableRecord).Type) throws -> RecordPlans {
        let id = ObjectIdentifier(recordType)
        let table = recordType.databaseTableName
        if let plans = try knownRecordPlans(for: id, table: table) { return plans }
        let plans = try RecordPlans(self, recordType: recordType, table: table)
        schemaCache.setDerivedValue(plans, for: id)
        return plans
    }

    /// The plans of a record type that was used before.
    ///
    /// - parameter table: the name of the table, which may be a variable of the record type.
    private func knownRecordPlans(
        for recordType: ObjectIdentifier, table: String
    ) throws -> RecordPlans? {
        guard let value = try validSchemaCache().derivedValue(for: recordType) else { return nil }
        let plans = unsafeDowncast(value, to: RecordPlans.self)
        return plans.table.hasSameBytes(as: table) ? plans : nil
    }

    /// The plans of a record type that was used before, outside of a transaction, and the schema
    /// version that they are valid for. The caller must check that the database still has this
    /// version.
    func unverifiedRecordPlans(
        for recordType: (some TableRecord).Type
    ) throws -> (RecordPlans, version: Int32)? {
        try checkAccess()
        guard raw.isInAutocommitMode, let version = schemaCache.onlyVersion,
            let value = schemaCache.derivedValue(for: ObjectIdentifier(recordType))
        else { return nil }
        let plans = unsafeDowncast(value, to: RecordPlans.self)
        return plans.table.hasSameBytes(as: recordType.databaseTableName) ? (plans, version) : nil
    }

    /// The plan that performs an operation on a record type without `around` callbacks; nil if
    /// there is none.
    ///
    /// - parameter columns: the columns to update; nil for all.
    @usableFromInline
    func plan(
        _ verb: PersistenceOperation.Verb, for recordType: ObjectIdentifier, table: String,
        columns: [String]? = nil, onConflict conflictResolution: ConflictResolution = .abort
    ) throws -> PersistencePlan? {
        guard let plans = try knownRecordPlans(for: recordType, table: table), plans.isBindable,
            let plan = plans.plan(verb, columns: columns, onConflict: conflictResolution)
        else {
            return nil
        }
        // Callbacks also receive the columns that are not updated, and therefore not bound.
        return columns != nil && plan.hasReceiver ? nil : plan
    }
}
