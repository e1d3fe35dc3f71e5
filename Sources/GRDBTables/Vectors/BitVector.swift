import GRDB
import _GRDBSystem

/// A vector of bits. It needs 1/32 of the space of a ``FloatVector``.
///
/// ```swift
/// let vector = try BitVector(quantizing: embedding)
/// ```
///
/// It is stored as a blob of one byte per eight bits, least significant bit first, like the vectors
/// of sqlite-vec. The number of bits is a multiple of eight.
public struct BitVector: Sendable {
    /// The ways to measure the distance between two vectors of bits.
    public enum Metric: Hashable, Sendable, CaseIterable {
        /// The Hamming distance: the number of bits that differ.
        case hamming
    }

    /// The bits, eight per byte, least significant bit first.
    public var bytes: [UInt8]

    /// Creates a vector from bytes.
    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Creates a vector from bits.
    ///
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` if the number of bits is not a multiple of
    ///   eight.
    public init(_ bits: some Sequence<Bool>) throws {
        let bits = Array(bits)
        try Self.check(bits.count)
        bytes = [UInt8](repeating: 0, count: bits.count / 8)
        for (index, bit) in bits.enumerated() where bit {
            bytes[index / 8] |= 1 << UInt8(index % 8)
        }
    }

    /// Creates a vector by quantizing floats: a bit is set if its element is greater than zero.
    ///
    /// ```swift
    /// // The same bytes as vec_quantize_binary(embedding)
    /// let vector = try BitVector(quantizing: embedding)
    /// ```
    ///
    /// The SQL function is `vector_quantize_bits(X)`.
    ///
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` if the vector contains NaN, or if its
    ///   number of dimensions is not a multiple of eight.
    public init(quantizing vector: FloatVector) throws {
        try Self.check(vector.count)
        guard let bytes = vector.withBlob({ RawVectors.bits(quantizing: $0) }) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the vector contains NaN")
        }
        self.bytes = bytes
    }

    private static func check(_ count: Int) throws {
        guard count.isMultiple(of: 8) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "the number of dimensions, \(count), is not a multiple of 8")
        }
    }
}

extension BitVector: RandomAccessCollection, MutableCollection {
    public var startIndex: Int { 0 }

    public var endIndex: Int { bytes.count * 8 }

    public subscript(position: Int) -> Bool {
        get { bytes[position >> 3] & (1 << UInt8(position & 7)) != 0 }
        set {
            let mask: UInt8 = 1 << UInt8(position & 7)
            if newValue { bytes[position >> 3] |= mask } else { bytes[position >> 3] &= ~mask }
        }
    }
}

extension BitVector: Hashable, CustomStringConvertible {
    public var description: String { String(map { $0 ? "1" : "0" }) }
}

extension BitVector: Codable {
    /// Decodes the bytes.
    ///
    /// - throws: the error of the decoder.
    public init(from decoder: any Decoder) throws {
        bytes = try Array(Data(from: decoder))
    }

    /// Encodes the bytes.
    ///
    /// - throws: the error of the encoder.
    public func encode(to encoder: any Encoder) throws {
        try Data(bytes).encode(to: encoder)
    }
}

extension BitVector: DatabaseValueConvertible, StatementColumnConvertible {
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        let column = RawColumn.content(sqliteStatement, index)
        guard column.type == RawType.blob else { return nil }
        bytes = Array(column.bytes)
    }

    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        bytes.withUnsafeBytes { RawBinding.blob(sqliteStatement, index, $0) }
    }

    public var databaseValue: DatabaseValue { DatabaseValue(storage: .blob(Data(bytes))) }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> BitVector? {
        guard case .blob(let data) = dbValue.storage else { return nil }
        return BitVector(bytes: Array(data))
    }
}

extension BitVector: DatabaseVector {
    public static func _distanceFunction(_ metric: Metric) -> String {
        switch metric {
        case .hamming: "vector_bits_distance_hamming"
        }
    }

    public func distance(to other: BitVector, by metric: Metric) throws -> Double {
        try bytes.withUnsafeBytes { left in
            try other.bytes.withUnsafeBytes { right in
                try vectorDistance(
                    .bitsHamming, left, right, dimensionCounts: (count, other.count))
            }
        }
    }
}
