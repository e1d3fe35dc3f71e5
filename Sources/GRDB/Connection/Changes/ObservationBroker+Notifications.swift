// What observers are notified of at once, and what they say of themselves while they are called.

extension ObservationBroker {
    /// Stops notifying an observer of changes, on the connection that is calling the observer.
    static func stopUntilNextTransaction(_ observer: some TransactionObserver) {
        // Hooks that are running can't be removed. They find that nobody listens.
        withNotifyingBroker(observer) { broker, observation in
            observation.isStopped = true
            broker.hasStopped = true
            broker.database.interestEpoch &+= 1
        }
    }

    /// Notes that an observer has the default implementation of
    /// ``TransactionObserver/databaseWillChange(with:)``, and so do all observers of its class: the
    /// preupdate hook, for which SQLite works a lot, needs not be installed for it.
    static func noteDefaultWillChange(of observer: some TransactionObserver) {
        withNotifyingBroker(observer) { broker, observation in
            // Another observer may be the one that is called, and have passed its event on.
            guard observation === broker.called?.takeUnretainedValue() else { return }
            observation.wantsPreUpdates = false
            broker.typesWithoutPreUpdates.insert(ObjectIdentifier(type(of: observer)))
        }
    }

    /// Notes that an observer has the default implementation of
    /// ``TransactionObserver/databaseWillCommit()``, and so do all observers of its class.
    static func noteDefaultWillCommit(of observer: some TransactionObserver) {
        withNotifyingBroker(observer) { broker, observation in
            guard observation === broker.called?.takeUnretainedValue() else { return }
            observation.wantsConsent = false
            broker.typesWithoutConsent.insert(ObjectIdentifier(type(of: observer)))
        }
    }

    // MARK: - Changes on hold

    /// Tells observers of the changes that have waited for the end of a savepoint.
    func notifyHeldChanges() {
        if held.count == 0 { return }
        let batch = held.removeChanges()
        // The observers of each route, retained until all events are delivered.
        let observations = batch.routes.map { route in
            ContiguousArray(route.observations.filter { $0.retainObserver() })
        }
        defer {
            for observation in observations.joined() { observation.releaseObserver() }
        }
        notifying {
            for change in batch.changes {
                let route = batch.routes[Int(change.route)]
                observations[Int(change.route)].forEachUncounted { observation in
                    guard observation.isListening else { return }
                    called = .passUnretained(observation)
                    observation.wasTold = true
                    if change.preUpdate >= 0 {
                        if observation.wantsPreUpdates {
                            countEvent()
                            observation.databaseWillChange(
                                with: DatabasePreUpdateEvent(
                                    batch.preUpdates[Int(change.preUpdate)], names: route.names,
                                    ordinal: eventOrdinal))
                        }
                    } else if let kind = route.eventKind {
                        observation.databaseDidChange(
                            with: DatabaseEvent(
                                kind: kind, names: route.names, rowID: change.rowID))
                    }
                }
            }
        }
    }

    // MARK: - Unspecified changes

    /// Tells the observers of a region that it has changed in some way.
    func notifyChanges(withEventsOfKind kinds: [DatabaseEventKind]) {
        if kinds.isEmpty { return }
        notifying {
            for observation in observations.elements where observation.isListening {
                guard observation.retainObserver() else { continue }
                called = .passUnretained(observation)
                if kinds.contains(where: { observation.observes($0, replaces: false) }) {
                    observation.databaseDidChange()
                }
                observation.releaseObserver()
            }
        }
    }
}
