import GRDBQueries
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Requests in expressions.
@Suite(.databases) struct SubqueryTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    @Test func memberships() throws {
        try expect(
            Parcel.select(id).contains(width), #""width" IN (SELECT "id" FROM "parcel")"#,
            "1 | 0 | NULL")
        try expect(
            Parcel.selectPrimaryKey(as: Int.self).contains(width),
            #""width" IN (SELECT "id" FROM "parcel")"#, "1 | 0 | NULL")
        try expect(
            Parcel.select(id).filter(height > 1).contains(width),
            #""width" IN (SELECT "id" FROM "parcel" WHERE "height" > ?) [1]"#, "1 | 0 | NULL")
        try expectFailure(
            Parcel.select(id, width).contains(width),
            #""width" IN (SELECT "id", "width" FROM "parcel")"#,
            "sub-select returns 2 columns - expected 1")
        try expectFailure(
            Parcel.all().contains(width), #""width" IN (SELECT * FROM "parcel")"#,
            "sub-select returns 9 columns - expected 1")
        try expect(
            Parcel.select(label).contains(label.collating(.nocase)),
            #"("label" COLLATE NOCASE) IN (SELECT "label" FROM "parcel")"#, "1 | 1 | NULL")
        try expect(
            !Parcel.select(id).contains(width), #""width" NOT IN (SELECT "id" FROM "parcel")"#,
            "0 | 1 | NULL")
        try expect(
            !(!Parcel.select(id).contains(width)), #""width" IN (SELECT "id" FROM "parcel")"#,
            "1 | 0 | NULL")
        try expect(
            Parcel.select(id).contains(noInt), #"NULL IN (SELECT "id" FROM "parcel")"#,
            "NULL | NULL | NULL")
        try expect(
            Parcel.select(id).contains(width + 1),
            #"("width" + ?) IN (SELECT "id" FROM "parcel") [1]"#, "1 | 0 | NULL")
        try expect(
            Parcel.select(id).contains(width) && height,
            #"("width" IN (SELECT "id" FROM "parcel")) AND "height""#, "1 | 0 | NULL")
        try expect(
            Parcel.select(id).contains(width) == false,
            #"("width" IN (SELECT "id" FROM "parcel")) = ? [0]"#, "0 | 1 | NULL")
        try expect(
            Parcel.select(id).limit(2).contains(width),
            #""width" IN (SELECT "id" FROM "parcel" LIMIT 2)"#, "1 | 0 | NULL")
        try expect(
            Parcel.select(id).order(height.desc).limit(2).contains(width),
            #""width" IN (SELECT "id" FROM "parcel" ORDER BY "height" DESC LIMIT 2)"#,
            "1 | 0 | NULL")
        try expect(
            Parcel.select(width).contains(Parcel.select(max(width))),
            #"(SELECT MAX("width") FROM "parcel") IN (SELECT "width" FROM "parcel")"#, "1 | 1 | 1")
        try expect(
            Parcel.select(id).none().contains(width),
            #""width" IN (SELECT "id" FROM "parcel" WHERE ?) [0]"#, "0 | 0 | 0")
        try expect(
            Parcel.select(id).contains(width).collating(.nocase),
            #"("width" COLLATE NOCASE) IN (SELECT "id" FROM "parcel")"#, "1 | 0 | NULL")
        try expect(
            SQLRequest<Int>("SELECT 1 UNION SELECT \(10)").contains(width),
            #""width" IN (SELECT 1 UNION SELECT ?) [10]"#, "1 | 1 | NULL")
        try expect(
            SQLRequest<Int>(sql: "SELECT ?", arguments: [10]).contains(width),
            #""width" IN (SELECT ?) [10]"#, "0 | 1 | NULL")
        try expect(
            !SQLRequest<Int>("SELECT 1").contains(width), #""width" NOT IN (SELECT 1)"#,
            "0 | 1 | NULL")
    }

    @Test func existence() throws {
        try expect(
            SQLRequest<Int>("SELECT id FROM parcel").exists(), "EXISTS (SELECT id FROM parcel)",
            "1 | 1 | 1")
        try expect(
            !SQLRequest<Int>("SELECT id FROM parcel").exists(),
            "NOT EXISTS (SELECT id FROM parcel)", "0 | 0 | 0")
        try expect(Parcel.all().exists(), #"EXISTS (SELECT * FROM "parcel")"#, "1 | 1 | 1")
        try expect(
            Parcel.filter(width == 1).exists(),
            #"EXISTS (SELECT * FROM "parcel" WHERE "width" = ?) [1]"#, "1 | 1 | 1")
        try expect(
            !Parcel.filter(width == 1).exists(),
            #"NOT EXISTS (SELECT * FROM "parcel" WHERE "width" = ?) [1]"#, "0 | 0 | 0")
        try expect(
            !(!Parcel.filter(width == 1).exists()),
            #"EXISTS (SELECT * FROM "parcel" WHERE "width" = ?) [1]"#, "1 | 1 | 1")
        try expect(
            Parcel.none().exists(), #"EXISTS (SELECT * FROM "parcel" WHERE ?) [0]"#, "0 | 0 | 0")
        try expect(
            Parcel.select(max(width)).exists(), #"EXISTS (SELECT MAX("width") FROM "parcel")"#,
            "1 | 1 | 1")
        try expect(
            Parcel.order(width).limit(1).exists(),
            #"EXISTS (SELECT * FROM "parcel" ORDER BY "width" LIMIT 1)"#, "1 | 1 | 1")
        try expect(
            Parcel.select(width).group(height).having(count(width) > 1).exists(),
            #"EXISTS (SELECT "width" FROM "parcel" GROUP BY "height" HAVING COUNT("width") > ?) [1]"#,
            "0 | 0 | 0")
        try expect(
            Parcel.filter(width == 1).exists() && height,
            #"(EXISTS (SELECT * FROM "parcel" WHERE "width" = ?)) AND "height" [1]"#, "1 | 1 | NULL"
        )
        try expect(
            Parcel.filter(width == 1).exists() == true,
            #"(EXISTS (SELECT * FROM "parcel" WHERE "width" = ?)) = ? [1, 1]"#, "1 | 1 | 1")
        try expect(
            Parcel.filter(width == 1).exists() == false,
            #"(EXISTS (SELECT * FROM "parcel" WHERE "width" = ?)) = ? [1, 0]"#, "0 | 0 | 0")
        try expect(Table("parcel").all().exists(), #"EXISTS (SELECT * FROM "parcel")"#, "1 | 1 | 1")
        try expect(
            Table("parcel").select(width).contains(height),
            #""height" IN (SELECT "width" FROM "parcel")"#, "NULL | NULL | NULL")
        try expect(
            Parcel.select(max(width)).sqlExpression, #"(SELECT MAX("width") FROM "parcel")"#,
            "10 | 10 | 10")
        try expect(
            Parcel.select(max(width)) == 1, #"(SELECT MAX("width") FROM "parcel") = ? [1]"#,
            "0 | 0 | 0")
    }

    @Test func scalars() throws {
        try expect(
            Parcel.select(max(width)) == nil, #"(SELECT MAX("width") FROM "parcel") IS NULL"#,
            "0 | 0 | 0")
        try expect(
            Parcel.select(max(width)) == Parcel.select(min(width)),
            #"(SELECT MAX("width") FROM "parcel") = (SELECT MIN("width") FROM "parcel")"#,
            "0 | 0 | 0")
        try expect(
            Parcel.select(max(width)) == true, #"(SELECT MAX("width") FROM "parcel") = ? [1]"#,
            "0 | 0 | 0")
        try expect(
            Parcel.select(max(width)) + 1, #"(SELECT MAX("width") FROM "parcel") + ? [1]"#,
            "11 | 11 | 11")
        try expect(
            Parcel.select(max(width)) * (width + 1),
            #"(SELECT MAX("width") FROM "parcel") * ("width" + ?) [1]"#, "20 | 110 | NULL")
        try expect(
            Parcel.select(max(width)).sqlExpression + 1,
            #"(SELECT MAX("width") FROM "parcel") + ? [1]"#, "11 | 11 | 11")
        try expect(
            !Parcel.select(max(width)), #"NOT (SELECT MAX("width") FROM "parcel")"#, "0 | 0 | 0")
        try expect(
            Parcel.select(max(width)) && width, #"(SELECT MAX("width") FROM "parcel") AND "width""#,
            "1 | 1 | NULL")
        try expect(
            Parcel.select(width).limit(1) ?? 0,
            #"IFNULL((SELECT "width" FROM "parcel" LIMIT 1), ?) [0]"#, "1 | 1 | 1")
        try expect(
            Parcel.select(Parcel.select(width).limit(1).forKey("sub")),
            #"SELECT (SELECT "width" FROM "parcel" LIMIT 1) AS "sub" FROM "parcel""#, "(1) (1) (1)")
        try expect(
            Parcel.select(Parcel.select(max(width)).forKey("sub")),
            #"SELECT (SELECT MAX("width") FROM "parcel") AS "sub" FROM "parcel""#, "(10) (10) (10)")
        try expect(
            SQLRequest<Int>("SELECT \(3)") + width, #"(SELECT ?) + "width" [3]"#, "4 | 13 | NULL")
        try expect(
            SQLRequest<Int>("SELECT \(3)") == width, #"(SELECT ?) = "width" [3]"#, "0 | 0 | NULL")
        try expect(
            Parcel.select(label).limit(1).collating(.nocase),
            #"(SELECT "label" FROM "parcel" LIMIT 1) COLLATE NOCASE"#,
            #""alpha" | "alpha" | "alpha""#)
        try expect(
            Parcel.select(label).limit(1).collating(.nocase) == label,
            #"(SELECT "label" FROM "parcel" LIMIT 1) = "label" COLLATE NOCASE"#, "1 | 0 | NULL")
        try expect(
            length(Parcel.select(label).limit(1)),
            #"LENGTH((SELECT "label" FROM "parcel" LIMIT 1))"#, "5 | 5 | 5")
        try expect(
            max(Parcel.select(label).limit(1), width),
            #"MAX((SELECT "label" FROM "parcel" LIMIT 1), "width")"#, #""alpha" | "alpha" | NULL"#)
        try expect(
            max(width, Parcel.select(height).limit(1)),
            #"MAX("width", (SELECT "height" FROM "parcel" LIMIT 1))"#, "2 | 10 | NULL")
    }
}
