import Foundation
import GRDB
import GRDBChanges
import GRDBSQLite

// Changes that are recorded, and applied elsewhere.

func sessionWorkloads() -> [Workload] {
    let count = 100_000
    let table = "CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER)"
    let fill = """
        INSERT INTO player WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n \
        WHERE i < \(count - 1)) SELECT i, 'The name of player ' || i, 0 FROM n
        """
    let update = "UPDATE player SET score = ? WHERE id = ?"
    var round = 1

    func makeRaw() -> RawDatabase {
        let memory = RawDatabase(path: ":memory:")
        memory.execute(table)
        memory.execute(fill)
        return memory
    }

    func makeQueue() -> DatabaseQueue {
        let queue = try! DatabaseQueue()
        try! queue.write { try $0.execute(sql: table + ";" + fill) }
        return queue
    }

    /// Updates all rows, and returns the changeset, which `sqlite3_free()` frees.
    func record(_ memory: RawDatabase) -> UnsafeMutableRawBufferPointer {
        var session: OpaquePointer?
        memory.execute("BEGIN IMMEDIATE")
        precondition(sqlite3session_create(memory.handle, "main", &session) == SQLITE_OK)
        sqlite3session_attach(session, nil)
        let s = memory.prepare(update)
        for i in 0..<count {
            sqlite3_bind_int64(s, 1, Int64(i + round))
            sqlite3_bind_int64(s, 2, Int64(i))
            precondition(sqlite3_step(s) == SQLITE_DONE)
            sqlite3_reset(s)
        }
        sqlite3_finalize(s)
        var length: CInt = 0
        var start: UnsafeMutableRawPointer?
        precondition(sqlite3session_changeset(session, &length, &start) == SQLITE_OK)
        sqlite3session_delete(session)
        memory.execute("COMMIT")
        return UnsafeMutableRawBufferPointer(start: start, count: Int(length))
    }

    func record(_ queue: DatabaseQueue) throws -> Changeset {
        try queue.write { db in
            let session = try db.makeSession()
            try session.attachAllTables()
            let statement = try db.makeStatement(sql: update)
            for i in 0..<count {
                try statement.execute(values: i + round, i)
            }
            return try session.changeset()
        }
    }

    // Made by the first workload that needs them: most runs are about others.
    lazy var recording = makeRaw()
    lazy var recordingQueue = makeQueue()
    lazy var applying = makeRaw()
    lazy var applyingQueue = makeQueue()
    lazy var bytes = record(makeRaw())
    lazy var changeset = try! record(makeQueue())

    return [
        Workload(name: "100k updates recorded by a session", count: count) {
            round += 1
            let bytes = record(recording)
            defer { sqlite3_free(bytes.baseAddress) }
            return bytes.count
        } library: {
            round += 1
            return try record(recordingQueue).data.count
        },
        // The second call undoes the first one.
        Workload(name: "100k changes of a changeset applied, and undone", count: 2 * count) {
            for flags in [0, SQLITE_CHANGESETAPPLY_INVERT] {
                applying.execute("BEGIN IMMEDIATE")
                precondition(
                    sqlite3changeset_apply_v2(
                        applying.handle, CInt(bytes.count), bytes.baseAddress, nil,
                        { _, _, _ in SQLITE_CHANGESET_ABORT }, nil, nil, nil, flags) == SQLITE_OK)
                applying.execute("COMMIT")
            }
            return count
        } library: {
            var applied = 0
            for options in [ChangesetApplyOptions(), .inverted] {
                applied = try applyingQueue.write { db in
                    try db.apply(changeset, options: options).appliedCount
                }
            }
            return applied
        },
    ]
}
