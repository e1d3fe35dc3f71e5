import Foundation

/// Where a key is written to.
struct ColumnTarget {
    let column: String
    let path: [any CodingKey]
    let options: RecordEncodingOptions
}

/// Writes the values of one type into one column: what depends on the type was found out when the
/// writer was made.
class ColumnWriter<Value: Encodable> {
    let target: ColumnTarget

    init(target: ColumnTarget) {
        self.target = target
    }

    func write(_ value: Value, _ encoder: RecordEncoder) throws {
        fatalError("abstract")
    }

    /// Whether values can be bound to a parameter straight away.
    var canBind: Bool { false }

    /// Binds a value to the parameter of the column.
    ///
    /// - precondition: ``canBind``
    func bind(_ value: Value, to statement: SQLiteStatement, at index: CInt) throws -> CInt {
        fatalError("abstract")
    }
}

extension ColumnWriter {
    /// The writer for a type.
    static func make(_ type: Value.Type, target: ColumnTarget) -> ColumnWriter<Value> {
        // The writers below are those of `Value`, which the compiler does not know.
        unsafeDowncast(writer(type, target: target), to: ColumnWriter<Value>.self)
    }

    private static func writer(_ type: Value.Type, target: ColumnTarget) -> AnyObject {
        if type == Date.self { return DateWriter(target: target) }
        if type == Data.self { return DataWriter(target: target) }
        if type == UUID.self { return UUIDWriter(target: target) }
        // Optionals encode the value that they wrap, for which there may be a strategy.
        if !(type is any OptionalValue.Type),
            let type = type as? any (Encodable & DatabaseValueConvertible).Type
        {
            return convertibleWriter(type, target: target)
        }
        return CodableWriter<Value>(target: target)
    }

    private static func convertibleWriter<Convertible: Encodable & DatabaseValueConvertible>(
        _ type: Convertible.Type, target: ColumnTarget
    ) -> AnyObject {
        ConvertibleWriter<Convertible>(target: target)
    }
}

/// Writes values that know how they are stored.
private final class ConvertibleWriter<
    Value: Encodable & DatabaseValueConvertible
>: ColumnWriter<Value> {
    override func write(_ value: Value, _ encoder: RecordEncoder) throws {
        try encoder.write(value, column: target.column)
    }

    override var canBind: Bool { true }

    override func bind(_ value: Value, to statement: SQLiteStatement, at index: CInt) -> CInt {
        value.bind(to: statement, at: index)
    }
}

/// Writes dates with the strategy that the record type has at this moment.
private final class DateWriter: ColumnWriter<Date> {
    override func write(_ value: Date, _ encoder: RecordEncoder) throws {
        let strategy = target.options.dateStrategy(for: target.column)
        if case .deferredToDate = strategy {
            try encoder.write(value, column: target.column)
        } else {
            try encoder.write(
                strategy.encode(value, path: target.path), column: target.column)
        }
    }

    override var canBind: Bool { true }

    override func bind(
        _ value: Date, to statement: SQLiteStatement, at index: CInt
    ) throws -> CInt {
        let strategy = target.options.dateStrategy(for: target.column)
        if case .deferredToDate = strategy {
            return value.bind(to: statement, at: index)
        }
        return try strategy.encode(value, path: target.path).bind(to: statement, at: index)
    }
}

/// Writes data with the strategy that the record type has at this moment.
private final class DataWriter: ColumnWriter<Data> {
    override func write(_ value: Data, _ encoder: RecordEncoder) throws {
        let strategy = target.options.dataStrategy(for: target.column)
        if case .deferredToData = strategy {
            try encoder.write(value, column: target.column)
        } else {
            try encoder.write(
                strategy.encode(value, path: target.path), column: target.column)
        }
    }

    override var canBind: Bool { true }

    override func bind(
        _ value: Data, to statement: SQLiteStatement, at index: CInt
    ) throws -> CInt {
        let strategy = target.options.dataStrategy(for: target.column)
        if case .deferredToData = strategy {
            return value.bind(to: statement, at: index)
        }
        return try strategy.encode(value, path: target.path).bind(to: statement, at: index)
    }
}

/// Writes UUIDs with the strategy that the record type has at this moment.
private final class UUIDWriter: ColumnWriter<UUID> {
    override func write(_ value: UUID, _ encoder: RecordEncoder) throws {
        let strategy = target.options.uuidStrategy(for: target.column)
        if case .deferredToUUID = strategy {
            try encoder.write(value, column: target.column)
        } else {
            try encoder.write(
                strategy.encode(value), column: target.column)
        }
    }

    override var canBind: Bool { true }

    override func bind(
        _ value: UUID, to statement: SQLiteStatement, at index: CInt
    ) throws -> CInt {
        let strategy = target.options.uuidStrategy(for: target.column)
        if case .deferredToUUID = strategy {
            return value.bind(to: statement, at: index)
        }
        return strategy.encode(value).bind(to: statement, at: index)
    }
}

/// Writes values that encode themselves: single values as they are, arrays and objects as JSON.
private final class CodableWriter<Value: Encodable>: ColumnWriter<Value> {
    private lazy var encoder = ColumnEncoder(target: target)

    override func write(_ value: Value, _ encoder: RecordEncoder) throws {
        // The column encoder may be encoding the value that holds this one.
        let columnEncoder =
            self.encoder.isEncoding ? ColumnEncoder(target: target) : self.encoder
        if let dbValue = try columnEncoder.encode(value) {
            try encoder.write(dbValue, column: target.column)
        }
    }
}
