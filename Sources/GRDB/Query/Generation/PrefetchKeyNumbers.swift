// The keys that connect prefetched rows with the rows they belong to.

/// Numbers keys in the order in which they are inserted. Equal keys have the same number.
struct PrefetchKeyNumbers {
    private let comparisons: [KeyComparison]

    // Most keys are a single integer, which needs no array. Contains all such keys, and no others.
    private var integers: [Int64: Int] = [:]
    private let isIntegerPossible: Bool

    private var others: [PrefetchKey: Int] = [:]

    /// The values of the single integers, as they were first inserted.
    private var integerValues: [DatabaseValue] = []

    /// The last result, because rows that belong to the same row are often consecutive.
    private var lastInteger: (value: Int64, number: Int)?

    /// The number of keys.
    var count: Int { integers.count + others.count }

    init(_ comparisons: [KeyComparison]) {
        self.comparisons = comparisons
        isIntegerPossible = comparisons.count == 1 && !comparisons[0].comparesTexts
    }

    /// Returns the number of the key of a row, and inserts the key if it is new. Nil if a value is
    /// NULL.
    ///
    /// - parameter indexes: the indexes of the values of the key in the row.
    mutating func insert(_ row: UnsafePointer<CopiedValue>, _ indexes: [Int]) -> Int? {
        let value = row[indexes[0]].databaseValue
        if isIntegerPossible, case .int64(let integer) = value.storage {
            return insert(integer, value)
        }
        guard let key = key(row, indexes) else { return nil }
        if let integer = integer(key) { return insert(integer, key.databaseValues[0]) }
        if let number = others[key] { return number }
        let number = count
        others[key] = number
        return number
    }

    private mutating func insert(_ integer: Int64, _ value: DatabaseValue) -> Int {
        if let number = integers[integer] { return number }
        let number = count
        integers[integer] = number
        integerValues.append(value)
        return number
    }

    /// Returns the number of the key of a row. Nil if the key was not inserted.
    mutating func number(_ row: UnsafePointer<CopiedValue>, _ indexes: [Int]) -> Int? {
        if isIntegerPossible, case .int64(let integer) = row[indexes[0]].databaseValue.storage {
            return number(integer)
        }
        guard let key = key(row, indexes) else { return nil }
        if let integer = integer(key) { return number(integer) }
        return others[key]
    }

    private mutating func number(_ integer: Int64) -> Int? {
        if let lastInteger, lastInteger.value == integer { return lastInteger.number }
        guard let number = integers[integer] else { return nil }
        lastInteger = (integer, number)
        return number
    }

    private func key(_ row: UnsafePointer<CopiedValue>, _ indexes: [Int]) -> PrefetchKey? {
        PrefetchKey(indexes.map { row[$0].databaseValue }, comparisons)
    }

    /// Returns the integer of a key that is a single integer.
    private func integer(_ key: PrefetchKey) -> Int64? {
        guard isIntegerPossible, case .integer(let integer) = key.values[0] else { return nil }
        return integer
    }

    /// Returns the values of the keys in a stable order.
    func sortedKeys() -> [[DatabaseValue]] {
        let values = integerValues.sorted { lhs, rhs in
            switch (lhs.storage, rhs.storage) {
            case (.int64(let lhs), .int64(let rhs)): lhs < rhs
            default: integerKey(lhs).values[0] < integerKey(rhs).values[0]
            }
        }
        if others.isEmpty { return values.map { [$0] } }
        return (values.map(integerKey) + others.keys)
            .sorted { $0.values.lexicographicallyPrecedes($1.values) }
            .map(\.databaseValues)
    }

    private func integerKey(_ value: DatabaseValue) -> PrefetchKey {
        PrefetchKey([value], comparisons).unsafelyUnwrapped
    }
}

/// The values of the columns that join two tables.
struct PrefetchKey: Hashable {
    let values: [Value]

    /// The values, as they were first inserted.
    let databaseValues: [DatabaseValue]

    enum Value: Hashable, Comparable {
        case integer(Int64)
        case real(Double)
        case text([UInt8])
        case blob([UInt8])

        static func < (lhs: Value, rhs: Value) -> Bool {
            switch (lhs, rhs) {
            case (.integer(let lhs), .integer(let rhs)): lhs < rhs
            case (.real(let lhs), .real(let rhs)): lhs < rhs
            case (.integer(let lhs), .real(let rhs)): Double(lhs) < rhs
            case (.real(let lhs), .integer(let rhs)): lhs < Double(rhs)
            case (.text(let lhs), .text(let rhs)), (.blob(let lhs), .blob(let rhs)):
                lhs.lexicographicallyPrecedes(rhs)
            default: lhs.rank < rhs.rank
            }
        }

        private var rank: Int {
            switch self {
            case .integer, .real: 0
            case .text: 1
            case .blob: 2
            }
        }
    }

    /// Nil if a value is NULL, which equals nothing.
    init?(_ databaseValues: [DatabaseValue], _ comparisons: [KeyComparison]) {
        var values: [Value] = []
        for (databaseValue, comparison) in zip(databaseValues, comparisons) {
            switch databaseValue.storage {
            case .null: return nil
            case .int64(let integer): values.append(comparison.value(integer))
            case .double(let real):
                values.append(Int64(exactly: real).map { comparison.value($0) } ?? .real(real))
            case .string(let text): values.append(comparison.value(text))
            case .blob(let data): values.append(.blob(Array(data)))
            }
        }
        self.values = values
        self.databaseValues = databaseValues
    }

    static func == (lhs: PrefetchKey, rhs: PrefetchKey) -> Bool { lhs.values == rhs.values }

    func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

/// Determines which values are equal for a column, given its type and its collation.
struct KeyComparison {
    enum Collation {
        case binary, nocase, rtrim
    }

    var collation = Collation.binary

    /// Whether numbers are compared as texts.
    var comparesTexts = false

    /// Whether texts that look like numbers are compared as numbers.
    var comparesNumbers = false

    func value(_ integer: Int64) -> PrefetchKey.Value {
        comparesTexts ? .text(Array(String(integer).utf8)) : .integer(integer)
    }

    func value(_ text: String) -> PrefetchKey.Value {
        if comparesNumbers, let integer = Int64(text) { return .integer(integer) }
        let text = Array(text.utf8)
        switch collation {
        case .binary: return .text(text)
        case .nocase: return .text(text.map { ASCIICase.fold($0) })
        case .rtrim:
            return .text(Array(text.reversed().drop { $0 == UInt8(ascii: " ") }.reversed()))
        }
    }
}

extension Database {
    /// Returns the comparison of `"column" IN (…)`.
    func keyComparison(
        ofColumn column: String, in table: Relation.TableName
    ) throws -> KeyComparison {
        let info = raw.columnMetadata(column, in: table.name, schema: table.schema)
        var comparison = KeyComparison()
        switch info?.collation.lowercased() {
        case "nocase": comparison.collation = .nocase
        case "rtrim": comparison.collation = .rtrim
        default: break
        }
        if let type = info?.type {
            let affinity = RawAffinity(declaredType: type)
            comparison.comparesNumbers = affinity.isNumeric
            comparison.comparesTexts = affinity == .text
        }
        return comparison
    }
}
