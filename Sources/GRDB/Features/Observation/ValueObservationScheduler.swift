public import Dispatch
import _GRDBSystem

/// A type that determines where an observation calls its closures, and whether it delivers its
/// first value immediately.
///
/// Apps can implement their own scheduler:
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
/// Values are delivered in order only if the scheduler runs its actions serially, in the order in
/// which it receives them.
public protocol ValueObservationScheduler: Sendable {
    /// Returns whether the first value is fetched and delivered on the current thread, before the
    /// start of the observation returns. Called at each start.
    func immediateInitialValue() -> Bool

    /// Schedules an action to run later.
    func schedule(_ action: @escaping @Sendable () -> Void)
}

/// A scheduler that runs its actions on the main actor.
public protocol ValueObservationMainActorScheduler: ValueObservationScheduler {
    /// Schedules an action to run later on the main actor.
    func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void)
}

extension ValueObservationMainActorScheduler {
    public func schedule(_ action: @escaping @Sendable () -> Void) {
        scheduleOnMainActor(action)
    }
}

// MARK: - Dispatch queues

/// A scheduler that delivers values on a dispatch queue.
///
/// See ``ValueObservationScheduler/async(onQueue:)``.
public struct AsyncValueObservationScheduler: ValueObservationScheduler {
    private let queue: DispatchQueue

    /// Creates a scheduler.
    ///
    /// - parameter queue: a serial queue. A concurrent queue would not keep the order of values.
    public init(queue: DispatchQueue) {
        self.queue = queue
    }

    public func schedule(_ action: @escaping @Sendable () -> Void) {
        queue.async(execute: action)
    }

    public func immediateInitialValue() -> Bool { false }
}

extension ValueObservationScheduler where Self == AsyncValueObservationScheduler {
    /// A scheduler that delivers values on a dispatch queue.
    ///
    /// ```swift
    /// let cancellable = observation.start(
    ///     in: dbQueue, scheduling: .async(onQueue: .main),
    ///     onError: { error in ... },
    ///     onChange: { players in ... })
    /// ```
    ///
    /// - parameter queue: a serial queue. A concurrent queue would not keep the order of values.
    public static func async(onQueue queue: DispatchQueue) -> AsyncValueObservationScheduler {
        AsyncValueObservationScheduler(queue: queue)
    }
}

// MARK: - Main actor

/// A scheduler that delivers the first value immediately, on the main thread, and the others on the
/// main actor.
///
/// See ``ValueObservationMainActorScheduler/immediate``.
public struct ImmediateValueObservationScheduler: ValueObservationMainActorScheduler {
    /// Creates a scheduler.
    public init() {}

    /// Returns true.
    ///
    /// - precondition: the current thread is the main thread, or executes the main queue.
    public func immediateInitialValue() -> Bool {
        precondition(
            isMainThread || MainQueue.isCurrent,
            "An observation that delivers its first value at once must start on the main thread")
        return true
    }

    public func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void) {
        DispatchQueue.main.async(execute: action)
    }
}

/// Detects the main queue, which is the executor of the main actor. On Linux, another thread than
/// the main thread runs the main queue after `dispatchMain()`.
private enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }
}

extension ValueObservationScheduler where Self == ImmediateValueObservationScheduler {
    /// A scheduler that delivers the first value before `start` returns, and the others on the main
    /// actor.
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
    /// A scheduler that delivers the first value before `start` returns, and the others on the main
    /// actor.
    ///
    /// The first fetch reads the database on the main thread: use it for fast requests.
    ///
    /// - precondition: the observation starts on the main thread.
    public static var immediate: ImmediateValueObservationScheduler { .init() }
}

/// A scheduler that delivers all values on the main actor, after `start` returns.
///
/// See ``ValueObservationScheduler/mainActor``.
public final class DelayedMainActorValueObservationScheduler: ValueObservationMainActorScheduler {
    init() {}

    public func immediateInitialValue() -> Bool { false }

    public func scheduleOnMainActor(_ action: @escaping @MainActor @Sendable () -> Void) {
        // Unlike tasks, blocks on the main queue keep their order.
        DispatchQueue.main.async(execute: action)
    }
}

extension ValueObservationScheduler where Self == DelayedMainActorValueObservationScheduler {
    /// A scheduler that delivers all values on the main actor, and none before `start` returns. The
    /// default for observations that start on the main actor.
    public static var mainActor: DelayedMainActorValueObservationScheduler {
        DelayedMainActorValueObservationScheduler()
    }
}

// MARK: - Tasks

/// A scheduler that delivers values in a task, on the cooperative thread pool.
///
/// See ``ValueObservationScheduler/task``.
public final class TaskValueObservationScheduler: ValueObservationScheduler {
    /// The actions that wait for the task. The stream only wakes the task: Thread Sanitizer does
    /// not see how a stream hands over its elements, and would report races on the objects that
    /// actions refer to.
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
                // Actions that are scheduled during this loop leave another element in the stream.
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
    /// A scheduler that delivers values in a task, never on the main thread. The default for
    /// asynchronous sequences.
    public static var task: TaskValueObservationScheduler {
        TaskValueObservationScheduler(priority: nil)
    }

    /// A scheduler that delivers values in a task of the given priority.
    public static func task(priority: TaskPriority) -> TaskValueObservationScheduler {
        TaskValueObservationScheduler(priority: priority)
    }
}
