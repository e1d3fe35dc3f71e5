import GRDB
import GRDBTables
import GRDBTestSupport
import Testing

/// The tables that the examples refer to.
private let contentTables = """
    CREATE TABLE c(id INTEGER PRIMARY KEY, a TEXT, b TEXT);
    CREATE TABLE "c d"(id INTEGER PRIMARY KEY, a TEXT, "b b" TEXT);
    CREATE VIEW v AS SELECT id, a FROM c;
    CREATE TABLE shadowed(rowid, a TEXT);
    """

/// Expects that a table has this SQL in the schema.
private func expectTable<Module: VirtualTableModule>(
    _ sql: String, _ module: Module, options: VirtualTableOptions = [], line: Int = #line,
    _ body: ((Module.TableDefinition) throws -> Void)? = nil
) throws {
    try TestDatabases.makeQueue().write { db in
        try db.execute(sql: contentTables)
        try db.create(virtualTable: "t", options: options, using: module, body)
        let schema = options.contains(.temporary) ? "temp" : "main"
        let actual = try String.fetchOne(
            db, sql: "SELECT sql FROM \(schema).sqlite_master WHERE name = 't'")
        expectEqual(actual, "CREATE VIRTUAL TABLE \"t\" USING \(sql)", line: line)
    }
}

/// Expects that a table can't be created.
private func expectFailure<Module: VirtualTableModule>(
    _ message: String, _ module: Module, options: VirtualTableOptions = [], line: Int = #line,
    _ body: ((Module.TableDefinition) throws -> Void)? = nil
) throws {
    try expectSchemaError(
        "SQLite error 1: \(message)", contentTables, line: line
    ) { db in
        try db.create(virtualTable: "t", options: options, using: module, body)
    }
}

@Suite(.databases) struct FullTextTableTests {
    // MARK: - FTS3

    @Test func fts3() throws {
        try expectTable("fts3", FTS3())
        try expectTable("fts3", FTS3()) { _ in }
        try expectTable("fts3(a, b)", FTS3()) { t in
            t.column("a")
            t.column("b")
        }
        try expectTable("fts3(a, tokenize=simple)", FTS3()) { t in
            t.tokenizer = .simple
            t.column("a")
        }
        try expectTable("fts3(a, tokenize=porter)", FTS3()) { t in
            t.column("a")
            t.tokenizer = .porter
        }
        try expectTable("fts3(a)", FTS3(), options: [.temporary, .ifNotExists]) { $0.column("a") }
    }

    @Test func fts3Unicode61() throws {
        try expectTable("fts3(a, tokenize=unicode61)", FTS3()) { t in
            t.tokenizer = .unicode61()
            t.column("a")
        }
        try expectTable(
            #"fts3(a, tokenize=unicode61 "remove_diacritics=0" "separators=Xa" "tokenchars='-.")"#,
            FTS3()
        ) { t in
            t.tokenizer = .unicode61(
                diacritics: .keep, separators: ["a", "X"], tokenCharacters: ["-", "'", "."])
            t.column("a")
        }
        try expectTable(#"fts3(a, tokenize=unicode61 "remove_diacritics=2")"#, FTS3()) { t in
            t.tokenizer = .unicode61(diacritics: .remove)
            t.column("a")
        }
        // Quotes are doubled.
        try expectTable(#"fts3(a, tokenize=unicode61 "tokenchars=""'")"#, FTS3()) { t in
            t.tokenizer = .unicode61(tokenCharacters: ["\"", "'"])
            t.column("a")
        }
        try expectEqual(
            FTS3.tokenize("a\"b'c", withTokenizer: .unicode61(tokenCharacters: ["\""])),
            ["a\"b", "c"])
    }

    // MARK: - FTS4

    @Test func fts4() throws {
        try expectTable("fts4", FTS4())
        try expectTable(
            """
            fts4(a, notindexed=a, b, languageid="lid", tokenize=unicode61, content="c", \
            compress="lower", uncompress="upper", matchinfo="fts3", prefix="2,4,10", order="desc")
            """, FTS4()
        ) { t in
            t.order = .descending
            t.tokenizer = .unicode61()
            t.content = "c"
            t.compress = "lower"
            t.uncompress = "upper"
            t.matchinfo = "fts3"
            t.prefixes = [4, 2, 10]
            t.column("a").notIndexed()
            t.column("b")
            t.column("lid").asLanguageId()
        }
        try expectTable(#"fts4(a, prefix="")"#, FTS4()) { t in
            t.column("a")
            t.prefixes = []
        }
        try expectTable(#"fts4(a, content="c d")"#, FTS4()) { t in
            t.content = "c d"
            t.column("a")
        }
        try expectTable(#"fts4(content="c")"#, FTS4()) { $0.content = "c" }
        try expectTable(#"fts4(a, content="")"#, FTS4()) { t in
            t.content = ""
            t.column("a")
        }
        // A language id is not text.
        try expectTable(#"fts4(c, languageid="b")"#, FTS4()) { t in
            t.column("c")
            t.column("b").asLanguageId().notIndexed()
        }
    }

    @Test func languageIDs() throws {
        struct Document: TableRecord {
            static let databaseTableName = "document"
        }
        try TestDatabases.makeQueue().write { db in
            try db.create(virtualTable: "document", using: FTS4()) { t in
                t.column("content")
                t.column("lid").asLanguageId()
            }
            try db.execute(
                sql: """
                    INSERT INTO document(content, lid) VALUES ('hello world', 0), ('hello moon', 2)
                    """)
            let request = Document.matching(FTS3Pattern(matchingAllTokensIn: "hello"))
            try expectEqual(
                String.fetchAll(db, request.select(Column("content"), as: String.self)),
                ["hello world"])
            try expectEqual(
                String.fetchAll(
                    db,
                    request.filter(Column("lid") == 2).select(Column("content"), as: String.self)),
                ["hello moon"])
        }
    }

    @Test func orderedIndexes() throws {
        try TestDatabases.makeQueue().write { db in
            for (table, order) in [("t", FTS4.Order.ascending), ("u", .descending)] {
                try db.create(virtualTable: table, using: FTS4()) { t in
                    t.order = order
                    t.column("a")
                }
                try db.execute(sql: "INSERT INTO \(table) VALUES ('x'), ('x'), ('x')")
            }
            let sql = "SELECT rowid FROM"
            try expectEqual(Int.fetchAll(db, sql: "\(sql) t WHERE t MATCH 'x'"), [1, 2, 3])
            try expectEqual(Int.fetchAll(db, sql: "\(sql) u WHERE u MATCH 'x'"), [3, 2, 1])
        }
    }

    // MARK: - FTS5

    @Test func fts5() throws {
        try expectTable("fts5(a, b UNINDEXED)", FTS5()) { t in
            t.column("a")
            t.column("b").notIndexed()
        }
        try expectTable(
            """
            fts5(a, b UNINDEXED, tokenize='''porter'' ''unicode61'' ''remove_diacritics'' ''0'' \
            ''categories'' ''L* N*'' ''separators'' ''"''''x'' ''tokenchars'' ''-.''', \
            content='c', content_rowid='id', prefix='2 4 10', columnSize=0, detail=column)
            """, FTS5()
        ) { t in
            t.column("a")
            t.column("b").notIndexed()
            t.tokenizer = .porter(
                wrapping: .unicode61(
                    diacritics: .keep, categories: "L* N*", separators: ["'", "\"", "x"],
                    tokenCharacters: ["-", "."]))
            t.content = "c"
            t.contentRowID = "id"
            t.prefixes = [10, 2, 4]
            t.columnSize = 0
            t.detail = "column"
        }
        try expectTable("fts5(a, content='c d', content_rowid='b b')", FTS5()) { t in
            t.column("a")
            t.content = "c d"
            t.contentRowID = "b b"
        }
        try expectTable("fts5(a, content='v', content_rowid='id')", FTS5()) { t in
            t.column("a")
            t.content = "v"
            t.contentRowID = "id"
        }
        try expectTable("fts5(a, content='')", FTS5()) { t in
            t.column("a")
            t.content = ""
        }
        try expectTable("fts5(a, prefix='')", FTS5()) { t in
            t.column("a")
            t.prefixes = []
        }
        try expectTable("fts5(a, tokenize='''trigram'' ''case_sensitive'' ''1''')", FTS5()) { t in
            t.column("a")
            t.tokenizer = .trigram(caseSensitive: true)
        }
        try expectTable("fts5(a, tokenize='''ascii'' ''tokenchars'' ''-é''')", FTS5()) { t in
            t.column("a")
            t.tokenizer = .ascii(tokenCharacters: ["é", "-"])
        }
        try expectTable("fts5(a)", FTS5(), options: .temporary) { $0.column("a") }
    }

    @Test func fts5Flags() throws {
        try expectTable(
            "fts5(a, b UNINDEXED, content='', contentless_delete=1, contentless_unindexed=1)",
            FTS5()
        ) { t in
            t.column("a")
            t.column("b").notIndexed()
            t.content = ""
            t.contentlessDelete = true
            t.contentlessUnindexed = true
        }
        try expectTable("fts5(a, tokendata=1, locale=1)", FTS5()) { t in
            t.column("a")
            t.tokenData = true
            t.locale = true
        }
    }

    @Test func contentlessTables() throws {
        try TestDatabases.makeQueue().write { db in
            try db.create(virtualTable: "t", using: FTS5()) { t in
                t.content = ""
                t.contentlessDelete = true
                t.contentlessUnindexed = true
                t.column("a")
                t.column("b").notIndexed()
            }
            try db.execute(sql: "INSERT INTO t VALUES ('hello', 'x'), ('hello world', 'y')")
            let rows = "SELECT rowid, a, b FROM t WHERE t MATCH 'hello'"
            try expectEqual(
                Row.fetchAll(db, sql: rows),
                [
                    ["rowid": 1, "a": nil, "b": "x"], ["rowid": 2, "a": nil, "b": "y"],
                ])
            try db.execute(sql: "DELETE FROM t WHERE rowid = 1")
            try expectEqual(Row.fetchAll(db, sql: rows), [["rowid": 2, "a": nil, "b": "y"]])
        }
    }

    @Test func locales() throws {
        try TestDatabases.makeQueue().write { db in
            try db.create(virtualTable: "t", using: FTS5()) { t in
                t.locale = true
                t.column("a")
            }
            try db.execute(sql: "INSERT INTO t VALUES (fts5_locale('fr_FR', 'bonjour'))")
            try expectEqual(
                Row.fetchOne(
                    db, sql: "SELECT a, fts5_get_locale(t, 0) AS l FROM t WHERE t MATCH 'bonjour'"),
                ["a": "bonjour", "l": "fr_FR"])
        }
    }

    /// Searches find any part of the text.
    @Test func trigrams() throws {
        func matches(_ tokenizer: FTS5TokenizerDescriptor, _ query: String) throws -> Int {
            try TestDatabases.makeQueue().write { db in
                try db.create(virtualTable: "t", using: FTS5()) { t in
                    t.tokenizer = tokenizer
                    t.column("a")
                }
                try db.execute(sql: "INSERT INTO t VALUES ('Saint-Jérôme')")
                return try Int.fetchOne(
                    db, sql: "SELECT COUNT(*) FROM t WHERE t MATCH ?", arguments: ["\"\(query)\""])!
            }
        }
        try expectEqual(matches(.trigram(), "nt-j"), 1)
        try expectEqual(matches(.trigram(caseSensitive: true), "nt-j"), 0)
        try expectEqual(matches(.trigram(caseSensitive: true), "nt-J"), 1)
        try expectEqual(matches(.trigram(), "rom"), 0)
        try expectEqual(matches(.trigram(removesDiacritics: true), "rom"), 1)
        expectError(DatabaseError.self) {
            try matches(.trigram(caseSensitive: true, removesDiacritics: true), "rom")
        }
    }

    // MARK: - Names

    /// Names that need quotes get them, in the module as well as in triggers.
    @Test func names() throws {
        let names = ["b c", "it's", "q\"q", "1st", "a,b", "(", "é", "order", "tokenize", "x-y"]
        try TestDatabases.makeQueue().write { db in
            try db.create(table: "it's") { t in
                t.autoIncrementedPrimaryKey("i d")
                for name in names { t.column(name, .text) }
            }
            try db.create(virtualTable: "f\"3", using: FTS3()) { t in
                for name in names + ["a=b"] { t.column(name) }
            }
            try db.create(virtualTable: "f\"4", using: FTS4()) { t in
                t.synchronize(withTable: "it's")
                for name in names { t.column(name).notIndexed() }
            }
            try db.create(virtualTable: "f\"5", using: FTS5()) { t in
                t.synchronize(withTable: "it's")
                for name in names { t.column(name) }
            }
            try expectEqual(db.columns(in: "f\"3").map(\.name), names + ["a=b"])
            try expectEqual(db.columns(in: "f\"4").map(\.name), names)
            try expectEqual(db.columns(in: "f\"5").map(\.name), names)
            try db.execute(sql: "INSERT INTO \"it's\"(\"it's\") VALUES ('hello')")
            try db.execute(sql: "UPDATE \"it's\" SET \"it's\" = 'bye'")
            try expectEqual(
                Int.fetchOne(
                    db, sql: "SELECT rowid FROM \"f\"\"5\" WHERE \"f\"\"5\" MATCH 'bye'"),
                1)
            try db.execute(fts5Command: .integrityCheck(), on: "f\"5")
            try db.dropFTS4SynchronizationTriggers(forTable: "f\"4")
            try db.dropFTS5SynchronizationTriggers(forTable: "f\"5")
            try expectTrue(db.triggers(on: "it's").isEmpty)
        }
    }

    // MARK: - Errors

    @Test func namesThatCannotBe() throws {
        func define(_ names: String...) -> (FTS4TableDefinition) -> Void {
            { t in for name in names { t.column(name) } }
        }
        try expectFailure("can't create table t: empty column name", FTS4(), define("a", ""))
        try expectFailure(
            "can't create table t: duplicate column name: A", FTS4(), define("a", "A"))
        try expectFailure(
            "can't create table t: FTS4 has a hidden column t of its own", FTS4(), define("T"))
        try expectFailure(
            "can't create table t: FTS4 has a hidden column docid of its own", FTS4(),
            define("docid"))
        try expectFailure(
            "can't create table t: columns of FTS4 tables can't have an equals sign: a=b", FTS4(),
            define("a=b"))
        try expectFailure("can't create table t: several language ids: a, b", FTS4()) { t in
            t.column("a").asLanguageId()
            t.column("b").asLanguageId()
        }
        try expectFailure("can't create table t: duplicate column name: a", FTS3()) { t in
            t.column("a")
            t.column("a")
        }
        try expectFailure("can't create table t: FTS5 tables need a column", FTS5())
        try expectFailure("can't create table t: duplicate column name: a", FTS5()) { t in
            t.column("a")
            t.column("a")
        }
        try expectFailure(
            "can't create table t: FTS5 has a hidden column t of its own", FTS5()
        ) { t in
            t.column("t")
        }
        try expectFailure(
            """
            reserved fts5 column name: rank - while executing \
            `CREATE VIRTUAL TABLE "t" USING fts5(rank)`
            """, FTS5()
        ) { t in
            t.column("rank")
        }
    }

    @Test func contentTablesMustExist() throws {
        try expectFailure("no such table: missing", FTS4()) { t in
            t.content = "missing"
            t.column("a")
        }
        try expectFailure("no such table: missing", FTS5()) { t in
            t.content = "missing"
            t.column("a")
        }
        try expectFailure("no such table: missing", FTS4()) { t in
            t.synchronize(withTable: "missing")
            t.column("a")
        }
        try expectFailure("no such table: missing", FTS5()) { t in
            t.synchronize(withTable: "missing")
            t.column("a")
        }
        try expectFailure("no such column: c.missing", FTS5()) { t in
            t.content = "c"
            t.contentRowID = "missing"
            t.column("a")
        }
        // SQLite looks in the schema of the full-text table.
        try expectFailure("no such table: temp.c", FTS5(), options: .temporary) { t in
            t.content = "c"
            t.column("a")
        }
        try expectFailure(
            "FTS4 tables can't index table shadowed: its column rowid hides the rowid", FTS4()
        ) { t in
            t.content = "shadowed"
            t.column("a")
        }
    }

    @Test func existingTablesAreNotChecked() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: contentTables)
            try db.create(virtualTable: "t", using: FTS5()) { t in
                t.synchronize(withTable: "c")
                t.column("a")
            }
            // Does nothing, nor makes the triggers twice.
            try db.create(virtualTable: "t", options: .ifNotExists, using: FTS5()) { t in
                t.synchronize(withTable: "c")
                t.column("a")
            }
            try expectEqual(db.triggers(on: "c").map(\.name), ["__t_ai", "__t_ad", "__t_au"])
        }
    }

    /// The errors of SQLite come through.
    @Test func optionsThatSQLiteRefuses() throws {
        let options: [(String, String, (FTS5TableDefinition) -> Void)] = [
            ("prefix length out of range (max 999)", "prefix='0'", { $0.prefixes = [0] }),
            ("malformed detail=... directive", "detail=zz", { $0.detail = "zz" }),
            ("malformed detail=... directive", "detail='a)'", { $0.detail = "a)" }),
            ("malformed columnsize=... directive", "columnSize=3", { $0.columnSize = 3 }),
            (
                "contentless_delete=1 requires a contentless table", "contentless_delete=1",
                { $0.contentlessDelete = true }
            ),
            (
                "no such tokenizer: nope", "tokenize='''nope'''",
                { $0.tokenizer = FTS5TokenizerDescriptor(components: ["nope"]) }
            ),
        ]
        for (message, option, define) in options {
            try expectFailure(
                """
                \(message) - while executing `CREATE VIRTUAL TABLE "t" USING fts5(a, \(option))`
                """, FTS5()
            ) { t in
                t.column("a")
                define(t)
            }
        }
    }

    @Test func optionsThatFTS4Refuses() throws {
        try expectFailure(
            """
            error parsing prefix parameter: -1 - while executing \
            `CREATE VIRTUAL TABLE "t" USING fts4(a, prefix="-1")`
            """, FTS4()
        ) { t in
            t.column("a")
            t.prefixes = [-1]
        }
        try expectFailure(
            """
            missing uncompress parameter in fts4 constructor - while executing \
            `CREATE VIRTUAL TABLE "t" USING fts4(a, compress="zip")`
            """, FTS4()
        ) { t in
            t.column("a")
            t.compress = "zip"
        }
        try expectFailure(
            """
            unknown tokenizer: nope - while executing \
            `CREATE VIRTUAL TABLE "t" USING fts4(a, tokenize=nope)`
            """, FTS4()
        ) { t in
            t.column("a")
            t.tokenizer = FTS3TokenizerDescriptor(components: ["nope"])
        }
    }

    /// What was read of a definition that was written.
    @Test func contentProperties() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: contentTables)
            try db.create(virtualTable: "t", using: FTS5()) { t in
                t.column("a")
                expectTrue(t.content == nil && t.contentRowID == nil)
                t.content = "v"
                t.contentRowID = "id"
                expectTrue(t.content == "v" && t.contentRowID == "id")
                t.synchronize(withTable: "c")
                expectTrue(t.content == "c" && t.contentRowID == nil)
                t.content = nil
                expectTrue(t.content == nil && t.contentRowID == nil)
            }
            try db.create(virtualTable: "u", using: FTS4()) { t in
                t.column("a")
                t.synchronize(withTable: "c")
                expectEqual(t.content, "c")
                t.content = "c d"
            }
            try expectTrue(db.triggers(on: "c").isEmpty)
        }
    }
}
