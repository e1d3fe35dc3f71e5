@testable import GRDBQueries
import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct TextFunctionsTests {
    private let a = Column("a")
    private let n = Column("n")
    private let s = Column("s")
    private let x = Column("x")

    @Test func caseConversion() throws {
        try expect(lower(s), sql: #"LOWER("s")"#, "arthur")
        try expect(upper(s), sql: #"UPPER("s")"#, "ARTHUR")
        try expectNull(upper(n), sql: #"UPPER("n")"#)
        // ASCII only
        try expect(upper("é".databaseValue), sql: "UPPER('é')", "é")
    }

    @Test func trimming() throws {
        let spaced = [" ".databaseValue.sqlExpression, s.sqlExpression, "  ".sqlExpression]
            .joined(operator: .concat)
        try expect(trim(spaced), sql: #"TRIM(' ' || "s" || '  ')"#, "Arthur")
        try expect(ltrim(spaced), sql: #"LTRIM(' ' || "s" || '  ')"#, "Arthur  ")
        try expect(rtrim(spaced), sql: #"RTRIM(' ' || "s" || '  ')"#, " Arthur")
        try expect(trim(s, characters: "Ar"), sql: #"TRIM("s", 'Ar')"#, "thu")
        try expect(ltrim(s, characters: "Ar"), sql: #"LTRIM("s", 'Ar')"#, "thur")
        try expect(rtrim(s, characters: s), sql: #"RTRIM("s", "s")"#, "")
        try expectNull(trim(n), sql: #"TRIM("n")"#)
    }

    @Test func parts() throws {
        try expect(replace(s, "r", with: "R"), sql: #"REPLACE("s", 'r', 'R')"#, "ARthuR")
        try expect(replace(s, "", with: "R"), sql: #"REPLACE("s", '', 'R')"#, "Arthur")
        try expectNull(replace(s, n, with: "R"), sql: #"REPLACE("s", "n", 'R')"#)
        try expect(substr(s, from: 2), sql: #"SUBSTR("s", 2)"#, "rthur")
        try expect(substr(s, from: 2, length: 3), sql: #"SUBSTR("s", 2, 3)"#, "rth")
        try expect(substr(s, from: -2), sql: #"SUBSTR("s", -2)"#, "ur")
        try expect(substr(s, from: 4, length: -2), sql: #"SUBSTR("s", 4, -2)"#, "rt")
        try expect(substr(x, from: 2), sql: #"SUBSTR("x", 2)"#, Data([0xff]))
        try expect(instr(s, "th"), sql: #"INSTR("s", 'th')"#, 3)
        try expect(instr(s, "z"), sql: #"INSTR("s", 'z')"#, 0)
        try expectNull(instr(s, n), sql: #"INSTR("s", "n")"#)
    }

    @Test func composition() throws {
        try expect(concat([s, "-", n, a]), sql: #"CONCAT("s", '-', "n", "a")"#, "Arthur-1")
        try expect(
            concat([s, n, a], separator: ", "), sql: #"CONCAT_WS(', ', "s", "n", "a")"#,
            "Arthur, 1")
        try expect(concat([]), sql: "''", "")
        try expect(concat([], separator: ","), sql: "''", "")
        try expectNull(concat([s], separator: n), sql: #"CONCAT_WS("n", "s")"#)
        try expect(
            format("%s: %05.1f %%", s, Column("b")), sql: #"FORMAT('%s: %05.1f %%', "s", "b")"#,
            "Arthur: -02.5 %")
        try expect(printf("%03d", a), sql: #"PRINTF('%03d', "a")"#, "001")
        try expect(format("%d", n), sql: #"FORMAT('%d', "n")"#, "0")
    }

    @Test func charactersAndBytes() throws {
        try expect(unicode(s), sql: #"UNICODE("s")"#, 65)
        try expect(char(a + 64, 0x1f600), sql: #"CHAR("a" + 64, 128512)"#, "A😀")
        try expect(octetLength("é".databaseValue), sql: "OCTET_LENGTH('é')", 2)
        try expect(octetLength(x), sql: #"OCTET_LENGTH("x")"#, 2)
        try expectNull(octetLength(n), sql: #"OCTET_LENGTH("n")"#)
        try expect(hex(x), sql: #"HEX("x")"#, "00FF")
        try expect(hex(n), sql: #"HEX("n")"#, "")
        try expect(
            unhex("00-fF".databaseValue, ignoring: "-"), sql: "UNHEX('00-fF', '-')", Data([0, 255]))
        try expectNull(unhex("0".databaseValue), sql: "UNHEX('0')")
        try expect(quote("O'Brien".databaseValue), sql: "QUOTE('O''Brien')", "'O''Brien'")
        try expect(quote(n), sql: #"QUOTE("n")"#, "NULL")
    }

    // MARK: - Patterns

    @Test func glob() throws {
        try expect(s.glob("A*r"), sql: #""s" GLOB 'A*r'"#, true)
        try expect(s.glob("a*"), sql: #""s" GLOB 'a*'"#, false)
        try expect(!s.glob("a*"), sql: #""s" NOT GLOB 'a*'"#, true)
        try expect(!(!s.glob("[A-C]*")), sql: #""s" GLOB '[A-C]*'"#, true)
        try expectNull(n.glob("*"), sql: #""n" GLOB '*'"#)
    }

    @Test func regexp() throws {
        try expect(s.regexp("^A.*r$"), sql: #""s" REGEXP '^A.*r$'"#, true)
        try expect(s.regexp("th"), sql: #""s" REGEXP 'th'"#, true)
        try expect(s.regexp("TH"), sql: #""s" REGEXP 'TH'"#, false)
        try expect(s.regexp("(?i)TH"), sql: #""s" REGEXP '(?i)TH'"#, true)
        try expect(!s.regexp("th"), sql: #""s" NOT REGEXP 'th'"#, false)
        try expect(a.regexp(#"^\d$"#), sql: #""a" REGEXP '^\d$'"#, true)
        try expect(Column("b").regexp("^-2.5$"), sql: #""b" REGEXP '^-2.5$'"#, true)
        try expectNull(n.regexp("a"), sql: #""n" REGEXP 'a'"#)
        try expectNull(s.regexp(n), sql: #""s" REGEXP "n""#)
        // Two spellings of the same character, which Swift strings take for equal.
        for _ in 0..<2 {
            let composed = "\u{e9}", decomposed = "e\u{301}"
            try expect(
                composed.databaseValue.regexp(composed), sql: "'\(composed)' REGEXP '\(composed)'",
                true)
            try expect(
                composed.databaseValue.regexp(decomposed),
                sql: "'\(composed)' REGEXP '\(decomposed)'", false)
        }
        try expectFailure(s.regexp("["), "invalid regular expression: [")
    }

    @Test func regexpCachesItsPatterns() throws {
        try TestDatabases.makeQueue().write { db in
            db.add(function: .regexp)
            try expectEqual(SQLRequest<Bool>("SELECT \("a\0b") REGEXP \("b$")").fetchOne(db), true)
            for round in 0..<3 {
                for number in 0..<40 {
                    let request = SQLRequest<Bool>(
                        "SELECT \("x\(number)") REGEXP \("^x\(number)$")")
                    try expectEqual(request.fetchOne(db), true, "\(round)")
                }
            }
        }
    }

    @Test func regexpMustBeAdded() throws {
        try TestDatabases.makeQueue().write { db in
            let error = expectError(DatabaseError.self) {
                try SQLRequest<Bool>("SELECT \("a".databaseValue.regexp("b"))").fetchOne(db)
            }
            expectEqual(error?.message, "no such function: REGEXP")
        }
    }

    @Test func match() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE document USING fts5(content);
                    INSERT INTO document VALUES ('one two'), ('three')
                    """)
            let request = Table("document").select(Column("content"), as: String.self)
                .filter(Column("document").match("two OR four"))
            try expectSQL(
                request.makePreparedRequest(db).statement.sql,
                equals: #"SELECT "content" FROM "document" WHERE "document" MATCH ?"#)
            try expectEqual(request.fetchAll(db), ["one two"])
            expectError(DatabaseError.self) {
                try Table("document").filter(Column("document").match("\"")).fetchAll(db)
            }
        }
    }
}
