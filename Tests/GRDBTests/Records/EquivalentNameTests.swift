import GRDBChanges
import Foundation
import GRDB
import GRDBServer
import GRDBTestSupport
import Testing

/// Names that are equal Swift strings, but different names for SQLite, which compares bytes: they only
/// differ in their Unicode normalization.
@Suite(.databases) struct EquivalentNameTests {
    private static let composed = "caf\u{e9}"
    private static let decomposed = "cafe\u{301}"
    private static let kelvin = "\u{212a}"

    private var composed: String { Self.composed }
    private var decomposed: String { Self.decomposed }

    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t (id INTEGER PRIMARY KEY, "\(Self.composed)", "\(Self.decomposed)", K,
                        "\(Self.kelvin)");
                    CREATE TABLE "\(Self.composed)" (id INTEGER PRIMARY KEY, value, u UNIQUE);
                    CREATE TABLE "\(Self.decomposed)" (value, key TEXT PRIMARY KEY, u UNIQUE) WITHOUT ROWID;
                    """)
        }
    }

    // MARK: - Records

    /// Sets columns in any order.
    private struct Columns: FetchableRecord, PersistableRecord, Equatable {
        static let databaseTableName = "t"

        var columns: [(name: String, value: Int)]

        init(_ columns: [(name: String, value: Int)]) { self.columns = columns }

        init(row: Row) throws {
            columns = [composed, decomposed, "K", kelvin].map { ($0, row[$0] as Int? ?? 0) }
        }

        func encode(to container: inout PersistenceContainer) {
            container["id"] = 1
            for (name, value) in columns { container[name] = value }
        }

        static func == (lhs: Self, rhs: Self) -> Bool {
            lhs.columns.map(\.value) == rhs.columns.map(\.value)
        }
    }

    private func columns(_ order: [Int], adding number: Int = 0) -> Columns {
        let names = [composed, decomposed, "K", Self.kelvin]
        return Columns(order.map { (names[$0], $0 + 1 + number) })
    }

    /// What is in the columns of the table, from left to right.
    private func values(_ db: Database) throws -> [Int?] {
        try Array(Row.fetchOne(db, sql: "SELECT * FROM t")!.databaseValues.dropFirst())
            .map { Int.fromDatabaseValue($0) }
    }

    private static let orders = [
        [0, 1, 2, 3], [1, 0, 3, 2], [3, 2, 1, 0], [0, 1, 3, 2], [2, 0, 3, 1],
    ]

    @Test func recordsSetColumnsInAnyOrder() throws {
        try dbQueue.write { db in
            var results: [[Int?]] = []
            for order in Self.orders + Self.orders {
                try columns(order).insert(db)
                try results.append(values(db))
                try columns(order, adding: 10).update(db)
                try results.append(values(db))
                try columns(order, adding: 20).upsert(db)
                try results.append(values(db))
                try Columns.deleteAll(db)
            }
            let expected: [[Int?]] = [[1, 2, 3, 4], [11, 12, 13, 14], [21, 22, 23, 24]]
            expectEqual(
                results,
                Array(repeating: expected, count: 2 * Self.orders.count).flatMap { $0 })
        }
    }

    @Test func updatesOfSomeColumns() throws {
        try dbQueue.write { db in
            try columns([0, 1, 2, 3]).insert(db)
            for _ in 1...2 {
                try columns([0, 1, 2, 3]).update(db)
                try columns([0, 1, 2, 3], adding: 10).update(db, columns: [composed])
                try expectEqual(values(db), [11, 2, 3, 4])
                try columns([0, 1, 2, 3], adding: 10).update(db, columns: [decomposed])
                try expectEqual(values(db), [11, 12, 3, 4])
                try columns([0, 1, 2, 3], adding: 10).update(db, columns: [Self.kelvin])
                try expectEqual(values(db), [11, 12, 3, 14])
            }
        }
    }

    @Test func changesOfEquivalentColumns() throws {
        try dbQueue.write { db in
            let former = columns([0, 1, 2, 3])
            try former.insert(db)
            try columns([1, 0, 2, 3], adding: 10).updateChanges(db, from: former)
            try expectEqual(values(db), [11, 12, 13, 14])
            var record = columns([0, 1, 2, 3], adding: 10)
            try record.updateChanges(db) { $0 = columns([0, 1, 2, 3], adding: 20) }
            try expectEqual(values(db), [21, 22, 23, 24])
        }
    }

    private final class Observed: Record {
        var columns: [(name: String, value: Int)] = []

        override class var databaseTableName: String { "t" }

        override func encode(to container: inout PersistenceContainer) {
            container["id"] = 1
            for (name, value) in columns { container[name] = value }
        }
    }

    @Test func changesOfRecordObjects() throws {
        try dbQueue.write { db in
            let record = Observed()
            record.columns = columns([0, 1, 2, 3]).columns
            try record.insert(db)
            record.columns = columns([3, 2, 1, 0], adding: 10).columns
            try record.updateChanges(db)
            try expectEqual(values(db), [11, 12, 13, 14])
        }
    }

    /// A key with any name.
    private struct AnyKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(_ stringValue: String) { self.stringValue = stringValue }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private struct Coded: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "t"

        var columns: [(name: String, value: Int?)]

        init(_ columns: [(name: String, value: Int?)]) { self.columns = columns }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: AnyKey.self)
            // Alternating orders, because the decoder expects the order of the previous row.
            let isReversed = try container.decode(Int.self, forKey: AnyKey("id")) % 2 == 0
            let names = [composed, decomposed, "K", kelvin]
            columns = try (isReversed ? names.reversed() : names).map {
                try ($0, container.decodeIfPresent(Int.self, forKey: AnyKey($0)))
            }
            if isReversed { columns.reverse() }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: AnyKey.self)
            try container.encode(columns.count, forKey: AnyKey("id"))
            for (name, value) in columns { try container.encode(value, forKey: AnyKey(name)) }
        }
    }

    private struct CamelCased: Decodable, FetchableRecord {
        static var databaseColumnDecodingStrategy: DatabaseColumnDecodingStrategy {
            .custom { AnyKey("my" + $0) }
        }

        var values: [Int?]

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: AnyKey.self)
            values = try [composed, decomposed, "K", kelvin].map {
                try container.decodeIfPresent(Int.self, forKey: AnyKey("my" + $0))
            }
            expectEqual(container.allKeys.count, 5)
        }
    }

    @Test func codableRecords() throws {
        try dbQueue.write { db in
            for order in Self.orders {
                try Coded(columns(order).columns.map { ($0.name, $0.value) }).insert(db)
                try expectEqual(values(db), [1, 2, 3, 4])
                try Coded.deleteAll(db)
            }
            try db.execute(
                sql: "INSERT INTO t VALUES (1, 1, 2, 3, 4), (2, 1, 2, 3, 4), (3, 1, 2, 3, 4)")
            let found = try Coded.fetchAll(db).map { $0.columns.map(\.value) }
            expectEqual(found, Array(repeating: [1, 2, 3, 4], count: 3))
            let custom = try CamelCased.fetchAll(db, sql: "SELECT * FROM t").map(\.values)
            expectEqual(custom, found)
        }
    }

    /// A record whose table and selection vary.
    private struct Varying: TableRecord, FetchableRecord, PersistableRecord {
        @TaskLocal static var name = EquivalentNameTests.composed
        @TaskLocal static var column = EquivalentNameTests.composed
        static var databaseTableName: String { name }
        static var databaseSelection: [any SQLSelectable] { [Column(column)] }

        var key: Int
        init(_ key: Int) { self.key = key }
        init(row: Row) { key = row[0] }

        func encode(to container: inout PersistenceContainer) {
            container["value"] = key
            container["u"] = key
            if Self.name.utf8.count == 6 { container["key"] = "k" }
        }
    }

    @Test func varyingTablesAndSelections() throws {
        try dbQueue.write { db in
            for number in 1...2 {
                for name in [composed, decomposed] {
                    try Varying.$name.withValue(name) {
                        try Varying.deleteAll(db)
                        try Varying(number).insert(db)
                    }
                }
            }
            try expectEqual(Int.fetchAll(db, sql: #"SELECT value FROM "\#(composed)""#), [2])
            try expectEqual(Int.fetchAll(db, sql: #"SELECT value FROM "\#(decomposed)""#), [2])
            try expectEqual(db.primaryKey(composed).columns, ["id"])
            try expectEqual(db.primaryKey(decomposed).columns, ["key"])
            try expectEqual(db.primaryKey(composed).columns, ["id"])

            try db.execute(sql: "INSERT INTO t VALUES (1, 1, 2, 3, 4)")
            try Varying.$name.withValue("t") {
                var found: [Int?] = []
                for column in [composed, decomposed, composed, "K", Self.kelvin] {
                    try Varying.$column.withValue(column) {
                        try found.append(Varying.fetchOne(db, key: 1)?.key)
                    }
                }
                expectEqual(found, [1, 2, 1, 3, 4])
            }
        }
    }

    // MARK: - Rows and arguments

    @Test func rowsByName() throws {
        try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1, 1, 2, 3, 4), (2, 1, 2, 3, 4)")
            let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM t")
            var found: [[Int]] = []
            while let row = try cursor.next() {
                found.append([row[composed], row[decomposed], row["K"], row["\u{212a}"]])
                found.append([row["k"], row["\u{212a}"], row["K"], row[decomposed]])
            }
            expectEqual(found, [[1, 2, 3, 4], [3, 4, 3, 2], [1, 2, 3, 4], [3, 4, 3, 2]])
            let one = try Row.fetchOne(db, sql: #"SELECT K, "\#(composed)" FROM t"#)!
            expectTrue(one.hasColumn("K") && one.hasColumn(composed))
            expectTrue(!one.hasColumn(Self.kelvin) && !one.hasColumn(decomposed))
            #expect(Row(["K": 1]) != Row([Self.kelvin: 1]))
        }
    }

    @Test func namedArguments() throws {
        try dbQueue.write { db in
            let sql = "SELECT :\(composed), :\(decomposed), :\(composed), :\(Self.kelvin), :K, :k"
            let arguments: StatementArguments = [
                composed: 1, decomposed: 2, Self.kelvin: 3, "K": 4, "k": 5,
            ]
            let row = try Row.fetchOne(db, sql: sql, arguments: arguments)!
            expectEqual(Array(row.databaseValues), [1, 2, 1, 3, 4, 5].map(\.databaseValue))
            var appended: StatementArguments = [composed: 1]
            expectEqual(appended.append(contentsOf: [decomposed: 2]), [:])
            expectError(DatabaseError.self) {
                try db.execute(sql: "SELECT :\(decomposed)", arguments: [composed: 1])
            }
        }
    }

    // MARK: - Queries

    @Test func aliases() throws {
        try dbQueue.write { db in
            try db.execute(sql: #"INSERT INTO "\#(composed)" VALUES (1, 2, 3)"#)
            let alias = TableAlias(name: decomposed)
            let request = Table(composed).aliased(alias).filter(alias[Column("value")] == 2)
            try expectEqual(Row.fetchAll(db, request).count, 1)
        }
    }

    @Test func sizes() throws {
        try dbQueue.write { db in
            let names = try db.tableSizes().map { Array($0.tableName.utf8) }
            expectTrue(Set(names).isSuperset(of: [Array(composed.utf8), Array(decomposed.utf8)]))
        }
    }

    // MARK: - Observation

    @MainActor private func isNotified(
        of value: @escaping @Sendable (Database) throws -> Void, by sql: String
    ) throws -> Bool {
        let values = Log<Int>()
        let cancellable = ValueObservation.tracking { db in
            try value(db)
            values.append(0)
        }.start(in: dbQueue, scheduling: .immediate, onError: { _ in }, onChange: { _ in })
        let count = values.elements.count
        try dbQueue.write { try $0.execute(sql: sql) }
        defer { cancellable.cancel() }
        return values.elements.count > count
    }

    @Test @MainActor func observedTablesAndColumns() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    INSERT INTO t VALUES (1, 1, 2, 3, 4);
                    INSERT INTO "\(composed)" VALUES (1, 1, 1);
                    INSERT INTO "\(decomposed)" VALUES (1, 'a', 1);
                    """)
        }
        let names = [composed, decomposed]
        // Equivalent statements in one observation.
        let both: @Sendable (Database) throws -> Void = { db in
            for name in names {
                _ = try Row.fetchOne(db, sql: #"SELECT * FROM "\#(name)""#)
            }
        }
        try expectTrue(isNotified(of: both, by: #"UPDATE "\#(composed)" SET value = 10"#))
        try expectTrue(isNotified(of: both, by: #"UPDATE "\#(decomposed)" SET value = 10"#))
        // One statement that updates equivalent columns.
        for column in [composed, decomposed, "K", Self.kelvin] {
            try expectTrue(
                isNotified(
                    of: {
                        _ = try Row.fetchOne($0, sql: #"SELECT "\#(column)" FROM t WHERE id = 1"#)
                    },
                    by:
                        #"UPDATE t SET "\#(composed)" = 0, "\#(decomposed)" = 0, K = 0, "\#(Self.kelvin)" = 0"#
                ),
                "\(column)")
        }
    }

    /// Notes the kinds of changes that statements announce.
    private final class KindObserver: TransactionObserver {
        var kinds: [DatabaseEventKind] = []
        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
            kinds.append(eventKind)
            return false
        }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }

    @Test func replacedRows() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE source (a);
                    CREATE TRIGGER replace AFTER INSERT ON source BEGIN
                        UPDATE OR REPLACE "\(composed)" SET u = new.a;
                        UPDATE OR REPLACE "\(decomposed)" SET u = new.a;
                    END;
                    """)
        }
        let observer = KindObserver()
        dbQueue.add(transactionObserver: observer)
        try dbQueue.write { try $0.execute(sql: "INSERT INTO source VALUES (1)") }
        let updated = observer.kinds.compactMap { kind -> String? in
            guard case .update(let table, let columns) = kind else { return nil }
            return "\(Array(table.utf8).count) \(columns.sorted())"
        }
        expectEqual(updated.sorted(), [#"5 ["id", "u", "value"]"#, #"6 ["key", "u", "value"]"#])
    }

    /// Applies regions to changes.
    private final class RegionObserver: TransactionObserver {
        let region: DatabaseRegion
        var results: [Bool] = []
        init(_ region: DatabaseRegion) { self.region = region }
        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
        func databaseWillChange(with event: DatabasePreUpdateEvent) {
            results.append(region.isModified(by: event))
        }
        func databaseDidChange(with event: DatabaseEvent) {}
        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }

    @Test func valuesWithOtherBytesAreChanges() throws {
        let observer = try dbQueue.write { db in
            try db.execute(sql: "INSERT INTO t (id, K) VALUES (1, 'e\u{301}')")
            return try RegionObserver(
                db.makeStatement(sql: "SELECT K FROM t WHERE id = 1").databaseRegion)
        }
        dbQueue.add(transactionObserver: observer)
        try dbQueue.write { db in
            for value in ["'\u{e9}'", "'\u{e9}'", "1", "1.0", "1.0"] {
                try db.execute(sql: "UPDATE t SET K = \(value)")
            }
        }
        expectEqual(observer.results, [true, false, true, true, false])
    }

    // MARK: - Changesets

    @Test func changesetsOfEquivalentTables() throws {
        try dbQueue.write { db in
            let session = try db.makeSession()
            try session.attachAllTables()
            for name in [composed, decomposed] {
                let key = name.utf8.count == 6 ? "key" : "id"
                try db.execute(sql: #"INSERT INTO "\#(name)" (\#(key), value) VALUES (1, 1)"#)
            }
            var conflicts: [String] = []
            try db.apply(session.changeset()) { conflict in
                let change = try unwrap(conflict.change)
                conflicts.append("\(change.tableName.utf8.count) \(change.columnNames ?? [])")
                return .omit
            }
            expectEqual(
                conflicts.sorted(),
                [#"5 ["id", "value", "u"]"#, #"6 ["value", "key", "u"]"#])
        }
    }
}
