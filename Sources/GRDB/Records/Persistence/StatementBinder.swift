/// Binds the columns of records to the parameters of a statement, without a search.
///
/// A record type sets the same columns in the same order most of the time. So the *n*th column that
/// is set is most likely the *n*th one that the statement was made for.
final class StatementBinder {
    /// The memory for the columns that come in order. Lives as long as the binder.
    let state: UnsafeMutablePointer<ExpectedColumns>

    /// Whether a record is being encoded.
    @exclusivity(unchecked)
    private var isActive = false

    /// Which slots have got a value, as soon as a column did not come in order.
    @exclusivity(unchecked)
    private var filled: [Bool]?

    /// Whether the record has set other columns than those of the statement.
    @exclusivity(unchecked)
    var isMismatched = false

    /// The types of the keys that the slots know, each with the record type that has made columns
    /// of them.
    private var keyTypes: [(record: ObjectIdentifier, key: ObjectIdentifier)] = []

    init(statement: SQLiteStatement, slots: [ColumnSlot]) {
        state = .allocate(capacity: 1)
        state.initialize(to: ExpectedColumns(statement: statement))
        for slot in slots { state.pointee.slots.append(slot) }
        state.pointee.slots.suspend()
    }

    deinit {
        state.pointee.slots.deallocate()
        state.deallocate()
    }

    var slots: UnsafeBufferPointer<ColumnSlot> {
        UnsafeBufferPointer(start: state.pointee.slots.elements, count: state.pointee.slots.count)
    }

    /// Binds the columns of a record from now on, until `end`.
    func begin() {
        state.pointee.slots.restart()
        state.pointee.failure = RawStatement.ok
        isActive = true
        isMismatched = false
        if filled != nil { filled = nil }
    }

    func end() {
        state.pointee.slots.suspend()
        isActive = false
    }

    /// Whether the record has set all columns of the statement, no others, and only values that
    /// SQLite accepts.
    var isComplete: Bool {
        if isMismatched || state.pointee.failure != RawStatement.ok { return false }
        if let filled { return filled.allSatisfy { $0 } }
        return state.pointee.slots.position == state.pointee.slots.count
    }

    func bind<Value: DatabaseValueConvertible>(_ value: Value, forColumn column: String) {
        guard let slot = slot(forColumn: column) else { return }
        let code = value.bind(to: state.pointee.statement, at: slot.pointee.parameter)
        if code != RawStatement.ok { state.pointee.failure = code }
    }

    func bindNull(forColumn column: String) {
        guard let slot = slot(forColumn: column) else { return }
        let code = RawBinding.null(state.pointee.statement, slot.pointee.parameter)
        if code != RawStatement.ok { state.pointee.failure = code }
    }

    /// Where to bind a column; nil if the statement does not want it.
    private func slot(forColumn column: String) -> UnsafeMutablePointer<ColumnSlot>? {
        // A container that has outlived the encoding of its record.
        if !isActive { return nil }
        let slot: UnsafeMutablePointer<ColumnSlot>
        if let expected = state.pointee.slots.expected, expected.pointee.name == column {
            state.pointee.slots.advance()
            slot = expected
        } else {
            guard let index = slots.firstIndex(where: { ASCIICase.equal($0.name, column) }) else {
                isMismatched = true
                return nil
            }
            let passedCount = state.pointee.slots.position
            var filled = self.filled ?? slots.indices.map { $0 < passedCount }
            filled[index] = true
            self.filled = filled
            // No column is expected any more.
            state.pointee.slots.suspend()
            slot = state.pointee.slots.elements + index
        }
        return slot.pointee.parameter > 0 ? slot : nil
    }

    // MARK: - Keys

    /// The identities of the coding keys of a type, whose names are the columns of a record type.
    func keySpace<Key: CodingKey>(
        of type: Key.Type, recordType: ObjectIdentifier
    ) -> KeyIdentity.Space {
        let id = (record: recordType, key: ObjectIdentifier(type))
        let number = keyTypes.firstIndex { $0 == id } ?? keyTypes.count
        if number == keyTypes.count { keyTypes.append(id) }
        return KeyIdentity.Space(type, number: number)
    }

    /// Forgets which columns keys stand for.
    func forgetKeys() {
        for index in slots.indices {
            state.pointee.slots[index].key = .unknown
            state.pointee.slots[index].binding = nil
        }
    }

    /// Remembers that a key stands for the column that was bound last, if that was an expected one.
    ///
    /// - parameter binding: what binds the values of the type that was bound, unless it is a
    ///   primitive one.
    func learn(
        _ key: KeyIdentity, since formerPosition: Int,
        binding: (type: ObjectIdentifier, writer: AnyObject)? = nil
    ) {
        guard key.isKnown, !state.pointee.slots.isSuspended,
            state.pointee.slots.position == formerPosition + 1
        else { return }
        state.pointee.slots[formerPosition].key = key
        state.pointee.slots[formerPosition].binding = binding
    }
}

/// A column, and where it is bound.
@usableFromInline
struct ColumnSlot {
    @usableFromInline let name: String
    /// The coding key that stands for the column, when it is known.
    var key = KeyIdentity.unknown
    /// What a higher layer binds values of a type with, beyond the primitive ones.
    var binding: (type: ObjectIdentifier, writer: AnyObject)?
    /// The index of the parameter, from 1; 0 when the statement does not want the column.
    @usableFromInline let parameter: CInt
    init(name: String, parameter: CInt) {
        self.name = name
        self.parameter = parameter
    }
}

/// The columns that a record is expected to set, in order: plain memory of a binder, read where
/// values are set without counting any reference.
@usableFromInline
struct ExpectedColumns {
    @usableFromInline let statement: SQLiteStatement

    /// Guesses which slot a column has. Suspended when no record is being encoded, or when a column
    /// has not come in order.
    @usableFromInline var slots = Prediction<ColumnSlot>()

    /// The result code of the binding that failed.
    @usableFromInline var failure = RawStatement.ok

    init(statement: SQLiteStatement) {
        self.statement = statement
    }
}

extension UnsafeMutablePointer<ExpectedColumns> {
    /// The slot of a column, if it is the expected one.
    @inlinable
    @inline(__always)
    func slot(forColumn column: String) -> UnsafeMutablePointer<ColumnSlot>? {
        guard let slot = pointee.slots.expected else { return nil }
        return slot.pointee.name == column ? slot : nil
    }

    /// The slot of a coding key, if it is the expected one.
    @inline(__always)
    func slot(for key: KeyIdentity) -> UnsafeMutablePointer<ColumnSlot>? {
        guard let slot = pointee.slots.expected else { return nil }
        return slot.pointee.key == key ? slot : nil
    }

    /// Binds the value of the expected column.
    @inlinable
    @inline(__always)
    func bind<Value: StatementBinding>(
        _ value: Value, to slot: UnsafeMutablePointer<ColumnSlot>
    ) {
        pointee.slots.advance()
        if slot.pointee.parameter == 0 { return }
        let code = value.bind(to: pointee.statement, at: slot.pointee.parameter)
        if code != RawStatement.ok { pointee.failure = code }
    }

    @inlinable
    @inline(__always)
    func bindNull(to slot: UnsafeMutablePointer<ColumnSlot>) {
        pointee.slots.advance()
        if slot.pointee.parameter == 0 { return }
        let code = RawBinding.null(pointee.statement, slot.pointee.parameter)
        if code != RawStatement.ok { pointee.failure = code }
    }
}
