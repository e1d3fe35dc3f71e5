import GRDB
import _GRDBSystem

/// The entries of an outbox, as an asynchronous sequence.
///
/// See ``DatabaseOutbox/entries(batchSize:pollInterval:)``.
public struct OutboxEntries: AsyncSequence, Sendable {
    public typealias Element = OutboxEntry

    let outbox: DatabaseOutbox
    let arrivals: OutboxArrivals
    let batchSize: Int
    let pollInterval: TimeInterval?

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(entries: self)
    }

    /// Iterates the entries, starting with the oldest unacknowledged entry.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let entries: OutboxEntries
        private var batch: [OutboxEntry] = []
        private var index = 0
        private var position: Int64 = 0

        fileprivate init(entries: OutboxEntries) {
            self.entries = entries
        }

        /// Waits for the next entry.
        ///
        /// - returns: the next entry; nil when the task is cancelled.
        /// - throws: a ``/GRDB/DatabaseError``, for example if the database is closed.
        public mutating func next() async throws -> OutboxEntry? {
            while index == batch.count {
                if Task.isCancelled { return nil }
                // Read before the fetch: later commits change the count.
                let count = entries.arrivals.count
                do {
                    batch = try await entries.outbox.pendingEntries(
                        after: position, limit: entries.batchSize)
                } catch is CancellationError {
                    return nil
                }
                index = 0
                if batch.isEmpty {
                    await entries.arrivals.wait(while: count, timeout: entries.pollInterval)
                }
            }
            defer { index += 1 }
            position = batch[index].position
            entries.arrivals.note(position)
            return batch[index]
        }
    }
}
