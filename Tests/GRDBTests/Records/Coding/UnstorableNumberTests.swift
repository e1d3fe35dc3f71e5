import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Numbers that SQLite can't store: NaN, which is NULL for SQLite, and integers of more than 64 bits.
@Suite(.databases) struct UnstorableNumberTests {
    private struct Measure: Codable, FetchableRecord, PersistableRecord, Equatable {
        static let databaseTableName = "measure"
        var id: Int64
        var value: Double
        var single: Float
        var date: Date
        var optionalValue: Double?
        var optionalDate: Date?
        var wrapped: Wrapped
        var graphic: CGFloat = 1
        var ratio = Ratio(1)
        var raw = RawNumber(rawValue: 1)
        var optionalGraphic: CGFloat?
        var optionalRatio: Ratio?
        var optionalWrapped: Wrapped?

        /// Converts itself.
        struct Ratio: Codable, DatabaseValueConvertible, Equatable {
            var value: Double
            init(_ value: Double) { self.value = value }
            var databaseValue: DatabaseValue { value.databaseValue }
            static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Self? {
                Double.fromDatabaseValue(dbValue).map { Self($0) }
            }
        }

        struct RawNumber: RawRepresentable, Codable, DatabaseValueConvertible, Equatable {
            var rawValue: Double
        }

        struct Wrapped: Codable, Equatable {
            var value: Double

            init(_ value: Double) { self.value = value }

            init(from decoder: any Decoder) throws {
                value = try decoder.singleValueContainer().decode(Double.self)
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(value)
            }
        }

        init() {
            id = 1
            value = 1
            single = 1
            date = Date(timeIntervalSinceReferenceDate: 0)
            wrapped = Wrapped(1)
        }
    }

    @Test func notANumberIsRefusedWhereItCouldNotBeReadAgain() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE measure(
                        id INTEGER PRIMARY KEY, value, single, date, optionalValue, optionalDate,
                        wrapped, graphic, ratio, raw, optionalGraphic, optionalRatio,
                        optionalWrapped)
                    """)
            let changes: [(String, (inout Measure) -> Void)] = [
                ("value", { $0.value = .nan }),
                ("single", { $0.single = .signalingNaN }),
                ("date", { $0.date = Date(timeIntervalSinceReferenceDate: .nan) }),
                ("wrapped", { $0.wrapped = .init(.nan) }),
                ("graphic", { $0.graphic = .nan }),
                ("ratio", { $0.ratio = .init(.nan) }),
                ("raw", { $0.raw = .init(rawValue: .nan) }),
            ]
            // The first record teaches the encoder, the others use what it has learned.
            for round in 0..<2 {
                for (column, change) in changes {
                    var measure = Measure()
                    change(&measure)
                    let error = expectError(EncodingError.self) { try measure.insert(db) }
                    guard case .invalidValue(_, let context) = error else {
                        Issue.record("\(round) \(column)")
                        continue
                    }
                    expectEqual(context.codingPath.map(\.stringValue), [column])
                    expectError(EncodingError.self) { try measure.databaseDictionary }
                }
                try expectEqual(Measure.fetchCount(db), 0)
                var measure = Measure()
                measure.optionalValue = .nan
                measure.optionalDate = Date(timeIntervalSinceReferenceDate: .nan)
                measure.optionalGraphic = .nan
                measure.optionalRatio = .init(.nan)
                measure.optionalWrapped = .init(.nan)
                try measure.insert(db)
                let stored = try Measure.fetchOne(db)
                expectEqual(stored, Measure())
                measure.value = .infinity
                measure.wrapped = .init(-.infinity)
                measure.graphic = -.infinity
                measure.ratio = .init(.infinity)
                try measure.update(db)
                try expectEqual(Measure.fetchOne(db)?.value, .infinity)
                try Measure.deleteAll(db)
            }
        }
    }

    @Test func defaultsThatCanNotBeStoredAreErrors() throws {
        try TestDatabases.makeQueue().write { db in
            expectError(
                "SQLite error 20: value can't be stored in a database: 18446744073709551615"
            ) {
                try db.create(table: "t") { t in
                    t.column("a", .integer).defaults(to: UInt64.max)
                }
            }
            try expectTrue(!db.tableExists("t"))
            try db.create(table: "t") { t in
                t.column("a", .integer).defaults(to: UInt64(7))
            }
            try db.execute(sql: "INSERT INTO t DEFAULT VALUES")
            try expectEqual(Int.fetchOne(db, sql: "SELECT a FROM t"), 7)
        }
    }
}
