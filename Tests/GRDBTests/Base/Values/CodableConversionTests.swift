import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

private struct Color: Codable, Equatable, DatabaseValueConvertible {
    var red: Double
    var green: Double
    var date: Date?
    var data: Data?
}

/// A single value, however it is wrapped.
private struct Wrapper<Value: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }

    init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Value.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension Wrapper: SQLExpressible, StatementBinding, DatabaseValueConvertible {}

private struct Unkeyed: Codable, Equatable, DatabaseValueConvertible {
    var values: [Int]

    init(values: [Int]) {
        self.values = values
    }

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        values = []
        while !container.isAtEnd {
            values.append(try container.decode(Int.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for value in values {
            try container.encode(value)
        }
    }
}

private struct Empty: Codable, Equatable, DatabaseValueConvertible {}

private struct Nothing: Encodable, DatabaseValueConvertible {
    func encode(to encoder: any Encoder) {}
    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Nothing? { nil }
}

private enum Shape: Codable, Equatable, DatabaseValueConvertible {
    case point
    case circle(radius: Double)
}

/// Tries an object first, then a string.
private enum NameOrObject: Codable, Equatable, DatabaseValueConvertible {
    case name(String)
    case object([String: Int])

    init(from decoder: any Decoder) throws {
        if let object = try? [String: Int](from: decoder) {
            self = .object(object)
        } else {
            self = .name(try decoder.singleValueContainer().decode(String.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .name(let name): try name.encode(to: encoder)
        case .object(let object): try object.encode(to: encoder)
        }
    }
}

private struct Snake: Codable, Equatable, DatabaseValueConvertible {
    var firstName: String
    var when: Date

    static func databaseJSONEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.outputFormatting = .sortedKeys
        return encoder
    }

    static func databaseJSONDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .secondsSince1970
        return decoder
    }
}

private struct Custom: Codable, Equatable, DatabaseValueConvertible {
    var name: String

    var databaseValue: DatabaseValue { "custom \(name)".databaseValue }

    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Custom? {
        String.fromDatabaseValue(dbValue).map { Custom(name: String($0.dropFirst(7))) }
    }
}

private final class Reference: Codable, DatabaseValueConvertible {
    var name: String

    init(name: String) {
        self.name = name
    }
}

@Suite(.databases) struct CodableConversionTests {
    private func expectStored<Value: DatabaseValueConvertible & Equatable>(
        _ value: Value, as storage: DatabaseValue.Storage, line: Int = #line
    ) throws {
        expectEqual(value.databaseValue.storage, storage, line: line)
        try expectEqual(boundValue(value).storage, storage, line: line)
        expectEqual(Value.fromDatabaseValue(value.databaseValue), value, line: line)
    }

    @Test func objectsAreJSON() throws {
        let color = Color(
            red: 1, green: 0.5, date: Date(timeIntervalSince1970: 1.5), data: Data([1, 2]))
        try expectStored(
            color, as: .string(#"{"data":"AQI=","date":1500,"green":0.5,"red":1}"#))
    }

    @Test func arraysAreJSON() throws {
        try expectStored(Unkeyed(values: [1, 2]), as: .string("[1,2]"))
        try expectStored(Unkeyed(values: []), as: .string("[]"))
        try expectStored(Wrapper([1, 2]), as: .string("[1,2]"))
        try expectStored(Wrapper(["b": 2, "a": 1]), as: .string(#"{"a":1,"b":2}"#))
        try expectStored(Empty(), as: .string("{}"))
    }

    @Test func enumsAreJSON() throws {
        try expectStored(Shape.point, as: .string(#"{"point":{}}"#))
        try expectStored(Shape.circle(radius: 2), as: .string(#"{"circle":{"radius":2}}"#))
    }

    @Test func singleValuesAreNotJSON() throws {
        try expectStored(Wrapper("a\"b"), as: .string("a\"b"))
        try expectStored(Wrapper("1"), as: .string("1"))
        try expectStored(Wrapper("[1]"), as: .string("[1]"))
        try expectStored(Wrapper(3), as: .int64(3))
        try expectStored(Wrapper(Int8(3)), as: .int64(3))
        try expectStored(Wrapper(UInt64(3)), as: .int64(3))
        try expectStored(Wrapper(true), as: .int64(1))
        try expectStored(Wrapper(1.5), as: .double(1.5))
        try expectStored(Wrapper(Float(1.5)), as: .double(1.5))
        try expectStored(Wrapper(Data([1, 2])), as: .blob(Data([1, 2])))
        try expectStored(
            Wrapper(Date(timeIntervalSince1970: 1.5)), as: .string("1970-01-01 00:00:01.500"))
        let uuid = UUID()
        try expectStored(Wrapper(uuid), as: uuid.databaseValue.storage)
        try expectStored(Wrapper(Decimal(string: "1.1")!), as: .string("1.1"))
        try expectStored(Wrapper(URL(string: "http://a/b")!), as: .string("http://a/b"))
    }

    @Test func nestedWrappers() throws {
        try expectStored(Wrapper(Wrapper(3)), as: .int64(3))
        try expectStored(Wrapper(Wrapper(["a"])), as: .string(#"["a"]"#))
        try expectStored(
            Wrapper(Color(red: 1, green: 2)), as: .string(#"{"green":2,"red":1}"#))
    }

    @Test func nilIsNull() throws {
        try expectStored(Wrapper(Int?.none), as: .null)
        try expectStored(Wrapper(Int?.some(1)), as: .int64(1))
    }

    @Test func decodingFailures() {
        expectEqual(Color.fromDatabaseValue(.null), nil)
        expectEqual(Color.fromDatabaseValue(1.databaseValue), nil)
        expectEqual(Color.fromDatabaseValue("{\"red\":1}".databaseValue), nil)
        expectEqual(Color.fromDatabaseValue("[1]".databaseValue), nil)
        expectEqual(Color.fromDatabaseValue("".databaseValue), nil)
        expectEqual(Color.fromDatabaseValue("abc".databaseValue), nil)
        expectNil(Wrapper<String>.fromDatabaseValue(1.databaseValue))
        expectNil(Wrapper<Int>.fromDatabaseValue("3".databaseValue))
        expectNil(Wrapper<Int>.fromDatabaseValue(.null))
        expectNil(Wrapper<Int8>.fromDatabaseValue(300.databaseValue))
        expectNil(Wrapper<[Int]>.fromDatabaseValue("[\"a\"]".databaseValue))
    }

    @Test func decodesBlobs() {
        let json = Data(#"{"red":1,"green":2}"#.utf8)
        expectEqual(Color.fromDatabaseValue(json.databaseValue), Color(red: 1, green: 2))
        expectEqual(
            Wrapper<String>.fromDatabaseValue(Data("foo".utf8).databaseValue), Wrapper("foo"))
    }

    @Test func valuesThatTrySeveralContainers() throws {
        try expectStored(NameOrObject.name("foo"), as: .string("foo"))
        try expectStored(NameOrObject.object(["a": 1]), as: .string(#"{"a":1}"#))
    }

    @Test func customCoders() throws {
        try expectStored(
            Snake(firstName: "A", when: Date(timeIntervalSince1970: 1.5)),
            as: .string(#"{"first_name":"A","when":1.5}"#))
    }

    @Test func classes() {
        let value = Reference(name: "a")
        expectEqual(value.databaseValue.storage, .string(#"{"name":"a"}"#))
        expectEqual(Reference.fromDatabaseValue(value.databaseValue)?.name, "a")
    }

    @Test func optionals() throws {
        let color = Color(red: 1, green: 2)
        try expectTrue(boundValue(Color?.none).isNull)
        try expectEqual(boundValue(Color?.some(color)), color.databaseValue)
        expectEqual(Color?.fromDatabaseValue(.null), .some(nil))
        expectEqual(Color?.fromDatabaseValue(color.databaseValue), .some(color))
        expectEqual(Color?.fromDatabaseValue("x".databaseValue), .none)
    }

    @Test func customConversionsWin() throws {
        try expectStored(Custom(name: "a"), as: .string("custom a"))
    }

    @Test func wrappedIntegersOf128Bits() throws {
        if #available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *) {
            try expectStored(Wrapper(Int128(-5)), as: .int64(-5))
            try expectStored(Wrapper(UInt128(5)), as: .int64(5))
            expectEqual(Wrapper<UInt128>.fromDatabaseValue((-1).databaseValue), nil)
            expectEqual(Wrapper(Int128.max)._storableDatabaseValue, nil)
        }
    }

    /// `fromDatabaseValue` can't throw.
    @Test(arguments: [#"{"red":1}"#, #"{"red":"#, "[]"])
    func errorsShowWhyJSONCanNotBeDecoded(json: String) throws {
        let jsonError = expectError((any Error).self) {
            try Color.databaseJSONDecoder().decode(Color.self, from: Data(json.utf8))
        }
        let reason = try ": \(unwrap(jsonError)) - column: "
        try TestDatabases.makeQueue().write { db in
            let row = try unwrap(Row.fetchOne(db, sql: "SELECT ? AS a", arguments: [json]))
            for fetch in [
                { _ = try Color.fetchOne(db, sql: "SELECT ?", arguments: [json]) },
                { _ = try Color?.fetchAll(db, sql: "SELECT ?", arguments: [json]) },
                { _ = try row.decode(Color.self, forColumn: "a") },
            ] as [() throws -> Void] {
                let error = try unwrap(#expect(throws: RowDecodingError.self) { try fetch() })
                expectTrue("\(error)".hasPrefix("could not decode "))
                expectTrue("\(error)".contains(reason))
            }
            // Errors that are not about JSON show no reason.
            let error = try unwrap(
                #expect(throws: RowDecodingError.self) {
                    try row.decode(Int.self, forColumn: "a")
                })
            expectTrue(!"\(error)".contains(": - ") && !"\(error)".contains("DecodingError"))
        }
    }

    @Test func encodingFailuresTrap() async {
        await #expect(processExitsWith: .failure) {
            _ = Color(red: .nan, green: 0).databaseValue
        }
        await #expect(processExitsWith: .failure) {
            _ = Wrapper(UInt64.max).databaseValue
        }
        await #expect(processExitsWith: .failure) {
            _ = Nothing().databaseValue
        }
    }
}
