import GRDB
public import _GRDBSystem

/// A session that records the row changes of a connection, to create a ``Changeset``.
///
/// ```swift
/// let changeset = try dbQueue.write { db in
///     let session = try db.makeSession()
///     try session.attach("player")
///     try db.execute(sql: "INSERT INTO player (id, name) VALUES (1, 'Arthur')")
///     return try session.changeset()
/// }
/// ```
///
/// A session compares rows as they were before their first change with the rows that exist when the
/// changeset is created. So a changeset omits changes that were rolled back, and merges the changes
/// of a row. By default, sessions record tables that have a primary key. They record neither rows
/// whose primary key contains NULL, nor virtual tables.
///
/// A row is identified by its primary key. Replacing the key, even by one that the table compares as
/// equal, such as `'a'` by `'A'` or `1` by `1.0`, is a deletion and an insertion.
///
/// Use a session only inside accesses of its connection. It may outlive the access that has created
/// it, and then also records the changes of later accesses. It may be deallocated on any thread,
/// and ends when the connection is closed.
///
/// A connection can have several sessions and transaction observers at the same time.
///
/// When the content of the schema is replaced as a whole, by a backup into it or by `erase()`, the
/// session begins again: what it has recorded before are changes of other rows.
///
/// Related SQLite documentation: <https://www.sqlite.org/session/session.html>
public final class Session: ChangeConsumer {
    /// Options of a session.
    public struct Options: OptionSet, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Also records tables without a primary key. Their rows are identified by rowid.
        ///
        /// Rowids of such tables have no meaning in other databases, and `VACUUM` may change them.
        public static let rowIDs = Options(rawValue: 1)

        /// Updates an estimate of the changeset size with each change: see
        /// ``Session/estimatedChangesetSize``.
        public static let size = Options(rawValue: 2)
    }

    private var raw: RawSession
    private let database: Database
    private let options: Options

    /// What was attached. A session that begins again repeats it.
    private var attachments: [(RawSession) throws(RawFailure) -> Void] = []

    /// The schema whose tables are recorded: `main`, `temp`, or the name of an attached database.
    public let schema: String

    init(_ database: Database, schema: String, options: Options) throws {
        try database.checkAccess()
        self.database = database
        self.schema = schema
        self.options = options
        raw = try databaseErrors { try Self.makeRaw(database, schema, options) }
        database.add(changeConsumer: self)
    }

    private static func makeRaw(
        _ database: Database, _ schema: String, _ options: Options
    ) throws(RawFailure) -> RawSession {
        try RawSession(
            database.raw, schema: schema, countsSize: options.contains(.size),
            recordsRowIDs: options.contains(.rowIDs))
    }

    /// Begins again: what was recorded are changes of other content.
    package func contentWasReplaced(in schemaName: String?, _ db: Database) {
        guard schemaName.map({ ASCIICase.equal($0, schema) }) ?? true,
            let new = try? Self.makeRaw(db, schema, options)
        else { return }
        _ = try? new.enable(raw.enable(nil))
        _ = try? new.setIndirect(raw.setIndirect(nil))
        for attach in attachments { try? attach(new) }
        raw = new
    }

    private func attach(_ attachment: @escaping (RawSession) throws(RawFailure) -> Void) throws {
        try attachment(raw)
        attachments.append(attachment)
    }

    private func access<Result>(_ body: () throws -> Result) throws -> Result {
        try database.checkAccess()
        do {
            return try body()
        } catch let failure as RawFailure {
            throw database.error(failure)
        }
    }

    // MARK: - Tables

    /// Starts recording the changes of tables. The tables may be created later.
    ///
    /// - parameter tables: names of tables. Their ASCII case is ignored.
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` outside of an access, if the
    ///   connection is closed, or if a name contains a NUL character.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3session_attach.html>
    public func attach(_ tables: String...) throws {
        try attach(tables)
    }

    /// Starts recording the changes of tables. The tables may be created later.
    ///
    /// - parameter tables: names of tables. Their ASCII case is ignored.
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` outside of an access, if the
    ///   connection is closed, or if a name contains a NUL character.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3session_attach.html>
    public func attach(_ tables: some Sequence<String>) throws {
        try access {
            for table in tables {
                if table.utf8.contains(0) {
                    throw DatabaseError(
                        resultCode: .SQLITE_MISUSE,
                        message: "The name of a table contains a NUL character")
                }
                try attach { (raw: RawSession) throws(RawFailure) in try raw.attach(table) }
            }
        }
    }

    /// Starts recording the changes of all tables, including tables created later.
    ///
    /// Shadow tables, which store the content of virtual tables such as full-text tables, are
    /// excluded: applying their changes would bypass the virtual table. The tables of this library,
    /// such as those of outboxes, migrations and undo histories, are excluded as well. Attach tables
    /// by name to record them anyway.
    ///
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` outside of an access, or if the
    ///   connection is closed.
    public func attachAllTables() throws {
        try attachTables { _ in true }
    }

    /// Starts recording the changes of tables that a closure selects, in addition to tables
    /// attached by name.
    ///
    /// ```swift
    /// try session.attachTables { !$0.hasPrefix("cache_") }
    /// ```
    ///
    /// Like ``attachAllTables()``, this method excludes shadow tables and the tables of this library.
    ///
    /// - parameter filter: receives the name of a table during a change, and returns whether to
    ///   record it. It is called with each change until it returns true for the table. It may read
    ///   the database, but its attempts to write fail with the code `SQLITE_READONLY`. It replaces
    ///   the closure of an earlier call.
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` outside of an access, or if the
    ///   connection is closed.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3session_table_filter.html>
    public func attachTables(where filter: @escaping (_ tableName: String) -> Bool) throws {
        try attachTables(where: filter, onShadowTable: nil)
    }

    /// - parameter onShadowTable: receives the names of changed shadow tables.
    func attachTables(
        where filter: @escaping (_ tableName: String) -> Bool, onShadowTable: ((String) -> Void)?
    ) throws {
        let internalColumnNames = Database.undoTableColumnNames
        try access {
            // The filter only runs during changes, when the connection is alive.
            try attach { [unowned(unsafe) database] (raw: RawSession) throws(RawFailure) in
                try raw.setFilter { table in
                    if database.raw.isChangingShadowTable {
                        onShadowTable?(String(cString: table))
                        return false
                    }
                    let table = String(cString: table)
                    let columns = database.raw.changedTableColumnNames(internalColumnNames.count)
                    if Database.isGRDBInternalTable(table, columnNames: columns) { return false }
                    database.beginReadOnly()
                    defer { database.endReadOnly() }
                    return filter(table)
                }
            }
        }
    }

    /// The name of a table whose changes are incomplete, because the primary key of a changed row
    /// contains NULL.
    var tableWithNullKey: String? {
        get throws { try access { try raw.tableWithNullKey } }
    }

    /// Records the difference between a table in another schema and the table of the same name in
    /// the schema of the session, as if the former had been changed into the latter.
    ///
    /// ```swift
    /// try db.execute(sql: "ATTACH DATABASE ? AS backup", arguments: [path])
    /// let session = try db.makeSession()
    /// try session.diff(from: "backup", table: "player")
    /// // When applied to the backup, makes it identical to the database
    /// let changeset = try session.changeset()
    /// ```
    ///
    /// Values are different unless they are the same: `'a'` and `'A'` in a column that ignores case, as
    /// well as `1` and `1.0`.
    ///
    /// - parameter schema: the schema of the former table.
    /// - parameter table: the name of both tables. The table is attached to the session.
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_SCHEMA` if the tables don't have the same columns
    ///   and primary key, or if one of them does not exist.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3session_diff.html>
    public func diff(from schema: String, table: String) throws {
        try access { try raw.diff(from: schema, table: table) }
    }

    // MARK: - State

    /// Whether changes are recorded. Initially true.
    ///
    /// Even while disabled, changes of a row that was already recorded appear in the changeset,
    /// which contains the final values of the row.
    ///
    /// - precondition: the current code runs in a database access. ``setEnabled(_:)`` throws an
    ///   error instead.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3session_enable.html>
    public var isEnabled: Bool {
        get {
            database.preconditionAccess()
            return (try? raw.enable(nil)) ?? false
        }
        set {
            database.preconditionAccess()
            _ = try? raw.enable(newValue)
        }
    }

    /// Starts or stops recording, like ``isEnabled``.
    ///
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` outside of an access, or if the
    ///   connection is closed.
    public func setEnabled(_ isEnabled: Bool) throws {
        try access { _ = try raw.enable(isEnabled) }
    }

    /// Whether all changes are recorded as indirect: see ``Changeset/Change/isIndirect``. Initially
    /// false: only the changes of triggers and foreign key actions are indirect.
    ///
    /// - precondition: the current code runs in a database access. ``setIndirect(_:)`` throws an
    ///   error instead.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3session_indirect.html>
    public var isIndirect: Bool {
        get {
            database.preconditionAccess()
            return (try? raw.setIndirect(nil)) ?? false
        }
        set {
            database.preconditionAccess()
            _ = try? raw.setIndirect(newValue)
        }
    }

    /// Sets ``isIndirect``.
    ///
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` outside of an access, or if the
    ///   connection is closed.
    public func setIndirect(_ isIndirect: Bool) throws {
        try access { _ = try raw.setIndirect(isIndirect) }
    }

    /// Whether nothing was recorded. A session that is not empty may still create an empty
    /// changeset, if its changes were undone.
    ///
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` outside of an access, or if the
    ///   connection is closed.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3session_isempty.html>
    public var isEmpty: Bool {
        get throws { try access { try raw.isEmpty } }
    }

    /// The memory that the session uses, in bytes.
    ///
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` outside of an access, or if the
    ///   connection is closed.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3session_memory_used.html>
    public var memoryUsed: Int {
        get throws { try access { Int(try raw.memoryUsed) } }
    }

    /// An upper bound of the size of the changeset, in bytes; 0 unless the session was created with
    /// the option ``Options/size``.
    ///
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_MISUSE` outside of an access, or if the
    ///   connection is closed.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3session_changeset_size.html>
    public var estimatedChangesetSize: Int {
        get throws { try access { Int(try raw.changesetSize) } }
    }

    // MARK: - Output

    /// Creates a changeset of the recorded changes. The session continues.
    ///
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_SCHEMA` if the columns or the primary key of a
    ///   recorded table have changed, except for added columns; of code `SQLITE_NOMEM` if the
    ///   changeset would be larger than 2 GB (see ``writeChangeset(to:)``); of code `SQLITE_BUSY`
    ///   if a statement of the connection is writing, for example when called from an SQL function.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3session_changeset.html>
    public func changeset() throws -> Changeset {
        Changeset(try access { try raw.changeset(isPatchset: false) })
    }

    /// Creates a patchset of the recorded changes: a smaller changeset without former values. The
    /// session continues.
    ///
    /// - throws: the errors of ``changeset()``.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3session_patchset.html>
    public func patchset() throws -> Changeset {
        Changeset(try access { try raw.changeset(isPatchset: true) })
    }

    /// Writes a changeset to a file, in pieces.
    ///
    /// - parameter url: the URL of the file. An existing file is replaced when the new one is
    ///   complete.
    /// - throws: the errors of ``changeset()``, and errors of the file system.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3changegroup_add_strm.html>
    public func writeChangeset(to url: URL) throws {
        try ChangesetFile.write(to: url) { try writeChangeset($0) }
    }

    /// Writes a patchset to a file, in pieces.
    ///
    /// - parameter url: the URL of the file. An existing file is replaced when the new one is
    ///   complete.
    /// - throws: the errors of ``changeset()``, and errors of the file system.
    public func writePatchset(to url: URL) throws {
        try ChangesetFile.write(to: url) { try writePatchset($0) }
    }

    /// Passes a changeset to a closure, in pieces.
    ///
    /// ```swift
    /// try session.writeChangeset { bytes in
    ///     try connection.send(Data(bytes))
    /// }
    /// ```
    ///
    /// - parameter write: receives the pieces of a few kilobytes each, in order. The bytes are only
    ///   valid during the call. The closure must not change the database.
    /// - throws: the errors of ``changeset()``, and the error of the closure.
    public func writeChangeset(_ write: (UnsafeRawBufferPointer) throws -> Void) throws {
        try self.write(isPatchset: false, write)
    }

    /// Passes a patchset to a closure, in pieces.
    ///
    /// - parameter write: receives the pieces of a few kilobytes each, in order. The bytes are only
    ///   valid during the call. The closure must not change the database.
    /// - throws: the errors of ``changeset()``, and the error of the closure.
    public func writePatchset(_ write: (UnsafeRawBufferPointer) throws -> Void) throws {
        try self.write(isPatchset: true, write)
    }

    private func write(
        isPatchset: Bool, _ write: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try access {
            try withoutActuallyEscaping(write) { write in
                let output = RawChangesetOutput { [database] bytes in
                    database.beginReadOnly()
                    defer { database.endReadOnly() }
                    try write(bytes)
                }
                try raw.write(isPatchset: isPatchset, to: output)
            }
        }
    }
}

// See `Database`.
@available(*, unavailable)
extension Session: Sendable {}

extension Database {
    /// Creates a session that records changes.
    ///
    /// ```swift
    /// let session = try db.makeSession()
    /// try session.attachAllTables()
    /// ```
    ///
    /// Nothing is recorded until tables are attached. Changes are slower while the session exists.
    ///
    /// - parameter schema: the schema whose tables are recorded: `main`, `temp`, or the name of an
    ///   attached database.
    /// - parameter options: options of the session.
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_ERROR` if there is no such schema.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3session_create.html>
    public func makeSession(
        schema: String = "main", options: Session.Options = []
    ) throws -> Session {
        try checkAccess()
        // SQLite only opens the temporary database when it is first needed.
        if raw.isReadOnly(schema: schema) == nil, !ASCIICase.equal(schema, "temp") {
            throw DatabaseError(message: "no such schema: \(schema)")
        }
        return try Session(self, schema: schema, options: options)
    }
}
