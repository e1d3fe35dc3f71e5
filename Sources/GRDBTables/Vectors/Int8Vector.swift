import GRDB
import _GRDBSystem

/// A vector of signed bytes. It needs a quarter of the space of a ``FloatVector``.
///
/// ```swift
/// let vector = try Int8Vector(quantizing: embedding, over: -1...1)
/// ```
///
/// It is stored as a blob of one byte per element, like the vectors of sqlite-vec.
///
/// Distances are computed from the bytes. Only compare vectors that were quantized over the same
/// range.
public struct Int8Vector: Sendable {
    /// The elements.
    public var elements: [Int8]

    /// Creates a vector.
    public init(_ elements: [Int8]) {
        self.elements = elements
    }

    /// Creates a vector by quantizing floats: the range is divided into 255 steps, which are
    /// numbered from -128.
    ///
    /// Values between two steps are rounded toward zero, so the upper bound may become 126. Values
    /// outside of the range become -128 or 127.
    ///
    /// ```swift
    /// // The same bytes as vec_quantize_int8(embedding, 'unit')
    /// let vector = try Int8Vector(quantizing: embedding, over: -1...1)
    /// ```
    ///
    /// The SQL function is `vector_quantize_int8(X, lower, upper)`.
    ///
    /// - parameter vector: a vector.
    /// - parameter range: the range of its elements. For vectors of length 1, `-1...1` contains all
    ///   elements. A narrower range, such as `-0.2...0.2`, is more precise if it contains most
    ///   elements.
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` if the vector contains NaN, or if the range
    ///   is empty or infinite.
    public init(quantizing vector: FloatVector, over range: ClosedRange<Float>) throws {
        try Self.check(range)
        let elements = vector.withBlob {
            RawVectors.int8(quantizing: $0, lower: range.lowerBound, upper: range.upperBound)
        }
        guard let elements else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the vector contains NaN")
        }
        self.elements = elements
    }

    fileprivate static func check(_ range: ClosedRange<Float>) throws {
        guard range.lowerBound < range.upperBound,
            (range.upperBound - range.lowerBound).isFinite
        else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the range \(range) is empty or infinite")
        }
    }

    fileprivate init(blob: UnsafeRawBufferPointer) {
        elements = blob.map { Int8(bitPattern: $0) }
    }
}

extension FloatVector {
    /// Creates an approximation of the vector that was quantized.
    ///
    /// - parameter vector: a quantized vector.
    /// - parameter range: the range over which it was quantized.
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` if the range is empty or infinite.
    public init(_ vector: Int8Vector, over range: ClosedRange<Float>) throws {
        try Int8Vector.check(range)
        let step = (range.upperBound - range.lowerBound) / 255
        self.init(vector.elements.map { range.lowerBound + (Float($0) + 128) * step })
    }
}

extension Int8Vector: RandomAccessCollection, MutableCollection {
    public var startIndex: Int { 0 }

    public var endIndex: Int { elements.count }

    public subscript(position: Int) -> Int8 {
        get { elements[position] }
        set { elements[position] = newValue }
    }
}

extension Int8Vector: Hashable, ExpressibleByArrayLiteral, CustomStringConvertible {
    public init(arrayLiteral elements: Int8...) {
        self.elements = elements
    }

    public var description: String { elements.description }
}

extension Int8Vector: Codable {
    /// Decodes an array of numbers.
    ///
    /// - throws: the error of the decoder.
    public init(from decoder: any Decoder) throws {
        elements = try [Int8](from: decoder)
    }

    /// Encodes an array of numbers.
    ///
    /// - throws: the error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        try elements.encode(to: encoder)
    }
}

extension Int8Vector: DatabaseValueConvertible, StatementColumnConvertible {
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        let column = RawColumn.content(sqliteStatement, index)
        guard column.type == RawType.blob else { return nil }
        self.init(blob: UnsafeRawBufferPointer(column.bytes))
    }

    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        elements.withUnsafeBytes { RawBinding.blob(sqliteStatement, index, $0) }
    }

    public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .blob(elements.withUnsafeBytes { Data($0) }))
    }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Int8Vector? {
        guard case .blob(let data) = dbValue.storage else { return nil }
        return data.withUnsafeBytes { Int8Vector(blob: $0) }
    }
}

extension Int8Vector: DatabaseVector {
    public typealias Metric = VectorMetric

    public static func _distanceFunction(_ metric: VectorMetric) -> String {
        switch metric {
        case .l2: "vector_int8_distance_l2"
        case .squaredL2: "vector_int8_distance_l2_squared"
        case .cosine: "vector_int8_distance_cosine"
        case .dot: "vector_int8_distance_dot"
        }
    }

    public func distance(to other: Int8Vector, by metric: VectorMetric) throws -> Double {
        let distance: RawVectors.Distance =
            switch metric {
            case .l2: .int8L2
            case .squaredL2: .int8L2Squared
            case .cosine: .int8Cosine
            case .dot: .int8Dot
            }
        return try elements.withUnsafeBytes { left in
            try other.elements.withUnsafeBytes { right in
                try vectorDistance(
                    distance, left, right, dimensionCounts: (count, other.count))
            }
        }
    }
}
