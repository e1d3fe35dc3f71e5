@testable import GRDBTables
import Foundation
import GRDB
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
        #expect(
            rows == [
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
                #expect(try String.fetchAll(db, sql: sql) == names, "\(ordering)")
                #expect(try db.queryPlan(sql: sql).sorts == sorts, "\(ordering)")
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
        #expect(
            rows == [["a": "1", "b c": "x"], ["a": "02", "b c": "y"], ["a": "3", "b c": nil]])
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
            #expect(throws: DatabaseError.self) {
                try queue.writeWithoutTransaction { db throws in
                    try db.execute(
                        sql: """
                            CREATE VIRTUAL TABLE temp.t \
                            USING csv(file='\(path)', header=no, columns='\(columns)')
                            """)
                }
            }
            #expect(!FileManager.default.fileExists(atPath: target))
        }
    }

    @Test func quotesAndLineEndsAreRead() throws {
        #expect(
            try rows("\u{FEFF}a,b\r\n\"x \"\"y\"\"\",\"line\nbreak\"\r\n\r\n\"\",\"q\"z\r1,2") == [
                ["a": "x \"y\"", "b": "line\nbreak"], ["a": "", "b": "qz"], ["a": "1", "b": "2"],
            ])
        // Records may be short.
        #expect(try rows("a,b,a,\n1\n") == [["a": 1, "b": nil, "a_2": nil, "c4": nil]])
        #expect(try rows("a\n1\n\n2\n") == [["a": 1], ["a": nil], ["a": 2]])
        #expect(try rows("a,b\n") == [])
        #expect(try rows("a,b") == [])
    }

    @Test func numbersKeepTheirDigits() throws {
        #expect(
            try rows("a,b,c\n9223372036854775808,1.5,nan\n1,x,1\n") == [
                ["a": "9223372036854775808", "b": "1.5", "c": "nan"],
                ["a": "1", "b": "x", "c": "1"],
            ])
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
            let error = #expect(throws: DatabaseError.self) {
                try db.create(virtualTable: "u", options: .temporary, using: CSVFile("/nowhere"))
            }
            #expect(error?.resultCode == .SQLITE_CANTOPEN)
            #expect(throws: DatabaseError.self) {
                try db.create(
                    virtualTable: "u", options: .temporary, using: CSVFile(makeFile("a,\"b")))
            }
            #expect(throws: DatabaseError.self) {
                try db.create(virtualTable: "u", options: .temporary, using: CSVFile(makeFile("")))
            }
            for arguments in [
                "", "file=x, other=1", "file=x, header=maybe", "file=x, delimiter=ab",
            ] {
                #expect(throws: DatabaseError.self) {
                    try db.create(
                        virtualTable: "u", options: .temporary, using: "csv(\(arguments))")
                }
            }
            try FileManager.default.removeItem(atPath: path)
            #expect(throws: DatabaseError.self) { try Row.fetchAll(db, sql: "SELECT * FROM t") }
            #expect(try Int.fetchOne(db, sql: "SELECT 1") == 1)
        }
    }

    @Test func filesOfManyBuffersAreRead() throws {
        var text = "id,text\n"
        for id in 1...20_000 { text += "\(id),\"text \(id)\"\n" }
        let path = try makeFile(text)
        try makeQueue().write { db throws in
            try db.create(virtualTable: "t", options: .temporary, using: CSVFile(path))
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") == 20_000)
            #expect(try Int.fetchOne(db, sql: "SELECT SUM(id) FROM t") == 200_010_000)
            #expect(
                try String.fetchOne(db, sql: "SELECT text FROM t WHERE id = 19999") == "text 19999")
            #expect(
                try Int.fetchOne(
                    db, sql: "SELECT COUNT(*) FROM t a JOIN t b USING (id) WHERE id < 3") == 2)
        }
    }
}
