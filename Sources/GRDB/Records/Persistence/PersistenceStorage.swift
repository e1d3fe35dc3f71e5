/// What a ``PersistenceContainer`` refers to.
///
/// A storage is in one of three modes:
///
/// - *collecting*: it keeps names and values;
/// - *binding*: values go straight to the parameters of a statement that was made for the columns
///   that the former record of the type has set. A record that sets others makes the storage
///   `isMismatched`: the record is then to be encoded again, in a collecting storage;
/// - *deferred*: it knows the statement that a record was bound to, from which it reads the values
///   when the content is asked for. See `BoundStorage`.
///
/// Belongs to the thread of its connection while a record is being encoded. From then on it is
/// only read, by any thread: see ``PersistenceContainer/makeUnique()``.
@usableFromInline
class PersistenceStorage {
    /// Names and values, in the order in which the names were first set.
    struct Content {
        var names: [String] = []
        var values: [DatabaseValue] = []

        func index(of column: String) -> Int? {
            names.firstIndex { ASCIICase.equal($0, column) }
        }

        mutating func set(_ value: DatabaseValue, forColumn column: String) {
            if let index = index(of: column) {
                values[index] = value
            } else {
                names.append(column)
                values.append(value)
            }
        }
    }

    @exclusivity(unchecked)
    private final var collected = Content()

    /// The values that SQLite can't store.
    @exclusivity(unchecked)
    private final var refusedValues: [(column: String, value: String)] = []

    /// Whether a record looked at what it has set. Such records can't be bound.
    @exclusivity(unchecked)
    private(set) final var wasRead = false

    /// Whether the record has been encoded.
    @exclusivity(unchecked)
    private final var isComplete = false

    /// What values are bound to; nil if they are collected.
    final let binder: StatementBinder?

    /// The memory of the binder.
    @usableFromInline final let binding: UnsafeMutablePointer<ExpectedColumns>?

    /// Where the default callbacks of the record report that they are the default ones.
    @exclusivity(unchecked)
    final var defaultCallbacks: DefaultCallbacks?

    final var userInfo: [CodingUserInfoKey: Any] = [:]

    /// What a higher layer keeps with the storage, so that it encodes the next record faster.
    @exclusivity(unchecked)
    final var encodingCache: AnyObject?

    /// The rowid that an insertion has given to a column.
    @exclusivity(unchecked)
    private final var rowID: (column: String, value: Int64)?

    /// - parameter binder: what values are bound to; nil if they are collected.
    init(binder: StatementBinder? = nil) {
        self.binder = binder
        binding = binder?.state
    }

    // MARK: - Content

    /// Whether `materialize` must be called before anything else.
    var isDeferred: Bool { false }

    /// Reads the content of a deferred storage.
    func materialize() -> Content { collected }

    /// Called when the record has been encoded, before other threads may see the storage.
    final func complete() {
        isComplete = true
        // Not needed any more.
        userInfo = [:]
    }

    final var content: Content {
        if let binder {
            binder.isMismatched = true
            return Content()
        }
        var content: Content
        if isDeferred {
            content = materialize()
        } else {
            if !isComplete { wasRead = true }
            content = collected
        }
        if let rowID, let index = content.index(of: rowID.column) {
            content.values[index] = rowID.value.databaseValue
        }
        return content
    }

    /// The columns whose values were stored; nil for all of them.
    @exclusivity(unchecked)
    final var savedColumns: [String]?

    /// Tells which rowid the record has got.
    final func setRowID(_ rowID: Int64, column: String?) {
        self.rowID = column.map { ($0, rowID) }
    }

    final func copy() -> PersistenceStorage {
        let copy = PersistenceStorage()
        copy.collected = isDeferred || rowID != nil ? content : collected
        copy.userInfo = userInfo
        copy.refusedValues = refusedValues
        copy.wasRead = wasRead
        return copy
    }

    final func databaseValue(forColumn column: String) -> DatabaseValue? {
        let content = content
        return content.index(of: column).map { content.values[$0] }
    }

    // MARK: - Collecting

    final func set(_ value: some DatabaseValueConvertible, forColumn column: String) {
        let dbValue: DatabaseValue
        if let storable = value._storableDatabaseValue {
            dbValue = storable
        } else {
            refusedValues.append((column, "\(value)"))
            dbValue = .null
        }
        collected.set(dbValue, forColumn: column)
    }

    /// - parameter isStored: whether the value of a column is going to be stored or compared.
    /// - throws: a ``DatabaseError`` of code `SQLITE_TOOBIG` if there is one that SQLite can't store.
    final func checkRefusedValues(_ isStored: (String) -> Bool = { _ in true }) throws {
        guard let refused = refusedValues.first(where: { isStored($0.column) }) else { return }
        throw DatabaseError(
            resultCode: .SQLITE_TOOBIG,
            message: "value can't be stored in a database: \(refused.value)")
    }

    // MARK: - Binding

    /// Whether values are bound to a statement.
    final var isBinding: Bool {
        @inline(__always) get { binder != nil }
    }

    final func bind<Value: DatabaseValueConvertible>(_ value: Value, forColumn column: String) {
        binder?.bind(value, forColumn: column)
    }

    final func bindNull(forColumn column: String) {
        binder?.bindNull(forColumn: column)
    }
}

/// A storage of what was bound to the statement of a plan.
///
/// The statement keeps the values until the plan binds the next record. By then, the storage must
/// have read them, in case somebody keeps it: see `PersistencePlan.releaseBoundStorage()`.
final class BoundStorage: PersistenceStorage {
    private struct State {
        /// The plan whose statement has the values; nil when they were read. Unowned, because
        /// containers must not keep statements: before the plan is freed, it makes the storage read
        /// the values.
        var plan: Unmanaged<PersistencePlan>?
        var content = Content()
    }

    /// Guarded, because a container may be read in another thread at the moment when the plan wants
    /// to bind the next record.
    private let state = Locked(State())

    /// Makes the storage one of what was bound last.
    ///
    /// - precondition: this is the only reference to the storage.
    func reset(_ plan: PersistencePlan) {
        state.withLock { $0 = State(plan: .passUnretained(plan)) }
    }

    override var isDeferred: Bool { true }

    override func materialize() -> Content {
        state.withLock { state in
            if let plan = state.plan {
                state.content = plan._withUnsafeGuaranteedRef { $0.boundContent }
                state.plan = nil
            }
            return state.content
        }
    }
}
