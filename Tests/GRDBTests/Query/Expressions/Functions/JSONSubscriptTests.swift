import GRDB
import GRDBTestSupport
import Testing

/// Subscripts of JSON expressions.
@Suite(.databases) struct JSONSubscriptTests {
    struct Article: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var meta: String?
        var views: Int

        enum Columns {
            static let id = Column(CodingKeys.id)
            static let meta = JSONColumn(CodingKeys.meta)
            static let views = Column(CodingKeys.views)
        }
    }

    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.create(table: "article") { t in
                t.primaryKey("id", .integer)
                t.column("meta", .text)
                t.column("views", .integer).notNull()
            }
            let metas = [
                #"{"source": {"agency": "AFP", "codes": [[1, 2], [3]]}}"#,
                #"{"source": {"agency": "{\"x\": 1}"}}"#,
                #"{"source": "text"}"#,
                nil,
            ]
            for (index, meta) in metas.enumerated() {
                try Article(id: Int64(index + 1), meta: meta, views: 10 * index).insert(db)
            }
        }
    }

    /// Expects the SQL of a request, and its values in the order of ids.
    private func expect(
        _ request: QueryInterfaceRequest<Article>, _ sql: String, _ values: [DatabaseValue],
        line: Int = #line
    ) throws {
        try dbQueue.read { db in
            var fetched: [DatabaseValue] = []
            try expectSQL(sql, line: line) {
                fetched = try DatabaseValue.fetchAll(db, request)
            }
            expectEqual(fetched, values, line: line)
        }
    }

    @Test func pathByParts() throws {
        try expect(
            Article.select { $0.meta["source", "agency"] },
            #"SELECT ("meta" -> 'source') ->> 'agency' FROM "article""#,
            ["AFP".databaseValue, #"{"x": 1}"#.databaseValue, .null, .null])
        try expect(
            Article.select { $0.meta["source", "codes", 0, 1] },
            #"SELECT ((("meta" -> 'source') -> 'codes') -> 0) ->> 1 FROM "article""#,
            [2.databaseValue, .null, .null, .null])
        // Labels need no quotes, and texts are no indexes.
        let odd = #"{"a.b": {"0": 4, "c d": 5}}"#.databaseValue.sqlExpression.asJSON
        for (label, value) in [("0", 4), ("c d", 5)] {
            let request = Article.select(odd["a.b", label]).limit(1)
            expectEqual(try dbQueue.read { try Int.fetchOne($0, request) }, value)
        }
        // A path of one part, written without `$`, is a label.
        let label = Article.filter { $0.meta["source.agency"] == "AFP" }
        expectEqual(try dbQueue.read { try label.fetchCount($0) }, 0)
        let text = Article.filter { $0.meta["source", "codes", 0, 1] == "2" }
        expectEqual(try dbQueue.read { try text.fetchCount($0) }, 0)
        let number = Article.filter { $0.meta["source", "codes", 0, 1] == 2 }
        expectEqual(try dbQueue.read { try number.fetchCount($0) }, 1)
    }

    @Test func onePath() throws {
        try expect(
            Article.select { $0.meta["$.source.agency"] },
            #"SELECT "meta" ->> '$.source.agency' FROM "article""#,
            ["AFP".databaseValue, #"{"x": 1}"#.databaseValue, .null, .null])
    }

    @Test func chains() throws {
        try expect(
            Article.select { $0.meta["source"]["agency"] },
            #"SELECT ("meta" -> 'source') ->> 'agency' FROM "article""#,
            ["AFP".databaseValue, #"{"x": 1}"#.databaseValue, .null, .null])
        try expect(
            Article.select { $0.meta["source"]["codes"][0][1] },
            #"SELECT ((("meta" -> 'source') -> 'codes') -> 0) ->> 1 FROM "article""#,
            [2.databaseValue, .null, .null, .null])
    }

    @Test func chainsInOtherClauses() throws {
        try expect(
            Article.select { $0.id }.filter {
                $0.meta["source"]["agency"] == "AFP" && $0.views < 3
            },
            """
            SELECT "id" FROM "article" \
            WHERE ((("meta" -> 'source') ->> 'agency') = 'AFP') AND ("views" < 3)
            """, [1.databaseValue])
        try expect(
            Article.select { $0.id }.order { $0.meta["source"]["agency"].desc },
            #"SELECT "id" FROM "article" ORDER BY ("meta" -> 'source') ->> 'agency' DESC"#,
            [2.databaseValue, 1.databaseValue, 3.databaseValue, 4.databaseValue])
    }

    @Test func stringsInsideOfJSONAreNotJSON() throws {
        try expect(
            Article.filter { $0.id == 2 }.select { $0.meta["source"]["agency"]["x"] },
            #"SELECT (("meta" -> 'source') -> 'agency') ->> 'x' FROM "article" WHERE "id" = 2"#,
            [.null])
    }

    @Test func otherExpressions() throws {
        try expect(
            Article.filter { $0.id == 1 }.select {
                Database.jsonExtract($0.meta, atPath: "$.source")["agency"]
            },
            """
            SELECT JSON_EXTRACT("meta", '$.source') ->> 'agency' FROM "article" WHERE "id" = 1
            """, ["AFP".databaseValue])
    }

    @Test func aliases() throws {
        let alias = TableAlias<Article>(name: "a")
        try expect(
            Article.aliased(alias).filter { $0.id == 1 }.select(alias.meta["source"]["agency"]),
            #"SELECT ("a"."meta" -> 'source') ->> 'agency' FROM "article" "a" WHERE "a"."id" = 1"#,
            ["AFP".databaseValue])
    }

    @Test func arithmeticSelections() throws {
        try dbQueue.read { db in
            // One after the other: in one array, they take the compiler two seconds.
            let request = Article.select { article -> [any SQLSelectable] in
                let doubled: SQLExpression = article.views * 2 + 1
                let divided: SQLExpression = (article.views + 10) / 3 - 1
                let agency: SQLExpression = article.meta["source"]["agency"] ?? "none"
                let sum: SQLExpression = article.views * 100 / 7 + article.views * 3 - 2
                return [article.id, doubled, divided, agency.forKey("t"), sum.forKey("x")]
            }.filter { $0.id == 4 }
            try expectSQL(
                """
                SELECT "id", ("views" * 2) + 1, (("views" + 10) / 3) - 1, \
                IFNULL(("meta" -> 'source') ->> 'agency', 'none') AS "t", \
                ((("views" * 100) / 7) + ("views" * 3)) - 2 AS "x" \
                FROM "article" WHERE "id" = 4
                """
            ) {
                let values: [DatabaseValue] = try Row.fetchAll(db, request).flatMap(
                    \.databaseValues)
                let expected: [any DatabaseValueConvertible] = [4, 61, 12, "none", 516]
                expectEqual(values, expected.map(\.databaseValue))
            }
        }
    }
}
