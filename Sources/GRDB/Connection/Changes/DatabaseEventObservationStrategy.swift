/// How a transaction observer observes row changes.
///
/// See ``TransactionObserver/databaseEventObservationStrategy``.
public struct DatabaseEventObservationStrategy: Hashable, Sendable {
    /// Whether ``TransactionObserver/observes(eventsOfKind:)`` decides which row changes are notified. The
    /// default is true.
    ///
    /// If false, that method is not called, and the observer is notified of every row change that may
    /// be committed.
    public var requiresDatabaseEventKind = true

    /// The default strategy: observers are notified of the changes for which
    /// ``TransactionObserver/observes(eventsOfKind:)`` returns true.
    public static let `default` = DatabaseEventObservationStrategy()

    /// Creates the default strategy.
    public init() {}
}

extension TransactionObserver {
    public var databaseEventObservationStrategy: DatabaseEventObservationStrategy { .default }
}
