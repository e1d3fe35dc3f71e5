import GRDBQueries
import GRDBTestSupport
import Testing

@testable import GRDB

/// What is expected of the next access.
struct PredictionTests {
    /// Names that are looked for as rows and decoders do it.
    private final class Names {
        var prediction: Prediction<String>
        private(set) var searchCount = 0

        init(capacity: Int = 0) {
            prediction = Prediction(capacity: capacity)
        }

        deinit {
            prediction.deallocate()
        }

        func index(of name: String) -> Int {
            if let expected = prediction.expected, expected.pointee == name {
                prediction.advance()
                return prediction.position - 1
            }
            searchCount += 1
            let index = prediction.firstIndex { $0 == name } ?? prediction.append(name)
            prediction.advance(past: index)
            return index
        }

        /// The indexes of names in a new round, and how many of them had to be looked for.
        func round(_ names: [String]) -> ([Int], searchCount: Int) {
            prediction.restart()
            searchCount = 0
            return (names.map { index(of: $0) }, searchCount)
        }
    }

    /// Where nothing is guessed, everything is looked for.
    private func searches(_ count: Int, of total: Int) -> Int {
        FastPaths.areEnabled ? count : total
    }

    @Test(arguments: [0, 1, 16])
    func theSameOrderNeedsNoSearch(capacity: Int) {
        let names = Names(capacity: capacity)
        let columns = (0..<40).map { "column\($0)" }
        #expect(names.round(columns) == (Array(0..<40), 40))
        for _ in 0..<3 {
            #expect(names.round(columns) == (Array(0..<40), searches(0, of: 40)))
        }
        #expect(names.round([]) == ([], 0))
        #expect(names.round(Array(columns[..<7])) == (Array(0..<7), searches(0, of: 7)))
        expectEqual(names.prediction.count, 40)
    }

    @Test func otherOrdersAreFound() {
        let names = Names()
        #expect(names.round(["a", "b", "c", "d"]) == ([0, 1, 2, 3], 4))
        // Names that are left out cost one search; the following ones none.
        #expect(names.round(["a", "c", "d"]) == ([0, 2, 3], searches(1, of: 3)))
        #expect(names.round(["d", "c", "b", "a"]) == ([3, 2, 1, 0], 4))
        #expect(names.round(["b", "b", "c"]) == ([1, 1, 2], searches(2, of: 3)))
        #expect(names.round(["a", "e", "b"]) == ([0, 4, 1], searches(2, of: 3)))
        expectEqual(names.round(["a", "b", "c", "d", "e", "f"]).0, [0, 1, 2, 3, 4, 5])
    }

    @Test func accessesBeyondTheElementsExpectNothing() {
        var prediction = Prediction<Int>()
        defer { prediction.deallocate() }
        expectEqual(prediction.expected, nil)
        prediction.advance()
        expectEqual(prediction.position, 1)
        expectEqual(prediction.expected, nil)
        prediction.learn(10, at: 0, limit: 2)
        prediction.restart()
        expectEqual(prediction.expected?.pointee, (FastPaths.areEnabled ? 10 : nil))
        // There is no room for a gap, nor for more than the limit.
        prediction.learn(12, at: 2, limit: 3)
        expectEqual(prediction.count, 1)
        prediction.learn(11, at: 1, limit: 1)
        expectEqual(prediction.count, 1)
        prediction.learn(11, at: 1, limit: 2)
        prediction.learn(20, at: 0, limit: 0)
        expectEqual((0..<prediction.count).map { prediction[$0] }, [20, 11])
    }

    @Test func suspendedPredictionsExpectNothingUntilTheNextRound() {
        var prediction = Prediction<Int>(capacity: 2)
        defer { prediction.deallocate() }
        for number in 0..<3 { expectEqual(prediction.append(number), number) }
        prediction.suspend()
        expectTrue(prediction.isSuspended)
        expectEqual(prediction.expected, nil)
        expectEqual(prediction.firstIndex { $0 == 2 }, 2)
        prediction.restart()
        expectTrue(!prediction.isSuspended)
        prediction[1] = 7
        prediction.advance()
        expectEqual(prediction.expected?.pointee, (FastPaths.areEnabled ? 7 : nil))
    }

    /// The next element wins over a former one, and the first one over none.
    @Test func searchesStartAtTheNextElement() {
        var prediction = Prediction<String>()
        defer { prediction.deallocate() }
        for name in ["a", "b", "a", "c"] { prediction.append(name) }
        expectEqual(prediction.firstIndex { $0 == "a" }, 0)
        prediction.advance(past: 0)
        expectEqual(prediction.firstIndex { $0 == "a" }, 2)
        prediction.advance(past: 2)
        expectEqual(prediction.firstIndex { $0 == "a" }, 0)
        prediction.advance(past: 9)
        expectEqual(prediction.firstIndex { $0 == "c" }, 3)
        expectEqual(prediction.firstIndex { $0 == "d" }, nil)
    }

    @Test func elementsAreReleased() {
        final class Element {}
        weak var element: Element?
        var prediction = Prediction<Element>()
        do {
            let newElement = Element()
            element = newElement
            prediction.append(newElement)
        }
        for _ in 0..<20 { prediction.append(Element()) }
        expectTrue(element != nil)
        prediction.deallocate()
        expectNil(element)
    }

    // MARK: - What fast paths rely on

    @Test func layoutsAreThoseThatFastPathsRelyOn() {
        expectEqual(KeyIdentity.isReliable, FastPaths.areEnabled)
    }
}
