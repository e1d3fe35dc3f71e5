import GRDB
import GRDBTestSupport
import Testing

/// The functions and collations of Swift strings that every connection has.
@Suite(.databases) struct BuiltInFunctionsTests {
    private static let functions: [(DatabaseFunction, String, String)] = [
        (.capitalize, "swiftCapitalizedString", "Éric O'neil"),
        (.lowercase, "swiftLowercaseString", "éric o'neil"),
        (.uppercase, "swiftUppercaseString", "ÉRIC O'NEIL"),
        (.localizedCapitalize, "swiftLocalizedCapitalizedString", "Éric O'neil"),
        (.localizedLowercase, "swiftLocalizedLowercaseString", "éric o'neil"),
        (.localizedUppercase, "swiftLocalizedUppercaseString", "ÉRIC O'NEIL"),
    ]

    @Test func functions() throws {
        try TestDatabases.makeQueue().write { db in
            for (function, name, result) in Self.functions {
                expectEqual(function.name, name)
                let sql = "SELECT \(name)(?)"
                try expectEqual(String.fetchOne(db, sql: sql, arguments: ["éRic o'NEIL"]), result)
                try expectEqual(String.fetchOne(db, sql: sql, arguments: [""]), "")
                try expectEqual(String.fetchOne(db, sql: sql, arguments: [nil]), nil)
                // Numbers are no strings; blobs may be.
                try expectEqual(String.fetchOne(db, sql: sql, arguments: [12]), nil)
            }
            try expectEqual(String.fetchOne(db, sql: "SELECT swiftUppercaseString(x'c3a9')"), "É")
            try expectEqual(
                String.fetchOne(db, sql: "SELECT swiftUppercaseString('straße')"),
                "STRASSE")
            try expectEqual(String.fetchOne(db, sql: "SELECT UPPER('Jérôme')"), "JéRôME")
        }
    }

    @Test func functionsArePure() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a)")
            for (index, (_, name, _)) in Self.functions.enumerated() {
                try db.execute(sql: "CREATE INDEX i\(index) ON t(\(name)(a))")
            }
            try expectEqual(db.schemaObjects(ofType: .index).count, Self.functions.count)
        }
    }

    private static let strings = ["é", "z", "E", "e", "f10", "f9", "É"]

    @Test(arguments: [
        (DatabaseCollation.unicodeCompare, "swiftCompare", ["E", "e", "f10", "f9", "z", "É", "é"]),
        (
            .localizedStandardCompare, "swiftLocalizedStandardCompare",
            ["e", "E", "é", "É", "f9", "f10", "z"]
        ),
        (.localizedCompare, "swiftLocalizedCompare", ["e", "E", "é", "É", "f10", "f9", "z"]),
        (
            .caseInsensitiveCompare, "swiftCaseInsensitiveCompare",
            ["E", "e", "é", "É", "f10", "f9", "z"]
        ),
        (
            .localizedCaseInsensitiveCompare, "swiftLocalizedCaseInsensitiveCompare",
            ["E", "e", "é", "É", "f10", "f9", "z"]
        ),
    ])
    func collations(collation: DatabaseCollation, name: String, sorted: [String]) throws {
        expectEqual(collation.name, name)
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a)")
            for string in Self.strings {
                try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: [string])
            }
            try expectEqual(
                String.fetchAll(db, sql: "SELECT a FROM t ORDER BY a COLLATE \(name), rowid"),
                sorted)
        }
    }

    @Test func equality() throws {
        try TestDatabases.makeQueue().write { db in
            func equal(_ lhs: String, _ rhs: String, _ collation: String) throws -> Bool? {
                try Bool.fetchOne(
                    db, sql: "SELECT ? = ? COLLATE \(collation)", arguments: [lhs, rhs])
            }
            // Two spellings of one letter.
            try expectEqual(equal("\u{e9}", "e\u{301}", "swiftCompare"), true)
            try expectEqual(equal("\u{e9}", "e\u{301}", "BINARY"), false)
            try expectEqual(equal("É", "é", "swiftCompare"), false)
            for collation in [
                "swiftCaseInsensitiveCompare", "swiftLocalizedCaseInsensitiveCompare",
            ] {
                try expectEqual(equal("É", "é", collation), true)
                try expectEqual(equal("E", "é", collation), false)
            }
            try expectEqual(equal("a\0b", "a\0c", "swiftCompare"), false)
            try expectEqual(equal("", "", "swiftCompare"), true)
            try expectEqual(equal("ab", "a", "swiftCompare"), false)
        }
    }

    /// The collation has a fast way for ASCII, which must give the same order.
    @Test func unicodeCompareIsTheOrderOfSwift() throws {
        let strings = [
            "", "a", "A", "ab", "a\u{301}", "\u{e1}", "b", "Z", "~", "\u{7f}", "\u{80}", "é",
            "e\u{301}",
            "\u{1f600}", "ﬁ", "\0", "a\0", " ", "日本", "z\u{308}",
        ]
        try TestDatabases.makeQueue().write { db in
            for lhs in strings {
                for rhs in strings {
                    try expectEqual(
                        Bool.fetchOne(
                            db, sql: "SELECT ? < ? COLLATE swiftCompare", arguments: [lhs, rhs]),
                        (lhs < rhs), "\(lhs.debugDescription) \(rhs.debugDescription)")
                }
            }
        }
    }
}
