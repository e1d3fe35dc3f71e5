import Dispatch
import Foundation
import GRDB

struct ModelStop: Error {}
struct ModelVeto: Error {}

/// Runs a sequence of calls on the library and on the model, and compares.
///
/// `@unchecked Sendable`: one thread at a time runs it. The thread that has asked for an asynchronous
/// access waits for its end.
final class ModelRun: @unchecked Sendable {
    enum Kind: CaseIterable { case memory, file, pool }

    /// A connection in use: those of the accesses that the current call is in.
    final class Context {
        let db: Database
        let model: ModelConnection
        let isWriter: Bool
        /// The savepoints of scopes, which calls don't end.
        var base = 0
        /// Whether it runs in a task, which can't use the connections of the accesses around it.
        var isTask = false
        /// The transaction of the innermost savepoint scope.
        var savepointTransaction: Int?

        init(_ db: Database, _ model: ModelConnection, isWriter: Bool) {
            self.db = db
            self.model = model
            self.isWriter = isWriter
        }

        var id: ObjectIdentifier { ObjectIdentifier(db) }
    }

    let calls: [ModelCall]
    let kind: Kind
    let path: String
    var position = 0
    var failure: String?
    /// Receives each call and its result.
    let tracer: ((String) -> Void)?
    var contexts: [Context] = []
    var writer: (any DatabaseWriter)!
    var model: ModelConnection
    var isClosed = false
    var hasInterrupted = false
    var observer = ModelObserver()
    let slots = ModelSlots()

    init(_ calls: [ModelCall], kind: Kind, path: String, tracer: ((String) -> Void)? = nil) throws {
        self.calls = calls
        self.kind = kind
        self.path = path
        self.tracer = tracer
        var content = ModelContent()
        content.items = [1: .init(a: 10, u: 1), 2: .init(a: 20, u: nil), 5: .init(a: 50, u: 5)]
        content.blobs = [1: [1, 2, 3, 4]]
        model = ModelConnection(content)
        try open()
        try writer.write { db in
            try db.execute(sql: ModelContent.schema)
            try db.execute(
                sql: """
                    INSERT INTO t VALUES (1, 10, 1), (2, 20, NULL), (5, 50, 5);
                    INSERT INTO f VALUES (1, x'01020304');
                    """)
        }
        writer.add(transactionObserver: observer, extent: .databaseLifetime)
    }

    func open() throws {
        var configuration = Configuration()
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        switch kind {
        case .memory: writer = try DatabaseQueue(configuration: configuration)
        case .file: writer = try DatabaseQueue(path: path, configuration: configuration)
        case .pool: writer = try DatabasePool(path: path, configuration: configuration)
        }
    }

    // MARK: - Comparing

    static func text(_ error: any Error) -> String {
        switch error {
        case let error as DatabaseError: return "! \(error.extendedResultCode.rawValue)"
        case is ModelStop: return "! Stop"
        case is ModelVeto: return "! Veto"
        case is CancellationError: return "! Cancellation"
        default: return "! \(error)"
        }
    }

    func outcome(_ body: () throws -> String) -> String {
        do { return try body() } catch {
            tracer?("      (\(error))")
            return Self.text(error)
        }
    }

    func fail(_ text: String) {
        if failure == nil { failure = text }
        position = calls.count
    }

    /// The result of the library must be what the model expects, and the observer must have been notified
    /// of the same.
    func compare(_ call: String, _ actual: String, _ expected: String) {
        tracer?("\(call) -> \(actual)")
        if actual != expected {
            fail("\(call): \(actual) instead of \(expected)")
        } else if observer.log != model.log {
            fail(
                "\(call): the observer has \(observer.log.suffix(12)) instead of \(model.log.suffix(12))"
            )
        }
    }

    // MARK: - Running

    /// Runs all calls, and returns what went wrong.
    func run() -> String? {
        while position < calls.count {
            _ = runBody()
        }
        contexts = []
        finish()
        return failure
    }

    /// Runs calls until the scope ends.
    func runBody() -> ModelCall.Ending {
        while position < calls.count {
            let call = calls[position]
            position += 1
            tracer?("  \(call)")
            switch call {
            case .end(let ending):
                if contexts.isEmpty { continue }
                return ending
            case .begin(let scope, let slot):
                runScope(scope, slot)
            default:
                perform(call)
            }
        }
        return .normal
    }

    private func finish() {
        if failure == nil { slots.checkObservers(self) }
        if failure != nil {
            slots.removeAll()
            try? writer.close()
            return
        }
        slots.removeAll()
        let expected = isClosed ? "! 21" : "ok \(model.committed.description)"
        let actual = outcome {
            try writer.writeWithoutTransaction { db in
                if !isClosed, db.isInsideTransaction { return "a transaction is open" }
                let check = try String.fetchAll(db, sql: "PRAGMA integrity_check").joined()
                return try check + " " + Self.content(db)
            }
        }
        compare("the end", actual, expected)
        compare(
            "closing",
            outcome {
                try writer.close(); return "closed"
            }, "closed")
    }

    // MARK: - Content

    static func rows(_ db: Database) throws -> String {
        let items = try Row.fetchAll(db, sql: "SELECT id, a, u FROM t ORDER BY id").map { row in
            let u: Int? = row[2]
            return "\(row[0] as Int):\(row[1] as Int):\(u.map(String.init) ?? "-")"
        }
        let blobs = try Row.fetchAll(db, sql: "SELECT id, hex(data) FROM f ORDER BY id").map {
            row in
            "\(row[0] as Int):\(row[1] as String)"
        }
        return items.joined(separator: ",") + "|" + blobs.joined(separator: ",")
    }

    static func content(_ db: Database) throws -> String {
        let tables = try String.fetchAll(
            db, sql: "SELECT name FROM sqlite_master WHERE name LIKE 'e_' ORDER BY name")
        return try rows(db) + "|" + tables.joined(separator: ",")
    }
}

/// Logs what it is notified of.
final class ModelObserver: TransactionObserver, @unchecked Sendable {
    var log: [String] = []
    var vetoesCommit = false

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        ["t", "f"].contains(eventKind.tableName)
    }

    func databaseDidChange(with event: DatabaseEvent) {
        log.append("\(event.kind) \(event.tableName) \(event.rowID)")
    }

    func databaseWillCommit() throws {
        log.append("willCommit")
        if vetoesCommit {
            vetoesCommit = false
            throw ModelVeto()
        }
    }

    func databaseDidCommit(_ db: Database) { log.append("didCommit") }

    func databaseDidRollback(_ db: Database) { log.append("didRollback") }
}
