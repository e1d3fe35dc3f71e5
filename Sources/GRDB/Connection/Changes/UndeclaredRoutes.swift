/// The routes of changes that no statement declares. Observers are asked when the first change of a
/// kind happens.
///
/// Belongs to the thread that owns the connection.
final class UndeclaredRoutes {
    @exclusivity(unchecked)
    private var routes = RoutesByPhase()

    /// The epoch in which the observers were asked: see `Database.interestEpoch`.
    @exclusivity(unchecked)
    private var epoch = -1

    /// - parameter known: observers that accepted the change when its statement declared it.
    func route<Change: RawRowChange>(
        of change: Change, _ broker: ObservationBroker,
        known: ContiguousArray<TransactionObservation>
    ) -> ChangeRoute {
        let epoch = broker.database.interestEpoch
        if epoch != self.epoch {
            // The answers belong to another transaction, or to other observers.
            self.epoch = epoch
            routes = RoutesByPhase()
        }
        let (kind, schema, table) = (change.kind, change.schema, change.table)
        let route =
            routes[Change.phase].find(kind, schema, table)
            ?? routes[Change.phase].append(
                kind, schema, table,
                virtualTables: { broker.virtualTables(keepingContentIn: $0, schema) },
                observations: { broker.observations(of: $0, kind, known: known) })
        return route.takeUnretainedValue()
    }
}
