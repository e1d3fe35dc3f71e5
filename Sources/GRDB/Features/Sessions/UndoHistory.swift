import Foundation

/// Undoes and redoes what an app has written, in groups with names.
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
/// A group is the difference of all rows before and after it, as a ``Changeset``: undoing a group
/// restores the rows, those included that triggers and foreign key actions have changed. Writes that are
/// not recorded are changes of others. A group that they conflict with can't be undone any more: it is
/// given up, and nothing is changed. See ``Outcome/givenUp(_:_:)``.
///
/// Undoing runs no triggers, and no foreign key actions: their changes belong to the group. Triggers run
/// only in groups that change tables whose triggers keep virtual tables up to date, such as full-text
/// indexes: what else these triggers have changed is then set to what it was. Temporary triggers always
/// run.
///
/// Groups are kept in a temporary table of the connection that writes, as long as it is open, or in a
/// table of the database, across launches: see ``init(_:tables:storage:maximumGroupCount:)``. Either way,
/// a group belongs to the transaction that it was recorded in, and goes with it.
///
/// A history may be used on any thread. It retains its writer.
public final class UndoHistory: Sendable {
    /// Where groups are kept.
    public enum Storage: Sendable, Hashable {
        /// In a temporary table: until the database is closed.
        case memory

        /// In a table of the database, which is created unless it exists. After the schema of the
        /// recorded tables has changed, call ``removeAll()``, or groups will be given up.
        case table(String)
    }

    /// What was written together.
    public struct Group: Sendable, Hashable, Identifiable {
        /// Identifies the group in its history.
        public let id: Int64

        /// The name that the group was recorded with.
        public let name: String
    }

    /// What can be undone and redone.
    public struct State: Sendable, Hashable {
        /// The groups that can be undone, the next one first.
        public fileprivate(set) var undoGroups: [Group] = []

        /// The groups that can be redone, the next one first.
        public fileprivate(set) var redoGroups: [Group] = []

        /// Whether there is something to undo.
        public var canUndo: Bool { !undoGroups.isEmpty }

        /// Whether there is something to redo.
        public var canRedo: Bool { !redoGroups.isEmpty }

        /// The name of the group that is undone next.
        public var undoName: String? { undoGroups.first?.name }

        /// The name of the group that is redone next.
        public var redoName: String? { redoGroups.first?.name }
    }

    /// What undoing or redoing a group has done.
    public enum Outcome: Sendable {
        /// There was nothing to undo, or to redo.
        case nothing

        /// The group is undone, or redone.
        case done(Group)

        /// Changes of others conflict with the group, which is forgotten. The database is as it was.
        /// Groups before it can still be undone.
        case givenUp(Group, any Error)
    }

    let writer: any DatabaseWriter
    private let tables: [String]?
    private let maximumGroupCount: Int

    /// The schema of the table, its name, and both as SQL.
    private let storage: (schema: String, name: String, sql: String)

    /// Whether a group is being recorded. Used on the queue of the writer only.
    private let isRecording = Locked(false)

    /// The connection that writes.
    private let connectionID: ObjectIdentifier

    private let shared = Locked(Shared())

    private struct Shared {
        var state = State()
        var handlers: [Int: @Sendable (State) -> Void] = [:]
        var handlerCount = 0
    }

    // Temporary tables of a connection have names of their own.
    private static let historyCount = Locked(0)

    /// Creates a history, or opens the one that is kept in a table.
    ///
    /// - parameter writer: the database.
    /// - parameter tables: the tables whose changes are recorded. Nil records all tables of the main
    ///   schema that have a primary key.
    /// - parameter storage: where groups are kept.
    /// - parameter maximumGroupCount: the number of groups to keep. The oldest ones are forgotten.
    /// - throws: a ``DatabaseError``.
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
        // It lives as long as the writer.
        connectionID = writer.unsafeReentrantWrite { ObjectIdentifier($0) }
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS \(self.storage.sql) (
                      id INTEGER PRIMARY KEY AUTOINCREMENT,
                      name TEXT NOT NULL,
                      isUndone INTEGER NOT NULL,
                      changeset BLOB NOT NULL)
                    """)
            let state = try fetchState(db)
            shared.withLock { $0.state = state }
        }
    }

    // MARK: - State

    /// What can be undone and redone, as of the last committed transaction.
    public var state: State { shared.withLock { $0.state } }

    /// Calls a closure with the state, now and whenever it has changed.
    ///
    /// ```swift
    /// let cancellable = history.observe { state in
    ///     DispatchQueue.main.async {
    ///         undoButton.isEnabled = state.canUndo
    ///     }
    /// }
    /// ```
    ///
    /// - parameter onChange: called once before the method returns, and later on the queue of the
    ///   writer, after the transaction was committed.
    /// - returns: an object that ends the calls when it is cancelled or deallocated.
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

    /// The states, from the present one on. A slow reader gets the latest one.
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
            // The table is one that others may write to.
            let group = try Group(id: row.decode(atIndex: 0), name: row.decode(atIndex: 1))
            if try row.decode(atIndex: 2) {
                state.redoGroups.append(group)
            } else {
                state.undoGroups.insert(group, at: 0)
            }
        }
        return state
    }

    /// Publishes the state when the transaction is committed.
    private func stateWillChange(_ db: Database) throws {
        let expectedState = try fetchState(db)
        db.afterNextTransaction { [weak self] db in
            guard let self else { return }
            // The transaction may have rolled a savepoint back since then. If the table can't be read,
            // it has most likely not.
            let state = (try? fetchState(db)) ?? expectedState
            let handlers = shared.withLock { shared -> [Int: @Sendable (State) -> Void] in
                if shared.state == state { return [:] }
                shared.state = state
                return shared.handlers
            }
            for (_, handler) in handlers.sorted(by: { $0.key < $1.key }) { handler(state) }
        }
    }

    // MARK: - Recording

    /// Writes in a transaction, and records the changes as a group.
    ///
    /// Groups that were undone can't be redone any more. No group is recorded if nothing was changed,
    /// or if the closure throws.
    ///
    /// - parameter name: what the user calls it.
    /// - parameter updates: the changes.
    /// - throws: the error of the closure, or a ``DatabaseError``.
    public func record<T>(_ name: String, _ updates: (Database) throws -> T) throws -> T {
        try writer.write { db in
            try record(name, in: db) { try updates(db) }
        }
    }

    /// Writes in a transaction, and records the changes as a group.
    ///
    /// - parameter name: what the user calls it.
    /// - parameter updates: the changes.
    /// - throws: the error of the closure, or a ``DatabaseError``.
    public func record<T: Sendable>(
        _ name: String, _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writer.write { db in
            try self.record(name, in: db) { try updates(db) }
        }
    }

    /// Records what a closure changes as a group, inside of an access.
    ///
    /// Inside of a recorded closure, changes belong to the outer group.
    ///
    /// - parameter name: what the user calls it.
    /// - parameter db: the connection that writes.
    /// - parameter updates: the changes. They are undone if it throws.
    /// - throws: the error of the closure, or a ``DatabaseError``: of code `SQLITE_MISUSE` unless the
    ///   connection is the one that the writer of the history writes with.
    public func record<T>(
        _ name: String, in db: Database, _ updates: () throws -> T
    ) throws -> T {
        try checkConnection(db)
        var result: T?
        try db.inSavepoint {
            if isRecording.withLock({ $0 }) {
                result = try updates()
                return .commit
            }
            isRecording.withLock { $0 = true }
            defer { isRecording.withLock { $0 = false } }
            let session = try db.makeSession()
            if let tables {
                try session.attach(tables)
            } else {
                let own = storage
                try session.attachTables { table in
                    own.schema == "temp" || !ASCIICase.equal(table, own.name)
                }
            }
            result = try updates()
            try insertGroup(name, try session.changeset(), db)
            return .commit
        }
        return result!
    }

    private func insertGroup(_ name: String, _ changeset: Changeset, _ db: Database) throws {
        if changeset.isEmpty { return }
        try db.execute(sql: "DELETE FROM \(storage.sql) WHERE isUndone")
        try db.execute(
            sql: "INSERT INTO \(storage.sql) (name, isUndone, changeset) VALUES (?, 0, ?)",
            arguments: [name, changeset.data])
        try db.execute(
            sql: """
                DELETE FROM \(storage.sql) WHERE id IN (
                  SELECT id FROM \(storage.sql) ORDER BY id DESC LIMIT -1 OFFSET ?)
                """, arguments: [maximumGroupCount])
        try stateWillChange(db)
    }

    /// Forgets all groups. What they have changed stays.
    ///
    /// - throws: a ``DatabaseError``.
    public func removeAll() throws {
        try writer.write { db in
            try db.execute(sql: "DELETE FROM \(storage.sql)")
            try stateWillChange(db)
        }
    }

    // MARK: - Undoing

    /// Undoes the latest group that is not undone.
    ///
    /// - returns: what was done.
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` while a group is recorded.
    @discardableResult
    public func undo() throws -> Outcome {
        try writer.write { try undo(in: $0) }
    }

    /// Undoes the latest group that is not undone.
    ///
    /// - returns: what was done.
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` while a group is recorded.
    @discardableResult
    public func undo() async throws -> Outcome {
        try await writer.write { try self.undo(in: $0) }
    }

    /// Undoes the latest group that is not undone, inside of an access.
    ///
    /// - parameter db: the connection that writes.
    /// - returns: what was done.
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` while a group is recorded.
    @discardableResult
    public func undo(in db: Database) throws -> Outcome {
        try move(db, isUndo: true)
    }

    /// Redoes the group that was undone last.
    ///
    /// - returns: what was done.
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` while a group is recorded.
    @discardableResult
    public func redo() throws -> Outcome {
        try writer.write { try redo(in: $0) }
    }

    /// Redoes the group that was undone last.
    ///
    /// - returns: what was done.
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` while a group is recorded.
    @discardableResult
    public func redo() async throws -> Outcome {
        try await writer.write { try self.redo(in: $0) }
    }

    /// Redoes the group that was undone last, inside of an access.
    ///
    /// - parameter db: the connection that writes.
    /// - returns: what was done.
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` while a group is recorded.
    @discardableResult
    public func redo(in db: Database) throws -> Outcome {
        try move(db, isUndo: false)
    }

    private func move(_ db: Database, isUndo: Bool) throws -> Outcome {
        try checkConnection(db)
        if isRecording.withLock({ $0 }) {
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
                        SELECT id, name, changeset FROM \(storage.sql) \
                        WHERE isUndone = ? ORDER BY id \(isUndo ? "DESC" : "ASC") LIMIT 1
                        """, arguments: [!isUndo])
            else { return .commit }
            let group = try Group(id: row.decode(atIndex: 0), name: row.decode(atIndex: 1))
            do {
                let changeset = try Changeset(data: row.decode(atIndex: 2))
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
            try stateWillChange(db)
            return .commit
        }
        return outcome
    }

    /// Whether trying again would fail again.
    private static func isLasting(_ error: any Error) -> Bool {
        if error is ChangesetConflictError { return true }
        switch (error as? DatabaseError)?.resultCode {
        case .SQLITE_SCHEMA?, .SQLITE_CORRUPT?: return true
        default: return false
        }
    }

    /// Throws unless the connection is the one that groups are kept with.
    private func checkConnection(_ db: Database) throws {
        try db.checkAccess()
        guard connectionID == ObjectIdentifier(db) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "The connection is not the one that the history was made for")
        }
    }
}
