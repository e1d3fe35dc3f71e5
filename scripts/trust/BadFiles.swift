import Foundation
import GRDB
import GRDBQueries
import GRDBServer

func addFiles(_ add: AddBadCase) {
    func openings(_ name: String, _ expected: String, _ prepare: @escaping () throws -> String) {
        for kind in ["queue", "pool", "read-only queue"] {
            add("files", "\(name): \(kind)", expected) {
                let path = try prepare()
                defer { chmod(inputFolder.path, 0o700) }
                do {
                    var configuration = Configuration()
                    configuration.readonly = kind == "read-only queue"
                    let writer: any DatabaseWriter =
                        kind == "pool"
                        ? try DatabasePool(path: path)
                        : try DatabaseQueue(path: path, configuration: configuration)
                    let tables = try writer.read {
                        try String.fetchAll($0, sql: "SELECT name FROM sqlite_schema")
                    }
                    if kind != "read-only queue" {
                        try writer.write { try $0.execute(sql: "CREATE TABLE IF NOT EXISTS w(a)") }
                    }
                    try writer.close()
                    return "opens, \(tables.count) tables"
                } catch let error as DatabaseError {
                    return "DatabaseError \(error.extendedResultCode.rawValue)"
                }
            }
        }
    }
    func made(_ name: String, _ bytes: Data) throws -> String {
        try bytes.write(to: URL(fileURLWithPath: path(name)))
        return path(name)
    }
    func database(_ name: String) throws -> String {
        let queue = try DatabaseQueue(path: path(name))
        try queue.write { try $0.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)") }
        try queue.close()
        return path(name)
    }
    openings("a folder", "DatabaseError 14") { inputFolder.path }
    openings("an empty file", "opens") { try made("empty", Data()) }
    openings("a path without a folder", "DatabaseError 14") { path("none/none") }
    openings("an empty path", "opens a temporary database, or DatabaseError") { "" }
    openings("a text file", "DatabaseError 26") {
        try made("text", Data(String(repeating: "no database ", count: 100).utf8))
    }
    openings("one byte", "DatabaseError 26, or opens") { try made("one", Data([1])) }
    openings("half a header", "DatabaseError 26") {
        try made("half", Data("SQLite format 3\0\u{10}".utf8))
    }
    openings("a cut database", "DatabaseError 11") {
        let whole = try Data(contentsOf: URL(fileURLWithPath: database("whole")))
        return try made("cut", whole.prefix(5000))
    }
    openings("a header and garbage", "DatabaseError 11 or 26") {
        let whole = try Data(contentsOf: URL(fileURLWithPath: database("whole2")))
        return try made("garbage", whole.prefix(100) + Data(repeating: 0xa5, count: 8000))
    }
    openings("a symlink to itself", "DatabaseError") {
        symlink(path("loop"), path("loop"))
        return path("loop")
    }
    openings("a symlink to a database", "opens") {
        let target = try database("target")
        symlink(target, path("link"))
        return path("link")
    }
    openings("a path of 5000 characters", "DatabaseError 14") {
        path(String(repeating: "p", count: 5_000))
    }
    openings("a path of 1000 folders", "DatabaseError 14") {
        path(String(repeating: "p/", count: 1_000) + "x")
    }
    openings("a path with NUL", "DatabaseError") { path("with\0nul") }
    openings("a name with quotes, %, ? and #", "opens") { try database("it's \"100%\" ? & # ; ä") }
    openings("/dev/null", "DatabaseError, or opens") { "/dev/null" }
    openings("/dev/full", "DatabaseError, or opens") { "/dev/full" }
    openings("a file of another kind: a pipe", "DatabaseError") {
        mkfifo(path("pipe"), 0o600)
        return path("pipe")
    }
    openings("no permission for the file", "DatabaseError 14 or 23 (the superuser opens it)") {
        let path = try database("forbidden")
        chmod(path, 0)
        return path
    }
    openings("no permission for the folder", "DatabaseError (the superuser opens it)") {
        let path = try database("inside")
        chmod(inputFolder.path, 0o500)
        return path
    }
    for kind in ["queue", "pool"] {
        add(
            "files", "a file that is deleted under an open \(kind)",
            "DatabaseError, or what was written is read"
        ) {
            let path = try database("deleted")
            let writer: any DatabaseWriter =
                kind == "pool" ? try DatabasePool(path: path) : try DatabaseQueue(path: path)
            _ = try writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
            for suffix in ["", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: path + suffix)
            }
            var seen: [String] = []
            for _ in 0..<2 {
                do {
                    try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
                    seen.append("written")
                } catch let error as DatabaseError {
                    seen.append("DatabaseError \(error.extendedResultCode.rawValue)")
                }
                do {
                    seen.append(
                        "\(try writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t")! }) rows"
                    )
                } catch let error as DatabaseError {
                    seen.append("DatabaseError \(error.extendedResultCode.rawValue)")
                }
            }
            try? writer.close()
            return seen.joined(separator: "; ")
        }
        add(
            "files", "a file that is replaced under an open \(kind)",
            "DatabaseError, or what was written is read"
        ) {
            let path = try database("replaced")
            let other = try database("other")
            let writer: any DatabaseWriter =
                kind == "pool" ? try DatabasePool(path: path) : try DatabaseQueue(path: path)
            _ = try writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: other, toPath: path)
            do {
                try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
                return
                    "\(try writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t")! }) rows"
            } catch let error as DatabaseError {
                return "DatabaseError \(error.extendedResultCode.rawValue)"
            }
        }
        add("files", "a file that is cut under an open \(kind)", "DatabaseError") {
            let path = try database("truncated")
            let writer: any DatabaseWriter =
                kind == "pool" ? try DatabasePool(path: path) : try DatabaseQueue(path: path)
            try writer.write { try $0.execute(sql: "INSERT INTO t SELECT zeroblob(100000)") }
            truncate(path, 1000)
            do {
                let rows = try writer.read { try Row.fetchAll($0, sql: "SELECT * FROM t") }
                return "\(rows.count) rows"
            } catch let error as DatabaseError {
                return "DatabaseError \(error.extendedResultCode.rawValue)"
            }
        }
    }
    add("files", "backup, copy and attach to a folder, and to no folder", "DatabaseError") {
        let queue = try DatabaseQueue(path: database("source"))
        return try queue.writeWithoutTransaction { db in
            try [
                seenError { try db.attach(DatabaseURI(path: inputFolder.path), as: "x") },
                seenError { try db.attach(DatabaseURI(path: path("none/none")), as: "x") },
                seenError { try db.copy(to: inputFolder.path) },
                seenError { try db.copy(to: path("none/none")) },
                seenError { try db.execute(literal: "VACUUM INTO \(inputFolder.path)") },
            ].joined(separator: "; ")
        }
    }
    add("files", "bytes of no database as an image", "DatabaseError 26 or 11") {
        try [Data([1]), Data(repeating: 7, count: 5000), Data("SQLite format 3\0".utf8)].map {
            bytes in
            try seenError {
                let queue = try DatabaseQueue(serialized: bytes)
                try queue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
            }
        }.joined(separator: "; ")
    }
}

/// Gives a value to another thread, as only wrong code does.
private struct Smuggled<Value>: @unchecked Sendable { var value: Value }

func addMisuse(_ add: AddBadCase) {
    /// Runs the body on another thread.
    func onThread(_ body: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            body()
            done.signal()
        }
        done.wait()
    }
    @Sendable func caught(_ seen: Shared<String>, _ body: () throws -> Void) {
        do {
            try body()
            seen.update { $0 += "no error; " }
        } catch let error as DatabaseError {
            seen.update { $0 += "DatabaseError \(error.extendedResultCode.rawValue); " }
        } catch { seen.update { $0 += "\(type(of: error)); " } }
    }
    add("misuse", "a Database on another thread, during its access", "DatabaseError 21") {
        let queue = try DatabaseQueue()
        let seen = Shared("")
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t(a)")
            let smuggled = Smuggled(value: db)
            onThread {
                caught(seen) { try smuggled.value.execute(sql: "INSERT INTO t VALUES (1)") }
                caught(seen) { _ = try Int.fetchOne(smuggled.value, sql: "SELECT 1") }
                caught(seen) { _ = try smuggled.value.makeStatement(sql: "SELECT 1") }
                caught(seen) { try smuggled.value.inSavepoint { .commit } }
                caught(seen) { _ = try smuggled.value.columns(in: "t") }
                caught(seen) { _ = try Table("t").fetchCount(smuggled.value) }
                caught(seen) { try Table("t").insert(smuggled.value, [Column("a").set(to: 1)]) }
            }
        }
        try check(!seen.value.contains("no error"), seen.value)
        return seen.value
    }
    add("misuse", "a Database after its access", "DatabaseError 21") {
        let queue = try DatabaseQueue()
        let smuggled = try queue.write { Smuggled(value: $0) }
        let seen = Shared("")
        caught(seen) { try smuggled.value.execute(sql: "CREATE TABLE t(a)") }
        caught(seen) { _ = try Int.fetchOne(smuggled.value, sql: "SELECT 1") }
        caught(seen) { try smuggled.value.inTransaction { .commit } }
        try check(!seen.value.contains("no error"), seen.value)
        return seen.value
    }
    add("misuse", "a cursor, a statement and a blob after their access", "DatabaseError 21") {
        let queue = try DatabaseQueue()
        let smuggled = try queue.write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(3)), (2)")
            let cursor = try Row.fetchCursor(db, sql: "SELECT * FROM t")
            _ = try cursor.next()
            return Smuggled(
                value: (
                    cursor, try db.makeStatement(sql: "SELECT 1"),
                    try db.openBlob(table: "t", column: "a", rowID: 1)
                ))
        }
        let seen = Shared("")
        caught(seen) { _ = try smuggled.value.0.next() }
        caught(seen) { _ = try Row.fetchOne(smuggled.value.1) }
        caught(seen) { _ = try smuggled.value.2.read(count: 1, at: 0) }
        try check(!seen.value.contains("no error"), seen.value)
        return seen.value
    }
    add("misuse", "a cursor on another thread, during its access", "DatabaseError 21") {
        let queue = try DatabaseQueue()
        let seen = Shared("")
        try queue.read { db in
            let cursor = Smuggled(value: try Row.fetchCursor(db, sql: "SELECT 1 UNION SELECT 2"))
            onThread { caught(seen) { _ = try cursor.value.next() } }
        }
        try check(!seen.value.contains("no error"), seen.value)
        return seen.value
    }
    add("misuse", "a closed queue, pool and snapshot", "DatabaseError 21") {
        let seen = Shared("")
        let queue = try DatabaseQueue()
        try queue.close()
        caught(seen) { _ = try queue.read { try Int.fetchOne($0, sql: "SELECT 1") } }
        caught(seen) { try queue.write { try $0.execute(sql: "CREATE TABLE t(a)") } }
        let pool = try DatabasePool(path: path("closed"))
        let snapshot = try pool.makeSnapshot()
        try snapshot.close()
        caught(seen) { _ = try snapshot.read { try Int.fetchOne($0, sql: "SELECT 1") } }
        try pool.close()
        caught(seen) { _ = try pool.read { try Int.fetchOne($0, sql: "SELECT 1") } }
        caught(seen) { _ = try pool.makeSnapshot() }
        try check(!seen.value.contains("no error"), seen.value)
        return seen.value
    }
    add("misuse", "a statement of another connection", "DatabaseError 21, or an error") {
        let first = try DatabaseQueue()
        let second = try DatabaseQueue()
        let seen = Shared("")
        try first.write { one in
            let statement = try one.makeStatement(sql: "SELECT 1")
            let smuggled = Smuggled(value: statement)
            try second.write { _ in caught(seen) { _ = try Int.fetchOne(smuggled.value) } }
        }
        return seen.value
    }
    add("misuse", "closing during a cursor", "DatabaseError") {
        let queue = try DatabaseQueue()
        let seen = Shared("")
        try queue.read { db in
            let cursor = try Row.fetchCursor(db, sql: "SELECT 1 UNION SELECT 2")
            _ = try cursor.next()
            caught(seen) { try queue.close() }
            caught(seen) { _ = try cursor.next() }
        }
        return seen.value
    }
    for kind in ["queue", "pool"] {
        add("misuse", "a \(kind) after fork", "DatabaseError 21 in the child, the parent goes on") {
            let file = path("forked-\(kind)")
            let writer: any DatabaseWriter =
                kind == "pool" ? try DatabasePool(path: file) : try DatabaseQueue(path: file)
            try writer.write { try $0.execute(sql: "CREATE TABLE t(a)") }
            let child = forkProcess()
            if child == 0 {
                do {
                    try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
                    _exit(1)
                } catch let error as DatabaseError {
                    _exit(error.resultCode == .SQLITE_MISUSE ? 0 : 2)
                } catch { _exit(3) }
            }
            var status: CInt = 0
            waitpid(child, &status, 0)
            try check(status == 0, "the child has the status \(status)")
            try writer.write { try $0.execute(sql: "INSERT INTO t VALUES (2)") }
            let count = try writer.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM t") }
            try check(count == 1, "\(count as Any) rows")
            return "DatabaseError 21 in the child, the parent goes on"
        }
    }
}

/// Swift doesn't import `fork`.
private func forkProcess() -> pid_t {
    typealias Fork = @convention(c) () -> pid_t
    return unsafeBitCast(dlsym(nil, "fork"), to: Fork.self)()
}
