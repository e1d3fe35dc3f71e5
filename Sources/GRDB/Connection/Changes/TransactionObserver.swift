/// A type that is notified of the row changes, commits and rollbacks of the connection that writes.
///
/// ```swift
/// final class PlayerObserver: TransactionObserver {
///     var isModified = false
///
///     func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
///         eventKind.tableName == "player"
///     }
///
///     func databaseDidChange(with event: DatabaseEvent) {
///         isModified = true
///         stopObservingDatabaseChangesUntilNextTransaction()
///     }
///
///     func databaseDidCommit(_ db: Database) {
///         if isModified { print("players have changed") }
///         isModified = false
///     }
///
///     func databaseDidRollback(_ db: Database) {
///         isModified = false
///     }
/// }
///
/// dbQueue.add(transactionObserver: PlayerObserver(), extent: .databaseLifetime)
/// ```
///
/// Not notified: changes of the internal tables of SQLite, and, by ``databaseDidChange(with:)``,
/// changes of tables `WITHOUT ROWID` and rows that `INSERT OR REPLACE` deletes.
/// ``databaseWillChange(with:)`` is notified of these two. Changes of virtual tables, such as
/// full-text tables, are reported as changes of the tables that keep their content. Changes by
/// other connections and processes are not reported: see `ExternalChangeMonitor`.
///
/// ## Threads
///
/// All callbacks run on the queue of the writer connection, one at a time. All but
/// ``databaseDidCommit(_:)`` and ``databaseDidRollback(_:)`` run in the middle of a statement: they
/// must not access the database.
///
/// An observer needs not be sendable, and properties that only its callbacks use need no lock. Other
/// threads must not touch them, though. Hand out what they need after the commit, through a closure or
/// a continuation that is sendable:
///
/// ```swift
/// final class ModificationObserver: TransactionObserver {
///     private var tableNames: Set<String> = []
///     private let continuation: AsyncStream<Set<String>>.Continuation
///
///     init(_ continuation: AsyncStream<Set<String>>.Continuation) {
///         self.continuation = continuation
///     }
///
///     func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
///
///     func databaseDidChange(with event: DatabaseEvent) {
///         tableNames.insert(event.tableName)
///     }
///
///     func databaseDidCommit(_ db: Database) {
///         continuation.yield(tableNames)
///         tableNames = []
///     }
///
///     func databaseDidRollback(_ db: Database) {
///         tableNames = []
///     }
/// }
///
/// let (modifications, continuation) = AsyncStream.makeStream(of: Set<String>.self)
/// dbQueue.add(
///     transactionObserver: ModificationObserver(continuation), extent: .databaseLifetime)
/// for await tableNames in modifications {
///     print("modified: \(tableNames)")
/// }
/// ```
public protocol TransactionObserver: AnyObject {
    /// Which row changes are notified. The default is ``DatabaseEventObservationStrategy/default``: those
    /// that ``observes(eventsOfKind:)`` asks for.
    ///
    /// An observer that does not require event kinds is notified of every row change that may be
    /// committed, and ``observes(eventsOfKind:)`` is not called:
    ///
    /// ```swift
    /// final class ChangeCounter: TransactionObserver {
    ///     var count = 0
    ///
    ///     var databaseEventObservationStrategy: DatabaseEventObservationStrategy {
    ///         var strategy = DatabaseEventObservationStrategy.default
    ///         strategy.requiresDatabaseEventKind = false
    ///         return strategy
    ///     }
    ///
    ///     func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    ///
    ///     func databaseDidChange(with event: DatabaseEvent) { count += 1 }
    ///     func databaseDidCommit(_ db: Database) {}
    ///     func databaseDidRollback(_ db: Database) {}
    /// }
    /// ```
    ///
    /// The hooks of the connection stay installed while there is such an observer, so that each change
    /// costs a call. Observers with the default strategy are notified of undeclared changes as well; see
    /// <doc:Extensions>. The property is read once, when the observer is added.
    var databaseEventObservationStrategy: DatabaseEventObservationStrategy { get }

    /// Returns whether changes of the given kind should be notified.
    ///
    /// Called before a statement that can perform such changes is executed, once for each kind of
    /// change that it can perform. The answer holds for all executions of this statement in the
    /// current transaction. In the next one, it may be another.
    ///
    /// For changes that no statement declares, such as those of a C function that writes, it is called in
    /// the middle of the statement, when the first row changes. The columns of updates are then all columns
    /// of the table.
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool

    /// Called when the database was modified in some unspecified way, by ``Database/notifyChanges(in:)``.
    func databaseDidChange()

    /// Called when a row has changed. The change is not committed yet.
    ///
    /// Changes made inside a savepoint are notified when the outermost savepoint is released.
    func databaseDidChange(with event: DatabaseEvent)

    /// Called before a row changes. The event is only valid during this call.
    ///
    /// Changes made inside a savepoint are notified when the outermost savepoint is released, each
    /// one before its ``databaseDidChange(with:)``: the row has changed by then, but the event still
    /// has its former values. Changes that are rolled back to a savepoint are not notified.
    func databaseWillChange(with event: DatabasePreUpdateEvent)

    /// The last moment at which a transaction can still be stopped from being committed.
    ///
    /// - throws: any error, which rolls the transaction back. The statement that commits throws it.
    ///   After a backup into the database, or its erasure, the error is ignored: the content has been
    ///   replaced already.
    func databaseWillCommit() throws

    /// Called when a transaction has been committed.
    func databaseDidCommit(_ db: Database)

    /// Called when a transaction has been rolled back.
    func databaseDidRollback(_ db: Database)
}

extension TransactionObserver {
    public func databaseDidChange() {}

    public func databaseWillChange(with event: DatabasePreUpdateEvent) {
        ObservationBroker.noteDefaultWillChange(of: self)
    }

    public func databaseWillCommit() throws {
        ObservationBroker.noteDefaultWillCommit(of: self)
    }

    /// Ends the change callbacks of this observer for the rest of the transaction. To be called
    /// from one of them.
    ///
    /// Rows that change after this call cost nothing.
    public func stopObservingDatabaseChangesUntilNextTransaction() {
        ObservationBroker.stopUntilNextTransaction(self)
    }
}

/// An observer that answers `observes(eventsOfKind:)` the same in all transactions, as long as
/// `ObservationBroker.interestsDidChange()` is not called.
protocol LastingInterestObserver: TransactionObserver {
    /// Whether the observers implement `databaseWillChange(with:)`.
    static var wantsPreUpdates: Bool { get }
}

extension LastingInterestObserver {
    static var wantsPreUpdates: Bool { false }
}

/// An observer of row changes only: it is neither asked for its consent, nor notified of commits
/// and rollbacks. It costs almost nothing in transactions that don't change what it observes.
protocol RowChangeObserver: LastingInterestObserver {
    /// Like `observes(eventsOfKind:)`.
    ///
    /// - parameter replaces: whether the statement may delete rows that make room for others, as
    ///   `INSERT OR REPLACE` does.
    func observes(eventsOfKind eventKind: DatabaseEventKind, replaces: Bool) -> Bool
}

extension RowChangeObserver {
    func observes(eventsOfKind eventKind: DatabaseEventKind, replaces: Bool) -> Bool {
        observes(eventsOfKind: eventKind)
    }

    func databaseDidCommit(_ db: Database) {}

    func databaseDidRollback(_ db: Database) {}
}

/// An observer that must know which of the changes it was notified of were undone, although the
/// transaction goes on.
protocol UndoneChangesObserver: TransactionObserver {
    /// Called when a statement has failed halfway, and has undone its changes.
    ///
    /// - parameter ordinal: `DatabasePreUpdateEvent.ordinal` of the changes that have not stayed is
    ///   greater.
    func changesWereUndone(since ordinal: Int)
}

/// An observer that must know that there is nothing to observe any more.
protocol DatabaseClosingObserver: TransactionObserver {
    /// Called when the connection has been closed, by the thread that closes it.
    func databaseDidClose()
}

extension Database {
    /// How long a transaction observer is notified.
    public enum TransactionObservationExtent: Sendable {
        /// Until the observer is deallocated: the database does not retain it.
        case observerLifetime
        /// Until the next transaction ends. The database retains the observer until then.
        case nextTransaction
        /// Until the database is closed. The database retains the observer.
        case databaseLifetime
    }
}
