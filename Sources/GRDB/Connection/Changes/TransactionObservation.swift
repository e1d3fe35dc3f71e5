/// The registration of one observer on one connection.
final class TransactionObservation {
    let extent: Database.TransactionObservationExtent
    private weak var weakObserver: (any TransactionObserver)?
    private var strongObserver: (any TransactionObserver)?
    private unowned let broker: ObservationBroker

    /// Tells, on any thread, whether the broker may be used.
    private let raw: RawConnection

    /// Whether changes are not notified until the current transaction ends.
    var isStopped = false

    init(
        observer: any TransactionObserver, extent: Database.TransactionObservationExtent,
        broker: ObservationBroker, raw: RawConnection
    ) {
        self.extent = extent
        self.broker = broker
        self.raw = raw
        weakObserver = observer
        strongObserver = extent == .observerLifetime ? nil : observer
    }

    var observer: (any TransactionObserver)? { strongObserver ?? weakObserver }

    func isWrapping(_ observer: some TransactionObserver) -> Bool {
        self.observer === observer
    }

    // MARK: - Stopping

    /// Finds the observation that is notifying the observer, on a connection that belongs to the
    /// current thread, and stops it.
    static func stopUntilNextTransaction(_ observer: some TransactionObserver) {
        let candidates = registered.withLock { $0[ObjectIdentifier(observer)] ?? [] }
        for candidate in candidates {
            guard let observation = candidate.observation,
                observation.raw.isOwnedByCurrentThread
            else { continue }
            observation.isStopped = true
            observation.broker.observationDidStop()
        }
    }

    private struct WeakObservation {
        // What a weak reference refers to must not be asked for under the lock: it may be freed
        // there, and lock again.
        let id: ObjectIdentifier
        weak var observation: TransactionObservation?
    }

    /// All observations, by the identity of their observer.
    private static let registered = Locked<[ObjectIdentifier: [WeakObservation]]>([:])

    func register() {
        guard let observer else { return }
        Self.registered.withLock { registered in
            registered[ObjectIdentifier(observer), default: []]
                .append(WeakObservation(id: ObjectIdentifier(self), observation: self))
        }
        observerID = ObjectIdentifier(observer)
    }

    private var observerID: ObjectIdentifier?

    deinit {
        guard let observerID else { return }
        Self.registered.withLock { registered in
            guard var observations = registered[observerID] else { return }
            observations.removeAll { $0.id == ObjectIdentifier(self) }
            registered[observerID] = observations.isEmpty ? nil : observations
        }
    }
}
