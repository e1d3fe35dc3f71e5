/// What a connection has found out about a record type: its table, and the statements that read and
/// write its rows. Dropped with the schema cache.
final class RecordPlans {
    let table: String
    let primaryKey: PrimaryKeyInfo

    /// The columns of the table, from left to right.
    let columns: [String]

    /// The columns of the table, for `willUpdate`.
    let columnSet: Set<String>

    /// Whether records of the type can be bound to a statement without being collected first.
    ///
    /// Not the records that look at what they have set, nor classes: the container that callbacks
    /// receive must tell what was saved, even when the object changes.
    @exclusivity(unchecked)
    var isBindable: Bool

    @exclusivity(unchecked)
    private var insertPlans: [PersistencePlan] = []

    @exclusivity(unchecked)
    private var updatePlans: [PersistencePlan] = []

    /// The statement that fetches one row by primary key.
    @exclusivity(unchecked)
    var keyLookup: KeyLookup?

    init(_ db: Database, recordType: any TableRecord.Type, table: String) throws {
        self.table = table
        primaryKey = try db.primaryKey(table)
        columns = try db.columns(in: table).map(\.name)
        columnSet = Set(columns)
        isBindable = !(recordType is AnyObject.Type)
    }

    // MARK: - Insertions and updates

    func plan(
        for operation: PersistencePlan.Operation, _ conflictResolution: Database.ConflictResolution
    ) -> PersistencePlan? {
        let plans = operation == .insert ? insertPlans : updatePlans
        for plan in plans where plan.conflictResolution == conflictResolution {
            return plan
        }
        return nil
    }

    func add(_ plan: PersistencePlan, for operation: PersistencePlan.Operation) {
        switch operation {
        case .insert:
            insertPlans.removeAll { $0.conflictResolution == plan.conflictResolution }
            insertPlans.append(plan)
        case .update:
            updatePlans.removeAll { $0.conflictResolution == plan.conflictResolution }
            updatePlans.append(plan)
        }
    }

    // MARK: - Keys

    /// The values of the primary key in a container.
    func key(in container: PersistenceContainer) -> [DatabaseValue] {
        primaryKey.columns.map { container.databaseValue(at: $0) }
    }

    func recordNotFound(_ key: [DatabaseValue]) -> RecordError {
        .recordNotFound(
            databaseTableName: table,
            key: Dictionary(uniqueKeysWithValues: zip(primaryKey.columns, key)))
    }
}

extension Database {
    /// The plans of a record type.
    ///
    /// - throws: a ``DatabaseError`` if the table does not exist.
    func recordPlans(for recordType: (some TableRecord).Type) throws -> RecordPlans {
        let cache = try validSchemaCache()
        let id = ObjectIdentifier(recordType)
        let table = recordType.databaseTableName
        if let value = cache.derivedValues[id] {
            let plans = unsafeDowncast(value, to: RecordPlans.self)
            // The name of the table may be a variable.
            if plans.table == table { return plans }
        }
        let plans = try RecordPlans(self, recordType: recordType, table: table)
        cache.derivedValues[id] = plans
        return plans
    }
}

/// A statement that inserts or updates the records of a type which set the same columns.
final class PersistencePlan {
    enum Operation {
        case insert
        case update
    }

    let conflictResolution: Database.ConflictResolution
    let statement: Statement

    /// The columns that records set, in their order.
    let columns: [String]

    private let binder: StatementBinder
    private let bindingStorage = PersistenceStorage()

    /// Whether the statement is being executed, or about to be.
    @exclusivity(unchecked)
    var isInUse = false

    /// The number of records in a row that set other columns.
    @exclusivity(unchecked)
    var missCount = 0

    init(
        statement: Statement, conflictResolution: Database.ConflictResolution,
        slots: [StatementBinder.Slot]
    ) {
        self.statement = statement
        self.conflictResolution = conflictResolution
        columns = slots.map(\.name)
        binder = StatementBinder(statement: statement.sqliteStatement, slots: slots)
        bindingStorage.beginBinding(binder)
    }

    /// Binds what a record sets, without collecting it.
    ///
    /// - returns: false if the record does not fit, or a value was refused. It must then be
    ///   collected.
    func bind(_ record: some EncodableRecord) throws -> Bool {
        try statement.willBind()
        binder.begin()
        var container = PersistenceContainer(storage: bindingStorage)
        try record.encode(to: &container)
        guard binder.isComplete, container.storage === bindingStorage,
            binder.failure == RawStatement.ok
        else {
            return false
        }
        try statement.didBind(CInt(statement.parameterCount))
        return true
    }

    /// Whether the key that was bound is not NULL.
    var hasKey: Bool { binder.hasNonNullKey }

    /// The index of the parameter of a column, from 1; 0 if it has none.
    func parameter(forColumn column: String) -> CInt {
        binder.slots.first { ASCIICase.equal($0.name, column) }?.parameter ?? 0
    }
}

/// The statement that fetches the row of a primary key, and the row.
final class KeyLookup {
    let statement: Statement

    /// Made at the first step, and reused: it has learned where the columns are.
    @exclusivity(unchecked)
    var row: Row?

    @exclusivity(unchecked)
    var isInUse = false

    init(statement: Statement) {
        self.statement = statement
    }
}

/// The choices of the caller of a persistence method.
struct PersistenceOptions {
    /// Nil for the one of the record type.
    var conflictResolution: Database.ConflictResolution?

    /// Columns that the record does not set.
    var assignments: [ColumnAssignment] = []

    var userInfo: [CodingUserInfoKey: Any] = [:]

    /// Whether only the conflict resolution was chosen.
    var isPlain: Bool { assignments.isEmpty && userInfo.isEmpty }
}
