import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabaseCollationTests {
    /// Short strings come last.
    private static let longest = DatabaseCollation("longest") { lhs, rhs in
        lhs.count > rhs.count
            ? .orderedAscending : lhs.count == rhs.count ? lhs.compare(rhs) : .orderedDescending
    }

    private func sorted(_ strings: [String], _ collation: String, _ db: Database) throws -> [String]
    {
        let json = String(decoding: try JSONEncoder().encode(strings), as: UTF8.self)
        return try String.fetchAll(
            db, sql: "SELECT value FROM json_each(?) ORDER BY value COLLATE \(collation)",
            arguments: [json])
    }

    @Test func order() throws {
        try TestDatabases.makeQueue().write { db in
            db.add(collation: Self.longest)
            try expectEqual(
                sorted(["zz", "b", "aaa", "a"], "longest", db), ["aaa", "zz", "a", "b"])
            try expectEqual(sorted(["b", "zz"], "LONGEST", db), ["zz", "b"])
        }
    }

    @Test func columns() throws {
        try TestDatabases.makeQueue().write { db in
            db.add(collation: DatabaseCollation("reversed") { $1.compare($0) })
            db.add(
                collation: DatabaseCollation("lengths") {
                    $0.count < $1.count
                        ? .orderedAscending
                        : $0.count == $1.count ? .orderedSame : .orderedDescending
                })
            try db.execute(
                sql: """
                    CREATE TABLE t(a TEXT COLLATE reversed, b TEXT UNIQUE COLLATE lengths);
                    CREATE INDEX i ON t(a);
                    INSERT INTO t VALUES ('a', 'x'), ('c', 'xx'), ('b', 'xxx');
                    """)
            try expectEqual(
                String.fetchAll(db, sql: "SELECT a FROM t ORDER BY a"), ["c", "b", "a"])
            try expectEqual(String.fetchAll(db, sql: "SELECT a FROM t WHERE a < 'b'"), ["c"])
            try expectEqual(String.fetchOne(db, sql: "SELECT a FROM t WHERE b = 'yy'"), "c")
            let error = expectError(DatabaseError.self) {
                try db.execute(sql: "INSERT INTO t VALUES ('d', 'é')")
            }
            expectEqual(error?.extendedResultCode, .SQLITE_CONSTRAINT_UNIQUE)
        }
    }

    @Test func stringsMayHoldNULAndBeEmpty() throws {
        try TestDatabases.makeQueue().write { db in
            let log = Log<String>()
            db.add(
                collation: DatabaseCollation("spy") { lhs, rhs in
                    log.append(lhs)
                    log.append(rhs)
                    return lhs.compare(rhs)
                })
            try expectEqual(
                Bool.fetchOne(
                    db, sql: "SELECT ? = ? COLLATE spy", arguments: ["a\0b", "a\0b"]), true)
            try expectEqual(
                Bool.fetchOne(db, sql: "SELECT ? < ? COLLATE spy", arguments: ["", "é"]), true)
            expectEqual(Set(log.elements), ["a\0b", "", "é"])
        }
    }

    @Test func textMayBeInvalidUTF8() throws {
        try TestDatabases.makeQueue().write { db in
            for collation in [Self.longest, .unicodeCompare, .localizedStandardCompare] {
                db.add(collation: collation)
                let sql = """
                    SELECT CAST(x'ff61' AS TEXT) AS a UNION ALL SELECT 'b'
                    UNION ALL SELECT CAST(x'ff' AS TEXT) ORDER BY a COLLATE \(collation.name)
                    """
                try expectEqual(Row.fetchAll(db, sql: sql).count, 3)
            }
        }
    }

    // MARK: - Identity

    @Test func identityIsTheName() {
        let a = DatabaseCollation("a") { $0.compare($1) }
        let upper = DatabaseCollation("A") { $1.compare($0) }
        let b = DatabaseCollation("b") { $0.compare($1) }
        expectEqual(a.name, "a")
        expectTrue(a.id == upper.id && a.id != b.id)
        expectTrue(a == upper && a != b)
        expectEqual(Set([a, upper, b]).count, 2)
    }

    @Test func redefinition() throws {
        try TestDatabases.makeQueue().write { db in
            db.add(collation: DatabaseCollation("c") { $0.compare($1) })
            try expectEqual(sorted(["b", "a"], "c", db), ["a", "b"])
            db.add(collation: DatabaseCollation("C") { $1.compare($0) })
            try expectEqual(sorted(["b", "a"], "c", db), ["b", "a"])
        }
    }

    @Test func removal() throws {
        try TestDatabases.makeQueue().write { db in
            let sql = "SELECT 'zz' AS a UNION ALL SELECT 'b' ORDER BY a COLLATE longest"
            db.add(collation: Self.longest)
            try expectEqual(String.fetchAll(db, sql: sql), ["zz", "b"])
            db.remove(collation: Self.longest)
            let error = expectError(DatabaseError.self) { try String.fetchAll(db, sql: sql) }
            expectEqual(error?.extendedResultCode, .SQLITE_ERROR_MISSING_COLLSEQ)
            expectEqual(error?.message, "no such collation sequence: longest")
            // One that is not there.
            db.remove(collation: Self.longest)
        }
    }

    // MARK: - Reindexing

    @Test func reindex() throws {
        try TestDatabases.makeQueue().write { db in
            db.add(collation: DatabaseCollation("c") { $0.compare($1) })
            try db.execute(
                sql: """
                    CREATE TABLE t(a TEXT COLLATE c);
                    CREATE INDEX i ON t(a);
                    INSERT INTO t VALUES ('a'), ('b'), ('c');
                    """)
            let collation = DatabaseCollation("c") { $1.compare($0) }
            for reindex in [
                { try db.reindex(collation: collation) },
                { try db.reindex(collation: Database.CollationName(rawValue: "C")) },
            ] as [() throws -> Void] {
                db.add(collation: DatabaseCollation("c") { $0.compare($1) })
                try db.execute(sql: "REINDEX")
                db.add(collation: collation)
                try #expect(String.fetchOne(db, sql: "PRAGMA integrity_check") != "ok")
                try reindex()
                try expectEqual(String.fetchOne(db, sql: "PRAGMA integrity_check"), "ok")
                try expectEqual(
                    String.fetchAll(db, sql: "SELECT a FROM t ORDER BY a"),
                    ["c", "b", "a"])
            }
            expectError(
                "SQLite error 1: unable to identify the object to be reindexed - "
                    + "while executing `REINDEX \"no\"\"such\"`"
            ) {
                try db.reindex(collation: Database.CollationName(rawValue: "no\"such"))
            }
        }
    }

    // MARK: - Lifetime

    private final class Witness: Sendable {}

    @Test func implementationsAreFreed() throws {
        weak var removed: Witness?
        weak var redefined: Witness?
        weak var closed: Witness?
        var dbQueue: DatabaseQueue? = try TestDatabases.makeQueue()
        func add(_ name: String, to db: Database) -> Witness {
            let witness = Witness()
            db.add(
                collation: DatabaseCollation(name) { lhs, rhs in
                    withExtendedLifetime(witness) { lhs.compare(rhs) }
                })
            return witness
        }
        try dbQueue?.write { db in
            removed = add("a", to: db)
            redefined = add("b", to: db)
            closed = add("c", to: db)
            for name in ["a", "b", "c"] {
                try expectEqual(sorted(["y", "x"], name, db), ["x", "y"])
            }
            expectTrue(removed != nil && redefined != nil && closed != nil)
            db.remove(collation: DatabaseCollation("A") { $0.compare($1) })
            expectNil(removed)
            db.add(collation: DatabaseCollation("b") { $0.compare($1) })
            expectNil(redefined)
            expectTrue(closed != nil)
        }
        dbQueue = nil
        expectNil(closed)
    }
}
