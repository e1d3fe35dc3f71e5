import Foundation
import GRDB
import GRDBQueries
import GRDBTestSupport
import Testing

/// The JSON functions whose results have the binary JSONB format. `JSON` converts them to text.
@Suite(.databases) struct JSONBFunctionTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    /// Expects the SQL of an expression, and the JSON texts of its values.
    private func expectJSON(
        _ expression: SQLExpression, _ sql: String, _ values: String, line: Int = #line
    ) throws {
        try expect(expression, sql, line: line)
        try dbQueue.read { db in
            let blobs = try DatabaseValue.fetchAll(db, Parcel.select(expression))
            for blob in blobs where !blob.isNull {
                expectTrue(Data.fromDatabaseValue(blob) != nil, line: line)
            }
            let texts = try String?.fetchAll(db, Parcel.select(Database.json(expression)))
            let found = texts.map { $0 ?? "NULL" }.joined(separator: " | ")
            expectEqual(
                found.replacingOccurrences(of: ParcelTables.contents, with: "JSON"), values,
                line: line)
        }
    }

    @Test func valuesAreConverted() throws {
        try expectJSON(Database.jsonb(contents), #"JSONB("contents")"#, "JSON | [1,2] | NULL")
        try expectJSON(
            Database.jsonb("[1, 2]"), #"JSONB(?) ["[1, 2]"]"#, "[1,2] | [1,2] | [1,2]")
        try expectFailure(
            Database.jsonb("[".databaseValue), #"JSONB(?) ["["]"#, "malformed JSON")
    }

    @Test func arraysAndObjects() throws {
        try expectJSON(
            Database.jsonbArray([width, height]), #"JSONB_ARRAY("width", "height")"#,
            "[1,2] | [10,20] | [null,null]")
        let values: [any SQLExpressible] = [width, "a", contents]
        try expectJSON(
            Database.jsonbArray(values),
            #"JSONB_ARRAY("width", ?, JSON("contents")) ["a"]"#,
            #"[1,"a",JSON] | [10,"a",[1,2]] | [null,"a",null]"#)
        try expectJSON(
            Database.jsonbObject([("w", width), ("c", contents)] as ParcelPairs),
            #"JSONB_OBJECT(?, "width", ?, JSON("contents")) ["w", "c"]"#,
            #"{"w":1,"c":JSON} | {"w":10,"c":[1,2]} | {"w":null,"c":null}"#)
    }

    @Test func partsAreExtracted() throws {
        try expectJSON(
            Database.jsonbExtract(contents, atPath: "$.b"),
            #"JSONB_EXTRACT("contents", ?) ["$.b"]"#, "[1,2,3] | NULL | NULL")
        try expectJSON(
            Database.jsonbExtract(contents, atPaths: ["$.a", "$.c"]),
            #"JSONB_EXTRACT("contents", ?, ?) ["$.a", "$.c"]"#,
            #"[1,{"d":"e"}] | [null,null] | NULL"#)
    }

    @Test func changes() throws {
        let array = "[1, 2]".databaseValue
        try expectJSON(
            Database.jsonbInsert(array, [("$[0]", 7), ("$[2]", 3)] as ParcelPairs),
            #"JSONB_INSERT(?, ?, ?, ?, ?) ["[1, 2]", "$[0]", 7, "$[2]", 3]"#,
            "[1,2,3] | [1,2,3] | [1,2,3]")
        try expectJSON(
            Database.jsonbReplace(array, [("$[0]", 7), ("$[2]", 3)] as ParcelPairs),
            #"JSONB_REPLACE(?, ?, ?, ?, ?) ["[1, 2]", "$[0]", 7, "$[2]", 3]"#,
            "[7,2] | [7,2] | [7,2]")
        try expectJSON(
            Database.jsonbSet(array, [("$[0]", 7), ("$[2]", 3)] as ParcelPairs),
            #"JSONB_SET(?, ?, ?, ?, ?) ["[1, 2]", "$[0]", 7, "$[2]", 3]"#,
            "[7,2,3] | [7,2,3] | [7,2,3]")
        try expectJSON(
            Database.jsonbPatch(contents, with: #"{"b":null,"c":1}"#),
            #"JSONB_PATCH("contents", ?) ["{\"b\":null,\"c\":1}"]"#,
            #"{"a":1,"c":1} | {"c":1} | NULL"#)
        try expectJSON(
            Database.jsonbRemove(contents, atPath: "$.b"),
            #"JSONB_REMOVE("contents", ?) ["$.b"]"#, #"{"a":1,"c":{"d":"e"}} | [1,2] | NULL"#)
        try expectJSON(
            Database.jsonbRemove(contents, atPaths: ["$.b", "$.c"]),
            #"JSONB_REMOVE("contents", ?, ?) ["$.b", "$.c"]"#, #"{"a":1} | [1,2] | NULL"#)
    }

    @Test func groups() throws {
        try expectJSON(
            Database.jsonbGroupArray(width), #"JSONB_GROUP_ARRAY("width")"#, "[1,10,null]")
        try expectJSON(
            Database.jsonbGroupArray(contents, filter: width > 1),
            #"JSONB_GROUP_ARRAY(JSON("contents")) FILTER (WHERE "width" > ?) [1]"#, "[[1,2]]")
        try expectJSON(
            Database.jsonbGroupArray(width, orderBy: width.desc, id),
            #"JSONB_GROUP_ARRAY("width" ORDER BY "width" DESC, "id")"#, "[10,1,null]")
        try expectJSON(
            Database.jsonbGroupObject(key: label, value: width),
            #"JSONB_GROUP_OBJECT("label", "width")"#, #"{"alpha":1,"Beta":10}"#)
        try expectJSON(
            Database.jsonbGroupObject(key: label, value: contents, filter: width > 1),
            #"JSONB_GROUP_OBJECT("label", JSON("contents")) FILTER (WHERE "width" > ?) [1]"#,
            #"{"Beta":[1,2]}"#)
        try expectJSON(
            Database.jsonbGroupObject(
                key: label, value: width, orderBy: width.desc, id, filter: width > 0),
            #"""
            JSONB_GROUP_OBJECT("label", "width" ORDER BY "width" DESC, "id") \#
            FILTER (WHERE "width" > ?) [0]
            """#, #"{"Beta":10,"alpha":1}"#)
    }

    @Test func textsAreIndentedAndChecked() throws {
        try expect(
            Database.jsonPretty("[1,2]"), #"JSON_PRETTY(?) ["[1,2]"]"#)
        try dbQueue.read { db in
            let text = try String.fetchOne(db, Parcel.select(Database.jsonPretty("[1,2]")))
            expectEqual(text, "[\n    1,\n    2\n]")
        }
        try expect(
            Database.jsonErrorPosition("[1,x]"), #"JSON_ERROR_POSITION(?) ["[1,x]"]"#,
            "4 | 4 | 4")
        try expect(
            Database.jsonErrorPosition(contents), #"JSON_ERROR_POSITION("contents")"#,
            "0 | 0 | NULL")
    }
}
