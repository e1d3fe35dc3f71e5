import GRDB
import GRDBTestSupport
import Testing

@Suite struct MapCursorTests {
    @Test func isLazy() throws {
        let base = RecordingCursor(count: 3)
        var transformed: [Int] = []
        let cursor = base.map { element in
            transformed.append(element)
            return element * 10
        }
        expectEqual(base.nextCount, 0)
        try expectEqual(cursor.next(), 10)
        expectEqual(base.nextCount, 1)
        expectEqual(transformed, [1])
        try expectEqual(Array(cursor), [20, 30])
        try expectEqual(cursor.next(), nil)
    }

    @Test func errorLosesOneElement() {
        let cursor = RecordingCursor(count: 4, failingAt: [3]).map { element in
            if element == 2 { throw CursorError(index: -element) }
            return "<\(element)>"
        }
        expectEqual(cursor.outcomes(6), ["<1>", "error -2", "error 3", "<4>", "nil", "nil"])
    }

    @Test func forEachTransforms() throws {
        var elements: [String] = []
        try RecordingCursor(count: 2).map { "\($0)" }.forEach { elements.append($0) }
        expectEqual(elements, ["1", "2"])
    }

    @Test func compactMapDropsNil() throws {
        let cursor = RecordingCursor(count: 4).compactMap { $0.isMultiple(of: 2) ? "\($0)" : nil }
        try expectEqual(Array(cursor), ["2", "4"])
        // Only the outermost optional counts.
        let optionals = RecordingCursor(count: 3).compactMap { element -> Int?? in
            switch element {
            case 1: .some(.some(1))
            case 2: .some(.none)
            default: .none
            }
        }
        try expectEqual(Array(optionals), [1, nil])
    }
}
