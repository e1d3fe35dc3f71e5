public import CGRDBSQLite
import _GRDBSystem

/// Binds values to the parameters of a raw statement. Indexes start at 1.
///
/// Every function returns an SQLite result code: `SQLITE_TOOBIG` for values over the limit of the
/// connection. Lengths are 64-bit wide and never truncated.
///
/// See <https://www.sqlite.org/c3ref/bind_blob.html>.
@usableFromInline
package enum RawBinding {
    /// The result code for a number out of SQLite's range.
    @inlinable package static var tooBig: CInt { SQLITE_TOOBIG }

    @inlinable
    static func null(_ statement: SQLiteStatement, _ index: CInt) -> CInt {
        grdb_bind_null(statement, index)
    }

    @inlinable
    static func int64(_ statement: SQLiteStatement, _ index: CInt, _ value: Int64) -> CInt {
        grdb_bind_int64(statement, index, value)
    }

    @inlinable
    static func double(_ statement: SQLiteStatement, _ index: CInt, _ value: Double) -> CInt {
        grdb_bind_double(statement, index, value)
    }

    /// Binds a copy of the UTF-8 bytes of the string. NUL characters are kept.
    @inlinable
    static func text(_ statement: SQLiteStatement, _ index: CInt, _ value: String) -> CInt {
        value.withUnsafeUTF8 { text(statement, index, $0) }
    }

    /// Binds a copy of UTF-8 bytes. An empty buffer binds an empty text, not NULL.
    @inlinable
    static func text(
        _ statement: SQLiteStatement, _ index: CInt, _ utf8: UnsafeBufferPointer<UInt8>
    ) -> CInt {
        utf8.withMemoryRebound(to: CChar.self) { chars in
            // An empty buffer may have no base address, which would bind NULL.
            guard let start = chars.baseAddress else {
                return grdb_bind_text(statement, index, "", 0)
            }
            return grdb_bind_text(statement, index, start, UInt64(chars.count))
        }
    }

    /// Binds a copy of the bytes. An empty buffer binds an empty blob, not NULL.
    @inlinable
    package static func blob(
        _ statement: SQLiteStatement, _ index: CInt, _ bytes: UnsafeRawBufferPointer
    ) -> CInt {
        guard let start = bytes.baseAddress, bytes.count > 0 else {
            return grdb_sqlite3_bind_zeroblob(statement, index, 0)
        }
        return grdb_bind_blob(statement, index, start, UInt64(bytes.count))
    }

    /// Binds a blob of zeros, for which SQLite allocates no memory.
    static func zeros(_ statement: SQLiteStatement, _ index: CInt, count: Int) -> CInt {
        guard count >= 0 else { return SQLITE_TOOBIG }
        return grdb_sqlite3_bind_zeroblob64(statement, index, UInt64(count))
    }

    // MARK: - Arrays
    //
    // The values are copied. See <https://www.sqlite.org/carray.html>.

    static func array(_ statement: SQLiteStatement, _ index: CInt, integers: [Int64]) -> CInt {
        array(statement, index, integers, SQLITE_CARRAY_INT64)
    }

    static func array(_ statement: SQLiteStatement, _ index: CInt, reals: [Double]) -> CInt {
        array(statement, index, reals, SQLITE_CARRAY_DOUBLE)
    }

    /// - precondition: no text contains a NUL character.
    static func array(_ statement: SQLiteStatement, _ index: CInt, texts: [String]) -> CInt {
        let (bytes, offsets) = joined(texts.lazy.map(\.utf8))
        return bytes.withUnsafeBytes { bytes in
            array(statement, index, offsets.map { bytes.baseAddress! + $0 }, SQLITE_CARRAY_TEXT)
        }
    }

    static func array(_ statement: SQLiteStatement, _ index: CInt, blobs: [Data]) -> CInt {
        let (bytes, offsets) = joined(blobs)
        return bytes.withUnsafeBytes { bytes in
            let start = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
            let vectors = zip(offsets, blobs).map { offset, blob in
                iovec(iov_base: start! + offset, iov_len: blob.count)
            }
            return array(statement, index, vectors, SQLITE_CARRAY_BLOB)
        }
    }

    /// The values in sequence, each with a terminating NUL, and the position of each value.
    private static func joined(
        _ values: some Sequence<some Sequence<UInt8>>
    ) -> (bytes: [UInt8], offsets: [Int]) {
        var bytes: [UInt8] = []
        var offsets: [Int] = []
        for value in values {
            offsets.append(bytes.count)
            bytes.append(contentsOf: value)
            bytes.append(0)
        }
        return (bytes, offsets)
    }

    private static func array<Element>(
        _ statement: SQLiteStatement, _ index: CInt, _ elements: [Element], _ type: CInt
    ) -> CInt {
        guard let count = CInt(exactly: elements.count) else { return SQLITE_TOOBIG }
        return elements.withUnsafeBytes {
            grdb_sqlite3_carray_bind(
                statement, index, UnsafeMutableRawPointer(mutating: $0.baseAddress), count, type,
                grdb_transient_destructor())
        }
    }
}
