import GRDB

struct CursorError: Error, Equatable {
    var index = 0
}

/// A cursor of the integers from 1, which records how often it was asked for an element, and that
/// throws errors in the place of some elements.
final class RecordingCursor: Cursor {
    private(set) var nextCount = 0
    private let count: Int
    private let failures: Set<Int>

    init(count: Int, failingAt failures: Set<Int> = []) {
        self.count = count
        self.failures = failures
    }

    func next() throws -> Int? {
        nextCount += 1
        if failures.contains(nextCount) { throw CursorError(index: nextCount) }
        return nextCount <= count ? nextCount : nil
    }
}

extension Cursor {
    /// The results of the next calls of `next()`.
    func outcomes(_ count: Int) -> [String] {
        (0..<count).map { _ in
            do {
                return try next().map { "\($0)" } ?? "nil"
            } catch let error as CursorError {
                return "error \(error.index)"
            } catch {
                return "\(error)"
            }
        }
    }
}
