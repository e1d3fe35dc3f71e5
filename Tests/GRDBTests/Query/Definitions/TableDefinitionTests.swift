import GRDBQueries
import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct TableDefinitionTests {
    @Test func documentedTable() throws {
        try expectSchemaSQL(
            """
            CREATE TABLE "place" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "title" TEXT, \
            "favorite" BOOLEAN NOT NULL DEFAULT 0, "longitude" DOUBLE NOT NULL, \
            "latitude" DOUBLE NOT NULL)
            """
        ) { db in
            try db.create(table: "place") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("title", .text)
                t.column("favorite", .boolean).notNull().defaults(to: false)
                t.column("longitude", .double).notNull()
                t.column("latitude", .double).notNull()
            }
        } then: { db throws in
            let columns = try db.columns(in: "place")
            expectEqual(columns.map(\.name), ["id", "title", "favorite", "longitude", "latitude"])
            expectEqual(columns.map(\.type), ["INTEGER", "TEXT", "BOOLEAN", "DOUBLE", "DOUBLE"])
            expectEqual(columns.map(\.isNotNull), [false, false, true, true, true])
            expectEqual(columns.map(\.defaultValueSQL), [nil, nil, "0", nil, nil])
            expectEqual(columns.map(\.primaryKeyIndex), [1, 0, 0, 0, 0])
            try expectEqual(db.primaryKey("place").rowIDColumn, "id")
        }
    }

    @Test func idsOfDeletedRowsAreNotReused() throws {
        try TestDatabases.makeQueue().write { db in
            try db.create(table: "place") { $0.autoIncrementedPrimaryKey("id") }
            var ids: [Int64] = []
            for _ in 0..<3 {
                try db.execute(sql: "INSERT INTO place DEFAULT VALUES")
                ids.append(db.lastInsertedRowID)
                try db.execute(sql: "DELETE FROM place")
            }
            expectEqual(ids, [1, 2, 3])
        }
    }

    @Test func options() throws {
        try expectSchemaSQL(
            """
            CREATE TEMPORARY TABLE IF NOT EXISTS "player" ("a")
            CREATE TABLE "country2" ("a" TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID
            CREATE TEMPORARY TABLE IF NOT EXISTS "old" ("a" PRIMARY KEY) WITHOUT ROWID
            CREATE TABLE "older" ("a")
            """
        ) { db in
            try db.create(table: "player", options: [.temporary, .ifNotExists]) { t in
                t.column("a")
            }
            try db.create(table: "country2", options: [.strict, .withoutRowID]) { t in
                t.primaryKey("a", .text)
            }
            try db.create(
                table: "old", temporary: true, ifNotExists: true, withoutRowID: true
            ) { t in
                t.column("a").primaryKey()
            }
            try db.create(table: "older") { $0.column("a") }
        } then: { db throws in
            try expectTrue(db.tableExists("player", in: "temp"))
            try expectTrue(!db.tableExists("player", in: "main"))
            expectError(DatabaseError.self) {
                try db.execute(sql: "INSERT INTO country2 VALUES (x'00')")
            }
        }
    }

    @Test func types() throws {
        let types: [Database.ColumnType] = [
            .text, .integer, .double, .numeric, .boolean, .blob, .date, .datetime, .any,
            .jsonText, .jsonb, .real, .init(rawValue: "VARCHAR(10)"), .init(rawValue: ""),
        ]
        let names = [
            "TEXT", "INTEGER", "DOUBLE", "NUMERIC", "BOOLEAN", "BLOB", "DATE", "DATETIME", "ANY",
            "TEXT", "BLOB", "REAL", "VARCHAR(10)", "",
        ]
        try TestDatabases.makeQueue().write { db in
            try db.create(table: "t") { t in
                for (index, type) in types.enumerated() { t.column("c\(index)", type) }
                t.column("untyped")
            }
            try expectEqual(db.columns(in: "t").map(\.type), names + [""])
        }
    }

    // MARK: - Columns

    @Test func columnConstraints() throws {
        try expectSchemaSQL(
            """
            CREATE TABLE "t" ("email" TEXT NOT NULL, "name" TEXT DEFAULT 'O''Reilly', \
            "flag" BOOLEAN NOT NULL DEFAULT 0, "creationDate" DATETIME DEFAULT CURRENT_TIMESTAMP, \
            "mail" TEXT UNIQUE, "score" INTEGER, \
            "conflicts" TEXT NOT NULL ON CONFLICT IGNORE UNIQUE ON CONFLICT REPLACE, \
            "all" TEXT NOT NULL UNIQUE CHECK (length("all") > 0) CHECK (1) DEFAULT 'x' \
            COLLATE NOCASE)
            CREATE INDEX "t_on_score" ON "t"("score")
            """
        ) { db in
            try db.create(table: "t") { t in
                t.column("email", .text).notNull()
                t.column("name", .text).defaults(to: "O'Reilly")
                t.column("flag", .boolean).notNull().defaults(to: false)
                t.column("creationDate", .datetime).defaults(sql: "CURRENT_TIMESTAMP")
                t.column("mail", .text).unique()
                t.column("score", .integer).indexed()
                t.column("conflicts", .text)
                    .notNull(onConflict: .ignore).unique(onConflict: .replace)
                t.column("all", .text)
                    .collate(.nocase).defaults(to: "x").check { SQL("length(\($0)) > \(0)") }
                    .check(sql: "1").unique().indexed().notNull()
            }
        } then: { db throws in
            let indexes = try db.indexes(on: "t")
            expectEqual(indexes.map(\.columns), [["score"], ["all"], ["mail"], ["conflicts"]])
            expectEqual(indexes.map(\.isUnique), [false, true, true, true])
            expectEqual(
                indexes.map(\.origin),
                [
                    .createIndex, .uniqueConstraint, .uniqueConstraint, .uniqueConstraint,
                ])
        }
    }

    @Test func defaults() throws {
        let values: [(any DatabaseValueConvertible, String)] = [
            (1, "1"), (-1, "-1"), (Int64.min, "-9223372036854775808"), (1.5, "1.5"),
            (-Double.infinity, "-9e999"), (true, "1"), (Data([1, 0xff]), "X'01FF'"),
            (Date(timeIntervalSince1970: 0), "'1970-01-01 00:00:00.000'"),
            (DatabaseValue.null, "NULL"), ("it's", "'it''s'"), ("", "''"),
            ("a\0b", "CAST(X'610062' AS TEXT)"),
        ]
        try TestDatabases.makeQueue().write { db in
            func define(
                _ t: TableDefinition, _ name: String, _ value: some DatabaseValueConvertible
            ) {
                t.column(name).defaults(to: value)
            }
            try db.create(table: "t") { t in
                for (index, value) in values.enumerated() { define(t, "c\(index)", value.0) }
                t.column("expression").defaults(to: SQL("1 + \(2)"))
            }
            try expectEqual(db.columns(in: "t").map(\.defaultValueSQL), values.map(\.1) + ["1 + 2"])
            try db.execute(sql: "INSERT INTO t DEFAULT VALUES")
            let row = try unwrap(Row.fetchOne(db, sql: "SELECT * FROM t"))
            expectEqual(
                Array(row.databaseValues),
                values.map(\.0.databaseValue) + [3.databaseValue])
        }
    }

    @Test func collations() throws {
        try expectSchemaSQL(
            """
            CREATE TABLE "t" ("a" COLLATE NOCASE, "b" COLLATE RTRIM, "c" COLLATE "my ""own\""")
            """
        ) { db in
            let own = DatabaseCollation("my \"own\"") { $0.compare($1) }
            db.add(collation: own)
            try db.create(table: "t") { t in
                t.column("a").collate(.nocase)
                t.column("b").collate(.binary).collate(.rtrim)
                t.column("c").collate(own)
            }
        }
    }

    @Test func generatedColumns() throws {
        try expectSchemaSQL(
            """
            CREATE TABLE "t" ("score" INTEGER, "bonus" INTEGER, \
            "total" INTEGER GENERATED ALWAYS AS (score + bonus) VIRTUAL, \
            "stored" GENERATED ALWAYS AS ("score" * 2) STORED)
            """
        ) { db in
            try db.create(table: "t") { t in
                t.column("score", .integer)
                t.column("bonus", .integer)
                t.column("total", .integer).generatedAs(sql: "score + bonus")
                t.column("stored").generatedAs(SQL("\(Column("score")) * \(2)"), .stored)
            }
        } then: { db throws in
            let columns = try db.columns(in: "t")
            expectEqual(columns.map(\.isGenerated), [false, false, true, true])
            expectEqual(columns.map(\.isStored), [true, true, false, true])
            try db.execute(sql: "INSERT INTO t VALUES (1, 2)")
            try expectEqual(
                Row.fetchOne(db, sql: "SELECT total, stored FROM t"),
                [
                    "total": 3, "stored": 2,
                ])
        }
    }

    @Test func sqlColumnsAndConstraints() throws {
        try expectSchemaSQL(
            """
            CREATE TABLE "t" (name TEXT, nick TEXT DEFAULT 'O''Reilly', "a" INTEGER, "b" INTEGER, \
            UNIQUE ("a", "b"), UNIQUE ("b") ON CONFLICT REPLACE, CHECK ("a" + "b" < 10), \
            CHECK (a + b < 20), CHECK (a + b < 30), CONSTRAINT foo CHECK (name <> 'admin'))
            """
        ) { db in
            try db.create(table: "t") { t in
                t.column(sql: "name TEXT")
                t.column(literal: "nick TEXT DEFAULT \("O'Reilly")")
                t.constraint(sql: "CHECK (a + b < 30)")
                t.constraint(literal: "CONSTRAINT foo CHECK (name <> \("admin"))")
                t.check(SQL("\(Column("a")) + \(Column("b")) < \(10)"))
                t.check(sql: "a + b < 20")
                t.uniqueKey(["a", "b"])
                t.uniqueKey(["b"], onConflict: .replace)
                t.column("a", .integer)
                t.column("b", .integer)
            }
        }
    }

    // MARK: - Primary keys

    @Test func primaryKeys() throws {
        try expectSchemaSQL(
            """
            CREATE TABLE "t1" ("id" INTEGER PRIMARY KEY ON CONFLICT REPLACE AUTOINCREMENT)
            CREATE TABLE "t2" ("uuid" TEXT PRIMARY KEY NOT NULL)
            CREATE TABLE "t3" ("id" INTEGER PRIMARY KEY ON CONFLICT IGNORE)
            CREATE TABLE "t4" ("id" integer PRIMARY KEY)
            CREATE TABLE "t5" ("id" TEXT PRIMARY KEY)
            CREATE TABLE "t6" ("a" INTEGER, "b", PRIMARY KEY ("a", "b") ON CONFLICT FAIL)
            CREATE TABLE "t7" ("a" INTEGER NOT NULL, PRIMARY KEY ("a"))
            CREATE TABLE "t8" ("a", "b", PRIMARY KEY ("a", "b" DESC))
            """
        ) { db in
            try db.create(table: "t1") { $0.autoIncrementedPrimaryKey("id", onConflict: .replace) }
            try db.create(table: "t2") { $0.primaryKey("uuid", .text) }
            try db.create(table: "t3") { $0.primaryKey("id", .integer, onConflict: .ignore) }
            try db.create(table: "t4") { $0.primaryKey("id", .init(rawValue: "integer")) }
            try db.create(table: "t5") { $0.column("id", .text).primaryKey() }
            try db.create(table: "t6") { t in
                t.primaryKey(["a", "b"], onConflict: .fail)
                t.column("a", .integer)
                t.column("b")
            }
            try db.create(table: "t7") { t in t.primaryKey { t.column("a", .integer) } }
            try db.create(table: "t8") { t in
                t.column("a")
                t.column("b")
                t.primaryKey(terms: [Column("a"), SQL("\(Column("b")) DESC")])
            }
        } then: { db throws in
            try expectEqual(db.primaryKey("t1"), .rowIDAlias("id"))
            try expectEqual(db.primaryKey("t2"), .columns(["uuid"], hasRowID: true))
            try expectEqual(db.primaryKey("t4"), .rowIDAlias("id"))
            try expectEqual(db.primaryKey("t6").columns, ["a", "b"])
            try expectEqual(db.columns(in: "t6").map(\.isNotNull), [false, false])
            try expectEqual(db.primaryKey("t8").columns, ["a", "b"])
        }
    }

    @Test func documentedCompositePrimaryKey() throws {
        try expectSchemaSQL(
            """
            CREATE TABLE "membership" ("teamName" TEXT NOT NULL, "position" INTEGER NOT NULL, \
            "teamId" INTEGER NOT NULL REFERENCES "team"("id"), \
            "parentsC" INTEGER NOT NULL, "parentsD" TEXT NOT NULL, "role" TEXT, \
            PRIMARY KEY ("teamName", "position", "teamId", "parentsC", "parentsD") \
            ON CONFLICT ROLLBACK, \
            FOREIGN KEY ("parentsC", "parentsD") REFERENCES "parents"("c", "d"))
            """
        ) { db in
            try db.create(table: "membership") { t in
                t.primaryKey(onConflict: .rollback) {
                    t.column("teamName", .text)
                    t.column("position", .integer)
                    t.belongsTo("team")
                    t.belongsTo("parents")
                }
                t.column("role", .text)
            }
        } then: { db throws in
            try expectEqual(
                db.primaryKey("membership").columns,
                ["teamName", "position", "teamId", "parentsC", "parentsD"])
            try expectEqual(db.indexes(on: "membership").map(\.origin), [.primaryKeyConstraint])
        }
    }

    @Test func primaryKeyClosureKeepsNotNullConflicts() throws {
        try expectSchemaSQL(
            """
            CREATE TABLE "t" ("a" NOT NULL ON CONFLICT FAIL, \
            "teamId" INTEGER NOT NULL ON CONFLICT IGNORE REFERENCES "team"("id"), \
            PRIMARY KEY ("a", "teamId"))
            """
        ) { db in
            try db.create(table: "t") { t in
                t.primaryKey {
                    t.column("a").notNull(onConflict: .fail)
                    t.belongsTo("team").notNull(onConflict: .ignore)
                }
            }
        }
    }

    // MARK: - Failures

    @Test func existingTable() throws {
        try expectSchemaError(
            """
            SQLite error 1: table "team" already exists - while executing \
            `CREATE TABLE "team" ("a")`
            """
        ) { try $0.create(table: "team") { $0.column("a") } }
        try expectSchemaSQL("CREATE TABLE IF NOT EXISTS \"team\" (\"a\")") { db in
            try db.create(table: "team", options: .ifNotExists) { $0.column("a") }
        }
    }

    @Test func failedIndexLeavesNoTable() throws {
        try expectSchemaError(
            """
            SQLite error 1: index t_on_a already exists - while executing \
            `CREATE INDEX "t_on_a" ON "t"("a")`
            """, "CREATE INDEX t_on_a ON team(id)"
        ) { try $0.create(table: "t") { $0.column("a").indexed() } }
    }

    @Test func errorsOfTheClosureAreThrown() throws {
        try expectSchemaError("TestError body") { db in
            try db.create(table: "t") { t in
                t.column("a")
                throw TestError("body")
            }
        }
        try expectSchemaError("TestError key") { db in
            try db.create(table: "t") { t in
                try t.primaryKey {
                    t.column("a")
                    throw TestError("key")
                }
            }
        }
    }

    @Test func severalPrimaryKeys() throws {
        try expectSchemaError(
            """
            SQLite error 1: table "t" has more than one primary key - while executing \
            `CREATE TABLE "t" ("a" PRIMARY KEY, "b", PRIMARY KEY ("b"))`
            """
        ) { db in
            try db.create(table: "t") { t in
                t.column("a").primaryKey()
                t.column("b")
                t.primaryKey(["b"])
            }
        }
    }

    @Test func primaryKeyOnSQLColumn() throws {
        try expectSchemaError(
            """
            SQLite error 21: primary key of table t can't be defined on a column defined by SQL \
            text
            """
        ) { db in
            try db.create(table: "t") { t in t.primaryKey { t.column(sql: "a TEXT") } }
        }
    }

    @Test func emptyNames() throws {
        let message = "SQLite error 21: empty identifier"
        try expectSchemaError(message) { try $0.create(table: "") { $0.column("a") } }
        try expectSchemaError(message) { try $0.create(table: "t") { $0.column("") } }
        try expectSchemaError(message) { db in
            try db.create(table: "t") { t in
                t.column("a")
                t.uniqueKey([""])
            }
        }
        try expectSchemaError(message) { try $0.rename(table: "team", to: "") }
        try expectSchemaError(message) { db in
            try db.alter(table: "team") { $0.rename(column: "id", to: "") }
        }
        try expectSchemaError(message) { db in
            try db.create(index: "", on: "team", columns: ["id"])
        }
        try expectSchemaError(message) { try $0.create(view: "", asLiteral: "SELECT 1") }
    }

    @Test func literalsTakeNoArguments() throws {
        try expectSchemaError(
            """
            SQLite error 21: SQL with arguments can't be used where literals are required - while \
            executing `a DEFAULT ?`
            """
        ) { db in
            try db.create(table: "t") {
                $0.column(literal: SQL(sql: "a DEFAULT ?", arguments: [1]))
            }
        }
    }

    @Test func readOnlyAccess() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.read { db in
            expectError(
                """
                SQLite error 8: attempt to write a readonly database - while executing \
                `CREATE TABLE "t" ("a")`
                """
            ) { try db.create(table: "t") { $0.column("a") } }
        }
    }
}
