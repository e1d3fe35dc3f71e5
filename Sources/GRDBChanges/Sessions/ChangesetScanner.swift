import GRDB

/// The header of a table in a changeset. The changes that follow belong to this table.
///
/// See "Changeset format" in the source of SQLite's session extension.
final class ChangesetHeader: Sendable {
    let tableName: String

    /// One byte per column: not 0 for the columns of the primary key.
    let keyFlags: [UInt8]

    let isPatchset: Bool

    var columnCount: Int { keyFlags.count }

    init(tableName: String, keyFlags: [UInt8], isPatchset: Bool) {
        self.tableName = tableName
        self.keyFlags = keyFlags
        self.isPatchset = isPatchset
    }

    /// Returns whether changes of both headers can be combined in one changeset.
    func isCompatible(with other: ChangesetHeader) -> Bool {
        keyFlags == other.keyFlags && isPatchset == other.isPatchset
    }
}

/// Validates the bytes of a changeset.
///
/// SQLite trusts changesets too much. For example, a second header of the same table with a
/// different number of columns makes it read out of bounds. SQLite only receives bytes that this
/// type has accepted.
struct ChangesetScanner {
    /// The format of the bytes.
    enum Format {
        case changeset
        /// The resolutions of conflicts. See `ConflictResolutions`.
        case resolutions
    }

    enum Unit {
        case header(ChangesetHeader)
        case change(ChangesetHeader, operation: UInt8)
    }

    /// A summary of the changes of a table.
    struct TableSummary {
        let header: ChangesetHeader
        var changeCount = 0
        /// For each column, whether an update sets it.
        var changedColumns: [Bool]

        init(_ header: ChangesetHeader) {
            self.header = header
            changedColumns = Array(repeating: false, count: header.columnCount)
        }
    }

    let format: Format

    /// The tables so far, without duplicates.
    private(set) var tables: [TableSummary] = []
    private var tableIndexes: [CaseInsensitiveIdentifier: Int] = [:]
    private var currentIndex = 0
    /// For each column, whether an update has its old value. Reused by `skipUpdate`.
    private var oldValues: [Bool] = []
    private var header: ChangesetHeader?

    init(_ format: Format = .changeset) {
        self.format = format
    }

    /// Whether the bytes are a patchset; nil before the first table.
    var isPatchset: Bool? { header?.isPatchset }

    // The maximum that SQLite accepts.
    private static let maximumColumnCount = 65_536

    /// Reads a unit, and advances the offset past it.
    ///
    /// - parameter position: the position of offset 0 in the whole changeset, for errors.
    /// - returns: nil if the bytes end before the unit does. The offset is then unchanged.
    @inline(__always)
    mutating func next(
        _ bytes: UnsafeRawBufferPointer, at offset: inout Int, position: Int = 0
    ) throws(DatabaseError) -> Unit? {
        guard offset < bytes.count else { return nil }
        switch bytes[offset] {
        case UInt8(ascii: "T"), UInt8(ascii: "P"):
            return try nextHeader(bytes, at: &offset, position: position)
        default:
            return try nextChange(bytes, at: &offset, position: position)
        }
    }

    /// Reads all units to the end of the bytes.
    mutating func scan(_ bytes: UnsafeRawBufferPointer) throws(DatabaseError) {
        var offset = 0
        while try next(bytes, at: &offset) != nil {}
        if offset != bytes.count { throw Self.truncated(at: offset) }
    }

    static func truncated(at position: Int) -> DatabaseError {
        corrupt("it ends inside of a change or a table", at: position)
    }

    private static func corrupt(_ reason: String, at position: Int) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_CORRUPT,
            message: "The changeset is malformed at byte \(position): \(reason)")
    }

    // MARK: - Tables

    private mutating func nextHeader(
        _ bytes: UnsafeRawBufferPointer, at offset: inout Int, position: Int
    ) throws(DatabaseError) -> Unit? {
        let isPatchset = bytes[offset] == UInt8(ascii: "P")
        var end = offset + 1
        guard let columnCount = try Self.length(bytes, at: &end, position: position) else {
            return nil
        }
        guard columnCount > 0, columnCount <= Self.maximumColumnCount else {
            throw Self.corrupt("a table has \(columnCount) columns", at: position + offset)
        }
        guard columnCount < bytes.count - end else { return nil }
        let keyFlags = Array(bytes[end..<(end + columnCount)])
        end += columnCount
        guard let nameEnd = bytes[end...].firstIndex(of: 0) else { return nil }
        guard
            let name = String(
                validating: UnsafeRawBufferPointer(rebasing: bytes[end..<nameEnd]))
        else {
            throw Self.corrupt("the name of a table is not UTF-8", at: position + end)
        }
        if !keyFlags.contains(where: { $0 != 0 }) {
            throw Self.corrupt("the table \(name) has no primary key", at: position + offset)
        }
        if isPatchset, format == .resolutions {
            throw Self.corrupt("it is a patchset", at: position + offset)
        }
        if let header, header.isPatchset != isPatchset {
            throw Self.corrupt("it mixes changesets and patchsets", at: position + offset)
        }
        var newHeader = ChangesetHeader(
            tableName: name, keyFlags: keyFlags, isPatchset: isPatchset)
        let key = CaseInsensitiveIdentifier(name)
        if let index = tableIndexes[key] {
            let known = tables[index].header
            guard known.isCompatible(with: newHeader) else {
                throw Self.corrupt(
                    "the table \(name) appears twice, with different columns",
                    at: position + offset)
            }
            newHeader = known
            currentIndex = index
        } else {
            currentIndex = tables.count
            tableIndexes[key] = currentIndex
            tables.append(TableSummary(newHeader))
        }
        header = newHeader
        offset = nameEnd + 1
        return .header(newHeader)
    }

    // MARK: - Changes

    private mutating func nextChange(
        _ bytes: UnsafeRawBufferPointer, at offset: inout Int, position: Int
    ) throws(DatabaseError) -> Unit? {
        guard let header else {
            throw Self.corrupt("it does not begin with a table", at: position + offset)
        }
        let operation = bytes[offset]
        guard offset + 1 < bytes.count else {
            // The change is truncated, unless the operation is unknown.
            try checkOperation(operation, at: position + offset)
            return nil
        }
        try checkOperation(operation, at: position + offset)
        guard bytes[offset + 1] <= 1 else {
            throw Self.corrupt("the flag of a change is neither 0 nor 1", at: position + offset)
        }
        var end = offset + 2
        let isComplete =
            switch operation {
            case RawChangeset.insert where format == .resolutions:
                try skipPartialRecord(bytes, &end, header, position)
            case RawChangeset.update:
                try skipUpdate(bytes, &end, header, position)
            case RawChangeset.delete where header.isPatchset:
                try skipFullRecord(bytes, &end, header, position, keysOnly: true)
            default:
                try skipFullRecord(bytes, &end, header, position, keysOnly: false)
            }
        guard isComplete else { return nil }
        offset = end
        tables[currentIndex].changeCount &+= 1
        return .change(header, operation: operation)
    }

    private func checkOperation(_ operation: UInt8, at position: Int) throws(DatabaseError) {
        switch operation {
        case RawChangeset.insert, RawChangeset.delete: return
        case RawChangeset.update where format == .changeset: return
        default:
            throw Self.corrupt("\(operation) is no operation", at: position)
        }
    }

    /// Skips a record. All its values must be defined.
    @inline(__always)
    private func skipFullRecord(
        _ bytes: UnsafeRawBufferPointer, _ offset: inout Int, _ header: ChangesetHeader,
        _ position: Int, keysOnly: Bool
    ) throws(DatabaseError) -> Bool {
        for index in 0..<header.columnCount {
            if keysOnly, header.keyFlags[index] == 0 { continue }
            let start = offset
            guard let isDefined = try Self.skipValue(bytes, at: &offset, position: position) else {
                return false
            }
            if !isDefined {
                throw Self.corrupt("a row lacks a value", at: position + start)
            }
        }
        return true
    }

    /// Skips a record. The values of the primary key must be defined; the others may be undefined.
    private mutating func skipPartialRecord(
        _ bytes: UnsafeRawBufferPointer, _ offset: inout Int, _ header: ChangesetHeader,
        _ position: Int
    ) throws(DatabaseError) -> Bool {
        oldValues.removeAll(keepingCapacity: true)
        for index in 0..<header.columnCount {
            let start = offset
            guard let isDefined = try Self.skipValue(bytes, at: &offset, position: position) else {
                return false
            }
            if !isDefined, header.keyFlags[index] != 0 {
                throw Self.corrupt("a row lacks its primary key", at: position + start)
            }
            oldValues.append(isDefined)
        }
        return true
    }

    private mutating func skipUpdate(
        _ bytes: UnsafeRawBufferPointer, _ offset: inout Int, _ header: ChangesetHeader,
        _ position: Int
    ) throws(DatabaseError) -> Bool {
        let start = offset
        if !header.isPatchset,
            try !skipPartialRecord(bytes, &offset, header, position)
        {
            return false
        }
        var setsKey = false
        var setsColumn = false
        for index in 0..<header.columnCount {
            guard let isDefined = try Self.skipValue(bytes, at: &offset, position: position) else {
                return false
            }
            if header.keyFlags[index] == 0 {
                // SQLite prepares one statement for all updates of the same columns, and assumes
                // that they also have old values of the same columns.
                if !header.isPatchset, isDefined != oldValues[index] {
                    throw Self.corrupt(
                        isDefined
                            ? "an update lacks an old value" : "an update lacks a new value",
                        at: position + start)
                }
                if isDefined {
                    setsColumn = true
                    tables[currentIndex].changedColumns[index] = true
                }
            } else if isDefined {
                setsKey = true
            } else if header.isPatchset {
                throw Self.corrupt("an update lacks the primary key", at: position + start)
            }
        }
        if setsKey, !setsColumn {
            throw Self.corrupt("an update changes nothing", at: position + start)
        }
        return true
    }

    // MARK: - Values

    /// Skips a value.
    ///
    /// - returns: whether it is defined; nil if the bytes end before the value does.
    @inline(__always)
    static func skipValue(
        _ bytes: UnsafeRawBufferPointer, at offset: inout Int, position: Int
    ) throws(DatabaseError) -> Bool? {
        guard offset < bytes.count else { return nil }
        switch bytes[offset] {
        case 0:
            offset += 1
            return false
        case UInt8(RawType.null):
            offset += 1
            return true
        case UInt8(RawType.integer), UInt8(RawType.float):
            guard bytes.count - offset >= 9 else { return nil }
            offset += 9
            return true
        case UInt8(RawType.text), UInt8(RawType.blob):
            var end = offset + 1
            guard let count = try length(bytes, at: &end, position: position),
                count <= bytes.count - end
            else { return nil }
            offset = end + count
            return true
        default:
            throw corrupt("\(bytes[offset]) is no type of values", at: position + offset)
        }
    }

    /// Reads a varint of SQLite: seven bits per byte, most significant bits first.
    ///
    /// - returns: nil if the bytes end before the number does.
    @inline(__always)
    static func length(
        _ bytes: UnsafeRawBufferPointer, at offset: inout Int, position: Int
    ) throws(DatabaseError) -> Int? {
        guard offset < bytes.count else { return nil }
        let first = bytes[offset]
        if first < 0x80 {
            offset += 1
            return Int(first)
        }
        // SQLite never writes leading zeros.
        if first == 0x80 { throw corrupt("a length is malformed", at: position + offset) }
        var value = 0
        for index in offset..<min(offset + 5, bytes.count) {
            value = value << 7 | Int(bytes[index] & 0x7f)
            if bytes[index] < 0x80 {
                guard value <= Int32.max else { break }
                offset = index + 1
                return value
            }
        }
        if bytes.count - offset < 5 { return nil }
        throw corrupt("a length is malformed", at: position + offset)
    }
}
