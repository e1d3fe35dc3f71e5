import GRDBTestSupport
import Testing

@testable import GRDB

@Suite struct StringConversionTests {
    @Test(arguments: [
        "", "abc", "é", "e\u{301}", "👩‍👩‍👧", "a\0b", "\0", "'\"", "\u{fffd}", "\u{feff}x",
    ])
    func roundTrip(value: String) throws {
        try expectRoundTrip(value)
        try withColumn("?", value) { statement in
            // Byte by byte.
            let read = String.fromStatement(statement, atUncheckedIndex: 0)
            expectEqual(read.map { Array($0.utf8) }, Array(value.utf8))
        }
    }

    @Test func longStrings() throws {
        try expectRoundTrip(String(repeating: "é", count: 1_000_000))
    }

    @Test func substringsOfOtherBuffers() throws {
        try expectRoundTrip(String("héllo wörld, this is long enough".dropFirst(3)))
    }

    @Test func blobsMustBeValidUTF8() throws {
        try expectEqual(column("x'616263'"), "abc")
        try expectEqual(copiedColumn("x'616263'"), "abc")
        try expectEqual(column("x''"), "")
        try expectEqual(copiedColumn("x''"), "")
        try expectEqual(column("x'efbfbd'"), "\u{fffd}")
        for invalid in ["x'ff'", "x'61ff'", "x'c0af'", "x'eda080'", "x'c3'", "x'f4908080'"] {
            try expectEqual(column(invalid, as: String.self), nil)
            try expectEqual(copiedColumn(invalid, as: String.self), nil)
        }
    }

    @Test func liveNumbersAreTheTextOfSQLite() throws {
        for (expression, text) in [("42", "42"), ("-1", "-1"), ("1.0", "1.0"), ("1e20", "1.0e+20")]
        {
            try expectEqual(column(expression), text)
            try expectEqual(copiedColumn(expression, as: String.self), nil)
        }
    }

    @Test func null() throws {
        try expectEqual(column("NULL", as: String.self), nil)
        try expectEqual(column("NULL", as: String?.self), .some(nil))
        try expectEqual(copiedColumn("NULL", as: String.self), nil)
    }

    @Test func rawInitializer() throws {
        try withColumn("x'61ff'") { statement in
            expectEqual(String(sqliteStatement: statement, index: 0), "a\u{fffd}")
        }
    }
}
