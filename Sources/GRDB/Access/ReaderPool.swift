import Dispatch

/// The read-only connections of a pool, opened on demand, and lent to one access at a time.
///
/// Requests are served in order: a returned connection goes to the request that has waited longest.
/// Threads wait on semaphores. Tasks and callbacks wait without blocking a thread.
///
/// Barriers wait in the same line. During a barrier, connections are only lent to urgent requests,
/// because the barrier itself waits for those: see `Urgency`.
package final class ReaderPool: Sendable {
    package typealias Reader = SerializedDatabase

    /// The state of a request in the queue.
    package enum Urgency {
        /// After all other requests.
        case normal
        /// Before all other requests, including barriers, because the thread holds the writer. The
        /// request does not wait for connections of reads that wait for the writer. Another connection
        /// is opened instead.
        case urgent
        /// At once: all writes would wait together with the thread, which holds the writer until the
        /// connection is returned. If no connection is idle, another one is opened.
        case immediate
    }

    /// The outcome of a request.
    enum Grant: Sendable {
        case reader(Reader)
        /// The right to open a connection.
        case slot
        case barrier
        case failure(DatabaseError)
    }

    /// The identity of a request in line.
    final class Waiter: Sendable {}

    private struct Request {
        var waiter: Waiter
        var wantsBarrier = false
        var resume: @Sendable (Grant) -> Void
    }

    private struct State {
        /// The connections that are open.
        var readers: [Reader] = []
        /// The connections that are not lent, ordered by last use, the most recent last.
        var idle: [Reader] = []
        /// The number of connections, including those being opened.
        var count = 0
        /// A slice, whose first element is removed in constant time.
        var requests: ArraySlice<Request> = []
        /// At most one, because there is only one writer.
        var urgentRequest: Request?
        /// The number of lent connections that are not returned before the writer is available.
        var blockedCount = 0
        var isInBarrier = false
        var isClosed = false
        /// Whether the connections are closed, but the writer not yet.
        var isClosing = false
        /// Incremented when the connections that are open must not be lent again.
        var generation = 0
        var openedCount = 0

        /// The number of connections that are lent or being opened.
        var usedCount: Int { count - idle.count }

        var hasRequests: Bool { !requests.isEmpty || urgentRequest != nil }

        /// Removes a closed connection.
        mutating func remove(_ reader: Reader) {
            readers.removeAll { $0 === reader }
            count -= 1
        }
    }

    private let state = Locked(State())
    private let maximumCount: Int
    private let meter: (any AccessMeter)?
    private let qos: DispatchQoS

    /// Whether the connections have a target queue. The writer may be occupying it, in which case no
    /// connection is returned before the writer is available.
    private let hasTargetQueue: Bool
    private let open: @Sendable (_ number: Int) throws -> Reader

    /// - parameter hasTargetQueue: only used by pools that have a writer.
    /// - parameter open: opens a connection. Receives the number of connections opened so far, including
    ///   this one.
    package init(
        maximumCount: Int, qos: DispatchQoS, hasTargetQueue: Bool = false,
        meter: (any AccessMeter)? = nil,
        open: @escaping @Sendable (_ number: Int) throws -> Reader
    ) {
        self.maximumCount = maximumCount
        self.meter = meter
        self.open = open
        self.qos = qos
        self.hasTargetQueue = hasTargetQueue
    }

    /// The queue that opens connections for tasks and callbacks. Opening waits for the file, which would
    /// block the threads of tasks. A serial queue always gets a thread, whereas the few threads of the
    /// global queues may all be waiting for this connection.
    private var openingQueue: DispatchQueue {
        DispatchQueue(label: "GRDB.DatabasePool.opening", qos: qos)
    }

    static var closedError: DatabaseError { Database.closedError }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Whether the writer may have been closed, and removed the WAL file.
    var isClosingOrClosed: Bool { state.withLock { $0.isClosed || $0.isClosing } }

    /// Whether a connection belongs to this pool.
    package func owns(_ database: SerializedDatabase) -> Bool {
        database.ownerID == ObjectIdentifier(self)
    }

    // MARK: - Lending

    /// Lends a connection, and waits for one if necessary.
    package func borrow(_ urgency: Urgency = .normal) throws -> Reader {
        // The fast path: a connection is idle.
        if let idleReader = borrowIdle() { return idleReader }
        return try reader(wait { request($0, urgency: urgency, $1) })
    }

    /// Lends an idle connection, if there is one and no request is waiting.
    @inline(__always)
    func borrowIdle() -> Reader? {
        state.withLock { state in
            state.requests.isEmpty && !state.isInBarrier ? state.idle.popLast() : nil
        }
    }

    /// Lends a connection, and passes it to the function when available, on an unspecified thread.
    func borrow(
        _ waiter: Waiter = Waiter(),
        _ completion: @escaping @Sendable (Result<Reader, any Error>) -> Void
    ) {
        let resume: @Sendable (Grant) -> Void = { grant in
            if case .slot = grant {
                self.openingQueue.async { completion(Result { try self.reader(grant) }) }
            } else {
                completion(Result { try self.reader(grant) })
            }
        }
        if let grant = request(waiter, urgency: .normal, resume) {
            resume(grant)
        }
    }

    /// Runs the closure with a connection, and waits for its result without blocking a thread.
    package func execute<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        if WaitingThread.isCurrent, let reader = borrowIdle() {
            defer { giveBack(reader) }
            return try await reader.executeInPlace(body)
        }
        return try await TaskAccess.run(body) { access in
            let waiter = Waiter()
            guard access.wait(onCancel: { self.cancel(waiter) }) else { return }
            self.borrow(waiter) { result in
                switch result {
                case .success(let reader):
                    reader.start(access) { self.giveBack(reader) }
                case .failure(let error):
                    access.fail(error)
                }
            }
        }
    }

    /// Schedules the closure with a connection, and returns immediately.
    package func async(_ body: @escaping @Sendable (Result<Database, any Error>) -> Void) {
        borrow { result in
            switch result {
            case .success(let reader):
                reader.async(completion: { self.giveBack(reader) }, body)
            case .failure(let error):
                body(.failure(error))
            }
        }
    }

    /// Takes a connection back.
    package func giveBack(_ reader: Reader) {
        let isKept = update { state in
            let isKept =
                !state.isClosed && reader.ownerGeneration == state.generation
                && state.count <= maximumCount
            if isKept {
                state.idle.append(reader)
            } else {
                state.remove(reader)
            }
            return isKept
        }
        if !isKept {
            // Unfinalized statements may prevent this. Freeing the last of them closes the connection.
            try? reader.closeExclusively()
        }
    }

    /// Returns the connection of a grant.
    private func reader(_ grant: Grant) throws -> Reader {
        switch grant {
        case .reader(let reader):
            return reader
        case .slot:
            return try openReader()
        case .failure(let error):
            throw error
        case .barrier:
            fatalError("A barrier was not asked for")
        }
    }

    private func openReader() throws -> Reader {
        let (number, generation) = state.withLock { state in
            state.openedCount += 1
            return (state.openedCount, state.generation)
        }
        do {
            let reader = try open(number)
            reader.ownerID = ObjectIdentifier(self)
            reader.ownerGeneration = generation
            state.withLock { $0.readers.append(reader) }
            return reader
        } catch {
            update { $0.count -= 1 }
            throw error
        }
    }

    // MARK: - Waiting

    /// Grants a request, or puts it in line and returns nil.
    private func request(
        _ waiter: Waiter, urgency: Urgency, _ resume: @escaping @Sendable (Grant) -> Void
    ) -> Grant? {
        state.withLock { state in
            if state.isClosed { return .failure(Self.closedError) }
            if urgency != .normal {
                if let grant = takeReader(&state, urgency) { return grant }
                state.urgentRequest = Request(waiter: waiter, resume: timed(resume))
                return nil
            }
            if state.requests.isEmpty, !state.isInBarrier, let grant = takeReader(&state) {
                return grant
            }
            state.requests.append(Request(waiter: waiter, resume: timed(resume)))
            return nil
        }
    }

    /// Returns a function that records the wait, then calls the given one.
    private func timed(_ resume: @escaping @Sendable (Grant) -> Void) -> @Sendable (Grant) -> Void {
        guard let meter else { return resume }
        let requestTime = Monotonic.nanoseconds
        return { grant in
            meter.accessDidWait(since: requestTime, isReader: true, isCertain: true)
            resume(grant)
        }
    }

    private func takeReader(_ state: inout State, _ urgency: Urgency = .normal) -> Grant? {
        if let reader = state.idle.popLast() {
            return .reader(reader)
        }
        let isFree =
            switch urgency {
            case .normal: state.count < maximumCount
            case .urgent: hasTargetQueue || state.count - state.blockedCount < maximumCount
            case .immediate: true
            }
        if isFree {
            state.count += 1
            return .slot
        }
        return nil
    }

    /// Changes the state, and grants the requests whose turn has come.
    private func update<T>(_ change: (inout State) -> T) -> T {
        let (result, resumptions) = state.withLock { state in
            let result = change(&state)
            return (result, state.hasRequests ? serve(&state) : [])
        }
        for resumption in resumptions {
            resumption()
        }
        return result
    }

    /// Grants the requests whose turn has come, and returns the functions that notify them.
    private func serve(_ state: inout State) -> [() -> Void] {
        var resumptions: [() -> Void] = []
        if let urgent = state.urgentRequest {
            guard let grant = takeReader(&state, .urgent) else { return [] }
            state.urgentRequest = nil
            resumptions.append { urgent.resume(grant) }
        }
        while let first = state.requests.first {
            if state.isInBarrier { break }
            let grant: Grant
            if first.wantsBarrier {
                guard state.usedCount == 0 else { break }
                state.isInBarrier = true
                grant = .barrier
            } else if let reader = takeReader(&state) {
                grant = reader
            } else {
                break
            }
            state.requests.removeFirst()
            resumptions.append { first.resume(grant) }
            // Frees the requests that were removed.
            if state.requests.isEmpty { state.requests = [] }
        }
        return resumptions
    }

    /// Blocks the current thread until a request is granted.
    private func wait(
        _ request: (Waiter, @escaping @Sendable (Grant) -> Void) -> Grant?
    ) -> Grant {
        let semaphore = DispatchSemaphore(value: 0)
        let result = Locked<Grant?>(nil)
        let grant = request(Waiter()) { grant in
            result.withLock { $0 = grant }
            semaphore.signal()
        }
        if let grant { return grant }
        semaphore.wait()
        return result.withLock { $0! }
    }

    /// Removes a request from the line, unless it was already granted.
    func cancel(_ waiter: Waiter) {
        // If it was a barrier, the requests behind it can proceed.
        update { state in state.requests.removeAll { $0.waiter === waiter } }
    }

    // MARK: - Barriers

    /// Waits until all connections have been returned. Until `leaveBarrier()` is called, the pool only
    /// serves urgent requests.
    package func enterBarrier() throws {
        let grant = wait { requestBarrier($0, $1) }
        if case .failure(let error) = grant { throw error }
    }

    /// Calls the function when no connection is lent. Lends none until `leaveBarrier()`, except to
    /// urgent requests.
    func enterBarrier(
        _ waiter: Waiter = Waiter(),
        _ completion: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        let resume: @Sendable (Grant) -> Void = { grant in
            if case .failure(let error) = grant {
                completion(.failure(error))
            } else {
                completion(.success(()))
            }
        }
        if let grant = requestBarrier(waiter, resume) {
            resume(grant)
        }
    }

    private func requestBarrier(
        _ waiter: Waiter, _ resume: @escaping @Sendable (Grant) -> Void
    ) -> Grant? {
        state.withLock { state in
            if state.isClosed { return .failure(Self.closedError) }
            if state.requests.isEmpty, !state.isInBarrier, state.usedCount == 0 {
                state.isInBarrier = true
                return .barrier
            }
            state.requests.append(
                Request(waiter: waiter, wantsBarrier: true, resume: resume))
            return nil
        }
    }

    package func leaveBarrier() {
        update { $0.isInBarrier = false }
    }

    // MARK: - Readers waiting for the writer

    /// Declares that a lent connection is not returned before the writer is available.
    func block() {
        update { $0.blockedCount += 1 }
    }

    func unblock() {
        state.withLock { $0.blockedCount -= 1 }
    }

    /// Whether no connection is lent. During a barrier, urgent requests may borrow connections.
    var isUnused: Bool { state.withLock { $0.usedCount == 0 } }

    /// The number of requests in line, including barriers, excluding urgent requests.
    var waitingCount: Int { state.withLock { $0.requests.count } }

    // MARK: - Connections

    package func interrupt() {
        for reader in state.withLock({ $0.readers }) {
            reader.interrupt()
        }
    }

    /// Closes the idle connections immediately, and the others when they are returned.
    package func invalidate() {
        let idle = state.withLock { state in
            let idle = state.idle
            state.idle = []
            idle.forEach { state.remove($0) }
            state.generation += 1
            return idle
        }
        for reader in idle {
            try? reader.closeExclusively()
        }
    }

    /// Calls `body` with each idle connection, checked out exclusively.
    func withIdleReaders(_ body: (Reader) -> Void) {
        let idle = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        for reader in idle {
            body(reader)
            giveBack(reader)
        }
    }

    /// Closes all connections permanently.
    ///
    /// - precondition: the caller has entered a barrier.
    /// - returns: false if a connection is lent. Try again.
    /// - throws: the first error of a connection, which then remains open.
    package func close() throws -> Bool {
        let idle: [Reader]? = state.withLock { state in
            // `withIdleReaders` does not wait for barriers.
            if state.usedCount > 0 { return nil }
            defer { state.idle = [] }
            return state.idle
        }
        guard let idle else { return false }
        var firstError: (any Error)?
        for reader in idle {
            do {
                try reader.closeExclusively()
                state.withLock { $0.remove(reader) }
            } catch {
                state.withLock { $0.idle.append(reader) }
                firstError = firstError ?? error
            }
        }
        if let firstError { throw firstError }
        state.withLock { $0.isClosing = true }
        return true
    }

    /// Resumes lending connections, because the writer could not be closed.
    func stayOpen() {
        state.withLock { $0.isClosing = false }
    }

    /// Refuses all requests from now on.
    package func refuseRequests() {
        let requests = state.withLock { state in
            state.isClosed = true
            defer {
                state.requests = []
                state.urgentRequest = nil
            }
            return state.requests + (state.urgentRequest.map { [$0] } ?? [])
        }
        for request in requests {
            request.resume(.failure(Self.closedError))
        }
    }
}
