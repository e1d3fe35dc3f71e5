import Foundation
import GRDB

// callbacks FOLDER FIRST
//
// Runs each callback with each action, from the FIRST of these cells on. What ends the process, or lets it
// hang, is known by the number that it has printed last.

struct Boom: Error {}

/// What the user code of a callback does.
enum CallbackAction: String, CaseIterable {
    case nothing, throwing = "throw", close, access = "another access", use = "use the connection"
    case interrupt, cancel = "cancel the task", drop = "drop the last reference", long = "run long"
    case schema = "change the schema", rollback = "ROLLBACK", commit = "COMMIT"
}

/// The user code of a callback.
///
/// `@unchecked Sendable`: one thread at a time uses it.
final class Hook: @unchecked Sendable {
    /// For tokenizers and elements, which are made by the library.
    static let current = ModelBox<Hook?>(nil)
    static let notCalled = "not called"

    let action: CallbackAction
    let isRead: Bool
    let isPool: Bool
    var writer: (any DatabaseWriter)?
    var task: Task<Void, Never>?
    var isArmed = true
    /// The time limit of the access that a callback that runs long exceeds, in seconds.
    let limit: Double
    private(set) var outcome = Hook.notCalled

    init(_ action: CallbackAction, isRead: Bool, isPool: Bool, limit: Double) {
        self.action = action
        self.limit = limit
        self.isRead = isRead
        self.isPool = isPool
    }

    func call() { try? fire() }

    func fire() throws {
        guard isArmed else { return }
        isArmed = false
        outcome = "called"
        guard let writer else { return }
        switch action {
        case .nothing: break
        case .throwing: throw Boom()
        case .close:
            outcome = text {
                try writer.close(); return "closed"
            }
        case .access:
            outcome = text { "reads \(try writer.read { try Int.fetchOne($0, sql: "SELECT 1")! })" }
            // A write from a read waits for the write that waits for the read.
            if !isRead || !isPool {
                outcome +=
                    ", "
                    + text {
                        try writer.write { try $0.execute(sql: "UPDATE item SET score = 3") };
                        return "writes"
                    }
            }
        case .use:
            outcome = text {
                try writer.unsafeReentrantRead {
                    "\(try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM item")!) rows"
                }
            }
        case .interrupt: writer.interrupt()
        case .cancel: task?.cancel()
        case .drop: self.writer = nil
        case .long: usleep(UInt32(1_000_000 * limit) + 100_000)
        case .schema: outcome = run("CREATE TABLE made(a)")
        case .rollback: outcome = run("ROLLBACK")
        case .commit: outcome = run("COMMIT")
        }
    }

    /// On the connection of the access.
    private func run(_ sql: String) -> String {
        text {
            try writer!.unsafeReentrantRead { try $0.execute(sql: sql) }
            return "done"
        }
    }

    private func text(_ body: () throws -> String) -> String {
        do { return try body() } catch { return describe(error) }
    }
}

func describe(_ error: any Error) -> String {
    switch error {
    case let error as DatabaseError:
        "\(error.extendedResultCode.rawValue) \(error.message ?? "")"
    case is Boom: "its error"
    default: "\(error)"
    }
}

func runCallbacks(_ arguments: ArraySlice<String>) throws {
    let arguments = Array(arguments)
    let folder = arguments[0]
    var number = 0
    let first = Int(arguments[1])!
    for site in makeCallbackSites() {
        for isPool in [false, true] {
            for action in CallbackAction.allCases {
                defer { number += 1 }
                if number < first { continue }
                if action == .throwing, !site.isThrowing { continue }
                let name = "\(site.name)\t\(isPool ? "pool" : "queue")\t\(action.rawValue)"
                printLine("begin\t\(number)\t\(name)")
                var result = runCell(site, action, isPool, folder, limit: 0.5)
                // On a loaded computer, the time limit may pass before the callback is called.
                for limit in [2.0, 8.0] where action == .long && result.hasPrefix(Hook.notCalled) {
                    result = runCell(site, action, isPool, folder, limit: limit)
                }
                printLine("cell\t\(number)\t\(name)\t\(result)")
            }
        }
    }
    printLine("end \(number)")
}

/// Returns what the callback saw, what the operation returned or threw, and what is wrong afterwards.
private func runCell(
    _ site: CallbackSite, _ action: CallbackAction, _ isPool: Bool, _ folder: String, limit: Double
) -> String {
    let path = folder + "/callbacks.sqlite"
    for suffix in ["", "-wal", "-shm", "-journal"] {
        try? FileManager.default.removeItem(atPath: path + suffix)
    }
    let hook = Hook(action, isRead: site.isRead, isPool: isPool, limit: limit)
    hook.isArmed = false
    Hook.current.value = hook
    var result = ""
    do {
        var configuration = Configuration()
        configuration.prepareDatabase { [weak hook] db in
            guard let hook else { return }
            try db.execute(sql: "PRAGMA synchronous = OFF")
            try site.prepare(db, hook)
        }
        var writer: (any DatabaseWriter)? =
            isPool
            ? try DatabasePool(path: path, configuration: configuration)
            : try DatabaseQueue(path: path, configuration: configuration)
        try writer!.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE item(id INTEGER PRIMARY KEY, score INTEGER, name TEXT);
                    INSERT INTO item VALUES (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c');
                    """)
        }
        try site.setUp(writer!, hook)
        hook.writer = writer
        hook.isArmed = true
        result = call(site, hook, &writer)
        hook.isArmed = false
        let after = hook.writer.map(check) ?? "ok"
        try? hook.writer?.close()
        hook.writer = nil
        Hook.current.value = nil
        result = "\(hook.outcome)\t\(result)\t\(after)"
    } catch {
        result = "\t\t\(describe(error))"
    }
    let openCount = lastingConnections(path)
    return openCount == 0 ? result : result + ", \(openCount) files stay open"
}

private func call(
    _ site: CallbackSite, _ hook: Hook, _ writer: inout (any DatabaseWriter)?
) -> String {
    let box = ModelBox(writer)
    writer = nil
    let used = box.value!
    box.value = nil
    do { return try site.call(used, hook) } catch { return describe(error) }
}

extension DispatchSemaphore {
    func waitInTask() { wait() }
}

/// What is wrong with a database that was used.
private func check(_ writer: any DatabaseWriter) -> String {
    do {
        return try writer.tryWriteWithoutTransaction { db in
            if db.isInsideTransaction { return "a transaction is open" }
            let check = try String.fetchAll(db, sql: "PRAGMA integrity_check").joined()
            try db.inTransaction {
                try db.execute(sql: "INSERT INTO item VALUES (99, 1, 'z')")
                return .rollback
            }
            return check
        }
    } catch DatabaseError.SQLITE_MISUSE {
        return "closed"
    } catch {
        return describe(error)
    }
}
