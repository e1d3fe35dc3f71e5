/// The routes of changes that no statement declares. Observers are asked when the first change of a
/// kind happens.
///
/// Belongs to the thread that owns the connection.
final class UndeclaredRoutes {
    @exclusivity(unchecked)
    private var changes = RouteList()
    @exclusivity(unchecked)
    private var preUpdates = RouteList()

    /// The epoch in which the observers were asked: see `Database.interestEpoch`.
    @exclusivity(unchecked)
    private var epoch = -1

    /// Discards the answers of another transaction or of other observers.
    @inline(__always)
    private func renew(_ broker: ObservationBroker) {
        let epoch = broker.database.interestEpoch
        guard epoch != self.epoch else { return }
        self.epoch = epoch
        changes = RouteList()
        preUpdates = RouteList()
    }

    /// - parameter known: observers that accepted the change when its statement declared it.
    func route(
        of update: RawUpdate, _ broker: ObservationBroker,
        known: ContiguousArray<TransactionObservation>
    ) -> ChangeRoute {
        renew(broker)
        let route =
            changes.find(update.kind, update.schema, update.table)
            ?? changes.append(
                update.kind, update.schema, update.table,
                virtualTables: { broker.virtualTables(keepingContentIn: $0, update.schema) },
                observations: { broker.observations(of: $0, update.kind, known: known) })
        return route.takeUnretainedValue()
    }

    /// - parameter known: observers that accepted the change when its statement declared it.
    func route(
        of update: RawPreUpdate, _ broker: ObservationBroker,
        known: ContiguousArray<TransactionObservation>
    ) -> ChangeRoute {
        renew(broker)
        let route =
            preUpdates.find(update.kind, update.schema, update.table)
            ?? preUpdates.append(
                update.kind, update.schema, update.table,
                virtualTables: { broker.virtualTables(keepingContentIn: $0, update.schema) },
                observations: { broker.observations(of: $0, update.kind, known: known) })
        return route.takeUnretainedValue()
    }
}
