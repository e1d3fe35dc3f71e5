/// What is told of the row changes, the commits and the rollbacks of the connection that writes.
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
/// ``databaseWillChange(with:)`` is told of these two.
///
/// All callbacks run on the queue of the writer connection. All but ``databaseDidCommit(_:)`` and
/// ``databaseDidRollback(_:)`` run in the middle of a statement: they must not access the database.
public protocol TransactionObserver: AnyObject {
    /// Returns whether changes of the given kind should be notified.
    ///
    /// Called before a statement that can perform such changes is executed.
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

    public func databaseWillCommit() throws {}

    /// Ends the change callbacks of this observer for the rest of the transaction. To be called
    /// from one of them.
    ///
    /// Rows that change after this call cost nothing.
    public func stopObservingDatabaseChangesUntilNextTransaction() {
        ObservationBroker.stopUntilNextTransaction(self)
    }
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
