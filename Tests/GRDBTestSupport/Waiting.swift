import Foundation
import Testing

/// How long a test waits for what must happen before it fails, in seconds.
///
/// All tests start at once, so that a task may wait for a thread until the last tests end: for more
/// than ten minutes on a busy machine.
public let patience: TimeInterval = 3600

extension Trait where Self == TimeLimitTrait {
    /// Ends a test that would run forever or far too long.
    public static var patience: Self {
        .timeLimit(.minutes(Int(GRDBTestSupport.patience / 60)))
    }
}

/// Gives other threads time to do what they must not do.
///
/// Use it to test that something does *not* happen, when there is no event to wait for. If the
/// duration is too short, a fault may go unnoticed, but the test never fails without a fault. Wait
/// for expected events with ``Log/wait(forCount:)`` or semaphores.
public func letOthersRun(for duration: TimeInterval = 0.02) {
    Thread.sleep(forTimeInterval: duration)
}

/// Gives other threads and tasks time to do what they must not do.
public func letOthersRun(for duration: TimeInterval = 0.02) async {
    try? await Task.sleep(nanoseconds: UInt64(duration * 1e9))
}

/// Yields to other threads repeatedly before the test continues.
///
/// Use it to test races, with a different count in each iteration of the test to vary the timing.
public func passTurns(_ count: Int) {
    for _ in 0..<count { sched_yield() }
}

/// Waits until the clock shows a later date.
public func waitForDate(after date: Date) {
    while Date() <= date {}
}
