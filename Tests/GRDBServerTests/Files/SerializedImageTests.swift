import Foundation
import GRDB
import GRDBServer
import GRDBTestSupport
import Testing

@Suite(.databases) struct SerializedImageTests {
    private func fill(_ db: Database) throws {
        try db.execute(sql: "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)")
        for index in 1...100 {
            try db.execute(
                sql: "INSERT INTO t VALUES (?, ?)",
                arguments: [index, String(repeating: "\(index) ", count: 100)])
        }
    }

    private func count(_ reader: some DatabaseReader) throws -> Int? {
        try reader.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
    }

    private func open(
        _ data: Data, maximumSize: Int? = nil, readonly: Bool = false
    ) throws -> DatabaseQueue {
        var configuration = TestDatabases.makeConfiguration()
        configuration.readonly = readonly
        return try DatabaseQueue(
            serialized: data, maximumSize: maximumSize, configuration: configuration)
    }

    // MARK: - Serializing

    @Test(arguments: [DatabaseStorage.memory, .file], [false, true])
    func roundTrip(storage: DatabaseStorage, readonly: Bool) throws {
        let dbQueue = try TestDatabases.makeQueue(storage)
        try dbQueue.write(fill)
        let data = try dbQueue.read { try $0.serialized() }
        expectEqual(data.count % 4096, 0)
        let copy = try open(data, readonly: readonly)
        try expectEqual(count(copy), 100)
        try expectEqual(copy.read { try $0.serialized() }, data)
    }

    @Test(
        .disabled(
            if: TestDatabases.encryptsDatabases, "Compares an image with the bytes of the file"))
    func fileIsTheImage() throws {
        let path = TestDatabases.makePath()
        let dbQueue = try TestDatabases.openQueue(path)
        try dbQueue.write(fill)
        let data = try dbQueue.read { try $0.serialized() }
        try expectEqual(Data(contentsOf: URL(fileURLWithPath: path)), data)
        let otherPath = TestDatabases.makePath()
        try data.write(to: URL(fileURLWithPath: otherPath))
        try expectEqual(count(TestDatabases.openQueue(otherPath)), 100)
    }

    @Test(
        .disabled(
            if: TestDatabases.encryptsDatabases, "Compares an image with the bytes of the file"),
        arguments: [false, true]) func poolIsSerialized(readonly: Bool) throws
    {
        let pool = try TestDatabases.makePool()
        try pool.write(fill)
        // The changes are in the WAL file.
        let data = try pool.read { try $0.serialized() }
        // In memory, there is no WAL mode.
        let copy = try open(data, readonly: readonly)
        try expectEqual(count(copy), 100)
        try expectTrue(copy.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } != "wal")
        try expectEqual(pool.write { try $0.serialized() }, data)
    }

    @Test(arguments: [DatabaseStorage.memory, .file])
    func transactionIsSerialized(storage: DatabaseStorage) throws {
        let dbQueue = try TestDatabases.makeQueue(storage)
        try dbQueue.write(fill)
        // Also of a database that was opened from an image
        for queue in [dbQueue, try open(dbQueue.read { try $0.serialized() })] {
            let data = try queue.write { db in
                try db.execute(sql: "DELETE FROM t WHERE a > 10")
                return try db.serialized()
            }
            try expectEqual(count(open(data)), 10)
            let bytes = try queue.write { db in
                try db.execute(sql: "DELETE FROM t WHERE a > 5")
                return try db.withSerializedBytes { Data($0) }
            }
            try expectEqual(count(open(bytes)), 5)
        }
    }

    @Test(arguments: [false, true]) func emptyDatabase(readonly: Bool) throws {
        let dbQueue = try TestDatabases.makeQueue()
        let data = try dbQueue.read { try $0.serialized() }
        expectTrue(data.isEmpty)
        let copy = try open(data, readonly: readonly)
        try expectTrue(copy.read { try $0.schemaObjects(ofType: .table).isEmpty })
        if !readonly {
            try copy.write(fill)
            try expectEqual(count(copy), 100)
        }
    }

    @Test func otherSchemas() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    ATTACH DATABASE ':memory:' AS other;
                    CREATE TABLE other.t (a); INSERT INTO other.t VALUES (1), (2);
                    """)
            try expectEqual(count(open(db.serialized(schema: "other"))), 2)
            try expectTrue(db.serialized(schema: "temp").isEmpty)
            try db.execute(sql: "CREATE TEMPORARY TABLE t (a); INSERT INTO temp.t VALUES (1)")
            try expectEqual(count(open(db.serialized(schema: "temp"))), 1)
            expectError("SQLite error 1: no such schema: missing") {
                try db.serialized(schema: "missing")
            }
        }
    }

    @Test func bytesAreNotCopied() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write(fill)
        let data = try dbQueue.read { try $0.serialized() }
        let copy = try open(data)
        try copy.read { db in
            let address = try db.withSerializedBytes { UInt(bitPattern: $0.baseAddress) }
            let other = try db.withSerializedBytes { UInt(bitPattern: $0.baseAddress) }
            expectEqual(address, other)
            try db.withSerializedBytes { expectEqual(data, Data($0)) }
            expectError(TestError()) {
                try db.withSerializedBytes { _ throws(any Error) -> Void in throw TestError() }
            }
        }
        try copy.writeWithoutTransaction { db -> Void in
            try db.withSerializedBytes { _ -> Void in
                _ = expectError(DatabaseError.self) { try db.execute(sql: "DELETE FROM t") }
            }
        }
        // Read in place
        let readonly = try open(data, readonly: true)
        try readonly.read { db in
            try db.withSerializedBytes { bytes in
                data.withUnsafeBytes { expectEqual(bytes.baseAddress, $0.baseAddress) }
            }
        }
    }

    // MARK: - Opening

    @Test func imageGrowsAndKeepsItsSource() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write(fill)
        let data = try dbQueue.read { try $0.serialized() }
        let copy = try open(data)
        try copy.write { db in
            try db.execute(
                sql: "INSERT INTO t VALUES (1000, ?)", arguments: [Data(count: 1_000_000)])
        }
        try expectEqual(count(copy), 101)
        try expectTrue(copy.read { try $0.serialized().count } > data.count + 990_000)
        try expectEqual(count(dbQueue), 100)
        try expectEqual(count(open(data)), 100)
    }

    @Test func imageGrowsUpToItsLimit() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write(fill)
        let data = try dbQueue.read { try $0.serialized() }
        let copy = try open(data, maximumSize: data.count + 100_000)
        try copy.write { db in
            try db.execute(sql: "INSERT INTO t VALUES (1000, zeroblob(50000))")
        }
        let error = expectError(DatabaseError.self) {
            try copy.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (1001, zeroblob(100000))")
                try db.execute(sql: "INSERT INTO t VALUES (1002, zeroblob(100000))")
            }
        }
        expectEqual(error?.resultCode, .SQLITE_FULL)
        try expectEqual(count(copy), 101)
    }

    @Test func readOnlyImageIsNotChanged() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write(fill)
        var data = try dbQueue.read { try $0.serialized() }
        let copy = try open(data, readonly: true)
        let error = expectError(DatabaseError.self) {
            try copy.writeWithoutTransaction { try $0.execute(sql: "DELETE FROM t") }
        }
        expectEqual(error?.resultCode, .SQLITE_READONLY)
        // The bytes belong to the connection now.
        data = Data()
        try expectEqual(count(copy), 100)
        try copy.close()
        _ = data
    }

    @Test(arguments: [false, true]) func truncatedImages(readonly: Bool) throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write(fill)
        let data = try dbQueue.read { try $0.serialized() }
        for count in [16, 99, 100, 512, 4095, 4096, data.count - 4096, data.count - 1] {
            let error = expectError(DatabaseError.self) {
                try open(data.prefix(count), readonly: readonly)
            }
            expectEqual(error?.resultCode, .SQLITE_CORRUPT, "\(count)")
        }
        expectError(
            "SQLite error 11: The database is truncated: there are 4096 bytes, of \(data.count)"
        ) {
            try open(data.prefix(4096), readonly: readonly)
        }
        // A slice, whose indexes don't begin at 0
        try expectEqual(count(open((Data([1]) + data).dropFirst(), readonly: readonly)), 100)
    }

    @Test func foreignImages() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write(fill)
        let data = try dbQueue.read { try $0.serialized() }
        var badPageSize = data
        badPageSize[16] = 3
        let images = [
            Data([0]), Data("Hello".utf8), Data(count: 8192), Data(repeating: 0xff, count: 4096),
            badPageSize,
        ]
        for image in images {
            expectError("SQLite error 26: The bytes are not those of a database") {
                try open(image)
            }
        }
        // The schema is read at once.
        var badSchema = data
        badSchema.replaceSubrange(100..<300, with: Data(repeating: 0xff, count: 200))
        let error = expectError(DatabaseError.self) { try open(badSchema) }
        expectEqual(error?.resultCode, .SQLITE_CORRUPT)
    }

    /// No image crashes, whatever its bytes are.
    @Test func mutatedImages() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write(fill)
        let data = try dbQueue.read { try $0.serialized() }
        var generator = SplitMix64(seed: 26)
        for _ in 1...200 {
            var image = data
            for _ in 1...4 {
                let index = Int.random(
                    in: 0..<(Bool.random(using: &generator) ? 200 : image.count), using: &generator)
                image[index] = .random(in: 0...255, using: &generator)
            }
            let copy = try? open(image, readonly: .random(using: &generator))
            _ = try? copy?.read { try Row.fetchAll($0, sql: "SELECT * FROM t") }
        }
    }

    // MARK: - Copies

    @Test(.disabled(if: TestDatabases.encryptsDatabases, "Writes an image that is not encrypted"))
    func schemaIsCopied() throws {
        let dbQueue = try TestDatabases.makeQueue()
        let path = TestDatabases.makePath()
        try dbQueue.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH DATABASE ':memory:' AS other")
            try db.execute(sql: "CREATE TABLE other.t (a, b)")
            for index in 1...100 {
                try db.execute(
                    sql: "INSERT INTO other.t VALUES (?, zeroblob(1000))", arguments: [index])
            }
            let log = Log<DatabaseBackupProgress>()
            try db.copy(schema: "other", to: path, pagesPerStep: 5) { log.append($0) }
            #expect(log.elements.count > 3)
            expectEqual(log.elements.last?.isCompleted, true)
            expectEqual(log.elements.first?.completedPageCount, 5)
            expectError("SQLite error 1: unknown database missing") {
                try db.copy(schema: "missing", to: TestDatabases.makePath())
            }
        }
        try expectEqual(count(TestDatabases.openQueue(path)), 100)

        let destination = try TestDatabases.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            try destination.writeWithoutTransaction { destinationDb in
                expectError(TestError()) {
                    try db.copy(schema: "other", to: destinationDb, pagesPerStep: 1) { _ in
                        throw TestError()
                    }
                }
                try expectTrue(!destinationDb.tableExists("t"))
                try db.copy(schema: "other", to: destinationDb)
                try expectTrue(destinationDb.tableExists("t"))
            }
        }
        try expectEqual(count(destination), 100)
    }
}
