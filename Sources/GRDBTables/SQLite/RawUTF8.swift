import GRDB
import CGRDBSQLite

enum RawUTF8 {
    /// Whether bytes are well-formed UTF-8.
    static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let start = bytes.baseAddress else { return true }
        return grdb_is_utf8(start, CInt(bytes.count)) != 0
    }
}

extension RawConnection {
    /// Whether texts are in UTF-16, whose bytes have another order.
    var encodesUTF16: Bool { handle.map { grdb_encodes_utf16($0) != 0 } ?? false }
}
