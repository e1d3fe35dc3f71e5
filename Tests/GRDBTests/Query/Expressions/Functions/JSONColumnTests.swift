import GRDBQueries
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Reading JSON.
@Suite(.databases) struct JSONColumnTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    @Test func subscriptsAndPaths() throws {
        try expect(contents["a"], #""contents" ->> ? ["a"]"#, "1 | NULL | NULL")
        try expect(contents["$.b[0]"], #""contents" ->> ? ["$.b[0]"]"#, "1 | NULL | NULL")
        try expect(contents["$.b"], #""contents" ->> ? ["$.b"]"#, #""[1,2,3]" | NULL | NULL"#)
        try expect(contents[0], #""contents" ->> ? [0]"#, "NULL | 1 | NULL")
        try expect(contents[1], #""contents" ->> ? [1]"#, "NULL | 2 | NULL")
        try expect(contents[width], #""contents" ->> "width""#, "NULL | NULL | NULL")
        try expect(contents["a"] == 1, #"("contents" ->> ?) = ? ["a", 1]"#, "1 | NULL | NULL")
        try expect(contents[noInt], #""contents" ->> NULL"#, "NULL | NULL | NULL")
        try expect(
            contents.jsonExtract(atPath: "$.a"), #"JSON_EXTRACT("contents", ?) ["$.a"]"#,
            "1 | NULL | NULL")
        try expect(
            contents.jsonExtract(atPaths: ["$.a", "$.c"]),
            #"JSON_EXTRACT("contents", ?, ?) ["$.a", "$.c"]"#,
            #""[1,{"d":"e"}]" | "[null,null]" | NULL"#)
        try expect(
            contents.jsonExtract(atPaths: ["$.a"]), #"JSON_EXTRACT("contents", ?) ["$.a"]"#,
            "1 | NULL | NULL")
        try expect(
            contents.jsonExtract(atPaths: [String]()), #"JSON_EXTRACT("contents")"#,
            "NULL | NULL | NULL")
        try expectFailure(
            contents.jsonExtract(atPath: label), #"JSON_EXTRACT("contents", "label")"#,
            "bad JSON path: 'alpha'")
        try expect(
            contents.jsonRepresentation(atPath: "$.c"), #""contents" -> ? ["$.c"]"#,
            #""{"d":"e"}" | NULL | NULL"#)
        try expect(
            contents.jsonRepresentation(atPath: "c"), #""contents" -> ? ["c"]"#,
            #""{"d":"e"}" | NULL | NULL"#)
        try expect(
            contents.jsonRepresentation(atPath: 0), #""contents" -> ? [0]"#, #"NULL | "1" | NULL"#)
        try expect(
            contents.jsonRepresentation(atPath: label), #""contents" -> "label""#,
            "NULL | NULL | NULL")
        try expect(contents["a"] + 1, #"("contents" ->> ?) + ? ["a", 1]"#, "2 | NULL | NULL")
        try expect(contents[-1], #""contents" ->> ? [-1]"#, "NULL | 2 | NULL")
        try expect(
            contents["c"].asJSON["d"], #"("contents" ->> ?) ->> ? ["c", "d"]"#,
            #""e" | NULL | NULL"#)
    }

    @Test func columnsAsJSON() throws {
        try expect(
            contents.jsonRepresentation(atPath: "c").asJSON["d"],
            #"("contents" -> ?) ->> ? ["c", "d"]"#, #""e" | NULL | NULL"#)
        try expect(
            Column("contents").asJSON["$.b"], #""contents" ->> ? ["$.b"]"#,
            #""[1,2,3]" | NULL | NULL"#)
        try expect(
            Column("contents").asJSON[width], #""contents" ->> "width""#, "NULL | NULL | NULL")
        try expect(Column("contents").asJSON[noInt], #""contents" ->> NULL"#, "NULL | NULL | NULL")
        try expect(
            Column("contents").asJSON.jsonExtract(atPath: "$.a"),
            #"JSON_EXTRACT("contents", ?) ["$.a"]"#, "1 | NULL | NULL")
        try expect(
            Column("contents").asJSON.jsonExtract(atPaths: [String]()),
            #"JSON_EXTRACT("contents")"#, "NULL | NULL | NULL")
        try expect(
            Column("contents").asJSON.jsonRepresentation(atPath: "c"), #""contents" -> ? ["c"]"#,
            #""{"d":"e"}" | NULL | NULL"#)
        try expect(
            Column("contents").asJSON["a"] + 1, #"("contents" ->> ?) + ? ["a", 1]"#,
            "2 | NULL | NULL")
        try expect(
            Column("contents").asJSON.jsonRepresentation(atPath: "c").asJSON["d"],
            #"("contents" -> ?) ->> ? ["c", "d"]"#, #""e" | NULL | NULL"#)
        try expect(Column("weight").asJSON["$.b"], #""weight" ->> ? ["$.b"]"#, "NULL | NULL | NULL")
        try expect(Column("weight").asJSON[width], #""weight" ->> "width""#, "NULL | NULL | NULL")
        try expect(Column("weight").asJSON[noInt], #""weight" ->> NULL"#, "NULL | NULL | NULL")
        try expect(
            Column("weight").asJSON.jsonExtract(atPath: "$.a"),
            #"JSON_EXTRACT("weight", ?) ["$.a"]"#, "NULL | NULL | NULL")
        try expect(
            Column("weight").asJSON.jsonExtract(atPaths: [String]()), #"JSON_EXTRACT("weight")"#,
            "NULL | NULL | NULL")
        try expect(
            Column("weight").asJSON.jsonRepresentation(atPath: "c"), #""weight" -> ? ["c"]"#,
            "NULL | NULL | NULL")
        try expect(
            Column("weight").asJSON["a"] + 1, #"("weight" ->> ?) + ? ["a", 1]"#,
            "NULL | NULL | NULL")
        try expect(
            Column("weight").asJSON.jsonRepresentation(atPath: "c").asJSON["d"],
            #"("weight" -> ?) ->> ? ["c", "d"]"#, "NULL | NULL | NULL")
    }

    @Test func literalsAsJSON() throws {
        try expect(
            SQL("contents").sqlExpression.asJSON["$.b"], #"(contents) ->> ? ["$.b"]"#,
            #""[1,2,3]" | NULL | NULL"#)
        try expect(
            SQL("contents").sqlExpression.asJSON[width], #"(contents) ->> "width""#,
            "NULL | NULL | NULL")
        try expect(
            SQL("contents").sqlExpression.asJSON[noInt], "(contents) ->> NULL", "NULL | NULL | NULL"
        )
        try expect(
            SQL("contents").sqlExpression.asJSON.jsonExtract(atPath: "$.a"),
            #"JSON_EXTRACT(contents, ?) ["$.a"]"#, "1 | NULL | NULL")
        try expect(
            SQL("contents").sqlExpression.asJSON.jsonExtract(atPaths: [String]()),
            "JSON_EXTRACT(contents)", "NULL | NULL | NULL")
        try expect(
            SQL("contents").sqlExpression.asJSON.jsonRepresentation(atPath: "c"),
            #"(contents) -> ? ["c"]"#, #""{"d":"e"}" | NULL | NULL"#)
        try expect(
            SQL("contents").sqlExpression.asJSON["a"] + 1, #"((contents) ->> ?) + ? ["a", 1]"#,
            "2 | NULL | NULL")
        try expect(
            SQL("contents").sqlExpression.asJSON.jsonRepresentation(atPath: "c").asJSON["d"],
            #"((contents) -> ?) ->> ? ["c", "d"]"#, #""e" | NULL | NULL"#)
    }

    @Test func subqueriesAsJSON() throws {
        try expect(
            Parcel.select(Column("contents")).limit(1).asJSON["$.b"],
            #"(SELECT "contents" FROM "parcel" LIMIT 1) ->> ? ["$.b"]"#,
            #""[1,2,3]" | "[1,2,3]" | "[1,2,3]""#)
        try expect(
            Parcel.select(Column("contents")).limit(1).asJSON[width],
            #"(SELECT "contents" FROM "parcel" LIMIT 1) ->> "width""#, "NULL | NULL | NULL")
        try expect(
            Parcel.select(Column("contents")).limit(1).asJSON[noInt],
            #"(SELECT "contents" FROM "parcel" LIMIT 1) ->> NULL"#, "NULL | NULL | NULL")
        try expect(
            Parcel.select(Column("contents")).limit(1).asJSON.jsonExtract(atPath: "$.a"),
            #"JSON_EXTRACT((SELECT "contents" FROM "parcel" LIMIT 1), ?) ["$.a"]"#, "1 | 1 | 1")
        try expect(
            Parcel.select(Column("contents")).limit(1).asJSON.jsonExtract(atPaths: [String]()),
            #"JSON_EXTRACT((SELECT "contents" FROM "parcel" LIMIT 1))"#, "NULL | NULL | NULL")
    }

    @Test func operatorsOnSubqueriesAsJSON() throws {
        try expectFailure(
            Parcel.select(Column("contents")).limit(1).asJSON.jsonExtract(atPath: label),
            #"JSON_EXTRACT((SELECT "contents" FROM "parcel" LIMIT 1), "label")"#,
            "bad JSON path: 'alpha'")
        try expect(
            Parcel.select(Column("contents")).limit(1).asJSON.jsonRepresentation(atPath: "$.c"),
            #"(SELECT "contents" FROM "parcel" LIMIT 1) -> ? ["$.c"]"#,
            #""{"d":"e"}" | "{"d":"e"}" | "{"d":"e"}""#)
        try expect(
            Parcel.select(Column("contents")).limit(1).asJSON.jsonRepresentation(atPath: "c"),
            #"(SELECT "contents" FROM "parcel" LIMIT 1) -> ? ["c"]"#,
            #""{"d":"e"}" | "{"d":"e"}" | "{"d":"e"}""#)
        try expect(
            Parcel.select(Column("contents")).limit(1).asJSON.jsonRepresentation(atPath: 0),
            #"(SELECT "contents" FROM "parcel" LIMIT 1) -> ? [0]"#, "NULL | NULL | NULL")
        try expect(
            Parcel.select(Column("contents")).limit(1).asJSON.jsonRepresentation(atPath: label),
            #"(SELECT "contents" FROM "parcel" LIMIT 1) -> "label""#, "NULL | NULL | NULL")
        try expect(
            Parcel.select(Column("contents")).limit(1).asJSON["a"] + 1,
            #"((SELECT "contents" FROM "parcel" LIMIT 1) ->> ?) + ? ["a", 1]"#, "2 | 2 | 2")
        try expect(
            Parcel.select(Column("contents")).limit(1).asJSON[-1],
            #"(SELECT "contents" FROM "parcel" LIMIT 1) ->> ? [-1]"#, "NULL | NULL | NULL")
        try expect(
            Parcel.select(Column("contents")).limit(1).asJSON["c"].asJSON["d"],
            #"((SELECT "contents" FROM "parcel" LIMIT 1) ->> ?) ->> ? ["c", "d"]"#,
            #""e" | "e" | "e""#)
        try expect(
            Parcel.select(Column("contents")).limit(1).asJSON.jsonRepresentation(atPath: "c")
                .asJSON["d"], #"((SELECT "contents" FROM "parcel" LIMIT 1) -> ?) ->> ? ["c", "d"]"#,
            #""e" | "e" | "e""#)
    }

    @Test func columnsAsValues() throws {
        try expect(contents == nil, #""contents" IS NULL"#, "0 | 0 | 1")
        try expect(contents == "x", #""contents" = ? ["x"]"#, "0 | 0 | NULL")
        try expect(
            Parcel.order(contents.desc), #"SELECT * FROM "parcel" ORDER BY "contents" DESC"#,
            "(1, 1, …) (2, 10, …) (3, NULL, …)")
        try expect(contents.sqlExpression, #""contents""#, #""JSON" | "[1,2]" | NULL"#)
        try expectFailure(
            JSONColumn("odd \"j")["a"], #""odd ""j" ->> ? ["a"]"#,
            #"no such column: "odd "j" - should this be a string literal in single-quotes?"#)
        try expect(
            Parcel.select(contents.jsonExtract(atPath: "$.a").forKey("k")),
            #"SELECT JSON_EXTRACT("contents", ?) AS "k" FROM "parcel" ["$.a"]"#, "(1) (NULL) (NULL)"
        )
        try expect(
            Parcel.select(contents["a"].forKey("k")),
            #"SELECT "contents" ->> ? AS "k" FROM "parcel" ["a"]"#, "(1) (NULL) (NULL)")
    }

    @Test func operatorsOnJSON() throws {
        try expect(
            contents["a"].collating(.nocase), #""contents" ->> ? COLLATE NOCASE ["a"]"#,
            "1 | NULL | NULL")
        try expect(
            contents["a"].lowercased, #"swiftLowercaseString("contents" ->> ?) ["a"]"#,
            "NULL | NULL | NULL")
        try expect(
            contents["a"] && width, #"("contents" ->> ?) AND "width" ["a"]"#, "1 | NULL | NULL")
        try expect(!contents["a"], #"NOT ("contents" ->> ?) ["a"]"#, "0 | NULL | NULL")
        try expect(-contents["a"], #"-("contents" ->> ?) ["a"]"#, "-1 | NULL | NULL")
        try expect(
            contents["a"] + contents["b"], #"("contents" ->> ?) + ("contents" ->> ?) ["a", "b"]"#,
            "1 | NULL | NULL")
        try expect(
            (contents["a"] + 1) * 2, #"(("contents" ->> ?) + ?) * ? ["a", 1, 2]"#, "4 | NULL | NULL"
        )
        try expect(contents["a"] ?? 1, #"IFNULL("contents" ->> ?, ?) ["a", 1]"#, "1 | 1 | 1")
        try expect(
            [1, 2].contains(contents["a"]), #"("contents" ->> ?) IN (?, ?) ["a", 1, 2]"#,
            "1 | NULL | NULL")
        try expect(
            [1].contains(contents["a"]), #"("contents" ->> ?) = ? ["a", 1]"#, "1 | NULL | NULL")
        try expect(
            (1...2).contains(contents["a"]), #"("contents" ->> ?) BETWEEN ? AND ? ["a", 1, 2]"#,
            "1 | NULL | NULL")
        try expect(
            contents["a"].like("x"), #"("contents" ->> ?) LIKE ? ["a", "x"]"#, "0 | NULL | NULL")
        try expect(max(contents["a"]), #"MAX("contents" ->> ?) ["a"]"#, "1")
    }

    @Test func anyExpressionAsJSON() throws {
        try expect(contents.asJSON["a"], #""contents" ->> ? ["a"]"#, "1 | NULL | NULL")
        try expect(
            (width + height).asJSON["x"], #"("width" + "height") ->> ? ["x"]"#, "NULL | NULL | NULL"
        )
        try expect((width + height).asJSON == 1, #"("width" + "height") = ? [1]"#, "0 | 0 | NULL")
        try expect(width.asJSON.sqlExpression, #""width""#, "1 | 10 | NULL")
        try expect(width.asJSON, #""width""#, "1 | 10 | NULL")
        try expect("[1]".databaseValue.asJSON[0], #"? ->> ? ["[1]", 0]"#, "1 | 1 | 1")
        try expect("[1]".sqlExpression.asJSON[0], #"? ->> ? ["[1]", 0]"#, "1 | 1 | 1")
        try expect(DatabaseValue.null.asJSON[0], "NULL ->> ? [0]", "NULL | NULL | NULL")
        try expect(max(Column("contents")).asJSON["a"], #"MAX("contents") ->> ? ["a"]"#, "1")
        try expect(Database.json(contents), #"JSON("contents")"#, #""JSON" | "[1,2]" | NULL"#)
        try expect(contents.asJSON.asJSON, #""contents""#, #""JSON" | "[1,2]" | NULL"#)
        try expect(
            contents.collating(.nocase), #""contents" COLLATE NOCASE"#, #""JSON" | "[1,2]" | NULL"#)
        try expect(length(contents), #"LENGTH("contents")"#, "33 | 5 | NULL")
    }

    @Test func comparisonsOfJSON() throws {
        try expect(
            contents.jsonRepresentation(atPath: "c") == 1, #"("contents" -> ?) = ? ["c", 1]"#,
            "0 | NULL | NULL")
        try expect(
            !contents.jsonRepresentation(atPath: "c"), #"NOT ("contents" -> ?) ["c"]"#,
            "1 | NULL | NULL")
        try expect(contents["a"] == nil, #"("contents" ->> ?) IS NULL ["a"]"#, "0 | 1 | 1")
        try expect(contents["a"] == true, #"("contents" ->> ?) = ? ["a", 1]"#, "1 | NULL | NULL")
        try expect(!(contents["a"] == 1), #"("contents" ->> ?) <> ? ["a", 1]"#, "0 | NULL | NULL")
        try expect(
            Parcel.filter(contents["a"] == 1).order(contents["a"].desc).select(
                contents["a"], contents["c"].forKey("cc")),
            #"SELECT "contents" ->> ?, "contents" ->> ? AS "cc" FROM "parcel" WHERE ("contents" ->> ?) = ? ORDER BY "contents" ->> ? DESC ["a", "c", "a", 1, "a"]"#,
            #"(1, "{"d":"e"}")"#)
    }

    @Test func aliasedJSONColumns() throws {
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expect(
                Parcel.aliased(alias).select(
                    contents["a"], alias[contents]["a"], contents.jsonRepresentation(atPath: "c")),
                #"SELECT "p"."contents" ->> ?, "p"."contents" ->> ?, "p"."contents" -> ? FROM "parcel" "p" ["a", "a", "c"]"#,
                #"(1, 1, "{"d":"e"}") (NULL, NULL, NULL) (NULL, NULL, NULL)"#)
        }
        do {
            let alias = TableAlias<Parcel>(name: "p")
            try expect(
                Parcel.aliased(alias).select(
                    Database.json(alias[contents]),
                    Database.jsonArray([alias[contents], width.asJSON])),
                #"SELECT JSON("p"."contents"), JSON_ARRAY(JSON("p"."contents"), JSON("p"."width")) FROM "parcel" "p""#
            )
        }
    }

    /// Beside other columns, the aliased column is a plain expression, whose value is still JSON.
    @Test func aliasedColumnsAreJSON() throws {
        let alias = TableAlias<Parcel>()
        let array = Database.jsonArray([alias[contents], alias[width]])
        try expectSingle(
            Parcel.aliased(alias).select(array).filter(id == 2),
            #"SELECT JSON_ARRAY(JSON("contents"), "width") FROM "parcel" WHERE "id" = ? [2]"#,
            #"("[[1,2],10]")"#)
        let expression: SQLExpression = alias[contents]
        try expect(
            Parcel.aliased(alias).select(Database.jsonGroupArray(expression)).group(id),
            #"SELECT JSON_GROUP_ARRAY(JSON("contents")) FROM "parcel" GROUP BY "id""#)
    }
}
