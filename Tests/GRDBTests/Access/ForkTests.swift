import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Processes that fork while connections are open.
@Suite(.databases) struct ForkTests {
    /// A forked process.
    private enum Child {
        typealias Fork = @convention(c) () -> pid_t

        /// Not by its name, which Swift does not let through.
        static let fork = unsafeBitCast(dlsym(dlopen(nil, RTLD_NOW), "fork")!, to: Fork.self)

        static func start(_ body: () throws -> Bool) -> pid_t {
            let pid = fork()
            if pid == 0 {
                let isExpected = (try? body()) ?? false
                _exit(isExpected ? 0 : 1)
            }
            return pid
        }

        static func status(of pid: pid_t) -> CInt {
            var status: CInt = 0
            waitpid(pid, &status, 0)
            return status
        }

        static func isRefused(_ body: () throws -> Void) -> Bool {
            do {
                try body()
                return false
            } catch {
                return "\(error)".hasPrefix(
                    """
                    SQLite error 21: A database connection can't be used after a fork: open another \
                    one in the child
                    """)
            }
        }
    }

    /// A child would write without the locks that it thinks it has.
    @Test func forkedChildrenCanNotUseTheConnection() async {
        await #expect(processExitsWith: .success) {
            let path = NSTemporaryDirectory() + "fork-\(UUID().uuidString).sqlite"
            defer { try? FileManager.default.removeItem(atPath: path) }
            let dbQueue = try DatabaseQueue(path: path)
            try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
            let outside = Child.start {
                guard
                    Child.isRefused({
                        try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
                    }),
                    Child.isRefused({
                        _ = try dbQueue.read { try Int.fetchOne($0, sql: "SELECT 1") }
                    }),
                    Child.isRefused({ try dbQueue.close() })
                else { return false }
                // One of its own is as good as any.
                let own = try DatabaseQueue(path: path)
                try own.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
                try own.close()
                return true
            }
            precondition(Child.status(of: outside) == 0)
            try dbQueue.write { db in
                try db.execute(sql: "INSERT INTO t VALUES (3)")
                let inside = Child.start {
                    Child.isRefused { try db.execute(sql: "INSERT INTO t VALUES (4)") }
                }
                precondition(Child.status(of: inside) == 0)
            }
            let values = try dbQueue.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
            precondition(values == [2, 3])
        }
    }

    /// Neither the connections that the pool has, nor those that it would open, can be used.
    @Test func forkedChildrenCanNotUseThePool() async {
        await #expect(processExitsWith: .success) {
            let path = NSTemporaryDirectory() + "fork-\(UUID().uuidString).sqlite"
            defer {
                for suffix in ["", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: path + suffix)
                }
            }
            let pool = try DatabasePool(path: path)
            try pool.write { try $0.execute(sql: "CREATE TABLE t(a)") }
            for hasReader in [false, true] {
                if hasReader { try pool.read { _ in } }
                let refusals: [() throws -> Void] = [
                    { try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") } },
                    { try pool.writeWithoutTransaction { try $0.execute(sql: "BEGIN") } },
                    { _ = try pool.read { try Int.fetchOne($0, sql: "SELECT 1") } },
                    { _ = try pool.unsafeRead { try Int.fetchOne($0, sql: "SELECT 1") } },
                    { _ = try pool.makeSnapshot() },
                    { _ = try pool.makeSnapshotPool() },
                    { try pool.close() },
                ]
                for (index, refusal) in refusals.enumerated() {
                    let child = Child.start { Child.isRefused(refusal) }
                    precondition(Child.status(of: child) == 0, "\(hasReader) \(index)")
                }
            }
            let snapshot = try pool.makeSnapshot()
            let child = Child.start {
                Child.isRefused { _ = try snapshot.read { try Int.fetchOne($0, sql: "SELECT 1") } }
            }
            precondition(Child.status(of: child) == 0)
            try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
            let values = try pool.read { try Int.fetchAll($0, sql: "SELECT a FROM t") }
            precondition(values == [3])
        }
    }

    /// A child that opens the database has locks of its own: its parent, which closes, must not think
    /// that nobody is left, and remove the WAL file that the child writes.
    @Test func childrenHaveTheirOwnLocks() async {
        await #expect(processExitsWith: .success) {
            let path = NSTemporaryDirectory() + "fork-\(UUID().uuidString).sqlite"
            defer {
                for suffix in ["", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: path + suffix)
                }
            }
            func makePipe() -> [CInt] {
                var ends: [CInt] = [0, 0]
                precondition(pipe(&ends) == 0)
                return ends
            }
            func signal(_ pipe: [CInt]) {
                var byte: UInt8 = 1
                precondition(write(pipe[1], &byte, 1) == 1)
            }
            func wait(_ pipe: [CInt]) {
                var byte: UInt8 = 0
                precondition(read(pipe[0], &byte, 1) == 1)
            }
            let (hasOpened, hasClosed) = (makePipe(), makePipe())
            let pool = try DatabasePool(path: path)
            try pool.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
            try pool.read { _ in }
            let child = Child.start {
                let own = try DatabasePool(path: path)
                try own.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
                signal(hasOpened)
                wait(hasClosed)
                try own.write { try $0.execute(sql: "INSERT INTO t VALUES (3)") }
                try own.close()
                return true
            }
            wait(hasOpened)
            try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (4)") }
            try pool.close()
            signal(hasClosed)
            precondition(Child.status(of: child) == 0)
            let values = try DatabaseQueue(path: path).read {
                try Int.fetchAll($0, sql: "SELECT a FROM t")
            }
            precondition(values == [1, 2, 4, 3], "\(values)")
        }
    }
}
