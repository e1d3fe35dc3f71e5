import Dispatch
public import Foundation

/// A scheduler that delivers the first value at once if it is there in time, and later if not.
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
        // Longer waits can't be represented.
        return .now() + min(duration, 1.0e8)
    }
}

extension ValueObservationScheduler where Self == TimedImmediateValueObservationScheduler {
    /// A scheduler that delivers values on the main actor: the first one before the start of the
    /// observation returns, if it is there in time.
    ///
    /// Use it for views that should neither flicker, because they show an empty list first, nor hang,
    /// because the database is slow or busy.
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
    /// The observation must start on the main thread. The wait only concerns the fetch: the time that
    /// operators such as `map` take comes on top.
    ///
    /// - parameter duration: how long the start waits for the first value, in seconds. With zero or less, it
    ///   does not wait.
    public static func immediate(
        within duration: TimeInterval
    ) -> TimedImmediateValueObservationScheduler {
        TimedImmediateValueObservationScheduler(duration: duration)
    }
}

extension ValueObservationMainActorScheduler
where Self == TimedImmediateValueObservationScheduler {
    /// A scheduler that delivers values on the main actor: the first one before the start of the
    /// observation returns, if it is there in time.
    ///
    /// See ``ValueObservationScheduler/immediate(within:)``.
    public static func immediate(
        within duration: TimeInterval
    ) -> TimedImmediateValueObservationScheduler {
        TimedImmediateValueObservationScheduler(duration: duration)
    }
}
