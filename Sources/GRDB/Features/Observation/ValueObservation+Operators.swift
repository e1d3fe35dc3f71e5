extension ValueObservation {
    // MARK: - Transforming and filtering

    /// Transforms all values.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Player.fetchAll(db) }
    ///     .map { players in players.map(\.name) }
    /// ```
    ///
    /// The closure runs on a queue of the observation, so it blocks neither the database nor the
    /// scheduler.
    ///
    /// - parameter transform: transforms a value. An error ends the observation.
    public func map<T: Sendable>(
        _ transform: @escaping @Sendable (Reducer.Value) throws -> T
    ) -> ValueObservation<ValueReducers.Map<Reducer, T>> {
        reducing { ValueReducers.Map($0, transform) }
    }

    /// Drops values that are equal to the previous value.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Player.fetchCount(db) }
    ///     .removeDuplicates()
    /// ```
    ///
    /// The values are compared on a queue of the observation.
    public func removeDuplicates() -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>>
    where Reducer.Value: Equatable {
        reducing { ValueReducers.RemoveDuplicates($0, ==) }
    }

    /// Drops values that a closure considers equal to the previous value.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Row.fetchAll(db, sql: "SELECT * FROM player") }
    ///     .removeDuplicates(by: { $0.count == $1.count })
    /// ```
    ///
    /// - parameter predicate: receives the former and the fresh value, on a queue of the
    ///   observation. Its calls never overlap, even if the observation is started several times.
    public func removeDuplicates(
        by predicate: sending @escaping (Reducer.Value, Reducer.Value) -> Bool
    ) -> ValueObservation<ValueReducers.RemoveDuplicates<Reducer>> {
        let predicate = Locked(predicate)
        return reducing { base in
            ValueReducers.RemoveDuplicates(base) { lhs, rhs in
                predicate.withLock { $0(lhs, rhs) }
            }
        }
    }

    // MARK: - Debugging

    /// Calls closures at each step of the observation.
    ///
    /// ```swift
    /// let observation = ValueObservation
    ///     .tracking { db in try Player.fetchAll(db) }
    ///     .handleEvents(
    ///         willTrackRegion: { region in print("tracks \(region)") },
    ///         didReceiveValue: { players in print("\(players.count) players") })
    /// ```
    ///
    /// - parameter willStart: called when the observation starts, on the current thread.
    /// - parameter willFetch: called before each fetch, in its database access.
    /// - parameter willTrackRegion: called with each new region, in an access of the writer. Not
    ///   called for snapshots and read-only connections.
    /// - parameter databaseDidChange: called in an access of the writer, after a commit that has changed
    ///   the region.
    /// - parameter didReceiveValue: called with each value, on the queue of the observation.
    /// - parameter didFail: called by the scheduler, before the error is delivered.
    /// - parameter didCancel: called when the observation is cancelled, on the thread of the
    ///   cancellation.
    public func handleEvents(
        willStart: (@Sendable () -> Void)? = nil,
        willFetch: (@Sendable () -> Void)? = nil,
        willTrackRegion: (@Sendable (DatabaseRegion) -> Void)? = nil,
        databaseDidChange: (@Sendable () -> Void)? = nil,
        didReceiveValue: (@Sendable (Reducer.Value) -> Void)? = nil,
        didFail: (@Sendable (any Error) -> Void)? = nil,
        didCancel: (@Sendable () -> Void)? = nil
    ) -> ValueObservation<ValueReducers.Trace<Reducer>> {
        var observation = reducing {
            ValueReducers.Trace(
                $0, willFetch: willFetch ?? {}, didReceiveValue: didReceiveValue ?? { _ in })
        }
        if let willStart { observation.events.willStart.append(willStart) }
        if let willTrackRegion { observation.events.willTrackRegion.append(willTrackRegion) }
        if let databaseDidChange { observation.events.databaseDidChange.append(databaseDidChange) }
        if let didFail { observation.events.didFail.append(didFail) }
        if let didCancel { observation.events.didCancel.append(didCancel) }
        return observation
    }

    /// Prints a line at each step of the observation.
    ///
    /// ```swift
    /// // start
    /// // fetch
    /// // tracked region: player(id,name)
    /// // value: [...]
    /// // database did change
    /// // cancel
    /// let observation = ValueObservation
    ///     .tracking { db in try Player.fetchAll(db) }
    ///     .print()
    /// ```
    ///
    /// - parameter prefix: the start of each line, followed by a colon unless it is empty.
    /// - parameter stream: the output stream. Each line is written with one call, without a line
    ///   break. If nil, lines are printed to the standard output, with line breaks.
    public func print(
        _ prefix: String = "", to stream: sending (any TextOutputStream)? = nil
    ) -> ValueObservation<ValueReducers.Trace<Reducer>> {
        let stream = Locked(stream)
        let prefix = prefix.isEmpty ? "" : "\(prefix): "
        @Sendable func write(_ event: String) {
            stream.withLock { stream in
                if stream == nil {
                    Swift.print(prefix + event)
                } else {
                    stream!.write(prefix + event)
                }
            }
        }
        return handleEvents(
            willStart: { write("start") },
            willFetch: { write("fetch") },
            willTrackRegion: { write("tracked region: \($0)") },
            databaseDidChange: { write("database did change") },
            didReceiveValue: { write("value: \($0)") },
            didFail: { write("failure: \($0)") },
            didCancel: { write("cancel") })
    }

    private func reducing<Other: ValueReducer>(
        _ transform: @escaping @Sendable (Reducer) -> Other
    ) -> ValueObservation<Other> {
        var observation = ValueObservation<Other>(
            trackingMode: trackingMode,
            makeReducer: { [makeReducer] in transform(makeReducer()) })
        observation.events = events
        observation.requiresWriteAccess = requiresWriteAccess
        return observation
    }
}
