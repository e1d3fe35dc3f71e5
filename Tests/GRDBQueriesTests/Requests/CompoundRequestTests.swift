import GRDB
import GRDBQueries
import GRDBTestSupport
import Testing

@Suite(.databases) struct CompoundRequestTests {
    private let x = Column("x")
    private let a = Table("a").select(Column("x"), as: Int.self)
    private let b = Table("b").select(Column("x"), as: Int.self)
    private let c = Table("c").select(Column("x"), as: Int.self)

    /// Three tables with a column `x`: 1, 2, 2 in `a`, 2, 3 in `b`, 1, 3, 4 in `c`.
    private func withTables(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE a (x);
                    CREATE TABLE b (x);
                    CREATE TABLE c (x);
                    INSERT INTO a VALUES (1), (2), (2);
                    INSERT INTO b VALUES (2), (3);
                    INSERT INTO c VALUES (1), (3), (4)
                    """)
            try body(db)
        }
    }

    /// Expects the SQL and the integers of a request, in whatever order.
    private func expectRows(
        _ request: CompoundRequest<Int>, sql: String, _ expected: [Int], line: Int = #line
    ) throws {
        try withTables { db in
            try expectSQL(sql, line: line) {
                try expectEqual(request.fetchAll(db).sorted(), expected, line: line)
            }
            try expectEqual(request.fetchCount(db), expected.count, line: line)
            try expectEqual(request.isEmpty(db), expected.isEmpty, line: line)
        }
    }

    // MARK: - Operators

    @Test func operators() throws {
        let selectA = #"SELECT "x" FROM "a""#
        let selectB = #"SELECT "x" FROM "b""#
        try expectRows(a.union(b), sql: "\(selectA) UNION \(selectB)", [1, 2, 3])
        try expectRows(a.unionAll(b), sql: "\(selectA) UNION ALL \(selectB)", [1, 2, 2, 2, 3])
        try expectRows(a.intersect(b), sql: "\(selectA) INTERSECT \(selectB)", [2])
        try expectRows(a.except(b), sql: "\(selectA) EXCEPT \(selectB)", [1])
        try expectRows(a.except(a), sql: "\(selectA) EXCEPT \(selectA)", [])
    }

    @Test func requestsAreGroupedFromLeftToRight() throws {
        try expectRows(
            a.union(b).except(c),
            sql: #"SELECT "x" FROM "a" UNION SELECT "x" FROM "b" EXCEPT SELECT "x" FROM "c""#, [2])
        try expectRows(
            a.union(b.except(c)),
            sql: """
                SELECT "x" FROM "a" UNION SELECT * FROM \
                (SELECT "x" FROM "b" EXCEPT SELECT "x" FROM "c")
                """, [1, 2])
        try expectRows(
            a.union(b).intersect(b.union(c)),
            sql: """
                SELECT "x" FROM "a" UNION SELECT "x" FROM "b" INTERSECT SELECT * FROM \
                (SELECT "x" FROM "b" UNION SELECT "x" FROM "c")
                """, [1, 2, 3])
    }

    @Test func arguments() throws {
        try expectRows(
            a.filter(x > 1).unionAll(b.filter(x > 2)).limit(10),
            sql: """
                SELECT "x" FROM "a" WHERE "x" > 1 UNION ALL SELECT "x" FROM "b" WHERE "x" > 2 \
                LIMIT 10
                """, [2, 2, 3])
    }

    // MARK: - Members that can't stand alone

    @Test func membersWithOrderAndLimit() throws {
        try expectRows(
            a.order(x.desc).limit(1).unionAll(b.limit(1, offset: 1)),
            sql: """
                SELECT * FROM (SELECT "x" FROM "a" ORDER BY "x" DESC LIMIT 1) UNION ALL \
                SELECT * FROM (SELECT "x" FROM "b" LIMIT 1 OFFSET 1)
                """, [2, 3])
        try expectRows(
            a.union(b).order(x).limit(2).unionAll(c),
            sql: """
                SELECT * FROM (SELECT "x" FROM "a" UNION SELECT "x" FROM "b" ORDER BY "x" LIMIT 2) \
                UNION ALL SELECT "x" FROM "c"
                """, [1, 1, 2, 3, 4])
    }

    @Test func membersWithCommonTables() throws {
        let big = CommonTableExpression(named: "big", request: c.filter(x > 2))
        try expectRows(
            big.all().with(big).asRequest(of: Int.self).unionAll(a),
            sql: """
                SELECT * FROM (WITH "big" AS (SELECT "x" FROM "c" WHERE "x" > 2) \
                SELECT * FROM "big") UNION ALL SELECT "x" FROM "a"
                """, [1, 2, 2, 3, 4])
        try expectRows(
            a.unionAll(big.all()).except(big.all().filter(x == 4)).with(big),
            sql: """
                WITH "big" AS (SELECT "x" FROM "c" WHERE "x" > 2) SELECT "x" FROM "a" \
                UNION ALL SELECT * FROM "big" EXCEPT SELECT * FROM "big" WHERE "x" = 4
                """, [1, 2, 3])
    }

    @Test func sqlMembers() throws {
        let one = SQLRequest<Int>("SELECT \(1) -- one\n;")
        try expectRows(
            one.union(SQLRequest<Int>("VALUES (5), (6);")),
            sql: "SELECT 1 -- one UNION VALUES (5), (6)", [1, 5, 6])
        try expectRows(
            one.unionAll(SQLRequest<Int>("SELECT x FROM c ORDER BY x DESC LIMIT \(1)")),
            sql: """
                SELECT 1 -- one UNION ALL SELECT * FROM (SELECT x FROM c ORDER BY x DESC LIMIT 1)
                """, [1, 4])
        // Neither an order nor a limit can follow VALUES.
        let values = SQLRequest<Int>("VALUES (\(5)), (6)")
        try expectRows(
            a.unionAll(values).order(x.desc).limit(2),
            sql: """
                SELECT "x" FROM "a" UNION ALL SELECT * FROM (VALUES (5), (6)) \
                ORDER BY "x" DESC LIMIT 2
                """, [5, 6])
        try expectRows(
            a.unionAll(values).except(b).limit(2),
            sql: """
                SELECT "x" FROM "a" UNION ALL VALUES (5), (6) EXCEPT SELECT "x" FROM "b" LIMIT 2
                """, [1, 5])
        try withTables { db in
            let empty = a.none()
            try expectSQL(
                """
                SELECT "x" FROM "a" WHERE 0 UNION SELECT * FROM (VALUES (5), (6)) LIMIT 1
                """
            ) {
                try expectEqual(empty.union(values).fetchOne(db), 5)
            }
        }
        // A request inside a literal
        try expectRows(
            a.except(SQLRequest<Int>("\(b.limit(1));")),
            sql: """
                SELECT "x" FROM "a" EXCEPT SELECT * FROM (SELECT "x" FROM "b" LIMIT 1)
                """, [1])
    }

    @Test(arguments: [
        ("SELECT x FROM c", true, true),
        ("SELECT x FROM c /* ORDER BY x */", true, true),
        ("SELECT x, 'it''s LIMIT', \"ORDER\", `UNION`, [WITH] -- LIMIT\n FROM c", true, true),
        ("SELECT max(x) OVER (ORDER BY y) FROM (SELECT x FROM c LIMIT 1)", true, true),
        ("values (1), (2)", true, true),
        ("SELECT x FROM c Limit 1", false, false),
        ("SELECT x FROM c order by x", false, false),
        ("WITH a AS (SELECT 1) SELECT * FROM a", false, false),
        ("SELECT 1 UNION SELECT 2", true, false),
        ("SELECT 1 EXCEPT SELECT 2", true, false),
        ("SELECT 1 INTERSECT SELECT 2", true, false),
    ])
    func sqlMembersAreWrappedWhenTheyMust(
        sql: String, standsFirst: Bool, standsSecond: Bool
    ) throws {
        try TestDatabases.makeQueue().write { db in
            let empty = SQLRequest<Int>("SELECT 0")
            func builtSQL(_ request: CompoundRequest<Int>) throws -> String {
                try SQL("\(request)").build(db).sql
            }
            let first = try builtSQL(SQLRequest<Int>(sql: sql).union(empty))
            expectEqual(first.hasPrefix("SELECT * FROM ("), !standsFirst)
            let second = try builtSQL(empty.union(SQLRequest<Int>(sql: sql)))
            expectEqual(second.hasPrefix("SELECT 0 UNION SELECT * FROM ("), !standsSecond)
        }
    }

    // MARK: - Order and limit

    @Test func order() throws {
        try withTables { db in
            let request = a.union(b).order(x.desc)
            try expectSQL(
                #"SELECT "x" FROM "a" UNION SELECT "x" FROM "b" ORDER BY "x" DESC"#
            ) {
                try expectEqual(request.fetchAll(db), [3, 2, 1])
            }
            try expectSQL(
                #"SELECT "x" FROM "a" UNION SELECT "x" FROM "b" ORDER BY 1 DESC LIMIT 1"#
            ) {
                let byNumber = a.union(b).order(SQLExpression.resultColumn(1)).reversed()
                try expectEqual(byNumber.fetchOne(db), 3)
            }
            try expectSQL(
                """
                SELECT "x" FROM "a" UNION SELECT "x" FROM "b" ORDER BY "x" DESC LIMIT 1 OFFSET 1
                """
            ) {
                try expectEqual(request.limit(1, offset: 1).fetchAll(db), [2])
            }
            try expectSQL(
                """
                SELECT COUNT(*) FROM (SELECT "x" FROM "a" UNION SELECT "x" FROM "b" LIMIT 2)
                SELECT EXISTS (SELECT "x" FROM "a" UNION SELECT "x" FROM "b")
                """
            ) {
                try expectEqual(request.limit(2).fetchCount(db), 2)
                try expectTrue(!request.isEmpty(db))
            }
            try expectEqual(request.unordered().fetchSet(db), [1, 2, 3])
            let error = expectError(DatabaseError.self) {
                try a.union(b).order(x + 1).fetchAll(db)
            }
            expectEqual(
                error?.message,
                "1st ORDER BY term does not match any column in the result set")
        }
    }

    @Test func stableOrder() throws {
        try withTables { db in
            let pairs = Table("a").select(x, Column("rowid")).unionAll(Table("b").select(x, x))
            let request = pairs.order(x.desc).withStableOrder()
            let sql = try request.makePreparedRequest(db).statement.sql
            expectTrue(sql.hasSuffix(#" ORDER BY "x" DESC, 1, 2"#))
            try expectEqual(
                request.fetchAll(db).map { Array($0.databaseValues.map(\.description)) },
                [
                    ["3", "3"], ["2", "2"], ["2", "2"], ["2", "3"], ["1", "1"],
                ])
        }
    }

    // MARK: - Subqueries

    @Test func subqueries() throws {
        try withTables { db in
            let union = a.union(b)
            try expectSQL(
                """
                SELECT "x" FROM "c" WHERE "x" IN (SELECT "x" FROM "a" UNION SELECT "x" FROM "b")
                """
            ) {
                try expectEqual(c.filter(union.contains(x)).fetchAll(db), [1, 3])
            }
            let alias = TableAlias(name: "outer")
            let others = a.filter(x > alias["x"]).union(b.filter(x > alias["x"]))
            try expectSQL(
                """
                SELECT "outer"."x" FROM "c" "outer" WHERE EXISTS \
                (SELECT "x" FROM "a" WHERE "x" > "outer"."x" \
                UNION SELECT "x" FROM "b" WHERE "x" > "outer"."x")
                """
            ) {
                try expectEqual(c.aliased(alias).filter(others.exists()).fetchAll(db), [1])
            }
            let maximum = union.order(x.desc).limit(1)
            try expectEqual(c.filter(x == maximum).fetchAll(db), [3])
            try expectEqual(
                SQLRequest<Int>("SELECT COUNT(*) FROM (\(union))").fetchOne(db), 3)
        }
    }

    @Test func commonTables() throws {
        try withTables { db in
            let both = CommonTableExpression<Int>(named: "both", request: a.intersect(b))
            try expectSQL(
                """
                WITH "both" AS (SELECT "x" FROM "a" INTERSECT SELECT "x" FROM "b") \
                SELECT * FROM "both"
                """
            ) {
                try expectEqual(both.all().with(both).fetchAll(db), [2])
            }
        }
    }

    @Test func recursiveCommonTables() throws {
        try TestDatabases.makeQueue().write { db in
            let counter = CommonTableExpression<Int>(
                recursive: true, named: "counter", columns: ["x"],
                request: SQLRequest<Int>("VALUES(\(1))")
                    .unionAll(Table("counter").select(x + 1).filter(x < 5)))
            try expectSQL(
                """
                WITH RECURSIVE "counter"("x") AS \
                (VALUES(1) UNION ALL SELECT "x" + 1 FROM "counter" WHERE "x" < 5) \
                SELECT * FROM "counter"
                """
            ) {
                try expectEqual(counter.all().with(counter).fetchAll(db), [1, 2, 3, 4, 5])
            }
            let limited = CommonTableExpression<Int>(
                recursive: true, named: "counter", columns: ["x"],
                request: SQLRequest<Int>("SELECT 1")
                    .unionAll(SQLRequest<Int>("SELECT x + 1 FROM counter;")).limit(3))
            try expectEqual(limited.all().with(limited).fetchAll(db), [1, 2, 3])
        }
    }

    /// The management chain of the guide: a recursive query with a join.
    @Test func managementChain() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE managers (id INTEGER PRIMARY KEY, manager_id);
                    INSERT INTO managers VALUES (1, NULL), (2, 1), (5, 2), (6, 1), (8, 5)
                    """)
            let managers = Table("managers")
            let parent = managers.association(
                to: Table("chain"), on: { manager, chain in manager["id"] == chain["manager_id"] })
            let chain = CommonTableExpression(
                recursive: true, named: "chain",
                request: managers.filter(Column("id") == 8)
                    .union(managers.joining(required: parent)))
            try expectSQL(
                """
                WITH RECURSIVE "chain" AS (SELECT * FROM "managers" WHERE "id" = 8 UNION \
                SELECT "managers".* FROM "managers" \
                JOIN "chain" ON "managers"."id" = "chain"."manager_id") SELECT * FROM "chain"
                """
            ) {
                let ids = try chain.all().with(chain).asRequest(of: Int.self).fetchAll(db)
                expectEqual(ids, [8, 5, 2, 1])
            }
        }
    }

    // MARK: - Decoding

    @Test func records() throws {
        struct Letter: TableRecord, FetchableRecord, Decodable, Equatable {
            var x: Int
        }
        try withTables { db in
            let request = Table<Letter>("a").all().union(Table("b").all())
                .order(x)
            try expectEqual(request.fetchAll(db), [1, 2, 3].map { Letter(x: $0) })
            try expectEqual(request.asRequest(of: Row.self).fetchOne(db), ["x": 1])
            try expectEqual(request.asRequest(of: Int.self).fetchSet(db), [1, 2, 3])
            let cursor = try request.fetchCursor(db)
            try expectEqual(cursor.next(), Letter(x: 1))
        }
    }

    @Test func adapters() throws {
        try withTables { db in
            let adapted = SQLRequest<Row>(
                sql: "SELECT 1 AS a, 2 AS b", adapter: SuffixRowAdapter(fromIndex: 1))
            try expectEqual(
                adapted.unionAll(SQLRequest<Row>("VALUES (3, 4)")).fetchAll(db).map {
                    $0["b"] as Int
                },
                [2, 4])
            let mapped = a.asRequest(of: Row.self).adapted { _ in ColumnMapping(["y": "x"]) }.union(
                b)
            try expectEqual(mapped.order(x).fetchAll(db), [["y": 1], ["y": 2], ["y": 3]])
            // Scopes of joined tables
            let tables = Table("a").including(
                required: Table("a").association(to: Table("b"), on: { $0["x"] == $1["x"] }))
            let rows = try tables.union(SQLRequest<Row>("SELECT 7, 8")).order(SQL("1")).fetchAll(db)
            expectEqual(rows.map { $0["x"] as Int }, [2, 7])
            expectEqual(rows.map { $0.scopes["b"]?["x"] as Int? }, [2, 8])
        }
    }

    @Test func regions() throws {
        try withTables { db in
            try expectEqual(a.union(b).databaseRegion(db).description, "a(x),b(x)")
        }
    }

    @Test func differentNumbersOfColumns() throws {
        try withTables { db in
            let error = expectError(DatabaseError.self) {
                try a.union(Table("b").select(x, x)).fetchAll(db)
            }
            expectEqual(
                error?.message,
                """
                SELECTs to the left and right of UNION do not have the same number of result \
                columns
                """)
        }
    }

    // MARK: - Joined tables and prefetched rows

    private struct Team: TableRecord, FetchableRecord, Decodable {
        var id: Int
        var name: String
        static let players = hasMany(Player.self)
    }

    private struct Player: TableRecord, FetchableRecord, Decodable {
        var id: Int
        var name: String
        var teamId: Int?
        static let team = belongsTo(Team.self)
    }

    private struct PlayerInfo: FetchableRecord, Decodable {
        var player: Player
        var team: Team?
        var text: String { "\(player.name) \(team?.name ?? "-")" }
    }

    private struct TeamInfo: FetchableRecord, Decodable {
        var team: Team
        var players: [Player]
        var text: String { "\(team.name) \(players.map(\.name).joined(separator: " "))" }
    }

    private func withTeams(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE team (id INTEGER PRIMARY KEY, name);
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name, teamId REFERENCES team);
                    INSERT INTO team VALUES (1, 'Red'), (2, 'Blue');
                    INSERT INTO player VALUES (1, 'A', 1), (2, 'B', 1), (3, 'C', NULL)
                    """)
            try body(db)
        }
    }

    /// SQLite gives the columns of a subquery different names.
    @Test func joinedColumnsOfLimitedRequests() throws {
        try withTeams { db in
            let id = Column("id")
            let all = Player.including(optional: Player.team).asRequest(of: PlayerInfo.self)
            let request = all.order(id).limit(2).union(all.filter(id == 3)).order(SQL("1"))
            try expectEqual(request.fetchAll(db).map(\.text), ["A Red", "B Red", "C -"])
            try expectEqual(request.fetchCount(db), 3)
            let nested = all.union(all).order(SQL("1")).limit(1).union(all.limit(1))
            try expectEqual(nested.fetchAll(db).map(\.text), ["A Red"])
            let literal = SQLRequest<Row>("SELECT 1 AS a, 2 AS b, \(3) AS a LIMIT 1")
            let row = try literal.union(literal).fetchOne(db)
            expectEqual(row?.map(\.0), ["a", "b", "a"])
            expectEqual(row?.map { $1.description }, ["1", "2", "3"])
            // Names that differ are those of the subquery.
            let ids = Player.select(id)
            let sql = try ids.limit(1).union(ids)
                .makePreparedRequest(db).statement.sql
            expectTrue(sql.hasPrefix("SELECT * FROM ("))
        }
    }

    @Test func joinedCommonTables() throws {
        try withTeams { db in
            let id = Column("id")
            let first = CommonTableExpression(named: "first", request: Player.filter(id < 2))
            let association = Player.association(to: first, on: { $0[id] == $1[id] })
            let players = Player.including(required: association).asRequest(of: Row.self)
            for request in [players, players.limit(1)] {
                let rows = try request.union(players).with(first).fetchAll(db)
                expectEqual(rows.map { $0.scopes["first"]?["name"] as String? }, ["A"])
            }
        }
    }

    @Test func prefetchedRows() throws {
        try withTeams { db in
            let id = Column("id")
            let teams = Team.including(all: Team.players.order(id)).asRequest(of: TeamInfo.self)
            let request = teams.filter(id == 1).union(Team.filter(id == 2)).order(id)
            try expectEqual(request.fetchAll(db).map(\.text), ["Red A B", "Blue "])
            try expectEqual(request.fetchOne(db)?.text, "Red A B")
            try expectEqual(request.limit(1).union(teams).fetchAll(db).count, 2)
            try expectEqual(
                request.databaseRegion(db).description,
                "player(id,name,teamId),team(id,name)")
            let misplaced = Team.all().union(teams)
            let error = expectError(DatabaseError.self) { try misplaced.fetchAll(db) }
            expectEqual(error?.resultCode, .SQLITE_MISUSE)
        }
    }

    // MARK: - Duplicates

    /// SQLite forgets DISTINCT when it looks for the existence of rows only.
    @Test func offsetsInDistinctRows() throws {
        let twos = a.filter(x == 2).distinct()
        try expectRows(
            twos.unionAll(twos).limit(10, offset: 2),
            sql: """
                SELECT DISTINCT "x" FROM "a" WHERE "x" = 2 UNION ALL \
                SELECT DISTINCT "x" FROM "a" WHERE "x" = 2 LIMIT 10 OFFSET 2
                """, [])
        try expectRows(
            twos.unionAll(twos).limit(10, offset: 1),
            sql: """
                SELECT DISTINCT "x" FROM "a" WHERE "x" = 2 UNION ALL \
                SELECT DISTINCT "x" FROM "a" WHERE "x" = 2 LIMIT 10 OFFSET 1
                """, [2])
        try withTables { db in
            let literal = SQLRequest<Int>("SELECT DISTINCT x FROM a WHERE x > 1 LIMIT 5 OFFSET 1")
            try expectEqual(b.filter(literal.exists()).fetchCount(db), 0)
            try expectEqual(b.filter(!literal.exists()).fetchCount(db), 2)
        }
    }

    // MARK: - Literals

    @Test(arguments: [
        "SELECT 2; -- x", "SELECT 2 -- x", "SELECT 2 /* x", "SELECT 2 ; ; /* ; */ -- x",
        "SELECT 2 -- ';'\n; -- x\n", " ; SELECT 2",
    ])
    func endsOfLiterals(sql: String) throws {
        try withTables { db in
            let literal = SQLRequest<Int>(sql: sql)
            try expectEqual(literal.fetchCount(db), 1)
            try expectEqual(literal.unionAll(literal).unionAll(b.limit(1)).fetchAll(db), [2, 2, 2])
        }
    }

    @Test func quotedEndsOfLiterals() throws {
        try withTables { db in
            let literal = SQLRequest<String>("SELECT '; --' AS \"a;\"; -- \"")
            try expectEqual(literal.fetchCount(db), 1)
            try expectEqual(
                literal.union(SQLRequest<String>("SELECT ';'")).fetchAll(db),
                [";", "; --"])
        }
    }

    @Test func numberedParameters() throws {
        try withTables { db in
            let literal = SQLRequest<Int>(sql: "SELECT ?1 + ?1", arguments: [1])
            try expectEqual(literal.union(SQLRequest<Int>("SELECT \(5)")).fetchAll(db), [2, 5])
            let error = expectError(DatabaseError.self) {
                try literal.union(literal).fetchAll(db)
            }
            expectEqual(
                error?.message,
                """
                wrong number of statement arguments: 2, expected 1 (parameters with the same \
                number, as in ?1, share an argument)
                """)
        }
    }

    // MARK: - Whole tables

    @Test func tables() throws {
        let tableA = Table<Int>("a")
        let tableB = Table<Int>("b")
        let selectA = #"SELECT * FROM "a""#
        let selectB = #"SELECT * FROM "b""#
        try expectRows(tableA.union(tableB), sql: "\(selectA) UNION \(selectB)", [1, 2, 3])
        try expectRows(
            tableA.unionAll(tableB), sql: "\(selectA) UNION ALL \(selectB)", [1, 2, 2, 2, 3])
        try expectRows(tableA.intersect(tableB), sql: "\(selectA) INTERSECT \(selectB)", [2])
        try expectRows(tableA.except(tableB), sql: "\(selectA) EXCEPT \(selectB)", [1])
        let bigB = tableB.filter(x > 2)
        let selectBigB = #"SELECT * FROM "b" WHERE "x" > 2"#
        try expectRows(tableA.union(bigB), sql: "\(selectA) UNION \(selectBigB)", [1, 2, 3])
        try expectRows(
            tableA.unionAll(bigB), sql: "\(selectA) UNION ALL \(selectBigB)", [1, 2, 2, 3])
        try expectRows(tableA.intersect(bigB), sql: "\(selectA) INTERSECT \(selectBigB)", [])
        try expectRows(tableA.except(bigB), sql: "\(selectA) EXCEPT \(selectBigB)", [1, 2])
        try expectRows(bigB.union(tableA), sql: "\(selectBigB) UNION \(selectA)", [1, 2, 3])
        try expectRows(
            bigB.unionAll(tableA), sql: "\(selectBigB) UNION ALL \(selectA)", [1, 2, 2, 3])
        try expectRows(bigB.intersect(tableA), sql: "\(selectBigB) INTERSECT \(selectA)", [])
        try expectRows(bigB.except(tableA), sql: "\(selectBigB) EXCEPT \(selectA)", [3])
    }
}
