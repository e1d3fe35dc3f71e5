import Foundation
import GRDB
import GRDBServer
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabaseQueueOpeningTests {
    // MARK: - Paths

    @Test func pathIsTheOneThatWasGiven() throws {
        let configuration = TestDatabases.makeConfiguration()
        let path = TestDatabases.makePath()
        try expectEqual(DatabaseQueue(path: path, configuration: configuration).path, path)
        try expectEqual(DatabaseQueue(path: "", configuration: configuration).path, "")
        try expectEqual(
            DatabaseQueue(path: ":memory:", configuration: configuration).path,
            ":memory:")
        try expectEqual(DatabaseQueue(configuration: configuration).path, ":memory:")
        try expectEqual(DatabaseQueue(named: nil, configuration: configuration).path, ":memory:")
        try expectEqual(
            DatabaseQueue(named: "foo", configuration: configuration).path,
            "file:/grdb/foo?vfs=memdb")
    }

    @Test func fileIsCreatedAndKept() throws {
        let path = TestDatabases.makePath()
        try TestDatabases.openQueue(path).write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        }
        let count = try TestDatabases.openQueue(path).read { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")
        }
        expectEqual(count, 1)
    }

    @Test(.patience, arguments: [true, false])
    func pipesAreRefused(readonly: Bool) throws {
        let path = TestDatabases.makePath("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        var configuration = TestDatabases.makeConfiguration()
        configuration.readonly = readonly
        let error = expectError(DatabaseError.self) {
            try DatabaseQueue(path: path, configuration: configuration)
        }
        expectEqual(error?.resultCode, .SQLITE_CANTOPEN)
    }

    @Test(arguments: DatabaseKind.allCases)
    func pathThatCanNotBeOpenedIsNamed(kind: DatabaseKind) throws {
        func open(_ path: String) throws -> any DatabaseWriter {
            switch kind {
            case .queue: try TestDatabases.openQueue(path)
            case .pool: try TestDatabases.openPool(path)
            }
        }
        let folder = TestDatabases.makePath("folder")
        let path = folder + "/db.sqlite"
        let message = "SQLite error 14: unable to open database file"
        expectError("\(message): \(path) (there is no folder \(folder))") { try open(path) }
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        expectError("\(message): \(path) (it is a folder)") { try open(path) }
        let file = folder + "/file"
        try Data().write(to: URL(fileURLWithPath: file))
        expectError("\(message): \(file)/db.sqlite (\(file) is no folder)") {
            try open(file + "/db.sqlite")
        }
    }

    /// SQLite opens other files later, and its message has no path.
    @Test(arguments: DatabaseKind.allCases)
    func statementsNameThePathThatCanNotBeOpened(kind: DatabaseKind) throws {
        func open(_ path: String) throws -> any DatabaseWriter {
            switch kind {
            case .queue: try TestDatabases.openQueue(path)
            case .pool: try TestDatabases.openPool(path)
            }
        }
        func expectPath(
            _ path: String, line: Int = #line,
            _ body: () throws -> Void
        ) {
            do {
                try body()
                recordIssue("no error", line: line)
            } catch {
                let description = "\(error)"
                expectTrue(
                    description.hasPrefix(
                        "SQLite error 14: unable to open database file: \(path) ("),
                    "\(description)", line: line)
            }
        }
        // A folder is where the WAL file should be, which SQLite opens with the first statement.
        let path = TestDatabases.makePath()
        let pool = try TestDatabases.openPool(path)
        try pool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        try pool.close()
        try FileManager.default.createDirectory(
            atPath: path + "-wal", withIntermediateDirectories: true)
        expectPath(path) { _ = try open(path) }

        // A database to attach has its path in the message already.
        let dbQueue = try TestDatabases.makeQueue()
        expectError(
            """
            SQLite error 14: unable to open database: /missing/folder/db.sqlite \
            - while executing `ATTACH '/missing/folder/db.sqlite' AS other`
            """
        ) {
            try dbQueue.writeWithoutTransaction {
                try $0.execute(sql: "ATTACH '/missing/folder/db.sqlite' AS other")
            }
        }
    }

    #if !os(iOS) && !os(tvOS) && !os(watchOS)
    /// Another process, which may have few descriptors.
    @Test func exhaustedDescriptorsAreNamed() async {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardErrorContent]
        ) {
            let path = FileManager.default.temporaryDirectory
                .appendingPathComponent("GRDBTests-\(UUID().uuidString).sqlite").path
            defer { try? FileManager.default.removeItem(atPath: path) }
            let dbQueue = try DatabaseQueue(path: path)
            try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
            var files: [FileHandle] = []
            while let file = FileHandle(forReadingAtPath: "/dev/null") { files.append(file) }
            let attempts: [() throws -> Void] = [
                { _ = try DatabaseQueue(path: path) },
                { _ = try DatabasePool(path: path) },
                {
                    var configuration = Configuration()
                    configuration.readonly = true
                    _ = try DatabaseQueue(path: path, configuration: configuration)
                },
                { try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") } },
            ]
            let results = attempts.map { Result(catching: $0) }
            files = []
            for (index, result) in results.enumerated() {
                guard case .failure(let error) = result,
                    "\(error)".hasPrefix(
                        "SQLite error 14: unable to open database file: \(path) (Too many open files"
                    )
                else {
                    fatalError("attempt \(index): \(result)")
                }
            }
        }
        if let result, !result.standardErrorContent.isEmpty {
            print(String(decoding: result.standardErrorContent.suffix(500), as: UTF8.self))
        }
    }
    #endif

    @Test(.disabled(if: TestDatabases.encryptsDatabases, "The error is about the key"))
    func fileThatIsNoDatabaseIsAnError() throws {
        let path = TestDatabases.makePath()
        try Data(repeating: 0x41, count: 4000).write(to: URL(fileURLWithPath: path))
        expectError(
            """
            SQLite error 26: file is not a database \
            - while executing `SELECT * FROM sqlite_master LIMIT 1`
            """
        ) {
            try TestDatabases.openQueue(path)
        }
    }

    /// C functions would stop at the NUL character, and open another file.
    @Test func pathMustNotHoldANUL() throws {
        let path = TestDatabases.makePath()
        expectError(DatabaseError.self) {
            try TestDatabases.openQueue(path + "\0suffix")
        }
        expectError(DatabaseError.self) {
            try DatabaseQueue(
                uri: DatabaseURI(path: path + "\0suffix", parameters: [.mode(.readWriteCreate)]),
                configuration: TestDatabases.makeConfiguration())
        }
        expectError(DatabaseError.self) {
            try DatabaseQueue(
                named: "a\0suffix", configuration: TestDatabases.makeConfiguration())
        }
        expectTrue(!FileManager.default.fileExists(atPath: path))
    }

    // MARK: - Memory

    @Test(arguments: [nil, ":memory:"] as [String?])
    func memoryIsPrivate(path: String?) throws {
        func open() throws -> DatabaseQueue {
            try path.map { try TestDatabases.openQueue($0) } ?? TestDatabases.makeQueue()
        }
        let dbQueue = try open()
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        try expectTrue(open().read { try !$0.tableExists("t") })
        try expectTrue(dbQueue.read { try $0.tableExists("t") })
    }

    @Test func emptyPathIsAPrivateFile() throws {
        let dbQueue = try TestDatabases.openQueue("")
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        try expectTrue(TestDatabases.openQueue("").read { try !$0.tableExists("t") })
        try expectTrue(dbQueue.read { try $0.tableExists("t") })
    }

    // MARK: - Named memory

    private func makeNamedQueue(_ name: String) throws -> DatabaseQueue {
        try DatabaseQueue(named: name, configuration: TestDatabases.makeConfiguration())
    }

    @Test func connectionsOfOneNameShareADatabase() throws {
        let name = UUID().uuidString
        let dbQueue1 = try makeNamedQueue(name)
        let dbQueue2 = try makeNamedQueue(name)
        try dbQueue1.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        try dbQueue2.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        let values = try dbQueue1.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
        expectEqual(values, [1, 2])
    }

    @Test func connectionsOfOtherNamesDoNot() throws {
        let name = UUID().uuidString
        let dbQueue1 = try makeNamedQueue(name)
        let dbQueue2 = try makeNamedQueue(name + "x")
        try dbQueue1.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        try expectTrue(dbQueue2.read { try !$0.tableExists("t") })
    }

    @Test func namedDatabaseGoesAwayWithItsLastConnection() throws {
        let name = UUID().uuidString
        var dbQueue1: DatabaseQueue? = try makeNamedQueue(name)
        let dbQueue2 = try makeNamedQueue(name)
        try dbQueue1?.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        dbQueue1 = nil
        try dbQueue2.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        try dbQueue2.close()
        try expectTrue(makeNamedQueue(name).read { try !$0.tableExists("t") })
    }

    @Test(arguments: ["a b", "é", "a?mode=ro&b#c%20", "x/y", "/x", "//x", "'\""])
    func nameMayHoldAnyCharacter(name: String) throws {
        let name = name + UUID().uuidString
        let dbQueue1 = try makeNamedQueue(name)
        let dbQueue2 = try makeNamedQueue(name)
        try dbQueue1.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        try expectTrue(dbQueue2.read { try $0.tableExists("t") })
    }

    @Test func emptyNameIsAName() throws {
        let dbQueue1 = try makeNamedQueue("")
        let dbQueue2 = try makeNamedQueue("")
        try dbQueue1.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        try expectTrue(dbQueue2.read { try $0.tableExists("t") })
    }

    @Test func namesThatLookLikePathsDiffer() throws {
        let name = UUID().uuidString
        let queues = try [name, "/" + name, "//" + name, "./" + name].map(makeNamedQueue)
        for dbQueue in queues {
            try expectTrue(dbQueue.read { try !$0.tableExists("t") })
            try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        }
    }

    @Test func namedDatabaseMayBeOpenedReadOnly() throws {
        let name = UUID().uuidString
        let writer = try makeNamedQueue(name)
        try writer.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        var configuration = TestDatabases.makeConfiguration()
        configuration.readonly = true
        let reader = try DatabaseQueue(named: name, configuration: configuration)
        let values = try reader.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
        expectEqual(values, [1])
        let error = expectError(DatabaseError.self) {
            try reader.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        }
        expectEqual(error?.resultCode, .SQLITE_READONLY)
    }

    @Test func namedDatabaseCanBeMaintained() throws {
        let name = UUID().uuidString
        let dbQueue1 = try makeNamedQueue(name)
        let dbQueue2 = try makeNamedQueue(name)
        try dbQueue1.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        try dbQueue2.vacuum()
        let copy = try TestDatabases.makeQueue()
        try dbQueue2.backup(to: copy)
        try copy.backup(to: dbQueue1)
        try expectEqual(dbQueue2.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }, 1)
        try dbQueue1.erase()
        try expectEqual(
            dbQueue2.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM sqlite_master") },
            0)
    }

    /// Connections of one name see the writes of one another as if they shared a file: a reader
    /// keeps its snapshot, or a writer waits. Nothing fails, given a busy timeout.
    @Test func namedDatabaseStandsConcurrentUse() async throws {
        let name = UUID().uuidString
        var configuration = TestDatabases.makeConfiguration()
        configuration.busyMode = .timeout(patience)
        let queues = try (0..<4).map { _ in
            try DatabaseQueue(named: name, configuration: configuration)
        }
        try await queues[0].write { db in
            try db.execute(
                sql: "CREATE TABLE account(id INTEGER PRIMARY KEY, balance INTEGER NOT NULL)")
            try db.execute(sql: "INSERT INTO account VALUES (1, 500), (2, 500)")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for dbQueue in queues {
                group.addTask {
                    for turn in 0..<50 {
                        let total = try await dbQueue.read { db in
                            try Int.fetchAll(db, sql: "SELECT balance FROM account").reduce(0, +)
                        }
                        expectEqual(total, 1000)
                        try await dbQueue.write { db in
                            let source = turn % 2 + 1
                            try db.execute(
                                sql: "UPDATE account SET balance = balance - 1 WHERE id = ?",
                                arguments: [source])
                            try db.execute(
                                sql: "UPDATE account SET balance = balance + 1 WHERE id = ?",
                                arguments: [3 - source])
                            try db.execute(
                                sql: "INSERT INTO account(balance) VALUES (0)")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        let count = try await queues[0].read { db in
            try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM account")
        }
        expectEqual(count, 202)
    }

    // MARK: - Copies

    private func makeSource() throws -> String {
        let path = TestDatabases.makePath()
        try TestDatabases.openQueue(path).write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        }
        return path
    }

    private typealias Copy = @Sendable (String, Configuration) throws -> DatabaseQueue

    private static let copies: [(Copy, path: String)] = [
        ({ try DatabaseQueue.inMemoryCopy(fromPath: $0, configuration: $1) }, ":memory:"),
        ({ try DatabaseQueue.temporaryCopy(fromPath: $0, configuration: $1) }, ""),
    ]

    @Test(
        .disabled(if: TestDatabases.encryptsDatabases, "Opens its file without a key"),
        arguments: [0, 1])
    func copyIsIndependent(index: Int) throws {
        let (copy, path) = Self.copies[index]
        let source = try makeSource()
        let dbQueue = try copy(source, TestDatabases.makeConfiguration())
        expectEqual(dbQueue.path, path)
        try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        let values = try dbQueue.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
        expectEqual(values, [1, 2])
        let original = try TestDatabases.openQueue(source).read { db in
            try Int.fetchAll(db, sql: "SELECT a FROM t")
        }
        expectEqual(original, [1])
    }

    @Test(
        .disabled(if: TestDatabases.encryptsDatabases, "Opens its file without a key"),
        arguments: [0, 1])
    func copyMayBeReadOnly(index: Int) throws {
        let (copy, _) = Self.copies[index]
        var configuration = TestDatabases.makeConfiguration()
        configuration.readonly = true
        let dbQueue = try copy(makeSource(), configuration)
        expectTrue(dbQueue.configuration.readonly)
        let values = try dbQueue.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
        expectEqual(values, [1])
        let insert = "INSERT INTO t VALUES (2)"
        let error =
            "SQLite error 8: attempt to write a readonly database - while executing `\(insert)`"
        for _ in 0..<2 {
            expectError(error) { try dbQueue.write { try $0.execute(sql: insert) } }
            expectError(error) {
                try dbQueue.writeWithoutTransaction { try $0.execute(sql: insert) }
            }
            // After a read as well.
            _ = try dbQueue.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
        }
    }

    @Test(
        .disabled(if: TestDatabases.encryptsDatabases, "Opens its file without a key"),
        arguments: [0, 1])
    func readOnlyCopyStaysSo(index: Int) throws {
        let (copy, _) = Self.copies[index]
        var configuration = TestDatabases.makeConfiguration()
        configuration.readonly = true
        let dbQueue = try copy(makeSource(), configuration)
        expectError(DatabaseError.self) {
            try dbQueue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA query_only = 0")
                try db.execute(sql: "INSERT INTO t VALUES (2)")
            }
        }
    }

    @Test(
        .disabled(if: TestDatabases.encryptsDatabases, "Opens its file without a key"),
        arguments: [0, 1])
    func copyFollowsItsConfiguration(index: Int) throws {
        let (copy, _) = Self.copies[index]
        var configuration = TestDatabases.makeConfiguration()
        configuration.label = "copy"
        configuration.foreignKeysEnabled = false
        let dbQueue = try copy(makeSource(), configuration)
        try dbQueue.read { db throws in
            expectEqual(db.description, "copy")
            try expectEqual(Int.fetchOne(db, sql: "PRAGMA foreign_keys"), 0)
        }
    }

    @Test(arguments: [0, 1])
    func copyOfAMissingFileFails(index: Int) throws {
        let (copy, _) = Self.copies[index]
        let path = TestDatabases.makePath()
        expectError(
            "SQLite error 14: unable to open database file: \(path) (No such file or directory)"
        ) {
            try copy(path, TestDatabases.makeConfiguration())
        }
        expectTrue(!FileManager.default.fileExists(atPath: path))
    }

    @Test(
        .disabled(if: TestDatabases.encryptsDatabases, "Opens its file without a key"),
        arguments: [0, 1], [512, 65536])
    func copyHasThePageSizeOfItsSource(index: Int, pageSize: Int) throws {
        let (copy, _) = Self.copies[index]
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA page_size = \(pageSize)")
        }
        let source = try TestDatabases.makeQueue(.file, configuration)
        try source.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        let dbQueue = try copy(source.path, TestDatabases.makeConfiguration())
        try dbQueue.write { db in
            try expectEqual(Int.fetchOne(db, sql: "PRAGMA page_size"), pageSize)
            try db.execute(sql: "INSERT INTO t VALUES (2)")
        }
    }

    /// The configuration of an application serves its tests and previews as well.
    @Test(arguments: [nil, "name"])
    func inMemoryDatabasesIgnoreTheWALMode(name: String?) throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.journalMode = .wal
        let dbQueue = try DatabaseQueue(named: name, configuration: configuration)
        let mode = try dbQueue.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") }
        expectEqual(mode, "memory")
    }

    /// A database in WAL mode can be copied, although memory knows no such mode.
    @Test(
        .disabled(if: TestDatabases.encryptsDatabases, "Opens its file without a key"),
        arguments: [0, 1])
    func databaseInWALModeCanBeCopied(index: Int) throws {
        let (copy, _) = Self.copies[index]
        let path = TestDatabases.makePath()
        var configuration = TestDatabases.makeConfiguration()
        configuration.journalMode = .wal
        let source = try TestDatabases.openQueue(path, configuration)
        try source.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        let dbQueue = try copy(path, TestDatabases.makeConfiguration())
        try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
        let values = try dbQueue.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
        expectEqual(values, [1, 2])
    }
}
