/// A type that is notified of the row changes, commits and rollbacks of the writer connection.
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
/// Changes of SQLite's internal tables are not notified. ``databaseDidChange(with:)`` is not called for
/// changes of tables `WITHOUT ROWID`, and for rows that `INSERT OR REPLACE` deletes;
/// ``databaseWillChange(with:)`` is. Changes of virtual tables, such as full-text tables, are reported
/// as changes of the tables that store their content. Changes by other connections and processes are
/// not reported: see `ExternalChangeMonitor`.
///
/// ## Threads
///
/// All callbacks run on the queue of the writer connection, one at a time. All except
/// ``databaseDidCommit(_:)`` and ``databaseDidRollback(_:)`` run in the middle of a statement, and
/// must not access the database.
///
/// An observer does not have to be sendable, and properties that only its callbacks use need no lock.
/// However, other threads must not access these properties. After the commit, send your results through
/// a sendable closure or continuation:
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
    /// The strategy that decides which row changes are notified. The default is
    /// ``DatabaseEventObservationStrategy/default``: changes for which ``observes(eventsOfKind:)`` returns
    /// true.
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
    /// While there is such an observer, the hooks of the connection remain installed, so that each change
    /// costs a call. Observers with the default strategy are then also notified of undeclared changes: see
    /// <doc:Extensions>. The property is read once, when the observer is added.
    var databaseEventObservationStrategy: DatabaseEventObservationStrategy { get }

    /// Returns whether changes of the given kind should be notified.
    ///
    /// Called before the execution of a statement that can perform such changes, once for each kind of
    /// change. The answer applies to all executions of the statement in the current transaction. It may
    /// differ in the next transaction.
    ///
    /// For changes that no statement declares, such as changes by a C function, it is called in the middle
    /// of the statement, when the first row changes. Updates then contain all columns of the table.
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool

    /// Called when ``Database/notifyChanges(in:)`` reports an unspecified change of the database.
    func databaseDidChange()

    /// Called after a row has changed. The change is not committed yet.
    ///
    /// Changes made inside a savepoint are notified when the outermost savepoint is released.
    func databaseDidChange(with event: DatabaseEvent)

    /// Called before a row changes. The event is only valid during this call.
    ///
    /// Changes made inside a savepoint are notified when the outermost savepoint is released, each
    /// before its ``databaseDidChange(with:)``. The row has already changed by then, but the event
    /// still has its former values. Changes undone by a rollback to a savepoint are not notified.
    func databaseWillChange(with event: DatabasePreUpdateEvent)

    /// Called before a transaction is committed, and may cancel the commit.
    ///
    /// - throws: any error, which rolls the transaction back, and is thrown by the statement that
    ///   commits. After a backup into the database, or its erasure, the error is ignored, because the
    ///   content has already been replaced.
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

    /// Stops notifying this observer of changes until the end of the transaction. Must be called from a
    /// change callback.
    ///
    /// Later row changes cost nothing.
    public func stopObservingDatabaseChangesUntilNextTransaction() {
        ObservationBroker.stopUntilNextTransaction(self)
    }
}

/// An observer whose answers to `observes(eventsOfKind:)` are the same in all transactions, until
/// `ObservationBroker.interestsDidChange()` is called.
package protocol LastingInterestObserver: TransactionObserver, ChangeConsumer {
    /// Whether the observers implement `databaseWillChange(with:)`.
    static var wantsPreUpdates: Bool { get }
}

extension LastingInterestObserver {
    package static var wantsPreUpdates: Bool { false }
}

/// An observer of row changes only. It can't object to commits, and is not notified of commits and
/// rollbacks. In transactions without observed changes, it costs almost nothing.
protocol RowChangeObserver: LastingInterestObserver {
    /// Like `observes(eventsOfKind:)`.
    ///
    /// - parameter replaces: whether the statement may delete rows to make room for other rows, like
    ///   `INSERT OR REPLACE`.
    func observes(eventsOfKind eventKind: DatabaseEventKind, replaces: Bool) -> Bool
}

extension RowChangeObserver {
    func observes(eventsOfKind eventKind: DatabaseEventKind, replaces: Bool) -> Bool {
        observes(eventsOfKind: eventKind)
    }

    func databaseDidCommit(_ db: Database) {}

    func databaseDidRollback(_ db: Database) {}
}

/// An observer that must know which notified changes were undone while the transaction continues.
package protocol UndoneChangesObserver: TransactionObserver, ChangeConsumer {
    /// Called when a statement has failed halfway, and its changes were undone.
    ///
    /// - parameter ordinal: the undone changes are those with a greater
    ///   `DatabasePreUpdateEvent.ordinal`.
    func changesWereUndone(since ordinal: Int)
}

/// An observer that must know when its connection is closed.
package protocol DatabaseClosingObserver: TransactionObserver, ChangeConsumer {
    /// Called after the connection was closed, by the thread that closed it.
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
