@testable import GRDBTables
import Foundation
import GRDB
import GRDBTestSupport
import Testing

private struct Process: Sendable {
    var pid: Int
    var name: String
    var memory: Double?
    var isRunning = true
}

private final class Machine: Sendable {
    let name: String
    init(_ name: String) { self.name = name }
}

private let processes = [
    Process(pid: 1, name: "init", memory: 1.5),
    Process(pid: 20, name: "shell", memory: nil, isRunning: false),
    Process(pid: 300, name: "editor", memory: 20),
    Process(pid: 4000, name: "shell", memory: 3),
]

private func define(_ t: CollectionTableDefinition<Process>) {
    t.column("pid", \.pid, .integer).primaryKey()
    t.column("name", \.name).indexed()
    t.column("memory", \.memory)
    t.column("isRunning", \.isRunning)
    t.column("initial") { $0.name.first.map(String.init) }
}

@Suite(.databases) struct CollectionTableTests {
    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        var configuration = TestDatabases.makeConfiguration()
        configuration.add(table: "process", of: processes, define)
        return try TestDatabases.makeWriter(kind, configuration)
    }

    private func pids(_ db: Database, _ condition: String) throws -> [Int] {
        try Int.fetchAll(db, sql: "SELECT pid FROM process \(condition)")
    }

    private func plan(_ db: Database, _ sql: String) throws -> [String] {
        try String.fetchAll(
            db, sql: "EXPLAIN QUERY PLAN \(sql)", adapter: SuffixRowAdapter(fromIndex: 3))
    }

    @Test(arguments: DatabaseKind.allCases) func rowsAreRead(kind: DatabaseKind) throws {
        try makeWriter(kind).read { db throws in
            let rows = try Row.fetchAll(db, sql: "SELECT rowid, * FROM process")
            expectEqual(
                rows,
                [
                    [
                        "rowid": 1, "pid": 1, "name": "init", "memory": 1.5, "isRunning": true,
                        "initial": "i",
                    ],
                    [
                        "rowid": 2, "pid": 20, "name": "shell", "memory": nil, "isRunning": false,
                        "initial": "s",
                    ],
                    [
                        "rowid": 3, "pid": 300, "name": "editor", "memory": 20.0, "isRunning": true,
                        "initial": "e",
                    ],
                    [
                        "rowid": 4, "pid": 4000, "name": "shell", "memory": 3.0, "isRunning": true,
                        "initial": "s",
                    ],
                ])
            try expectEqual(
                db.columns(in: "process").map(\.type),
                [
                    "INTEGER", "TEXT", "REAL", "INTEGER", "",
                ])
        }
    }

    @Test func equalityFindsRows() throws {
        try makeWriter(.queue).read { db throws in
            try expectEqual(pids(db, "WHERE pid = 300"), [300])
            try expectEqual(pids(db, "WHERE pid = 300.0"), [300])
            try expectEqual(pids(db, "WHERE pid = '300'"), [300])
            try expectEqual(pids(db, "WHERE pid = 'x'"), [])
            try expectEqual(pids(db, "WHERE pid = NULL"), [])
            try expectEqual(pids(db, "WHERE pid = x'01'"), [])
            try expectEqual(pids(db, "WHERE pid = 5"), [])
            try expectEqual(pids(db, "WHERE name = 'shell'"), [20, 4000])
            try expectEqual(pids(db, "WHERE name = 'SHELL'"), [])
            try expectEqual(pids(db, "WHERE name = 'SHELL' COLLATE NOCASE"), [20, 4000])
            try expectEqual(pids(db, "WHERE name = 5"), [])
            try expectEqual(pids(db, "WHERE pid IN (4000, 1, 7, 1)"), [1, 4000])
            try expectEqual(pids(db, "WHERE name IN ('shell', 'init') AND isRunning"), [1, 4000])
            try expectEqual(pids(db, "WHERE pid IN (SELECT 20 UNION SELECT 300)"), [20, 300])
            try expectEqual(pids(db, "WHERE rowid = 2"), [20])
            try expectEqual(pids(db, "WHERE rowid = '2'"), [20])
            try expectEqual(pids(db, "WHERE rowid = 0 OR rowid = 5"), [])
        }
    }

    @Test func rangesAndOrdersUseTheIndex() throws {
        try makeWriter(.queue).read { db throws in
            try expectEqual(pids(db, "WHERE pid > 20"), [300, 4000])
            try expectEqual(pids(db, "WHERE pid >= 20 AND pid < 4000"), [20, 300])
            try expectEqual(pids(db, "WHERE pid BETWEEN 2 AND 400 ORDER BY pid DESC"), [300, 20])
            try expectEqual(pids(db, "WHERE pid > '20'"), [300, 4000])
            try expectEqual(pids(db, "WHERE name > 'init' ORDER BY name"), [20, 4000])
            try expectEqual(pids(db, "ORDER BY pid DESC"), [4000, 300, 20, 1])
            try expectEqual(pids(db, "ORDER BY name, pid DESC"), [300, 1, 4000, 20])
            try expectEqual(pids(db, "ORDER BY rowid DESC LIMIT 2"), [4000, 300])
            try expectEqual(pids(db, "LIMIT 2 OFFSET 1"), [20, 300])
            try expectEqual(pids(db, "LIMIT -1 OFFSET 3"), [4000])
            try expectEqual(pids(db, "LIMIT 2 OFFSET 9"), [])
            try expectEqual(pids(db, "ORDER BY pid DESC LIMIT 2 OFFSET 1"), [300, 20])
            try expectEqual(pids(db, "WHERE memory > 2 LIMIT 1 OFFSET 1"), [4000])
            try expectEqual(
                String.fetchAll(db, sql: "SELECT DISTINCT name FROM process ORDER BY name"),
                ["editor", "init", "shell"])
            try expectEqual(
                Row.fetchAll(db, sql: "SELECT name, COUNT(*) AS n FROM process GROUP BY name"),
                [
                    ["name": "editor", "n": 1], ["name": "init", "n": 1],
                    ["name": "shell", "n": 2],
                ])
            try expectEqual(
                String.fetchAll(db, sql: "SELECT DISTINCT name FROM process WHERE isRunning")
                    .sorted(),
                ["editor", "init", "shell"])
            // Nothing is sorted apart.
            try expectEqual(plan(db, "SELECT pid FROM process ORDER BY pid").count, 1)
            try expectTrue(
                plan(db, "SELECT pid FROM process ORDER BY memory").contains(
                    "USE TEMP B-TREE FOR ORDER BY"))
        }
    }

    /// Each combination of stored values and operands has the result of a table without an index.
    @Test func indexesFindWhatScansFind() throws {
        let values: [DatabaseValue] = [
            .null, 1.databaseValue, 2.databaseValue, 2.5.databaseValue, "1".databaseValue,
            "2".databaseValue, "a".databaseValue, "".databaseValue, "é".databaseValue,
            "e\u{301}".databaseValue, Int64.max.databaseValue, 9.223372036854776e18.databaseValue,
            Data([1, 2]).databaseValue, Data([1]).databaseValue, Data([0, 3, 4]).databaseValue,
            (-1.5).databaseValue, "1.0".databaseValue,
        ]
        var configuration = TestDatabases.makeConfiguration()
        let mixtures: [[DatabaseValue]] = [
            values, values.filter { $0.storage.isNumber }, values.filter { $0.storage.isText },
        ]
        let types: [Database.ColumnType?] = [nil, .integer, .text, .real, .blob, .numeric]
        for (mixture, values) in mixtures.enumerated() {
            for (index, type) in types.enumerated() {
                configuration.add(table: "v_\(mixture)_\(index)", of: values) { t in
                    t.column("i", type) { $0 }.indexed()
                    t.column("n", type) { $0 }
                }
            }
        }
        let queue = try TestDatabases.makeQueue(.memory, configuration)
        try queue.read { db throws in
            var count = 0
            for mixture in mixtures.indices {
                for index in types.indices {
                    let table = "v_\(mixture)_\(index)"
                    for value in values {
                        for operation in ["=", "<", "<=", ">", ">=", "IS", "<>"] {
                            let found = try Int64.fetchAll(
                                db,
                                sql:
                                    "SELECT rowid FROM \(table) WHERE i \(operation) ? ORDER BY rowid",
                                arguments: [value])
                            let expected = try Int64.fetchAll(
                                db,
                                sql:
                                    "SELECT rowid FROM \(table) WHERE n \(operation) ? ORDER BY rowid",
                                arguments: [value])
                            expectEqual(found, expected, "\(table): \(operation) \(value)")
                            count += found.count
                        }
                    }
                    let sorted = try DatabaseValue.fetchAll(
                        db, sql: "SELECT i FROM \(table) ORDER BY i DESC")
                    try expectEqual(
                        sorted,
                        DatabaseValue.fetchAll(
                            db, sql: "SELECT n FROM \(table) ORDER BY n DESC, rowid DESC"))
                }
            }
            #expect(count > 1000)
        }
    }

    /// SQLite tells which columns a statement reads in 64 bits: the last one stands for all others.
    @Test func distinctRowsOfManyColumns() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.add(table: "wide", of: [[1, 5], [1, 6], [2, 6], [2, 6]]) { t in
            for index in 0..<63 { t.column("c\(index)") { _ in index } }
            t.column("c63") { row in row[0] }.indexed()
            t.column("c64") { row in row[1] }
        }
        try TestDatabases.makeQueue(.memory, configuration).read { db throws in
            func values(_ condition: String) throws -> [Int] {
                try Int.fetchAll(db, sql: "SELECT DISTINCT c63 FROM wide \(condition)")
            }
            try expectEqual(values(""), [1, 2])
            try expectEqual(values("WHERE c64 + 0 = 6"), [1, 2])
            try expectEqual(values("WHERE c64 + 0 = 6 ORDER BY c63 DESC"), [2, 1])
        }
    }

    @Test(arguments: DatabaseKind.allCases) func requestsAndAssociationsUseTheTable(
        kind: DatabaseKind
    ) throws {
        struct Proc: Decodable, FetchableRecord, TableRecord, Equatable {
            static let databaseTableName = "process"
            var pid: Int
            var name: String
        }
        struct Log: Decodable, FetchableRecord, TableRecord {
            static let process = belongsTo(Proc.self, using: ForeignKey(["pid"], to: ["pid"]))
            var text: String
        }
        struct LogInfo: Decodable, FetchableRecord {
            var text: String
            var process: Proc?
        }
        let writer = try makeWriter(kind)
        try writer.write { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE log (text TEXT, pid INTEGER);
                    INSERT INTO log VALUES ('started', 1), ('saved', 300), ('lost', 9);
                    """)
        }
        try writer.read { db throws in
            try expectEqual(Proc.fetchCount(db), 4)
            try expectEqual(Proc.find(db, key: 300), Proc(pid: 300, name: "editor"))
            try expectEqual(Proc.fetchAll(db, keys: [1, 5]), [Proc(pid: 1, name: "init")])
            try expectEqual(
                Table("process").filter(Column("name") == "shell").order(Column("pid").desc)
                    .select(Column("pid"), as: Int.self).fetchAll(db),
                [4000, 20])
            let infos = try LogInfo.fetchAll(
                db, Log.including(optional: Log.process).order(Column("text")))
            expectEqual(infos.map(\.text), ["lost", "saved", "started"])
            expectEqual(infos.map { $0.process?.name }, [nil, "editor", "init"])
            try expectEqual(db.primaryKey("process").columns, ["pid"])
        }
    }

    @Test func classesAndOtherCollectionsAreRows() throws {
        let queue = try TestDatabases.makeQueue()
        try queue.read { db throws in
            db.add(table: "machine", of: [Machine("a"), Machine("b")]) { t in
                t.column("name", \.name)
            }
            db.add(table: "number", of: 1...3) { t in t.column("n", \.self) }
            db.add(table: "letter", of: Set(["x"])) { t in
                t.column("l", \.self).hidden(); t.column("count", \.count)
            }
            db.add(table: "empty", of: [Int]()) { t in t.column("n", \.self).indexed() }
            try expectEqual(String.fetchAll(db, sql: "SELECT name FROM machine"), ["a", "b"])
            try expectEqual(Int.fetchOne(db, sql: "SELECT SUM(n) FROM number"), 6)
            try expectEqual(Row.fetchOne(db, sql: "SELECT * FROM letter"), ["count": 1])
            try expectEqual(String.fetchOne(db, sql: "SELECT l FROM letter"), "x")
            try expectEqual(Int.fetchAll(db, sql: "SELECT n FROM empty WHERE n > 1"), [])
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM empty"), 0)
        }
    }

    @Test func theTableIsReadOnly() throws {
        try makeWriter(.queue).write { db throws in
            for sql in [
                "DELETE FROM process", "UPDATE process SET pid = 1",
                "INSERT INTO process (pid) VALUES (1)",
            ] {
                expectError(
                    "SQLite error 1: table process may not be modified - while executing `\(sql)`"
                ) {
                    try db.execute(sql: sql)
                }
            }
        }
    }

    // MARK: - Errors

    @Test func errorsComeOutAsThrown() throws {
        let queue = try TestDatabases.makeQueue()
        try queue.write { db throws in
            db.add(table: "t", of: [1, 2]) { t in
                t.column("value", \.self)
                t.column("computed") { value -> Int? in
                    if value == 2 { throw TestError("column") }
                    return value
                }
                t.column("indexed") { _ -> Int? in throw TestError("index") }.indexed()
            }
            db.add(
                module: .table("rows", rows: { _ -> [Int] in throw TestError("rows") }) { t in
                    t.column("n", \.self)
                })
            expectError(TestError("column")) {
                try Row.fetchAll(db, sql: "SELECT computed FROM t")
            }
            expectError(TestError("index")) {
                try Row.fetchAll(db, sql: "SELECT value FROM t WHERE indexed = 1")
            }
            expectError(TestError("rows")) { try Row.fetchAll(db, sql: "SELECT * FROM rows") }
            // The connection goes on.
            try expectEqual(Int.fetchAll(db, sql: "SELECT value FROM t"), [1, 2])
            try db.execute(sql: "CREATE TABLE u (a)")
            expectError(TestError("rows")) {
                try db.execute(sql: "INSERT INTO u SELECT n FROM rows")
            }
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM u"), 0)
            expectTrue(db.isInsideTransaction)
        }
    }

    @Test func closuresMayUseTheConnection() throws {
        let queue = try TestDatabases.makeQueue()
        try queue.write { db throws in
            try db.execute(sql: "CREATE TABLE u (a); INSERT INTO u VALUES (1), (2)")
            db.add(
                module: .table(
                    "doubled", rows: { db in try Int.fetchAll(db, sql: "SELECT a * 2 FROM u") }
                ) { t in t.column("n", \.self).indexed() })
            try expectEqual(Int.fetchAll(db, sql: "SELECT n FROM doubled"), [2, 4])
            // A statement sees the same rows everywhere.
            try expectEqual(
                Int.fetchOne(db, sql: "SELECT COUNT(*) FROM doubled a JOIN doubled b USING (n)"),
                2)
            db.add(
                module: .table(
                    "endless",
                    rows: { db in
                        try Int.fetchAll(db, sql: "SELECT n FROM endless")
                    }
                ) { t in t.column("n", \.self) })
            expectError((any Error).self) {
                try Row.fetchAll(db, sql: "SELECT * FROM endless")
            }
            try expectEqual(Int.fetchAll(db, sql: "SELECT n FROM doubled WHERE n = 4"), [4])
        }
    }

    @Test func accessesAreCancelledInTheMiddleOfAScan() throws {
        let queue = try TestDatabases.makeQueue()
        try queue.write { db throws in
            db.add(table: "endless", of: 0..<1_000_000) { t in
                t.column("n") { [unowned queue] value -> Int in
                    if value == 10 { queue.interrupt() }
                    return value
                }
            }
            let error = expectError(DatabaseError.self) {
                try Row.fetchAll(db, sql: "SELECT n FROM endless")
            }
            expectEqual(error?.resultCode, .SQLITE_INTERRUPT)
        }
    }

    // MARK: - Lifetime

    @Test func rowsLiveUntilTheConnectionIsClosed() throws {
        weak var machine: Machine?
        do {
            let queue = try TestDatabases.makeQueue()
            do {
                let instance = Machine("a")
                machine = instance
                try queue.read { db throws in
                    db.add(table: "machine", of: [instance]) { t in t.column("name", \.name) }
                    try expectEqual(String.fetchOne(db, sql: "SELECT name FROM machine"), "a")
                }
            }
            expectTrue(machine != nil)
            try queue.close()
        }
        expectNil(machine)
    }

    @Test func tablesAreReplacedAndRemoved() throws {
        weak var machine: Machine?
        let queue = try TestDatabases.makeQueue()
        try queue.read { db throws in
            do {
                let instance = Machine("a")
                machine = instance
                db.add(table: "machine", of: [instance]) { t in t.column("name", \.name) }
            }
            let cursor = try String.fetchCursor(db, sql: "SELECT name FROM machine")
            try expectEqual(cursor.next(), "a")
            db.add(table: "machine", of: [Machine("b"), Machine("c")]) { t in
                t.column("name", \.name)
            }
            try expectEqual(cursor.next(), nil)
            try expectEqual(String.fetchAll(db, sql: "SELECT name FROM machine"), ["b", "c"])
            try db.removeModule(named: "machine")
            expectError(
                "SQLite error 1: no such table: machine - while executing `SELECT name FROM machine`"
            ) {
                try String.fetchAll(db, sql: "SELECT name FROM machine")
            }
        }
        expectNil(machine)
    }

    @Test func aConnectionIsDroppedOnAnotherThread() async throws {
        weak var machine: Machine?
        do {
            let instance = Machine("a")
            machine = instance
            let queue = try TestDatabases.makeQueue()
            try await queue.read { db throws in
                db.add(table: "machine", of: [instance]) { t in t.column("name", \.name) }
                _ = try String.fetchOne(db, sql: "SELECT name FROM machine")
            }
            await Task.detached { _ = consume queue }.value
        }
        let deadline = Date(timeIntervalSinceNow: patience)
        while machine != nil, Date() < deadline { await letOthersRun(for: 0.001) }
        expectNil(machine)
    }

    @Test func namesAreChecked() throws {
        let queue = try TestDatabases.makeQueue()
        expectError(DatabaseError.self) {
            try queue.read { db throws in
                db.add(table: "a\0b", of: [1]) { t in t.column("n", \.self) }
            }
        }
        try queue.read { db throws in
            db.add(table: "a \"b\"", of: [1]) { t in t.column("n \"x\"", \.self) }
            try expectEqual(
                Row.fetchAll(db, sql: "SELECT * FROM \"a \"\"b\"\"\""), [["n \"x\"": 1]])
            db.add(table: "none", of: [1]) { _ in }
            expectError(DatabaseError.self) { try Row.fetchAll(db, sql: "SELECT * FROM none") }
            expectError(DatabaseError.self) {
                try db.tryAdd(module: .table("a\0", of: [1]) { t in t.column("n", \.self) })
            }
        }
    }

    // MARK: - Contents that change

    @Test(arguments: DatabaseKind.allCases) func contentsChange(kind: DatabaseKind) async throws {
        let content = TableContent([1, 2])
        var configuration = TestDatabases.makeConfiguration()
        configuration.add(table: "number", of: content) { t in t.column("n", \.self).indexed() }
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try await expectEqual(
            writer.read { try Int.fetchAll($0, sql: "SELECT n FROM number") },
            [1, 2])

        try await writer.read { db throws in
            let cursor = try Int.fetchCursor(db, sql: "SELECT n FROM number")
            try expectEqual(cursor.next(), 1)
            content.elements = [7]
            // The statement goes on with the rows that it began with, and others see the same.
            try expectEqual(Int.fetchAll(db, sql: "SELECT n FROM number"), [1, 2])
            try expectEqual(cursor.next(), 2)
            try expectEqual(cursor.next(), nil)
            try expectEqual(Int.fetchAll(db, sql: "SELECT n FROM number WHERE n = 7"), [7])
        }
        content.update { $0.append(8) }
        try await expectEqual(
            writer.read { try Int.fetchAll($0, sql: "SELECT n FROM number WHERE n > 7") },
            [8])
        expectEqual(content.elements, [7, 8])
    }

    @Test(arguments: DatabaseKind.allCases) func observationsAreNotified(kind: DatabaseKind)
        async throws
    {
        let content = TableContent([1])
        var configuration = TestDatabases.makeConfiguration()
        configuration.add(table: "number", of: content) { t in t.column("n", \.self) }
        let writer = try TestDatabases.makeWriter(kind, configuration)
        let observation = ValueObservation.tracking {
            try Table("number").select(Column("n"), as: Int.self).fetchAll($0)
        }
        var values = observation.values(in: writer).makeAsyncIterator()
        try await expectEqual(values.next(), [1])
        content.elements = [1, 2]
        try await writer.write { try $0.notifyChanges(in: Table("number")) }
        try await expectEqual(values.next(), [1, 2])
    }

    // MARK: - Table-valued functions

    @Test(arguments: DatabaseKind.allCases) func functionsReturnTables(kind: DatabaseKind) throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.add(
            module: .tableFunction(
                "words", parameters: ["text", "separator"],
                rows: { _, arguments -> [String] in
                    guard let text = String.fromDatabaseValue(arguments[0]) else { return [] }
                    let separator = String.fromDatabaseValue(arguments[1])?.first ?? " "
                    if text == "fail" { throw TestError("words") }
                    return text.split(separator: separator).map(String.init)
                }
            ) { t in t.column("word", \.self) })
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try writer.write { db throws in
            try db.execute(
                sql: "CREATE TABLE line (text TEXT); INSERT INTO line VALUES ('a b'), ('c'), (NULL)"
            )
        }
        try writer.read { db throws in
            try expectEqual(
                String.fetchAll(db, sql: "SELECT word FROM words('to be')"),
                ["to", "be"])
            try expectEqual(
                String.fetchAll(db, sql: "SELECT word FROM words('x,y', ',')"),
                ["x", "y"])
            try expectEqual(String.fetchAll(db, sql: "SELECT * FROM words"), [])
            try expectEqual(
                String.fetchAll(
                    db,
                    sql:
                        "SELECT word FROM words WHERE separator = ',' AND text = 'q,r' ORDER BY word DESC"
                ),
                ["r", "q"])
            try expectEqual(
                String.fetchAll(
                    db, sql: "SELECT word FROM words(line.text), line ORDER BY word"),
                [
                    "a", "b", "c",
                ])
            try expectEqual(
                Row.fetchAll(db, sql: "SELECT text, separator, word FROM words('z')"),
                [["text": "z", "separator": nil, "word": "z"]])
            try expectEqual(
                String.fetchAll(db, sql: "SELECT word FROM words('a b c') LIMIT 2 OFFSET 1"),
                ["b", "c"])
            expectError(TestError("words")) {
                try String.fetchAll(db, sql: "SELECT word FROM words('fail')")
            }
            expectError(DatabaseError.self) {
                try String.fetchAll(db, sql: "SELECT word FROM words(1, 2, 3)")
            }
        }
    }

    @Test func theEnvironmentIsATable() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.add(module: .environment())
        let queue = try TestDatabases.makeQueue(.memory, configuration)
        try queue.read { db throws in
            let path = try String.fetchOne(
                db, sql: "SELECT value FROM environment WHERE name = 'PATH'")
            expectEqual(path?.isEmpty, false)
            #expect(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM environment")! > 0)
        }
    }
}

extension DatabaseValue.Storage {
    fileprivate var isNumber: Bool {
        switch self {
        case .int64, .double: true
        default: false
        }
    }

    fileprivate var isText: Bool {
        if case .string = self { true } else { false }
    }
}
