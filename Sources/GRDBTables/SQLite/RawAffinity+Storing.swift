import GRDB
import CGRDBSQLite

extension RawAffinity {
    /// The codes of the affinities by which the values of the table that is being connected are converted.
    static func converting(
        _ table: RawVirtualTable, in handle: OpaquePointer
    ) -> UnsafeMutablePointer<UInt8> {
        let count = grdb_declared_affinities(handle, nil, 0)
        let codes = UnsafeMutablePointer<UInt8>.allocate(capacity: Int(count))
        _ = grdb_declared_affinities(handle, codes, count)
        for index in 0..<Int(count) {
            let affinity = Self(rawValue: codes[index]) ?? .blob
            if table.returnsOnlyValues(of: affinity, at: index) {
                codes[index] = Self.blob.rawValue
            }
        }
        return codes
    }

    func withStored<Result>(_ value: Int64, _ body: (OpaquePointer) -> Result) -> Result {
        with(grdb_stored_value(SQLITE_INTEGER, value, 0, nil, 0, CInt(rawValue)), body)
    }

    func withStored<Result>(_ value: Double, _ body: (OpaquePointer) -> Result) -> Result {
        with(grdb_stored_value(SQLITE_FLOAT, 0, value, nil, 0, CInt(rawValue)), body)
    }

    func withStored<Result>(_ value: String, _ body: (OpaquePointer) -> Result) -> Result {
        var value = value
        let stored = value.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { chars in
                grdb_stored_value(
                    SQLITE_TEXT, 0, 0, chars.baseAddress, CInt(chars.count), CInt(rawValue))
            }
        }
        return with(stored, body)
    }

    private func with<Result>(
        _ value: OpaquePointer?, _ body: (OpaquePointer) -> Result
    ) -> Result {
        guard let value else { fatalError("out of memory") }
        defer { grdb_sqlite3_value_free(value) }
        return body(value)
    }
}
