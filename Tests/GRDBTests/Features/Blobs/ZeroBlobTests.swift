import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct ZeroBlobTests {
    private let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(sql: "CREATE TABLE t (id INTEGER PRIMARY KEY, content BLOB)")
        }
    }

    private func contents() throws -> [Data?] {
        try dbQueue.read { try Data?.fetchAll($0, sql: "SELECT content FROM t ORDER BY id") }
    }

    @Test func literal() throws {
        try dbQueue.write { db in
            try expectSQL("INSERT INTO t (content) VALUES (ZEROBLOB(3))") {
                try db.execute(literal: "INSERT INTO t (content) VALUES (\(ZeroBlob(count: 3)))")
            }
        }
        try expectEqual(contents(), [Data(count: 3)])
    }

    @Test func valuesOfStatements() throws {
        try dbQueue.write { db in
            let statement = try db.makeStatement(sql: "INSERT INTO t (content) VALUES (?)")
            try statement.execute(values: ZeroBlob(count: 2))
            try statement.execute(values: ZeroBlob(count: 0))
            expectError(DatabaseError.self) {
                try statement.execute(values: ZeroBlob(count: -1))
            }
            try db.execute(
                sql: "INSERT INTO t (content) VALUES (?)", arguments: [ZeroBlob(count: 1)])
        }
        try expectEqual(contents(), [Data(count: 2), Data(), Data(count: 1)])
    }

    private struct Item: TableRecord, PersistableRecord {
        static let databaseTableName = "t"
        func encode(to container: inout PersistenceContainer) {
            container["content"] = ZeroBlob(count: 4)
        }
    }

    @Test func recordsAndAssignments() throws {
        try dbQueue.write { db in
            try Item().insert(db)
            try Item().insert(db)
            try Table("t").filter(key: 2)
                .updateAll(db, Column("content").set(to: ZeroBlob(count: 5)))
        }
        try expectEqual(contents(), [Data(count: 4), Data(count: 5)])
    }

    @Test(arguments: [-1, Int(Int32.max), Int.max])
    func countsOutOfRangeAreRefused(count: Int) throws {
        try dbQueue.write { db in
            expectError(DatabaseError.self) {
                try db.execute(
                    literal: "INSERT INTO t (content) VALUES (\(ZeroBlob(count: count)))")
            }
            expectError(DatabaseError.self) {
                try db.execute(
                    sql: "INSERT INTO t (content) VALUES (?)", arguments: [ZeroBlob(count: count)])
            }
        }
        try expectEqual(contents(), [])
    }

    @Test func decoding() throws {
        try dbQueue.read { db throws in
            try expectEqual(ZeroBlob.fetchOne(db, sql: "SELECT x'0000'"), ZeroBlob(count: 2))
            expectEqual(ZeroBlob.fromDatabaseValue(Data([0, 1]).databaseValue), nil)
            expectEqual(ZeroBlob.fromDatabaseValue("".databaseValue), nil)
        }
    }
}
