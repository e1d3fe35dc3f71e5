import GRDBChanges
import GRDBServer
import Foundation
import GRDB

// kills work FILE ACKNOWLEDGED RECEIVED
//
// Writes transactions to FILE until it is killed. The numbers of those that are committed are added to
// ACKNOWLEDGED, those that the outbox has delivered to RECEIVED. kills.py knows what transaction N does.

/// A file of lines. Each is written at once: what a killed process has written stays.
private final class Lines: Sendable {
    private let descriptor: Int32

    init(_ path: String) throws {
        descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        guard descriptor >= 0 else { throw Failed("no file \(path)") }
    }

    func add(_ line: String) throws {
        let bytes = Array((line + "\n").utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count else { throw Failed("no space") }
    }
}

private func createTables(_ db: Database) throws {
    try db.execute(
        sql: """
            CREATE TABLE IF NOT EXISTS ledger(n INTEGER PRIMARY KEY, text TEXT NOT NULL);
            CREATE TABLE IF NOT EXISTS account(id INTEGER PRIMARY KEY, score INTEGER NOT NULL);
            CREATE TABLE IF NOT EXISTS total(n INTEGER NOT NULL, score INTEGER NOT NULL);
            CREATE VIRTUAL TABLE IF NOT EXISTS ledgerText USING fts5(text);
            INSERT INTO total SELECT 0, 0 WHERE NOT EXISTS (SELECT * FROM total);
            INSERT OR IGNORE INTO account SELECT value, 0 FROM json_each('[0,1,2,3,4,5,6]');
            """)
}

/// Transaction `n`, which follows the transaction before. Returns its number.
private func change(_ db: Database) throws -> Int {
    let n = try Int.fetchOne(db, sql: "SELECT n FROM total")! + 1
    try db.execute(
        sql: """
            INSERT INTO ledger VALUES (?, ?);
            UPDATE account SET score = score + ? WHERE id = ?;
            UPDATE total SET n = ?, score = score + ?;
            INSERT INTO ledgerText(rowid, text) VALUES (?, ?);
            DELETE FROM ledgerText WHERE rowid <= ?;
            DELETE FROM ledger WHERE n <= ?;
            """,
        arguments: [
            n, "transaction \(n)" + String(repeating: " x", count: n * 37 % 900),
            n, n % 7,
            n, n,
            n, "whale \(n)",
            n - 40,
            n - 40,
        ])
    // Nothing of this may be found.
    try? db.inSavepoint {
        try db.execute(sql: "UPDATE account SET score = -1")
        return .rollback
    }
    return n
}

private func isWhole(_ db: Database) throws -> Bool {
    let row = try Row.fetchOne(
        db, sql: "SELECT n, score, (SELECT SUM(score) FROM account) FROM total")!
    let (n, score, sum) = (row[0] as Int, row[1] as Int, row[2] as Int)
    return score == n * (n + 1) / 2 && sum == score
}

private func work(_ path: String, acknowledged: String, received: String) async throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(20)
    configuration.maximumReaderCount = 2
    let pool = try DatabasePool(path: path, configuration: configuration)
    try await pool.write(createTables)
    let outbox = try pool.outbox(named: "ledger", tables: ["total"])
    let (acknowledgedLines, receivedLines) = (try Lines(acknowledged), try Lines(received))

    // An observation never sees half of a transaction, nor an older one.
    let last = Shared(0)
    let failure = Shared<String?>(nil)
    let observation = ValueObservation.tracking { db in
        (try Int.fetchOne(db, sql: "SELECT n FROM total")!, try isWhole(db))
    }
    let cancellable = observation.start(
        in: pool, scheduling: .async(onQueue: DispatchQueue(label: "observer")),
        onError: { error in failure.update { $0 = "\(error)" } },
        onChange: { n, isWhole in
            let former = last.update { value -> Int in
                defer { value = n }
                return value
            }
            if !isWhole || n < former {
                failure.update { $0 = "\(n) after \(former), whole: \(isWhole)" }
            }
        })
    defer { cancellable.cancel() }
    printLine("ready")

    let receiver = Task {
        for try await entry in outbox.entries(batchSize: 10) {
            if entry.kind != .update { continue }
            let object =
                try JSONSerialization.jsonObject(with: Data(entry.json.utf8)) as! [String: Any]
            try receivedLines.add("\((object["new"] as! [String: Any])["n"] as! Int)")
            try await outbox.acknowledge(entry)
        }
    }
    while failure.value == nil {
        if Bool.random() {
            try acknowledgedLines.add("\(await pool.write(change))")
        } else {
            async let first = pool.batchedWrite(change)
            async let second = pool.batchedWrite(change)
            let numbers = try await [first, second]
            try acknowledgedLines.add("\(numbers.max()!)")
        }
        if try await pool.read({ try outbox.pendingCount($0) }) > 30 {
            try await Task.sleep(nanoseconds: 2_000_000)
        }
    }
    receiver.cancel()
    throw Failed(failure.value!)
}

func runKills(_ arguments: ArraySlice<String>) throws {
    let arguments = Array(arguments)
    guard arguments.count == 4, arguments[0] == "work" else { throw Failed("kills \(arguments)") }
    try waitForTask {
        try await work(arguments[1], acknowledged: arguments[2], received: arguments[3])
    }
}
