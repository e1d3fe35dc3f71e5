import GRDB
public import _GRDBSystem

/// A set of row changes recorded by a ``Session``. It can be stored, sent, inverted, combined with
/// other changesets, and applied to another database.
///
/// ```swift
/// let changeset = try dbQueue.write { db in
///     let session = try db.makeSession()
///     try session.attachAllTables()
///     try db.execute(sql: "UPDATE player SET score = 1000 WHERE id = 1")
///     return try session.changeset()
/// }
/// for change in changeset {
///     // update player [1] score: 10 → 1000
///     print(change.operation, change.tableName, change.primaryKey)
/// }
/// try otherQueue.write { db in
///     _ = try db.apply(changeset)
/// }
/// ```
///
/// A changeset has at most one change per row: the difference between the row when the session
/// started and the row when the changeset was created. A *patchset* is a smaller kind of changeset
/// without former values. It can't be inverted or rebased, and does not detect conflicting values:
/// see ``isPatchset``.
///
/// Bytes from other sources are validated before they are passed to SQLite: see ``init(data:)``.
/// Two changesets are equal if their bytes are. A changeset is encoded as its ``data``.
///
/// Related SQLite documentation: <https://www.sqlite.org/sessionintro.html>
public struct Changeset: Sendable, Hashable {
    /// The changes, in the format of SQLite's session extension.
    public let data: Data

    /// Whether the changes lack the former values of rows, except primary keys.
    public let isPatchset: Bool

    /// An empty changeset.
    public init() {
        data = Data()
        isPatchset = false
    }

    /// Creates a changeset or a patchset from its bytes, for example received from another process.
    ///
    /// - parameter data: bytes written by a session, or by another implementation of the format.
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_CORRUPT` if the bytes are truncated, damaged
    ///   or malicious.
    /// - complexity: O(*n*), where *n* is the number of bytes.
    public init(data: Data) throws {
        var scanner = ChangesetScanner()
        try data.withUnsafeBytes { try scanner.scan($0) }
        self.init(validated: data, isPatchset: scanner.isPatchset ?? false)
    }

    /// - parameter data: bytes that a scanner has validated.
    init(validated data: Data, isPatchset: Bool) {
        // All offsets assume a start index of 0.
        self.data = data.startIndex == 0 ? data : Data(data)
        self.isPatchset = isPatchset
    }

    /// Takes ownership of bytes allocated by SQLite.
    init(_ bytes: RawBytes) {
        data = Data(bytes)
        isPatchset = data.first == UInt8(ascii: "P")
    }

    /// Whether the changeset contains no change.
    public var isEmpty: Bool {
        if data.isEmpty { return true }
        var iterator = makeIterator()
        return iterator.next() == nil
    }

    /// The number of changes.
    ///
    /// - complexity: O(*n*), where *n* is the number of bytes.
    public var changeCount: Int { summaries.reduce(0) { $0 + $1.changeCount } }

    /// The names of the changed tables, in the order of their first change.
    ///
    /// - complexity: O(*n*), where *n* is the number of bytes.
    public var tableNames: [String] {
        summaries.filter { $0.changeCount > 0 }.map(\.header.tableName)
    }

    /// A summary of the changes of each table.
    var summaries: [ChangesetScanner.TableSummary] {
        var scanner = ChangesetScanner()
        data.withUnsafeBytes { bytes in
            // All initializers have validated the bytes, or received them from SQLite.
            try? scanner.scan(bytes)
        }
        return scanner.tables
    }

    // MARK: - Derived changesets

    /// Returns the changeset that undoes this one: insertions become deletions, deletions become
    /// insertions, and updates restore the former values.
    ///
    /// ```swift
    /// try db.apply(changeset.inverted())
    /// ```
    ///
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` for a patchset, which lacks the former
    ///   values.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3changeset_invert.html>
    public func inverted() throws -> Changeset {
        if data.isEmpty { return self }
        if isPatchset { throw Self.patchsetError("inverted") }
        return try Changeset(
            databaseErrors { try data.withUnsafeBytes { try RawChangeset.invert($0) } })
    }

    /// Returns a changeset with the combined effect of this changeset followed by another one.
    ///
    /// ```swift
    /// let both = try monday.combined(with: tuesday)
    /// ```
    ///
    /// Use a ``ChangesetBuilder`` to combine more than two changesets.
    ///
    /// - throws: the errors of ``ChangesetBuilder/add(_:)-(Changeset)``.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3changeset_concat.html>
    public func combined(with other: Changeset) throws -> Changeset {
        let builder = try ChangesetBuilder()
        try builder.add(self)
        try builder.add(other)
        return try builder.makeChangeset()
    }

    static func patchsetError(_ participle: String) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "A patchset can't be \(participle): it lacks the former values of rows")
    }
}

extension Changeset: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        try self.init(data: container.decode(Data.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(data)
    }
}

extension Changeset: CustomStringConvertible {
    public var description: String {
        "\(isPatchset ? "Patchset" : "Changeset") of \(changeCount) changes (\(data.count) bytes)"
    }
}

extension Changeset: Sequence {
    public func makeIterator() -> Iterator {
        Iterator(data: data, schema: nil)
    }

    /// Returns the changes with column names.
    ///
    /// ```swift
    /// let schema = try dbQueue.read { db in try ChangesetSchema(db) }
    /// for change in changeset.changes(in: schema) {
    ///     if let score = change.newValue(forColumn: "score") { print(score) }
    /// }
    /// ```
    ///
    /// Changes of tables that are missing in the schema, or don't match its columns, have no column
    /// names.
    public func changes(
        in schema: ChangesetSchema
    ) -> UnfoldSequence<Changeset.Change, Changeset.Iterator> {
        sequence(state: Iterator(data: data, schema: schema)) { $0.next() }
    }

    /// An iterator over the changes of a changeset.
    public struct Iterator: IteratorProtocol, Sendable {
        private let data: Data
        private let schema: ChangesetSchema?
        private var scanner = ChangesetScanner()
        private var offset = 0
        private var columnNames: [String]?

        init(data: Data, schema: ChangesetSchema?) {
            self.data = data
            self.schema = schema
        }

        public mutating func next() -> Changeset.Change? {
            while true {
                let start = offset
                let unit: ChangesetScanner.Unit?? = data.withUnsafeBytes { bytes in
                    try? scanner.next(bytes, at: &offset)
                }
                switch unit {
                case .header(let header)??:
                    columnNames = schema?.columnNames(of: header)
                case .change(let header, _)??:
                    return Changeset.Change(
                        header: header, bytes: data[start..<offset], columnNames: columnNames)
                default:
                    return nil
                }
            }
        }
    }
}

extension Data {
    /// Takes ownership of memory allocated by SQLite.
    init(_ bytes: RawBytes) {
        guard let address = bytes.address else {
            self.init()
            return
        }
        if bytes.count == 0 {
            RawBytes.free(address)
            self.init()
            return
        }
        self.init(
            bytesNoCopy: address, count: bytes.count,
            deallocator: .custom { address, _ in RawBytes.free(address) })
    }
}

/// Converts failures of C functions to database errors.
func databaseErrors<Result>(_ body: () throws -> Result) throws -> Result {
    do {
        return try body()
    } catch let failure as RawFailure {
        throw DatabaseError(failure)
    }
}
