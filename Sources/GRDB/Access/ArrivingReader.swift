/// A reader whose database is replaced, page by page, by another program.
///
/// No connection of this process commits those changes, so transaction observers can't report them.
/// The reader itself detects that new content has arrived.
package protocol ArrivingReader: DatabaseReader {
    /// Calls the function after each arrival, on any thread, until the returned object is cancelled.
    func observeArrivals(_ onArrival: @escaping @Sendable () -> Void) -> AnyDatabaseCancellable
}
