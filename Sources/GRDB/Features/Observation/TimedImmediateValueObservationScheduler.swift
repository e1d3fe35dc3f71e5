import Dispatch
public import _GRDBSystem

/// A scheduler that delivers the first value immediately if it is available in time, and later if
/// not.
///
/// Build one with ``ValueObservationScheduler/immediate(within:)``.
public struct TimedImmediateValueObservationScheduler: ValueObservationMainActorScheduler {
    /// How long the start of the observation waits for the first value, in seconds.
    public let duration: TimeInterval

    init(duration: TimeInterval) {
        self.duration = duration
    }

    public func immediateInitialValue() -> Bool {
        ImmediateValueObservationScheduler().immediateInitialValue()
    }

    public func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async(execute: action)
    }

    /// When the wait ends.
    var deadline: DispatchTime {
        guard duration > 0 else { return .now() }
        // A longer duration would overflow.
        return .now() + min(duration, 1.0e8)
    }
}

extension ValueObservationScheduler where Self == TimedImmediateValueObservationScheduler {
    /// A scheduler that delivers values on the main actor, and the first one before `start` returns
    /// if it is available in time.
    ///
    /// Use it for views that should neither flicker by showing an empty list first, nor hang when
    /// the database is slow or busy.
    ///
    /// ```swift
    /// let cancellable = observation.start(
    ///     in: dbPool, scheduling: .immediate(within: 0.05)
    /// ) { error in
    ///     // Handle error
    /// } onChange: { players in
    ///     // Called before start returns if the players are fetched within 50 ms.
    /// }
    /// ```
    ///
    /// The observation must start on the main thread. The time limit only applies to the fetch:
    /// operators such as `map` run after it.
    ///
    /// - parameter duration: how long the start waits for the first value, in seconds. If zero or
    ///   less, it does not wait.
    public static func immediate(
        within duration: TimeInterval
    ) -> TimedImmediateValueObservationScheduler {
        TimedImmediateValueObservationScheduler(duration: duration)
    }
}

extension ValueObservationMainActorScheduler
where Self == TimedImmediateValueObservationScheduler {
    /// A scheduler that delivers values on the main actor, and the first one before `start` returns
    /// if it is available in time.
    ///
    /// See ``ValueObservationScheduler/immediate(within:)``.
    public static func immediate(
        within duration: TimeInterval
    ) -> TimedImmediateValueObservationScheduler {
        TimedImmediateValueObservationScheduler(duration: duration)
    }
}
