@testable import GRDBTables
import Foundation
import GRDB
import GRDBSchema
import GRDBTestSupport
import Testing

@Suite(.databases) struct CSVTableTests {
    private func makeQueue() throws -> DatabaseQueue {
        var configuration = TestDatabases.makeConfiguration()
        configuration.add(module: .csv)
        return try TestDatabases.makeQueue(.memory, configuration)
    }

    private func makeFile(_ text: String) throws -> String {
        let path = TestDatabases.makePath("file.csv")
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func rows(
        _ text: String, _ define: @escaping (CSVFile.TableDefinition) -> Void = { _ in }
    ) throws -> [Row] {
        let path = try makeFile(text)
        return try makeQueue().write { db throws in
            try db.create(
                virtualTable: "t", options: .temporary, using: CSVFile(path), define)
            return try Row.fetchAll(db, sql: "SELECT * FROM t")
        }
    }

    @Test func typesAreGuessed() throws {
        let rows = try rows(
            "name,count,price,zip,empty\nBolt,3,0.5,01234,\nNut,-4,2,99999,\n\"Nail, long\",,1e2,1,\"\"\n"
        )
        expectEqual(
            rows,
            [
                ["name": "Bolt", "count": 3, "price": 0.5, "zip": "01234", "empty": nil],
                ["name": "Nut", "count": -4, "price": 2.0, "zip": "99999", "empty": nil],
                ["name": "Nail, long", "count": nil, "price": 100.0, "zip": "1", "empty": ""],
            ])
    }

    /// Rows come in the order of the file, which saves only one sort.
    @Test func rowsAreSorted() throws {
        let path = try makeFile("name,count\nb,1\nc,3\na,2\n")
        try makeQueue().write { db throws in
            try db.create(virtualTable: "t", options: .temporary, using: CSVFile(path))
            for (ordering, names, sorts) in [
                ("rowid", ["b", "c", "a"], false), ("rowid DESC", ["a", "c", "b"], true),
                ("name", ["a", "b", "c"], true), ("count DESC", ["c", "a", "b"], true),
                ("rowid, name", ["b", "c", "a"], true),
            ] {
                let sql = "SELECT name FROM t ORDER BY \(ordering)"
                try expectEqual(String.fetchAll(db, sql: sql), names, "\(ordering)")
                try expectEqual(db.queryPlan(sql: sql).sorts, sorts, "\(ordering)")
            }
        }
    }

    @Test func typesAreGiven() throws {
        let rows = try rows("1;x\n02;y\n3;\n") { t in
            t.delimiter = ";"
            t.hasHeader = false
            t.column("a", .text)
            t.column("b c", .integer)
        }
        expectEqual(
            rows, [["a": "1", "b c": "x"], ["a": "02", "b c": "y"], ["a": "3", "b c": nil]])
    }

    /// The schema of a file may come from anybody.
    @Test func columnsAreNoOtherStatements() throws {
        let path = try makeFile("1,2\n")
        let target = TestDatabases.makePath()
        let queue = try makeQueue()
        for columns in [
            "a); ATTACH ''\(target)'' AS z; CREATE TABLE z.t(b",
            "a); VACUUM INTO ''\(target)''; --",
            "a); CREATE TABLE y(b); VACUUM INTO ''\(target)''; CREATE TABLE z(c",
        ] {
            expectError(DatabaseError.self) {
                try queue.writeWithoutTransaction { db throws in
                    try db.execute(
                        sql: """
                            CREATE VIRTUAL TABLE temp.t \
                            USING csv(file='\(path)', header=no, columns='\(columns)')
                            """)
                }
            }
            expectTrue(!FileManager.default.fileExists(atPath: target))
        }
    }

    @Test func quotesAndLineEndsAreRead() throws {
        try expectEqual(
            rows("\u{FEFF}a,b\r\n\"x \"\"y\"\"\",\"line\nbreak\"\r\n\r\n\"\",\"q\"z\r1,2"),
            [
                ["a": "x \"y\"", "b": "line\nbreak"], ["a": "", "b": "qz"], ["a": "1", "b": "2"],
            ])
        // Records may be short.
        try expectEqual(rows("a,b,a,\n1\n"), [["a": 1, "b": nil, "a_2": nil, "c4": nil]])
        try expectEqual(rows("a\n1\n\n2\n"), [["a": 1], ["a": nil], ["a": 2]])
        try expectEqual(rows("a,b\n"), [])
        try expectEqual(rows("a,b"), [])
    }

    @Test func numbersKeepTheirDigits() throws {
        try expectEqual(
            rows("a,b,c\n9223372036854775808,1.5,nan\n1,x,1\n"),
            [
                ["a": "9223372036854775808", "b": "1.5", "c": "nan"],
                ["a": "1", "b": "x", "c": "1"],
            ])
    }

    /// As an ordinary table does.
    @Test func fieldsHaveTheTypesOfTheirColumns() throws {
        let text =
            "a,b,c,d\n+3,.5,7,7\n 7,3,1.50,x\n0x1,1e2,01,\"8\"\n9223372036854775808,n,1e400,-\n"
        let rows = try rows(text) { t in
            t.column("a", .integer)
            t.column("b", .double)
            t.column("c", .text)
            t.column("d", .numeric)
        }
        expectEqual(
            rows.map { $0.databaseValues.map(\.dumpText).joined(separator: "|") },
            [
                "3|0.5|'7'|7", "7|3.0|'1.50'|'x'", "'0x1'|100.0|'01'|8",
                "9.223372036854776e+18|'n'|'1e400'|'-'",
            ])
        // Guessed types hold for all rows, and keep what a number would lose.
        let guessed = try self.rows(
            "a,b,c,d,e,f\n1,.5,+3,0.5,+491234567,1\n2,3, 7,9007199254740993,+491234568,2\n"
                + String(repeating: "1,1,1,1,1,1\n", count: 1000) + "x,+1,07,3,1,2.50\n")
        func types(_ row: Row) -> String {
            row.databaseValues.map { "\(type(of: $0.storage.value!)) \($0)" }.joined(separator: "|")
        }
        expectEqual(
            [0, 1, 1002].map { types(guessed[$0]) },
            [
                "Int64 1|Double 0.5|Int64 3|Double 0.5|String \"+491234567\"|Int64 1",
                "Int64 2|Double 3.0|Int64 7|Int64 9007199254740993|String \"+491234568\"|Int64 2",
                "String \"x\"|Double 1.0|Int64 7|Int64 3|String \"1\"|Double 2.5",
            ])
    }

    @Test func joinsOfSubqueriesKeepAllRows() throws {
        let keys = ["01", "2", "+3", " 4", "5.0"]
        let path = try makeFile("k,n\n" + (0..<100).map { "\(keys[$0 % 5]),\($0)\n" }.joined())
        try makeQueue().write { db throws in
            try db.create(virtualTable: "t", using: CSVFile(path)) { t in
                t.column("k", .integer)
                t.column("n", .integer)
            }
            for subquery in [
                "SELECT k, count(*) FROM t GROUP BY k", "SELECT DISTINCT k FROM t",
                "SELECT k FROM t LIMIT 5",
            ] {
                try expectEqual(
                    Int.fetchOne(
                        db, sql: "SELECT count(*) FROM (\(subquery)) s JOIN t ON t.k = s.k"), 100,
                    "\(subquery)")
            }
        }
    }

    /// SQLite would omit comparisons with NULL, and duplicates.
    @Test func constraintsOfColumnsAreIgnored() throws {
        let path = try makeFile("1,a\n,b\n1,A\n")
        try makeQueue().write { db throws in
            try db.create(
                virtualTable: "t",
                using: """
                    csv(file='\(path)', header=no, columns='a INTEGER NOT NULL PRIMARY KEY, b TEXT COLLATE NOCASE')
                    """)
            try expectEqual(Int?.fetchAll(db, sql: "SELECT DISTINCT a FROM t"), [1, nil])
            try expectEqual(String.fetchAll(db, sql: "SELECT b FROM t WHERE a IS NULL"), ["b"])
            try expectEqual(Int.fetchAll(db, sql: "SELECT rowid FROM t WHERE b = 'a'"), [1, 3])
        }
    }

    @Test func encodings() throws {
        func file(_ bytes: [UInt8]) throws -> String {
            let path = TestDatabases.makePath("encoded.csv")
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            return path
        }
        func fetch(_ bytes: [UInt8], _ encoding: CSVFile.Encoding? = nil) throws -> [Row] {
            let path = try file(bytes)
            return try makeQueue().write { db throws in
                try db.create(virtualTable: "t", using: CSVFile(path)) { t in
                    if let encoding { t.encoding = encoding }
                }
                return try Row.fetchAll(db, sql: "SELECT * FROM t")
            }
        }
        func message(_ bytes: [UInt8], _ encoding: CSVFile.Encoding? = nil) throws -> String? {
            do {
                _ = try fetch(bytes, encoding)
                return nil
            } catch let error as DatabaseError {
                return error.message?.split(separator: ".csv").last.map(String.init)
            }
        }
        func utf16(_ text: String, isBig: Bool) -> [UInt8] {
            text.utf16.flatMap { unit -> [UInt8] in
                let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
                return isBig ? bytes : bytes.reversed()
            }
        }
        let text = "name,größe\nMöller,1\n\"Müller\n😀\",2\n"
        let expected: [Row] = [["name": "Möller", "größe": 1], ["name": "Müller\n😀", "größe": 2]]
        try expectEqual(fetch(Array(text.utf8)), expected)
        try expectEqual(fetch([0xFF, 0xFE] + utf16(text, isBig: false)), expected)
        try expectEqual(fetch([0xFE, 0xFF] + utf16(text, isBig: true)), expected)
        try expectEqual(fetch([0xFE, 0xFF] + utf16(text, isBig: true), .utf16), expected)
        try expectEqual(fetch(utf16(text, isBig: false), .utf16), expected)
        try expectEqual(fetch([0xEF, 0xBB, 0xBF] + text.utf8, .utf16), expected)
        let latin1 = "name\nM\u{F6}ller\nMüller\n\u{80}".unicodeScalars.map { UInt8($0.value) }
        try expectEqual(
            fetch(latin1, .latin1),
            [
                ["name": "Möller"], ["name": "Müller"], ["name": "\u{80}"],
            ])
        try expectEqual(
            fetch(latin1, .windows1252),
            [
                ["name": "Möller"], ["name": "Müller"], ["name": "€"],
            ])
        // Of many buffers, whose borders are within characters.
        let many = "a\n" + String(repeating: "é😀xy\n", count: 20_000)
        let rows = try fetch([0xFE, 0xFF] + utf16(many, isBig: true))
        expectTrue(rows.count == 20_000 && rows.allSatisfy { $0["a"] == "é😀xy" })

        try expectEqual(
            message(latin1),
            ", line 2, column 1: the field is not UTF-8. Set the encoding of the file")
        try expectEqual(
            message(Array("a,".utf8) + [0xF6]),
            """
            , line 1, column 2: the field is not UTF-8. Set the encoding of the file
            """)
        try expectEqual(
            message(utf16("a,b", isBig: false)),
            """
            , line 1, column 1: the name has a NUL character. Set the encoding of the file if it is UTF-16
            """)
        try expectEqual(
            message(utf16("a,b\n1,", isBig: false) + [0, 0xDC, 65, 0], .utf16),
            """
            , line 2, column 2: the field is not UTF-16. Set the encoding of the file
            """)
        try expectEqual(
            message(utf16("a\nx", isBig: false) + [65], .utf16)?.contains("line 2, column 1"), true)
        try expectTrue(
            message(Array("a\n1".utf8)) == nil
                && message(utf16("a\n1", isBig: false) + [0, 0xD8], .utf16) != nil)
        expectError(DatabaseError.self) {
            try makeQueue().write {
                try $0.create(virtualTable: "t", using: "csv(file=x, encoding=ebcdic)")
            }
        }
    }

    /// SQLite compares the bytes of names, but for the case of ASCII letters.
    @Test func namesOfColumnsAreBytes() throws {
        let rows = try rows("é,e\u{301},É,a,A\n1,2,3,4,5\n")
        expectEqual(
            rows[0].columnNames.map { Array($0.utf8) },
            ["é", "e\u{301}", "É", "a", "A_2"].map { Array($0.utf8) })
    }

    @Test func exchangedFiles() throws {
        let path = try makeFile("a,b\n1,2\n")
        let url = URL(fileURLWithPath: path)
        for isGiven in [false, true] {
            try Data("a,b\n1,2\n".utf8).write(to: url)
            try makeQueue().write { db throws in
                try db.create(virtualTable: "t", using: CSVFile(path)) { t in
                    if isGiven {
                        t.column("x")
                        t.column("y")
                    }
                }
                try Data("b,a\n2,1\n".utf8).write(to: url)
                expectError(
                    """
                    SQLite error 1: \(path): the columns were a, b, and are now b, a. Create the table again, or open \
                    the connection again - while executing `SELECT * FROM t`
                    """
                ) { try Row.fetchAll(db, sql: "SELECT * FROM t") }
                try Data("a,b\n3,x\n".utf8).write(to: url)
                try expectEqual(
                    Row.fetchOne(db, sql: "SELECT * FROM t")?.databaseValues.last,
                    "x".databaseValue)
            }
        }
    }

    @Test func filesFail() throws {
        let queue = try makeQueue()
        let path = try makeFile("a,b\n1,2,3\n")
        try queue.write { db throws in
            try db.create(virtualTable: "t", options: .temporary, using: CSVFile(path))
            expectError(
                "SQLite error 1: \(path), line 2: 3 fields in a table of 2 columns - while executing `SELECT * FROM t`"
            ) {
                try Row.fetchAll(db, sql: "SELECT * FROM t")
            }
            let error = expectError(DatabaseError.self) {
                try db.create(virtualTable: "u", options: .temporary, using: CSVFile("/nowhere"))
            }
            expectEqual(error?.resultCode, .SQLITE_CANTOPEN)
            expectError(DatabaseError.self) {
                try db.create(
                    virtualTable: "u", options: .temporary, using: CSVFile(makeFile("a,\"b")))
            }
            expectError(DatabaseError.self) {
                try db.create(virtualTable: "u", options: .temporary, using: CSVFile(makeFile("")))
            }
            for arguments in [
                "", "file=x, other=1", "file=x, header=maybe", "file=x, delimiter=ab",
            ] {
                expectError(DatabaseError.self) {
                    try db.create(
                        virtualTable: "u", options: .temporary, using: "csv(\(arguments))")
                }
            }
            try FileManager.default.removeItem(atPath: path)
            expectError(DatabaseError.self) { try Row.fetchAll(db, sql: "SELECT * FROM t") }
            try expectEqual(Int.fetchOne(db, sql: "SELECT 1"), 1)
        }
    }

    @Test func filesOfManyBuffersAreRead() throws {
        var text = "id,text\n"
        for id in 1...20_000 { text += "\(id),\"text \(id)\"\n" }
        let path = try makeFile(text)
        try makeQueue().write { db throws in
            try db.create(virtualTable: "t", options: .temporary, using: CSVFile(path))
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 20_000)
            try expectEqual(Int.fetchOne(db, sql: "SELECT SUM(id) FROM t"), 200_010_000)
            try expectEqual(
                String.fetchOne(db, sql: "SELECT text FROM t WHERE id = 19999"),
                "text 19999")
            try expectEqual(
                Int.fetchOne(
                    db, sql: "SELECT COUNT(*) FROM t a JOIN t b USING (id) WHERE id < 3"),
                2)
        }
    }
}
