import GRDBServer
import GRDBQueries
import GRDBSchema
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Files that somebody has damaged, opened with the configuration for strangers.
///
/// `UNTRUSTED_FILES=20000 swift test --filter UntrustedFileTests` tries more, and `UNTRUSTED_FILES_SEED`
/// others. A failure prints its seed.
@Suite(.databases) struct UntrustedFileTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    /// A small file with all kinds of contents.
    private func makeFile() throws -> Data {
        let path = TestDatabases.makePath()
        let queue = try TestDatabases.openQueue(path, TestDatabases.makePlainConfiguration())
        try queue.writeWithoutTransaction { db throws in
            try db.execute(
                sql: """
                    PRAGMA page_size = 512;
                    CREATE TABLE a(
                        id INTEGER PRIMARY KEY AUTOINCREMENT, t TEXT COLLATE NOCASE, b BLOB,
                        g AS (length(t)) STORED, CHECK (id > 0));
                    CREATE TABLE w(x TEXT, y INT REFERENCES a ON DELETE CASCADE, PRIMARY KEY (x, y)) WITHOUT ROWID, STRICT;
                    CREATE INDEX i ON a(t, b) WHERE t IS NOT NULL;
                    CREATE INDEX e ON a(lower(t));
                    CREATE VIEW v AS SELECT * FROM a LEFT JOIN w ON w.y = a.id;
                    CREATE TRIGGER r AFTER INSERT ON a BEGIN INSERT INTO w VALUES (NEW.t, NEW.id); END;
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
                    INSERT INTO a(t, b) SELECT 'text ' || i, zeroblob(i * 11) FROM n;
                    CREATE VIRTUAL TABLE f USING fts5(t, content = 'a', content_rowid = 'id');
                    INSERT INTO f(f) VALUES ('rebuild');
                    CREATE VIRTUAL TABLE s USING rtree(id, x1, x2);
                    INSERT INTO s SELECT id, id, id + 1 FROM a;
                    CREATE VIRTUAL TABLE p USING fts4(t);
                    INSERT INTO p SELECT t FROM a;
                    ANALYZE;
                    """)
        }
        try queue.close()
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }

    /// What an app does with a file that it was sent.
    private func read(_ db: Database, _ counts: inout [String: Int]) throws {
        func attempt(_ body: () throws -> Void) {
            do {
                try db.withTimeLimit(2) { try body() }
                counts["done", default: 0] += 1
            } catch let error as DatabaseError {
                counts["\(error.resultCode)", default: 0] += 1
            } catch is RowDecodingError {
                counts["decoding", default: 0] += 1
            } catch {
                Issue.record("\(error)")
            }
        }
        attempt { _ = try db.integrityProblems() }
        for table in ["a", "w", "f", "s", "p"] {
            attempt { _ = try Row.fetchAll(db, sql: "SELECT * FROM \(table)") }
            attempt { _ = try db.columns(in: table) }
            attempt { _ = try db.indexes(on: table) }
            attempt { _ = try db.foreignKeys(on: table) }
        }
        attempt { _ = try Row.fetchAll(db, sql: "SELECT count(*), max(t), sum(g) FROM v") }
        attempt { _ = try Row.fetchAll(db, sql: "SELECT * FROM a WHERE lower(t) = 'text 7'") }
        attempt {
            _ = try Row.fetchAll(db, sql: "SELECT * FROM f WHERE f MATCH 'text' ORDER BY rank")
        }
        attempt { _ = try Row.fetchAll(db, sql: "SELECT snippet(p) FROM p WHERE p MATCH 'text'") }
        attempt { _ = try Row.fetchAll(db, sql: "SELECT * FROM s WHERE x1 > 20 AND x2 < 30") }
        attempt { _ = try db.queryPlan(sql: "SELECT * FROM a WHERE t = 'text 5' ORDER BY b") }
        attempt { try db.dumpContent(to: Discarded()) }
    }

    private func write(_ db: Database) throws {
        try db.execute(sql: "INSERT INTO a(t, b) VALUES ('new', x'00')")
        try db.execute(sql: "UPDATE a SET t = t || 'x'; DELETE FROM a WHERE id % 2")
        try db.execute(sql: "INSERT INTO p VALUES ('new'); INSERT INTO s VALUES (1000, 1, 2)")
        try db.transform(table: "a") { $0.setDefault(ofColumn: "t", to: "none") }
    }

    private final class Discarded: TextOutputStream {
        func write(_ string: String) {}
    }

    /// Nothing that a sound file contains is refused.
    @Test func soundFilesAreReadAndWritten() throws {
        let path = TestDatabases.makePath()
        try makeFile().write(to: URL(fileURLWithPath: path))
        let queue = try DatabaseQueue(path: path, configuration: .untrusted)
        var counts: [String: Int] = [:]
        try queue.inDatabase { try read($0, &counts) }
        expectEqual(counts.keys.sorted(), ["done"])
        try queue.write { try write($0) }
        try queue.read { db throws in
            try expectEqual(db.integrityProblems(), [])
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM a"), 30)
        }
        try queue.close()
    }

    @Test func damagedFilesAreRead() throws {
        let original = try makeFile()
        let first = Self.number("UNTRUSTED_FILES_SEED") ?? 29
        let count = Self.number("UNTRUSTED_FILES") ?? 100
        var counts: [String: Int] = [:]
        for seed in first..<first + count {
            var random = SplitMix64(seed: seed)
            for _ in 0..<3 { _ = random.next() }
            var file = original
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                // Headers of files and pages matter most.
                let page = Int.random(in: 0..<original.count / 512, using: &random) * 512
                let offset =
                    Bool.random(using: &random)
                    ? page + Int.random(in: 0..<(page == 0 ? 112 : 24), using: &random)
                    : Int.random(in: 0..<original.count, using: &random)
                file[offset] = [0, 1, 0x7f, 0x80, 0xff, UInt8.random(in: 0...255, using: &random)]
                    .randomElement(using: &random)!
            }
            if Int.random(in: 0..<10, using: &random) == 0 {
                file.removeLast(Int.random(in: 1..<file.count / 2, using: &random))
            }
            let path = TestDatabases.makePath()
            try file.write(to: URL(fileURLWithPath: path))
            var configuration = Configuration.untrusted
            configuration.readonly = seed % 2 == 0
            do {
                let queue = try DatabaseQueue(path: path, configuration: configuration)
                try queue.inDatabase { db throws in
                    try read(db, &counts)
                    if !configuration.readonly {
                        do {
                            try db.inTransaction {
                                try db.withTimeLimit(2) { try write(db) }
                                return .commit
                            }
                            counts["written", default: 0] += 1
                        } catch is DatabaseError {
                            counts["refused", default: 0] += 1
                        }
                        expectTrue(!db.isInsideTransaction, "seed \(seed)")
                    }
                    try expectEqual(Int.fetchOne(db, sql: "SELECT 1"), 1, "seed \(seed)")
                }
                try queue.close()
            } catch is DatabaseError {
                counts["not opened", default: 0] += 1
            }
        }
        // Most of them are damaged, and most of their contents can still be read.
        #expect(counts["done", default: 0] > Int(count) * 5)
        #expect(
            counts["SQLITE_CORRUPT", default: 0] + counts["not opened", default: 0] > 0, "\(counts)"
        )
        print(
            "\(count) damaged files: \(counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })"
        )
    }
}
