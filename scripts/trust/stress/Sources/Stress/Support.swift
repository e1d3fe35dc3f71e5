import Dispatch
import Foundation
import GRDB

/// What went wrong.
let failures = Failures()

/// `@unchecked Sendable`: the state is only touched under the lock.
final class Failures: @unchecked Sendable {
    private let lock = NSLock()
    private var messages: [String: Int] = [:]

    func append(_ message: String) {
        let count = lock.withLock {
            messages[message, default: 0] += 1
            return messages[message]!
        }
        if count <= 3 { printLine("FAILURE: \(message)") }
    }

    var count: Int { lock.withLock { messages.values.reduce(0, +) } }
}

/// Prints at once: what comes after may crash, or be killed.
func printLine(_ line: String) {
    print(line)
    fflush(nil)
}

func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { failures.append(message()) }
}

/// A number that threads change.
///
/// `@unchecked Sendable`: the value is only touched under the lock.
final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0

    func add(_ number: Int = 1) { lock.withLock { count += number } }

    var value: Int { lock.withLock { count } }
}

/// Durations, in nanoseconds.
///
/// `@unchecked Sendable`: the values are only touched under the lock.
final class Durations: @unchecked Sendable {
    private let lock = NSLock()
    private var values: [UInt64] = []

    func append(since start: UInt64) {
        let duration = DispatchTime.now().uptimeNanoseconds - start
        lock.withLock { values.append(duration) }
    }

    /// The median, the 99th percentile and the maximum, in milliseconds.
    var summary: String {
        let sorted = lock.withLock { values.sorted() }
        guard let last = sorted.last else { return "none" }
        func milliseconds(_ value: UInt64) -> String {
            String(format: "%.2f", Double(value) / 1e6)
        }
        let median = sorted[sorted.count / 2]
        let p99 = sorted[min(sorted.count * 99 / 100, sorted.count - 1)]
        return """
            median \(milliseconds(median)) ms, p99 \(milliseconds(p99)) ms, \
            max \(milliseconds(last)) ms of \(sorted.count)
            """
    }
}

/// A folder that is removed at the end of the closure.
func withFolder<T>(_ body: (String) throws -> T) throws -> T {
    let folder = try makeFolder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    return try body(folder)
}

func makeFolder() throws -> String {
    let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("stress-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return folder
}

/// Runs closures on threads of their own until the time is over.
func runThreads(seconds: Double, _ bodies: [@Sendable (_ isOver: () -> Bool) -> Void]) {
    let end = DispatchTime.now().uptimeNanoseconds + UInt64(seconds * 1e9)
    let group = DispatchGroup()
    for body in bodies {
        group.enter()
        let thread = Thread {
            body { DispatchTime.now().uptimeNanoseconds >= end }
            group.leave()
        }
        thread.stackSize = 1 << 20
        thread.start()
    }
    group.wait()
}

func checkIntegrity(_ reader: any DatabaseReader) throws {
    let report = try reader.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
    expect(report == ["ok"], "integrity_check: \(report)")
}
