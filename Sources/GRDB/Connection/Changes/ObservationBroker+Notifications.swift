// Immediate notifications, and the calls that observers make while they are notified.

extension ObservationBroker {
    /// Stops notifying an observer of changes, on the connection that is calling the observer.
    static func stopUntilNextTransaction(_ observer: some TransactionObserver) {
        // Hooks can't be removed while they run. They check for observers that have stopped.
        withNotifyingBroker(observer) { broker, observation in
            observation.isStopped = true
            broker.hasStopped = true
            broker.database.interestEpoch &+= 1
        }
    }

    /// Records that an observer, and so all observers of its class, use the default implementation of
    /// ``TransactionObserver/databaseWillChange(with:)``. This avoids installing the preupdate hook for
    /// them, which slows every change.
    static func noteDefaultWillChange(of observer: some TransactionObserver) {
        withNotifyingBroker(observer) { broker, observation in
            // The call may come from another observer that forwarded its event.
            guard observation === broker.called?.takeUnretainedValue() else { return }
            observation.wantsPreUpdates = false
            broker.typesWithoutPreUpdates.insert(ObjectIdentifier(type(of: observer)))
        }
    }

    /// Records that an observer, and so all observers of its class, use the default implementation of
    /// ``TransactionObserver/databaseWillCommit()``.
    static func noteDefaultWillCommit(of observer: some TransactionObserver) {
        withNotifyingBroker(observer) { broker, observation in
            guard observation === broker.called?.takeUnretainedValue() else { return }
            observation.wantsConsent = false
            broker.typesWithoutConsent.insert(ObjectIdentifier(type(of: observer)))
        }
    }

    // MARK: - Unspecified changes

    /// Notifies the observers of a region that it has changed in an unspecified way.
    func notifyChanges(withEventsOfKind kinds: [DatabaseEventKind]) {
        if kinds.isEmpty { return }
        notifying {
            for observation in observations.elements where observation.isListening {
                call(observation) {
                    if kinds.contains(where: { observation.observes($0, replaces: false) }) {
                        observation.databaseDidChange()
                    }
                }
            }
        }
    }
}
