import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// `IN` on more values than a statement can have parameters.
@Suite struct ManyValuesTests {
    private func withTable(_ body: (Database) throws -> Void) throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a, n INTEGER, s TEXT COLLATE NOCASE);
                    INSERT INTO t VALUES
                      (1, 1, 1, '1'), (2, 1.5, 2, 'B'), (3, 'x', NULL, 'c'), (4, x'00ff', 4, ''),
                      (5, NULL, 5, NULL), (6, 'y' || char(0) || 'z', 6, 'a')
                    """)
            try body(db)
        }
    }

    private func ids(_ db: Database, _ condition: SQLExpression) throws -> [Int] {
        let request = Table("t").filter(condition).order(Column("id"))
        return try request.select(Column("id"), as: Int.self).fetchAll(db)
    }

    @Test func fewValuesAreParameters() throws {
        try withTable { db in
            let request = Table("t").filter((0..<99).map { $0 }.contains(Column("id")))
            let statement = try request.makePreparedRequest(db).statement
            expectTrue(statement.sql.hasSuffix("?, ?, ?)"))
            expectEqual(statement.sql.filter { $0 == "?" }.count, 99)
        }
    }

    @Test func manyValuesAreOneParameter() throws {
        try withTable { db in
            let many = Array(3..<100_000)
            let request = Table("t").filter(many.contains(Column("id")))
            let statement = try request.makePreparedRequest(db).statement
            expectEqual(
                statement.sql,
                """
                SELECT * FROM "t" WHERE "id" IN (SELECT +value FROM carray(?))
                """)
            try expectEqual(ids(db, many.contains(Column("id"))), [3, 4, 5, 6])
            try expectEqual(ids(db, !many.contains(Column("id"))), [1, 2])

            // Another number of values, the same statement.
            let more = Array(2..<200_000)
            let again = try Table("t").filter(more.contains(Column("id")))
                .makePreparedRequest(db).statement
            expectEqual(again.sql, statement.sql)
            try expectEqual(Row.fetchAll(again).count, 5)
        }
    }

    @Test func allStorageClasses() throws {
        try withTable { db in
            let reals = (0..<200).map { Double($0) + 0.5 }
            try expectEqual(ids(db, reals.contains(Column("a"))), [2])
            let texts = (0..<200).map { "text\($0)" } + ["x"]
            try expectEqual(ids(db, texts.contains(Column("a"))), [3])
            let blobs = (0..<200).map { Data([0, UInt8($0)]) } + [Data([0, 255]), Data()]
            try expectEqual(ids(db, blobs.contains(Column("a"))), [4])
            let withNUL = texts + ["y\0z"]
            try expectEqual(ids(db, withNUL.contains(Column("a"))), [3, 6])
        }
    }

    @Test func mixedValues() throws {
        try withTable { db in
            let values: [DatabaseValue] =
                (100..<300).map { $0.databaseValue } + [
                    1.databaseValue, 1.5.databaseValue, "x".databaseValue, "y\0z".databaseValue,
                    Data([0, 255]).databaseValue,
                ]
            try expectEqual(ids(db, values.contains(Column("a"))), [1, 2, 3, 4, 6])
            try expectEqual(ids(db, !values.contains(Column("a"))), [])
            // Among NULL, nothing is known to be missing.
            let withNull = (100..<300).map { $0.databaseValue } + [1.databaseValue, .null]
            try expectEqual(ids(db, withNull.contains(Column("a"))), [1])
            try expectEqual(ids(db, !withNull.contains(Column("a"))), [])
        }
    }

    /// An array must match the rows that a list of parameters matches.
    @Test func affinitiesAndCollationsAreThoseOfLists() throws {
        try withTable { db in
            let lists: [[DatabaseValue]] = [
                ["1".databaseValue, "4".databaseValue], [1.databaseValue, 4.databaseValue],
                [(1.0).databaseValue, (2.5).databaseValue], ["b".databaseValue, "C".databaseValue],
            ]
            for list in lists {
                for column in ["a", "n", "s"].map({ Column($0) }) {
                    let filler = (0..<200).map { _ in list[0] }
                    let expected = try ids(db, list.contains(column))
                    try expectEqual(ids(db, (filler + list).contains(column)), expected)
                    let collated = column.collating(.binary)
                    let expectedCollated = try ids(db, list.contains(collated))
                    try expectEqual(ids(db, (filler + list).contains(collated)), expectedCollated)
                }
            }
        }
    }

    @Test func arraysGoWithOtherArguments() throws {
        try withTable { db in
            let many = Array(1..<1000)
            let id = Column("id")
            let condition = id > 1 && many.contains(id) && id != 4 && many.contains(id) && id < 6
            try expectEqual(ids(db, condition), [2, 3, 5])
            let literal: SQL = "\(id) > :minimum AND \(many.contains(id)) AND id <> \(3)"
            let (sql, arguments) = try literal.build(db)
            let statement = try db.makeStatement(sql: "SELECT id FROM t WHERE \(sql) ORDER BY id")
            expectError(DatabaseError.self) { try statement.setArguments(arguments) }
            try statement.setArguments(arguments + ["minimum": 3])
            try expectEqual(Int.fetchAll(statement), [4, 5, 6])
            statement.setUncheckedArguments(arguments + ["minimum": 4])
            try expectEqual(Int.fetchAll(statement), [5, 6])
            try expectEqual(Int.fetchAll(statement), [5, 6])
        }
    }

    @Test func keys() throws {
        try withTable { db in
            struct T: TableRecord, FetchableRecord, Decodable, Identifiable {
                static let databaseTableName = "t"
                var id: Int64
            }
            let many = Array<Int64>(-40_000...40_000)
            try expectEqual(T.fetchAll(db, ids: many).map(\.id).sorted(), [1, 2, 3, 4, 5, 6])
            try expectEqual(T.filter(ids: many).fetchCount(db), 6)
            try expectEqual(T.deleteAll(db, ids: many), 6)
        }
    }

    /// Lists that are no rows: those are shorter.
    @Test func interpolatedLists() throws {
        try withTable { db in
            let many = (0..<40_000).map { "value \($0)" } + ["b", "C"]
            let request = SQLRequest<Int>("SELECT id FROM t WHERE s IN \(many) ORDER BY id")
            try expectEqual(request.fetchAll(db), [2, 3])
            let others = SQLRequest<Int>("SELECT id FROM t WHERE s NOT IN \(many) ORDER BY id")
            try expectEqual(others.fetchAll(db), [1, 4, 6])
            let numbers = Array(2..<5000)
            let literal: SQL = "id IN \(numbers)"
            try expectEqual(Table("t").filter(literal).fetchCount(db), 5)
            let values = Array(0..<2000)
            try expectEqual(
                SQLRequest<Row>("VALUES \(values)").fetchOne(db)?.count, 2000)
        }
    }
}
