/// A storage that binds the values of a record directly to the parameters of the statement of a
/// plan.
///
/// A session begins for one record, receives one call per column, and is committed:
///
/// ```swift
/// session.begin()
/// defer { session.end() }
/// var container = PersistenceContainer(storage: session)
/// try encode(to: &container)
/// if session.commit(container) { … }
/// ```
///
/// A record that sets other columns than those of the statement, or reads back a value, is a
/// mismatch, which `commit` reports. The record must then be encoded again, into a collecting
/// storage.
///
/// A record type usually sets the same columns in the same order. The *n*th column set is therefore
/// probably the *n*th column of the statement. ``SessionParameters`` binds it without a search, and
/// without reference counting.
final class BindingSession: PersistenceStorage {
    /// Whether a record is being encoded.
    @exclusivity(unchecked)
    private var isActive = false

    /// Whether each slot has a value. Nil while columns are set in order.
    @exclusivity(unchecked)
    private var filled: [Bool]?

    /// Whether the record has set other columns than those of the statement, or has read back a
    /// value.
    @exclusivity(unchecked)
    private var isMismatched = false

    /// Whether a keyed container has outlived the encoding of its record, and its encoder was
    /// replaced.
    @exclusivity(unchecked)
    var hasEscapedContainers = false

    /// The types of coding keys whose columns are known, each with the record type that encodes
    /// them.
    private var keyTypes: [(record: ObjectIdentifier, key: ObjectIdentifier)] = []

    init(statement: SQLiteStatement, slots: [ColumnSlot]) {
        let parameters = UnsafeMutablePointer<SessionParameters>.allocate(capacity: 1)
        parameters.initialize(to: SessionParameters(statement: statement))
        for slot in slots { parameters.pointee.slots.append(slot) }
        parameters.pointee.slots.suspend()
        super.init(parameters: parameters)
    }

    /// Creates a session for the same statement and columns, without known keys.
    convenience init(like other: BindingSession) {
        self.init(
            statement: other.memory.pointee.statement,
            slots: other.slots.map { ColumnSlot(name: $0.name, parameter: $0.parameter) })
    }

    deinit {
        memory.pointee.slots.deallocate()
        // A keyed container can outlive its record. The memory that it refers to is then not freed,
        // and expects no column.
        if hasEscapedContainers || recordEncodingCache?.hasEscapedContainers == true {
            memory.pointee.slots = Prediction()
        } else {
            memory.deallocate()
        }
    }

    private var memory: UnsafeMutablePointer<SessionParameters> { parameters.unsafelyUnwrapped }

    var slots: UnsafeBufferPointer<ColumnSlot> {
        UnsafeBufferPointer(start: memory.pointee.slots.elements, count: memory.pointee.slots.count)
    }

    // MARK: - A record

    /// Starts binding the columns of a record, until `commit` or `end`.
    func begin() {
        memory.pointee.slots.restart()
        memory.pointee.failure = RawStatement.ok
        isActive = true
        isMismatched = false
        if filled != nil { filled = nil }
    }

    /// Stops binding.
    func end() {
        memory.pointee.slots.suspend()
        isActive = false
    }

    /// Ends the session of a record.
    ///
    /// - returns: whether the record has set all columns of the statement, no others, and only values
    ///   that SQLite accepts.
    func commit(_ container: PersistenceContainer) -> Bool {
        let position = memory.pointee.slots.position
        end()
        if isMismatched || memory.pointee.failure != RawStatement.ok || container.storage !== self {
            return false
        }
        if let filled { return filled.allSatisfy { $0 } }
        return position == memory.pointee.slots.count
    }

    // MARK: - Columns

    func bind<Value: DatabaseValueConvertible>(_ value: Value, forColumn column: String) {
        bind(column) { value.bind(to: $0, at: $1) }
    }

    func bindNull(forColumn column: String) {
        bind(column) { RawBinding.null($0, $1) }
    }

    /// Binds a column that is not the expected one.
    @inline(__always)
    private func bind(_ column: String, _ bind: (SQLiteStatement, CInt) -> CInt) {
        // Ignore a container that has outlived the encoding of its record.
        if !isActive { return }
        let slot: UnsafeMutablePointer<ColumnSlot>
        if let expected = memory.slot(forColumn: column) {
            memory.pointee.slots.advance()
            slot = expected
        } else {
            guard let index = slots.firstIndex(where: { ASCIICase.equal($0.name, column) }) else {
                isMismatched = true
                return
            }
            let passedCount = memory.pointee.slots.position
            var filled = self.filled ?? slots.indices.map { $0 < passedCount }
            filled[index] = true
            self.filled = filled
            // From now on, no column is expected.
            memory.pointee.slots.suspend()
            slot = memory.pointee.slots.elements + index
        }
        if slot.pointee.parameter == 0 { return }
        memory.note(bind(memory.pointee.statement, slot.pointee.parameter))
    }

    /// Values can't be read back.
    override var setContent: Content {
        isMismatched = true
        return Content()
    }

    override var copying: Copying { .never }

    // MARK: - Keys

    /// Returns the identities of the coding keys of a type, which a record type encodes.
    func keySpace<Key: CodingKey>(
        of type: Key.Type, recordType: ObjectIdentifier
    ) -> KeyIdentity.Space {
        let id = (record: recordType, key: ObjectIdentifier(type))
        let number = keyTypes.firstIndex { $0 == id } ?? keyTypes.count
        if number == keyTypes.count { keyTypes.append(id) }
        return KeyIdentity.Space(type, number: number)
    }

    /// Forgets the columns of keys.
    func forgetKeys() {
        for index in slots.indices {
            memory.pointee.slots[index].key = .unknown
            memory.pointee.slots[index].binding = nil
        }
    }
}

/// A column, and the parameter that it is bound to.
@usableFromInline
struct ColumnSlot {
    @usableFromInline let name: String
    /// The coding key of the column, if it is known.
    var key = KeyIdentity.unknown
    /// The object of a higher layer that binds values of a non-primitive type.
    var binding: (type: ObjectIdentifier, writer: AnyObject)?
    /// The index of the parameter, from 1; 0 if the statement does not use the column.
    @usableFromInline let parameter: CInt
}

/// The columns that a record is expected to set, in order: plain memory of a ``BindingSession``,
/// which is read without reference counting when values are set.
@usableFromInline
struct SessionParameters {
    @usableFromInline let statement: SQLiteStatement

    /// Predicts the slot of a column. Suspended while no record is being encoded, and after a
    /// column was set out of order.
    @usableFromInline var slots = Prediction<ColumnSlot>()

    /// The result code of the binding that failed.
    @usableFromInline var failure = RawStatement.ok
}

extension UnsafeMutablePointer<SessionParameters> {
    /// The slot of a column, if it is the expected one.
    @inlinable
    @inline(__always)
    func slot(forColumn column: String) -> UnsafeMutablePointer<ColumnSlot>? {
        guard let slot = pointee.slots.expected else { return nil }
        return slot.pointee.name.hasSameBytes(as: column) ? slot : nil
    }

    /// The slot of a coding key, if it is the expected one.
    @inline(__always)
    func slot(for key: KeyIdentity) -> UnsafeMutablePointer<ColumnSlot>? {
        guard let slot = pointee.slots.expected else { return nil }
        return slot.pointee.key == key ? slot : nil
    }

    /// Binds the value of the expected column; nil is NULL.
    @inlinable
    @inline(__always)
    func bind<Value: StatementBinding>(
        _ value: Value, to slot: UnsafeMutablePointer<ColumnSlot>
    ) {
        pointee.slots.advance()
        if slot.pointee.parameter == 0 { return }
        note(value.bind(to: pointee.statement, at: slot.pointee.parameter))
    }

    @inlinable
    @inline(__always)
    func bindNull(to slot: UnsafeMutablePointer<ColumnSlot>) {
        pointee.slots.advance()
        if slot.pointee.parameter == 0 { return }
        note(RawBinding.null(pointee.statement, slot.pointee.parameter))
    }

    /// Keeps the result code of a binding that failed.
    @inlinable
    @inline(__always)
    func note(_ code: CInt) {
        if code != RawStatement.ok { pointee.failure = code }
    }

    /// Remembers the key of the column that was bound last, if that column was expected.
    ///
    /// - parameter binding: the writer for values of the bound type; nil for primitive types.
    func learn(
        _ key: KeyIdentity, since formerPosition: Int,
        binding: (type: ObjectIdentifier, writer: AnyObject)? = nil
    ) {
        guard key.isKnown, !pointee.slots.isSuspended, pointee.slots.position == formerPosition + 1
        else { return }
        pointee.slots[formerPosition].key = key
        pointee.slots[formerPosition].binding = binding
    }
}
