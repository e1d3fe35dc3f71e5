/// An observation of a database region, as `RegionHub` knows it.
///
/// Subclasses override the callbacks. All but `databaseDidClose()` run on the queue of the connection
/// that writes, to which the properties belong as well. Only the hub changes the properties.
class RegionTracker {
    /// What is observed.
    var region = DatabaseRegion()

    /// The index of the tracker among the trackers of its connection; nil unless it is registered.
    var number: Int?

    var group: RegionGroup?

    /// Whether the transaction has changed the region.
    var isChanged = false

    /// Whether what was fetched may be undone by the end of the current transaction.
    var isUncertain = false

    /// Called after a transaction that has changed the region, or its schema, was committed.
    ///
    /// - parameter isSchemaChanged: whether the region may be another one now.
    func regionDidChange(_ db: Database, isSchemaChanged: Bool) {}

    /// Called when the connection has been closed. The tracker is not registered any more.
    func databaseDidClose() {}
}
