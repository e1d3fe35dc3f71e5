import Foundation
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct BackupTests {
    /// A database of 13 pages.
    private func makeSource(_ storage: DatabaseStorage = .memory) throws -> DatabaseQueue {
        let source = try TestDatabases.makeQueue(storage)
        try source.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(a);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 11)
                    INSERT INTO t SELECT zeroblob(4000) FROM n;
                    """)
            try expectEqual(Int.fetchOne(db, sql: "PRAGMA page_count"), 13)
        }
        return source
    }

    private func rowCount(_ dbQueue: DatabaseQueue) throws -> Int? {
        try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
    }

    private func tableCount(_ dbQueue: DatabaseQueue) throws -> Int? {
        try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM sqlite_master") }
    }

    private func describe(_ progress: DatabaseBackupProgress) -> String {
        """
        \(progress.completedPageCount) + \(progress.remainingPageCount) \
        = \(progress.totalPageCount)\(progress.isCompleted ? " completed" : "")
        """
    }

    // MARK: - Copies

    @Test(
        .disabled(if: TestDatabases.encryptsDatabases, "The pages of an encrypted file are more"),
        arguments: DatabaseStorage.allCases, DatabaseStorage.allCases)
    func backupCopiesTheDatabase(from: DatabaseStorage, to: DatabaseStorage) throws {
        let source = try makeSource(from)
        let destination = try TestDatabases.makeQueue(to)
        try destination.write { try $0.execute(sql: "CREATE TABLE old(a)") }
        try source.backup(to: destination)
        try expectEqual(rowCount(destination), 11)
        // The former content is gone.
        try expectEqual(tableCount(destination), 1)
        // The databases are independent.
        try destination.write { try $0.execute(sql: "DELETE FROM t") }
        try expectEqual(rowCount(source), 11)
    }

    @Test func cachedStatementsOfTheDestinationSeeTheCopy() throws {
        let source = try makeSource()
        let destination = try TestDatabases.makeQueue()
        try destination.write { try $0.execute(sql: "CREATE TABLE t(a, b)") }
        let columnNames = {
            try destination.read { db in
                try db.cachedStatement(sql: "SELECT * FROM t")
                    .map { statement in
                        _ = try Row.fetchAll(statement)
                        return statement.columnNames
                    }
            }
        }
        try expectEqual(columnNames(), ["a", "b"])
        try source.backup(to: destination)
        try expectEqual(columnNames(), ["a"])
        try expectEqual(rowCount(destination), 11)
    }

    @Test(
        .disabled(
            if: TestDatabases.encryptsDatabases,
            "The pages of an encrypted file have the size of the cipher"), arguments: [512, 65536])
    func fileTakesThePageSizeOfTheSource(pageSize: Int) throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA page_size = \(pageSize)")
        }
        let destination = try TestDatabases.makeQueue(.file, configuration)
        try destination.write { try $0.execute(sql: "CREATE TABLE old(a)") }
        try makeSource().backup(to: destination)
        try expectEqual(rowCount(destination), 11)
    }

    /// SQLite can't change the page size of memory.
    @Test func memoryOfAnotherPageSizeIsRefused() throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA page_size = 512")
        }
        let destination = try TestDatabases.makeQueue(.memory, configuration)
        try destination.write { try $0.execute(sql: "CREATE TABLE old(a)") }
        let error = expectError(DatabaseError.self) {
            try makeSource().backup(to: destination)
        }
        expectEqual(error?.resultCode, .SQLITE_READONLY)
        try expectEqual(tableCount(destination), 1)
    }

    /// SQLite calls a destination read-only if its pages have another size that can't change.
    @Test(
        .disabled(
            if: TestDatabases.encryptsDatabases,
            "The pages of an encrypted file have the size of the cipher"))
    func pagesOfAnotherSizeAreExplained() throws {
        func configuration(pageSize: Int) -> Configuration {
            var configuration = TestDatabases.makeConfiguration()
            configuration.prepareDatabase { db in
                try db.execute(sql: "PRAGMA page_size = \(pageSize)")
            }
            return configuration
        }
        let source = try TestDatabases.makeQueue(.file, configuration(pageSize: 8192))
        try source.write { db in
            try db.execute(sql: "CREATE TABLE new(a); INSERT INTO new VALUES (1)")
        }
        let message = """
            SQLite error 8: The pages of the source have 8192 bytes, but the destination uses pages of 4096 \
            bytes. SQLite can't change the page size of a database that is in WAL mode, in memory or \
            encrypted. If the destination is new, run PRAGMA page_size = 8192 in its prepareDatabase. \
            Otherwise, run PRAGMA page_size = 4096 and VACUUM INTO on the source, and back up the resulting \
            file.
            """
        let memory = try TestDatabases.makeQueue()
        let pool = try TestDatabases.makePool()
        for destination in [memory, pool] as [any DatabaseWriter] {
            try destination.write { db in
                try db.execute(sql: "CREATE TABLE old(a); INSERT INTO old VALUES (1), (2)")
            }
            expectError(message) { try source.backup(to: destination) }
            expectError(message) { try source.backup(to: destination, pagesPerStep: 1) }
            expectError(message) {
                try source.inDatabase { source in
                    try destination.writeWithoutTransaction { destination in
                        let backup = try DatabaseBackup(from: source, to: destination)
                        _ = try backup.step(pages: 1)
                    }
                }
            }
            try destination.write { db in
                try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM old"), 2)
                try db.execute(sql: "DELETE FROM old")
            }
        }
        expectError(message) { try source.backup(to: TestDatabases.makePool()) }

        // What the message says.
        let fittingPool = try TestDatabases.makePool(configuration(pageSize: 8192))
        try source.backup(to: fittingPool)
        let copy = TestDatabases.makePath()
        try source.inDatabase { db in
            try db.execute(sql: "PRAGMA page_size = 4096")
            try db.execute(sql: "VACUUM INTO ?", arguments: [copy])
        }
        try TestDatabases.openQueue(copy).backup(to: pool)
        for destination in [fittingPool, pool] {
            try expectEqual(destination.read { try Int.fetchOne($0, sql: "SELECT a FROM new") }, 1)
        }
    }

    // MARK: - Progress

    @Test func backupIsOneStepByDefault() throws {
        let source = try makeSource()
        var steps: [String] = []
        try source.backup(to: TestDatabases.makeQueue()) { steps.append(describe($0)) }
        expectEqual(steps, ["13 + 0 = 13 completed"])
    }

    @Test func progressFollowsEachStep() throws {
        let source = try makeSource()
        let destination = try TestDatabases.makeQueue()
        var steps: [String] = []
        try source.backup(to: destination, pagesPerStep: 5) { steps.append(describe($0)) }
        expectEqual(steps, ["5 + 8 = 13", "10 + 3 = 13", "13 + 0 = 13 completed"])
        try expectEqual(rowCount(destination), 11)
    }

    @Test func emptySourceIsCompleteAtOnce() throws {
        let destination = try makeSource()
        var steps: [String] = []
        try TestDatabases.makeQueue().backup(to: destination) { steps.append(describe($0)) }
        expectEqual(steps, ["0 + 0 = 0 completed"])
        try expectEqual(tableCount(destination), 0)
    }

    @Test func errorOfProgressLeavesTheDestinationAsItWas() throws {
        let source = try makeSource()
        let destination = try TestDatabases.makeQueue()
        try destination.write { try $0.execute(sql: "CREATE TABLE old(a)") }
        expectError(TestError("stop")) {
            try source.backup(to: destination, pagesPerStep: 5) { progress in
                if progress.completedPageCount == 10 { throw TestError("stop") }
            }
        }
        let tables = try destination.read { db in
            try String.fetchAll(db, sql: "SELECT name FROM sqlite_master")
        }
        expectEqual(tables, ["old"])
        try destination.write { try $0.execute(sql: "INSERT INTO old VALUES (1)") }
        // Both are free again.
        try source.backup(to: destination)
        try expectEqual(rowCount(destination), 11)
    }

    /// The copy is there when it is called.
    @Test(arguments: [-1, 1] as [CInt]) func lastCallOfProgressCanNotFail(
        pagesPerStep: CInt
    ) throws {
        let source = try makeSource()
        let destination = try TestDatabases.makeQueue()
        var calls = 0
        try source.backup(to: destination, pagesPerStep: pagesPerStep) { progress in
            if !progress.isCompleted { return }
            calls += 1
            throw TestError("late")
        }
        expectEqual(calls, 1)
        try expectEqual(rowCount(destination), 11)
    }

    /// A backup by steps of no page would never end.
    @Test func stepsCopyAPageOrMore() throws {
        let source = try makeSource()
        let destination = try TestDatabases.makeQueue()
        expectError("SQLite error 21: A backup step must copy a page or more") {
            try source.backup(to: destination, pagesPerStep: 0)
        }
        try expectEqual(tableCount(destination), 0)
        try source.backup(to: destination)
    }

    // MARK: - Locks

    @Test func destinationCanNotBeUsedInProgress() throws {
        let source = try makeSource()
        let destination = try TestDatabases.makeQueue()
        let used = "SQLite error 21: Database can't be used while a backup writes to it"
        try destination.writeWithoutTransaction { destinationDb in
            try source.read { sourceDb in
                try sourceDb.backup(to: destinationDb, pagesPerStep: 5) { progress throws in
                    if progress.isCompleted { return }
                    expectError(used) { try destinationDb.execute(sql: "SELECT 1") }
                    expectError(used) { try destinationDb.makeStatement(sql: "SELECT 1") }
                    expectError(used) { try destinationDb.inTransaction { .commit } }
                    expectError(used) { try destinationDb.readOnly {} }
                    // The source can be read.
                    try expectEqual(Int.fetchOne(sourceDb, sql: "SELECT COUNT(*) FROM t"), 11)
                }
            }
            try expectEqual(Int.fetchOne(destinationDb, sql: "SELECT COUNT(*) FROM t"), 11)
        }
    }

    @Test func statementOfTheDestinationCanNotBeUsedInProgress() throws {
        let source = try makeSource()
        let destination = try TestDatabases.makeQueue()
        try destination.writeWithoutTransaction { destinationDb in
            let statement = try destinationDb.makeStatement(sql: "SELECT 1")
            try source.read { sourceDb in
                try sourceDb.backup(to: destinationDb, pagesPerStep: 5) { progress in
                    if progress.isCompleted { return }
                    expectError(
                        "SQLite error 21: Database can't be used while a backup writes to it"
                    ) {
                        try statement.execute()
                    }
                }
            }
            try statement.execute()
        }
    }

    @Test func connectionsAreNotReentrantInProgress() throws {
        let source = try makeSource()
        let destination = try TestDatabases.makeQueue()
        try source.backup(to: destination, pagesPerStep: 5) { _ in
            let reentrant = "SQLite error 21: Database methods are not reentrant."
            expectError(reentrant) { try destination.read { _ in } }
            expectError(reentrant) { try source.write { _ in } }
        }
    }

    @Test func databaseCanNotBeItsOwnBackup() throws {
        let dbQueue = try makeSource()
        let distinct =
            "SQLite error 21: The source and the destination of a backup must be distinct"
        expectError(distinct) { try dbQueue.backup(to: dbQueue) }
        try dbQueue.writeWithoutTransaction { db throws in
            expectError(distinct) { try db.backup(to: db) }
        }
        try expectEqual(rowCount(dbQueue), 11)
    }

    @Test(
        .disabled(
            if: TestDatabases.encryptsDatabases, "The source is in memory, and the file encrypted"),
        arguments: [Database.TransactionKind.immediate, .exclusive])
    func lockedDestinationIsBusy(kind: Database.TransactionKind) throws {
        let source = try makeSource()
        let destination = try TestDatabases.makeQueue(.file)
        try destination.write { try $0.execute(sql: "CREATE TABLE old(a)") }
        let holder = try TestDatabases.openQueue(destination.path)
        try holder.inTransaction(kind) { _ in
            let error = expectError(DatabaseError.self) {
                try source.backup(to: destination)
            }
            expectEqual(error?.resultCode, .SQLITE_BUSY)
            expectEqual(error?.message, "database is locked")
            return .commit
        }
        try source.backup(to: destination)
        try expectEqual(rowCount(destination), 11)
    }

    @Test(
        .disabled(
            if: TestDatabases.encryptsDatabases, "The source is in memory, and the file encrypted"))
    func destinationThatIsReadIsBusy() throws {
        let source = try makeSource()
        let destination = try TestDatabases.makeQueue(.file)
        try destination.write { try $0.execute(sql: "CREATE TABLE old(a)") }
        let reader = try TestDatabases.openQueue(destination.path)
        try reader.read { db in
            _ = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM old")
            let error = expectError(DatabaseError.self) {
                try source.backup(to: destination)
            }
            expectEqual(error?.resultCode, .SQLITE_BUSY)
        }
        let tables = try destination.read { db in
            try String.fetchAll(db, sql: "SELECT name FROM sqlite_master")
        }
        expectEqual(tables, ["old"])
    }

    @Test(.disabled(if: TestDatabases.encryptsDatabases, "The pages of an encrypted file are more"))
    func lockedSourceIsBusy() throws {
        let source = try makeSource(.file)
        let holder = try TestDatabases.openQueue(source.path)
        let destination = try TestDatabases.makeQueue()
        try holder.inTransaction(.exclusive) { _ in
            let error = expectError(DatabaseError.self) {
                try source.backup(to: destination)
            }
            expectEqual(error?.resultCode, .SQLITE_BUSY)
            return .commit
        }
    }

    @Test(.disabled(if: TestDatabases.encryptsDatabases, "Opens its file without a key"))
    func readOnlyDestinationIsRefused() throws {
        let source = try makeSource()
        let file = try makeSource(.file)
        var configuration = TestDatabases.makeConfiguration()
        configuration.readonly = true
        let destination = try TestDatabases.openQueue(file.path, configuration)
        let error = expectError(DatabaseError.self) { try source.backup(to: destination) }
        expectEqual(error?.resultCode, .SQLITE_READONLY)
        #expect(error?.message != "not an error")

        let copy = try DatabaseQueue.inMemoryCopy(fromPath: file.path, configuration: configuration)
        let copyError = expectError(DatabaseError.self) { try source.backup(to: copy) }
        expectEqual(copyError?.resultCode, .SQLITE_READONLY)
    }

    @Test func destinationMustNotBeInATransaction() throws {
        let source = try makeSource()
        let destination = try TestDatabases.makeQueue()
        expectError(
            "SQLite error 21: The destination of a backup must not be in a transaction"
        ) {
            try destination.write { destinationDb in
                try source.read { try $0.backup(to: destinationDb) }
            }
        }
        try source.backup(to: destination)
    }

    /// The changes of an open transaction may be undone: they can't be copied.
    @Test func sourceMustNotBeChanging() throws {
        let source = try makeSource()
        let destination = try TestDatabases.makeQueue()
        try destination.writeWithoutTransaction { destinationDb in
            let error = expectError(DatabaseError.self) {
                try source.write { sourceDb in
                    try sourceDb.execute(sql: "INSERT INTO t VALUES (1)")
                    try sourceDb.backup(to: destinationDb)
                }
            }
            expectEqual(error?.resultCode, .SQLITE_BUSY)
            try destinationDb.execute(sql: "SELECT 1")
        }
    }

    @Test func livingStatementsOfTheDestinationAreNoObstacle() throws {
        let source = try makeSource()
        let destination = try TestDatabases.makeQueue()
        try destination.writeWithoutTransaction { destinationDb in
            let statement = try destinationDb.makeStatement(
                sql: "SELECT COUNT(*) FROM sqlite_master")
            try expectEqual(Int.fetchOne(statement), 0)
            try source.read { try $0.backup(to: destinationDb) }
            try expectEqual(Int.fetchOne(statement), 1)
        }
    }

    /// What was copied is no change of a table. A commit lets observations fetch again.
    @Test func observersOfTheDestinationAreToldOfACommit() throws {
        let source = try makeSource()
        let destination = try TestDatabases.makeQueue()
        let recorder = TransactionRecorder()
        destination.add(transactionObserver: recorder)
        try source.backup(to: destination)
        expectEqual(recorder.lines(), ["willCommit", "didCommit"])
        try destination.write { try $0.execute(sql: "INSERT INTO t(rowid) VALUES (100)") }
        expectEqual(recorder.lines(), ["didChange insert main.t 100", "willCommit", "didCommit"])
    }

    @Test func backupsInOppositeDirectionsDoNotWaitForEachOther() async throws {
        let dbQueue1 = try makeSource()
        let dbQueue2 = try makeSource()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask { try! dbQueue1.backup(to: dbQueue2) }
                group.addTask { try! dbQueue2.backup(to: dbQueue1) }
            }
        }
        try expectEqual(rowCount(dbQueue1), 11)
        try expectEqual(rowCount(dbQueue2), 11)
    }

    @Test func backupMayBeMadeFromAnAccessOfTheSource() throws {
        let source = try makeSource()
        let destination = try TestDatabases.makeQueue()
        try source.read { _ in try source.backup(to: destination) }
        try expectEqual(rowCount(destination), 11)
    }

    // MARK: - Writes of others

    @Test(.disabled(if: TestDatabases.encryptsDatabases, "The pages of an encrypted file are more"))
    func changeOfTheSourceByAnotherConnectionRestartsTheBackup() throws {
        let source = try makeSource(.file)
        let other = try TestDatabases.openQueue(source.path)
        let destination = try TestDatabases.makeQueue()
        var steps: [String] = []
        try source.backup(to: destination, pagesPerStep: 5) { progress in
            steps.append(describe(progress))
            if steps.count == 1 {
                try other.write { try $0.execute(sql: "INSERT INTO t VALUES (zeroblob(4000))") }
            }
        }
        expectEqual(steps.first, "5 + 8 = 13")
        expectEqual(steps.last?.hasSuffix("completed"), true)
        #expect(steps.count > 3)
        try expectEqual(rowCount(destination), 12)
    }
}

extension BackupTests {
    @Test func steppedBackupOfAPoolEndsWhileOthersWrite() throws {
        let dbPool = try TestDatabases.makePool()
        try dbPool.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(a);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 50)
                    INSERT INTO t SELECT zeroblob(4000) FROM n;
                    """)
        }
        let destination = try TestDatabases.makeQueue()
        var stepCount = 0
        try dbPool.backup(to: destination, pagesPerStep: 10) { progress in
            stepCount += 1
            if stepCount > 100 { throw TestError("endless") }
            if !progress.isCompleted {
                try dbPool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
            }
        }
        // What was written in the meantime is not there.
        try expectEqual(
            destination.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }, 50)
    }

    /// A transaction can't be copied before it is committed: the copy is what readers see.
    @Test func backupFromInsideAWrite() throws {
        let dbPool = try TestDatabases.makePool()
        try dbPool.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        for source in [dbPool, AnyDatabaseReader(dbPool)] as [any DatabaseReader] {
            let destination = try TestDatabases.makeQueue()
            try dbPool.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (2)")
                try source.backup(to: destination)
                try db.execute(sql: "DELETE FROM t WHERE a = 2")
            }
            try expectEqual(destination.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }, [1])
        }
    }
}

extension Statement {
    fileprivate func map<Result>(_ transform: (Statement) throws -> Result) rethrows -> Result {
        try transform(self)
    }
}
