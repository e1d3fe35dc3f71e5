/// Counts and times accesses, for GRDBServer. Called on any thread.
package protocol AccessMeter: AnyObject, Sendable {
    func accessDidBegin(_ db: Database, isReader: Bool)
    func accessDidEnd(_ db: Database)

    /// Records the time that an access has waited.
    ///
    /// - parameter isCertain: whether the connection was not free when the access was requested. Otherwise,
    ///   the time includes the change of threads.
    func accessDidWait(since requestTime: UInt64, isReader: Bool, isCertain: Bool)

    /// Records that a snapshot exists, while the returned object exists.
    func holdSnapshot(_ connection: String) -> AnyObject
}

extension Database {
    /// The numbers of committed and rolled back transactions, for meters.
    package var transactionCounts: (commits: Int, rollbacks: Int) {
        (broker.commitCount, broker.rollbackCount)
    }
}
