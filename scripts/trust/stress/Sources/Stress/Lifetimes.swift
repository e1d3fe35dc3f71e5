import Dispatch
import Foundation
import GRDB

/// What is handed from one thread to another, against the rules, in order to be freed there.
struct Smuggled<Value>: @unchecked Sendable {
    var value: Value
}

/// Statements, cursors, rows and connections that outlive their access, and are freed on other
/// threads, while connections are interrupted and closed.
func lifetimes(seconds: Int) throws {
    try withFolder { folder in
        let rounds = Counter()
        let closed = Counter()
        let busy = Counter()
        let interrupted = Counter()

        @Sendable func round(_ index: Int) throws {
            let writer: any DatabaseWriter =
                index % 3 == 0
                ? try DatabaseQueue()
                : try DatabasePool(path: folder + "/\(index).sqlite")
            try writer.write { db in
                try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")
            }
            let group = DispatchGroup()
            let queue = DispatchQueue.global()

            /// Does what may fail in the known ways.
            @Sendable func attempt(_ body: () throws -> Void) {
                do {
                    try body()
                } catch let error as DatabaseError {
                    switch error.resultCode {
                    case .SQLITE_INTERRUPT, .SQLITE_ABORT: interrupted.add()
                    case .SQLITE_MISUSE: closed.add()
                    case .SQLITE_BUSY: busy.add()
                    default: failures.append("\(error)")
                    }
                } catch {
                    failures.append("\(error)")
                }
            }

            for kind in 0..<6 {
                group.enter()
                Thread.detachNewThread {
                    for _ in 0..<5 {
                        attempt {
                            switch kind {
                            case 0:
                                let statement = try writer.read { db in
                                    Smuggled(value: try db.makeStatement(sql: "SELECT * FROM t"))
                                }
                                queue.async(group: group) { withExtendedLifetime(statement) {} }
                            case 1:
                                let cursor = try writer.unsafeRead { db in
                                    let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM t")
                                    let row = try cursor.next()
                                    return Smuggled(value: (cursor, row))
                                }
                                queue.async(group: group) { withExtendedLifetime(cursor) {} }
                            case 2:
                                let rows = try writer.read { db in
                                    Smuggled(value: try Row.fetchAll(db, sql: "SELECT * FROM t"))
                                }
                                queue.async(group: group) {
                                    expect(rows.value.count == 3, "\(rows.value.count) rows")
                                }
                            case 3:
                                let statement = try writer.write { db in
                                    try db.execute(sql: "UPDATE t SET a = a + 1")
                                    return Smuggled(
                                        value: try db.cachedStatement(
                                            sql: "INSERT INTO t VALUES (1)"))
                                }
                                queue.async(group: group) { withExtendedLifetime(statement) {} }
                            case 4:
                                usleep(UInt32.random(in: 0..<300))
                                writer.interrupt()
                            default:
                                if let dbPool = writer as? DatabasePool {
                                    let snapshot = try dbPool.makeSnapshot()
                                    let pool = try dbPool.makeSnapshotPool()
                                    queue.async(group: group) {
                                        attempt {
                                            try pool.read {
                                                _ = try Row.fetchAll($0, sql: "SELECT * FROM t")
                                            }
                                            withExtendedLifetime(snapshot) {}
                                        }
                                    }
                                    dbPool.releaseMemoryEventually()
                                } else {
                                    try writer.backup(to: DatabaseQueue())
                                }
                            }
                        }
                    }
                    group.leave()
                }
            }
            group.enter()
            Thread.detachNewThread {
                usleep(UInt32.random(in: 0..<2000))
                attempt { try writer.close() }
                group.leave()
            }
            group.wait()
            rounds.add()
            if let path = (writer as? DatabasePool)?.path {
                for suffix in ["", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: path + suffix)
                }
            }
        }

        let next = Counter()
        let worker: @Sendable (() -> Bool) -> Void = { isOver in
            while !isOver() {
                next.add()
                do { try round(next.value) } catch { failures.append("\(error)") }
            }
        }
        runThreads(seconds: Double(seconds), [worker])
        print(
            """
            lifetimes, \(seconds) s: \(rounds.value) connections, \(interrupted.value) interrupted, \
            \(closed.value) closed, \(busy.value) busy, \(failures.count) failures
            """)
    }
}
