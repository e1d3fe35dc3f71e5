import GRDB

/// Reads a column of an element that is in memory at a known address.
///
/// Stored properties of usual types are read by their offset, without a closure, a key path or a box.
struct ElementReader: Sendable {
    enum Kind: UInt8 {
        case int64, int32, int16, int8, uint32, uint16, uint8, bool
        case double, float, string
        case optionalInt64, optionalDouble, optionalString
        case computed

        /// Whether a column of the affinity stores each value of this kind as it is.
        func isStored(as affinity: RawAffinity) -> Bool {
            switch self {
            case .int64, .int32, .int16, .int8, .uint32, .uint16, .uint8, .bool, .optionalInt64:
                affinity == .integer || affinity == .numeric
            case .double, .float, .optionalDouble: affinity == .real
            case .string, .optionalString: affinity == .text
            case .computed: false
            }
        }
    }

    let kind: Kind
    let offset: Int
    let compute: @Sendable (UnsafeRawPointer) throws -> DatabaseValue

    init<Element: Sendable>(computed: @escaping @Sendable (Element) throws -> DatabaseValue) {
        kind = .computed
        offset = 0
        compute = { try computed($0.assumingMemoryBound(to: Element.self).pointee) }
    }

    init<Element: Sendable, Value: DatabaseValueConvertible & SendableMetatype>(
        _ keyPath: KeyPath<Element, Value> & Sendable
    ) {
        compute = { address in
            let value = address.assumingMemoryBound(to: Element.self).pointee[keyPath: keyPath]
            guard let dbValue = value._storableDatabaseValue else {
                throw RefusedValue(description: "\(value)").error()
            }
            return dbValue
        }
        if let offset = MemoryLayout<Element>.offset(of: keyPath),
            let kind = Self.kind(of: Value.self)
        {
            self.kind = kind
            self.offset = offset
        } else {
            kind = .computed
            offset = 0
        }
    }

    private static func kind(of type: Any.Type) -> Kind? {
        let isWide = MemoryLayout<Int>.size == 8
        if type == Int.self { return isWide ? .int64 : .int32 }
        if type == Int64.self { return .int64 }
        if type == Int32.self { return .int32 }
        if type == Int16.self { return .int16 }
        if type == Int8.self { return .int8 }
        if type == UInt32.self { return .uint32 }
        if type == UInt16.self { return .uint16 }
        if type == UInt8.self { return .uint8 }
        if type == Bool.self { return .bool }
        if type == Double.self { return .double }
        if type == Float.self { return .float }
        if type == String.self { return .string }
        if type == Int64?.self || (isWide && type == Int?.self) { return .optionalInt64 }
        if type == Double?.self { return .optionalDouble }
        if type == String?.self { return .optionalString }
        return nil
    }

    /// The value that a column stores.
    func value(at element: UnsafeRawPointer) throws -> DatabaseValue {
        let value = try compute(element)
        // SQLite turns NaN into NULL. As a number, it has no place in an order.
        if case .double(let number) = value.storage, number.isNaN { return .null }
        return value
    }
}

/// The part of an `ElementReader` that a scan needs: trivial memory.
struct ElementStep {
    let kind: ElementReader.Kind
    let offset: Int

    /// Gives the value to SQLite, unless it must be computed.
    ///
    /// - returns: whether the value was given.
    @inline(__always)
    func read(at element: UnsafeRawPointer, into result: RawFunctionCall) -> Bool {
        let address = element + offset
        switch kind {
        case .int64: result.returnValue(address.load(as: Int64.self))
        case .int32: result.returnValue(Int64(address.load(as: Int32.self)))
        case .int16: result.returnValue(Int64(address.load(as: Int16.self)))
        case .int8: result.returnValue(Int64(address.load(as: Int8.self)))
        case .uint32: result.returnValue(Int64(address.load(as: UInt32.self)))
        case .uint16: result.returnValue(Int64(address.load(as: UInt16.self)))
        case .uint8: result.returnValue(Int64(address.load(as: UInt8.self)))
        case .bool: result.returnValue(address.load(as: Bool.self) ? Int64(1) : 0)
        case .double: result.returnValue(address.load(as: Double.self))
        case .float: result.returnValue(Double(address.load(as: Float.self)))
        case .string: result.returnValue(address.load(as: String.self))
        case .optionalInt64:
            // NULL is what a column is without a value.
            if let value = address.load(as: Int64?.self) { result.returnValue(value) }
        case .optionalDouble:
            if let value = address.load(as: Double?.self) { result.returnValue(value) }
        case .optionalString:
            if let value = address.load(as: String?.self) { result.returnValue(value) }
        case .computed: return false
        }
        return true
    }
}
