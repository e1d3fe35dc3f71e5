import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Keys that no row can have.
@Suite(.databases) struct KeyMismatchTests {
    private struct Message: Codable, FetchableRecord, PersistableRecord, Identifiable {
        var id: UUID
        var text: String
    }

    private let mismatch = """
        SQLite error 20: The key is a blob, such as a UUID, but the primary key of the table 'message' is the \
        integer 'rowNumber'
        """

    /// The record has a key of its own, and the table another one.
    private func makeWriter(_ kind: DatabaseKind) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.create(table: "message") { t in
                t.primaryKey("rowNumber", .integer)
                t.column("id", .blob).notNull().unique()
                t.column("text", .text).notNull()
            }
        }
        return writer
    }

    @Test(arguments: DatabaseKind.allCases)
    func blobIsNoIntegerKey(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let message = Message(id: UUID(), text: "hello")
        let id = message.id
        try writer.write { db throws in
            try message.insert(db)
            // The second time, with a statement that is kept.
            for _ in 0..<3 { expectError(mismatch) { try Message.fetchOne(db, id: id) } }
            expectError(mismatch) { try Message.find(db, id: id) }
            expectError(mismatch) { try Message.exists(db, id: id) }
            expectError(mismatch) { try Message.deleteOne(db, id: id) }
            expectError(mismatch) { try Message.fetchAll(db, ids: [id]) }
            expectError(mismatch) { try Message.filter(id: id).fetchCount(db) }
            // A query of the same shape does not skip the check.
            expectEqual(try Message.filter(key: 7).fetchCount(db), 0)
            expectError(mismatch) { try Message.filter(key: id).fetchCount(db) }
            expectEqual(try Message.filter(key: 7).deleteAll(db), 0)
            expectError(mismatch) { try Message.filter(key: id).deleteAll(db) }
            expectError(mismatch) { try Message.deleteAll(db, keys: [Data([1])]) }
            expectEqual(try Message.fetchOne(db, key: ["id": id])?.id, id)
            expectEqual(try Message.fetchCount(db), 1)
        }
        // Outside of a transaction, where the plans of the record are verified later.
        writer.writeWithoutTransaction { db in
            for _ in 0..<2 { expectError(mismatch) { try Message.fetchOne(db, id: id) } }
        }
        writer.unsafeReentrantWrite { db in
            for _ in 0..<2 { expectError(mismatch) { try Message.exists(db, id: id) } }
        }
    }

    /// A text is compared as a number, which may be there.
    @Test func otherKeysMayBeMissing() throws {
        try makeWriter(.queue).write { db in
            try Message(id: UUID(), text: "hello").insert(db)
            expectEqual(try Message.fetchOne(db, key: "1")?.text, "hello")
            for key in ["2", "abc"] {
                expectEqual(try Message.fetchOne(db, key: key)?.text, nil)
                expectEqual(try Message.fetchAll(db, keys: [key]).count, 0)
                expectEqual(try Message.exists(db, key: key), false)
                expectEqual(try Message.deleteOne(db, key: key), false)
            }
            expectEqual(try Message.fetchOne(db, key: 1.5)?.text, nil)
            expectEqual(try Message.fetchAll(db, keys: [UUID]()).count, 0)
        }
    }

    /// A column of another type may contain a blob, unless the table is strict.
    @Test func columnsMayContainBlobs() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE message(id INT PRIMARY KEY, text)")
            let message = Message(id: UUID(), text: "hello")
            try message.insert(db)
            for _ in 0..<2 { expectEqual(try Message.find(db, id: message.id).text, "hello") }
        }
    }

    /// A table without a declared key has the rowid, which is an integer.
    @Test func hiddenRowIDIsNoBlob() throws {
        try TestDatabases.makeQueue().write { db throws in
            try db.execute(sql: "CREATE TABLE message(id BLOB UNIQUE, text)")
            let text = """
                SQLite error 20: The key is a blob, such as a UUID, but the primary key of the table \
                'message' is the integer 'rowid'
                """
            expectError(text) { try Message.fetchOne(db, id: UUID()) }
        }
    }
}
