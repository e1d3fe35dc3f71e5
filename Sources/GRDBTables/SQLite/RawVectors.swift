import GRDB
import CGRDBSQLite

/// Computations on vectors, implemented by the same C code as the SQL functions.
enum RawVectors {
    enum Distance: CInt {
        case l2
        case l2Squared
        case cosine
        case dot
        case int8L2
        case int8L2Squared
        case int8Cosine
        case int8Dot
        case bitsHamming
    }

    /// - parameter left: a vector with as many bytes as `right`.
    /// - returns: NaN if a vector contains NaN.
    static func distance(
        _ distance: Distance, _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
    ) -> Double {
        grdb_vector_distance(
            distance.rawValue, left.baseAddress, right.baseAddress, min(left.count, right.count))
    }

    /// - returns: nil if a float is NaN.
    static func int8(
        quantizing floats: UnsafeRawBufferPointer, lower: Float, upper: Float
    ) -> [Int8]? {
        var isValid = true
        let elements = [Int8](unsafeUninitializedCapacity: floats.count / 4) { buffer, count in
            count = floats.count / 4
            if count == 0 { return }
            isValid =
                grdb_vector_quantize_int8(
                    floats.baseAddress!, count, lower, upper, buffer.baseAddress!) != 0
        }
        return isValid ? elements : nil
    }

    /// - returns: nil if a float is NaN.
    static func bits(quantizing floats: UnsafeRawBufferPointer) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: floats.count / 32)
        if bytes.isEmpty { return bytes }
        let isValid = grdb_vector_quantize_bits(floats.baseAddress!, floats.count / 4, &bytes)
        return isValid != 0 ? bytes : nil
    }
}
