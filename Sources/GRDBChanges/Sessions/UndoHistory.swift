import GRDB
import _GRDBSystem

/// A history of changes that can be undone and redone, in named groups.
///
/// ```swift
/// let history = try UndoHistory(dbQueue)
/// try history.record("Rename Player") { db in
///     try db.execute(sql: "UPDATE player SET name = 'Barbara' WHERE id = 1")
/// }
/// history.state.undoName  // "Rename Player"
/// try history.undo()
/// try history.redo()
/// ```
///
/// A group stores the differences of all changed rows as a ``Changeset``. Undoing a group restores
/// these rows, including rows that triggers and foreign key actions have changed. A group can no
/// longer be undone if it conflicts with unrecorded changes, or if a changed table was altered or
/// exchanged. It is then given up, and the database remains unchanged: see
/// ``Outcome/givenUp(_:_:)``.
///
/// Undoing runs neither triggers nor foreign key actions, because the group already contains their
/// changes. Full-text indexes that are synchronized with a changed table, with
/// `synchronize(withTable:)`, are brought up to date. Other virtual tables can't be recorded, and
/// neither can rows whose primary key contains NULL, nor dropped and altered tables: changing them
/// in a group throws an error, and changes nothing. Changes of temporary tables, attached databases
/// and the tables of this library are not part of groups.
///
/// Groups are stored in a temporary table of the writer connection until it is closed, or in a
/// table of the database, which persists across launches: see
/// ``init(_:tables:storage:maximumGroupCount:)``. In both cases, rolling back the transaction in
/// which a group was recorded also removes the group.
///
/// A history may be used on any thread. It retains its writer.
public final class UndoHistory: ChangeConsumer, Sendable {
    /// The place where groups are stored.
    public enum Storage: Sendable, Hashable {
        /// In a temporary table, until the database is closed.
        case memory

        /// In a table of the database, which is created unless it exists. Groups are given up if the
        /// columns of their tables change, or if `VACUUM` moves their tables.
        case table(String)
    }

    /// A group of changes that are undone and redone together.
    public struct Group: Sendable, Hashable, Identifiable {
        /// The identifier of the group in its history.
        public let id: Int64

        /// The name that the group was recorded with.
        public let name: String
    }

    /// The groups that can be undone and redone.
    public struct State: Sendable, Hashable {
        /// The groups that can be undone, the next one first.
        public fileprivate(set) var undoGroups: [Group] = []

        /// The groups that can be redone, the next one first.
        public fileprivate(set) var redoGroups: [Group] = []

        /// Whether a group can be undone.
        public var canUndo: Bool { !undoGroups.isEmpty }

        /// Whether a group can be redone.
        public var canRedo: Bool { !redoGroups.isEmpty }

        /// The name of the group that is undone next.
        public var undoName: String? { undoGroups.first?.name }

        /// The name of the group that is redone next.
        public var redoName: String? { redoGroups.first?.name }
    }

    /// The result of an undo or a redo.
    public enum Outcome: Sendable {
        /// There was nothing to undo, or to redo.
        case nothing

        /// The group is undone, or redone.
        case done(Group)

        /// The group conflicts with other changes, and was removed from the history. The database
        /// is unchanged. Earlier groups can still be undone.
        case givenUp(Group, any Error)
    }

    let writer: any DatabaseWriter
    private let tables: [String]?
    private let maximumGroupCount: Int
    private let observer = UndoStorageObserver()

    /// The schema of the table, its name, and both as SQL.
    private let storage: (schema: String, name: String, sql: String)

    /// The tables of the histories that are recording a group. Histories may share a table.
    private enum RecordingKey: DatabaseStorageKey {
        static var defaultValue: Set<CaseInsensitiveIdentifier> { [] }
    }

    private var recordingName: CaseInsensitiveIdentifier { CaseInsensitiveIdentifier(storage.sql) }

    /// The writer connection.
    private let connectionID: ObjectIdentifier

    private let shared = Locked(Shared())

    private struct Shared {
        var state = State()
        var handlers: [Int: @Sendable (State) -> Void] = [:]
        var handlerCount = 0
    }

    // Gives each temporary table a unique name.
    private static let historyCount = Locked(0)

    /// Creates a history, or opens one that is stored in a table.
    ///
    /// - parameter writer: the database.
    /// - parameter tables: the tables whose changes are recorded, together with those of the tables that
    ///   their triggers and foreign key actions change. Nil records all tables of the main schema. Rows
    ///   of tables without a primary key are identified by rowid: their groups are given up after any
    ///   change of the schema, and after `VACUUM`.
    /// - parameter storage: where groups are stored.
    /// - parameter maximumGroupCount: the maximum number of groups. The oldest groups are removed.
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_ERROR` if the main schema has no such table, of code
    ///   `SQLITE_MISUSE` if it can't be recorded.
    public init(
        _ writer: any DatabaseWriter, tables: [String]? = nil, storage: Storage = .memory,
        maximumGroupCount: Int = 100
    ) throws {
        self.writer = writer
        self.tables = tables
        self.maximumGroupCount = max(maximumGroupCount, 1)
        let (schema, name) =
            switch storage {
            case .memory:
                (
                    "temp",
                    Self.historyCount.withLock { count in
                        count += 1
                        return "grdb_undo_\(count)"
                    }
                )
            case .table(let name): ("main", name)
            }
        self.storage = (schema, name, "\(schema).\(name.quotedDatabaseIdentifier)")
        // The identifier stays valid: the connection lives as long as the writer.
        connectionID = writer.unsafeReentrantWrite { ObjectIdentifier($0) }
        try writer.write { db in
            _ = try UndoRecording(tables, in: db)
            try createTable(db)
            db.add(changeConsumer: self)
            let state = try fetchState(db)
            shared.withLock { $0.state = state }
            observer.schemaName = schema
            observer.tableName = name
            observer.onCommit = { [weak self] in self?.stateDidChange($0) }
            db.add(transactionObserver: observer)
        }
    }

    private func createTable(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS \(storage.sql) (
                  id INTEGER PRIMARY KEY AUTOINCREMENT,
                  name TEXT NOT NULL,
                  isUndone INTEGER NOT NULL,
                  changeset BLOB NOT NULL,
                  tables TEXT)
                """)
        if try !db.columns(in: storage.name, in: storage.schema).contains(where: {
            $0.name == "tables"
        }) {
            try db.execute(sql: "ALTER TABLE \(storage.sql) ADD COLUMN tables TEXT")
        }
    }

    /// Keeps the groups of the new content, and removes those of the former.
    package func contentWasReplaced(in schemaName: String?, _ db: Database) {
        guard isMain(schemaName) || schemaName == storage.schema else { return }
        try? db.inTransaction {
            try createTable(db)
            if storage.schema == "temp" { try db.execute(sql: "DELETE FROM \(storage.sql)") }
            return .commit
        }
        stateDidChange(db)
    }

    // MARK: - State

    /// The groups that can be undone and redone, as of the last committed transaction.
    public var state: State { shared.withLock { $0.state } }

    /// Calls a closure with the current state, and after each change of the state.
    ///
    /// ```swift
    /// let cancellable = history.observe { state in
    ///     DispatchQueue.main.async {
    ///         undoButton.isEnabled = state.canUndo
    ///     }
    /// }
    /// ```
    ///
    /// - parameter onChange: called once before this method returns, and later on the queue of the
    ///   writer, after transactions that have changed the state.
    /// - returns: a cancellable. The calls end when it is cancelled or deallocated.
    public func observe(
        _ onChange: @escaping @Sendable (State) -> Void
    ) -> AnyDatabaseCancellable {
        let (id, state) = shared.withLock { shared in
            shared.handlerCount += 1
            shared.handlers[shared.handlerCount] = onChange
            return (shared.handlerCount, shared.state)
        }
        onChange(state)
        return AnyDatabaseCancellable { [weak self] in
            self?.shared.withLock { _ = $0.handlers.removeValue(forKey: id) }
        }
    }

    /// An asynchronous sequence of states, starting with the current one. Slow iterations skip to
    /// the latest state.
    ///
    /// ```swift
    /// for await state in history.states {
    ///     undoItem.title = state.undoName.map { "Undo \($0)" } ?? "Undo"
    /// }
    /// ```
    public var states: AsyncStream<State> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let cancellable = observe { continuation.yield($0) }
            continuation.onTermination = { _ in cancellable.cancel() }
        }
    }

    private func fetchState(_ db: Database) throws -> State {
        var state = State()
        let rows = try Row.fetchCursor(
            db, sql: "SELECT id, name, isUndone FROM \(storage.sql) ORDER BY id")
        while let row = try rows.next() {
            // Decode with errors, because other code may write to the table.
            let group = try Group(id: row.decode(atIndex: 0), name: row.decode(atIndex: 1))
            if try row.decode(atIndex: 2) {
                state.redoGroups.append(group)
            } else {
                state.undoGroups.insert(group, at: 0)
            }
        }
        return state
    }

    /// Publishes the state after a transaction that has changed the table: of this history, of
    /// another one that shares it, or of the app.
    private func stateDidChange(_ db: Database) {
        guard let state = try? fetchState(db) else { return }
        let handlers = shared.withLock { shared -> [Int: @Sendable (State) -> Void] in
            if shared.state == state { return [:] }
            shared.state = state
            return shared.handlers
        }
        for (_, handler) in handlers.sorted(by: { $0.key < $1.key }) { handler(state) }
    }

    // MARK: - Recording

    /// Writes in a transaction, and records the changes as a group.
    ///
    /// Groups that were undone can no longer be redone. No group is recorded if nothing was
    /// changed, or if the closure throws.
    ///
    /// - parameter name: the name of the group for the user.
    /// - parameter updates: a closure that changes the database.
    /// - throws: the error of the closure, or a ``/GRDB/DatabaseError``: of code `SQLITE_MISUSE` if the changes
    ///   can't be undone.
    public func record<T>(_ name: String, _ updates: (Database) throws -> T) throws -> T {
        try writer.write { db in
            try record(name, in: db) { try updates(db) }
        }
    }

    /// Writes in a transaction, and records the changes as a group.
    ///
    /// - parameter name: the name of the group for the user.
    /// - parameter updates: a closure that changes the database.
    /// - throws: the error of the closure, or a ``/GRDB/DatabaseError``.
    public func record<T: Sendable>(
        _ name: String, _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writer.write { db in
            try self.record(name, in: db) { try updates(db) }
        }
    }

    /// Records the changes of a closure as a group, inside an access.
    ///
    /// Inside a recorded closure, changes belong to the outer group.
    ///
    /// - parameter name: the name of the group for the user.
    /// - parameter db: the writer connection.
    /// - parameter updates: a closure that changes the database. Its changes are rolled back if it
    ///   throws.
    /// - throws: the error of the closure, or a ``/GRDB/DatabaseError``: of code `SQLITE_MISUSE` if `db`
    ///   is not the writer connection of the history, or if the changes can't be undone.
    public func record<T>(
        _ name: String, in db: Database, _ updates: () throws -> T
    ) throws -> T {
        try checkConnection(db)
        var result: T?
        try db.inSavepoint {
            guard db[RecordingKey.self].insert(recordingName).inserted else {
                result = try updates()
                return .commit
            }
            defer { db[RecordingKey.self].remove(recordingName) }
            let changeset = try UndoRecording(tables, in: db).record(
                { result = try updates() }, in: db)
            try insertGroup(name, changeset, db)
            return .commit
        }
        return result!
    }

    private func insertGroup(_ name: String, _ changeset: Changeset, _ db: Database) throws {
        if changeset.isEmpty { return }
        try db.execute(sql: "DELETE FROM \(storage.sql) WHERE isUndone")
        try db.execute(
            sql:
                "INSERT INTO \(storage.sql) (name, isUndone, changeset, tables) VALUES (?, 0, ?, ?)",
            arguments: [name, changeset.data, UndoneTable.encode(changeset, in: db)])
        try db.execute(
            sql: """
                DELETE FROM \(storage.sql) WHERE id IN (
                  SELECT id FROM \(storage.sql) ORDER BY id DESC LIMIT -1 OFFSET ?)
                """, arguments: [maximumGroupCount])
    }

    /// Removes all groups. Their changes remain.
    ///
    /// - throws: a ``/GRDB/DatabaseError``.
    public func removeAll() throws {
        try writer.write { db in
            try db.execute(sql: "DELETE FROM \(storage.sql)")
        }
    }

    // MARK: - Undoing

    /// Undoes the latest group that is not undone.
    ///
    /// - returns: the outcome.
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_MISUSE` while a group is being recorded.
    @discardableResult
    public func undo() throws -> Outcome {
        try writer.write { try undo(in: $0) }
    }

    /// Undoes the latest group that is not undone.
    ///
    /// - returns: the outcome.
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_MISUSE` while a group is being recorded.
    @discardableResult
    public func undo() async throws -> Outcome {
        try await writer.write { try self.undo(in: $0) }
    }

    /// Undoes the latest group that is not undone, inside an access.
    ///
    /// - parameter db: the writer connection.
    /// - returns: the outcome.
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_MISUSE` while a group is being recorded.
    @discardableResult
    public func undo(in db: Database) throws -> Outcome {
        try move(db, isUndo: true)
    }

    /// Redoes the group that was undone last.
    ///
    /// - returns: the outcome.
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_MISUSE` while a group is being recorded.
    @discardableResult
    public func redo() throws -> Outcome {
        try writer.write { try redo(in: $0) }
    }

    /// Redoes the group that was undone last.
    ///
    /// - returns: the outcome.
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_MISUSE` while a group is being recorded.
    @discardableResult
    public func redo() async throws -> Outcome {
        try await writer.write { try self.redo(in: $0) }
    }

    /// Redoes the group that was undone last, inside an access.
    ///
    /// - parameter db: the writer connection.
    /// - returns: the outcome.
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_MISUSE` while a group is being recorded.
    @discardableResult
    public func redo(in db: Database) throws -> Outcome {
        try move(db, isUndo: false)
    }

    private func move(_ db: Database, isUndo: Bool) throws -> Outcome {
        try checkConnection(db)
        if db[RecordingKey.self].contains(recordingName) {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "A history can't undo or redo while it records a group")
        }
        var outcome = Outcome.nothing
        try db.inSavepoint {
            guard
                let row = try Row.fetchOne(
                    db,
                    sql: """
                        SELECT id, name, changeset, tables FROM \(storage.sql) \
                        WHERE isUndone = ? ORDER BY id \(isUndo ? "DESC" : "ASC") LIMIT 1
                        """, arguments: [!isUndo])
            else { return .commit }
            let group = try Group(id: row.decode(atIndex: 0), name: row.decode(atIndex: 1))
            do {
                let changeset = try Changeset(data: row.decode(atIndex: 2))
                try UndoneTable.check(row.decode(atIndex: 3), in: db)
                try db.inSavepoint {
                    try UndoneChangeset(changeset, isInverted: isUndo).apply(db)
                    return .commit
                }
                try db.execute(
                    sql: "UPDATE \(storage.sql) SET isUndone = ? WHERE id = ?",
                    arguments: [isUndo, group.id])
                outcome = .done(group)
            } catch let error where Self.isLasting(error) {
                try db.execute(
                    sql: "DELETE FROM \(storage.sql) WHERE id = ?", arguments: [group.id])
                outcome = .givenUp(group, error)
            }
            return .commit
        }
        return outcome
    }

    /// Returns whether another attempt would fail with the same error.
    private static func isLasting(_ error: any Error) -> Bool {
        if error is ChangesetConflictError { return true }
        switch (error as? DatabaseError)?.resultCode {
        case .SQLITE_SCHEMA?, .SQLITE_CORRUPT?, .SQLITE_MISMATCH?: return true
        default: return false
        }
    }

    /// Throws unless the connection is the writer connection of the history.
    private func checkConnection(_ db: Database) throws {
        try db.checkAccess()
        guard connectionID == ObjectIdentifier(db) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "The connection is not the one that the history was made for")
        }
    }
}

/// Observes the table of a history.
private final class UndoStorageObserver: TransactionObserver, @unchecked Sendable {
    // Only used on the queue of the writer.
    var schemaName = ""
    var tableName = ""
    var onCommit: (Database) -> Void = { _ in }
    private var isChanged = false

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        ASCIICase.equal(eventKind.tableName, tableName)
    }

    func databaseDidChange(with event: DatabaseEvent) {
        if event.databaseName == schemaName { isChanged = true }
    }

    func databaseDidCommit(_ db: Database) {
        if isChanged { onCommit(db) }
        isChanged = false
    }

    func databaseDidRollback(_ db: Database) {
        isChanged = false
    }
}
