import GRDBChanges
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// What observers learn of writes through a blob, for which SQLite calls no update hook.
@Suite(.databases) struct BlobObservationTests {
    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE video (id INTEGER PRIMARY KEY, name TEXT, content BLOB);
                    INSERT INTO video VALUES (1, 'one', x'010203'), (2, 'two', x'0a0b0c');
                    """)
        }
        return writer
    }

    private static func write(
        _ byte: UInt8, at offset: Int = 0, rowID: Int64 = 1, column: String = "content",
        _ db: Database
    ) throws {
        let blob = try db.openBlob(table: "video", column: column, rowID: rowID, mode: .readWrite)
        try blob.write(Data([byte]), at: offset)
    }

    private final class Observer: TransactionObserver {
        let log = Log<String>()
        let kinds = Log<String>()

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
            kinds.append("\(eventKind)")
            return true
        }

        func databaseWillChange(with event: DatabasePreUpdateEvent) {
            let event = event.copy()
            log.append(
                """
                will \(event.kind) \(event.databaseName).\(event.tableName) \
                \(event.initialRowID ?? -1) \(event.finalRowID ?? -1) \
                \(event.initialRow.map { Self.describe($0) } ?? "-") \
                \(event.finalRow.map { Self.describe($0) } ?? "-")
                """)
        }

        private static func describe(_ row: Row) -> String {
            let content = (row["content"] as Data?).map { Array($0) } ?? []
            return "\(row["name"] as String) \(content)"
        }

        func databaseDidChange(with event: DatabaseEvent) {
            log.append(
                "did \(event.kind) \(event.databaseName).\(event.tableName) \(event.rowID)")
        }

        func databaseDidCommit(_ db: Database) { log.append("commit") }
        func databaseDidRollback(_ db: Database) { log.append("rollback") }
    }

    @Test(arguments: DatabaseKind.allCases) func transactionObserver(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let observer = Observer()
        writer.add(transactionObserver: observer)
        try writer.write { try Self.write(0xff, at: 1, $0) }
        expectEqual(
            observer.log.removeAll(),
            [
                "will update main.video 1 1 one [1, 2, 3] one [1, 255, 3]",
                "did update main.video 1", "commit",
            ])
        expectEqual(
            observer.kinds.elements,
            [
                "update(tableName: \"video\", columnNames: Set([\"content\"]))"
            ])
        // Texts, and rows that other statements change afterwards
        try writer.write { db in
            try Self.write(UInt8(ascii: "T"), rowID: 2, column: "name", db)
            try db.execute(sql: "DELETE FROM video WHERE id = 1")
        }
        expectEqual(
            observer.log.removeAll(),
            [
                "will update main.video 2 2 two [10, 11, 12] Two [10, 11, 12]",
                "did update main.video 2",
                "will delete main.video 1 -1 one [1, 255, 3] -",
                "did delete main.video 1", "commit",
            ])
        try? writer.write { db in
            try Self.write(0xff, rowID: 2, db)
            throw TestError()
        }
        expectEqual(observer.log.removeAll().last, "rollback")
    }

    @Test func savepointsHoldChangesBack() throws {
        let writer = try makeWriter(.queue)
        let observer = Observer()
        writer.add(transactionObserver: observer)
        try writer.write { db in
            try db.inSavepoint {
                try Self.write(0xff, db)
                return .rollback
            }
            try db.inSavepoint {
                try Self.write(0xee, db)
                expectEqual(observer.log.elements, [])
                return .commit
            }
        }
        expectEqual(
            observer.log.elements,
            [
                "will update main.video 1 1 one [1, 2, 3] one [238, 2, 3]",
                "did update main.video 1", "commit",
            ])
    }

    @Test(arguments: DatabaseKind.allCases) func valueObservation(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let log = Log<[Data]>()
        let cancellable =
            ValueObservation
            .tracking { db in
                try Table("video").filter(key: 1).select(Column("content"), as: Data.self).fetchAll(
                    db)
            }
            .start(in: writer, scheduling: .async(onQueue: .global())) { error in
                Issue.record(error)
            } onChange: {
                log.append($0)
            }
        log.wait(forCount: 1)
        try writer.write { try Self.write(0xff, $0) }
        expectEqual(log.wait(forCount: 2), [[Data([1, 2, 3])], [Data([0xff, 2, 3])]])
        // Another row, and another column
        try writer.write { try Self.write(0xff, rowID: 2, $0) }
        try writer.write { try Self.write(0x41, column: "name", $0) }
        try writer.write { try Self.write(0xee, $0) }
        expectEqual(log.wait(forCount: 3).last, [Data([0xee, 2, 3])])
        cancellable.cancel()
    }

    @Test(arguments: DatabaseKind.allCases)
    func observationThatReadsBlobs(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let log = Log<Data>()
        let cancellable =
            ValueObservation
            .tracking { db in
                let blob = try db.openBlob(table: "video", column: "content", rowID: 1)
                return try blob.read(count: blob.count, at: 0)
            }
            .start(in: writer, scheduling: .async(onQueue: .global())) { error in
                Issue.record(error)
            } onChange: {
                log.append($0)
            }
        log.wait(forCount: 1)
        try writer.write { try Self.write(0xff, $0) }
        expectEqual(log.wait(forCount: 2).last, Data([0xff, 2, 3]))
        try writer.write { try $0.execute(sql: "UPDATE video SET content = x'99' WHERE id = 1") }
        expectEqual(log.wait(forCount: 3).last, Data([0x99]))
        cancellable.cancel()
    }

    @Test func changeFeed() async throws {
        let writer = try makeWriter(.queue)
        var iterator = DatabaseChangeFeed().transactions(in: writer).makeAsyncIterator()
        // The feed is started when the iterator is made
        try await writer.write { try Self.write(0xff, at: 2, $0) }
        let changes = try await iterator.next()?.changes ?? []
        expectEqual(changes.count, 1)
        expectEqual(changes.first?.kind, .update)
        expectEqual(changes.first?.oldRow?["content"], Data([1, 2, 3]))
        expectEqual(changes.first?.newRow?["content"], Data([1, 2, 0xff]))
    }

    @Test func session() throws {
        let writer = try makeWriter(.queue)
        let other = try makeWriter(.queue)
        let changeset = try writer.write { db in
            let session = try db.makeSession()
            try session.attachAllTables()
            try Self.write(0xff, at: 2, db)
            return try session.changeset()
        }
        try other.write { db in
            try db.apply(changeset)
            try expectEqual(
                Data.fetchOne(db, sql: "SELECT content FROM video WHERE id = 1"),
                Data([1, 2, 0xff]))
        }
    }

    @Test func unobservedWritesCallNoObserver() throws {
        let writer = try makeWriter(.queue)
        final class Uninterested: TransactionObserver {
            let log = Log<String>()
            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
            func databaseDidChange(with event: DatabaseEvent) { log.append("did") }
            func databaseDidCommit(_ db: Database) { log.append("commit") }
            func databaseDidRollback(_ db: Database) {}
        }
        let observer = Uninterested()
        writer.add(transactionObserver: observer)
        try writer.write { try Self.write(0xff, $0) }
        expectEqual(observer.log.elements, ["commit"])
    }
}
