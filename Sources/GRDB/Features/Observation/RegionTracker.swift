/// An observation of a database region, registered in a `RegionHub`.
///
/// Subclasses override the callbacks. All callbacks but `databaseDidClose()` run on the queue of
/// the writer connection. The properties are only used on that queue, and only the hub changes
/// them.
package class RegionTracker {
    /// The observed region.
    var region = DatabaseRegion()

    /// The registration number of the tracker in its hub; nil unless it is registered.
    var number: Int?

    var group: RegionGroup?

    /// Whether the transaction has changed the region.
    var isChanged = false

    /// Whether the fetched value may be undone by a rollback of the current transaction.
    var isUncertain = false

    /// Called after a transaction that has changed the region, or its schema, was committed.
    ///
    /// - parameter isSchemaChanged: whether the region itself may have changed with the schema.
    func regionDidChange(_ db: Database, isSchemaChanged: Bool) {}

    /// Called after the connection was closed. The tracker is no longer registered.
    func databaseDidClose() {}
}
