import Dispatch
import Foundation
import GRDB
import Testing

/// What observations deliver, one line per call, in the order of the calls. Any thread may append a line,
/// which wakes the threads that wait for it.
///
/// `@unchecked Sendable`: the lines are only touched under the condition.
public final class Transcript: @unchecked Sendable {
    private let condition = NSCondition()
    private var lines: [String] = []

    public init() {}

    public func append(_ line: String) {
        condition.lock()
        lines.append(line)
        condition.broadcast()
        condition.unlock()
    }

    public var all: [String] {
        condition.lock()
        defer { condition.unlock() }
        return lines
    }

    /// Waits until there are at least `count` lines, and returns all of them.
    @discardableResult
    public func wait(
        count: Int, file: String = #filePath, line: Int = #line
    ) -> [String] {
        wait(file: file, line: line) { $0.count >= count }
    }

    /// Waits until the last line is this text.
    public func wait(last text: String, file: String = #filePath, line: Int = #line) {
        wait(file: file, line: line) { $0.last == text }
    }

    /// Waits until the lines satisfy a condition, and returns them.
    @discardableResult
    public func wait(
        file: String = #filePath, line: Int = #line, until isReached: ([String]) -> Bool
    ) -> [String] {
        let deadline = Date(timeIntervalSinceNow: patience)
        condition.lock()
        defer { condition.unlock() }
        while !isReached(lines) {
            if !condition.wait(until: deadline) {
                recordIssue("Waited in vain. So far: \(lines)", file: file, line: line)
                break
            }
        }
        return lines
    }

    @discardableResult
    public func removeAll() -> [String] {
        condition.lock()
        defer { condition.unlock() }
        defer { lines = [] }
        return lines
    }
}

/// A scheduler that delivers the first value at once, on any thread, and the others on a serial queue.
public struct EagerScheduler: ValueObservationScheduler {
    public let queue = DispatchQueue(label: "EagerScheduler")

    public init() {}

    public func immediateInitialValue() -> Bool { true }

    public func schedule(_ action: @escaping @Sendable () -> Void) {
        queue.async(execute: action)
    }
}

extension ValueObservation {
    /// Starts the observation. Values and errors are written down.
    public func start(
        in reader: any DatabaseReader, _ transcript: Transcript, name: String = "",
        scheduling scheduler: some ValueObservationScheduler = EagerScheduler()
    ) -> AnyDatabaseCancellable {
        start(
            in: reader, scheduling: scheduler, onError: { transcript.append("\(name)error \($0)") },
            onChange: { transcript.append("\(name)\($0)") })
    }

    /// Writes down all that happens, and on which queue if `showsQueues`.
    public func traced(
        _ transcript: Transcript, showsQueues: Bool = false
    ) -> ValueObservation<ValueReducers.Trace<Reducer>> {
        @Sendable func write(_ line: String) {
            transcript.append(showsQueues ? "[\(currentQueueLabel())] \(line)" : line)
        }
        return handleEvents(
            willStart: { write("willStart") }, willFetch: { write("willFetch") },
            willTrackRegion: { write("willTrackRegion \($0)") },
            databaseDidChange: { write("databaseDidChange") },
            didReceiveValue: { write("didReceiveValue \($0)") },
            didFail: { write("didFail \($0)") }, didCancel: { write("didCancel") })
    }
}

/// Returns when the writer has done what was asked of it before.
public func waitForWriter(_ writer: any DatabaseWriter) {
    writer.writeWithoutTransaction { _ in }
}

extension DatabaseWriter {
    /// Executes statements in a transaction.
    public func execute(_ sql: String) throws {
        try write { try $0.execute(sql: sql) }
    }
}
