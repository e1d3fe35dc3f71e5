import GRDB

/// Computes the differences between the lists that a running observation fetches.
///
/// Like any observed value, a list is fetched on the queue of a connection, compared with the
/// previous list on a queue of the observation, and delivered by the scheduler. Each list to
/// deliver has a number. A refresh that does not wait for the scheduler takes the latest list.
/// Pending lists of lower numbers are then dropped.
final class ListTracker<Element: Sendable, Change: Sendable>: Sendable {
    typealias MakeChange = @Sendable (ListMatching<Element>) -> Change

    /// A fetched list, with the function that creates its change.
    struct Fetched: Sendable {
        fileprivate let requestNumber: Int
        fileprivate let result: Result<(FetchedList<Element>, MakeChange), any Error>
    }

    /// A list, or an error, to deliver.
    struct Delivery: Sendable {
        fileprivate let number: Int
        fileprivate let result: Result<(FetchedList<Element>, Change), any Error>
    }

    private struct State {
        var request: ListRequest<Element>
        /// Incremented with each request. Lists fetched by former requests are ignored.
        var requestNumber = 0
        /// Whether the full database is tracked because the request has failed.
        var tracksTooMuch = false
        var refresh: (@Sendable () -> Void)?

        /// The number of the latest list or error to deliver.
        var latestNumber = 0
        var latestList = FetchedList<Element>.empty
        var latestMakeChange: MakeChange?
        /// The error, if there is no list for the latest number.
        var latestError: (any Error)?

        /// The number of the latest list or error that was delivered.
        var deliveredNumber = 0
        /// The latest list that was delivered.
        var deliveredList = FetchedList<Element>.empty
    }

    private let state: Locked<State>
    private let observation: ListObservation<Element, Change>

    init(_ observation: ListObservation<Element, Change>) {
        self.observation = observation
        state = Locked(State(request: observation.request))
    }

    /// Sets the function that schedules another fetch of the list.
    func setRefresh(_ refresh: @escaping @Sendable () -> Void) {
        state.withLock { $0.refresh = refresh }
    }

    /// The latest list that was delivered.
    var elements: [Element] { state.withLock { $0.deliveredList }.elements }

    func setRequest(_ request: ListRequest<Element>) {
        state.withLock { state in
            state.request = request
            state.requestNumber += 1
        }
    }

    // MARK: - Fetching

    /// Fetches the list. Never throws, because an error would end the observation.
    func fetch(_ db: Database) -> Fetched {
        let (request, requestNumber) = state.withLock { ($0.request, $0.requestNumber) }
        do {
            let list = try request.fetch(db)
            let makeChange = try observation.fetchChange(db)
            // The refresh tracks the region of the request again, instead of the full database.
            let refresh = state.withLock { state in
                defer { state.tracksTooMuch = false }
                return state.tracksTooMuch ? state.refresh : nil
            }
            refresh?()
            return Fetched(requestNumber: requestNumber, result: .success((list, makeChange)))
        } catch {
            // The region of a failed request is unknown: any change could make it succeed.
            try? db.registerAccess(to: DatabaseRegion.fullDatabase)
            if !observation.isRegionVarying {
                state.withLock { $0.tracksTooMuch = true }
            }
            return Fetched(requestNumber: requestNumber, result: .failure(error))
        }
    }

    // MARK: - Comparing

    /// Compares a list with the previous one.
    ///
    /// Call it on the queue of the observation, like `takeLatest()`: lists are compared by their
    /// rows, which can only be used by one thread at a time.
    ///
    /// - returns: nil if there is nothing to deliver.
    func reduce(_ fetched: Fetched) -> Delivery? {
        let (base, isAwaited, isLate) = state.withLock { state in
            (
                state.latestList, state.latestNumber == 0 || state.latestError != nil,
                state.requestNumber != fetched.requestNumber
            )
        }
        if isLate { return nil }
        switch fetched.result {
        case .success((let list, let makeChange)):
            let matching = ListMatching(from: base, to: list)
            if matching.isIdentity, !isAwaited, !observation.deliversAlways { return nil }
            let change = makeChange(matching)
            return state.withLock { state in
                state.latestNumber += 1
                state.latestList = list
                state.latestMakeChange = makeChange
                state.latestError = nil
                return Delivery(number: state.latestNumber, result: .success((list, change)))
            }
        case .failure(let error):
            return state.withLock { state in
                state.latestNumber += 1
                state.latestError = error
                return Delivery(number: state.latestNumber, result: .failure(error))
            }
        }
    }

    // MARK: - Delivering

    /// - returns: nil if a later list was already delivered.
    func deliver(_ delivery: Delivery) -> Result<Change, any Error>? {
        state.withLock { state in
            guard delivery.number > state.deliveredNumber else { return nil }
            state.deliveredNumber = delivery.number
            return delivery.result.map { list, change in
                state.deliveredList = list
                return change
            }
        }
    }

    /// Returns the change to the latest list, and marks that list as delivered.
    ///
    /// Call it on the queue of the observation.
    ///
    /// - returns: nil if there is nothing to deliver.
    /// - throws: the error of the latest fetch, if it failed.
    func takeLatest() throws -> Change? {
        let (isFirst, base, latest) = try state.withLock { state in
            let isFirst = state.deliveredNumber == 0
            let isKnown = state.deliveredNumber == state.latestNumber
            state.deliveredNumber = state.latestNumber
            if let error = state.latestError { throw error }
            let base = state.deliveredList
            state.deliveredList = state.latestList
            return (isFirst, base, isKnown ? nil : (state.latestList, state.latestMakeChange))
        }
        guard case (let list, let makeChange?)? = latest else { return nil }
        let matching = ListMatching(from: base, to: list)
        // Changes that were not delivered may cancel each other out.
        if matching.isIdentity, !isFirst, !observation.deliversAlways { return nil }
        return makeChange(matching)
    }
}
