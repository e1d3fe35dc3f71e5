import GRDB
import GRDBTestSupport
import Testing

/// A cursor of the integers from 1 to 3 that has its own `forEach`.
private final class OwnCursor: Cursor {
    private(set) var nextCount = 0
    private(set) var forEachCount = 0
    private var last = 0

    func next() throws -> Int? {
        nextCount += 1
        if last == 3 { return nil }
        last += 1
        return last
    }

    func forEach(_ body: (Int) throws -> Void) throws {
        forEachCount += 1
        while last < 3 {
            last += 1
            try body(last)
        }
    }
}

/// A cursor of a statement that has its own `forEach`.
private final class OwnStatementCursor: DatabaseCursor {
    let _statement: Statement
    var _isDone = false
    private(set) var forEachCount = 0

    init(_ statement: Statement) {
        _statement = statement
    }

    func _element(sqliteStatement: SQLiteStatement) throws -> Int {
        Int.fromStatement(sqliteStatement, atUncheckedIndex: 0)!
    }

    func forEach(_ body: (Int) throws -> Void) throws {
        forEachCount += 1
        while let element = try next() { try body(element) }
    }
}

/// Cursors may know a faster way to all elements than `next()`.
@Suite(.databases) struct CursorForEachTests {
    /// - parameter nextCount: how many calls of `next()` remain.
    private func expect<Value: Equatable>(
        _ expected: Value, nextCount: Int = 0, line: Int = #line,
        _ body: (OwnCursor) throws -> Value
    ) throws {
        let cursor = OwnCursor()
        try expectEqual(body(cursor), expected, line: line)
        expectEqual(cursor.nextCount, nextCount, line: line)
        expectEqual(cursor.forEachCount, 1, line: line)
    }

    private func elements<C: Cursor>(_ cursor: C) throws -> [C.Element] {
        var elements: [C.Element] = []
        try cursor.forEach { elements.append($0) }
        return elements
    }

    @Test func collections() throws {
        try expect([1, 2, 3]) { try Array($0) }
        try expect([1, 2, 3]) { try Array($0, minimumCapacity: 10) }
        try expect([1, 2, 3]) { try ContiguousArray($0) }
        try expect([0, 1, 2, 3]) { cursor in
            var array = [0]
            try array.append(contentsOf: cursor)
            return array
        }
        try expect([1, 2, 3] as Set) { try Set($0) }
        try expect([1, 2, 3] as Set) { try Set($0, minimumCapacity: 10) }
        try expect([1, 2, 3, 9] as Set) { try Set([9]).union($0) }
        try expect([2] as Set) { try Set([2, 9]).intersection($0) }
        try expect([0: [2], 1: [1, 3]]) { try Dictionary(grouping: $0, by: { $0 % 2 }) }
        try expect([1: "1", 2: "2", 3: "3"]) {
            try Dictionary(uniqueKeysWithValues: $0.map { ($0, "\($0)") })
        }
    }

    @Test func derivedCursors() throws {
        try expect([2, 4, 6]) { try Array($0.map { $0 * 2 }) }
        try expect([2, 4, 6]) { try elements($0.map { $0 * 2 }) }
        try expect([2, 3]) { try Array($0.filter { $0 > 1 }) }
        try expect([2, 3]) { try elements($0.filter { $0 > 1 }) }
        try expect([1, 3]) { try Array($0.compactMap { $0 == 2 ? nil : $0 }) }
        try expect(["0 1", "1 2", "2 3"]) { try $0.enumerated().map { "\($0) \($1)" }.collect() }
        try expect(["0 1", "1 2", "2 3"]) { try Array($0.enumerated()).map { "\($0) \($1)" } }
        try expect(["0 1", "1 2", "2 3"]) { try elements($0.enumerated()).map { "\($0) \($1)" } }
        try expect([1, 1, 2, 2, 3, 3]) { try Array($0.flatMap { [$0, $0] }) }
        try expect([1, 1, 2, 2, 3, 3]) { try elements($0.flatMap { [$0, $0] }) }
        try expect([1, 2, 3]) { try Array(AnyCursor([$0]).joined()) }
        try expect([1, 2, 3]) { try elements(AnyCursor([$0]).joined()) }
        try expect([1, 2, 3]) { try Array(AnyCursor($0)) }
        try expect([1, 2, 3]) { try elements(AnyCursor($0)) }
        try expect([2, 3], nextCount: 1) { try Array($0.dropFirst()) }
        try expect([2, 3], nextCount: 1) { try elements($0.dropFirst()) }
        try expect([2, 3], nextCount: 2) { try Array($0.drop { $0 < 2 }) }
        try expect([2, 3], nextCount: 2) { try elements($0.drop { $0 < 2 }) }
        try expect([3], nextCount: 2) { cursor in
            let rest = cursor.dropFirst()
            try expectEqual(rest.next(), 2)
            return try Array(rest)
        }
    }

    @Test func reductions() throws {
        try expect(6) { try $0.reduce(0, +) }
        try expect(6) { try $0.reduce(into: 0) { $0 += $1 } }
        try expect([2, 3]) { try $0.suffix(2) }
        try expect([1, 2]) { try $0.dropLast() }
        try expect(3, nextCount: 1) { try $0.max() }
        try expect(1, nextCount: 1) { try $0.min() }
        try expect("1-2-3", nextCount: 0) { cursor in
            try Array(cursor.map { "\($0)" }).joined(separator: "-")
        }
    }

    @Test func statementCursors() throws {
        try TestDatabases.makeQueue().read { db in
            func cursor() throws -> OwnStatementCursor {
                try OwnStatementCursor(
                    db.makeStatement(sql: "SELECT column1 FROM (VALUES (1), (2), (3))"))
            }
            let first = try cursor()
            try expectEqual(Array(first), [1, 2, 3])
            expectEqual(first.forEachCount, 1)
            let second = try cursor()
            try expectEqual(Set(second.map { $0 % 2 }), [0, 1])
            expectEqual(second.forEachCount, 1)
        }
    }

    /// An inner cursor that has failed goes on, and so do the cursors after it.
    @Test func flattenedCursorsGoOnAfterAnError() throws {
        let cursor = RecordingCursor(count: 3).flatMap { element in
            RecordingCursor(count: 2, failingAt: element == 2 ? [1] : [])
        }
        var elements: [Int] = []
        expectError(CursorError(index: 1)) { try cursor.forEach { elements.append($0) } }
        expectEqual(elements, [1, 2])
        try cursor.forEach { elements.append($0) }
        expectEqual(elements, [1, 2, 2, 1, 2])
        try expectEqual(cursor.next(), nil)
    }

    @Test func anyCursorsGoOnAfterAnError() throws {
        let cursor = AnyCursor(RecordingCursor(count: 3, failingAt: [2]))
        var elements: [Int] = []
        expectError(CursorError(index: 2)) { try cursor.forEach { elements.append($0) } }
        try cursor.forEach { elements.append($0) }
        expectEqual(elements, [1, 3])
        try expectEqual(cursor.next(), nil)
        // A closure is freed when it ends, and not called again.
        let closure = AnyCursor<Int> { nil }
        try closure.forEach { _ in }
        try expectEqual(Array(closure), [])
    }
}

extension Cursor {
    fileprivate func collect() throws -> [Element] { try Array(self) }
}
