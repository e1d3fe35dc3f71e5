import Foundation

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

    /// Iterates the entries, from the oldest one that was not acknowledged.
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
        /// - returns: nil when the task is cancelled.
        /// - throws: a ``DatabaseError``, when the database is closed for example.
        public mutating func next() async throws -> OutboxEntry? {
            while index == batch.count {
                if Task.isCancelled { return nil }
                // Before the fetch: what is committed after it is another number.
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
            return batch[index]
        }
    }
}
