import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite struct StatementArgumentsTests {
    private struct NotConvertible: Hashable {}

    // MARK: - Literals

    /// If this fails, the compiler has another layout: literals still work, more slowly.
    @Test func elementsOfLiteralsHaveTheLayoutThatFastPathsRelyOn() {
        expectEqual(LiteralElement.hasKnownLayout, FastPaths.areEnabled)
    }

    @Test func literalsHoldWhatArraysHold() {
        enum Level: Int, DatabaseValueConvertible { case high = 3 }
        let elements: [(any DatabaseValueConvertible)?] = [
            1, "short", String(repeating: "long", count: 10), 2.5, nil, true, Int8(-3), UInt64(4),
            Float(0.5), Data([1, 2]), Date(timeIntervalSince1970: 0.125), UUID(), Level.high,
            Decimal(string: "1.25"), DatabaseValue.null, Int?.none, Int?.some(5), Int64.min, "",
        ]
        let literal: StatementArguments = [
            1, "short", String(repeating: "long", count: 10), 2.5, nil, true, Int8(-3), UInt64(4),
            Float(0.5), Data([1, 2]), Date(timeIntervalSince1970: 0.125), elements[11], Level.high,
            Decimal(string: "1.25"), DatabaseValue.null, Int?.none, Int?.some(5), Int64.min, "",
        ]
        expectEqual(literal, StatementArguments(elements))
        expectEqual(StatementArguments([(any DatabaseValueConvertible)?]()), [])
        let refused: StatementArguments = [1, Double.nan, UInt64.max]
        let array: [(any DatabaseValueConvertible)?] = [1, Double.nan, UInt64.max]
        expectError(DatabaseError.self) { try refused.checkValues(sql: "") }
        expectError(DatabaseError.self) { try StatementArguments(array).checkValues(sql: "") }
    }

    /// The values of such literals are converted when somebody asks for them.
    @Test func literalsOfPlainValues() throws {
        let literal: StatementArguments = [1, "a", 2.5, nil]
        let array = StatementArguments([1, "a", 2.5, nil] as [(any DatabaseValueConvertible)?])
        expectEqual(literal, array)
        expectEqual(literal.hashValue, array.hashValue)
        #expect(literal != [1, "a", 2.5])
        expectEqual(literal.description, array.description)
        expectEqual(literal.count, 4)

        var longer = literal
        longer += ["b"]
        expectEqual(longer, [1, "a", 2.5, nil, "b"])
        expectEqual(literal.count, 4)
        let preceded: StatementArguments = [0] + literal
        expectEqual(preceded, [0, 1, "a", 2.5, nil])
        expectEqual((literal + ["name": 3]).namedValues, [ExactText("name"): 3.databaseValue])

        var rest = literal
        let taken = try rest.takeValues(
            ofParameters: [nil, "name"], allowingRemainingValues: true)
        expectEqual(taken, [1, "a"])
        expectEqual(rest, [2.5, nil])
    }

    @Test func literalsOfPlainValuesAreBound() throws {
        try DatabaseQueue().inDatabase { db in
            let statement = try db.makeStatement(sql: "SELECT ?, ?, ?, ?")
            let arguments: StatementArguments = [1, "a", 2.5, nil]
            let values = [1.databaseValue, "a".databaseValue, 2.5.databaseValue, .null]
            try statement.setArguments(arguments)
            expectEqual(statement.arguments, arguments)
            try expectEqual(Array(Row.fetchOne(statement)!.databaseValues), values)
            statement.setUncheckedArguments([2, "b"])
            try expectEqual(
                Array(Row.fetchOne(statement)!.databaseValues),
                [2.databaseValue, "b".databaseValue, .null, .null])
            for wrong: StatementArguments in [[], [1], [1, 2, 3, 4, 5]] {
                expectError(DatabaseError.self) { try statement.setArguments(wrong) }
            }
            let named = try Row.fetchOne(
                db, sql: "SELECT ? AS a, :name AS b, ? AS c", arguments: [1, 2] + ["name": "x"])
            expectEqual(named, ["a": 1, "b": "x", "c": 2])
        }
    }

    // MARK: - Creating

    @Test func emptiness() {
        expectTrue(StatementArguments().isEmpty)
        expectTrue(([] as StatementArguments).isEmpty)
        expectTrue(([:] as StatementArguments).isEmpty)
        expectTrue(!([nil] as StatementArguments).isEmpty)
        expectTrue(!(["a": nil] as StatementArguments).isEmpty)
    }

    @Test func literals() {
        let array: StatementArguments = [1, "foo", nil, 1.5]
        expectEqual(array.values, [1.databaseValue, "foo".databaseValue, .null, 1.5.databaseValue])
        expectTrue(array.namedValues.isEmpty)

        let dictionary: StatementArguments = ["a": 1, "b": nil, "a": 2]
        expectTrue(dictionary.values.isEmpty)
        expectEqual(
            dictionary.namedValues, [ExactText("a"): 2.databaseValue, ExactText("b"): .null])
    }

    @Test func sequences() {
        expectEqual(StatementArguments(repeatElement(1, count: 2)), [1, 1])
        expectEqual(StatementArguments([1, nil] as [Int?]), [1, nil])
        let values: [(any DatabaseValueConvertible)?] = [1, "a", nil]
        expectEqual(StatementArguments(values), [1, "a", nil])
        expectEqual(
            StatementArguments(["a": 1] as [String: (any DatabaseValueConvertible)?]), ["a": 1])
        let pairs: [(String, (any DatabaseValueConvertible)?)] = [("a", 1), ("b", nil), ("a", 2)]
        expectEqual(StatementArguments(pairs), ["a": 2, "b": nil])
    }

    @Test func arraysOfAnything() {
        expectEqual(StatementArguments([1, "a", Int?.none as Any] as [Any]), [1, "a", nil])
        expectEqual(StatementArguments([1, NotConvertible()] as [Any]), nil)
    }

    @Test func dictionariesOfAnything() {
        expectEqual(
            StatementArguments(["a": 1, "b": "x"] as [AnyHashable: Any]), ["a": 1, "b": "x"])
        expectEqual(StatementArguments(["a": NotConvertible()] as [AnyHashable: Any]), nil)
        expectEqual(StatementArguments(["a": 1, 2: 3] as [AnyHashable: Any]), nil)
    }

    // MARK: - Combining

    @Test func plusConcatenatesValuesAndMergesNames() {
        expectEqual([1] + [2] as StatementArguments, [1, 2])
        expectEqual(["a": 1] + ["b": 2] as StatementArguments, ["a": 1, "b": 2])

        let mixed = [1] + ["a": 1] &+ [2] + ["b": 2] as StatementArguments
        expectEqual(mixed.values, [1.databaseValue, 2.databaseValue])
        expectEqual(
            mixed.namedValues, [ExactText("a"): 1.databaseValue, ExactText("b"): 2.databaseValue])

        var arguments: StatementArguments = ["a": 1]
        arguments += ["b": 2]
        expectEqual(arguments, ["a": 1, "b": 2])
    }

    @Test func overflowPlusReplacesNames() {
        expectEqual(["a": 1, "b": 2] &+ ["a": 3] as StatementArguments, ["a": 3, "b": 2])
    }

    @Test func plusTrapsOnANameThatHasAValueAlready() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = ["a": 1] + ["a": 1] as StatementArguments
        }
        let message = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
        expectEqual(message?.contains("already defined statement argument: a"), true)
    }

    @Test func plusAssignmentTrapsOnANameThatHasAValueAlready() async {
        await #expect(processExitsWith: .failure) {
            var arguments: StatementArguments = ["a": 1]
            arguments += ["b": 2, "a": 2]
        }
    }

    @Test func appendReturnsReplacedValues() {
        var arguments: StatementArguments = ["a": 1, "b": 2]
        expectEqual(arguments.append(contentsOf: ["a": 3, "c": 4]), ["a": 1.databaseValue])
        expectEqual(arguments, ["a": 3, "b": 2, "c": 4])
        expectEqual(arguments.append(contentsOf: [1]), [:])
        expectEqual(arguments, ["a": 3, "b": 2, "c": 4] + [1])

        var empty = StatementArguments()
        expectEqual(empty.append(contentsOf: ["a": 1]), [:])
        expectEqual(empty, ["a": 1])
    }

    // MARK: - Comparing and describing

    @Test func equalityIsThatOfDatabaseValues() {
        expectEqual([1] as StatementArguments, [1.0])
        expectEqual(([1] as StatementArguments).hashValue, ([1.0] as StatementArguments).hashValue)
        expectEqual(["a": 1, "b": 2] as StatementArguments, ["b": 2, "a": 1])
        #expect([1, 2] as StatementArguments != [2, 1])
        #expect(["a": 1] as StatementArguments != [1])
    }

    @Test func description() {
        expectEqual(StatementArguments().description, "[]")
        expectEqual(
            ([1, "foo", nil, Data([1]), 1.5] as StatementArguments).description,
            #"[1, "foo", NULL, Data(1 bytes), 1.5]"#)
        expectEqual(
            (["b": 1, "a": "x", "c": nil] as StatementArguments).description,
            #"["a": "x", "b": 1, "c": NULL]"#)
        expectEqual(([1, 2] + ["a": "x"] as StatementArguments).description, #"["a": "x", 1, 2]"#)
    }

    // MARK: - Binding

    private func bindings(
        _ arguments: StatementArguments, for names: [String?], allowingRemainingValues: Bool = false
    ) throws -> StatementArguments {
        var arguments = arguments
        return try arguments.takeValues(
            ofParameters: names, allowingRemainingValues: allowingRemainingValues,
            sql: "SQL")
    }

    @Test func positionalValuesFillAllParameters() throws {
        try expectEqual(bindings([], for: []), [])
        try expectEqual(bindings([1, 2], for: [nil, nil]), [1, 2])
        try expectEqual(bindings([1, 2], for: ["a", "b"]), [1, 2])
        try expectEqual(bindings(["x", "y", "z"], for: [nil, nil, "3"]), ["x", "y", "z"])
    }

    @Test func namedValuesFillTheirParameters() throws {
        try expectEqual(bindings(["b": 2, "a": 1], for: ["a", "b"]), [1, 2])
        try expectEqual(bindings(["a": 1], for: ["a", "a"]), [1, 1])
        try expectEqual(bindings(["a": nil], for: ["a"]), [nil])
        try expectEqual(bindings(["1": "x"], for: ["1"]), ["x"])
    }

    @Test func positionalValuesFillWhatNamedValuesLeave() throws {
        try expectEqual(bindings([1, 2] + ["a": "x"], for: [nil, "a", nil]), [1, "x", 2])
        try expectEqual(
            bindings([1, 2, "bar"] + ["foo": "foo"], for: ["1", "2", "foo", "bar"]),
            [1, 2, "foo", "bar"])
    }

    @Test func unusedNamesAreIgnored() throws {
        try expectEqual(bindings(["a": 1, "b": 2], for: ["a"]), [1])
        try expectEqual(bindings(["b": 2], for: []), [])
    }

    @Test(
        arguments: [
            ([1], [nil, nil], "wrong number of statement arguments: 1, expected 2"),
            ([], [nil], "wrong number of statement arguments: 0, expected 1"),
            ([1, 2], [nil], "wrong number of statement arguments: 2, expected 1"),
            ([1], [], "wrong number of statement arguments: 1, expected 0"),
            (["a": 1], ["a", "b"], "missing statement argument: b"),
            ([], ["a", "b"], "missing statement argument: a"),
            (["a": 1], [nil], "wrong number of statement arguments: 0, expected 1"),
            (
                [1] + ["a": 1], [nil, "a", nil],
                "wrong number of statement arguments: 1, expected 2"
            ),
            ([1, 2], [nil, "a", nil], "wrong number of statement arguments: 2, expected 3"),
            ([1, 2] + ["a": 1], [nil, "a"], "wrong number of statement arguments: 2, expected 1"),
            (["A": 1], ["a"], "missing statement argument: a"),
            ([":a": 1], ["a"], "missing statement argument: a"),
            (["a"], ["1", "2"], "missing statement argument: 2"),
        ] as [(StatementArguments, [String?], String)])
    func argumentsThatDoNotFitAreMisuse(
        arguments: StatementArguments, names: [String?], message: String
    ) {
        let error = expectError(DatabaseError.self) {
            try bindings(arguments, for: names)
        }
        expectEqual(error?.extendedResultCode, .SQLITE_MISUSE)
        expectEqual(error?.message, message)
        expectEqual(error?.sql, "SQL")
        expectEqual(error?.arguments, nil)
    }

    @Test func extractionConsumesPositionalValuesAndKeepsNamedOnes() throws {
        var arguments: StatementArguments = [1, 2, 3] + ["x": "X"]
        let first = try arguments.takeValues(
            ofParameters: [nil, nil], allowingRemainingValues: true)
        expectEqual(first, [1, 2])
        let second = try arguments.takeValues(
            ofParameters: ["x"], allowingRemainingValues: true)
        expectEqual(second, ["X"])
        expectEqual(arguments, [3] + ["x": "X"])
        let third = try arguments.takeValues(
            ofParameters: [nil, "x"], allowingRemainingValues: false)
        expectEqual(third, [3, "X"])
        expectEqual(arguments, ["x": "X"])
    }

    @Test func failedExtractionChangesNothing() {
        var arguments: StatementArguments = [1, 2]
        expectError(DatabaseError.self) {
            try arguments.takeValues(
                ofParameters: [nil, nil, nil], allowingRemainingValues: true)
        }
        expectEqual(arguments, [1, 2])
        expectError(DatabaseError.self) {
            try arguments.takeValues(
                ofParameters: [nil], allowingRemainingValues: false)
        }
        expectEqual(arguments, [1, 2])
    }

    /// Programs that print arguments mirror them.
    @Test func mirrors() throws {
        let positional = Mirror(reflecting: [1, "a", nil] as StatementArguments).children
        let values = positional.first { $0.label == "values" }?.value as? [DatabaseValue]
        expectEqual(values, [1.databaseValue, "a".databaseValue, .null])
        let named = Mirror(reflecting: ["n": 1] as StatementArguments).children
        let namedValues =
            named.first { $0.label == "namedValues" }?.value as? [String: DatabaseValue]
        expectEqual(namedValues, ["n": 1.databaseValue])
        expectEqual(positional.prefix(2).map(\.label), ["values", "namedValues"])
    }
}
