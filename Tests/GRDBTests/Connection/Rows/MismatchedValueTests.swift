import GRDBChanges
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Values of other types, which are errors, or are converted if the configuration asks for it.
@Suite(.databases) struct MismatchedValueTests {
    private func makeQueue(converts: Bool = true) throws -> DatabaseQueue {
        var configuration = TestDatabases.makeConfiguration()
        configuration.convertsMismatchedValues = converts
        return try TestDatabases.makeQueue(.memory, configuration)
    }

    private enum Level: Int, Codable, DatabaseValueConvertible, StatementColumnConvertible {
        case low, high
    }
    private enum Name: String, Codable, DatabaseValueConvertible, StatementColumnConvertible {
        case ada
    }
    /// Without a fast path.
    private enum Slow: Int, Codable, DatabaseValueConvertible { case zero, one }

    private struct Box<Value: Codable & Sendable>: Codable, FetchableRecord {
        var x: Value
    }

    private struct OptionalBox<Value: Codable & Sendable>: Codable, FetchableRecord {
        var x: Value?
    }

    /// A type without a fast path.
    private struct Wrapped<Value: Codable & Sendable>: Codable, Sendable {
        var value: Value

        init(from decoder: any Decoder) throws {
            value = try decoder.singleValueContainer().decode(Value.self)
        }
    }

    /// All the ways to read the value of an SQL literal.
    private func values<Value>(
        _ db: Database, _ type: Value.Type, _ literal: String
    ) throws -> [Value]
    where Value: DatabaseValueConvertible & StatementColumnConvertible & Codable & Sendable {
        let sql = "SELECT \(literal) AS x"
        let copied = try unwrap(Row.fetchOne(db, sql: sql))
        let cursor = try Row.fetchCursor(db, sql: sql)
        let live = try unwrap(cursor.next())
        let statement = try db.makeStatement(sql: sql)
        var values: [Value] = try [
            live[0], live["x"], live[Column("x")], live.decode(atIndex: 0),
            live.decode(forColumn: "x"), live.decode(Value?.self, forColumn: "x")!,
            copied[0], copied["x"], copied[Column("x")], copied.decode(atIndex: 0),
            copied.decode(forColumn: "x"), copied.decode(Value?.self, forColumn: "x")!,
            live.copy()["x"], Box<Value>(row: live).x, Box<Value>(row: copied).x,
            OptionalBox<Value>(row: live).x!, OptionalBox<Value>(row: copied).x!,
            Box<Wrapped<Value>>(row: live).x.value, Box<Wrapped<Value>>(row: copied).x.value,
        ]
        values += try Value.fetchAll(statement)
        values += try Array(Value.fetchCursor(statement))
        values += try Value?.fetchAll(statement).map { $0! }
        values += [try Value.fetchOne(statement)!]
        values += try Box<Value>.fetchAll(statement).map(\.x)
        values += try [Box<Value>.fetchOne(statement)!.x]
        // As a type that is not known to read columns.
        func slowly<Slow: DatabaseValueConvertible>(_ type: Slow.Type) throws -> [Slow] {
            try Slow.fetchAll(statement) + [Slow.fetchOne(statement)!, live["x"], copied["x"]]
        }
        values += try slowly(Value.self)
        return values
    }

    @Test func everyWayOfReadingConverts() throws {
        try makeQueue().read { db throws in
            try expectEqual(Set(values(db, Int.self, "'12 apples'")), [12])
            try expectEqual(Set(values(db, Int.self, "'apples'")), [0])
            try expectEqual(Set(values(db, Int8.self, "x'3132'")), [12])
            try expectEqual(Set(values(db, UInt64.self, "''")), [0])
            try expectEqual(Set(values(db, Double.self, "'-1.5e1m'")), [-15])
            try expectEqual(Set(values(db, Float.self, "x'ff'")), [0])
            try expectEqual(Set(values(db, Bool.self, "'0.5 yes'")), [true])
            try expectEqual(Set(values(db, Bool.self, "'true'")), [false])
            try expectEqual(Set(values(db, String.self, "x'41ff42'")), ["A\u{FFFD}B"])
            try expectEqual(Set(values(db, Level.self, "'1st'")), [.high])
            try expectEqual(Set(values(db, Name.self, "x'616461'")), [.ada])
            try expectEqual(Set(values(db, Decimal.self, "'12.30 kg'")), [Decimal(string: "12.3")!])
            try expectEqual(Set(values(db, Decimal.self, "x'ff'")), [0])
            try expectEqual(Set(values(db, Int.self, "CAST('7' AS TEXT)")), [7])
            try expectEqual(Slow.fetchAll(db, sql: "SELECT 'x'"), [.zero])
            try expectEqual(Box<Slow>.fetchOne(db, sql: "SELECT '1x' AS x")?.x, .one)
        }
    }

    /// The same in a pool, whose readers have the configuration as well.
    @Test func readersOfAPoolConvert() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.convertsMismatchedValues = true
        let dbPool = try TestDatabases.makePool(configuration)
        try expectEqual(dbPool.read { try Int.fetchOne($0, sql: "SELECT 'x'") }, 0)
        let snapshot = try dbPool.makeSnapshot()
        try expectEqual(snapshot.read { try Int.fetchOne($0, sql: "SELECT 'x'") }, 0)
    }

    /// What SQLite's own functions read.
    @Test(arguments: [
        "abc", "12abc", " 7 ", "\t-7x", "+5", "-", "+", ".", "1.", ".5", "-.5e", "1.9x", "0.5",
        "1e3x", "1e", "1e+", "1e-2x", "99999999999999999999", "-99999999999999999999x",
        "9223372036854775807x", "-9223372036854775808x", "1e400x", "0x10", "inf", "nan", "", " ",
        "1_000", "--1", "1 2", "\u{FF11}", "7\u{0}8",
    ])
    func numbersAreThoseOfSQLite(text: String) throws {
        try makeQueue().read { db throws in
            for argument: any DatabaseValueConvertible in [text, Data(text.utf8)] {
                let arguments: StatementArguments = [argument]
                let cast = try unwrap(
                    Row.fetchOne(
                        db,
                        sql: "SELECT CAST(?1 AS INTEGER), CAST(?1 AS REAL)", arguments: arguments))
                let statement = try db.makeStatement(sql: "SELECT ?")
                statement.arguments = arguments
                try expectEqual(Int64.fetchOne(statement), cast[0])
                try expectEqual(Double.fetchOne(statement), cast[1])
                let row = try unwrap(Row.fetchOne(statement))
                expectEqual(row[0] as Int64, cast[0])
                expectEqual(row[0] as Double, cast[1])
            }
        }
    }

    // MARK: - Rows of changes

    private struct Apple: Decodable, Equatable, FetchableRecord {
        var id: Int
        var count: Int
    }

    /// How the values of a changed row are read, before and after: by subscript, by record, and as a
    /// value, which is never converted.
    private func readings(_ old: Row?, _ new: Row?) -> [String] {
        [old, new].compactMap(\.self).flatMap { row in
            func text(_ body: () throws -> Any) -> String {
                do { return try "\(body())" } catch { return "\(type(of: error))" }
            }
            return [
                text { try row.decode(Int.self, forColumn: "count") },
                text { try row.decode(String.self, atIndex: 2) },
                text { try Apple(row: row).count },
                text { Int.fromDatabaseValue(row["count"]) as Any },
            ]
        }
    }

    /// Writes rows whose values are of another type, and reads those of preupdate events, of their
    /// copies, of events that a savepoint has held back, and of a change feed.
    private func changeReadings(kind: DatabaseKind, converts: Bool) throws -> Set<[String]> {
        var configuration = TestDatabases.makeConfiguration()
        configuration.convertsMismatchedValues = converts
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE apple(
                        id INTEGER PRIMARY KEY, count, name, twice AS (count || count) VIRTUAL)
                    """)
        }
        let readings = Log<[String]>()
        let recorder = TransactionRecorder(nil, [.willChange])
        recorder.onWillChange = { event in
            readings.append(self.readings(event.initialRow, event.finalRow))
            let copy = event.copy()
            readings.append(self.readings(copy.initialRow, copy.finalRow))
        }
        writer.add(transactionObserver: recorder)
        let feed = DatabaseChangeFeed().start(
            in: writer, onError: { Issue.record($0) },
            onChange: { transaction in
                for change in transaction.changes {
                    readings.append(self.readings(change.oldRow, change.newRow))
                }
            })
        defer { feed.cancel() }
        let insert = "INSERT INTO apple VALUES (?, '12 apples', x'41ff')"
        try writer.write { try $0.execute(sql: insert, arguments: [1]) }
        try writer.write { db in
            try db.inSavepoint {
                try db.execute(sql: insert, arguments: [2])
                return .commit
            }
        }
        expectEqual(readings.elements.count, 6)
        let inserted = Set(readings.removeAll())
        try writer.write { try $0.execute(sql: "UPDATE apple SET id = id + 10 WHERE id = 1") }
        expectEqual(Set(readings.removeAll()), Set(inserted.map { $0 + $0 }))
        return inserted
    }

    @Test(arguments: DatabaseKind.allCases)
    func rowsOfChangesAreReadLikeFetchedOnes(kind: DatabaseKind) throws {
        try expectEqual(
            changeReadings(kind: kind, converts: true),
            [["12", "A\u{FFFD}", "12", "nil"]])
        let error = "RowDecodingError"
        try expectEqual(
            changeReadings(kind: kind, converts: false), [[error, error, error, "nil"]])
    }

    @Test func integersThatSwiftTypesHave() throws {
        try makeQueue().read { db throws in
            // A text that is a number is read as that number, as without conversions.
            try expectEqual(Int.fetchOne(db, sql: "SELECT '1e3'"), 1000)
            let row = try unwrap(Row.fetchOne(db, sql: "SELECT '1e3' AS x"))
            expectEqual(row["x"] as Int, 1000)
            expectError(
                #"could not decode Int8 from database value "300x" - column: "x", "#
                    + #"column index: 0, sql: `SELECT '300x' AS x`"#
            ) { try Int8.fetchAll(db, sql: "SELECT '300x' AS x") }
            if #available(macOS 15.0, iOS 18.0, tvOS 18.0, watchOS 11.0, *) {
                let cursor = try Row.fetchCursor(db, sql: "SELECT '12x' AS x")
                let live = try unwrap(cursor.next())
                try expectEqual(Box<Int128>(row: live).x, 12)
                try expectEqual(OptionalBox<UInt128>(row: live.copy()).x, 12)
            }
        }
    }

    @Test func nullIsNotConverted() throws {
        try makeQueue().read { db throws in
            try expectEqual(Int?.fetchAll(db, sql: "SELECT NULL"), [nil])
            expectError(RowDecodingError.self) { try Int.fetchAll(db, sql: "SELECT NULL") }
            expectError(RowDecodingError.self) {
                try Box<String>.fetchAll(db, sql: "SELECT NULL AS x")
            }
        }
    }

    @Test func otherTypesAreNotConverted() throws {
        try makeQueue().read { db throws in
            expectError(RowDecodingError.self) { try Date.fetchAll(db, sql: "SELECT 'x'") }
            expectError(RowDecodingError.self) { try UUID.fetchAll(db, sql: "SELECT 'x'") }
            expectError(RowDecodingError.self) { try Name.fetchAll(db, sql: "SELECT 'x'") }
            expectError(RowDecodingError.self) { try String.fetchAll(db, sql: "SELECT NULL") }
        }
        // A row that does not come from a database has no configuration.
        let row: Row = ["x": "12 apples"]
        expectError(RowDecodingError.self) { try row.decode(Int.self, forColumn: "x") }
    }

    @Test func strategiesForDates() throws {
        struct Event: Decodable, FetchableRecord {
            var date: Date
            static func databaseDateDecodingStrategy(
                for column: String
            ) -> DatabaseDateDecodingStrategy { .timeIntervalSince1970 }
        }
        struct Holder: Decodable, FetchableRecord {
            static func databaseDateDecodingStrategy(
                for column: String
            ) -> DatabaseDateDecodingStrategy { .iso8601 }
            var date: Date?
        }
        let sql = "SELECT '12s' AS date"
        try makeQueue().read { db throws in
            try expectEqual(Event.fetchOne(db, sql: sql)?.date, Date(timeIntervalSince1970: 12))
            let row = try unwrap(Row.fetchOne(db, sql: sql))
            try expectEqual(Event(row: row).date, Date(timeIntervalSince1970: 12))
            expectError((any Error).self) { try Holder.fetchOne(db, sql: sql) }
            try expectEqual(Holder.fetchOne(db, sql: "SELECT NULL AS date")?.date, nil)
        }
        _ = try makeQueue(converts: false).read { db throws in
            expectError(RowDecodingError.self) { try Event.fetchOne(db, sql: sql) }
        }
    }

    @Test func errorsAreTheDefault() throws {
        expectEqual(Configuration().convertsMismatchedValues, false)
        try makeQueue(converts: false).read { db throws in
            let error =
                #"could not decode Int from database value "12 apples" - column: "x", "#
                + #"column index: 0, sql: `SELECT '12 apples' AS x`"#
            let sql = "SELECT '12 apples' AS x"
            expectError(error) { try Int.fetchAll(db, sql: sql) }
            expectError(error) { try Box<Int>.fetchAll(db, sql: sql) }
            let row = try unwrap(Row.fetchOne(db, sql: sql))
            expectError(RowDecodingError.self) { try row.decode(Int.self, forColumn: "x") }
            expectError(RowDecodingError.self) {
                try String.fetchOne(db, sql: "SELECT x'ff'")
            }
        }
    }
}
