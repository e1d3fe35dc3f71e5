/// An asynchronous sequence of observed values.
///
/// ```swift
/// let observation = ValueObservation.tracking { db in
///     try Player.fetchAll(db)
/// }
/// for try await players in observation.values(in: dbQueue) {
///     print("\(players.count) players")
/// }
/// ```
///
/// Create a sequence with ``ValueObservation/values(in:scheduling:bufferingPolicy:)`` or
/// ``SharedValueObservation/values(bufferingPolicy:)``. It can be iterated several times. Each
/// iteration starts its own observation.
public struct AsyncValueObservation<Element: Sendable>: AsyncSequence, Sendable {
    public typealias AsyncIterator = Iterator

    /// A strategy for buffering the values that the iteration has not consumed yet.
    public typealias BufferingPolicy =
        AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy

    package typealias Start =
        @Sendable (
            _ onError: @escaping @Sendable (any Error) -> Void,
            _ onChange: @escaping @Sendable (Element) -> Void
        ) -> AnyDatabaseCancellable

    private let bufferingPolicy: BufferingPolicy
    private let start: Start

    package init(_ bufferingPolicy: BufferingPolicy, start: @escaping Start) {
        self.bufferingPolicy = bufferingPolicy
        self.start = start
    }

    /// Starts an observation.
    public func makeAsyncIterator() -> Iterator {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Element.self, throwing: (any Error).self, bufferingPolicy: bufferingPolicy)
        let cancellable = start(
            { continuation.finish(throwing: $0) },
            { continuation.yield($0) })
        continuation.onTermination = { _ in cancellable.cancel() }
        return Iterator(values: stream.makeAsyncIterator(), cancellable: cancellable)
    }

    /// An iterator over observed values. The observation ends when the iterator is released.
    public struct Iterator: AsyncIteratorProtocol {
        private var values: AsyncThrowingStream<Element, any Error>.AsyncIterator
        private let cancellable: AnyDatabaseCancellable

        init(
            values: AsyncThrowingStream<Element, any Error>.AsyncIterator,
            cancellable: AnyDatabaseCancellable
        ) {
            self.values = values
            self.cancellable = cancellable
        }

        /// Returns the next value, or nil when the task is cancelled.
        ///
        /// - throws: the error of the observation.
        public mutating func next() async throws -> Element? {
            try await values.next()
        }
    }
}
