public import Foundation

/// Records the changes that a connection makes to rows, in order to make a ``Changeset`` of them.
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
/// A session compares rows as they were when they first changed with the rows that it finds when the
/// changeset is made: changes that were rolled back leave no trace, and many changes of a row are one.
/// By default, sessions record tables that have a primary key. They record neither rows whose primary
/// key contains NULL, nor virtual tables.
///
/// A session belongs to its connection: it may only be used inside database accesses of it. It may
/// outlive the access that has made it, and records what others do on this connection meanwhile. It may
/// be deallocated on any thread, and ends when the connection is closed.
///
/// Several sessions of a connection, and observers of transactions, don't disturb one another.
///
/// Related SQLite documentation: <https://www.sqlite.org/session/session.html>
public final class Session {
    /// What a session records beside what all sessions do.
    public struct Options: OptionSet, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Also records tables without a primary key: rows are known by their rowids.
        ///
        /// Rowids of such tables mean nothing elsewhere, and `VACUUM` may change them.
        public static let rowIDs = Options(rawValue: 1)

        /// Estimates the size of the changeset with each change: see
        /// ``Session/estimatedChangesetSize``.
        public static let size = Options(rawValue: 2)
    }

    private let raw: RawSession
    private let database: Database

    /// The schema whose tables are recorded: `main`, `temp`, or the name of an attached database.
    public let schema: String

    init(_ database: Database, schema: String, options: Options) throws {
        try database.checkAccess()
        self.database = database
        self.schema = schema
        raw = try databaseErrors {
            try RawSession(
                database.raw, schema: schema, countsSize: options.contains(.size),
                recordsRowIDs: options.contains(.rowIDs))
        }
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

    /// Records the changes of tables from now on. Tables may be created later.
    ///
    /// - parameter tables: names of tables, whose ASCII case does not matter.
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` outside of accesses, when the
    ///   connection is closed, and if a name has a NUL character.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3session_attach.html>
    public func attach(_ tables: String...) throws {
        try attach(tables)
    }

    /// Records the changes of tables from now on. Tables may be created later.
    ///
    /// - parameter tables: names of tables, whose ASCII case does not matter.
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` outside of accesses, when the
    ///   connection is closed, and if a name has a NUL character.
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
                try raw.attach(table)
            }
        }
    }

    /// Records the changes of all tables from now on, those included that are created later.
    ///
    /// The tables that keep the content of virtual tables, such as full-text tables, are left out: they
    /// belong to the virtual table, which must not be changed behind its back. Attach them by name to
    /// record them nevertheless.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` outside of accesses, and when the
    ///   connection is closed.
    public func attachAllTables() throws {
        try attachTables { _ in true }
    }

    /// Records the changes of the tables that a closure chooses from now on, and of those that were
    /// attached by name.
    ///
    /// ```swift
    /// try session.attachTables { !$0.hasPrefix("cache_") }
    /// ```
    ///
    /// As ``attachAllTables()``, it leaves the tables of virtual tables out.
    ///
    /// - parameter filter: receives the name of a table, in the middle of a change, and returns whether
    ///   to record it. It is asked until it has said yes. It may read the database; changes that it
    ///   attempts fail with the code `SQLITE_READONLY`. It replaces the closure of an earlier call.
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` outside of accesses, and when the
    ///   connection is closed.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3session_table_filter.html>
    public func attachTables(where filter: @escaping (_ tableName: String) -> Bool) throws {
        try access {
            // The session does not outlive the connection, nor do changes.
            try raw.setFilter { [unowned(unsafe) database] table in
                if database.raw.isChangingShadowTable { return false }
                database.beginReadOnly()
                defer { database.endReadOnly() }
                return filter(String(cString: table))
            }
        }
    }

    /// Records the difference between a table of another schema and the table of the same name in the
    /// schema of the session, as if the former had been changed into the latter.
    ///
    /// ```swift
    /// try db.execute(sql: "ATTACH DATABASE ? AS backup", arguments: [path])
    /// let session = try db.makeSession()
    /// try session.diff(from: "backup", table: "player")
    /// // Applied to the backup, makes it the same as the database
    /// let changeset = try session.changeset()
    /// ```
    ///
    /// - parameter schema: the schema of the former table.
    /// - parameter table: the name of both tables. The table is attached to the session.
    /// - throws: a ``DatabaseError`` of code `SQLITE_SCHEMA` if the tables don't have the same columns
    ///   and primary key, or if one of them does not exist.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3session_diff.html>
    public func diff(from schema: String, table: String) throws {
        try access { try raw.diff(from: schema, table: table) }
    }

    // MARK: - State

    /// Whether changes are recorded. True at first.
    ///
    /// Changes of a row that was recorded before still show in the changeset, which holds what the row
    /// has become.
    ///
    /// - precondition: used in an access of the database. Use ``setEnabled(_:)`` to have an error thrown.
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
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` outside of accesses, and when the
    ///   connection is closed.
    public func setEnabled(_ isEnabled: Bool) throws {
        try access { _ = try raw.enable(isEnabled) }
    }

    /// Whether all changes are recorded as indirect ones: see ``Changeset/Change/isIndirect``. False at
    /// first: only those of triggers and foreign key actions are.
    ///
    /// - precondition: used in an access of the database. Use ``setIndirect(_:)`` to have an error
    ///   thrown.
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
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` outside of accesses, and when the
    ///   connection is closed.
    public func setIndirect(_ isIndirect: Bool) throws {
        try access { _ = try raw.setIndirect(isIndirect) }
    }

    /// Whether nothing was recorded. A session that is not empty may still make an empty changeset: of
    /// changes that were undone.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` outside of accesses, and when the
    ///   connection is closed.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3session_isempty.html>
    public var isEmpty: Bool {
        get throws { try access { try raw.isEmpty } }
    }

    /// The memory that the session takes, in bytes.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` outside of accesses, and when the
    ///   connection is closed.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3session_memory_used.html>
    public var memoryUsed: Int {
        get throws { try access { Int(try raw.memoryUsed) } }
    }

    /// The size that a changeset has at most, in bytes; 0 unless the session was made with the option
    /// ``Options/size``.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` outside of accesses, and when the
    ///   connection is closed.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3session_changeset_size.html>
    public var estimatedChangesetSize: Int {
        get throws { try access { Int(try raw.changesetSize) } }
    }

    // MARK: - Output

    /// Creates a changeset of the recorded changes. The session continues.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_SCHEMA` if the columns or the primary key of a
    ///   recorded table have changed, other than by columns that were added; of code `SQLITE_NOMEM` if
    ///   the changeset would be larger than 2 GB: see ``writeChangeset(to:)``. Of code `SQLITE_BUSY` if a
    ///   statement of the connection is writing, as in an SQL function.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3session_changeset.html>
    public func changeset() throws -> Changeset {
        Changeset(try access { try raw.changeset(isPatchset: false) })
    }

    /// Makes a patchset of what was recorded: a smaller changeset without the former values. The session
    /// goes on.
    ///
    /// - throws: what ``changeset()`` throws.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3session_patchset.html>
    public func patchset() throws -> Changeset {
        Changeset(try access { try raw.changeset(isPatchset: true) })
    }

    /// Writes a changeset to a file, in pieces.
    ///
    /// - parameter url: the URL of the file, which replaces another one when it is complete.
    /// - throws: what ``changeset()`` throws, and the error of the file system.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3changegroup_add_strm.html>
    public func writeChangeset(to url: URL) throws {
        try ChangesetFile.write(to: url) { try writeChangeset($0) }
    }

    /// Writes a patchset to a file, in pieces.
    ///
    /// - parameter url: the URL of the file, which replaces another one when it is complete.
    /// - throws: what ``changeset()`` throws, and the error of the file system.
    public func writePatchset(to url: URL) throws {
        try ChangesetFile.write(to: url) { try writePatchset($0) }
    }

    /// Hands out a changeset in pieces.
    ///
    /// ```swift
    /// try session.writeChangeset { bytes in
    ///     try connection.send(Data(bytes))
    /// }
    /// ```
    ///
    /// - parameter write: receives the pieces, of some kilobytes, in their order. The bytes are valid
    ///   during the call. It must not change the database.
    /// - throws: what ``changeset()`` throws, and the error of the closure.
    public func writeChangeset(_ write: (UnsafeRawBufferPointer) throws -> Void) throws {
        try self.write(isPatchset: false, write)
    }

    /// Hands out a patchset in pieces.
    ///
    /// - parameter write: receives the pieces, of some kilobytes, in their order. The bytes are valid
    ///   during the call. It must not change the database.
    /// - throws: what ``changeset()`` throws, and the error of the closure.
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
    /// Starts to record changes.
    ///
    /// ```swift
    /// let session = try db.makeSession()
    /// try session.attachAllTables()
    /// ```
    ///
    /// Nothing is recorded until tables are attached. Changes cost more as long as the session lives.
    ///
    /// - parameter schema: the schema whose tables are recorded: `main`, `temp`, or the name of an
    ///   attached database.
    /// - parameter options: what the session records beside what all sessions do.
    /// - throws: a ``DatabaseError`` of code `SQLITE_ERROR` if there is no such schema.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/session/sqlite3session_create.html>
    public func makeSession(
        schema: String = "main", options: Session.Options = []
    ) throws -> Session {
        try checkAccess()
        // SQLite opens the temporary database when it is first needed.
        if raw.isReadOnly(schema: schema) == nil, !ASCIICase.equal(schema, "temp") {
            throw DatabaseError(message: "no such schema: \(schema)")
        }
        return try Session(self, schema: schema, options: options)
    }
}
