import Foundation
import GRDB

/// Prints at once: what comes after may crash.
func printLine(_ line: String) {
    print(line)
    fflush(nil)
}

/// Prints an object of one line.
func report<T: Encodable>(_ kind: String, _ value: T) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    let data = (try? encoder.encode(value)) ?? Data()
    printLine("\(kind) \(String(decoding: data, as: UTF8.self))")
}

struct Failed: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}

func check(_ condition: Bool, _ description: @autoclosure () -> String) throws {
    if !condition { throw Failed(description()) }
}

/// A value that threads share.
///
/// `@unchecked Sendable`: the value is only touched under the lock.
final class Shared<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var storage: Value

    init(_ value: Value) { storage = value }

    var value: Value { lock.withLock { storage } }

    func update<T>(_ body: (inout Value) throws -> T) rethrows -> T {
        try lock.withLock { try body(&storage) }
    }
}

/// The same sequence of numbers for the same seed.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
