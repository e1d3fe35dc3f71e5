import GRDB
import _GRDBSystem

extension Changeset {
    /// The change of one row.
    ///
    /// Values are accessed by column index, or by column name if names are known. A changeset
    /// contains no column names: see ``Changeset/changes(in:)``. The changes that
    /// ``GRDB/Database/apply(_:options:onConflict:)`` passes to its closures have column names.
    ///
    /// Changes exclude generated columns. In a table without a primary key, column 0 is the rowid,
    /// named `_rowid_`.
    public struct Change: Sendable {
        /// The operation on the row.
        public enum Operation: Sendable, Hashable {
            /// The row is inserted.
            case insert
            /// Some columns of the row have new values.
            case update
            /// The row is deleted.
            case delete
        }

        let header: ChangesetHeader

        /// The operation, the indirect flag, and the records.
        let bytes: Data

        /// Whether this change is the inverse of the change in `bytes`.
        var isInverted = false

        /// The names of the columns, if they are known.
        public internal(set) var columnNames: [String]?

        init(
            header: ChangesetHeader, bytes: Data, columnNames: [String]? = nil,
            isInverted: Bool = false
        ) {
            self.header = header
            self.bytes = bytes
            self.columnNames = columnNames
            self.isInverted = isInverted
        }

        /// The name of the table.
        public var tableName: String { header.tableName }

        /// The operation on the row.
        public var operation: Operation {
            switch bytes.first {
            case RawChangeset.insert: isInverted ? .delete : .insert
            case RawChangeset.delete: isInverted ? .insert : .delete
            default: .update
            }
        }

        /// Whether a trigger or a foreign key action has changed the row, or the session has
        /// recorded all changes as indirect: see ``Session/isIndirect``.
        public var isIndirect: Bool { bytes[bytes.startIndex + 1] != 0 }

        /// Whether the change lacks former values.
        public var isPatch: Bool { header.isPatchset }

        /// The number of columns.
        public var columnCount: Int { header.columnCount }

        /// The indexes of the primary key columns.
        public var primaryKeyColumns: [Int] {
            header.keyFlags.indices.filter { header.keyFlags[$0] != 0 }
        }

        /// The values of the primary key, in the order of the columns.
        public var primaryKey: [DatabaseValue] {
            let values = operation == .insert ? newValues : oldValues
            return primaryKeyColumns.map { values[$0] ?? .null }
        }

        // MARK: - Values

        /// The values of the row before the change, one per column.
        ///
        /// A value is nil if the change does not contain it: all values of an insertion; in an
        /// update, the values of columns that neither change nor belong to the primary key; in a
        /// patchset, all values outside of the primary key.
        public var oldValues: [DatabaseValue?] {
            let records = records
            guard isInverted else { return records.old }
            guard operation == .update else { return records.new }
            return zip(header.keyFlags, zip(records.old, records.new)).map { flag, values in
                flag == 0 ? values.1 : values.0
            }
        }

        /// The values of the row after the change, one per column.
        ///
        /// A value is nil if the change does not contain it: all values of a deletion; in an
        /// update, the values of unchanged columns.
        public var newValues: [DatabaseValue?] {
            let records = records
            guard isInverted else { return records.new }
            guard operation == .update else { return records.old }
            return zip(header.keyFlags, zip(records.old, records.new)).map { flag, values in
                flag == 0 && values.1 != nil ? values.0 : nil
            }
        }

        /// Returns the value of a column before the change; nil if the change does not contain it,
        /// or if there is no such column.
        ///
        /// - parameter index: the zero-based index of the column.
        public func oldValue(at index: Int) -> DatabaseValue? {
            header.keyFlags.indices.contains(index) ? oldValues[index] : nil
        }

        /// Returns the value of a column after the change; nil if the change does not contain it,
        /// or if there is no such column.
        ///
        /// - parameter index: the zero-based index of the column.
        public func newValue(at index: Int) -> DatabaseValue? {
            header.keyFlags.indices.contains(index) ? newValues[index] : nil
        }

        /// Returns the value of a column before the change; nil if the change does not contain it,
        /// if there is no such column, or if names are unknown. Names are compared ignoring ASCII
        /// case.
        public func oldValue(forColumn name: String) -> DatabaseValue? {
            index(ofColumn: name).flatMap { oldValue(at: $0) }
        }

        /// Returns the value of a column after the change; nil if the change does not contain it,
        /// if there is no such column, or if names are unknown. Names are compared ignoring ASCII
        /// case.
        public func newValue(forColumn name: String) -> DatabaseValue? {
            index(ofColumn: name).flatMap { newValue(at: $0) }
        }

        /// Returns the index of a column, if names are known.
        func index(ofColumn name: String) -> Int? {
            columnNames?.firstIndex { ASCIICase.equal($0, name) }
        }

        /// The records of `bytes`.
        private var records: (old: [DatabaseValue?], new: [DatabaseValue?]) {
            bytes.withUnsafeBytes { bytes in
                let none = [DatabaseValue?](repeating: nil, count: header.columnCount)
                var offset = 2
                switch bytes[0] {
                case RawChangeset.insert:
                    return (none, Self.record(bytes, &offset, header))
                case RawChangeset.delete:
                    let old = Self.record(bytes, &offset, header, keysOnly: header.isPatchset)
                    return (old, none)
                default:
                    let record = Self.record(bytes, &offset, header)
                    // A rebased update may repeat the primary key.
                    let withoutKey = { (record: [DatabaseValue?]) in
                        zip(header.keyFlags, record).map { $0 == 0 ? $1 : nil }
                    }
                    if header.isPatchset {
                        let key = zip(header.keyFlags, record).map { $0 == 0 ? nil : $1 }
                        return (key, withoutKey(record))
                    }
                    return (record, withoutKey(Self.record(bytes, &offset, header)))
                }
            }
        }

        private static func record(
            _ bytes: UnsafeRawBufferPointer, _ offset: inout Int, _ header: ChangesetHeader,
            keysOnly: Bool = false
        ) -> [DatabaseValue?] {
            header.keyFlags.map { flag in
                keysOnly && flag == 0 ? nil : value(bytes, &offset)
            }
        }

        /// Reads a value; nil if it is undefined.
        private static func value(
            _ bytes: UnsafeRawBufferPointer, _ offset: inout Int
        ) -> DatabaseValue? {
            let start = offset
            // The scanner has already validated the bytes.
            guard
                let isDefined = try? ChangesetScanner.skipValue(bytes, at: &offset, position: 0),
                isDefined
            else { return nil }
            switch CInt(bytes[start]) {
            case RawType.integer:
                let bits = bytes.loadUnaligned(fromByteOffset: start + 1, as: Int64.self)
                return DatabaseValue(storage: .int64(Int64(bigEndian: bits)))
            case RawType.float:
                let bits = bytes.loadUnaligned(fromByteOffset: start + 1, as: UInt64.self)
                let double = Double(bitPattern: UInt64(bigEndian: bits))
                // SQLite stores NaN as NULL.
                return double.isNaN ? .null : DatabaseValue(storage: .double(double))
            case RawType.text, RawType.blob:
                var content = start + 1
                _ = try? ChangesetScanner.length(bytes, at: &content, position: 0)
                let slice = UnsafeRawBufferPointer(rebasing: bytes[content..<offset])
                return CInt(bytes[start]) == RawType.text
                    ? DatabaseValue(storage: .string(String(decoding: slice, as: UTF8.self)))
                    : DatabaseValue(storage: .blob(Data(slice)))
            default:
                return .null
            }
        }
    }
}

extension Changeset.Change: Hashable {
    /// Returns whether two changes have the same effect on tables of the same name.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.header.tableName == rhs.header.tableName
            && lhs.header.isCompatible(with: rhs.header)
            && lhs.isInverted == rhs.isInverted && lhs.bytes == rhs.bytes
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(header.tableName)
        hasher.combine(bytes)
    }
}

extension Changeset.Change: CustomStringConvertible {
    public var description: String {
        let old = oldValues
        let new = newValues
        let key = header.keyFlags.indices.filter { header.keyFlags[$0] != 0 }
        let columns = header.keyFlags.indices.filter { !key.contains($0) }
        func name(_ index: Int) -> String { columnNames?[index] ?? "\(index)" }
        func text(_ value: DatabaseValue?) -> String { value.map { "\($0)" } ?? "?" }
        var parts = zip(key, primaryKey).map { "\(name($0)):\($1)" }
        for index in columns {
            switch operation {
            case .insert: parts.append("\(name(index)):\(text(new[index]))")
            case .delete where !isPatch: parts.append("\(name(index)):\(text(old[index]))")
            case .update where new[index] != nil:
                parts.append("\(name(index)):\(text(old[index])) → \(text(new[index]))")
            default: break
            }
        }
        let verb =
            switch operation {
            case .insert: "insert"
            case .update: "update"
            case .delete: "delete"
            }
        return "\(verb) \(tableName) [\(parts.joined(separator: " "))]"
    }
}
