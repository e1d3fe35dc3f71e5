import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// LIKE.
@Suite(.databases) struct LikeTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    @Test func like() throws {
        try expect(label.like("%a%"), #""label" LIKE ? ["%a%"]"#, "1 | 1 | NULL")
        try expect(
            label.like("%a\\%", escape: "\\"), #""label" LIKE ? ESCAPE ? ["%a\\%", "\\"]"#,
            "0 | 0 | NULL")
        try expect(label.like("%a%", escape: nil), #""label" LIKE ? ["%a%"]"#, "1 | 1 | NULL")
        try expect(label.like(width), #""label" LIKE "width""#, "0 | 0 | NULL")
        try expect(label.like(width + 1), #""label" LIKE ("width" + ?) [1]"#, "0 | 0 | NULL")
        try expect(label.like(noString), #""label" LIKE NULL"#, "NULL | NULL | NULL")
        try expectFailure(
            label.like("x", escape: width), #""label" LIKE ? ESCAPE "width" ["x"]"#,
            "ESCAPE expression must be a single character")
        try expect(!label.like("%a%"), #""label" NOT LIKE ? ["%a%"]"#, "0 | 0 | NULL")
        try expect(!(!label.like("%a%")), #""label" LIKE ? ["%a%"]"#, "1 | 1 | NULL")
        try expect(
            !label.like("%a\\%", escape: "\\"), #""label" NOT LIKE ? ESCAPE ? ["%a\\%", "\\"]"#,
            "1 | 1 | NULL")
        try expect(!(!(!label.like("%a%"))), #""label" NOT LIKE ? ["%a%"]"#, "0 | 0 | NULL")
        try expect(
            (width + height).like("3%"), #"("width" + "height") LIKE ? ["3%"]"#, "1 | 1 | NULL")
        try expect(
            label.like("a%") && height, #"("label" LIKE ?) AND "height" ["a%"]"#, "1 | 0 | NULL")
        try expect(label.like("a%") == true, #"("label" LIKE ?) = ? ["a%", 1]"#, "1 | 0 | NULL")
        try expect(label.like("a%") == false, #"("label" LIKE ?) = ? ["a%", 0]"#, "0 | 1 | NULL")
        try expect(label.like("a%") == nil, #"("label" LIKE ?) IS NULL ["a%"]"#, "0 | 0 | 1")
        try expect(
            label.collating(.nocase).like("A%"), #"("label" COLLATE NOCASE) LIKE ? ["A%"]"#,
            "1 | 0 | NULL")
        try expect(
            label.like("A%").collating(.nocase), #"("label" LIKE ?) COLLATE NOCASE ["A%"]"#,
            "1 | 0 | NULL")
        try expect("abc".sqlExpression.like(label), #"? LIKE "label" ["abc"]"#, "0 | 0 | NULL")
        try expect(
            label.like(Parcel.select(label).limit(1)),
            #""label" LIKE (SELECT "label" FROM "parcel" LIMIT 1)"#, "1 | 0 | NULL")
    }
}
