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
            count = 0
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
        #expect(
            text == """

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
        #expect(text == "\nr\ns\n\nend\n\nr\ns\n\nend\n")
    }

    @Test func theErrorOfAFormatIsThrown() throws {
        let stream = DumpedText()
        #expect(throws: MigrationFailure(id: 2)) {
            try queue.dumpSQL(
                "SELECT 1 AS a UNION SELECT 2", format: CountingFormat(failingRow: 2), to: stream)
        }
        #expect(stream.text == "\nrow 1 of [\"a\"]")
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
        #expect(text == "1 42\n2 42\n")
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
        #expect(output.contains("1|x\n2\nsqlite_master\n"))
    }
}
