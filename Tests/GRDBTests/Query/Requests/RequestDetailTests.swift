import GRDB
import GRDBTestSupport
import Testing

/// What requests and literals do in places where another query, a view or an alias is involved.
@Suite(.databases) struct RequestDetailTests {
    private struct ViewKeys: DatabaseSchemaSource {
        func columnsForPrimaryKey(
            _ db: Database, inView view: DatabaseObjectID
        ) throws -> [String]? {
            view.name == "keyed" ? ["id"] : nil
        }
    }

    private let dbQueue: DatabaseQueue

    init() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.schemaSource = ViewKeys()
        dbQueue = try TestDatabases.makeQueue(.memory, configuration)
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE citizen (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL, age);
                    CREATE TABLE passport (
                        id INTEGER PRIMARY KEY, citizenId INTEGER REFERENCES citizen);
                    CREATE TABLE country (code TEXT PRIMARY KEY);
                    CREATE TABLE pair (a TEXT, b TEXT, PRIMARY KEY (a, b)) WITHOUT ROWID;
                    CREATE TABLE loose (a TEXT, b TEXT);
                    CREATE TABLE hidden (rowid TEXT, oid TEXT, _rowid_ TEXT);
                    CREATE VIEW keyed AS SELECT * FROM citizen;
                    CREATE VIEW unkeyed AS SELECT id, name FROM citizen;
                    INSERT INTO citizen VALUES (1, 'Ann', 10), (2, 'Bob', 10), (3, 'Cid', 20);
                    INSERT INTO passport VALUES (1, 1), (2, 2);
                    """)
        }
    }

    private func sql(_ request: some FetchRequest) throws -> String {
        try dbQueue.read { try request.makePreparedRequest($0).statement.sql }
    }

    // MARK: - Queries in literals

    @Test func aQueryInALiteralIsItsOwn() throws {
        let passport = Table("passport")
        let alias = TableAlias(name: "p")
        let query = SQLRequest<Int>(
            literal: "SELECT \(Column("id")) FROM citizen WHERE \(Column("name")) = 'Ann'")
        try expectEqual(
            sql(passport.aliased(alias).filter(literal: "\(Column("citizenId")) IN (\(query))")),
            """
            SELECT "p".* FROM "passport" "p" WHERE "p"."citizenId" IN \
            (SELECT "id" FROM citizen WHERE "name" = 'Ann')
            """)
        try expectEqual(
            sql(passport.aliased(alias).select(literal: "(\(query)) AS x, \(Column("id"))")),
            """
            SELECT (SELECT "id" FROM citizen WHERE "name" = 'Ann') AS x, "p"."id" \
            FROM "passport" "p"
            """)
        // The query may refer to the tables around it.
        let unnamed = TableAlias()
        let reference = SQLRequest<Int>(
            literal: "SELECT \(Column("id")) FROM citizen WHERE id = \(unnamed["citizenId"])")
        try expectEqual(
            sql(passport.aliased(unnamed).filter(literal: "EXISTS (\(reference))")),
            """
            SELECT * FROM "passport" WHERE EXISTS \
            (SELECT "id" FROM citizen WHERE id = "passport"."citizenId")
            """)
        try dbQueue.read { db in
            try expectEqual(
                Int.fetchAll(
                    db,
                    passport.aliased(alias).filter(
                        literal: "\(Column("citizenId")) IN (\(query))")),
                [1])
            // A literal that is a query
            try expectEqual(SQLRequest<Int>(literal: "\(query)").fetchAll(db), [1])
            try expectEqual(SQLRequest<Int>(literal: "\(query)").fetchCount(db), 1)
        }
    }

    // MARK: - Existence

    @Test(arguments: [
        ("citizen", #""id" IS NOT NULL"#, #""id" IS NULL"#),
        ("country", #""rowid" IS NOT NULL"#, #""rowid" IS NULL"#),
        ("loose", #""rowid" IS NOT NULL"#, #""rowid" IS NULL"#),
        (
            "pair", #"("a" IS NOT NULL) OR ("b" IS NOT NULL)"#,
            #"("a" IS NULL) AND ("b" IS NULL)"#
        ),
        (
            "hidden",
            #"("rowid" IS NOT NULL) OR ("oid" IS NOT NULL) OR ("_rowid_" IS NOT NULL)"#,
            #"("rowid" IS NULL) AND ("oid" IS NULL) AND ("_rowid_" IS NULL)"#
        ),
        ("keyed", #""id" IS NOT NULL"#, #""id" IS NULL"#),
        (
            "unkeyed", #"("id" IS NOT NULL) OR ("name" IS NOT NULL)"#,
            #"("id" IS NULL) AND ("name" IS NULL)"#
        ),
    ])
    func existence(_ table: String, _ exists: String, _ missing: String) throws {
        let alias = TableAlias()
        let request = Table(table).aliased(alias)
        try expectEqual(sql(request.select(alias.exists)), #"SELECT \#(exists) FROM "\#(table)""#)
        try expectEqual(sql(request.select(!alias.exists)), #"SELECT \#(missing) FROM "\#(table)""#)
        try expectEqual(
            sql(request.filter(alias.exists == false)),
            #"SELECT * FROM "\#(table)" WHERE (\#(exists)) = ?"#)
    }

    // MARK: - Stable order

    @Test func stableOrder() throws {
        for (table, order) in [
            ("citizen", #""id""#), ("pair", #""a", "b""#), ("loose", #""rowid""#),
            ("keyed", #""id""#), ("unkeyed", "1, 2"),
        ] {
            try expectEqual(
                sql(Table(table).all().withStableOrder()),
                #"SELECT * FROM "\#(table)" ORDER BY \#(order)"#)
        }
    }

    // MARK: - Statements from literals

    @Test func placeholdersOfLiterals() throws {
        try dbQueue.read { db in
            let statement = try db.makeStatement(literal: "SELECT ?")
            try expectEqual(Int.fetchAll(statement, arguments: [3]), [3])
            let named = try db.makeStatement(literal: "SELECT :a")
            named.arguments = ["a": 1]
            try expectEqual(Int.fetchAll(named), [1])
            let cached = try db.cachedStatement(literal: "SELECT ? + 1")
            try expectEqual(Int.fetchAll(cached, arguments: [3]), [4])
            let statements = try Array(db.allStatements(literal: "SELECT ?; SELECT ?2 - ?1"))
            try expectEqual(Int.fetchAll(statements[0], arguments: [1]), [1])
            try expectEqual(Int.fetchAll(statements[1], arguments: [1, 3]), [2])
            // Without arguments at all, nothing is executed.
            expectError(
                """
                SQLite error 21: wrong number of statement arguments: 0, expected 1 - \
                while executing `SELECT ? + 2`
                """
            ) {
                try Int.fetchAll(db.makeStatement(literal: "SELECT ? + 2"))
            }
            expectError(
                """
                SQLite error 21: wrong number of statement arguments: 1, expected 2 - \
                while executing `SELECT ?, ?`
                """
            ) {
                try db.makeStatement(literal: "SELECT ?, \(3)")
            }
        }
    }

    // MARK: - Counts, common tables, keys

    @Test func noColumnsOfACommonTable() throws {
        let cte = CommonTableExpression(named: "c", columns: [], sql: "SELECT 1 AS x")
        try expectEqual(
            sql(cte.all().with(cte)),
            #"WITH "c" AS (SELECT 1 AS x) SELECT * FROM "c""#)
        try expectEqual(dbQueue.read { try cte.all().with(cte).fetchOne($0) }, ["x": 1])
    }

    @Test func countsOfAliasedTerms() throws {
        let (name, alias) = (Column("name"), Column("name").forKey("n"))
        let citizen = Table("citizen")
        try dbQueue.read { db in
            // The schema is looked at before.
            _ = try db.columns(in: "citizen")
            try expectSQL(
                """
                SELECT COUNT(*) FROM "citizen"
                SELECT COUNT(DISTINCT "name") FROM "citizen"
                SELECT COUNT(*) FROM (SELECT *, "name" AS "n" FROM "citizen")
                SELECT COUNT(*) FROM (SELECT "name" AS "n", "id" FROM "citizen")
                SELECT COUNT(*) FROM "citizen"
                """
            ) {
                _ = try citizen.select(alias).fetchCount(db)
                _ = try citizen.select(alias).distinct().fetchCount(db)
                _ = try citizen.annotated(with: alias).fetchCount(db)
                _ = try citizen.select(alias, Column("id")).fetchCount(db)
                _ = try citizen.annotated(with: name).fetchCount(db)
            }
        }
    }

    @Test func uniqueKeys() throws {
        let cases: [(String, [String], Bool)] = [
            ("citizen", ["id"], true), ("citizen", ["name"], true),
            ("citizen", ["age", "NAME"], true), ("citizen", ["id", "nothing"], true),
            ("citizen", ["rowid"], true), ("citizen", ["age"], false), ("citizen", [], false),
            ("pair", ["b", "a"], true), ("pair", ["c", "b", "a"], true), ("pair", ["a"], false),
            ("pair", ["rowid"], false), ("keyed", ["id", "age"], true), ("unkeyed", ["id"], false),
            ("missing", ["id"], false),
        ]
        try dbQueue.read { db in
            for (table, columns, isUnique) in cases {
                try expectEqual(
                    db.table(table, hasUniqueKey: columns), isUnique, "\(table) \(columns)")
            }
        }
    }

    @Test func groupsOfNegatedRowIDs() throws {
        let id = Column("id")
        try dbQueue.write { db in
            try expectEqual(Table("citizen").all().group(-id).filter(id == 3).deleteAll(db), 1)
            expectError("SQLite error 21: Can't delete query with GROUP BY clause") {
                try Table("citizen").all().group(id + 0).deleteAll(db)
            }
            // All texts have the same negation.
            expectError("SQLite error 21: Can't delete query with GROUP BY clause") {
                try Table("citizen").all().group(-Column("name")).deleteAll(db)
            }
        }
    }
}
