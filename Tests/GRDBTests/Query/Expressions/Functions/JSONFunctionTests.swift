import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The JSON functions of SQLite.
@Suite(.databases) struct JSONFunctionTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    /// Pairs of a path and JSON, NULL and text.
    private var changes: ParcelPairs {
        [
            (key: "$.a", value: contents), (key: "$.b", value: noInt),
            (key: "$.z", value: Column("contents")),
        ]
    }

    @Test func json() throws {
        try expect(Database.json(contents), #"JSON("contents")"#, #""JSON" | "[1,2]" | NULL"#)
        try expect(
            Database.json(Column("contents")), #"JSON("contents")"#, #""JSON" | "[1,2]" | NULL"#)
        try expect(Database.json("[1]"), #"JSON(?) ["[1]"]"#, #""[1]" | "[1]" | "[1]""#)
        try expect(Database.json(width), #"JSON("width")"#, #""1" | "10" | NULL"#)
        try expect(Database.json(noString), "JSON(NULL)", "NULL | NULL | NULL")
        try expect(
            Database.json(width + height), #"JSON("width" + "height")"#, #""3" | "30" | NULL"#)
        try expect(Database.json(SQL("contents")), "JSON(contents)", #""JSON" | "[1,2]" | NULL"#)
        try expect(
            Database.json(Parcel.select(Column("contents")).limit(1)),
            #"JSON((SELECT "contents" FROM "parcel" LIMIT 1))"#, #""JSON" | "JSON" | "JSON""#)
        try expectFailure(Database.json("x".databaseValue), #"JSON(?) ["x"]"#, "malformed JSON")
        try expectFailure(Database.json("x".sqlExpression), #"JSON(?) ["x"]"#, "malformed JSON")
        try expect(
            Database.json(contents["c"]), #"JSON("contents" ->> ?) ["c"]"#,
            #""{"d":"e"}" | NULL | NULL"#)
        try expect(
            Database.json(contents.jsonRepresentation(atPath: "c")),
            #"JSON("contents" -> ?) ["c"]"#, #""{"d":"e"}" | NULL | NULL"#)
        try expect(
            Database.json(Database.json(contents)), #"JSON(JSON("contents"))"#,
            #""JSON" | "[1,2]" | NULL"#)
        try expect(
            Database.json(Database.jsonArray([1])), "JSON(JSON_ARRAY(?)) [1]",
            #""[1]" | "[1]" | "[1]""#)
        try expect(
            Database.json(Column("contents").asJSON), #"JSON("contents")"#,
            #""JSON" | "[1,2]" | NULL"#)
        try expect(Database.json(max(Column("contents"))), #"JSON(MAX("contents"))"#, #""JSON""#)
        try expect(
            Database.jsonArray([1, 2]), "JSON_ARRAY(?, ?) [1, 2]", #""[1,2]" | "[1,2]" | "[1,2]""#)
    }

    @Test func arrays() throws {
        try expect(Database.jsonArray([Int]()), "JSON_ARRAY()", #""[]" | "[]" | "[]""#)
        try expect(
            Database.jsonArray(["a", "b"]), #"JSON_ARRAY(?, ?) ["a", "b"]"#,
            #""["a","b"]" | "["a","b"]" | "["a","b"]""#)
        try expect(
            Database.jsonArray([noInt, 1]), "JSON_ARRAY(NULL, ?) [1]",
            #""[null,1]" | "[null,1]" | "[null,1]""#)
        try expect(
            Database.jsonArray([width, height]), #"JSON_ARRAY("width", "height")"#,
            #""[1,2]" | "[10,20]" | "[null,null]""#)
        try expect(
            Database.jsonArray([contents, contents]),
            #"JSON_ARRAY(JSON("contents"), JSON("contents"))"#,
            #""[JSON,JSON]" | "[[1,2],[1,2]]" | "[null,null]""#)
        try expect(
            Database.jsonArray([contents.asJSON, Column("contents").asJSON]),
            #"JSON_ARRAY(JSON("contents"), JSON("contents"))"#,
            #""[JSON,JSON]" | "[[1,2],[1,2]]" | "[null,null]""#)
        try expect(
            Database.jsonArray([contents as any SQLExpressible, width, "x", noInt, 1.5, Data([1])]),
            #"JSON_ARRAY(JSON("contents"), "width", ?, NULL, ?, ?) ["x", 1.5, Data(1 bytes)]"#)
        try expect(
            Database.jsonArray([Column("contents").asJSON as any SQLExpressible, "[1]"]),
            #"JSON_ARRAY(JSON("contents"), ?) ["[1]"]"#,
            #""[JSON,"[1]"]" | "[[1,2],"[1]"]" | "[null,"[1]"]""#)
        try expect(
            Database.jsonArray([width + 1, height * 2]),
            #"JSON_ARRAY("width" + ?, "height" * ?) [1, 2]"#,
            #""[2,4]" | "[11,40]" | "[null,null]""#)
        try expect(
            Database.jsonArray([
                "[1]".databaseValue.asJSON as any SQLExpressible, Database.jsonArray([1]),
            ]), #"JSON_ARRAY(JSON(?), JSON_ARRAY(?)) ["[1]", 1]"#,
            #""[[1],[1]]" | "[[1],[1]]" | "[[1],[1]]""#)
        try expect(
            Database.jsonArray([
                Parcel.select(Column("contents")).limit(1) as any SQLExpressible,
                Database.jsonGroupArray(width), SQL("contents"),
                SQL("contents").sqlExpression.asJSON, max(contents), contents ?? "x",
                coalesce([contents, contents]), coalesce([contents]),
            ]),
            #"JSON_ARRAY((SELECT "contents" FROM "parcel" LIMIT 1), JSON_GROUP_ARRAY("width"), contents, JSON(contents), MAX("contents"), IFNULL("contents", ?), COALESCE("contents", "contents"), JSON("contents")) ["x"]"#
        )
        try expect(
            Database.jsonArray([contents.collating(.nocase), max(Column("contents").asJSON)]),
            #"JSON_ARRAY("contents" COLLATE NOCASE, MAX("contents"))"#)
        try expect(
            Database.jsonArray([true, false]), "JSON_ARRAY(?, ?) [1, 0]",
            #""[1,0]" | "[1,0]" | "[1,0]""#)
        try expect(
            Database.jsonArray([ParcelSize.small]), "JSON_ARRAY(?) [1]",
            #""[1]" | "[1]" | "[1]""#)
        try expect(Database.jsonArray(Set([1])), "JSON_ARRAY(?) [1]", #""[1]" | "[1]" | "[1]""#)
        try expect(
            Database.jsonArray([epoch]), #"JSON_ARRAY(?) ["1970-01-01 00:00:00.000"]"#,
            #""["1970-01-01 00:00:00.000"]" | "["1970-01-01 00:00:00.000"]" | "["1970-01-01 00:00:00.000"]""#
        )
    }

    @Test func objects() throws {
        try expect(
            Database.jsonObject(["a": 1]), #"JSON_OBJECT(?, ?) ["a", 1]"#,
            #""{"a":1}" | "{"a":1}" | "{"a":1}""#)
        try expect(
            Database.jsonObject(
                [(key: "a", value: 1), (key: "b", value: contents)] as ParcelPairs),
            #"JSON_OBJECT(?, ?, ?, JSON("contents")) ["a", 1, "b"]"#,
            #""{"a":1,"b":JSON}" | "{"a":1,"b":[1,2]}" | "{"a":1,"b":null}""#)
        try expect(Database.jsonObject([:]), "JSON_OBJECT()", #""{}" | "{}" | "{}""#)
        try expect(
            Database.jsonObject(
                [
                    (key: "a", value: noInt), (key: "odd '\"k", value: "v"),
                    (key: "j", value: Column("contents").asJSON),
                ] as ParcelPairs),
            #"JSON_OBJECT(?, NULL, ?, ?, ?, JSON("contents")) ["a", "odd \'\"k", "v", "j"]"#)
        try expect(
            Database.jsonObject(["x": Database.jsonArray([1, 2])]),
            #"JSON_OBJECT(?, JSON_ARRAY(?, ?)) ["x", 1, 2]"#,
            #""{"x":[1,2]}" | "{"x":[1,2]}" | "{"x":[1,2]}""#)
        try expect(
            Database.jsonObject(["x": Column("contents")]), #"JSON_OBJECT(?, "contents") ["x"]"#)
        try expect(
            Database.jsonObject(["x": "[1]"]), #"JSON_OBJECT(?, ?) ["x", "[1]"]"#,
            #""{"x":"[1]"}" | "{"x":"[1]"}" | "{"x":"[1]"}""#)
        try expect(
            Database.jsonObject([(key: "a", value: width + 1)] as ParcelPairs),
            #"JSON_OBJECT(?, "width" + ?) ["a", 1]"#, #""{"a":2}" | "{"a":11}" | "{"a":null}""#)
        try expect(
            Database.jsonObject(KeyValuePairs(dictionaryLiteral: ("a", 1), ("b", 2))),
            #"JSON_OBJECT(?, ?, ?, ?) ["a", 1, "b", 2]"#,
            #""{"a":1,"b":2}" | "{"a":1,"b":2}" | "{"a":1,"b":2}""#)
    }

    @Test func lengthsTypesAndValidityOfJSONColumns() throws {
        try expect(
            Database.jsonArrayLength(contents), #"JSON_ARRAY_LENGTH("contents")"#, "0 | 2 | NULL")
        try expect(
            Database.jsonArrayLength(contents, atPath: "$.b"),
            #"JSON_ARRAY_LENGTH("contents", ?) ["$.b"]"#, "3 | NULL | NULL")
        try expect(
            Database.jsonType(contents), #"JSON_TYPE("contents")"#, #""object" | "array" | NULL"#)
        try expect(
            Database.jsonType(contents, atPath: "$.b"), #"JSON_TYPE("contents", ?) ["$.b"]"#,
            #""array" | NULL | NULL"#)
        try expect(Database.jsonIsValid(contents), #"JSON_VALID("contents")"#, "1 | 1 | NULL")
    }

    @Test func lengthsAndTypesOfColumns() throws {
        try expect(
            Database.jsonQuote(contents), #"JSON_QUOTE(JSON("contents"))"#,
            #""JSON" | "[1,2]" | "null""#)
        try expect(
            Database.jsonArrayLength(Column("contents")), #"JSON_ARRAY_LENGTH("contents")"#,
            "0 | 2 | NULL")
        try expect(
            Database.jsonArrayLength(Column("contents"), atPath: "$.b"),
            #"JSON_ARRAY_LENGTH("contents", ?) ["$.b"]"#, "3 | NULL | NULL")
        try expect(
            Database.jsonType(Column("contents")), #"JSON_TYPE("contents")"#,
            #""object" | "array" | NULL"#)
        try expect(
            Database.jsonType(Column("contents"), atPath: "$.b"),
            #"JSON_TYPE("contents", ?) ["$.b"]"#, #""array" | NULL | NULL"#)
        try expect(
            Database.jsonIsValid(Column("contents")), #"JSON_VALID("contents")"#, "1 | 1 | NULL")
        try expect(Database.jsonQuote(Column("contents")), #"JSON_QUOTE("contents")"#)
    }

    @Test func lengthsAndTypesOfOtherExpressions() throws {
        try expect(Database.jsonArrayLength("[1]"), #"JSON_ARRAY_LENGTH(?) ["[1]"]"#, "1 | 1 | 1")
        try expect(
            Database.jsonArrayLength("[1]", atPath: "$.b"),
            #"JSON_ARRAY_LENGTH(?, ?) ["[1]", "$.b"]"#, "NULL | NULL | NULL")
        try expect(
            Database.jsonType("[1]"), #"JSON_TYPE(?) ["[1]"]"#, #""array" | "array" | "array""#)
        try expect(
            Database.jsonType("[1]", atPath: "$.b"), #"JSON_TYPE(?, ?) ["[1]", "$.b"]"#,
            "NULL | NULL | NULL")
        try expect(Database.jsonIsValid("[1]"), #"JSON_VALID(?) ["[1]"]"#, "1 | 1 | 1")
        try expect(
            Database.jsonQuote("[1]"), #"JSON_QUOTE(?) ["[1]"]"#, #"""[1]"" | ""[1]"" | ""[1]"""#)
        try expect(
            Database.jsonArrayLength(width + height), #"JSON_ARRAY_LENGTH("width" + "height")"#,
            "0 | 0 | NULL")
        try expect(
            Database.jsonArrayLength(width + height, atPath: "$.b"),
            #"JSON_ARRAY_LENGTH("width" + "height", ?) ["$.b"]"#, "NULL | NULL | NULL")
        try expect(
            Database.jsonType(width + height), #"JSON_TYPE("width" + "height")"#,
            #""integer" | "integer" | NULL"#)
        try expect(
            Database.jsonType(width + height, atPath: "$.b"),
            #"JSON_TYPE("width" + "height", ?) ["$.b"]"#, "NULL | NULL | NULL")
        try expect(
            Database.jsonIsValid(width + height), #"JSON_VALID("width" + "height")"#, "1 | 1 | NULL"
        )
        try expect(
            Database.jsonQuote(width + height), #"JSON_QUOTE("width" + "height")"#,
            #""3" | "30" | "null""#)
        try expectFailure(
            Database.jsonArrayLength(contents, atPath: label),
            #"JSON_ARRAY_LENGTH("contents", "label")"#, "bad JSON path: 'alpha'")
        try expectFailure(
            Database.jsonType(contents, atPath: label), #"JSON_TYPE("contents", "label")"#,
            "bad JSON path: 'alpha'")
    }

    @Test func combinedFunctions() throws {
        try expect(!Database.jsonIsValid(contents), #"NOT JSON_VALID("contents")"#, "0 | 0 | NULL")
        try expect(
            Database.jsonIsValid(contents) == true, #"JSON_VALID("contents") = ? [1]"#,
            "1 | 1 | NULL")
        try expect(
            Database.jsonArrayLength(contents) + 1, #"JSON_ARRAY_LENGTH("contents") + ? [1]"#,
            "1 | 3 | NULL")
        try expect(
            Database.jsonQuote(Database.jsonArray([1])), "JSON_QUOTE(JSON_ARRAY(?)) [1]",
            #""[1]" | "[1]" | "[1]""#)
        try expect(Database.jsonQuote("x"), #"JSON_QUOTE(?) ["x"]"#, #"""x"" | ""x"" | ""x"""#)
        try expect(
            Database.jsonExtract(contents, atPath: "$.a"), #"JSON_EXTRACT("contents", ?) ["$.a"]"#,
            "1 | NULL | NULL")
        try expect(
            Database.jsonExtract(contents, atPaths: ["$.a", "$.b"]),
            #"JSON_EXTRACT("contents", ?, ?) ["$.a", "$.b"]"#,
            #""[1,[1,2,3]]" | "[null,null]" | NULL"#)
        try expectFailure(
            Database.jsonExtract(contents, atPaths: [label]), #"JSON_EXTRACT("contents", "label")"#,
            "bad JSON path: 'alpha'")
    }

    @Test func insertionsAndReplacements() throws {
        try expect(
            Database.jsonExtract(contents, atPaths: [String]()), #"JSON_EXTRACT("contents")"#,
            "NULL | NULL | NULL")
        try expect(
            Database.jsonInsert(contents, ["$.a": 9]), #"JSON_INSERT("contents", ?, ?) ["$.a", 9]"#,
            #""JSON" | "[1,2]" | NULL"#)
        try expect(
            Database.jsonInsert(contents, changes),
            #"JSON_INSERT("contents", ?, JSON("contents"), ?, NULL, ?, "contents") ["$.a", "$.b", "$.z"]"#
        )
        try expect(
            Database.jsonInsert(contents, ["$.a": Database.jsonArray([1])]),
            #"JSON_INSERT("contents", ?, JSON_ARRAY(?)) ["$.a", 1]"#, #""JSON" | "[1,2]" | NULL"#)
        try expect(
            Database.jsonInsert(contents, [:]), #"JSON_INSERT("contents")"#,
            #""JSON" | "[1,2]" | NULL"#)
        try expect(
            Database.jsonReplace(contents, ["$.a": 9]),
            #"JSON_REPLACE("contents", ?, ?) ["$.a", 9]"#,
            #""{"a":9,"b":[1,2,3],"c":{"d":"e"}}" | "[1,2]" | NULL"#)
        try expect(
            Database.jsonReplace(contents, changes),
            #"JSON_REPLACE("contents", ?, JSON("contents"), ?, NULL, ?, "contents") ["$.a", "$.b", "$.z"]"#,
            #""{"a":JSON,"b":null,"c":{"d":"e"}}" | "[1,2]" | NULL"#)
        try expect(
            Database.jsonReplace(contents, ["$.a": Database.jsonArray([1])]),
            #"JSON_REPLACE("contents", ?, JSON_ARRAY(?)) ["$.a", 1]"#,
            #""{"a":[1],"b":[1,2,3],"c":{"d":"e"}}" | "[1,2]" | NULL"#)
        try expect(
            Database.jsonReplace(contents, [:]), #"JSON_REPLACE("contents")"#,
            #""JSON" | "[1,2]" | NULL"#)
    }

    @Test func settingsPatchesAndRemovals() throws {
        try expect(
            Database.jsonSet(contents, ["$.a": 9]), #"JSON_SET("contents", ?, ?) ["$.a", 9]"#,
            #""{"a":9,"b":[1,2,3],"c":{"d":"e"}}" | "[1,2]" | NULL"#)
        try expect(
            Database.jsonSet(contents, changes),
            #"JSON_SET("contents", ?, JSON("contents"), ?, NULL, ?, "contents") ["$.a", "$.b", "$.z"]"#
        )
        try expect(
            Database.jsonSet(contents, ["$.a": Database.jsonArray([1])]),
            #"JSON_SET("contents", ?, JSON_ARRAY(?)) ["$.a", 1]"#,
            #""{"a":[1],"b":[1,2,3],"c":{"d":"e"}}" | "[1,2]" | NULL"#)
        try expect(
            Database.jsonSet(contents, [:]), #"JSON_SET("contents")"#, #""JSON" | "[1,2]" | NULL"#)
        try expect(
            Database.jsonPatch(contents, with: "{}"), #"JSON_PATCH("contents", ?) ["{}"]"#,
            #""JSON" | "{}" | NULL"#)
        try expect(
            Database.jsonPatch(contents, with: contents), #"JSON_PATCH("contents", "contents")"#,
            #""JSON" | "[1,2]" | NULL"#)
        try expect(
            Database.jsonPatch(contents, with: Database.jsonObject(["a": 7])),
            #"JSON_PATCH("contents", JSON_OBJECT(?, ?)) ["a", 7]"#,
            #""{"a":7,"b":[1,2,3],"c":{"d":"e"}}" | "{"a":7}" | NULL"#)
        try expect(
            Database.jsonRemove(contents, atPath: "$.a"), #"JSON_REMOVE("contents", ?) ["$.a"]"#,
            #""{"b":[1,2,3],"c":{"d":"e"}}" | "[1,2]" | NULL"#)
        try expect(
            Database.jsonRemove(contents, atPaths: ["$.a", "$.b"]),
            #"JSON_REMOVE("contents", ?, ?) ["$.a", "$.b"]"#, #""{"c":{"d":"e"}}" | "[1,2]" | NULL"#
        )
        try expect(
            Database.jsonRemove(contents, atPaths: [String]()), #"JSON_REMOVE("contents")"#,
            #""JSON" | "[1,2]" | NULL"#)
        try expectFailure(
            Database.jsonRemove(contents, atPath: label), #"JSON_REMOVE("contents", "label")"#,
            "bad JSON path: 'alpha'")
    }

    @Test func changesOfColumns() throws {
        try expect(
            Database.jsonExtract(Column("contents"), atPath: "$.a"),
            #"JSON_EXTRACT("contents", ?) ["$.a"]"#, "1 | NULL | NULL")
        try expect(
            Database.jsonInsert(Column("contents"), ["$.a": 9]),
            #"JSON_INSERT("contents", ?, ?) ["$.a", 9]"#, #""JSON" | "[1,2]" | NULL"#)
        try expect(
            Database.jsonInsert(Column("contents"), changes),
            #"JSON_INSERT("contents", ?, JSON("contents"), ?, NULL, ?, "contents") ["$.a", "$.b", "$.z"]"#
        )
        try expect(
            Database.jsonReplace(Column("contents"), ["$.a": 9]),
            #"JSON_REPLACE("contents", ?, ?) ["$.a", 9]"#,
            #""{"a":9,"b":[1,2,3],"c":{"d":"e"}}" | "[1,2]" | NULL"#)
        try expect(
            Database.jsonReplace(Column("contents"), changes),
            #"JSON_REPLACE("contents", ?, JSON("contents"), ?, NULL, ?, "contents") ["$.a", "$.b", "$.z"]"#,
            #""{"a":JSON,"b":null,"c":{"d":"e"}}" | "[1,2]" | NULL"#)
        try expect(
            Database.jsonSet(Column("contents"), ["$.a": 9]),
            #"JSON_SET("contents", ?, ?) ["$.a", 9]"#,
            #""{"a":9,"b":[1,2,3],"c":{"d":"e"}}" | "[1,2]" | NULL"#)
        try expect(
            Database.jsonSet(Column("contents"), changes),
            #"JSON_SET("contents", ?, JSON("contents"), ?, NULL, ?, "contents") ["$.a", "$.b", "$.z"]"#
        )
        try expect(
            Database.jsonPatch(Column("contents"), with: "{}"),
            #"JSON_PATCH("contents", ?) ["{}"]"#, #""JSON" | "{}" | NULL"#)
        try expect(
            Database.jsonRemove(Column("contents"), atPaths: ["$.a", "$.b"]),
            #"JSON_REMOVE("contents", ?, ?) ["$.a", "$.b"]"#, #""{"c":{"d":"e"}}" | "[1,2]" | NULL"#
        )
    }

    @Test func changesOfTexts() throws {
        try expect(
            Database.jsonExtract("{\"a\":5}", atPaths: ["$.a", "$.b"]),
            #"JSON_EXTRACT(?, ?, ?) ["{\"a\":5}", "$.a", "$.b"]"#,
            #""[5,null]" | "[5,null]" | "[5,null]""#)
        try expect(
            Database.jsonInsert("{\"a\":5}", changes),
            #"JSON_INSERT(?, ?, JSON("contents"), ?, NULL, ?, "contents") ["{\"a\":5}", "$.a", "$.b", "$.z"]"#
        )
        try expect(
            Database.jsonReplace("{\"a\":5}", changes),
            #"JSON_REPLACE(?, ?, JSON("contents"), ?, NULL, ?, "contents") ["{\"a\":5}", "$.a", "$.b", "$.z"]"#,
            #""{"a":JSON}" | "{"a":[1,2]}" | "{"a":null}""#)
        try expect(
            Database.jsonSet("{\"a\":5}", changes),
            #"JSON_SET(?, ?, JSON("contents"), ?, NULL, ?, "contents") ["{\"a\":5}", "$.a", "$.b", "$.z"]"#
        )
        try expect(
            Database.jsonPatch("{\"a\":5}", with: contents),
            #"JSON_PATCH(?, "contents") ["{\"a\":5}"]"#, #""JSON" | "[1,2]" | NULL"#)
        try expect(
            Database.jsonRemove("{\"a\":5}", atPaths: [String]()), #"JSON_REMOVE(?) ["{\"a\":5}"]"#,
            #""{"a":5}" | "{"a":5}" | "{"a":5}""#)
    }

    @Test func changesOfNumbers() throws {
        try expectFailure(
            Database.jsonExtract(width, atPaths: [label]), #"JSON_EXTRACT("width", "label")"#,
            "bad JSON path: 'alpha'")
        try expect(
            Database.jsonInsert(width, changes),
            #"JSON_INSERT("width", ?, JSON("contents"), ?, NULL, ?, "contents") ["$.a", "$.b", "$.z"]"#,
            #""1" | "10" | NULL"#)
        try expect(
            Database.jsonInsert(width, ["$.a": Database.jsonArray([1])]),
            #"JSON_INSERT("width", ?, JSON_ARRAY(?)) ["$.a", 1]"#, #""1" | "10" | NULL"#)
        try expect(
            Database.jsonReplace(width, changes),
            #"JSON_REPLACE("width", ?, JSON("contents"), ?, NULL, ?, "contents") ["$.a", "$.b", "$.z"]"#,
            #""1" | "10" | NULL"#)
        try expect(
            Database.jsonReplace(width, ["$.a": Database.jsonArray([1])]),
            #"JSON_REPLACE("width", ?, JSON_ARRAY(?)) ["$.a", 1]"#, #""1" | "10" | NULL"#)
        try expect(
            Database.jsonSet(width, changes),
            #"JSON_SET("width", ?, JSON("contents"), ?, NULL, ?, "contents") ["$.a", "$.b", "$.z"]"#,
            #""1" | "10" | NULL"#)
        try expect(
            Database.jsonSet(width, ["$.a": Database.jsonArray([1])]),
            #"JSON_SET("width", ?, JSON_ARRAY(?)) ["$.a", 1]"#, #""1" | "10" | NULL"#)
    }

    @Test func patchesAndRemovalsOfNumbers() throws {
        try expect(
            Database.jsonPatch(width, with: Database.jsonObject(["a": 7])),
            #"JSON_PATCH("width", JSON_OBJECT(?, ?)) ["a", 7]"#, #""{"a":7}" | "{"a":7}" | NULL"#)
        try expect(
            Database.jsonRemove(width, atPath: "$.a"), #"JSON_REMOVE("width", ?) ["$.a"]"#,
            #""1" | "10" | NULL"#)
        try expect(
            Database.jsonRemove(width, atPaths: ["$.a", "$.b"]),
            #"JSON_REMOVE("width", ?, ?) ["$.a", "$.b"]"#, #""1" | "10" | NULL"#)
        try expect(
            Database.jsonRemove(width, atPaths: [String]()), #"JSON_REMOVE("width")"#,
            #""1" | "10" | NULL"#)
        try expectFailure(
            Database.jsonRemove(width, atPath: label), #"JSON_REMOVE("width", "label")"#,
            "bad JSON path: 'alpha'")
    }

    @Test func aggregates() throws {
        try expect(Database.jsonGroupArray(width), #"JSON_GROUP_ARRAY("width")"#, #""[1,10,null]""#)
        try expect(
            Database.jsonGroupArray(width, filter: width > 1),
            #"JSON_GROUP_ARRAY("width") FILTER (WHERE "width" > ?) [1]"#, #""[10]""#)
        try expect(
            Database.jsonGroupObject(key: label, value: width),
            #"JSON_GROUP_OBJECT("label", "width")"#, #""{"alpha":1,"Beta":10}""#)
        try expect(
            Database.jsonGroupArray(contents), #"JSON_GROUP_ARRAY(JSON("contents"))"#,
            #""[JSON,[1,2],null]""#)
        try expect(
            Database.jsonGroupArray(contents, filter: width > 1),
            #"JSON_GROUP_ARRAY(JSON("contents")) FILTER (WHERE "width" > ?) [1]"#, #""[[1,2]]""#)
        try expect(
            Database.jsonGroupObject(key: label, value: contents),
            #"JSON_GROUP_OBJECT("label", JSON("contents"))"#, #""{"alpha":JSON,"Beta":[1,2]}""#)
        try expect(Database.jsonGroupArray(Column("contents")), #"JSON_GROUP_ARRAY("contents")"#)
        try expect(
            Database.jsonGroupArray(Column("contents"), filter: width > 1),
            #"JSON_GROUP_ARRAY("contents") FILTER (WHERE "width" > ?) [1]"#, #""["[1,2]"]""#)
        try expect(
            Database.jsonGroupObject(key: label, value: Column("contents")),
            #"JSON_GROUP_OBJECT("label", "contents")"#)
        try expect(
            Database.jsonGroupArray(Column("contents").asJSON),
            #"JSON_GROUP_ARRAY(JSON("contents"))"#, #""[JSON,[1,2],null]""#)
        try expect(
            Database.jsonGroupArray(Column("contents").asJSON, filter: width > 1),
            #"JSON_GROUP_ARRAY(JSON("contents")) FILTER (WHERE "width" > ?) [1]"#, #""[[1,2]]""#)
        try expect(
            Database.jsonGroupObject(key: label, value: Column("contents").asJSON),
            #"JSON_GROUP_OBJECT("label", JSON("contents"))"#, #""{"alpha":JSON,"Beta":[1,2]}""#)
    }

    @Test func aggregatesOfOtherExpressions() throws {
        try expect(
            Database.jsonGroupArray(width + height), #"JSON_GROUP_ARRAY("width" + "height")"#,
            #""[3,30,null]""#)
        try expect(
            Database.jsonGroupArray(width + height, filter: width > 1),
            #"JSON_GROUP_ARRAY("width" + "height") FILTER (WHERE "width" > ?) [1]"#, #""[30]""#)
        try expect(
            Database.jsonGroupObject(key: label, value: width + height),
            #"JSON_GROUP_OBJECT("label", "width" + "height")"#, #""{"alpha":3,"Beta":30}""#)
        try expect(Database.jsonGroupArray("x"), #"JSON_GROUP_ARRAY(?) ["x"]"#, #""["x","x","x"]""#)
        try expect(
            Database.jsonGroupArray("x", filter: width > 1),
            #"JSON_GROUP_ARRAY(?) FILTER (WHERE "width" > ?) ["x", 1]"#, #""["x"]""#)
        try expect(
            Database.jsonGroupObject(key: label, value: "x"),
            #"JSON_GROUP_OBJECT("label", ?) ["x"]"#, #""{"alpha":"x","Beta":"x"}""#)
        try expect(
            Database.jsonGroupArray(Database.jsonArray([width, height])),
            #"JSON_GROUP_ARRAY(JSON_ARRAY("width", "height"))"#, #""[[1,2],[10,20],[null,null]]""#)
        try expect(
            Database.jsonGroupArray(Database.jsonArray([width, height]), filter: width > 1),
            #"JSON_GROUP_ARRAY(JSON_ARRAY("width", "height")) FILTER (WHERE "width" > ?) [1]"#,
            #""[[10,20]]""#)
    }

    @Test func compounds() throws {
        try expect(
            Database.jsonGroupObject(key: label, value: Database.jsonArray([width, height])),
            #"JSON_GROUP_OBJECT("label", JSON_ARRAY("width", "height"))"#,
            #""{"alpha":[1,2],"Beta":[10,20]}""#)
        try expect(
            Database.jsonGroupObject(key: label, value: contents, filter: width > 1),
            #"JSON_GROUP_OBJECT("label", JSON("contents")) FILTER (WHERE "width" > ?) [1]"#,
            #""{"Beta":[1,2]}""#)
        try expect(
            Database.jsonGroupObject(key: "k", value: contents, filter: isFragile),
            #"JSON_GROUP_OBJECT(?, JSON("contents")) FILTER (WHERE "isFragile") ["k"]"#,
            #""{"k":JSON}""#)
        try expect(
            Database.jsonGroupArray(width) == "[]", #"JSON_GROUP_ARRAY("width") = ? ["[]"]"#, "0")
        try expect(
            Database.jsonGroupArray(width, filter: width > 1) == "[]",
            #"(JSON_GROUP_ARRAY("width") FILTER (WHERE "width" > ?)) = ? [1, "[]"]"#, "0")
        try expect(
            Database.jsonArray([1]) == Database.jsonArray([2]),
            "JSON_ARRAY(?) = JSON_ARRAY(?) [1, 2]", "0 | 0 | 0")
        try expect(!Database.jsonArray([1]), "NOT JSON_ARRAY(?) [1]", "1 | 1 | 1")
        try expect(
            Database.jsonArray([1]) ?? "x", #"IFNULL(JSON_ARRAY(?), ?) [1, "x"]"#,
            #""[1]" | "[1]" | "[1]""#)
        try expect(
            Database.jsonExtract(contents, atPath: "$.a") + 1,
            #"JSON_EXTRACT("contents", ?) + ? ["$.a", 1]"#, "2 | NULL | NULL")
        try expect(Database.jsonArray([1]).asJSON[0], "JSON_ARRAY(?) ->> ? [1, 0]", "1 | 1 | 1")
        try expect(
            Parcel.select(Database.jsonArray([width, height]).forKey("k")),
            #"SELECT JSON_ARRAY("width", "height") AS "k" FROM "parcel""#,
            #"("[1,2]") ("[10,20]") ("[null,null]")"#)
    }
}
