import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct DumpStreamTests {
    /// Counts rows, and fails at one.
    private struct CountingFormat: DumpFormat {
        var failingRow: Int?
        private var count = 0

        init(failingRow: Int? = nil) {
            self.failingRow = failingRow
        }

        mutating func writeRow(
            _ db: Database, statement: Statement, to stream: inout DumpStream
        ) throws {
            count += 1
            if count == failingRow { throw MigrationFailure(id: count) }
            stream.margin()
            stream.write("row \(count) of \(statement.columnNames)")
        }

        mutating func finalize(
            _ db: Database, statement: Statement, to stream: inout DumpStream
        ) {
            stream.write(" \(count) rows\n")
        }
    }

    private struct MarginFormat: DumpFormat {
        func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
            stream.margin()
            stream.margin()
            stream.write("r")
            stream.margin()
            stream.write("")
            stream.write("s\n")
        }

        func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {
            stream.margin()
            stream.write("end\n")
            stream.margin()
        }
    }

    private let queue: DatabaseQueue

    init() throws {
        queue = try TestDatabases.makeQueue()
    }

    @Test func customFormat() throws {
        let text = try dumped {
            try queue.dumpSQL(
                "SELECT 1 AS a UNION SELECT 2; SELECT 3; SELECT 4 AS b WHERE 0",
                format: CountingFormat(), to: $0)
        }
        expectEqual(
            text,
            """

            row 1 of ["a"]
            row 2 of ["a"] 2 rows

            row 1 of ["3"] 1 rows
             0 rows

            """)
    }

    @Test func marginsPrecedeWhatIsWritten() throws {
        let text = try dumped {
            try queue.dumpSQL("SELECT 1; SELECT 2", format: MarginFormat(), to: $0)
        }
        expectEqual(text, "\nr\ns\n\nend\n\nr\ns\n\nend\n")
    }

    @Test func theErrorOfAFormatIsThrown() throws {
        let stream = DumpedText()
        expectError(MigrationFailure(id: 2)) {
            try queue.dumpSQL(
                "SELECT 1 AS a UNION SELECT 2", format: CountingFormat(failingRow: 2), to: stream)
        }
        expectEqual(stream.text, "\nrow 1 of [\"a\"]")
        // The statement is not left running.
        try queue.write { try $0.execute(sql: "CREATE TABLE t (a)") }
    }

    @Test func formatsMayUseTheConnection() throws {
        struct VersionFormat: DumpFormat {
            func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) throws
            {
                let count = try Int.fetchOne(db, sql: "SELECT 42")!
                let value = DatabaseValue(sqliteStatement: statement.sqliteStatement, index: 0)
                stream.write("\(value) \(count)\n")
            }

            func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {}
        }
        let text = try dumped {
            try queue.dumpSQL("SELECT 1 UNION SELECT 2", format: VersionFormat(), to: $0)
        }
        expectEqual(text, "1 42\n2 42\n")
    }

    @Test func standardOutput() async throws {
        let result = try await #require(
            processExitsWith: .success, observing: [\.standardOutputContent]
        ) {
            let queue = try DatabaseQueue()
            try queue.dumpSQL("SELECT 1 AS a, 'x' AS b; SELECT 2")
            try queue.dumpTables([])
            try queue.dumpContent()
        }
        let output = String(decoding: result.standardOutputContent, as: UTF8.self)
        expectTrue(output.contains("1|x\n2\nsqlite_master\n"))
    }

    // MARK: - Copies of a format

    @Test func eachStatementAndTableHasAFormatOfItsOwn() throws {
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE a (id INTEGER PRIMARY KEY);
                    CREATE TABLE b (id INTEGER PRIMARY KEY, aId REFERENCES a);
                    INSERT INTO a VALUES (1), (2);
                    INSERT INTO b VALUES (1, 1);
                    """)
        }
        let format = SummingFormat()
        try expectEqual(
            dumped { try queue.dumpSQL("SELECT 1; SELECT 2; SELECT 3", format: format, to: $0) },
            "1\n1\n1\n")
        try expectEqual(
            dumped { try queue.dumpTables(["a", "b"], format: format, to: $0) },
            "a\n2\n\nb\n1\n")
        try expectTrue(
            dumped { try queue.dumpContent(format: format, to: $0) }
                .hasSuffix("a\n2\n\nb\n1\n"))
        let request = Table("a").all()
            .including(all: Table("a").hasMany(Table("b"), key: "bs"))
        try expectEqual(
            dumped { try queue.dumpRequest(request, format: format, to: $0) },
            "2\n\nbs\n1\n")
        expectEqual(format.count, 0)
        // An object is the same for all of them.
        let object = SummingObject()
        _ = try dumped { try queue.dumpTables(["a", "b"], format: object, to: $0) }
        expectEqual(object.count, 3)
    }

    /// A format that fails leaves nothing to the next statement.
    @Test func aFormatThatFailedIsNotUsedAgain() throws {
        let stream = DumpedText()
        expectError(MigrationFailure(id: 2)) {
            try queue.dumpSQL(
                "SELECT 1; SELECT 2 UNION SELECT 3; SELECT 4",
                format: CountingFormat(failingRow: 2),
                to: stream)
        }
        expectEqual(stream.text, "\nrow 1 of [\"1\"] 1 rows\n\nrow 1 of [\"2\"]")
    }

    private struct SummingFormat: DumpFormat {
        var count = 0

        mutating func writeRow(
            _ db: Database, statement: Statement, to stream: inout DumpStream
        ) { count += 1 }

        mutating func finalize(
            _ db: Database, statement: Statement, to stream: inout DumpStream
        ) { stream.write("\(count)\n") }
    }

    private final class SummingObject: DumpFormat {
        var count = 0

        func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
            count += 1
        }

        func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {}
    }

    // MARK: - Margins

    /// Writes texts, and asks for margins between them.
    private struct TextFormat: DumpFormat {
        var texts: [String]

        func writeRow(_ db: Database, statement: Statement, to stream: inout DumpStream) {
            for (index, text) in texts.enumerated() {
                if index > 0 { stream.margin() }
                stream.write(text)
            }
        }

        func finalize(_ db: Database, statement: Statement, to stream: inout DumpStream) {}
    }

    @Test(arguments: [
        (["a", "b"], "a\nb"), (["a", "\nb"], "a\nb"), (["a\n", "\nb"], "a\n\nb"),
        (["a", "\n\nb"], "a\n\nb"), (["a", "", "\nb"], "a\nb"), (["a", "\n", "b"], "a\n\nb"),
        (["a", "\r\nb"], "a\n\r\nb"), (["a", ""], "a"), (["", "\n"], "\n"),
    ])
    func marginsAddNoLineToALineFeed(texts: [String], expected: String) throws {
        let text = try dumped {
            try queue.dumpSQL("SELECT 1", format: TextFormat(texts: texts), to: $0)
        }
        expectEqual(text, expected)
    }

    @Test func marginsOfTables() throws {
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)")
            try db.execute(sql: "CREATE TABLE \"\nu\" (a); INSERT INTO \"\nu\" VALUES (2)")
        }
        try expectEqual(
            dumped { try queue.dumpTables(["t", "\nu"], format: .list(), to: $0) },
            "t\n1\n\nu\n2\n")
    }
}
