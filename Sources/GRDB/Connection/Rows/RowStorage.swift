import _GRDBSystem

/// The values of some copied rows, one after the other, in one allocation.
///
/// `Row.fetchAll` copies rows into a few storages rather than into one array per row. A retained row
/// keeps all rows of its storage in memory.
///
/// The bytes of texts and blobs follow the values of their row. Strings and data are created when they are
/// read, so that copying a row allocates nothing for each value. Long texts and blobs are Swift values, which
/// are not copied when they are read.
///
/// Rows refer to their values by address. Values are never moved, nor changed once they are
/// initialized.
final class RowStorage: ManagedBuffer<RowStorage.Header, CopiedValue> {
    struct Header {
        /// The number of values that the rows and their bytes take.
        var count = 0

        /// The number of values that the storage has room for.
        var capacity: Int

        /// Owns the values that are not stored as bytes.
        fileprivate var keptValues: [KeptValue] = []

        fileprivate mutating func keep(_ value: DatabaseValue, type: CInt) -> CopiedValue {
            let keptValue = KeptValue(value)
            keptValues.append(keptValue)
            return CopiedValue(type: type, keptValue)
        }
    }

    /// The maximum number of rows that a new storage has room for if all are as large as the first one.
    static let maximumRowCount = 64

    /// The number of bytes from which texts and blobs are Swift values.
    private static let keptByteCount = 1024

    private static func make(capacity: Int) -> RowStorage {
        let buffer = create(minimumCapacity: capacity) { _ in Header(capacity: capacity) }
        return unsafeDowncast(buffer, to: RowStorage.self)
    }

    /// Creates a storage with room for some rows of the size of the current row of a statement.
    static func make(
        rowCount: Int, like statement: SQLiteStatement, count: Int
    ) -> RowStorage {
        var byteCount = 0
        for index in 0..<CInt(truncatingIfNeeded: count) {
            let type = RawColumn.type(statement, index)
            guard type == RawType.text || type == RawType.blob else { continue }
            let length = RawColumn.content(statement, index).bytes.count
            if length < keptByteCount { byteCount += length }
        }
        return make(capacity: rowCount * (count + CopiedValue.count(forBytes: byteCount)))
    }

    /// Creates a storage of values that belong to no statement.
    static func make(_ values: [DatabaseValue]) -> RowStorage {
        let buffer = make(capacity: values.count)
        buffer.withUnsafeMutablePointers { header, elements in
            for (index, value) in values.enumerated() {
                let copiedValue =
                    switch value.storage {
                    case .null: CopiedValue()
                    case .int64(let integer): CopiedValue(integer)
                    case .double(let real): CopiedValue(real)
                    case .string: header.pointee.keep(value, type: RawType.text)
                    case .blob: header.pointee.keep(value, type: RawType.blob)
                    }
                (elements + index).initialize(to: copiedValue)
            }
            header.pointee.count = values.count
        }
        return buffer
    }

    /// Copies the current row of a statement, if there is room for its values.
    ///
    /// - returns: the address of the values; nil if the buffer is full.
    @inline(__always)
    func append(rowOf statement: SQLiteStatement, count: Int) -> UnsafePointer<CopiedValue>? {
        withUnsafeMutablePointers { header, elements in
            let row = elements + header.pointee.count
            let keptCount = header.pointee.keptValues.count
            var freeBytes =
                (header.pointee.capacity &- header.pointee.count &- count)
                &* MemoryLayout<CopiedValue>.stride
            if freeBytes < 0 { return nil }
            var bytes = UnsafeMutableRawPointer(row + count)
            for index in 0..<count {
                let value: CopiedValue
                let column = CInt(truncatingIfNeeded: index)
                let integer = RawColumn.integer(statement, column)
                switch integer.type {
                case RawType.integer:
                    value = CopiedValue(integer.value)
                case RawType.float:
                    value = CopiedValue(RawColumn.real(statement, column).value)
                case RawType.text, RawType.blob:
                    let content = UnsafeRawBufferPointer(RawColumn.content(statement, column).bytes)
                    if content.count >= Self.keptByteCount {
                        value = header.pointee.keep(
                            DatabaseValue(sqliteStatement: statement, index: column),
                            type: integer.type)
                    } else if content.count > freeBytes {
                        header.pointee.keptValues.removeSubrange(keptCount...)
                        return nil
                    } else {
                        if let start = content.baseAddress {
                            bytes.copyMemory(from: start, byteCount: content.count)
                        }
                        value = CopiedValue(type: integer.type, bytes, count: content.count)
                        bytes += content.count
                        freeBytes &-= content.count
                    }
                default:
                    value = CopiedValue()
                }
                (row + index).initialize(to: value)
            }
            header.pointee.count =
                header.pointee.capacity &- freeBytes / MemoryLayout<CopiedValue>.stride
            return UnsafePointer(row)
        }
    }

    var start: UnsafePointer<CopiedValue> {
        withUnsafeMutablePointerToElements { UnsafePointer($0) }
    }
}

/// A value of a copied row.
@usableFromInline
struct CopiedValue {
    /// An integer, the bits of a real number, or the address of bytes or of a ``KeptValue``.
    private let content: UInt64

    /// The number of bytes; -1 for a kept value.
    private let byteCount: CInt

    /// One of the constants of ``RawType``.
    private let type: CInt

    private init(type: CInt, content: UInt64, byteCount: Int = 0) {
        self.type = type
        self.content = content
        self.byteCount = CInt(truncatingIfNeeded: byteCount)
    }

    fileprivate init() { self.init(type: RawType.null, content: 0) }

    fileprivate init(_ integer: Int64) {
        self.init(type: RawType.integer, content: UInt64(bitPattern: integer))
    }

    fileprivate init(_ real: Double) { self.init(type: RawType.float, content: real.bitPattern) }

    fileprivate init(type: CInt, _ bytes: UnsafeMutableRawPointer, count: Int) {
        self.init(type: type, content: UInt64(UInt(bitPattern: bytes)), byteCount: count)
    }

    fileprivate init(type: CInt, _ value: KeptValue) {
        let address = UInt(bitPattern: Unmanaged.passUnretained(value).toOpaque())
        self.init(type: type, content: UInt64(address), byteCount: -1)
    }

    /// The number of values that have at least so many bytes.
    fileprivate static func count(forBytes byteCount: Int) -> Int {
        (byteCount + MemoryLayout<CopiedValue>.stride - 1) / MemoryLayout<CopiedValue>.stride
    }

    @usableFromInline var isNull: Bool { type == RawType.null }

    /// The value. The storage must be alive.
    @usableFromInline
    var databaseValue: DatabaseValue {
        switch type {
        case RawType.integer:
            return DatabaseValue(storage: .int64(Int64(bitPattern: content)))
        case RawType.float:
            return DatabaseValue(storage: .double(Double(bitPattern: content)))
        case RawType.null:
            return .null
        default:
            let address = UnsafeRawPointer(bitPattern: UInt(content)).unsafelyUnwrapped
            if byteCount < 0 {
                return Unmanaged<KeptValue>.fromOpaque(address).takeUnretainedValue().value
            }
            let bytes = UnsafeRawBufferPointer(start: address, count: Int(byteCount))
            if type == RawType.blob { return DatabaseValue(storage: .blob(Data(bytes))) }
            return DatabaseValue(storage: .string(String(decoding: bytes, as: UTF8.self)))
        }
    }
}

/// A text or blob that is not stored as bytes.
private final class KeptValue {
    let value: DatabaseValue

    init(_ value: DatabaseValue) {
        self.value = value
    }
}

/// Copies the rows of one statement, one after the other.
struct RowCopier {
    private let sqliteStatement: SQLiteStatement
    private let columnCount: Int
    let shape: RowShape
    private var buffer: RowStorage?
    private var rowCount = 1

    /// - parameter rowCount: the expected number of rows.
    init(_ statement: Statement, shape: RowShape, rowCount: Int = 1) {
        sqliteStatement = statement.sqliteStatement
        columnCount = shape.base.names.count
        self.shape = shape
        self.rowCount = rowCount
    }

    /// Copies the current row.
    @inline(__always)
    mutating func values() -> (UnsafePointer<CopiedValue>, RowStorage) {
        if let buffer, let values = buffer.append(rowOf: sqliteStatement, count: columnCount) {
            return (values, buffer)
        }
        return valuesInNewBuffer()
    }

    @inline(never)
    private mutating func valuesInNewBuffer() -> (UnsafePointer<CopiedValue>, RowStorage) {
        while true {
            let buffer = RowStorage.make(
                rowCount: rowCount, like: sqliteStatement, count: columnCount)
            // Fails only if a text could not be converted to UTF-8 before.
            guard let values = buffer.append(rowOf: sqliteStatement, count: columnCount) else {
                continue
            }
            // The first buffers are small, because most results are.
            rowCount = min(4 * rowCount, RowStorage.maximumRowCount)
            self.buffer = buffer
            return (values, buffer)
        }
    }

    /// Copies the current row.
    @inline(__always)
    mutating func row() -> Row {
        let (values, buffer) = values()
        return Row(values: values, in: buffer, shape: shape)
    }
}
