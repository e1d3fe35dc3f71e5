import GRDB
import GRDBTables
import GRDBTestSupport
import Testing

@Suite(.databases) struct FullTextCommandTests {
    private func inTable(_ module: String, _ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE book USING \(module);
                    INSERT INTO book(rowid, title) VALUES (1, 'Moby-Dick'), (2, 'Emma');
                    """)
            try body(db)
        }
    }

    private func sql(_ body: () throws -> Void) rethrows -> [String] {
        try TestDatabases.sql(of: body).filter { $0.hasPrefix("INSERT") }
    }

    // MARK: - FTS3 and FTS4

    @Test(arguments: [
        (FTS3Command.optimize, "optimize"), (.rebuild, "rebuild"),
        (.integrityCheck, "integrity-check"), (.merge(blocks: 200), "merge=200,8"),
        (.merge(blocks: 200, segments: 4), "merge=200,4"),
        (.automerge(segments: 8), "automerge=8"),
    ])
    func fts4Commands(_ command: FTS3Command, _ text: String) throws {
        for module in ["fts3(title)", "fts4(title)"] {
            try inTable(module) { db in
                let sql = try sql { try db.execute(fts3Command: command, on: "book") }
                expectEqual(sql, ["INSERT INTO \"book\"(\"book\") VALUES('\(text)')"])
                try expectEqual(
                    Int.fetchAll(db, sql: "SELECT rowid FROM book WHERE book MATCH 'emma'"),
                    [2])
            }
        }
    }

    @Test func fts4Failures() throws {
        try inTable("fts4(title)") { db in
            expectError(
                """
                SQLite error 1: full-text command failed: merge=-1,1 - while executing \
                `INSERT INTO "book"("book") VALUES('merge=-1,1')`
                """
            ) {
                try db.execute(fts3Command: .merge(blocks: -1, segments: 1), on: "book")
            }
            expectError(
                """
                SQLite error 1: no such table: zz - while executing \
                `INSERT INTO "zz"("zz") VALUES('optimize')`
                """
            ) {
                try db.execute(fts3Command: .optimize, on: "zz")
            }
            try db.execute(sql: "UPDATE book_content SET c0title = 'Persuasion' WHERE docid = 2")
            expectError(
                """
                SQLite error 11: database disk image is malformed - while executing \
                `INSERT INTO "book"("book") VALUES('integrity-check')`
                """
            ) {
                try db.execute(fts3Command: .integrityCheck, on: "book")
            }
            try db.execute(fts3Command: .rebuild, on: "book")
            try db.execute(fts3Command: .integrityCheck, on: "book")
            try expectEqual(
                Int.fetchAll(db, sql: "SELECT rowid FROM book WHERE book MATCH 'persuasion'"),
                [2])
        }
    }

    // MARK: - FTS5

    @Test(
        arguments: [
            (FTS5Command.optimize, "'optimize'", nil), (.rebuild, "'rebuild'", nil),
            (.integrityCheck(), "'integrity-check'", 1),
            (.integrityCheck(comparesContent: false), "'integrity-check'", 0),
            (.merge(pages: 500), "'merge'", 500), (.merge(pages: -500), "'merge'", -500),
            (.automerge(segments: 8), "'automerge'", 8),
            (.crisismerge(segments: 8), "'crisismerge'", 8),
            (.usermerge(segments: 8), "'usermerge'", 8),
            (.deletemerge(percentage: 20), "'deletemerge'", 20),
            (.pgsz(bytes: 4072), "'pgsz'", 4072), (.hashsize(bytes: 65536), "'hashsize'", 65536),
            (.secureDelete(true), "'secure-delete'", 1),
            (.secureDelete(false), "'secure-delete'", 0),
        ] as [(FTS5Command, String, Int?)])
    func fts5Commands(_ command: FTS5Command, _ name: String, _ value: Int?) throws {
        try inTable("fts5(title)") { db in
            let sql = try sql { try db.execute(fts5Command: command, on: "book") }
            expectEqual(
                sql,
                [
                    value.map { "INSERT INTO \"book\"(\"book\", \"rank\") VALUES(\(name), \($0))" }
                        ?? "INSERT INTO \"book\"(\"book\") VALUES(\(name))"
                ])
            // Settings are stored.
            let isSetting = value != nil && name != "'merge'" && name != "'integrity-check'"
            try expectEqual(
                Int.fetchOne(db, sql: "SELECT v FROM book_config WHERE k = \(name)"),
                (isSetting ? value : nil))
            try expectEqual(
                Int.fetchAll(db, sql: "SELECT rowid FROM book WHERE book MATCH 'emma'"),
                [2])
        }
    }

    @Test func defaultRank() throws {
        try inTable("fts5(title, body)") { db in
            try db.execute(
                sql: """
                    INSERT INTO book VALUES
                        ('whale', 'once upon a time'), ('a sea', 'whale whale'), ('x', 'y')
                    """)
            let sql = """
                SELECT title FROM book WHERE book MATCH 'whale' ORDER BY rank
                """
            try db.execute(fts5Command: .rank("bm25", [0.0, 1.0]), on: "book")
            try expectEqual(String.fetchAll(db, sql: sql), ["a sea", "whale"])
            try expectEqual(
                String.fetchOne(db, sql: "SELECT v FROM book_config WHERE k = 'rank'"),
                "bm25(0.0, 1.0)")
            try db.execute(fts5Command: .rank("bm25", [10, 1]), on: "book")
            try expectEqual(String.fetchAll(db, sql: sql), ["whale", "a sea"])
            try db.execute(fts5Command: .rank("bm25"), on: "book")
            try expectEqual(
                String.fetchOne(db, sql: "SELECT v FROM book_config WHERE k = 'rank'"),
                "bm25()")
            try db.execute(fts5Command: .rank("snippet", [0, "it's"]), on: "book")
            try expectEqual(
                String.fetchOne(db, sql: "SELECT v FROM book_config WHERE k = 'rank'"),
                "snippet(0, 'it''s')")
        }
    }

    @Test func deletedRows() throws {
        try inTable("fts5(title, body, content='')") { db in
            let sql = try sql {
                try db.execute(
                    fts5Command: .delete(rowID: 1, values: ["title": "Moby-Dick", "body": nil]),
                    on: "book")
            }
            expectEqual(
                sql,
                [
                    """
                    INSERT INTO "book"("book", "body", "rowid", "title") \
                    VALUES('delete', NULL, 1, 'Moby-Dick')
                    """
                ])
            try expectEqual(Int.fetchAll(db, sql: "SELECT rowid FROM book('moby')"), [])
            try expectEqual(Int.fetchAll(db, sql: "SELECT rowid FROM book('emma')"), [2])
            try db.execute(fts5Command: .deleteAll, on: "book")
            try expectEqual(Int.fetchAll(db, sql: "SELECT rowid FROM book('emma')"), [])
        }
    }

    /// Until there is nothing left to merge.
    @Test func merging() throws {
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            try db.create(virtualTable: "book", using: FTS5()) { $0.column("title") }
            try db.execute(fts5Command: .automerge(segments: 0), on: "book")
            for index in 0..<10 {
                try db.execute(
                    sql: "INSERT INTO book VALUES (?)", arguments: ["hello \(index)"])
            }
            // https://www.sqlite.org/fts5.html#the_merge_command
            try db.execute(fts5Command: .merge(pages: -500), on: "book")
            var turns = 0
            var count: Int
            repeat {
                count = db.totalChangesCount
                try db.execute(fts5Command: .merge(pages: 500), on: "book")
                turns += 1
            } while db.totalChangesCount - count > 1
            #expect(turns < 10)
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(DISTINCT segid) FROM book_idx"), 1)
        }
    }

    @Test func fts5Failures() throws {
        try inTable("fts5(title)") { db throws in
            for (command, description) in [
                (FTS5Command.automerge(segments: 100), "automerge 100"),
                (.usermerge(segments: 1), "usermerge 1"), (.pgsz(bytes: 1), "pgsz 1"),
                (.rank("not a function"), "rank 'not a function()'"),
                (.crisismerge(segments: .max), "crisismerge 9223372036854775807"),
            ] {
                let error = expectError(DatabaseError.self) {
                    try db.execute(fts5Command: command, on: "book")
                }
                expectEqual(error?.message, "full-text command failed: \(description)")
            }
            let error = expectError(DatabaseError.self) {
                try db.execute(fts5Command: .deleteAll, on: "book")
            }
            expectEqual(
                error?.message,
                """
                'delete-all' may only be used with a contentless or external content fts5 table
                """)
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM book_config"), 1)
        }
    }

    /// Only the comparison with the content table sees that the index is stale.
    @Test func staleIndexes() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE c(id INTEGER PRIMARY KEY, a);
                    CREATE VIRTUAL TABLE book USING fts5(a, content='c', content_rowid='id');
                    INSERT INTO c VALUES (1, 'x');
                    """)
            try db.execute(fts5Command: .integrityCheck(comparesContent: false), on: "book")
            let error = expectError(DatabaseError.self) {
                try db.execute(fts5Command: .integrityCheck(), on: "book")
            }
            expectEqual(error?.extendedResultCode, .SQLITE_CORRUPT_VTAB)
            try db.execute(fts5Command: .rebuild, on: "book")
            try db.execute(fts5Command: .integrityCheck(), on: "book")
        }
    }

    /// The command would be inserted.
    @Test func ordinaryTablesHaveNoCommands() throws {
        try TestDatabases.makeQueue(.file).writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(t, rank);
                    ATTACH ':memory:' AS other;
                    CREATE VIRTUAL TABLE other.t USING fts5(a);
                    CREATE TABLE u(u);
                    CREATE VIRTUAL TABLE ft USING fts5(a);
                    """)
            expectError(
                "SQLite error 1: full-text command failed: optimize: t is not a full-text table"
            ) { try db.execute(fts5Command: .optimize, on: "t", in: "main") }
            expectError(
                "SQLite error 1: full-text command failed: automerge 8: t is not a full-text table"
            ) { try db.execute(fts5Command: .automerge(segments: 8), on: "t", in: "main") }
            expectError(
                "SQLite error 1: full-text command failed: optimize: u is not a full-text table"
            ) { try db.execute(fts3Command: .optimize, on: "u") }
            try db.execute(fts5Command: .optimize, on: "t", in: "other")
            try db.execute(fts5Command: .optimize, on: "FT")
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM main.t"), 0)
            try expectEqual(Int.fetchOne(db, sql: "SELECT count(*) FROM u"), 0)
        }
    }
}
