import CGRDBSQLite

/// The flags of `sqlite3_open_v2()` that this package uses.
///
/// Connections are always opened without a mutex, because the layers above serialize accesses.
struct RawOpenFlags: OptionSet, Sendable {
    let rawValue: CInt

    static let readOnly = RawOpenFlags(rawValue: SQLITE_OPEN_READONLY)
    static let readWrite = RawOpenFlags(rawValue: SQLITE_OPEN_READWRITE)
    static let create = RawOpenFlags(rawValue: SQLITE_OPEN_CREATE)
    static let uri = RawOpenFlags(rawValue: SQLITE_OPEN_URI)
}
