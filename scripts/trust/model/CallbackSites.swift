import GRDBChanges
import GRDBTables
import GRDBServer
import Foundation
import GRDB
import GRDBFunctions

/// A callback of user code: `call` runs an operation of the library that calls `Hook.fire`.
struct CallbackSite: Sendable {
    var name: String
    /// Whether the callback can throw.
    var isThrowing = true
    /// Whether it belongs to an access of a reader of pools.
    var isRead = false
    /// The database that the operation works on, of its own if nil.
    var prepare: @Sendable (Database, Hook) throws -> Void = { _, _ in }
    var setUp: @Sendable (any DatabaseWriter, Hook) throws -> Void = { _, _ in }
    var call: @Sendable (any DatabaseWriter, Hook) throws -> String
}

/// In a task that is cancelled, and under a time limit, if that is what the hook is for.
private func access(
    _ writer: any DatabaseWriter, _ hook: Hook, isRead: Bool,
    _ body: @escaping @Sendable (Database) throws -> String
) throws -> String {
    let limited: @Sendable (Database) throws -> String = { db in
        hook.action == .long ? try db.withTimeLimit(hook.limit) { try body(db) } : try body(db)
    }
    if hook.action == .cancel {
        return try waitForTask(hook) {
            isRead ? try await writer.read(limited) : try await writer.write(limited)
        }
    }
    return isRead ? try writer.read(limited) : try writer.write(limited)
}

private func write(_ sql: String) -> @Sendable (any DatabaseWriter, Hook) throws -> String {
    { writer, hook in
        try access(writer, hook, isRead: false) { db in
            try db.execute(sql: sql)
            return "done"
        }
    }
}

private func read(_ sql: String) -> @Sendable (any DatabaseWriter, Hook) throws -> String {
    { writer, hook in
        try access(writer, hook, isRead: true) { db in
            try Row.fetchAll(db, sql: sql).map { "\($0.databaseValues.first ?? .null)" }.joined(
                separator: ",")
        }
    }
}

private final class FiringObserver: TransactionObserver, @unchecked Sendable {
    let hook: Hook
    let event: String

    init(_ hook: Hook, _ event: String) {
        self.hook = hook
        self.event = event
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        if event == "observes" { hook.call() }
        return true
    }

    func databaseDidChange(with event: DatabaseEvent) {
        if self.event == "didChange" { hook.call() }
    }

    func databaseWillChange(with event: DatabasePreUpdateEvent) {
        if self.event == "willChange" { hook.call() }
    }

    func databaseWillCommit() throws { if event == "willCommit" { try hook.fire() } }

    func databaseDidCommit(_ db: Database) { if event == "didCommit" { hook.call() } }

    func databaseDidRollback(_ db: Database) { if event == "didRollback" { hook.call() } }
}

private func observing(
    _ event: String, isThrowing: Bool = false, fails: Bool = false
) -> CallbackSite {
    CallbackSite(
        name: "observer \(event)", isThrowing: isThrowing,
        setUp: { writer, hook in
            writer.add(transactionObserver: FiringObserver(hook, event), extent: .databaseLifetime)
        },
        call: { writer, hook in
            try access(writer, hook, isRead: false) { db in
                try db.execute(sql: "UPDATE item SET score = score + 1")
                if fails { throw Boom() }
                return "done"
            }
        })
}

private struct CallbackRecord: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "item"
    var id: Int64
    var score: Int
    var hook: Hook?
    var event = ""

    enum CodingKeys: String, CodingKey { case id, score }

    func willInsert(_ db: Database) throws { if event == "willInsert" { try hook?.fire() } }
    func didInsert(_ inserted: InsertionSuccess) { if event == "didInsert" { hook?.call() } }
    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
        if event == "aroundInsert" { try hook?.fire() }
        _ = try insert()
    }
    func willSave(_ db: Database) throws { if event == "willSave" { try hook?.fire() } }
    func willUpdate(_ db: Database, columns: Set<String>) throws {
        if event == "willUpdate" { try hook?.fire() }
    }
    func willDelete(_ db: Database) throws { if event == "willDelete" { try hook?.fire() } }
}

private func record(_ event: String, isThrowing: Bool = true) -> CallbackSite {
    CallbackSite(
        name: "record \(event)", isThrowing: isThrowing,
        call: { writer, hook in
            try access(writer, hook, isRead: false) { db in
                let record = CallbackRecord(id: 90, score: 1, hook: hook, event: event)
                try record.insert(db)
                try record.update(db)
                try record.delete(db)
                return "done"
            }
        })
}

private final class FiringTokenizer: FTS5WrapperTokenizer {
    static let name = "firing"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = try db.makeTokenizer(.unicode61())
    }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        try Hook.current.value?.fire()
        try tokenCallback(token, flags)
    }
}

private struct FiringElement: Sendable {
    var value: Int { Hook.current.value?.call(); return 1 }
}

private func observation(_ part: String) -> CallbackSite {
    CallbackSite(
        name: "observation \(part)", isThrowing: part != "delivery",
        call: { writer, hook in
            let values = ModelBox<[String]>([])
            let ended = DispatchSemaphore(value: 0)
            let observation = ValueObservation.tracking { db in
                let count = try Int.fetchOne(db, sql: "SELECT SUM(score) FROM item") ?? 0
                if part == "fetch", hook.isArmed { try hook.fire() }
                return count
            }.map { value in
                if part == "map", hook.isArmed { try hook.fire() }
                return value
            }
            hook.isArmed = false
            let queue = DispatchQueue(label: "delivery")
            let cancellable = observation.start(
                in: writer, scheduling: .async(onQueue: queue),
                onError: { error in
                    values.value.append(ModelRun.text(error))
                    ended.signal()
                },
                onChange: { value in
                    values.value.append("\(value)")
                    if part == "delivery", hook.isArmed { hook.call() }
                    ended.signal()
                })
            _ = ended.wait(timeout: .now() + 15)
            hook.isArmed = true
            try writer.write {
                try $0.execute(sql: "UPDATE item SET score = score + 1 WHERE id = 1")
            }
            let isDelivered = ended.wait(timeout: .now() + 3) == .success
            queue.sync {}
            cancellable.cancel()
            return
                "observed \(queue.sync { values.value })\(isDelivered ? "" : " and no second value")"
        })
}

func makeCallbackSites() -> [CallbackSite] {
    let insertion = "INSERT INTO item VALUES (91, 5, 'x')"
    return [
        CallbackSite(
            name: "function", isRead: true,
            prepare: { db, hook in
                db.add(
                    function: DatabaseFunction("fire", argumentCount: 0) { _ in
                        try hook.fire(); return 1
                    })
            },
            call: read("SELECT fire() + score FROM item")),
        CallbackSite(
            name: "function in a write",
            prepare: { db, hook in
                db.add(
                    function: DatabaseFunction("fire", argumentCount: 0) { _ in
                        try hook.fire(); return 1
                    })
            },
            call: write("UPDATE item SET score = fire()")),
        CallbackSite(
            name: "aggregate step", isRead: true,
            prepare: { db, hook in
                db.add(
                    function: DatabaseFunction(
                        "fire", argumentCount: 1, initialValue: 0,
                        reduce: { state, _ in
                            try hook.fire(); state += 1
                        }, inverse: { state, _ in state -= 1 },
                        value: { $0 }))
            },
            call: read("SELECT fire(score) FROM item")),
        CallbackSite(
            name: "aggregate value", isRead: true,
            prepare: { db, hook in
                db.add(
                    function: DatabaseFunction(
                        "fire", argumentCount: 1, initialValue: 0,
                        reduce: { state, _ in state += 1 }, inverse: { state, _ in state -= 1 },
                        value: { value in
                            try hook.fire(); return value
                        }))
            },
            call: read("SELECT fire(score) FROM item")),
        CallbackSite(
            name: "window inverse", isRead: true,
            prepare: { db, hook in
                db.add(
                    function: DatabaseFunction(
                        "fire", argumentCount: 1, initialValue: 0,
                        reduce: { state, _ in state += 1 },
                        inverse: { state, _ in
                            try hook.fire(); state -= 1
                        }, value: { $0 }))
            },
            call: read("SELECT fire(score) OVER (ORDER BY id ROWS 1 PRECEDING) FROM item")),
        CallbackSite(
            name: "collation", isThrowing: false, isRead: true,
            prepare: { db, hook in
                db.add(
                    collation: DatabaseCollation("firing") {
                        hook.call(); return $0.compare($1)
                    })
            },
            call: read("SELECT name FROM item ORDER BY name COLLATE firing")),
        CallbackSite(
            name: "tokenizer",
            prepare: { db, _ in db.add(tokenizer: FiringTokenizer.self) },
            setUp: { writer, _ in
                try writer.write {
                    try $0.execute(
                        sql: "CREATE VIRTUAL TABLE doc USING fts5(text, tokenize = 'firing')")
                }
            },
            call: write("INSERT INTO doc VALUES ('some words here')")),
        CallbackSite(
            name: "tokenizer of a query", isRead: true,
            prepare: { db, _ in db.add(tokenizer: FiringTokenizer.self) },
            setUp: { writer, _ in
                try writer.write {
                    try $0.execute(
                        sql: """
                            CREATE VIRTUAL TABLE doc USING fts5(text, tokenize = 'firing');
                            INSERT INTO doc VALUES ('some words here');
                            """)
                }
            },
            call: read("SELECT text FROM doc WHERE doc MATCH 'words'")),
        CallbackSite(
            name: "auxiliary function", isRead: true,
            prepare: { db, hook in
                try db.add(
                    auxiliaryFunction: FTS5AuxiliaryFunction(
                        "fire",
                        ranking: { _ in
                            try hook.fire(); return 1
                        }))
            },
            setUp: { writer, _ in
                try writer.write {
                    try $0.execute(
                        sql: """
                            CREATE VIRTUAL TABLE doc USING fts5(text);
                            INSERT INTO doc VALUES ('some words here');
                            """)
                }
            },
            call: read("SELECT text FROM doc WHERE doc MATCH 'words' ORDER BY fire(doc)")),
        CallbackSite(
            name: "authorizer", isThrowing: false,
            call: { writer, hook in
                try writer.write { db in
                    try db.withAuthorizer({ _ in
                        hook.call(); return .allow
                    }) {
                        try db.execute(sql: insertion)
                    }
                    return "done"
                }
            }),
        CallbackSite(
            name: "progress", isThrowing: false,
            call: { writer, hook in
                try writer.write { db in
                    try db.withProgress({
                        hook.call(); return .continue
                    }) {
                        let count = try Int.fetchOne(
                            db,
                            sql: """
                                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
                                SELECT COUNT(*) FROM n
                                """)
                        return "\(count ?? -1)"
                    }
                }
            }),
        CallbackSite(
            name: "busy", isThrowing: false,
            call: { writer, hook in
                let other = try DatabaseQueue(path: writer.path)
                return try other.inDatabase { db in
                    try db.beginTransaction(.immediate)
                    defer { try? db.rollback() }
                    return try writer.writeWithoutTransaction { db in
                        try db.setBusyMode(
                            .callback { count in
                                hook.call(); return count < 1
                            })
                        try db.execute(sql: insertion)
                        return "done"
                    }
                }
            }),
        CallbackSite(
            name: "trace", isThrowing: false,
            call: { writer, hook in
                try writer.write { db in
                    db.trace { _ in hook.call() }
                    defer { db.trace(nil) }
                    try db.execute(sql: insertion)
                    return "done"
                }
            }),
        CallbackSite(
            name: "virtual table", isThrowing: false, isRead: true,
            prepare: { db, _ in
                try db.tryAdd(
                    module: .table("firing", of: [FiringElement(), FiringElement()]) { t in
                        t.column("value", \.value, .integer)
                    })
            },
            call: read("SELECT value FROM firing")),
        CallbackSite(
            name: "changeset conflict",
            call: { writer, hook in
                try writer.write { db in
                    let session = try db.makeSession()
                    try session.attach("item")
                    try db.execute(sql: "UPDATE item SET score = 7")
                    let changeset = try session.changeset()
                    _ = try db.apply(changeset) { _ in
                        try hook.fire(); return .omit
                    }
                    return "done"
                }
            }),
        CallbackSite(
            name: "changeset filter",
            call: { writer, hook in
                try writer.write { db in
                    let session = try db.makeSession()
                    try session.attach("item")
                    try db.execute(sql: "UPDATE item SET score = 7")
                    let changeset = try session.changeset().inverted()
                    _ = try db.apply(
                        changeset,
                        filter: { _ in
                            try hook.fire(); return true
                        })
                    return "done"
                }
            }),
        CallbackSite(
            name: "backup progress",
            call: { writer, hook in
                let copy = try DatabaseQueue()
                try writer.backup(to: copy, pagesPerStep: 1) { _ in try hook.fire() }
                return try copy.read { db in
                    "\(try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM item")!) rows"
                }
            }),
        CallbackSite(
            name: "migration",
            call: { writer, hook in
                var migrator = DatabaseMigrator()
                migrator.registerMigration("v1") { db in
                    try db.execute(sql: "CREATE TABLE migrated(a)")
                    try hook.fire()
                    try db.execute(sql: "INSERT INTO migrated VALUES (1)")
                }
                try migrator.migrate(writer)
                return "done"
            }),
        CallbackSite(
            name: "record decoding", isRead: true,
            call: { writer, hook in
                try writer.read { db in
                    struct Decoded: FetchableRecord, Decodable {
                        static let hooks = ModelBox<Hook?>(nil)
                        init(row: Row) throws { try Self.hooks.value?.fire() }
                    }
                    Decoded.hooks.value = hook
                    return "\(try Decoded.fetchAll(db, sql: "SELECT * FROM item").count) rows"
                }
            }),
        CallbackSite(
            name: "change feed", isThrowing: false,
            call: { writer, hook in
                let done = DispatchSemaphore(value: 0)
                let cancellable = DatabaseChangeFeed(tracking: .table("item")).start(
                    in: writer, onError: { _ in done.signal() }
                ) { _ in
                    hook.call()
                    done.signal()
                }
                try writer.write { try $0.execute(sql: insertion) }
                let isNotified = done.wait(timeout: .now() + 5) == .success
                cancellable.cancel()
                return isNotified ? "notified" : "not notified"
            }),
        CallbackSite(
            name: "outbox consumer", isThrowing: false,
            call: { writer, hook in
                let outbox = try writer.outbox(named: "o", tables: ["item"])
                try writer.write { try $0.execute(sql: insertion) }
                return try waitForTask {
                    for try await entry in outbox.entries() {
                        hook.call()
                        if let writer = hook.writer, try await writer.read({ _ in true }) {
                            try await outbox.acknowledge(entry)
                        }
                        return "acknowledged"
                    }
                    return "ended"
                }
            }),
        observing("observes"), observing("didChange"), observing("willChange"),
        observing("willCommit", isThrowing: true), observing("didCommit"),
        observing("didRollback", fails: true),
        observation("fetch"), observation("map"), observation("delivery"),
        record("willInsert"), record("aroundInsert"), record("didInsert", isThrowing: false),
        record("willSave"), record("willUpdate"), record("willDelete"),
    ]
}

func waitForTask(
    _ hook: Hook? = nil, _ body: @escaping @Sendable () async throws -> String
) throws -> String {
    let done = DispatchSemaphore(value: 0)
    let result = ModelBox<Result<String, any Error>?>(nil)
    let started = DispatchSemaphore(value: 0)
    let task = Task {
        started.waitInTask()
        do { result.value = .success(try await body()) } catch { result.value = .failure(error) }
        done.signal()
    }
    hook?.task = task
    started.signal()
    done.wait()
    hook?.task = nil
    return try result.value!.get()
}
