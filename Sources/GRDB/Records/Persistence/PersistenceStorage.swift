/// The storage of a ``PersistenceContainer``.
///
/// This class *collects*: it keeps names and values. Two subclasses belong to the statement of a plan:
///
/// - ``BindingSession`` binds values directly to its parameters;
/// - `BoundStorage` reads the bound values when its content is accessed.
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

        func value(of column: String) -> DatabaseValue? {
            index(of: column).map { values[$0] }
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

    /// Whether the record read back values that it had set. Such records can't be bound.
    @exclusivity(unchecked)
    private(set) final var wasRead = false

    /// Whether the record has been encoded.
    @exclusivity(unchecked)
    private final var isComplete = false

    /// The memory of a ``BindingSession``.
    @usableFromInline final let parameters: UnsafeMutablePointer<SessionParameters>?

    /// Receives the reports of the default callbacks of the record.
    @exclusivity(unchecked)
    final var defaultCallbacks: DefaultCallbacks?

    final var userInfo: [CodingUserInfoKey: Any] = [:]

    /// A cache of a higher layer, which speeds up encoding the next record.
    @exclusivity(unchecked)
    final var encodingCache: AnyObject?

    /// The rowid assigned by an insertion, and its column.
    @exclusivity(unchecked)
    private final var rowID: (column: String, value: Int64)?

    init(parameters: UnsafeMutablePointer<SessionParameters>? = nil) {
        self.parameters = parameters
    }

    // MARK: - Content

    /// When a container that changes needs a copy of its storage.
    enum Copying {
        case never
        case whenShared
        case always
    }

    var copying: Copying { .whenShared }

    /// Called when the record has been encoded, before other threads may see the storage.
    final func complete() {
        isComplete = true
        // Not needed any more.
        userInfo = [:]
    }

    /// The columns and values that the record has set.
    var setContent: Content { collected }

    /// The columns and values that the record has set, with the rowid assigned by an insertion.
    final var content: Content {
        if !isComplete { wasRead = true }
        return contentWithRowID
    }

    private final var contentWithRowID: Content {
        var content = setContent
        if let rowID, let index = content.index(of: rowID.column) {
            content.values[index] = rowID.value.databaseValue
        }
        return content
    }

    /// The columns whose values were stored; nil for all of them.
    @exclusivity(unchecked)
    final var savedColumns: [String]?

    /// Sets the rowid assigned by an insertion.
    final func setRowID(_ rowID: Int64, column: String?) {
        self.rowID = column.map { ($0, rowID) }
    }

    final func copy() -> PersistenceStorage {
        let copy = PersistenceStorage()
        copy.collected = contentWithRowID
        copy.userInfo = userInfo
        copy.refusedValues = refusedValues
        copy.wasRead = wasRead
        return copy
    }

    // MARK: - Columns

    /// The storage, if it is a session.
    final var session: BindingSession? {
        @inline(__always) get {
            parameters == nil ? nil : unsafeDowncast(self, to: BindingSession.self)
        }
    }

    final func set<Value: DatabaseValueConvertible>(_ value: Value, forColumn column: String) {
        if let session { return session.bind(value, forColumn: column) }
        let dbValue: DatabaseValue
        if let storable = value._storableDatabaseValue {
            dbValue = storable
        } else {
            refusedValues.append((column, "\(value)"))
            dbValue = .null
        }
        collected.set(dbValue, forColumn: column)
    }

    final func setNull(forColumn column: String) {
        if let session { return session.bindNull(forColumn: column) }
        collected.set(.null, forColumn: column)
    }

    /// - parameter isStored: whether the value of a column is going to be stored or compared.
    /// - throws: a ``DatabaseError`` of code `SQLITE_TOOBIG` if SQLite can't store one of the
    ///   values.
    final func checkRefusedValues(_ isStored: (String) -> Bool) throws {
        guard let refused = refusedValues.first(where: { isStored($0.column) }) else { return }
        throw RefusedValue(description: refused.value).error()
    }
}

/// A storage of the values bound to the statement of a plan.
///
/// The statement keeps the values until the plan binds the next record. Before that, a storage that
/// is still referenced must read them: see `PersistencePlan.releaseBoundStorage()`.
final class BoundStorage: PersistenceStorage {
    private struct State {
        /// The plan whose statement has the values; nil once they were read. Unowned, because
        /// containers must not keep statements: before the plan is freed, it makes the storage read
        /// the values.
        var plan: Unmanaged<PersistencePlan>?
        var content = Content()
    }

    /// Locked, because a container may be read on another thread while the plan is about to bind
    /// the next record.
    private let state = Locked(State())

    init() {
        super.init()
        complete()
    }

    /// Resets the storage to the values bound last.
    ///
    /// - precondition: this is the only reference to the storage.
    func reset(_ plan: PersistencePlan) {
        state.withLock { $0 = State(plan: .passUnretained(plan)) }
    }

    override var copying: Copying { .always }

    override var setContent: Content { materialize() }

    /// Reads the values, unless they were read before.
    @discardableResult
    func materialize() -> Content {
        state.withLock { state in
            if let plan = state.plan {
                state.content = plan._withUnsafeGuaranteedRef { $0.boundContent }
                state.plan = nil
            }
            return state.content
        }
    }
}
