import CGRDBSQLite

enum RawUTF8 {
    /// Whether bytes are well-formed UTF-8.
    static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let start = bytes.baseAddress else { return true }
        return grdb_is_utf8(start, CInt(bytes.count)) != 0
    }
}
