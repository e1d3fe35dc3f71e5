import _GRDBSystem

/// The place that the value of a coding key is written to.
struct ColumnTarget {
    let column: String
    let path: [any CodingKey]
    let options: RecordEncodingOptions
}

// Values whose type has a strategy are encoded by these methods. They return nil for the strategy that stores the
// value as it is stored elsewhere.
extension ColumnTarget {
    func encode(_ date: Date) throws -> DatabaseValue? {
        if date.isNotANumber { throw EncodingError.notANumber(Double.nan, path) }
        let strategy = options.recordType.databaseDateEncodingStrategy(for: column)
        if case .deferredToDate = strategy { return nil }
        return try strategy.encode(date, path: path)
    }

    func encode(_ data: Data) throws -> DatabaseValue? {
        let strategy = options.recordType.databaseDataEncodingStrategy(for: column)
        if case .deferredToData = strategy { return nil }
        return try strategy.encode(data, path: path)
    }

    func encode(_ uuid: UUID) -> DatabaseValue? {
        let strategy = options.recordType.databaseUUIDEncodingStrategy(for: column)
        if case .deferredToUUID = strategy { return nil }
        return strategy.encode(uuid)
    }
}

/// Writes values of one type into one column. Whatever depends on the type is determined when the
/// writer is created.
class ColumnWriter<Value: Encodable> {
    let target: ColumnTarget

    init(target: ColumnTarget) {
        self.target = target
    }

    func write(_ value: Value, _ encoder: RecordEncoder) throws {
        fatalError("abstract")
    }

    /// Whether values can be bound directly to a parameter.
    var canBind: Bool { false }

    /// Binds a value to the parameter of the column.
    ///
    /// - precondition: ``canBind``
    func bind(_ value: Value, to statement: SQLiteStatement, at index: CInt) throws -> CInt {
        fatalError("abstract")
    }
}

extension ColumnWriter {
    /// Returns the writer for a type.
    static func make(_ type: Value.Type, target: ColumnTarget) -> ColumnWriter<Value> {
        // The writers below are all writers of `Value`, which the compiler can't infer.
        unsafeDowncast(writer(type, target: target), to: ColumnWriter<Value>.self)
    }

    private static func writer(_ type: Value.Type, target: ColumnTarget) -> AnyObject {
        func convertible<T: Encodable & DatabaseValueConvertible>(_: T.Type) -> AnyObject {
            ConvertibleWriter<T>(target: target)
        }
        if type == Date.self {
            return StrategyWriter<Date>(target: target) { try target.encode($0) }
        }
        if type == Data.self {
            return StrategyWriter<Data>(target: target) { try target.encode($0) }
        }
        if type == UUID.self {
            return StrategyWriter<UUID>(target: target) { target.encode($0) }
        }
        // Optionals encode their wrapped value, which may have a strategy.
        if !(type is any OptionalValue.Type),
            let type = type as? any (Encodable & DatabaseValueConvertible).Type
        {
            return convertible(type)
        }
        return CodableWriter<Value>(target: target)
    }
}

/// Writes `DatabaseValueConvertible` values.
private final class ConvertibleWriter<
    Value: Encodable & DatabaseValueConvertible
>: ColumnWriter<Value> {
    /// Whether values may be stored as floating-point numbers.
    private let mayBeFloat = !hasIntegralRawValue(Value.self)

    override func write(_ value: Value, _ encoder: RecordEncoder) throws {
        guard mayBeFloat, let dbValue = value._storableDatabaseValue else {
            return try encoder.write(value, column: target.column)
        }
        if dbValue.isNaN { throw EncodingError.notANumber(value, target.path) }
        try encoder.write(dbValue, column: target.column)
    }

    override var canBind: Bool { true }

    override func bind(
        _ value: Value, to statement: SQLiteStatement, at index: CInt
    ) throws -> CInt {
        guard mayBeFloat else { return value.bind(to: statement, at: index) }
        guard let dbValue = value._storableDatabaseValue else { return RawBinding.tooBig }
        if dbValue.isNaN { throw EncodingError.notANumber(value, target.path) }
        return dbValue.bind(to: statement, at: index)
    }
}

/// Whether values of a type are stored as integer or string raw values, as most enums are.
private func hasIntegralRawValue(_ type: Any.Type) -> Bool {
    func hasIntegralRawValue<Value: RawRepresentable>(_ type: Value.Type) -> Bool {
        Value.RawValue.self is any BinaryInteger.Type || Value.RawValue.self == String.self
    }
    guard let type = type as? any RawRepresentable.Type else { return false }
    return hasIntegralRawValue(type)
}

/// Writes dates, data and UUIDs with the current strategy of the record type.
private final class StrategyWriter<
    Value: Encodable & DatabaseValueConvertible
>: ColumnWriter<Value> {
    /// Converts a value with the strategy. Returns nil if the value is stored without conversion.
    private let encode: (Value) throws -> DatabaseValue?

    init(target: ColumnTarget, encode: @escaping (Value) throws -> DatabaseValue?) {
        self.encode = encode
        super.init(target: target)
    }

    override func write(_ value: Value, _ encoder: RecordEncoder) throws {
        if let dbValue = try encode(value) {
            try encoder.write(dbValue, column: target.column)
        } else {
            try encoder.write(value, column: target.column)
        }
    }

    override var canBind: Bool { true }

    override func bind(
        _ value: Value, to statement: SQLiteStatement, at index: CInt
    ) throws -> CInt {
        if let dbValue = try encode(value) { return dbValue.bind(to: statement, at: index) }
        return value.bind(to: statement, at: index)
    }
}

/// Writes values that encode themselves: single values as they are, arrays and objects as JSON.
private final class CodableWriter<Value: Encodable>: ColumnWriter<Value> {
    private lazy var encoder = ColumnEncoder(target: target)

    override func write(_ value: Value, _ encoder: RecordEncoder) throws {
        // The column encoder may already be encoding an enclosing value.
        let columnEncoder =
            self.encoder.isEncoding ? ColumnEncoder(target: target) : self.encoder
        if let dbValue = try columnEncoder.encodeForColumn(value) {
            try encoder.write(dbValue, column: target.column)
        }
    }
}
