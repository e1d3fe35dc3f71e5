@testable import GRDBChanges
import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

/// How long sessions live, and where their changesets go.
@Suite(.databases) struct SessionLifetimeTests {
    private let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { try $0.createSessionTables() }
    }

    // MARK: - Lifetime

    @Test func sessionOutlivesItsAccess() throws {
        let box = try dbQueue.write { db in
            let session = try db.makeSession()
            try session.attachAllTables()
            return SessionBox(session)
        }
        try dbQueue.write { try $0.execute(sql: "DELETE FROM w") }
        try dbQueue.write { _ throws in
            try expectEqual(box.value?.changeset().changeCount, 1)
        }
        expectError("SQLite error 21: Database was not used on the correct thread.") {
            try box.value?.changeset()
        }
        expectError("SQLite error 21: Database was not used on the correct thread.") {
            try box.value?.attach("t")
        }
        expectError("SQLite error 21: Database was not used on the correct thread.") {
            try box.value?.setEnabled(false)
        }
    }

    @Test func sessionMayBeFreedOnAnotherThread() async throws {
        for _ in 0..<20 {
            let box = try await dbQueue.write { db in
                let session = try db.makeSession()
                try session.attachTables { $0 == "t" }
                try db.execute(sql: "UPDATE t SET b = random()")
                return SessionBox(session)
            }
            async let write: Void = dbQueue.write {
                try $0.execute(sql: "UPDATE t SET b = random()")
            }
            await Task.detached { box.value = nil }.value
            try await write
        }
        try await dbQueue.write { db in
            expectTrue(db.raw.sessions.isEmpty)
        }
    }

    @Test(arguments: DatabaseKind.allCases) func closingEndsSessions(kind: DatabaseKind) throws {
        let writer = try TestDatabases.makeWriter(kind)
        let box = try writer.write { db in
            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)")
            let session = try db.makeSession()
            try session.attachTables { _ in true }
            try db.execute(sql: "INSERT INTO t VALUES (1)")
            return SessionBox(session)
        }
        try writer.close()
        expectError(DatabaseError.self) { try box.value?.changeset() }
        box.value = nil
    }

    @Test func sessionGoesOnWhenClosingFails() throws {
        let (box, statement) = try dbQueue.write { db in
            let session = try db.makeSession()
            try session.attachAllTables()
            return (SessionBox(session), SessionBox(try db.makeStatement(sql: "SELECT 1")))
        }
        expectCode(.SQLITE_BUSY) { try dbQueue.close() }
        try dbQueue.write { db in
            try db.execute(sql: "DELETE FROM w")
            try expectEqual(box.value?.changeset().changeCount, 1)
        }
        statement.value = nil
        try dbQueue.close()
    }

    @Test func connectionMayGoFirst() throws {
        var queue: DatabaseQueue? = try TestDatabases.makeQueue()
        let box = try queue!.write { db in
            let session = try db.makeSession()
            try session.attachAllTables()
            return SessionBox(session)
        }
        queue = nil
        expectError(DatabaseError.self) { try box.value?.changeset() }
        box.value = nil
    }

    // MARK: - Output

    /// SQLite ends a piece after a change, but does not promise it.
    @Test func changesAreNormalizedInAnyPieces() throws {
        try dbQueue.write { db in
            let session = try db.makeSession()
            try session.attachAllTables()
            try db.execute(sql: "INSERT INTO t VALUES (10, 'a', NULL), (11, 'b', 5)")
            for data in try [session.changeset().data, session.patchset().data] {
                for count in 1...data.count {
                    let normalizer = ChangesetNormalizer()
                    var result = Data()
                    for start in stride(from: 0, to: data.count, by: count) {
                        let piece = data[start..<min(start + count, data.count)]
                        try piece.withUnsafeBytes { bytes in
                            try normalizer.normalize(bytes) { result.append(contentsOf: $0) }
                        }
                    }
                    try normalizer.finish()
                    expectEqual(result, data)
                }
                let normalizer = ChangesetNormalizer()
                try data.dropLast().withUnsafeBytes { try normalizer.normalize($0) { _ in } }
                expectError(DatabaseError.self) { try normalizer.finish() }
            }
        }
    }

    @Test func changesetsAreWrittenInPieces() throws {
        try dbQueue.write { db in
            let session = try db.makeSession()
            try session.attachAllTables()
            for index in 10..<2000 {
                try db.execute(
                    sql: "INSERT INTO t VALUES (?, ?, NULL)",
                    arguments: [index, String(repeating: "x", count: index)])
            }
            let changeset = try session.changeset()
            var pieces: [Data] = []
            try session.writeChangeset { pieces.append(Data($0)) }
            #expect(pieces.count > 10)
            expectEqual(pieces.reduce(Data(), +), changeset.data)
            pieces = []
            try session.writePatchset { pieces.append(Data($0)) }
            try expectEqual(pieces.reduce(Data(), +), session.patchset().data)

            let url = URL(fileURLWithPath: TestDatabases.makePath("changes"))
            try session.writeChangeset(to: url)
            try expectEqual(Data(contentsOf: url), changeset.data)
            try session.writePatchset(to: url)
            try expectEqual(Data(contentsOf: url), session.patchset().data)

            // An error leaves the file as it is.
            struct Full: Error {}
            expectError(Full.self) {
                try session.writeChangeset { _ in throw Full() }
            }
            expectError(Full.self) {
                try ChangesetFile.write(to: url) { write in
                    try session.writeChangeset { bytes in
                        try write(bytes)
                        throw Full()
                    }
                }
            }
            try expectEqual(Data(contentsOf: url), session.patchset().data)
            try expectEqual(
                FileManager.default.contentsOfDirectory(
                    atPath: url.deletingLastPathComponent().path),
                [url.lastPathComponent])
            expectError((any Error).self) {
                try session.writeChangeset(to: URL(fileURLWithPath: "/nowhere/at/all"))
            }
            expectCode(.SQLITE_READONLY) {
                try session.writeChangeset { _ in try db.execute(sql: "DELETE FROM w") }
            }
        }
    }

    @Test func sessionsOfReadersCompareTables() throws {
        let pool = try TestDatabases.makePool()
        try pool.write { try $0.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY)") }
        try pool.read { db in
            let session = try db.makeSession()
            try session.attachAllTables()
            try expectTrue(session.changeset().isEmpty)
        }
    }
}
