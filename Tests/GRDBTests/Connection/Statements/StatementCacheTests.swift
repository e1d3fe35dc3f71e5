@testable import GRDB
import GRDBSQLite
import GRDBTestSupport
import Testing

@Suite(.databases) struct StatementCacheTests {
    /// The number of statements that the connection knows.
    private func statementCount(_ db: Database) -> Int {
        var count = 0
        var statement = sqlite3_next_stmt(db.sqliteConnection, nil)
        while let current = statement {
            count += 1
            statement = sqlite3_next_stmt(db.sqliteConnection, current)
        }
        return count
    }

    @Test func statementsAreReused() throws {
        try TestDatabases.makeQueue().write { db in
            let pointer = try db.cachedStatement(sql: "SELECT 1").sqliteStatement
            try expectEqual(db.cachedStatement(sql: "SELECT 1").sqliteStatement, pointer)
            // The text is the key.
            try #expect(db.cachedStatement(sql: "SELECT 1 ").sqliteStatement != pointer)
            try #expect(db.makeStatement(sql: "SELECT 1").sqliteStatement != pointer)
            let requested = try SQLRequest<Int>("SELECT 1").makePreparedRequest(db)
            expectEqual(requested.statement.sqliteStatement, pointer)
        }
    }

    /// With the number of a former entry, nothing would be guessed.
    @Test func emptyCachesGuessAgain() throws {
        try TestDatabases.makeQueue().write { db in
            for number in 0..<10 { _ = try db.cachedStatement(sql: "SELECT \(number)") }
            for number in 0..<10 { _ = try db.cachedStatement(sql: "SELECT \(number)") }
            #expect(db.statementCache.latestIndex > 2)
            db.releaseMemory()
            for _ in 0..<2 {
                _ = try db.cachedStatement(sql: "SELECT 1")
                _ = try db.cachedStatement(sql: "SELECT 2")
            }
            expectEqual(db.statementCache.latestIndex, 1)
        }
    }

    @Test func fetchesAndExecutionsUseTheCache() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a)")
            var counts: [Int] = []
            for index in 0..<3 {
                try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [index])
                _ = try Row.fetchAll(db, sql: "SELECT * FROM t")
                _ = try Int.fetchOne(db, sql: "SELECT a FROM t WHERE a = ?", arguments: [index])
                counts.append(statementCount(db))
            }
            expectTrue(counts[0] == counts[1] && counts[1] == counts[2])
            try expectEqual(Int.fetchAll(db, sql: "SELECT a FROM t"), [0, 1, 2])
        }
    }

    @Test func aStatementIsHandedOutToOneUserAtATime() throws {
        try TestDatabases.makeQueue().write { db in
            let first = try db.cachedStatement(sql: "SELECT ?")
            let second = try db.cachedStatement(sql: "SELECT ?")
            let third = try db.cachedStatement(sql: "SELECT ?")
            expectTrue(first !== second && second !== third && first !== third)
            try first.setArguments([1])
            try second.setArguments([2])
            try third.setArguments([3])
            try expectEqual([first, second, third].map { try Int.fetchOne($0) }, [1, 2, 3])
        }
    }

    @Test func argumentsAreForgotten() throws {
        try TestDatabases.makeQueue().write { db in
            try expectEqual(Int.fetchOne(db, sql: "SELECT ?", arguments: [1]), 1)
            let statement = try db.cachedStatement(sql: "SELECT ?")
            expectEqual(statement.arguments, [])
            expectError(DatabaseError.self) { try Int.fetchOne(statement) }
            expectError(DatabaseError.self) { try Int.fetchOne(db, sql: "SELECT ?") }
        }
    }

    @Test func cursorsOfTheSameSQLCanNest() throws {
        try TestDatabases.makeQueue().write { db in
            let sql = "SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3"
            var pairs: [String] = []
            let outer = try Int.fetchCursor(db, sql: sql)
            while let lhs = try outer.next() {
                let inner = try Int.fetchCursor(db, sql: sql)
                while let rhs = try inner.next() {
                    pairs.append("\(lhs)\(rhs)")
                    try expectEqual(Int.fetchOne(db, sql: sql), 1)
                }
            }
            expectEqual(pairs, ["11", "12", "13", "21", "22", "23", "31", "32", "33"])
        }
    }

    @Test func aStatementIsUsableAfterAnError() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a UNIQUE)")
            let insert = "INSERT INTO t VALUES (?)"
            try db.execute(sql: insert, arguments: [1])
            for _ in 0..<3 {
                expectError(DatabaseError.self) {
                    try db.execute(sql: insert, arguments: [1])
                }
            }
            try db.execute(sql: insert, arguments: [2])
            let abs = "SELECT abs(?)"
            expectError(DatabaseError.self) {
                try Int.fetchOne(db, sql: abs, arguments: [Int64.min])
            }
            try expectEqual(Int.fetchOne(db, sql: abs, arguments: [-1]), 1)
            try expectEqual(Int.fetchAll(db, sql: "SELECT a FROM t"), [1, 2])
        }
    }

    @Test func aCursorThatWasLeftInTheMiddleIsReset() throws {
        try TestDatabases.makeQueue().write { db in
            let sql = "SELECT 1 UNION ALL SELECT 2"
            for _ in 0..<3 {
                let cursor = try Int.fetchCursor(db, sql: sql)
                try expectEqual(cursor.next(), 1)
            }
            let busy = try Row.fetchCursor(db, sql: sql)
            try expectEqual(busy.next()?[0], 1)
        }
    }

    @Test func moreStatementsThanTheCacheHolds() throws {
        try TestDatabases.makeQueue().write { db in
            let before = statementCount(db)
            for round in 0..<3 {
                for index in 0..<400 {
                    try expectEqual(
                        Int.fetchOne(db, sql: "SELECT ? + \(index)", arguments: [round]),
                        index + round)
                }
            }
            #expect(statementCount(db) - before <= 128)
        }
    }

    @Test func statementsInUseAreEvictedSafely() throws {
        try TestDatabases.makeQueue().write { db in
            let cursor = try Int.fetchCursor(db, sql: "SELECT 1 UNION ALL SELECT 2")
            try expectEqual(cursor.next(), 1)
            for index in 0..<300 {
                _ = try Int.fetchOne(db, sql: "SELECT \(index)")
            }
            try expectEqual(cursor.next(), 2)
            try expectEqual(cursor.next(), nil)
        }
    }

    @Test func releaseMemoryEmptiesTheCache() throws {
        try TestDatabases.makeQueue().write { db in
            for index in 0..<10 { _ = try Int.fetchOne(db, sql: "SELECT \(index)") }
            let count = statementCount(db)
            db.releaseMemory()
            #expect(statementCount(db) <= count - 10)
            try expectEqual(Int.fetchOne(db, sql: "SELECT 1"), 1)
        }
    }

    // MARK: - Memory

    @Test func droppedStatementsAreFinalizedAtOnce() throws {
        try TestDatabases.makeQueue().write { db in
            let before = statementCount(db)
            for index in 0..<100_000 {
                let statement = try db.makeStatement(sql: "SELECT 1")
                if index.isMultiple(of: 10_000) {
                    try expectEqual(Int.fetchOne(statement), 1)
                    expectEqual(statementCount(db), before + 1)
                }
            }
            expectEqual(statementCount(db), before)
        }
    }

    @Test func statementsDroppedOutsideAreFinalizedLater() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { _ in }  // keeps statements, too
        let before = try dbQueue.write { statementCount($0) }
        var statements: [Statement] = []
        for _ in 0..<100 {
            statements.append(try dbQueue.write { try $0.makeStatement(sql: "SELECT 1") })
        }
        try expectEqual(dbQueue.write { statementCount($0) }, before + 100)
        statements.removeAll()
        try expectEqual(dbQueue.write { statementCount($0) }, before)
    }
}
