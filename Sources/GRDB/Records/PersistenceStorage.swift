/// What a ``PersistenceContainer`` refers to.
///
/// A storage is in one of three modes:
///
/// - *collecting*: it keeps names and values;
/// - *binding*: values go straight to the parameters of a statement that was made for the columns
///   that the former record of the type has set. A record that sets others makes the storage
///   `isMismatched`: the record is then to be encoded again, in a collecting storage;
/// - *deferred*: it knows a record, which it encodes when the content is asked for. See
///   `DeferredStorage`.
///
/// Belongs to the thread of its connection.
class PersistenceStorage {
    /// Names and values, in the order in which the names were first set.
    struct Content {
        var names: [String] = []
        var values: [DatabaseValue] = []

        func index(of column: String) -> Int? {
            names.firstIndex { ASCIICase.equal($0, column) }
        }
    }

    @exclusivity(unchecked)
    private final var collected = Content()

    /// The first value that SQLite can't store.
    @exclusivity(unchecked)
    private(set) final var refusedValue: String?

    /// Whether a record looked at what it has set. Such records can't be bound.
    @exclusivity(unchecked)
    private(set) final var wasRead = false

    @exclusivity(unchecked)
    private final var binder: StatementBinder?

    final var userInfo: [CodingUserInfoKey: Any] = [:]

    /// What a higher layer keeps with the storage, in order to encode the next record sooner.
    @exclusivity(unchecked)
    final var encodingCache: AnyObject?

    /// The rowid that an insertion has given to a column.
    @exclusivity(unchecked)
    private final var rowID: (column: String, value: Int64)?

    init() {}

    // MARK: - Content

    /// Whether `materialize` must be called before anything else.
    var isDeferred: Bool { false }

    /// Encodes the record that the storage was made for.
    func materialize() -> Content { collected }

    final var content: Content {
        if let binder {
            binder.isMismatched = true
            return Content()
        }
        var content: Content
        if isDeferred {
            content = materialize()
        } else {
            wasRead = true
            content = collected
        }
        if let rowID, let index = content.index(of: rowID.column) {
            content.values[index] = rowID.value.databaseValue
        }
        return content
    }

    /// Tells which rowid the record has got.
    final func setRowID(_ rowID: Int64, column: String?) {
        self.rowID = column.map { ($0, rowID) }
    }

    final func copy() -> PersistenceStorage {
        let copy = PersistenceStorage()
        copy.collected = isDeferred || rowID != nil ? content : collected
        copy.userInfo = userInfo
        copy.refusedValue = refusedValue
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
            if refusedValue == nil { refusedValue = "\(value)" }
            dbValue = .null
        }
        if let index = collected.index(of: column) {
            collected.values[index] = dbValue
        } else {
            collected.names.append(column)
            collected.values.append(dbValue)
        }
    }

    // MARK: - Binding

    /// Whether values are bound to a statement.
    final var isBinding: Bool {
        @inline(__always) get { binder != nil }
    }

    /// Has the storage bind values until `endBinding`.
    final func beginBinding(_ binder: StatementBinder) {
        self.binder = binder
    }

    final func endBinding() {
        binder = nil
    }

    final func bind<Value: DatabaseValueConvertible>(_ value: Value, forColumn column: String) {
        binder.unsafelyUnwrapped.bind(value, forColumn: column)
    }

    final func bindNull(forColumn column: String) {
        binder.unsafelyUnwrapped.bindNull(forColumn: column)
    }
}

/// A storage that encodes a record when its content is asked for.
///
/// The records of classes may have changed meanwhile: it is not for them.
final class DeferredStorage<Record: EncodableRecord>: PersistenceStorage {
    private let record: Record

    private var materialized: Content?

    init(_ record: Record) {
        self.record = record
    }

    override var isDeferred: Bool { true }

    override func materialize() -> Content {
        if let materialized { return materialized }
        var container = PersistenceContainer()
        // The record was encoded without an error a moment ago.
        try? record.encode(to: &container)
        let content = container.storage.content
        materialized = content
        return content
    }
}

/// Binds the columns of records to the parameters of a statement, without a search.
///
/// A record type sets the same columns in the same order most of the time. So the *n*th column that
/// is set is most likely the *n*th one that the statement was made for.
final class StatementBinder {
    /// A column, and where it is bound.
    struct Slot {
        var name: String
        /// The index of the parameter, from 1; 0 when the statement does not want the column.
        var parameter: CInt
        /// Whether the column identifies the row: it must be told when it is NULL.
        var isKey: Bool
    }

    private let statement: SQLiteStatement
    let slots: [Slot]

    /// The number of columns that have come in order.
    @exclusivity(unchecked)
    private var ordinal = 0

    /// Which slots have got a value, as soon as a column did not come in order.
    @exclusivity(unchecked)
    private var filled: [Bool]?

    /// Whether the record has set other columns than those of the statement.
    @exclusivity(unchecked)
    var isMismatched = false

    /// Whether a column of the key is not NULL.
    @exclusivity(unchecked)
    private(set) var hasNonNullKey = false

    /// The result code of the binding that failed.
    @exclusivity(unchecked)
    private(set) var failure = RawStatement.ok

    init(statement: SQLiteStatement, slots: [Slot]) {
        self.statement = statement
        self.slots = slots
    }

    func begin() {
        ordinal = 0
        filled = nil
        isMismatched = false
        hasNonNullKey = false
        failure = RawStatement.ok
    }

    /// Whether the record has set all columns of the statement, and no others.
    var isComplete: Bool {
        if isMismatched { return false }
        if let filled { return filled.allSatisfy { $0 } }
        return ordinal == slots.count
    }

    func bind<Value: DatabaseValueConvertible>(_ value: Value, forColumn column: String) {
        let (index, isKey) = parameter(forColumn: column)
        if index == 0 { return }
        let code: CInt
        if isKey {
            guard let dbValue = value._storableDatabaseValue else {
                failure = RawBinding.tooBig
                return
            }
            if !dbValue.isNull { hasNonNullKey = true }
            code = dbValue.bind(to: statement, at: index)
        } else {
            code = value.bind(to: statement, at: index)
        }
        if code != RawStatement.ok { failure = code }
    }

    func bindNull(forColumn column: String) {
        let (index, _) = parameter(forColumn: column)
        if index == 0 { return }
        let code = RawBinding.null(statement, index)
        if code != RawStatement.ok { failure = code }
    }

    @inline(__always)
    private func parameter(forColumn column: String) -> (index: CInt, isKey: Bool) {
        let ordinal = ordinal
        if ordinal < slots.count, filled == nil {
            let parameter = slots.withUnsafeBufferPointer { slots in
                slots[ordinal].name == column
                    ? (slots[ordinal].parameter, slots[ordinal].isKey) : (-1, false)
            }
            if parameter.0 >= 0 {
                self.ordinal = ordinal &+ 1
                return parameter
            }
        }
        return searchedParameter(forColumn: column)
    }

    private func searchedParameter(forColumn column: String) -> (index: CInt, isKey: Bool) {
        guard let index = slots.firstIndex(where: { ASCIICase.equal($0.name, column) }) else {
            isMismatched = true
            return (0, false)
        }
        var filled = self.filled ?? slots.indices.map { $0 < ordinal }
        filled[index] = true
        self.filled = filled
        return (slots[index].parameter, slots[index].isKey)
    }
}
