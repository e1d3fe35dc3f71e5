// Changes of rows, from the hooks to the observers.

/// A change of a row, as reported by a hook.
protocol RawRowChange {
    /// The hook that reports the change.
    static var phase: ChangePhase { get }

    /// `SQLITE_INSERT`, `SQLITE_UPDATE` or `SQLITE_DELETE`.
    var kind: CInt { get }
    var schema: UnsafePointer<CChar> { get }
    var table: UnsafePointer<CChar> { get }

    /// Notifies the observers of the change, or holds it back until the outermost savepoint ends.
    ///
    /// - precondition: called in `ObservationBroker.notifying(_:)`.
    func deliver(along route: ChangeRoute, by broker: ObservationBroker)
}

enum ChangePhase {
    case willChange, didChange
}

/// A change of a row, as received by observers.
protocol RowChangeEvent {
    func isWanted(by observation: TransactionObservation) -> Bool
    func notify(_ observation: TransactionObservation)
}

extension ObservationBroker {
    /// Finds the observers of a change, and notifies them.
    @inline(__always)
    func receive(_ change: some RawRowChange) {
        guard let audience else {
            if watchesUndeclaredChanges { receiveUndeclared(change, nil, known: []) }
            return
        }
        audience._withUnsafeGuaranteedRef { audience in
            audience.route(of: change)._withUnsafeGuaranteedRef { route in
                if watchesUndeclaredChanges, !route.isDeclared {
                    receiveUndeclared(change, audience, known: route.observations)
                } else {
                    change.deliver(along: route, by: self)
                }
            }
        }
    }

    /// Notifies observers of an event. The array keeps their registrations alive.
    @inline(__always)
    func deliver(
        _ event: some RowChangeEvent, to observations: ContiguousArray<TransactionObservation>
    ) {
        observations.forEachUncounted { observation in
            guard observation.isListening, event.isWanted(by: observation) else { return }
            call(observation) {
                observation.wasTold = true
                event.notify(observation)
            }
        }
    }

    /// Notifies observers of the changes that were held back until the end of a savepoint.
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
                let observations = observations[Int(change.route)]
                if change.preUpdate >= 0 {
                    eventOrdinal &+= 1
                    deliver(
                        DatabasePreUpdateEvent(
                            batch.preUpdates[Int(change.preUpdate)], names: route.names,
                            ordinal: eventOrdinal),
                        to: observations)
                } else if let kind = route.eventKind {
                    deliver(
                        DatabaseEvent(kind: kind, names: route.names, rowID: change.rowID),
                        to: observations)
                }
            }
        }
    }
}

// MARK: - Changes that have happened

extension RawUpdate: RawRowChange {
    static var phase: ChangePhase { .didChange }

    @inline(__always)
    func deliver(along route: ChangeRoute, by broker: ObservationBroker) {
        guard !route.observations.isEmpty, let kind = route.eventKind else { return }
        broker.eventOrdinal &+= 1
        if broker.held.hasSavepoints {
            broker.held.append(route, rowID: rowID)
            return
        }
        broker.deliver(
            DatabaseEvent(kind: kind, names: route.names, rowID: rowID), to: route.observations)
    }
}

extension DatabaseEvent: RowChangeEvent {
    @inline(__always)
    func isWanted(by observation: TransactionObservation) -> Bool { true }

    @inline(__always)
    func notify(_ observation: TransactionObservation) { observation.databaseDidChange(with: self) }
}

// MARK: - Changes that are about to happen

extension RawPreUpdate: RawRowChange {
    static var phase: ChangePhase { .willChange }

    @inline(__always)
    func deliver(along route: ChangeRoute, by broker: ObservationBroker) {
        guard route.observations.contains(where: { $0.isListening && $0.wantsPreUpdates }),
            let event = DatabasePreUpdateEvent(
                LiveChange(
                    update: self, route: route,
                    convertsMismatchedValues: broker.database.configuration
                        .convertsMismatchedValues,
                    blobWrite: broker.blobWrite),
                ordinal: broker.eventOrdinal &+ 1)
        else { return }
        broker.eventOrdinal &+= 1
        if broker.held.hasSavepoints {
            broker.held.append(route, PreUpdateCopy(of: event))
            return
        }
        broker.deliver(event, to: route.observations)
    }
}

extension DatabasePreUpdateEvent: RowChangeEvent {
    @inline(__always)
    func isWanted(by observation: TransactionObservation) -> Bool { observation.wantsPreUpdates }

    @inline(__always)
    func notify(_ observation: TransactionObservation) {
        observation.databaseWillChange(with: self)
    }
}
