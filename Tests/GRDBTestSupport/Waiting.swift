import Foundation

/// Gives other threads a moment for what they must not do yet.
///
/// For tests of what must *not* happen, where there is nothing to wait for. Too short a moment
/// can hide a fault, but never makes a test fail. What must happen is waited for: see
/// ``Log/wait(forCount:)`` and semaphores.
public func letOthersRun(for duration: TimeInterval = 0.02) {
    Thread.sleep(forTimeInterval: duration)
}

/// Gives other threads and tasks a moment for what they must not do yet.
public func letOthersRun(for duration: TimeInterval = 0.02) async {
    try? await Task.sleep(nanoseconds: UInt64(duration * 1e9))
}

/// Lets other threads run now and then before the test goes on.
///
/// For races, whose moment may be any, as long as each turn of the test tries another one.
public func passTurns(_ count: Int) {
    for _ in 0..<count { sched_yield() }
}

/// Waits until the clock shows a later date.
public func waitForDate(after date: Date) {
    while Date() <= date {}
}
