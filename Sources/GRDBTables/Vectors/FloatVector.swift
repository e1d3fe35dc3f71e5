import GRDB
import _GRDBSystem

/// A vector of 32-bit floats, such as an embedding.
///
/// ```swift
/// let vector: FloatVector = [0.1, 0.2, 0.3]
/// try db.execute(sql: "INSERT INTO document(embedding) VALUES (?)", arguments: [vector])
/// ```
///
/// It is stored as a blob of four bytes per element, in little-endian order, like the vectors of
/// sqlite-vec. Fetching throws a decoding error if the size of the blob is not a multiple of four
/// bytes, or if it contains NaN.
///
/// A vector that contains NaN can't be stored: the statement throws an error of code `SQLITE_TOOBIG`.
public struct FloatVector: Sendable {
    /// The elements.
    public var elements: [Float]

    /// Creates a vector.
    public init(_ elements: [Float]) {
        self.elements = elements
    }

    /// Creates a vector from any sequence of numbers, such as doubles, which are rounded.
    public init(_ elements: some Sequence<some BinaryFloatingPoint>) {
        self.elements = elements.map { Float($0) }
    }

    /// Returns the vector of length 1 with the same direction.
    ///
    /// - returns: nil if all elements are zero, or if one is infinite or NaN.
    public func normalized() -> FloatVector? {
        let length = elements.reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot()
        guard length > 0, length.isFinite else { return nil }
        return FloatVector(elements.map { Float(Double($0) / length) })
    }

    var containsNaN: Bool { elements.contains(where: \.isNaN) }

    /// Calls the closure with the blob of the vector.
    func withBlob<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        #if _endian(little)
        return try elements.withUnsafeBytes(body)
        #else
        return try elements.map(\.bitPattern.littleEndian).withUnsafeBytes(body)
        #endif
    }

    /// - returns: nil if the blob is not a valid vector.
    fileprivate init?(blob: UnsafeRawBufferPointer) {
        guard blob.count.isMultiple(of: 4) else { return nil }
        elements = [Float](unsafeUninitializedCapacity: blob.count / 4) { buffer, count in
            count = blob.count / 4
            UnsafeMutableRawBufferPointer(buffer).copyMemory(from: blob)
        }
        #if !_endian(little)
        elements = elements.map { Float(bitPattern: UInt32(littleEndian: $0.bitPattern)) }
        #endif
        if containsNaN { return nil }
    }
}

extension FloatVector: RandomAccessCollection, MutableCollection {
    public var startIndex: Int { 0 }

    public var endIndex: Int { elements.count }

    public subscript(position: Int) -> Float {
        get { elements[position] }
        set { elements[position] = newValue }
    }

    public func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<Float>) throws -> Result
    ) rethrows -> Result? {
        try elements.withContiguousStorageIfAvailable(body)
    }
}

extension FloatVector: Hashable, ExpressibleByArrayLiteral, CustomStringConvertible {
    public init(arrayLiteral elements: Float...) {
        self.elements = elements
    }

    public var description: String { elements.description }
}

extension FloatVector: Codable {
    /// Decodes an array of numbers.
    ///
    /// - throws: the error of the decoder.
    public init(from decoder: any Decoder) throws {
        elements = try [Float](from: decoder)
    }

    /// Encodes an array of numbers.
    ///
    /// - throws: the error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        try elements.encode(to: encoder)
    }
}

extension FloatVector: DatabaseValueConvertible, StatementColumnConvertible {
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        let column = RawColumn.content(sqliteStatement, index)
        guard column.type == RawType.blob else { return nil }
        self.init(blob: UnsafeRawBufferPointer(column.bytes))
    }

    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        containsNaN
            ? RawBinding.tooBig : withBlob { RawBinding.blob(sqliteStatement, index, $0) }
    }

    /// - precondition: no element is NaN.
    public var databaseValue: DatabaseValue {
        if containsNaN { return ValueRefusal.refuse("a vector that contains NaN can't be stored") }
        return DatabaseValue(storage: .blob(withBlob { Data($0) }))
    }

    public var _storableDatabaseValue: DatabaseValue? { containsNaN ? nil : databaseValue }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> FloatVector? {
        guard case .blob(let data) = dbValue.storage else { return nil }
        return data.withUnsafeBytes { FloatVector(blob: $0) }
    }
}

extension FloatVector: DatabaseVector {
    public typealias Metric = VectorMetric

    public static func _distanceFunction(_ metric: VectorMetric) -> String {
        switch metric {
        case .l2: "vector_distance_l2"
        case .squaredL2: "vector_distance_l2_squared"
        case .cosine: "vector_distance_cosine"
        case .dot: "vector_distance_dot"
        }
    }

    public func distance(to other: FloatVector, by metric: VectorMetric) throws -> Double {
        let distance: RawVectors.Distance =
            switch metric {
            case .l2: .l2
            case .squaredL2: .l2Squared
            case .cosine: .cosine
            case .dot: .dot
            }
        return try withBlob { left in
            try other.withBlob { right in
                try vectorDistance(
                    distance, left, right, dimensionCounts: (count, other.count))
            }
        }
    }
}
