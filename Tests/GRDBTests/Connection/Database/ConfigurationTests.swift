import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct ConfigurationTests {
    @Test func defaults() {
        let configuration = Configuration()
        expectTrue(configuration.foreignKeysEnabled)
        expectTrue(!configuration.readonly)
        expectTrue(!configuration.acceptsDoubleQuotedStringLiterals)
        expectTrue(!configuration.publicStatementArguments)
        expectTrue(!configuration.allowsUnsafeTransactions)
        expectTrue(!configuration.observesSuspensionNotifications)
        expectTrue(!configuration.persistentReadOnlyConnections)
        expectEqual(configuration.maximumReaderCount, 5)
        expectEqual(configuration.label, nil)
        expectNil(configuration.schemaSource)
        expectNil(configuration.targetQueue)
        expectNil(configuration.writeTargetQueue)
        expectEqual(configuration.qos, .userInitiated)
        expectEqual(configuration.readQoS, .userInitiated)
        expectEqual(configuration.writeQoS, .userInitiated)
        expectEqual("\(configuration.journalMode)", "default")
        expectEqual("\(configuration.busyMode)", "immediateError")
        expectTrue(configuration.transactionClock is DefaultTransactionClock)
    }

    @Test func connectionKeepsItsConfiguration() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.label = "mine"
        configuration.maximumReaderCount = 3
        let dbQueue = try TestDatabases.makeQueue(.memory, configuration)
        expectEqual(dbQueue.configuration.label, "mine")
        expectEqual(dbQueue.configuration.maximumReaderCount, 3)
        try dbQueue.read { db in
            expectEqual(db.configuration.label, "mine")
        }
    }

    // MARK: - SQLite

    @Test func freshConnectionHasTheDocumentedState() throws {
        func pragma(_ name: String, _ db: Database) throws -> String? {
            try String.fetchOne(db, sql: "PRAGMA \(name)")
        }
        try TestDatabases.makeQueue(.file).writeWithoutTransaction { db in
            try expectEqual(pragma("journal_mode", db), "delete")
            try expectEqual(pragma("synchronous", db), "2")
            try expectEqual(pragma("foreign_keys", db), "1")
            try expectEqual(pragma("query_only", db), "0")
            try expectEqual(pragma("busy_timeout", db), "0")
            try expectEqual(pragma("wal_autocheckpoint", db), "1000")
            try expectEqual(pragma("locking_mode", db), "normal")
            try expectEqual(pragma("temp_store", db), "0")
            try db.execute(sql: "SELECT 1")
        }
    }

    @Test(arguments: [true, false])
    func foreignKeysAreEnforcedWhenEnabled(enabled: Bool) throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.foreignKeysEnabled = enabled
        try TestDatabases.makeQueue(.memory, configuration).writeWithoutTransaction { db in
            try db.execute(
                sql: "CREATE TABLE p(id PRIMARY KEY); CREATE TABLE c(id REFERENCES p(id))")
            if enabled {
                expectError(DatabaseError.self) {
                    try db.execute(sql: "INSERT INTO c VALUES (1)")
                }
            } else {
                try db.execute(sql: "INSERT INTO c VALUES (1)")
            }
        }
    }

    @Test func doubleQuotedStringsAreErrorsByDefault() throws {
        try TestDatabases.makeQueue().write { db in
            expectError(
                """
                SQLite error 1: no such column: "foo" - should this be a string literal in \
                single-quotes? - while executing `SELECT "foo"`
                """
            ) {
                try db.execute(sql: "SELECT \"foo\"")
            }
            expectError(DatabaseError.self) {
                try db.execute(sql: "CREATE TABLE t(a CHECK (a > \"foo\"))")
            }
        }
    }

    @Test func doubleQuotedStringsCanBeAccepted() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.acceptsDoubleQuotedStringLiterals = true
        try TestDatabases.makeQueue(.memory, configuration).write { db in
            try expectEqual(String.fetchOne(db, sql: "SELECT \"foo\""), "foo")
            try db.execute(sql: "CREATE TABLE t(a CHECK (a > \"foo\"))")
        }
    }

    // MARK: - Read-only connections

    private func makeFile() throws -> String {
        let path = TestDatabases.makePath()
        try TestDatabases.openQueue(path).write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
        }
        return path
    }

    private var readOnlyConfiguration: Configuration {
        var configuration = TestDatabases.makeConfiguration()
        configuration.readonly = true
        return configuration
    }

    @Test func readOnlyConnectionReads() throws {
        let dbQueue = try TestDatabases.openQueue(makeFile(), readOnlyConfiguration)
        let values = try dbQueue.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
        expectEqual(values, [1])
    }

    @Test func readOnlyConnectionCanNotWrite() throws {
        let dbQueue = try TestDatabases.openQueue(makeFile(), readOnlyConfiguration)
        let sql = "INSERT INTO t VALUES (2)"
        let error =
            "SQLite error 8: attempt to write a readonly database - while executing `\(sql)`"
        expectError(error) {
            try dbQueue.write { try $0.execute(sql: sql) }
        }
        expectError(error) {
            try dbQueue.writeWithoutTransaction { try $0.execute(sql: sql) }
        }
        expectError(error) {
            try dbQueue.inTransaction {
                try $0.execute(sql: sql)
                return .commit
            }
        }
    }

    @Test func readOnlyMemoryCanNotBeWritten() throws {
        let dbQueue = try TestDatabases.makeQueue(.memory, readOnlyConfiguration)
        expectError(
            """
            SQLite error 8: attempt to write a readonly database \
            - while executing `CREATE TABLE t(a)`
            """
        ) {
            try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        }
    }

    @Test func transactionsOfReadOnlyConnectionsAreDeferred() throws {
        let dbQueue = try TestDatabases.openQueue(makeFile(), readOnlyConfiguration)
        try expectSQL(
            """
            BEGIN DEFERRED TRANSACTION
            COMMIT TRANSACTION
            BEGIN DEFERRED TRANSACTION
            COMMIT TRANSACTION
            """
        ) {
            try dbQueue.write { _ in }
            try dbQueue.read { _ in }
        }
    }

    @Test func readOnlyConnectionNeedsAFile() throws {
        let path = TestDatabases.makePath()
        expectError(
            "SQLite error 14: unable to open database file: \(path) (No such file or directory)"
        ) {
            try TestDatabases.openQueue(path, readOnlyConfiguration)
        }
    }

    // MARK: - Journal mode

    @Test func walModeIsSetUpOnRequest() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.journalMode = .wal
        let dbQueue = try TestDatabases.makeQueue(.file, configuration)
        try dbQueue.writeWithoutTransaction { db throws in
            try expectEqual(String.fetchOne(db, sql: "PRAGMA journal_mode"), "wal")
            try expectEqual(Int.fetchOne(db, sql: "PRAGMA synchronous"), 1)
        }
        // The mode is persistent.
        try TestDatabases.openQueue(dbQueue.path).read { db throws in
            try expectEqual(String.fetchOne(db, sql: "PRAGMA journal_mode"), "wal")
        }
    }

    @Test func readOnlyConnectionLeavesTheJournalMode() throws {
        let path = try makeFile()
        var configuration = readOnlyConfiguration
        configuration.journalMode = .wal
        try TestDatabases.openQueue(path, configuration).read { db throws in
            try expectEqual(String.fetchOne(db, sql: "PRAGMA journal_mode"), "delete")
        }
    }

    // MARK: - Preparation

    @Test func preparationsRunInOrder() throws {
        let log = Log<String>()
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in
            log.append("1 \(db.isInsideTransaction)")
            try db.execute(sql: "PRAGMA cache_size = 123")
        }
        configuration.prepareDatabase { db in
            let size = try Int.fetchOne(db, sql: "PRAGMA cache_size")!
            log.append("2 \(size)")
            db.add(function: DatabaseFunction("answer", argumentCount: 0) { _ in 42 })
        }
        let dbQueue = try TestDatabases.makeQueue(.memory, configuration)
        expectEqual(log.elements, ["1 false", "2 123"])
        let answer = try dbQueue.read { try Int.fetchOne($0, sql: "SELECT answer()") }
        expectEqual(answer, 42)
    }

    @Test func foreignKeysAreOnDuringThePreparation() throws {
        let log = Log<Int>()
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in
            log.append(try Int.fetchOne(db, sql: "PRAGMA foreign_keys")!)
        }
        _ = try TestDatabases.makeQueue(.memory, configuration)
        expectEqual(log.elements, [1])
    }

    /// The copies of a configuration are independent.
    @Test func preparationBelongsToOneConfiguration() throws {
        let log = Log<String>()
        let configuration = TestDatabases.makeConfiguration()
        var other = configuration
        other.prepareDatabase { _ in log.append("other") }
        _ = try TestDatabases.makeQueue(.memory, configuration)
        expectEqual(log.elements, [])
    }

    @Test func preparationThatThrowsPreventsTheOpening() throws {
        let log = Log<String>()
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { _ in throw TestError("preparation") }
        configuration.prepareDatabase { _ in log.append("late") }
        for storage in DatabaseStorage.allCases {
            expectError(TestError("preparation")) {
                try TestDatabases.makeQueue(storage, configuration)
            }
        }
        expectEqual(log.elements, [])
    }

    @Test func preparationThatLeavesATransactionPreventsTheOpening() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { try $0.beginTransaction() }
        expectError(
            """
            SQLite error 21: A transaction has been left opened at the end of a database access
            """
        ) {
            try TestDatabases.makeQueue(.memory, configuration)
        }
    }

    // MARK: - Labels and dispatch queues

    @Test(
        arguments: [
            (nil, "GRDB.DatabaseQueue"), ("MyLabel", "MyLabel"), ("", ""),
        ] as [(String?, String)])
    func labelNamesTheConnectionAndItsQueue(label: String?, expected: String) async throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.label = label
        let dbQueue = try TestDatabases.makeQueue(.memory, configuration)
        let check: @Sendable (Database) -> Void = { db in
            expectEqual(db.description, expected)
            expectEqual(db.debugDescription, "<Database: \(expected)>")
            expectEqual(currentQueueLabel(), expected)
        }
        try await dbQueue.read { check($0) }
        try await dbQueue.write { check($0) }
        try await dbQueue.unsafeRead { check($0) }
        try await dbQueue.barrierWriteWithoutTransaction { check($0) }
        dbQueue.unsafeReentrantRead { check($0) }
        try (dbQueue as any DatabaseReader).unsafeReentrantRead { check($0) }
    }

    @Test func synchronousAccessesRunOnTheQueue() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.label = "synchronous"
        let dbQueue = try TestDatabases.makeQueue(.memory, configuration)
        let labels = [
            try dbQueue.read { _ in currentQueueLabel() },
            try dbQueue.write { _ in currentQueueLabel() },
            dbQueue.inDatabase { _ in currentQueueLabel() },
            dbQueue.unsafeRead { _ in currentQueueLabel() },
        ]
        expectEqual(labels, Array(repeating: "synchronous", count: 4))
    }

    @Test func targetQueueIsHonoured() async throws {
        let key = DispatchSpecificKey<String>()
        let target = DispatchQueue(label: "target")
        target.setSpecific(key: key, value: "target")
        var configuration = TestDatabases.makeConfiguration()
        configuration.targetQueue = target
        let dbQueue = try TestDatabases.makeQueue(.memory, configuration)
        let readSpecific = try await dbQueue.read { _ in DispatchQueue.getSpecific(key: key) }
        expectEqual(readSpecific, "target")
        let specific = try await dbQueue.write { _ in
            dispatchPrecondition(condition: .onQueue(target))
            return DispatchQueue.getSpecific(key: key)
        }
        expectEqual(specific, "target")
    }

    /// A queue has one connection, which is a writer.
    @Test func writeTargetQueueWins() async throws {
        let key = DispatchSpecificKey<String>()
        let target = DispatchQueue(label: "target")
        target.setSpecific(key: key, value: "target")
        let writeTarget = DispatchQueue(label: "writeTarget")
        writeTarget.setSpecific(key: key, value: "writeTarget")
        var configuration = TestDatabases.makeConfiguration()
        configuration.targetQueue = target
        configuration.writeTargetQueue = writeTarget
        let dbQueue = try TestDatabases.makeQueue(.memory, configuration)
        let specifics = [
            try await dbQueue.read { _ in DispatchQueue.getSpecific(key: key) },
            try await dbQueue.write { _ in DispatchQueue.getSpecific(key: key) },
        ]
        expectEqual(specifics, ["writeTarget", "writeTarget"])
    }

    /// Connections with one serial target run one at a time.
    @Test func connectionsCanShareATargetQueue() async throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.targetQueue = DispatchQueue(label: "serial")
        let queues = try (0..<3).map { _ in try TestDatabases.makeQueue(.memory, configuration) }
        let running = Log<Int>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for dbQueue in queues {
                for _ in 0..<10 {
                    group.addTask {
                        try await dbQueue.write { db in
                            running.append(1)
                            try db.execute(sql: "CREATE TABLE IF NOT EXISTS t(a)")
                            expectEqual(running.removeAll(), [1])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func qualityOfServiceIsThatOfTheTarget() {
        var configuration = Configuration()
        configuration.qos = .default
        expectEqual(configuration.readQoS, .default)
        expectEqual(configuration.writeQoS, .default)
        configuration.targetQueue = DispatchQueue(label: "target", qos: .utility)
        expectEqual(configuration.readQoS, .utility)
        expectEqual(configuration.writeQoS, .utility)
        configuration.writeTargetQueue = DispatchQueue(label: "writeTarget", qos: .background)
        expectEqual(configuration.readQoS, .utility)
        expectEqual(configuration.writeQoS, .background)
    }

    // MARK: - Arguments

    @Test(arguments: [true, false])
    func argumentsOfErrorsAreVisibleWhenPublic(isPublic: Bool) throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.publicStatementArguments = isPublic
        try TestDatabases.makeQueue(.memory, configuration).write { db in
            try db.execute(sql: "CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES ('secret')")
            let error = expectError(DatabaseError.self) {
                try db.execute(sql: "INSERT INTO t VALUES (?)", arguments: ["secret"])
            }
            let description = """
                SQLite error 19: UNIQUE constraint failed: t.a \
                - while executing `INSERT INTO t VALUES (?)`
                """
            let arguments = " with arguments [\"secret\"]"
            expectEqual(error?.description, description + (isPublic ? arguments : ""))
            expectEqual(error?.expandedDescription, description + arguments)
            expectEqual(error?.arguments, ["secret"])
        }
    }
}
