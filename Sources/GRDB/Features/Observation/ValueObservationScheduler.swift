public import Dispatch
import Foundation

/// Decides where an observation calls its closures, and whether it delivers its first value at once.
///
/// Apps write their own:
///
/// ```swift
/// struct MyScheduler: ValueObservationScheduler {
///     func immediateInitialValue() -> Bool { false }
///
///     func schedule(_ action: @escaping @Sendable () -> Void) {
///         myQueue.async(execute: action)
///     }
/// }
/// ```
///
/// Values are delivered in order only if the scheduler runs its actions in the order in which it gets
/// them, one after the other.
public protocol ValueObservationScheduler: Sendable {
    /// Returns whether the first value is fetched and delivered on the current thread, before the
    /// observation has started. Called by each start.
    func immediateInitialValue() -> Bool

    /// Runs an action, later.
    func schedule(_ action: @escaping @Sendable () -> Void)
}

/// A scheduler that runs its actions on the main actor.
public protocol ValueObservationMainActorScheduler: ValueObservationScheduler {
    /// Runs an action on the main actor, later.
    func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void)
}

extension ValueObservationMainActorScheduler {
    public func schedule(_ action: @escaping @Sendable () -> Void) {
        scheduleOnMainActor(action)
    }
}

// MARK: - Dispatch queues

/// Delivers values on a dispatch queue.
///
/// See ``ValueObservationScheduler/async(onQueue:)``.
public struct AsyncValueObservationScheduler: ValueObservationScheduler {
    private let queue: DispatchQueue

    /// Creates a scheduler.
    ///
    /// - parameter queue: a serial queue. A concurrent one would mix up the values.
    public init(queue: DispatchQueue) {
        self.queue = queue
    }

    public func schedule(_ action: @escaping @Sendable () -> Void) {
        queue.async(execute: action)
    }

    public func immediateInitialValue() -> Bool { false }
}

extension ValueObservationScheduler where Self == AsyncValueObservationScheduler {
    /// Delivers values on a dispatch queue.
    ///
    /// ```swift
    /// let cancellable = observation.start(
    ///     in: dbQueue, scheduling: .async(onQueue: .main),
    ///     onError: { error in ... },
    ///     onChange: { players in ... })
    /// ```
    ///
    /// - parameter queue: a serial queue. A concurrent one would mix up the values.
    public static func async(onQueue queue: DispatchQueue) -> AsyncValueObservationScheduler {
        AsyncValueObservationScheduler(queue: queue)
    }
}

// MARK: - Main actor

/// Delivers the first value at once, on the main thread, and the others on the main actor.
///
/// See ``ValueObservationMainActorScheduler/immediate``.
public struct ImmediateValueObservationScheduler: ValueObservationMainActorScheduler {
    /// Creates a scheduler.
    public init() {}

    /// Returns true.
    ///
    /// - precondition: the current thread is the main thread, or runs the main queue.
    public func immediateInitialValue() -> Bool {
        precondition(
            Thread.isMainThread || MainQueue.isCurrent,
            "An observation that delivers its first value at once must start on the main thread")
        return true
    }

    public func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async(execute: action)
    }
}

/// Knows the main queue, which is the main actor's. Where Dispatch has taken over the main thread, as it
/// does on Linux, another thread runs it.
private enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }
}

extension ValueObservationScheduler where Self == ImmediateValueObservationScheduler {
    /// Delivers the first value before the observation has started, and the others on the main actor.
    ///
    /// ```swift
    /// let cancellable = observation.start(
    ///     in: dbQueue, scheduling: .immediate,
    ///     onError: { error in ... },
    ///     onChange: { players in print("Fresh players") })
    /// // "Fresh players" was printed.
    /// ```
    ///
    /// - precondition: the observation starts on the main thread.
    public static var immediate: ImmediateValueObservationScheduler { .init() }
}

extension ValueObservationMainActorScheduler where Self == ImmediateValueObservationScheduler {
    /// Delivers the first value before the observation has started, and the others on the main actor.
    ///
    /// The database is read on the main thread: good for requests that are fast.
    ///
    /// - precondition: the observation starts on the main thread.
    public static var immediate: ImmediateValueObservationScheduler { .init() }
}

/// Delivers all values on the main actor, later.
///
/// See ``ValueObservationScheduler/mainActor``.
public final class DelayedMainActorValueObservationScheduler: ValueObservationMainActorScheduler {
    init() {}

    public func immediateInitialValue() -> Bool { false }

    public func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void) {
        // Unlike tasks, blocks keep their order.
        DispatchQueue.main.async(execute: action)
    }
}

extension ValueObservationScheduler where Self == DelayedMainActorValueObservationScheduler {
    /// Delivers all values on the main actor, and none before the observation has started: the default
    /// of observations that start on the main actor.
    public static var mainActor: DelayedMainActorValueObservationScheduler {
        DelayedMainActorValueObservationScheduler()
    }
}

// MARK: - Tasks

/// Delivers values in a task, on the threads that tasks share.
///
/// See ``ValueObservationScheduler/task``.
public final class TaskValueObservationScheduler: ValueObservationScheduler {
    /// What waits for the task. The stream only wakes it: a sanitizer of threads does not see how a
    /// stream hands its elements over, and would report races of what they refer to.
    private let actions: Locked<[@Sendable () -> Void]>
    private let wakeUps: AsyncStream<Void>.Continuation

    init(priority: TaskPriority?) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let actions = Locked<[@Sendable () -> Void]>([])
        self.actions = actions
        wakeUps = continuation
        // One task for all actions, so that they keep their order. It ends with the stream.
        Task.detached(priority: priority) {
            for await _ in stream {
                var waiting: [@Sendable () -> Void] = actions.withLock { actions in
                    defer { actions = [] }
                    return actions.reversed()
                }
                // Those that come meanwhile have left another element in the stream.
                while let action = waiting.popLast() {
                    action()
                }
            }
        }
    }

    deinit {
        wakeUps.finish()
    }

    public func immediateInitialValue() -> Bool { false }

    public func schedule(_ action: @escaping @Sendable () -> Void) {
        actions.withLock { $0.append(action) }
        wakeUps.yield()
    }
}

extension ValueObservationScheduler where Self == TaskValueObservationScheduler {
    /// Delivers values in a task, never on the main thread: the default of asynchronous sequences.
    public static var task: TaskValueObservationScheduler {
        TaskValueObservationScheduler(priority: nil)
    }

    /// Delivers values in a task of the given priority.
    public static func task(priority: TaskPriority) -> TaskValueObservationScheduler {
        TaskValueObservationScheduler(priority: priority)
    }
}
