import GRDB
import GRDBTestSupport
import Testing

/// Texts that Swift takes for equal are different statements, as they are for SQLite.
@Suite(.databases) struct StatementTextTests {
    @Test(arguments: DatabaseKind.allCases)
    func cachedStatementsHaveTheirOwnBytes(kind: DatabaseKind) throws {
        let writer = try TestDatabases.makeWriter(kind)
        let texts = [
            "\u{e9}", "e\u{301}", "\u{212b}", "A\u{30a}", "\u{c5}", "a\u{323}\u{307}",
            "a\u{307}\u{323}",
        ]
        try writer.write { db throws in
            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT)")
            for _ in 0..<2 {
                for text in texts { try db.execute(sql: "INSERT INTO t(a) VALUES ('\(text)')") }
            }
        }
        try writer.read { db throws in
            let stored = try String.fetchAll(db, sql: "SELECT a FROM t ORDER BY id")
            expectEqual(stored.map { Array($0.utf8) }, (texts + texts).map { Array($0.utf8) })
            for text in texts + texts {
                let ids = try Int.fetchAll(db, sql: "SELECT id FROM t WHERE a = '\(text)'")
                expectEqual(ids.count, 2)
                let statement = try db.cachedStatement(sql: "SELECT '\(text)'")
                expectEqual(Array(statement.sql.utf8), Array("SELECT '\(text)'".utf8))
                let values = try Table("t").filter(sql: "a = '\(text)'")
                    .select(Column("a"), as: String.self).fetchAll(db)
                expectEqual(values.map { Array($0.utf8) }, [Array(text.utf8), Array(text.utf8)])
            }
        }
    }
}
