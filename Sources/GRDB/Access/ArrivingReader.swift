/// A reader whose database is replaced, page by page, by another program.
///
/// No connection of this process commits anything, so that no transaction observer could notify anyone.
/// The reader notices itself that another content has arrived.
protocol ArrivingReader: DatabaseReader {
    /// Calls the function after each arrival, on any thread, until the result is cancelled.
    func observeArrivals(_ onArrival: @escaping @Sendable () -> Void) -> AnyDatabaseCancellable
}
