import GRDB
public import _GRDBSystem

/// A builder that combines changesets, or patchsets, into one.
///
/// ```swift
/// let builder = try ChangesetBuilder()
/// for changeset in changesets {
///     try builder.add(changeset)
/// }
/// let week = try builder.makeChangeset()
/// ```
///
/// Changes of the same row are merged: an insertion followed by an update becomes an insertion, and
/// an insertion followed by a deletion disappears. You can also add individual changes:
///
/// ```swift
/// for change in changeset where change.tableName == "player" {
///     try builder.add(change)
/// }
/// ```
///
/// A builder needs no database. It is not sendable: use it on one thread at a time.
///
/// Related SQLite documentation: <https://www.sqlite.org/session/changegroup.html>
public final class ChangesetBuilder {
    private let raw: RawChangegroup
    private let schema: ChangesetSchema?

    /// The tables of the added changes.
    private var headers: [CaseInsensitiveIdentifier: ChangesetHeader] = [:]
    private var isPatchset: Bool?

    /// The error that has left the content in an unknown state.
    private var failure: (any Error)?

    /// Creates an empty builder.
    ///
    /// - parameter schema: the tables of the target database. Changes that were recorded before
    ///   columns were added are extended with the default values of these columns. Without a
    ///   schema, all changes of a table must have the same columns.
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_NOMEM`.
    public init(schema: ChangesetSchema? = nil) throws {
        raw = try databaseErrors { try RawChangegroup() }
        self.schema = schema
    }

    /// Adds the changes of a changeset or a patchset.
    ///
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` if changesets and patchsets are mixed; of
    ///   code `SQLITE_SCHEMA` if changes of the same table have different columns, or don't fit the
    ///   schema of the builder. Nothing is added then.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3changegroup_add.html>
    public func add(_ changeset: Changeset) throws {
        let headers = try check(changeset.summaries.map(\.header))
        var data = changeset.data
        if let schema, headers.contains(where: { isExtended($0, by: schema) }) {
            data = try extend(changeset, to: schema)
        }
        try perform(headers) {
            try data.withUnsafeBytes { bytes in
                if bytes.count > 0 { try raw.add(bytes) }
            }
        }
    }

    /// Adds one change.
    ///
    /// - throws: the errors of ``add(_:)-(Changeset)``.
    ///
    /// Related SQLite documentation:
    /// <https://www.sqlite.org/session/sqlite3changegroup_add_change.html>
    public func add(_ change: Changeset.Change) throws {
        var data = Data()
        data.append(change.header)
        data.append(change.bytes)
        var changeset = Changeset(validated: data, isPatchset: change.isPatch)
        if change.isInverted { changeset = try changeset.inverted() }
        try add(changeset)
    }

    /// Adds the changes of a file written by a session or a builder.
    ///
    /// The file is read in pieces, but the combined changes are kept in memory.
    ///
    /// - throws: the errors of ``add(_:)-(Changeset)``; a ``/GRDB/DatabaseError`` of code
    ///   `SQLITE_CORRUPT` if the file is not a changeset; the error of the file system.
    public func add(contentsOf url: URL) throws {
        let headers = try check(ChangesetFile.scan(url).tables.map(\.header))
        if let schema, headers.contains(where: { isExtended($0, by: schema) }) {
            _ = try ChangesetFile.scan(url) { try self.add($0) }
            return
        }
        let reader = try ChangesetFileReader(url)
        defer { reader.close() }
        try perform(headers) {
            try raw.add(RawChangesetInput { try reader.read($0) })
        }
    }

    /// Creates a changeset, or a patchset, of all added changes. More changes can be added
    /// afterwards.
    ///
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_NOMEM` if the changeset would be larger than
    ///   2 GB; the error of an earlier call that has left the builder in an unknown state.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3changegroup_output.html>
    public func makeChangeset() throws -> Changeset {
        if let failure { throw failure }
        return try databaseErrors { try Changeset(raw.output()) }.normalized()
    }

    /// Writes the changeset of ``makeChangeset()`` to a file, in pieces.
    ///
    /// - parameter url: the URL of the file. An existing file is replaced when the new one is
    ///   complete.
    /// - throws: the errors of ``makeChangeset()``, and errors of the file system.
    public func write(to url: URL) throws {
        if let failure { throw failure }
        try ChangesetFile.write(to: url) { write in
            let normalizer = ChangesetNormalizer()
            try withoutActuallyEscaping(write) { write in
                try databaseErrors {
                    try raw.write(
                        to: RawChangesetOutput { try normalizer.normalize($0, write) })
                }
            }
            try normalizer.finish()
        }
    }

    private func perform(_ headers: [ChangesetHeader], _ body: () throws -> Void) throws {
        do {
            try databaseErrors(body)
        } catch {
            failure = error
            throw error
        }
        for header in headers {
            isPatchset = header.isPatchset
            self.headers[CaseInsensitiveIdentifier(header.tableName)] = header
        }
    }

    // MARK: - Compatibility

    /// Throws if changes of the tables can't be added.
    private func check(_ headers: [ChangesetHeader]) throws -> [ChangesetHeader] {
        if let failure { throw failure }
        for header in headers {
            if let isPatchset, header.isPatchset != isPatchset {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: "Changesets and patchsets can't be combined with one another")
            }
            if let schema {
                guard let table = schema[table: header.tableName] else {
                    throw Self.schemaError("no such table: \(header.tableName)")
                }
                if table.mismatch(header) != nil {
                    throw Self.schemaError(
                        "The changes of the table \(header.tableName) do not fit its columns")
                }
            } else if let known = self.headers[CaseInsensitiveIdentifier(header.tableName)],
                !known.isCompatible(with: header)
            {
                throw Self.schemaError(
                    "The changes of the table \(header.tableName) have different columns")
            }
        }
        return headers
    }

    private static func schemaError(_ message: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_SCHEMA, message: message)
    }

    // MARK: - Columns that were added

    private func isExtended(_ header: ChangesetHeader, by schema: ChangesetSchema) -> Bool {
        (schema[table: header.tableName]?.columnNames.count ?? 0) > header.columnCount
    }

    /// Returns a changeset whose changes have all columns of their tables.
    private func extend(_ changeset: Changeset, to schema: ChangesetSchema) throws -> Data {
        var data = Data()
        var current: ChangesetHeader?
        var missing: [DatabaseValue] = []
        for change in changeset {
            if change.header !== current, let table = schema[table: change.tableName] {
                current = change.header
                missing = Array(table.defaultValues.dropFirst(change.columnCount))
                data.append(
                    ChangesetHeader(
                        tableName: change.tableName, keyFlags: table.keyFlags,
                        isPatchset: change.isPatch))
            }
            data.append(change, extendedBy: missing)
        }
        return data
    }
}

// See `Session`.
@available(*, unavailable)
extension ChangesetBuilder: Sendable {}

extension Data {
    /// Appends the header of a table.
    mutating func append(_ header: ChangesetHeader) {
        append(header.isPatchset ? UInt8(ascii: "P") : UInt8(ascii: "T"))
        appendLength(header.columnCount)
        append(contentsOf: header.keyFlags)
        append(contentsOf: header.tableName.utf8)
        append(0)
    }

    /// Appends a change, extended with the values of missing columns.
    fileprivate mutating func append(
        _ change: Changeset.Change, extendedBy values: [DatabaseValue]
    ) {
        switch change.bytes.first {
        case RawChangeset.update:
            // The undefined values of the missing columns follow each record.
            let undefined = Data(count: values.count)
            guard !change.isPatch else {
                append(change.bytes)
                append(undefined)
                return
            }
            let middle = change.bytes.withUnsafeBytes { bytes in
                var offset = 2
                for _ in 0..<change.columnCount {
                    _ = try? ChangesetScanner.skipValue(bytes, at: &offset, position: 0)
                }
                return offset
            }
            append(change.bytes.prefix(middle))
            append(undefined)
            append(change.bytes.dropFirst(middle))
            append(undefined)
        case RawChangeset.delete where change.isPatch:
            append(change.bytes)
        default:
            append(change.bytes)
            for value in values { append(value) }
        }
    }

    private mutating func append(_ value: DatabaseValue) {
        switch value.storage {
        case .null:
            append(UInt8(RawType.null))
        case .int64(let value):
            append(UInt8(RawType.integer))
            Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
        case .double(let value):
            append(UInt8(RawType.float))
            Swift.withUnsafeBytes(of: value.bitPattern.bigEndian) { append(contentsOf: $0) }
        case .string(let value):
            append(UInt8(RawType.text))
            appendLength(value.utf8.count)
            append(contentsOf: value.utf8)
        case .blob(let value):
            append(UInt8(RawType.blob))
            appendLength(value.count)
            append(value)
        }
    }

    private mutating func appendLength(_ length: Int) {
        var shift = 28
        while shift > 0, length >> shift == 0 { shift -= 7 }
        while shift > 0 {
            append(UInt8(truncatingIfNeeded: length >> shift) | 0x80)
            shift -= 7
        }
        append(UInt8(truncatingIfNeeded: length) & 0x7f)
    }
}
