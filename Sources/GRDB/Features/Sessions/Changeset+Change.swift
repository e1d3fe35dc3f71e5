import Foundation

extension Changeset {
    /// The change of one row.
    ///
    /// Values are found by the index of their column, or by its name if that is known: a changeset holds
    /// no names of columns. See ``Changeset/changes(in:)``. Changes that ``Database/apply(_:options:onConflict:)``
    /// shows to its closures know the names.
    ///
    /// Generated columns are no part of a change. In a table without a primary key, the column 0 is the
    /// rowid, with the name `_rowid_`.
    public struct Change: Sendable {
        /// What happens to the row.
        public enum Operation: Sendable, Hashable {
            /// The row is new.
            case insert
            /// Some columns of the row have other values.
            case update
            /// The row is gone.
            case delete
        }

        let header: ChangesetHeader

        /// The operation, the flag of indirect changes, and the records.
        let bytes: Data

        /// Whether the change undoes the one of the bytes.
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

        /// What happens to the row.
        public var operation: Operation {
            switch bytes.first {
            case RawChangeset.insert: isInverted ? .delete : .insert
            case RawChangeset.delete: isInverted ? .insert : .delete
            default: .update
            }
        }

        /// Whether a trigger or a foreign key action has changed the row, or the session was set to
        /// indirect: see ``Session/isIndirect``.
        public var isIndirect: Bool { bytes[bytes.startIndex + 1] != 0 }

        /// Whether the change lacks former values.
        public var isPatch: Bool { header.isPatchset }

        /// The number of columns.
        public var columnCount: Int { header.columnCount }

        /// The indexes of the columns of the primary key.
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
        /// A value is nil if the change does not hold it: all of an insertion; in an update, those of
        /// the columns that neither change nor belong to the primary key; in a patchset, all those
        /// outside of the primary key.
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
        /// A value is nil if the change does not hold it: all of a deletion; in an update, those of the
        /// columns that do not change.
        public var newValues: [DatabaseValue?] {
            let records = records
            guard isInverted else { return records.new }
            guard operation == .update else { return records.old }
            return zip(header.keyFlags, zip(records.old, records.new)).map { flag, values in
                flag == 0 && values.1 != nil ? values.0 : nil
            }
        }

        /// The value of a column before the change; nil if the change does not hold it, and if there is
        /// no such column.
        ///
        /// - parameter index: the index of the column, from 0.
        public func oldValue(at index: Int) -> DatabaseValue? {
            header.keyFlags.indices.contains(index) ? oldValues[index] : nil
        }

        /// The value of a column after the change; nil if the change does not hold it, and if there is
        /// no such column.
        ///
        /// - parameter index: the index of the column, from 0.
        public func newValue(at index: Int) -> DatabaseValue? {
            header.keyFlags.indices.contains(index) ? newValues[index] : nil
        }

        /// The value of a column before the change; nil if the change does not hold it, if there is no
        /// such column, and if names are not known. Names are compared without ASCII case.
        public func oldValue(forColumn name: String) -> DatabaseValue? {
            index(ofColumn: name).flatMap { oldValue(at: $0) }
        }

        /// The value of a column after the change; nil if the change does not hold it, if there is no
        /// such column, and if names are not known. Names are compared without ASCII case.
        public func newValue(forColumn name: String) -> DatabaseValue? {
            index(ofColumn: name).flatMap { newValue(at: $0) }
        }

        /// The index of a column, if names are known.
        func index(ofColumn name: String) -> Int? {
            columnNames?.firstIndex { ASCIICase.equal($0, name) }
        }

        /// The records of the bytes.
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
                    // An update of rebased changes may repeat the primary key.
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

        /// Reads a value; nil if it is not defined.
        private static func value(
            _ bytes: UnsafeRawBufferPointer, _ offset: inout Int
        ) -> DatabaseValue? {
            let start = offset
            // The scanner has accepted it before.
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
                // As SQLite stores it.
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
    /// Changes are equal that have the same effect on tables of the same name.
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
