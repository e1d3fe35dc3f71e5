import Dispatch
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite struct LockedTests {
    @Test func excludesOtherThreads() {
        let counter = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 10_000) { _ in
            counter.withLock { $0 += 1 }
        }
        expectEqual(counter.withLock { $0 }, 10_000)
    }

    @Test func copiesShareTheValue() {
        let lock = Locked("a")
        let copy = lock
        copy.withLock { $0 += "b" }
        expectEqual(lock.withLock { $0 }, "ab")
    }

    @Test func unlocksWhenTheClosureThrows() {
        let lock = Locked(0)
        expectError(CancellationError.self) {
            try lock.withLock { value in
                value = 1
                throw CancellationError()
            }
        }
        expectEqual(lock.withLock { $0 }, 1)
    }

    @Test func keepsTypedErrors() {
        let lock = Locked(0)
        let failure: RawFailure
        do throws(RawFailure) {
            try lock.withLock { (_: inout Int) throws(RawFailure) in throw RawFailure(code: 5) }
            Issue.record("nothing thrown")
            return
        } catch {
            failure = error
        }
        expectEqual(failure.code, 5)
    }

    @Test func releasesTheValue() {
        final class Object {}
        weak var reference: Object?
        do {
            let object = Object()
            reference = object
            let lock = Locked(object)
            lock.withLock { #expect($0 === reference) }
        }
        expectNil(reference)
    }

    #if DEBUG && !canImport(Darwin)
    @Test func lockingTwiceTraps() async {
        await #expect(processExitsWith: .failure) {
            let lock = Locked(0)
            lock.withLock { _ in lock.withLock { $0 += 1 } }
        }
    }
    #endif
}
