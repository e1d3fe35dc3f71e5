import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Equality and identity, with values, NULL, expressions, and their negations.
@Suite(.databases) struct EqualityTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    @Test func equality() throws {
        try expect(width == nil, #""width" IS NULL"#, "0 | 0 | 1")
        try expect(width == 1, #""width" = ? [1]"#, "1 | 0 | NULL")
        try expect(width == 1.5, #""width" = ? [1.5]"#, "0 | 0 | NULL")
        try expect(width == "x", #""width" = ? ["x"]"#, "0 | 0 | NULL")
        try expect(width == true, #""width" = ? [1]"#, "1 | 0 | NULL")
        try expect(width == false, #""width" = ? [0]"#, "0 | 0 | NULL")
        try expect(width == height, #""width" = "height""#, "0 | 0 | NULL")
        try expect(width == (height + 1), #""width" = ("height" + ?) [1]"#, "0 | 0 | NULL")
        try expect(width == noInt, #""width" IS NULL"#, "0 | 0 | 1")
        try expect(width == someInt, #""width" = ? [5]"#, "0 | 0 | NULL")
        try expect(width == noString, #""width" IS NULL"#, "0 | 0 | 1")
        try expect(width == epoch, #""width" = ? ["1970-01-01 00:00:00.000"]"#, "0 | 0 | NULL")
        try expect(width == Data([1]), #""width" = ? [Data(1 bytes)]"#, "0 | 0 | NULL")
        try expect(width == ParcelSize.small, #""width" = ? [1]"#, "1 | 0 | NULL")
        try expect(width == DatabaseValue.null, #""width" IS NULL"#, "0 | 0 | 1")
        try expect(width == 1.databaseValue, #""width" = ? [1]"#, "1 | 0 | NULL")
        try expect(
            width == Parcel.select(max(width)), #""width" = (SELECT MAX("width") FROM "parcel")"#,
            "0 | 1 | NULL")
        try expect(width == uuid, #""width" = ? [Data(16 bytes)]"#, "0 | 0 | NULL")
        try expect(nil == width, #""width" IS NULL"#, "0 | 0 | 1")
        try expect(1 == width, #"? = "width" [1]"#, "1 | 0 | NULL")
        try expect("x" == width, #"? = "width" ["x"]"#, "0 | 0 | NULL")
        try expect(true == width, #""width" = ? [1]"#, "1 | 0 | NULL")
        try expect(false == width, #""width" = ? [0]"#, "0 | 0 | NULL")
        try expect(noInt == width, #""width" IS NULL"#, "0 | 0 | 1")
        try expect(DatabaseValue.null == width, #""width" IS NULL"#, "0 | 0 | 1")
    }

    @Test func equalityOfExpressions() throws {
        try expect(width == 1.sqlExpression, #""width" = ? [1]"#, "1 | 0 | NULL")
        try expect(width == true.sqlExpression, #""width" = ? [1]"#, "1 | 0 | NULL")
        try expect(width == DatabaseValue.null.sqlExpression, #""width" IS NULL"#, "0 | 0 | 1")
        try expect(1.sqlExpression == 1.sqlExpression, "? = ? [1, 1]", "1 | 1 | 1")
        try expect(
            1.sqlExpression == DatabaseValue.null.sqlExpression, "? IS NULL [1]", "0 | 0 | 0")
        try expect(
            DatabaseValue.null.sqlExpression == DatabaseValue.null.sqlExpression, "NULL IS NULL",
            "1 | 1 | 1")
        try expect(DatabaseValue.null.sqlExpression == width, #""width" IS NULL"#, "0 | 0 | 1")
        try expect(true.sqlExpression == width, #"? = "width" [1]"#, "1 | 0 | NULL")
        try expect(true.sqlExpression == true, "? = ? [1, 1]", "1 | 1 | 1")
        try expect((width == height) == true, #"("width" = "height") = ? [1]"#, "0 | 0 | NULL")
        try expect((width == height) == false, #"("width" = "height") = ? [0]"#, "1 | 1 | NULL")
        try expect((width == height) == nil, #"("width" = "height") IS NULL"#, "0 | 0 | 1")
        try expect((width == height) == depth, #"("width" = "height") = "depth""#, "0 | 0 | NULL")
        try expect(width == (height == depth), #""width" = ("height" = "depth")"#, "0 | 0 | NULL")
        try expect(
            (width == 1) == (height == 2), #"("width" = ?) = ("height" = ?) [1, 2]"#, "1 | 1 | NULL"
        )
        try expect((width + 1) == nil, #"("width" + ?) IS NULL [1]"#, "0 | 0 | 1")
        try expect((width && height) == true, #"("width" AND "height") = ? [1]"#, "1 | 1 | NULL")
        try expect((width && height) == false, #"("width" AND "height") = ? [0]"#, "0 | 0 | NULL")
        try expect((width && height) == nil, #"("width" AND "height") IS NULL"#, "0 | 0 | 1")
    }

    @Test func negatedEquality() throws {
        try expect(!width == height, #"(NOT "width") = "height""#, "0 | 0 | NULL")
        try expect(!(width == height), #""width" <> "height""#, "1 | 1 | NULL")
        try expect(!(!(width == height)), #""width" = "height""#, "0 | 0 | NULL")
        try expect(!(!(!(width == height))), #""width" <> "height""#, "1 | 1 | NULL")
        try expect(!(width == nil), #""width" IS NOT NULL"#, "1 | 1 | 0")
        try expect(!(!(width == nil)), #""width" IS NULL"#, "0 | 0 | 1")
        try expect(!(width == true), #""width" <> ? [1]"#, "0 | 1 | NULL")
        try expect(!(width == false), #""width" <> ? [0]"#, "1 | 1 | NULL")
        try expect(!(!(width == true)), #""width" = ? [1]"#, "1 | 0 | NULL")
        try expect(!(!(width == false)), #""width" = ? [0]"#, "0 | 0 | NULL")
        try expect(-(width == height), #"-("width" = "height")"#, "0 | 0 | NULL")
        try expect(
            (width == 1).collating(.nocase), #""width" = ? COLLATE NOCASE [1]"#, "1 | 0 | NULL")
    }

    @Test func equalityWithCollations() throws {
        try expect(label == "ALPHA".databaseValue, #""label" = ? ["ALPHA"]"#, "0 | 0 | NULL")
        try expect(
            label.collating(.nocase) == "ALPHA", #""label" = ? COLLATE NOCASE ["ALPHA"]"#,
            "1 | 0 | NULL")
        try expect(
            !(label.collating(.nocase) == "ALPHA"), #""label" <> ? COLLATE NOCASE ["ALPHA"]"#,
            "0 | 1 | NULL")
        try expect(label.collating(.nocase) == nil, #""label" IS NULL COLLATE NOCASE"#, "0 | 0 | 1")
        try expect(
            label == label.collating(.nocase), #""label" = "label" COLLATE NOCASE"#, "1 | 1 | NULL")
        try expect(
            label.collating(.nocase) == label.collating(.binary),
            #""label" = ("label" COLLATE BINARY) COLLATE NOCASE"#, "1 | 1 | NULL")
        try expect(
            "x" == label.collating(.nocase), #"? = "label" COLLATE NOCASE ["x"]"#, "0 | 0 | NULL")
        try expect(
            label.collating(.nocase) == true, #""label" = ? COLLATE NOCASE [1]"#, "0 | 0 | NULL")
    }

    @Test func inequality() throws {
        try expect(width != nil, #""width" IS NOT NULL"#, "1 | 1 | 0")
        try expect(width != "x", #""width" <> ? ["x"]"#, "1 | 1 | NULL")
        try expect(width != true, #""width" <> ? [1]"#, "0 | 1 | NULL")
        try expect(width != height, #""width" <> "height""#, "1 | 1 | NULL")
        try expect(width != noInt, #""width" IS NOT NULL"#, "1 | 1 | 0")
        try expect(width != someInt, #""width" <> ? [5]"#, "1 | 1 | NULL")
        try expect(width != noString, #""width" IS NOT NULL"#, "1 | 1 | 0")
        try expect(width != epoch, #""width" <> ? ["1970-01-01 00:00:00.000"]"#, "1 | 1 | NULL")
        try expect(width != Data([1]), #""width" <> ? [Data(1 bytes)]"#, "1 | 1 | NULL")
        try expect(width != 1.databaseValue, #""width" <> ? [1]"#, "0 | 1 | NULL")
        try expect(nil != width, #""width" IS NOT NULL"#, "1 | 1 | 0")
        try expect(1 != width, #"? <> "width" [1]"#, "0 | 1 | NULL")
        try expect(true != width, #""width" <> ? [1]"#, "0 | 1 | NULL")
        try expect(noInt != width, #""width" IS NOT NULL"#, "1 | 1 | 0")
        try expect(DatabaseValue.null != width, #""width" IS NOT NULL"#, "1 | 1 | 0")
        try expect(width != true.sqlExpression, #""width" <> ? [1]"#, "0 | 1 | NULL")
        try expect(width != DatabaseValue.null.sqlExpression, #""width" IS NOT NULL"#, "1 | 1 | 0")
        try expect(
            DatabaseValue.null.sqlExpression != DatabaseValue.null.sqlExpression,
            "NULL IS NOT NULL", "0 | 0 | 0")
        try expect(true.sqlExpression != width, #"? <> "width" [1]"#, "0 | 1 | NULL")
        try expect(true.sqlExpression != true, "? <> ? [1, 1]", "0 | 0 | 0")
        try expect((width != height) != true, #"("width" <> "height") <> ? [1]"#, "0 | 0 | NULL")
        try expect((width != height) != nil, #"("width" <> "height") IS NOT NULL"#, "1 | 1 | 0")
        try expect(
            (width != 1) != (height != 2), #"("width" <> ?) <> ("height" <> ?) [1, 2]"#,
            "0 | 0 | NULL")
        try expect((width + 1) != nil, #"("width" + ?) IS NOT NULL [1]"#, "1 | 1 | 0")
        try expect((width && height) != true, #"("width" AND "height") <> ? [1]"#, "0 | 0 | NULL")
        try expect((width && height) != false, #"("width" AND "height") <> ? [0]"#, "1 | 1 | NULL")
        try expect((width && height) != nil, #"("width" AND "height") IS NOT NULL"#, "1 | 1 | 0")
        try expect(!(width != height), #""width" = "height""#, "0 | 0 | NULL")
        try expect(!(!(width != height)), #""width" <> "height""#, "1 | 1 | NULL")
        try expect(!(!(!(width != height))), #""width" = "height""#, "0 | 0 | NULL")
        try expect(!(width != nil), #""width" IS NULL"#, "0 | 0 | 1")
        try expect(!(!(width != nil)), #""width" IS NOT NULL"#, "1 | 1 | 0")
        try expect(!(width != true), #""width" = ? [1]"#, "1 | 0 | NULL")
        try expect(!(width != false), #""width" = ? [0]"#, "0 | 0 | NULL")
        try expect(!(!(width != true)), #""width" <> ? [1]"#, "0 | 1 | NULL")
        try expect(!(!(width != false)), #""width" <> ? [0]"#, "1 | 1 | NULL")
        try expect(-(width != height), #"-("width" <> "height")"#, "-1 | -1 | NULL")
        try expect(
            label.collating(.nocase) != "ALPHA", #""label" <> ? COLLATE NOCASE ["ALPHA"]"#,
            "0 | 1 | NULL")
        try expect(
            !(label.collating(.nocase) != "ALPHA"), #""label" = ? COLLATE NOCASE ["ALPHA"]"#,
            "1 | 0 | NULL")
        try expect(
            label.collating(.nocase) != nil, #""label" IS NOT NULL COLLATE NOCASE"#, "1 | 1 | 0")
        try expect(
            label != label.collating(.nocase), #""label" <> "label" COLLATE NOCASE"#, "0 | 0 | NULL"
        )
        try expect(
            label.collating(.nocase) != label.collating(.binary),
            #""label" <> ("label" COLLATE BINARY) COLLATE NOCASE"#, "0 | 0 | NULL")
        try expect(
            label.collating(.nocase) != true, #""label" <> ? COLLATE NOCASE [1]"#, "1 | 1 | NULL")
    }

    @Test func identity() throws {
        try expect(width === nil, #""width" IS NULL"#, "0 | 0 | 1")
        try expect(width === 1, #""width" IS ? [1]"#, "1 | 0 | 0")
        try expect(width === 1.5, #""width" IS ? [1.5]"#, "0 | 0 | 0")
        try expect(width === "x", #""width" IS ? ["x"]"#, "0 | 0 | 0")
        try expect(width === true, #""width" IS ? [1]"#, "1 | 0 | 0")
        try expect(width === false, #""width" IS ? [0]"#, "0 | 0 | 0")
        try expect(width === height, #""width" IS "height""#, "0 | 0 | 1")
        try expect(width === (height + 1), #""width" IS ("height" + ?) [1]"#, "0 | 0 | 1")
        try expect(width === noInt, #""width" IS NULL"#, "0 | 0 | 1")
        try expect(width === someInt, #""width" IS ? [5]"#, "0 | 0 | 0")
        try expect(width === noString, #""width" IS NULL"#, "0 | 0 | 1")
        try expect(width === epoch, #""width" IS ? ["1970-01-01 00:00:00.000"]"#, "0 | 0 | 0")
        try expect(width === Data([1]), #""width" IS ? [Data(1 bytes)]"#, "0 | 0 | 0")
        try expect(width === ParcelSize.small, #""width" IS ? [1]"#, "1 | 0 | 0")
        try expect(width === DatabaseValue.null, #""width" IS NULL"#, "0 | 0 | 1")
        try expect(width === 1.databaseValue, #""width" IS ? [1]"#, "1 | 0 | 0")
        try expect(
            width === Parcel.select(max(width)), #""width" IS (SELECT MAX("width") FROM "parcel")"#,
            "0 | 1 | 0")
        try expect(width === uuid, #""width" IS ? [Data(16 bytes)]"#, "0 | 0 | 0")
        try expect(nil === width, #""width" IS NULL"#, "0 | 0 | 1")
        try expect(1 === width, #"? IS "width" [1]"#, "1 | 0 | 0")
        try expect("x" === width, #"? IS "width" ["x"]"#, "0 | 0 | 0")
        try expect(true === width, #"? IS "width" [1]"#, "1 | 0 | 0")
        try expect(false === width, #"? IS "width" [0]"#, "0 | 0 | 0")
        try expect(noInt === width, #""width" IS NULL"#, "0 | 0 | 1")
        try expect(DatabaseValue.null === width, #"NULL IS "width""#, "0 | 0 | 1")
    }

    @Test func identityOfExpressions() throws {
        try expect(width === 1.sqlExpression, #""width" IS ? [1]"#, "1 | 0 | 0")
        try expect(width === true.sqlExpression, #""width" IS ? [1]"#, "1 | 0 | 0")
        try expect(width === DatabaseValue.null.sqlExpression, #""width" IS NULL"#, "0 | 0 | 1")
        try expect(1.sqlExpression === 1.sqlExpression, "? IS ? [1, 1]", "1 | 1 | 1")
        try expect(
            1.sqlExpression === DatabaseValue.null.sqlExpression, "? IS NULL [1]", "0 | 0 | 0")
        try expect(
            DatabaseValue.null.sqlExpression === DatabaseValue.null.sqlExpression, "NULL IS NULL",
            "1 | 1 | 1")
        try expect(DatabaseValue.null.sqlExpression === width, #"NULL IS "width""#, "0 | 0 | 1")
        try expect(true.sqlExpression === width, #"? IS "width" [1]"#, "1 | 0 | 0")
        try expect(true.sqlExpression === true, "? IS ? [1, 1]", "1 | 1 | 1")
        try expect((width === height) === true, #"("width" IS "height") IS ? [1]"#, "0 | 0 | 1")
        try expect((width === height) === false, #"("width" IS "height") IS ? [0]"#, "1 | 1 | 0")
        try expect((width === height) === nil, #"("width" IS "height") IS NULL"#, "0 | 0 | 0")
        try expect((width === height) === depth, #"("width" IS "height") IS "depth""#, "0 | 0 | 0")
        try expect(width === (height === depth), #""width" IS ("height" IS "depth")"#, "0 | 0 | 0")
        try expect(
            (width === 1) === (height === 2), #"("width" IS ?) IS ("height" IS ?) [1, 2]"#,
            "1 | 1 | 1")
        try expect((width + 1) === nil, #"("width" + ?) IS NULL [1]"#, "0 | 0 | 1")
        try expect((width && height) === true, #"("width" AND "height") IS ? [1]"#, "1 | 1 | 0")
        try expect((width && height) === false, #"("width" AND "height") IS ? [0]"#, "0 | 0 | 0")
        try expect((width && height) === nil, #"("width" AND "height") IS NULL"#, "0 | 0 | 1")
    }

    @Test func negatedIdentity() throws {
        try expect(!width === height, #"(NOT "width") IS "height""#, "0 | 0 | 1")
        try expect(!(width === height), #""width" IS NOT "height""#, "1 | 1 | 0")
        try expect(!(!(width === height)), #""width" IS "height""#, "0 | 0 | 1")
        try expect(!(!(!(width === height))), #""width" IS NOT "height""#, "1 | 1 | 0")
        try expect(!(width === nil), #""width" IS NOT NULL"#, "1 | 1 | 0")
        try expect(!(!(width === nil)), #""width" IS NULL"#, "0 | 0 | 1")
        try expect(!(width === true), #""width" IS NOT ? [1]"#, "0 | 1 | 1")
        try expect(!(width === false), #""width" IS NOT ? [0]"#, "1 | 1 | 1")
        try expect(!(!(width === true)), #""width" IS ? [1]"#, "1 | 0 | 0")
        try expect(!(!(width === false)), #""width" IS ? [0]"#, "0 | 0 | 0")
        try expect(-(width === height), #"-("width" IS "height")"#, "0 | 0 | -1")
        try expect(
            (width === 1).collating(.nocase), #""width" IS ? COLLATE NOCASE [1]"#, "1 | 0 | 0")
    }

    @Test func identityWithCollations() throws {
        try expect(label === "ALPHA".databaseValue, #""label" IS ? ["ALPHA"]"#, "0 | 0 | 0")
        try expect(
            label.collating(.nocase) === "ALPHA", #""label" IS ? COLLATE NOCASE ["ALPHA"]"#,
            "1 | 0 | 0")
        try expect(
            !(label.collating(.nocase) === "ALPHA"), #""label" IS NOT ? COLLATE NOCASE ["ALPHA"]"#,
            "0 | 1 | 1")
        try expect(
            label.collating(.nocase) === nil, #""label" IS NULL COLLATE NOCASE"#, "0 | 0 | 1")
        try expect(
            label === label.collating(.nocase), #""label" IS "label" COLLATE NOCASE"#, "1 | 1 | 1")
        try expect(
            label.collating(.nocase) === label.collating(.binary),
            #""label" IS ("label" COLLATE BINARY) COLLATE NOCASE"#, "1 | 1 | 1")
        try expect(
            "x" === label.collating(.nocase), #"? IS "label" COLLATE NOCASE ["x"]"#, "0 | 0 | 0")
        try expect(
            label.collating(.nocase) === true, #""label" IS ? COLLATE NOCASE [1]"#, "0 | 0 | 0")
    }

    @Test func difference() throws {
        try expect(width !== nil, #""width" IS NOT NULL"#, "1 | 1 | 0")
        try expect(width !== "x", #""width" IS NOT ? ["x"]"#, "1 | 1 | 1")
        try expect(width !== true, #""width" IS NOT ? [1]"#, "0 | 1 | 1")
        try expect(width !== height, #""width" IS NOT "height""#, "1 | 1 | 0")
        try expect(width !== noInt, #""width" IS NOT NULL"#, "1 | 1 | 0")
        try expect(width !== someInt, #""width" IS NOT ? [5]"#, "1 | 1 | 1")
        try expect(width !== noString, #""width" IS NOT NULL"#, "1 | 1 | 0")
        try expect(width !== epoch, #""width" IS NOT ? ["1970-01-01 00:00:00.000"]"#, "1 | 1 | 1")
        try expect(width !== Data([1]), #""width" IS NOT ? [Data(1 bytes)]"#, "1 | 1 | 1")
        try expect(width !== 1.databaseValue, #""width" IS NOT ? [1]"#, "0 | 1 | 1")
        try expect(nil !== width, #""width" IS NOT NULL"#, "1 | 1 | 0")
        try expect(1 !== width, #"? IS NOT "width" [1]"#, "0 | 1 | 1")
        try expect(true !== width, #"? IS NOT "width" [1]"#, "0 | 1 | 1")
        try expect(noInt !== width, #""width" IS NOT NULL"#, "1 | 1 | 0")
        try expect(DatabaseValue.null !== width, #"NULL IS NOT "width""#, "1 | 1 | 0")
        try expect(width !== true.sqlExpression, #""width" IS NOT ? [1]"#, "0 | 1 | 1")
        try expect(width !== DatabaseValue.null.sqlExpression, #""width" IS NOT NULL"#, "1 | 1 | 0")
        try expect(
            DatabaseValue.null.sqlExpression !== DatabaseValue.null.sqlExpression,
            "NULL IS NOT NULL", "0 | 0 | 0")
        try expect(true.sqlExpression !== width, #"? IS NOT "width" [1]"#, "0 | 1 | 1")
        try expect(true.sqlExpression !== true, "? IS NOT ? [1, 1]", "0 | 0 | 0")
        try expect(
            (width !== height) !== true, #"("width" IS NOT "height") IS NOT ? [1]"#, "0 | 0 | 1")
        try expect(
            (width !== height) !== nil, #"("width" IS NOT "height") IS NOT NULL"#, "1 | 1 | 1")
        try expect(
            (width !== 1) !== (height !== 2),
            #"("width" IS NOT ?) IS NOT ("height" IS NOT ?) [1, 2]"#, "0 | 0 | 0")
        try expect((width + 1) !== nil, #"("width" + ?) IS NOT NULL [1]"#, "1 | 1 | 0")
        try expect((width && height) !== true, #"("width" AND "height") IS NOT ? [1]"#, "0 | 0 | 1")
        try expect(
            (width && height) !== false, #"("width" AND "height") IS NOT ? [0]"#, "1 | 1 | 1")
        try expect((width && height) !== nil, #"("width" AND "height") IS NOT NULL"#, "1 | 1 | 0")
        try expect(!(width !== height), #""width" IS "height""#, "0 | 0 | 1")
        try expect(!(!(width !== height)), #""width" IS NOT "height""#, "1 | 1 | 0")
        try expect(!(!(!(width !== height))), #""width" IS "height""#, "0 | 0 | 1")
        try expect(!(width !== nil), #""width" IS NULL"#, "0 | 0 | 1")
        try expect(!(!(width !== nil)), #""width" IS NOT NULL"#, "1 | 1 | 0")
        try expect(!(width !== true), #""width" IS ? [1]"#, "1 | 0 | 0")
        try expect(!(width !== false), #""width" IS ? [0]"#, "0 | 0 | 0")
        try expect(!(!(width !== true)), #""width" IS NOT ? [1]"#, "0 | 1 | 1")
        try expect(!(!(width !== false)), #""width" IS NOT ? [0]"#, "1 | 1 | 1")
        try expect(-(width !== height), #"-("width" IS NOT "height")"#, "-1 | -1 | 0")
        try expect(
            label.collating(.nocase) !== "ALPHA", #""label" IS NOT ? COLLATE NOCASE ["ALPHA"]"#,
            "0 | 1 | 1")
        try expect(
            !(label.collating(.nocase) !== "ALPHA"), #""label" IS ? COLLATE NOCASE ["ALPHA"]"#,
            "1 | 0 | 0")
        try expect(
            label.collating(.nocase) !== nil, #""label" IS NOT NULL COLLATE NOCASE"#, "1 | 1 | 0")
        try expect(
            label !== label.collating(.nocase), #""label" IS NOT "label" COLLATE NOCASE"#,
            "0 | 0 | 0")
        try expect(
            label.collating(.nocase) !== label.collating(.binary),
            #""label" IS NOT ("label" COLLATE BINARY) COLLATE NOCASE"#, "0 | 0 | 0")
        try expect(
            label.collating(.nocase) !== true, #""label" IS NOT ? COLLATE NOCASE [1]"#, "1 | 1 | 1")
    }
}
