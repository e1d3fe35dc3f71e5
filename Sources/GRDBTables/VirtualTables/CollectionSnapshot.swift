import GRDB

/// The elements of a collection, one after the other in memory, and the indexes on them.
///
/// `@unchecked Sendable`: the elements don't change, and are Sendable; the indexes are locked.
final class CollectionSnapshot: @unchecked Sendable {
    let base: UnsafeRawPointer
    let stride: Int
    let count: Int
    private let free: () -> Void
    private let indexes = Locked([Int: CollectionIndex]())

    init<Elements: Collection>(_ elements: Elements) {
        var count = 0
        let buffer = UnsafeMutableBufferPointer<Elements.Element>.allocate(
            capacity: elements.count)
        // Collections may be wrong about their count.
        for element in elements where count < buffer.count {
            buffer.initializeElement(at: count, to: element)
            count += 1
        }
        let initialized = UnsafeMutableBufferPointer(rebasing: buffer[..<count])
        self.count = count
        stride = MemoryLayout<Elements.Element>.stride
        base = UnsafeRawPointer(buffer.baseAddress ?? UnsafeMutablePointer(bitPattern: 8)!)
        free = {
            initialized.deinitialize()
            buffer.deallocate()
        }
    }

    deinit { free() }

    /// The index on a column, which is built on demand.
    ///
    /// - throws: the error of a column.
    func index(on column: Int, _ definition: CollectionColumn) throws -> CollectionIndex {
        if let index = indexes.withLock({ $0[column] }) { return index }
        guard count <= Int32.max else {
            throw DatabaseError(
                resultCode: .SQLITE_TOOBIG, message: "\(count) rows can't be indexed")
        }
        // Not under the lock: columns call closures of the app. Two threads may both build it.
        let index = try CollectionIndex(self, definition)
        return indexes.withLock { indexes in
            if let known = indexes[column] { return known }
            indexes[column] = index
            return index
        }
    }

    /// How many rows an equality finds on average, if the index is there.
    func rowCount(perValueOf column: Int) -> Int? {
        indexes.withLock { $0[column] }.map { max(1, count / max(1, $0.valueCount)) }
    }

    func element(_ row: Int) -> UnsafeRawPointer { base + row * stride }
}

/// The rows of a snapshot by the values of a column.
///
/// What it finds for a value contains all rows that may be equal for SQLite, and possibly others:
/// SQLite checks them again.
final class CollectionIndex: Sendable {
    enum Key: Hashable {
        case integer(Int64)
        case real(Double)
        case text(String)
        case blob(DatabaseValue)

        /// Numbers that are equal for SQLite have equal keys. Nil for NULL.
        init?(_ value: DatabaseValue) {
            switch value.storage {
            case .null: return nil
            case .int64(let value): self = .integer(value)
            case .double(let value):
                if let integer = Int64(exactly: value) {
                    self = .integer(integer)
                } else {
                    self = .real(value)
                }
            case .string(let value): self = .text(value)
            case .blob: self = .blob(value)
            }
        }
    }

    /// The first row of each value.
    private let first: [Key: Int32]

    /// The next row with the value of a row, or -1.
    private let following: [Int32]

    let hasNumbers: Bool
    let hasTexts: Bool
    private let sorted = Locked<SortedRows?>(nil)

    var valueCount: Int { first.count }

    struct SortedRows: Sendable {
        let rows: [Int32]
        let values: [DatabaseValue]

        /// Whether a text looks like a number. A comparison with a column of numbers converts it.
        let hasNumericTexts: Bool
    }

    init(_ snapshot: CollectionSnapshot, _ column: CollectionColumn) throws {
        var first: [Key: Int32] = [:]
        var following = [Int32](repeating: -1, count: snapshot.count)
        var hasNumbers = false
        var hasTexts = false
        for row in stride(from: snapshot.count - 1, through: 0, by: -1) {
            guard let key = Key(try column.value(at: snapshot.element(row))) else { continue }
            switch key {
            case .integer, .real: hasNumbers = true
            case .text: hasTexts = true
            case .blob: break
            }
            let number = Int32(truncatingIfNeeded: row)
            if let next = first.updateValue(number, forKey: key) { following[row] = next }
        }
        self.first = first
        self.following = following
        self.hasNumbers = hasNumbers
        self.hasTexts = hasTexts
    }

    /// The rows that may equal a value, in ascending order; nil if these may be any.
    func rows(equalTo value: DatabaseValue, numericText: DatabaseValue?) -> [Int32]? {
        guard let key = Key(value) else { return [] }
        switch key {
        case .integer, .real:
            // A text may be converted for the comparison.
            if hasTexts { return nil }
        case .text:
            if hasNumbers {
                if hasTexts { return nil }
                return numericText.flatMap(Key.init).map(rows(with:)) ?? []
            }
        case .blob: break
        }
        return rows(with: key)
    }

    private func rows(with key: Key) -> [Int32] {
        var rows: [Int32] = []
        var row = first[key] ?? -1
        while row >= 0 {
            rows.append(row)
            row = following[Int(row)]
        }
        return rows
    }

    // MARK: - Order

    /// All rows in the order of SQLite, equal ones by their position.
    func sortedRows(
        _ snapshot: CollectionSnapshot, _ column: CollectionColumn
    ) throws -> SortedRows {
        if let sorted = sorted.withLock({ $0 }) { return sorted }
        let values = try (0..<snapshot.count).map { try column.value(at: snapshot.element($0)) }
        let rows = (0..<Int32(snapshot.count)).sorted { left, right in
            switch Self.compare(values[Int(left)], values[Int(right)]) {
            case 0: left < right
            case let order: order < 0
            }
        }
        let hasNumericTexts = values.contains(where: Self.isNumericText)
        let result = SortedRows(
            rows: rows, values: rows.map { values[Int($0)] }, hasNumericTexts: hasNumericTexts)
        sorted.withLock { $0 = result }
        return result
    }

    private static func isNumericText(_ value: DatabaseValue) -> Bool {
        guard case .string = value.storage else { return false }
        if case .string = RawAffinity.numeric.stored(value).storage { return false }
        return true
    }

    /// Compares two values as SQLite does with the collation `BINARY`.
    static func compare(_ left: DatabaseValue, _ right: DatabaseValue) -> Int {
        switch (left.storage, right.storage) {
        case (.int64(let left), .int64(let right)):
            return left < right ? -1 : left == right ? 0 : 1
        case (.double(let left), .double(let right)):
            return left < right ? -1 : left == right ? 0 : 1
        case (.int64(let left), .double(let right)): return -compare(right, left)
        case (.double(let left), .int64(let right)): return compare(left, right)
        case (.string(let left), .string(let right)):
            if left.utf8.elementsEqual(right.utf8) { return 0 }
            return left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
        case (.blob(let left), .blob(let right)):
            if left == right { return 0 }
            return left.lexicographicallyPrecedes(right) ? -1 : 1
        default:
            return rank(left) - rank(right)
        }
    }

    /// Exact, also where an integer has more digits than a `Double`.
    private static func compare(_ left: Double, _ right: Int64) -> Int {
        if left >= 9_223_372_036_854_775_808 { return 1 }
        if left < -9_223_372_036_854_775_808 { return -1 }
        let whole = Int64(left.rounded(.towardZero))
        if whole != right { return whole < right ? -1 : 1 }
        let fraction = left - left.rounded(.towardZero)
        return fraction < 0 ? -1 : fraction == 0 ? 0 : 1
    }

    private static func rank(_ value: DatabaseValue) -> Int {
        switch value.storage {
        case .null: 0
        case .int64, .double: 1
        case .string: 2
        case .blob: 3
        }
    }
}

extension CollectionIndex.SortedRows {
    /// The first position whose value is not before the given one, or, with `after`, that follows it.
    func position(of value: DatabaseValue, after: Bool) -> Int {
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            let order = CollectionIndex.compare(values[middle], value)
            if order < 0 || (after && order == 0) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
