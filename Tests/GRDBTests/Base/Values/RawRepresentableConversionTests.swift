import GRDBTestSupport
import Testing

@testable import GRDB

private enum Grape: String {
    case chardonnay, merlot, riesling
}

private enum Color: Int {
    case red, white, rose
}

private enum CodableGrape: String, Codable {
    case chardonnay, merlot, riesling
}

private struct Flags: OptionSet, Codable {
    var rawValue: UInt8
}

private enum Custom: Int, Codable, DatabaseValueConvertible {
    case one = 1

    var databaseValue: DatabaseValue { "one".databaseValue }

    static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Custom? {
        dbValue == "one".databaseValue ? .one : nil
    }
}

// Empty conformances must compile.
extension Grape: DatabaseValueConvertible {}
extension Color: DatabaseValueConvertible, StatementColumnConvertible {}
extension CodableGrape: DatabaseValueConvertible, StatementColumnConvertible {}
extension Flags: DatabaseValueConvertible {}

/// Like the wrappers that libraries provide.
private struct Tagged<Tag, RawValue>: RawRepresentable {
    var rawValue: RawValue
}

extension Tagged: SQLExpressible where RawValue: SQLExpressible {}
extension Tagged: StatementBinding where RawValue: StatementBinding {}
extension Tagged: StatementColumnConvertible where RawValue: StatementColumnConvertible {}
extension Tagged: DatabaseValueConvertible where RawValue: DatabaseValueConvertible {}
extension Tagged: Equatable where RawValue: Equatable {}
extension Tagged: Encodable where RawValue: Encodable {}
extension Tagged: Decodable where RawValue: Decodable {}

@Suite struct RawRepresentableConversionTests {
    @Test func areStoredLikeTheirRawValue() throws {
        expectEqual(Grape.merlot.databaseValue.storage, .string("merlot"))
        try expectEqual(boundValue(Grape.merlot).storage, .string("merlot"))
        expectEqual(Color.rose.databaseValue.storage, .int64(2))
        try expectEqual(boundValue(Color.rose).storage, .int64(2))
        expectEqual(Flags(rawValue: 5).databaseValue.storage, .int64(5))
    }

    @Test func rawValueWinsOverCodable() throws {
        expectEqual(CodableGrape.merlot.databaseValue.storage, .string("merlot"))
        try expectEqual(boundValue(CodableGrape.merlot).storage, .string("merlot"))
        try expectEqual(copiedColumn("'merlot'"), CodableGrape.merlot)
        try expectEqual(copiedColumn("'\"merlot\"'", as: CodableGrape.self), nil)
        try expectEqual(copiedColumn("5"), Flags(rawValue: 5))
    }

    @Test func decoding() throws {
        try expectEqual(copiedColumn("'merlot'"), Grape.merlot)
        try expectEqual(copiedColumn("'syrah'", as: Grape.self), nil)
        try expectEqual(copiedColumn("NULL", as: Grape.self), nil)
        try expectEqual(copiedColumn("1", as: Grape.self), nil)
        try expectEqual(copiedColumn("2"), Color.rose)
        try expectEqual(copiedColumn("3", as: Color.self), nil)
    }

    @Test func liveDecoding() throws {
        try expectEqual(column("2"), Color.rose)
        try expectEqual(column("3", as: Color.self), nil)
        try expectEqual(column("NULL", as: Color.self), nil)
        try expectEqual(column("'merlot'"), CodableGrape.merlot)
        try withColumn("1") { expectEqual(Color(sqliteStatement: $0, index: 0), .white) }
        try withColumn("'1x'") { expectEqual(Color(sqliteStatement: $0, index: 0), nil) }
    }

    @Test func optionals() throws {
        try expectEqual(copiedColumn("NULL", as: Grape?.self), .some(nil))
        try expectEqual(copiedColumn("'merlot'", as: Grape?.self), .some(.merlot))
        try expectEqual(copiedColumn("'syrah'", as: Grape?.self), .none)
        try expectTrue(boundValue(Grape?.none).isNull)
    }

    @Test func customConversionsWin() throws {
        try expectEqual(boundValue(Custom.one).storage, .string("one"))
        try expectEqual(copiedColumn("'one'"), Custom.one)
        try expectEqual(copiedColumn("1", as: Custom.self), nil)
    }

    private struct Serial: RawRepresentable, DatabaseValueConvertible {
        var rawValue: UInt64
    }

    private struct CodableSerial: RawRepresentable, Codable, DatabaseValueConvertible {
        var rawValue: UInt64
    }

    /// Stored as text, whatever its raw value is.
    private struct TextSerial: RawRepresentable, DatabaseValueConvertible {
        var rawValue: UInt64
        var databaseValue: DatabaseValue { "\(rawValue)".databaseValue }
    }

    private struct Unencodable: Codable, DatabaseValueConvertible {
        var number = Double.nan
    }

    @Test func valuesThatCanNotBeStoredThrow() throws {
        let values: [any DatabaseValueConvertible] = [
            Serial(rawValue: .max), CodableSerial(rawValue: .max), Unencodable(),
            Serial?.some(Serial(rawValue: .max)),
        ]
        try DatabaseQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a)")
            for value in values {
                expectEqual(value._storableDatabaseValue, nil)
                let tooBig = UnexpectedResultCode(code: 18)
                expectError(tooBig) { try boundValue(value) }
                for run in [
                    { try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [value]) },
                    { try db.execute(literal: "INSERT INTO t VALUES (\(value))") },
                ] {
                    let error = expectError(DatabaseError.self) { try run() }
                    expectEqual(error?.resultCode, .SQLITE_TOOBIG)
                }
            }
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 0)
        }
        try expectEqual(boundValue(Serial(rawValue: 1)).storage, .int64(1))
        try expectEqual(boundValue(TextSerial(rawValue: .max)).storage, .string("\(UInt64.max)"))
    }

    @Test func valuesThatCanNotBeStoredTrapWhereNothingCanThrow() async {
        await #expect(processExitsWith: .failure) {
            _ = Serial(rawValue: .max).databaseValue
        }
    }

    @Test func taggedValues() throws {
        typealias ID = Tagged<Grape, Int64>
        try expectRoundTrip(ID(rawValue: 12))
        try expectRoundTrip(Tagged<Grape, String>(rawValue: "x"))
        expectEqual(ID(rawValue: 12).databaseValue.storage, .int64(12))
        // Not with the raw initializer of Int64, which would read zero.
        try expectEqual(column("'abc'", as: ID.self), nil)
    }
}
