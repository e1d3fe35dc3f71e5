import CGRDBSQLite

/// What a column does to the values that are stored in it, with the letter that SQLite uses.
///
/// See <https://www.sqlite.org/datatype3.html#type_affinity>.
package enum RawAffinity: UInt8 {
    case blob = 0x41
    case text, numeric, integer, real

    /// The affinity of a declared type, which may be empty.
    package init(declaredType: String) {
        self = Self(rawValue: UInt8(truncatingIfNeeded: grdb_affinity(declaredType))) ?? .blob
    }

    /// Whether SQLite converts texts that are compared with the column to numbers.
    package var isNumeric: Bool { rawValue > Self.text.rawValue }
}
