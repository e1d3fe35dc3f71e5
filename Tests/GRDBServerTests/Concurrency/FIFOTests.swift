import GRDBTestSupport
import Testing

@testable import GRDBServer

@Suite struct FIFOTests {
    @Test func elementsAreRemovedInTheOrderInWhichTheyWereAppended() {
        var list = FIFO<Int>()
        var (appended, removed) = (0, 0)
        // The list grows beyond the length at which gaps are closed, and is emptied several times.
        for (appends, removals) in [(1, 1), (2000, 1300), (600, 1300), (0, 1), (700, 700)] {
            for _ in 0..<appends {
                list.append(appended)
                appended += 1
            }
            for _ in 0..<removals {
                let expected = removed < appended ? removed : nil
                expectEqual(list.isEmpty, expected == nil)
                expectEqual(list.first, expected)
                expectEqual(list.popFirst(), expected)
                if expected != nil { removed += 1 }
            }
        }
        expectEqual(removed, 3301)
        expectEqual(list.isEmpty, true)
    }

    @Test func removedElementsAreReleased() {
        final class Object {}
        var list = FIFO<Object>()
        weak var released: Object?
        do {
            let object = Object()
            released = object
            list.append(object)
            list.append(Object())
        }
        expectEqual(released != nil, true)
        _ = list.popFirst()
        expectEqual(released == nil, true)
    }
}
