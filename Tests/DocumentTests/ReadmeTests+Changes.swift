import GRDBChanges
import Foundation
import GRDB
import GRDBTestSupport
import Testing

// The snippets on observation and changes.

extension ReadmeTests {
    @Test func observation() async throws {
        @Sendable func print(_ text: String) {}
        let dbQueue = try makeQueue()
        try await dbQueue.write { try $0.execute(sql: "UPDATE player SET score = score + 1") }
        // snippet: observation
        let observation = ValueObservation.tracking { db in
            try Int.fetchOne(db, sql: "SELECT MAX(score) FROM player") ?? 0
        }
        let cancellable = observation.start(
            in: dbQueue, scheduling: .async(onQueue: .main),
            onError: { error in print("the observation has failed: \(error)") },
            onChange: { score in print("best score: \(score)") })

        // The same, as an asynchronous sequence
        for try await score in observation.values(in: dbQueue) {
            print("best score: \(score)")
            if score > 1_000 { break }
        }
        // end
        cancellable.cancel()
    }

    @Test func observer() throws {
        let printed = Log<[String]>()
        @Sendable func print(_ lines: [String]) { printed.append(lines) }
        let dbQueue = try makeQueue()
        // snippet: observer
        final class ScoreObserver: TransactionObserver {
            private var lines: [String] = []
            private let report: @Sendable ([String]) -> Void

            init(report: @escaping @Sendable ([String]) -> Void) { self.report = report }

            func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
                eventKind.tableName == "player"
            }

            func databaseWillChange(with event: DatabasePreUpdateEvent) {
                if let old = event.initialDatabaseValue(forColumn: "score"),
                    let new = event.finalDatabaseValue(forColumn: "score")
                {
                    lines.append("score: \(old) → \(new)")
                }
            }

            func databaseDidChange(with event: DatabaseEvent) {}

            func databaseDidCommit(_ db: Database) {
                report(lines)
                lines = []
            }

            func databaseDidRollback(_ db: Database) { lines = [] }
        }

        dbQueue.add(
            transactionObserver: ScoreObserver { print($0) }, extent: .databaseLifetime)
        // end
        try dbQueue.write { try $0.execute(sql: "UPDATE player SET score = 2 * score") }
        expectEqual(printed.elements, [["score: 1000 → 2000", "score: 50 → 100"]])
    }

    @Test func changeFeed() async throws {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        @Sendable func print(_ change: DatabaseRowChange) { continuation.yield("\(change)") }
        let dbQueue = try makeQueue()
        // snippet: changeFeed
        let feed = DatabaseChangeFeed(tracking: .table("player", columns: ["id", "score"]))
        let task = Task {
            for try await transaction in feed.transactions(in: dbQueue) {
                for change in transaction.changes {
                    print(change)  // update main.player [id:1 score:1000 → 2000]
                }
            }
        }
        // end
        var iterator = lines.makeAsyncIterator()
        // The task may start later than the first write.
        let writing = Task {
            while !Task.isCancelled {
                try await dbQueue.write { db in
                    try db.execute(sql: "UPDATE player SET score = 1000 WHERE id = 1")
                    try db.execute(sql: "UPDATE player SET score = 2000 WHERE id = 1")
                }
            }
        }
        var line = await iterator.next()
        if line?.contains("→ 1000") == true { line = await iterator.next() }
        expectEqual(line, "update main.player [id:1 score:1000 → 2000]")
        writing.cancel()
        task.cancel()
    }

    @Test func externalChanges() async throws {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        @Sendable func print(_ line: String) { continuation.yield(line) }
        let dbQueue = try TestDatabases.makeQueue(.file)
        // snippet: externalChanges
        let monitor = try ExternalChangeMonitor(dbQueue)
        monitor.start { db in
            print("another process has written")
        }
        // end
        let other = try TestDatabases.openQueue(dbQueue.path)
        try await other.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        var iterator = lines.makeAsyncIterator()
        let line = await iterator.next()
        expectEqual(line, "another process has written")
        monitor.stop()
    }
}
