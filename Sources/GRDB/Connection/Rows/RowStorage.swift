/// The values of some copied rows, one after the other, in one allocation.
///
/// `Row.fetchAll` copies rows into a few storages rather than into one array per row. A single
/// retained row keeps its neighbors in memory: at most ``maximumRowCount`` rows.
///
/// Rows refer to their values by address. Values are never moved, nor changed once they are
/// initialized.
final class RowStorage: ManagedBuffer<RowStorage.Header, DatabaseValue> {
    struct Header {
        var count = 0
        var capacity: Int
    }

    /// The maximum number of rows that share an allocation.
    static let maximumRowCount = 64

    static func make(capacity: Int) -> RowStorage {
        let buffer = create(minimumCapacity: capacity) { _ in Header(capacity: capacity) }
        return unsafeDowncast(buffer, to: RowStorage.self)
    }

    deinit {
        _ = withUnsafeMutablePointers { header, elements in
            elements.deinitialize(count: header.pointee.count)
        }
    }

    /// Copies the values of an array.
    static func make(_ values: [DatabaseValue]) -> RowStorage {
        let buffer = make(capacity: values.count)
        buffer.withUnsafeMutablePointers { header, elements in
            for (index, value) in values.enumerated() {
                (elements + index).initialize(to: value)
            }
            header.pointee.count = values.count
        }
        return buffer
    }

    /// Copies the current row of a statement, if there is room for its values.
    ///
    /// - returns: the address of the values; nil if the buffer is full.
    @inline(__always)
    func append(rowOf statement: SQLiteStatement, count: Int) -> UnsafePointer<DatabaseValue>? {
        withUnsafeMutablePointers { header, elements in
            let start = header.pointee.count
            if header.pointee.capacity &- start < count { return nil }
            let row = elements + start
            for index in 0..<count {
                (row + index).initialize(
                    to: DatabaseValue(
                        sqliteStatement: statement, index: CInt(truncatingIfNeeded: index)))
            }
            header.pointee.count = start &+ count
            return UnsafePointer(row)
        }
    }

    var start: UnsafePointer<DatabaseValue> {
        withUnsafeMutablePointerToElements { UnsafePointer($0) }
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
    mutating func values() -> (UnsafePointer<DatabaseValue>, RowStorage) {
        if let buffer, let values = buffer.append(rowOf: sqliteStatement, count: columnCount) {
            return (values, buffer)
        }
        return valuesInNewBuffer()
    }

    @inline(never)
    private mutating func valuesInNewBuffer() -> (UnsafePointer<DatabaseValue>, RowStorage) {
        let buffer = RowStorage.make(capacity: rowCount * columnCount)
        // The first buffers are small, because most results are.
        rowCount = min(4 * rowCount, RowStorage.maximumRowCount)
        self.buffer = buffer
        return (buffer.append(rowOf: sqliteStatement, count: columnCount)!, buffer)
    }

    /// Copies the current row.
    @inline(__always)
    mutating func row() -> Row {
        let (values, buffer) = values()
        return Row(values: values, in: buffer, shape: shape)
    }
}
