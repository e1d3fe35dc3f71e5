/// What a connection has found out about a record type: its table, and the statements that read and
/// write its rows. Dropped with the schema cache.
final class RecordPlans {
    let table: String
    let primaryKey: PrimaryKeyInfo

    /// Whether rows are counted by what `INSTEAD OF` triggers change: see ``ChangeCount``.
    let isView: Bool

    /// The columns of the table, from left to right.
    let columns: [String]

    /// The columns of the table, for `willUpdate`.
    let columnSet: Set<String>

    /// What `RETURNING` clauses call the rowid; nil if they can't tell it.
    let rowIDName: String?

    /// Whether records of the type can be bound to a statement without being collected first.
    ///
    /// False for records that read back what they have set, and for classes, whose objects are
    /// inserted according to their own class.
    @exclusivity(unchecked)
    var isBindable: Bool

    /// Whether a constraint or a trigger may make the table ignore rows without an error. Nil until
    /// it is asked for.
    @exclusivity(unchecked)
    var knownToIgnoreRows: Bool?

    @exclusivity(unchecked)
    private var insertPlans: [PersistencePlan] = []

    @exclusivity(unchecked)
    private var updatePlans: [PersistencePlan] = []

    let defaultCallbacks: DefaultCallbacks

    /// The statement that fetches one row by primary key.
    @exclusivity(unchecked)
    var keyLookup: KeyLookup?

    init(_ db: Database, recordType: any TableRecord.Type, table: String) throws {
        defaultCallbacks = DefaultCallbacks(of: recordType)
        self.table = table
        primaryKey = try db.primaryKey(table)
        isView = try !primaryKey.tableHasRowID && db.isView(table)
        columns = try db.columns(in: table).map(\.name)
        columnSet = Set(columns)
        rowIDName = try db.returnedRowIDName(in: table)
        isBindable = !(recordType is AnyObject.Type)
    }

    // MARK: - Insertions and updates

    func plan(
        for operation: PersistencePlan.Operation, _ conflictResolution: Database.ConflictResolution
    ) -> PersistencePlan? {
        switch operation {
        case .insert: Self.plan(in: insertPlans, conflictResolution)
        case .update: Self.plan(in: updatePlans, conflictResolution)
        }
    }

    @inline(__always)
    private static func plan(
        in plans: [PersistencePlan], _ conflictResolution: Database.ConflictResolution
    ) -> PersistencePlan? {
        // By index: an iterator would keep the array.
        for index in plans.indices where plans[index].conflictResolution == conflictResolution {
            return plans[index]
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
        return plans.table == table ? plans : nil
    }

    /// The plans of a record type that was used before, outside of a transaction: those of the
    /// schema of the given version. The caller must find out if that is still the one that it
    /// reads.
    func unverifiedRecordPlans(
        for recordType: (some TableRecord).Type
    ) throws -> (RecordPlans, version: Int32)? {
        try checkAccess()
        guard raw.isInAutocommitMode, let version = schemaCache.onlyVersion,
            let value = schemaCache.derivedValue(for: ObjectIdentifier(recordType))
        else { return nil }
        let plans = unsafeDowncast(value, to: RecordPlans.self)
        return plans.table == recordType.databaseTableName ? (plans, version) : nil
    }

    /// The plan that inserts records of a type without `around` callbacks. Nil if there is none.
    @usableFromInline
    func insertionPlan(
        for recordType: ObjectIdentifier, table: String,
        _ conflictResolution: ConflictResolution
    ) throws -> PersistencePlan? {
        guard let plans = try knownRecordPlans(for: recordType, table: table), plans.isBindable,
            plans.defaultCallbacks.known.isSuperset(of: [.aroundSave, .aroundInsert]),
            let plan = plans.plan(for: .insert, conflictResolution)
        else {
            return nil
        }
        plan.hasInsertionObserver =
            !plans.defaultCallbacks.known.isSuperset(of: [.didInsert, .didSave])
        return plan
    }

    /// Called by the default callbacks of all types.
    func note(_ callback: PersistenceCallbacks, of recordType: Any.Type) {
        if let value = schemaCache.derivedValue(for: ObjectIdentifier(recordType)) {
            unsafeDowncast(value, to: RecordPlans.self)
                .defaultCallbacks.note(callback, of: recordType)
        }
    }
}

/// Callbacks of a record type.
struct PersistenceCallbacks: OptionSet {
    let rawValue: UInt8

    static let aroundSave = PersistenceCallbacks(rawValue: 1 << 0)
    static let aroundInsert = PersistenceCallbacks(rawValue: 1 << 1)
    static let didInsert = PersistenceCallbacks(rawValue: 1 << 2)
    static let didSave = PersistenceCallbacks(rawValue: 1 << 3)
}

/// The callbacks of a record type that are known to be the default ones, because they were called
/// and said so.
///
/// Not a part of the plans: containers refer to it, and must not keep statements when a callback
/// keeps them.
final class DefaultCallbacks {
    private let recordType: ObjectIdentifier

    @exclusivity(unchecked)
    private(set) var known: PersistenceCallbacks = []

    init(of recordType: Any.Type) {
        self.recordType = ObjectIdentifier(recordType)
    }

    /// Called by the default callbacks of all types. A callback of this record may call those of
    /// another record.
    func note(_ callback: PersistenceCallbacks, of recordType: Any.Type) {
        if ObjectIdentifier(recordType) == self.recordType {
            known.insert(callback)
        }
    }
}

/// A statement that inserts or updates the records of a type which set the same columns.
@usableFromInline
final class PersistencePlan {
    enum Operation {
        case insert
        case update
    }

    let conflictResolution: Database.ConflictResolution
    let statement: Statement

    /// The columns that records set, in their order. All of them have a parameter.
    let columns: [String]

    @exclusivity(unchecked)
    private var binder: StatementBinder

    /// The storage of the containers that records are encoded into.
    @usableFromInline
    @exclusivity(unchecked)
    private(set) var bindingStorage: PersistenceStorage

    /// Whether the statement is being executed, or about to be.
    @exclusivity(unchecked)
    var isInUse = false

    /// The number of records in a row that set other columns.
    @exclusivity(unchecked)
    var missCount = 0

    init(
        statement: Statement, conflictResolution: Database.ConflictResolution,
        slots: [ColumnSlot]
    ) {
        self.statement = statement
        self.conflictResolution = conflictResolution
        columns = slots.map(\.name)
        binder = StatementBinder(statement: statement.sqliteStatement, slots: slots)
        bindingStorage = PersistenceStorage(binder: binder)
    }

    /// Makes a record encode itself into a container of `bindingStorage`. To be balanced by `end`.
    ///
    /// - returns: false if the plan is in use: the record must then be collected.
    @usableFromInline
    func begin() throws -> Bool {
        if isInUse { return false }
        releaseBoundStorage()
        if !isKnownUniquelyReferenced(&bindingStorage) {
            // A container has outlived the encoding of its record, maybe on another thread.
            binder = StatementBinder(
                statement: statement.sqliteStatement,
                slots: binder.slots.map {
                    ColumnSlot(name: $0.name, parameter: $0.parameter, isKey: $0.isKey)
                })
            bindingStorage = PersistenceStorage(binder: binder)
        }
        try statement.willBind()
        isInUse = true
        binder.begin()
        return true
    }

    deinit {
        releaseBoundStorage()
    }

    /// Runs the statement with what the record has set.
    ///
    /// - returns: false if the record does not fit, or a value was refused. It must then be
    ///   collected.
    @usableFromInline
    func run(_ container: PersistenceContainer) throws -> Bool {
        guard try isBound(container) else { return false }
        try statement.run()
        missCount = 0
        return true
    }

    /// Whether the record has set the columns of the statement.
    func isBound(_ container: PersistenceContainer) throws -> Bool {
        binder.end()
        guard binder.isComplete, container.storage === bindingStorage else { return false }
        try statement.didBind(CInt(statement.parameterCount))
        return true
    }

    @usableFromInline
    func end() {
        binder.end()
        isInUse = false
    }

    /// Whether the record type has callbacks that receive what was inserted.
    @usableFromInline
    @exclusivity(unchecked)
    var hasInsertionObserver = true

    /// Whether the key that was bound is not NULL.
    var hasKey: Bool { binder.hasNonNullKey }

    // MARK: - Bound values

    /// The storage of the latest container of bound values. It is used again for the next one,
    /// unless another reference remains.
    @exclusivity(unchecked)
    private var boundStorage: BoundStorage?

    /// A container of what was bound to the statement.
    func boundContainer() -> PersistenceContainer {
        releaseBoundStorage()
        let storage = boundStorage ?? BoundStorage()
        boundStorage = storage
        storage.reset(self)
        return PersistenceContainer(storage: storage)
    }

    /// Makes a container that is still referenced read its values, which are about to be replaced.
    func releaseBoundStorage() {
        if boundStorage == nil || isKnownUniquelyReferenced(&boundStorage) { return }
        _ = boundStorage?.materialize()
        boundStorage = nil
    }

    /// What was bound to the statement.
    var boundContent: PersistenceStorage.Content {
        PersistenceStorage.Content(
            names: columns,
            values: binder.slots.map { statement.boundValue(at: $0.parameter) })
    }

    /// What was bound to the statement, in the order of its parameters.
    var boundValues: [DatabaseValue] {
        (0..<statement.parameterCount).map { statement.boundValue(at: CInt($0 + 1)) }
    }
}

/// The statement that fetches the row of a primary key, and the row.
final class KeyLookup {
    let statement: Statement

    /// What the statement selects.
    @exclusivity(unchecked)
    private var selection: [any SQLSelectable]

    /// What the decoder of the row relies on.
    @exclusivity(unchecked)
    var strategies: DecodingStrategies?

    /// Made at the first step, and reused: it has learned where the columns are.
    @exclusivity(unchecked)
    var row: Row?

    @exclusivity(unchecked)
    var isInUse = false

    /// The cursor of the row that is looked for, while the lookup is in use.
    @exclusivity(unchecked)
    var cursorID = 0

    init(statement: Statement, selection: [any SQLSelectable]) {
        self.statement = statement
        self.selection = selection
    }

    /// Whether the statement still selects the columns of the record type, which may vary.
    ///
    /// - parameter sql: the text of the statement that selects them; nil if it is not known.
    func selects(_ selection: [any SQLSelectable], _ sql: () throws -> String?) rethrows -> Bool {
        if selection.isIdentical(to: self.selection) { return true }
        guard try selection.isEqual(to: self.selection) || sql() == statement.sql else {
            return false
        }
        // A constant of the type need not be compared again.
        self.selection = selection
        return true
    }
}

extension [any SQLSelectable] {
    /// Whether both arrays are the very same one.
    fileprivate func isIdentical(to other: Self) -> Bool {
        withUnsafeBufferPointer { elements in
            other.withUnsafeBufferPointer { elements.baseAddress == $0.baseAddress }
        }
    }

    /// Whether both arrays are known to have equal elements.
    fileprivate func isEqual(to other: Self) -> Bool {
        guard count == other.count else { return false }
        return zip(self, other).allSatisfy { element, other in
            switch (element, other) {
            case (is AllColumns, is AllColumns): true
            case (let column as Column, let other as Column): column.name == other.name
            default: false
            }
        }
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
