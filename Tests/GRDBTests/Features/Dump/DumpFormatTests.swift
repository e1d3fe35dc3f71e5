import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct DumpFormatTests {
    private func makeQueue() throws -> DatabaseQueue {
        let queue = try TestDatabases.makeQueue()
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score DOUBLE, data BLOB);
                    INSERT INTO player VALUES
                        (1, 'Arthur', 1.5, x'01ff'),
                        (2, 'O''Neil "x"|y', NULL, 'text'),
                        (3, NULL, 1e20, x'616263'),
                        (4, 'multi' || char(10) || 'line', 0.1, x'');
                    CREATE TABLE empty (a);
                    """)
        }
        return queue
    }

    private func dump(
        _ sql: SQL, _ format: some DumpFormat
    ) throws -> String {
        let queue = try makeQueue()
        return try dumped { try queue.dumpSQL(sql, format: format, to: $0) }
    }

    private func dump(_ format: some DumpFormat) throws -> String {
        try dump("SELECT * FROM player", format)
    }

    private func encoder(_ formatting: JSONEncoder.OutputFormatting) -> JSONEncoder {
        let encoder = JSONDumpFormat.defaultEncoder
        encoder.outputFormatting = formatting
        return encoder
    }

    // MARK: - Debug

    @Test func debug() throws {
        let rows = """
            1|Arthur|1.5|X'01FF'
            2|O'Neil "x"|y||text
            3||1e+20|abc
            4|multi
            line|0.1|

            """
        try expectEqual(dump(.debug()), rows)
        try expectEqual(dump(.debug(header: true)), "id|name|score|data\n" + rows)
        try expectEqual(
            dump(.debug(header: true, separator: ", ", nullValue: "NULL")),
            """
            id, name, score, data
            1, Arthur, 1.5, X'01FF'
            2, O'Neil "x"|y, NULL, text
            3, NULL, 1e+20, abc
            4, multi
            line, 0.1,\u{20}

            """)
    }

    @Test func debugIsTheDefault() throws {
        let queue = try makeQueue()
        let text = try dumped { try queue.dumpSQL("SELECT x'ff'", to: $0) }
        expectEqual(text, "X'FF'\n")
    }

    // MARK: - List

    @Test func list() throws {
        let rows = """
            1|Arthur|1.5|\u{1}\u{FFFD}
            2|O'Neil "x"|y||text
            3||1e+20|abc
            4|multi
            line|0.1|

            """
        try expectEqual(dump(.list()), rows)
        try expectEqual(dump(.list(header: true)), "id|name|score|data\n" + rows)
        try expectEqual(
            dump(
                "SELECT 1 AS a, NULL AS b", .list(header: true, separator: ";", nullValue: "-")),
            "a;b\n1;-\n")
    }

    // MARK: - Line

    @Test func line() throws {
        try expectEqual(
            dump(.line()),
            """
               id = 1
             name = Arthur
            score = 1.5
             data = \u{1}\u{FFFD}

               id = 2
             name = O'Neil "x"|y
            score =\u{20}
             data = text

               id = 3
             name =\u{20}
            score = 1e+20
             data = abc

               id = 4
             name = multi
            line
            score = 0.1
             data =\u{20}

            """)
        try expectEqual(dump("SELECT NULL AS a", .line(nullValue: "x")), "a = x\n")
        // By characters, not by bytes.
        try expectEqual(
            dump("SELECT 1 AS \"é\", 2 AS \"日本語\", 3 AS ab", .line()),
            "  é = 1\n日本語 = 2\n ab = 3\n")
    }

    @Test func linesOfSeveralStatements() throws {
        try expectEqual(
            dump("SELECT 1 AS a; SELECT 1 WHERE 0; SELECT 2 AS b", .line()),
            "a = 1\n\nb = 2\n")
    }

    // MARK: - Quote

    @Test func quote() throws {
        let rows = """
            1,'Arthur',1.5,X'01FF'
            2,'O''Neil "x"|y',NULL,'text'
            3,NULL,1.0e+20,X'616263'
            4,'multi
            line',0.1,X''

            """
        try expectEqual(dump(.quote()), rows)
        try expectEqual(dump(.quote(header: true)), "'id','name','score','data'\n" + rows)
        try expectEqual(
            dump("SELECT 1 AS \"it's\", 2 AS b", .quote(header: true, separator: ";")),
            "'it''s';'b'\n1;2\n")
    }

    @Test func quotedValuesAreLiterals() throws {
        let queue = try TestDatabases.makeQueue()
        let values: [DatabaseValue] = [
            .null, 1.databaseValue, Int64.min.databaseValue, 0.1.databaseValue,
            (0.1 + 0.2).databaseValue, 1e300.databaseValue,
            Double.leastNonzeroMagnitude.databaseValue,
            Double.infinity.databaseValue, (-Double.infinity).databaseValue,
            12345678901234567890.0.databaseValue, "".databaseValue, "'\"".databaseValue,
            "a\0b".databaseValue, "é\n".databaseValue, Data([0, 255]).databaseValue,
            Data().databaseValue,
        ]
        try queue.read { db in
            for value in values {
                let text = try dumped {
                    try db.dumpSQL("SELECT \(value)", format: .quote(), to: $0)
                }
                let literal = text.dropLast()
                // -9223372036854775808 is no literal, but the negation of one that is too large.
                if value == Int64.min.databaseValue {
                    expectEqual(literal, "-9223372036854775808")
                    continue
                }
                let back = try DatabaseValue.fetchOne(db, sql: "SELECT \(literal)")
                expectEqual(back, value, "\(literal)")
            }
        }
    }

    // MARK: - JSON

    @Test func json() throws {
        try expectEqual(
            dump(.json()),
            #"""
            [{"id":1,"name":"Arthur","score":1.5,"data":"Af8="},
            {"id":2,"name":"O'Neil \"x\"|y","score":null,"data":"text"},
            {"id":3,"name":null,"score":1e+20,"data":"YWJj"},
            {"id":4,"name":"multi\nline","score":0.1,"data":""}]

            """#)
    }

    @Test func prettyJSON() throws {
        try expectEqual(
            dump(
                "SELECT 1 AS b, 'x/y' AS a UNION ALL SELECT NULL, ''",
                .json(encoder: encoder([.prettyPrinted, .withoutEscapingSlashes]))),
            """
            [
              {
                "b":1,
                "a":"x/y"
              },
              {
                "b":null,
                "a":""
              }
            ]

            """)
    }

    @Test func encodersOfJSON() throws {
        let row: SQL = #"SELECT 'x/y' AS "z/a", 1.0 AS "a\""b""#
        try expectEqual(dump(row, .json()), #"[{"z/a":"x/y","a\\\"b":1}]"# + "\n")
        try expectEqual(
            dump(row, .json(encoder: encoder([]))),
            #"[{"z\/a":"x\/y","a\\\"b":1}]"# + "\n")
        try expectEqual(
            dump(row, .json(encoder: encoder([.sortedKeys]))),
            #"[{"z\/a":"x\/y","a\\\"b":1}]"# + "\n")

        let snake = JSONDumpFormat.defaultEncoder
        snake.keyEncodingStrategy = .convertToSnakeCase
        snake.dataEncodingStrategy = .custom { data, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(data.count)
        }
        try expectEqual(
            dump("SELECT x'010203' AS myBlob", .json(encoder: snake)),
            #"[{"myBlob":3}]"# + "\n")
    }

    @Test func theDefaultEncoderIsNotShared() {
        JSONDumpFormat.defaultEncoder.outputFormatting = .prettyPrinted
        expectEqual(JSONDumpFormat.defaultEncoder.outputFormatting, .withoutEscapingSlashes)
    }

    @Test func infinityInJSON() throws {
        try expectEqual(
            dump("SELECT 9e999 AS a, -9e999 AS b", .json()),
            #"[{"a":"inf","b":"-inf"}]"# + "\n")
        expectError(EncodingError.self) {
            try dump("SELECT 9e999", .json(encoder: JSONEncoder()))
        }
    }

    @Test func columnsOfOneNameInJSON() throws {
        try expectEqual(dump("SELECT 1 AS a, 2 AS a", .json()), #"[{"a":1,"a":2}]"# + "\n")
    }

    @Test func largeIntegersInJSON() throws {
        try expectEqual(
            dump("SELECT 9223372036854775807 AS a", .json()),
            #"[{"a":9223372036854775807}]"# + "\n")
    }

    @Test func severalArraysOfJSON() throws {
        try expectEqual(
            dump("SELECT 1 AS a; SELECT 1 WHERE 0; SELECT 3 AS b", .json()),
            """
            [{"a":1}]
            []
            [{"b":3}]

            """)
    }

    // MARK: - All

    @Test func emptyResults() throws {
        let sql: SQL = "SELECT * FROM empty"
        try expectEqual(dump(sql, .debug(header: true)), "")
        try expectEqual(dump(sql, .list(header: true)), "")
        try expectEqual(dump(sql, .line()), "")
        try expectEqual(dump(sql, .quote(header: true)), "")
        try expectEqual(dump(sql, .json()), "[]\n")
        try expectEqual(dump(sql, .json(encoder: encoder(.prettyPrinted))), "[]\n")
    }

    @Test func statementsWithoutColumns() throws {
        let sql: SQL = "CREATE TABLE x (a)"
        try expectEqual(dump(sql, .debug(header: true)), "")
        try expectEqual(dump(sql, .json()), "")
    }

    @Test func headersOfSeveralStatements() throws {
        let sql: SQL = "SELECT 1 AS a; SELECT 1 WHERE 0; SELECT 2 AS b"
        try expectEqual(dump(sql, .debug(header: true)), "a\n1\nb\n2\n")
        try expectEqual(dump(sql, .list(header: true)), "a\n1\nb\n2\n")
        try expectEqual(dump(sql, .quote(header: true)), "'a'\n1\n'b'\n2\n")
    }

    @Test func numbers() throws {
        let sql: SQL = "SELECT 9e999, -9e999, 1.0, 100000000000000000000.0, 0.1 + 0.2, 1e-7, 1e15"
        let text = "inf|-inf|1.0|1e+20|0.30000000000000004|1e-07|1000000000000000.0\n"
        try expectEqual(dump(sql, .debug()), text)
        try expectEqual(dump(sql, .list()), text)
    }

    @Test func blobsThatHoldText() throws {
        let sql: SQL = "SELECT x'00', x'610062', x'c3a9', x'c3', x'01', 'a' || char(0) || 'b'"
        try expectEqual(dump(sql, .debug()), "\0|a\0b|é|X'C3'|\u{1}|a\0b\n")
        try expectEqual(dump(sql, .list()), "\0|a\0b|é|\u{FFFD}|\u{1}|a\0b\n")
        try expectEqual(
            dump(sql, .quote()),
            "X'00',X'610062',X'C3A9',X'C3',X'01',CAST(X'610062' AS TEXT)\n")
    }

    @Test func formatsAreValues() throws {
        var format = DebugDumpFormat()
        #expect((format.header, format.separator, format.nullValue) == (false, "|", ""))
        format.header = true
        format.separator = "-"
        format.nullValue = "nil"
        try expectEqual(dump("SELECT 1 AS a, NULL AS b", format), "a-b\n1-nil\n")
        var quote = QuoteDumpFormat()
        #expect((quote.header, quote.separator) == (false, ","))
        quote.separator = " "
        try expectEqual(dump("SELECT 1, 2", quote), "1 2\n")
        var line = LineDumpFormat()
        expectEqual(line.nullValue, "")
        line.nullValue = "nil"
        try expectEqual(dump("SELECT NULL AS a", line), "a = nil\n")
        let list = ListDumpFormat(header: true, separator: "-", nullValue: "nil")
        #expect((list.header, list.separator, list.nullValue) == (true, "-", "nil"))
        var json = JSONDumpFormat()
        json.encoder = encoder(.prettyPrinted)
        try expectEqual(dump("SELECT 1 AS a", json), "[\n  {\n    \"a\":1\n  }\n]\n")
    }

    @Test func debugFormatPrintsUUIDs() throws {
        let stream = StringStream()
        try TestDatabases.makeQueue().read { db in
            try db.dumpSQL(
                """
                SELECT x'00112233445566778899AABBCCDDEEFF', x'61626364',
                       x'FF00', x'30313233343536373839303132333435'
                """, format: .debug(), to: stream)
        }
        expectEqual(
            stream.text,
            "00112233-4455-6677-8899-AABBCCDDEEFF|abcd|X'FF00'|0123456789012345\n")
    }

    private final class StringStream: TextOutputStream {
        var text = ""

        func write(_ string: String) { text += string }
    }
}
