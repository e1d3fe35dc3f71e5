import Foundation
import GRDB
import GRDBTestSupport
import Testing

@testable import TextSearch

@Suite struct IndexFailureTests {
    @Test func aLockedIndexIsExplained() throws {
        let files = try TestIndex(busyTimeout: 0.05)
        try files.folder.write("a", "word")
        let other = try DatabaseQueue(path: files.databasePath)
        let error = try other.inDatabase { db in
            try db.execute(sql: "BEGIN IMMEDIATE")
            defer { try? db.execute(sql: "ROLLBACK") }
            // Searching goes on meanwhile.
            try expectEqual(files.search("word"), [])
            return expectError(DatabaseError.self) { try files.update() }
        }
        expectEqual(error?.resultCode, .SQLITE_BUSY)
        expectTrue(DatabaseFailure.message(try unwrap(error)).hasPrefix("the index is locked"))
        // Nothing stands in the way any longer.
        try expectEqual(files.update().changes, ["a": .inserted(size: 4)])
        try other.close()
    }

    @Test func aFullDiskLosesNothing() throws {
        let files = try TestIndex()
        try files.folder.write("small", "word")
        try files.update()
        let text = (0..<10_000).map { "word\($0)" }.joined(separator: " ")
        try files.folder.write("large", text)
        try files.folder.write("small", "changed")
        try files.index.queue.inDatabase { db in
            let count = try Int.fetchOne(db, sql: "PRAGMA page_count")!
            try db.execute(sql: "PRAGMA max_page_count = \(count + 10)")
        }
        let error = expectError(DatabaseError.self) { try files.update() }
        expectEqual(error?.resultCode, .SQLITE_FULL)
        expectTrue(DatabaseFailure.message(try unwrap(error)).hasPrefix("the disk is full"))
        try expectTrue(files.isSound())
        try expectEqual(files.search("word"), ["small"])

        try files.index.queue.inDatabase { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
        try expectEqual(
            files.update().changes,
            [
                "large": .inserted(size: text.utf8.count),
                "small": .changed(oldSize: 4, newSize: 7),
            ])
        try expectTrue(files.isSound())
    }

    /// Sends a signal when the third file is written.
    private final class SignalAtThirdFile: TransactionObserver {
        let interruption: Interruption
        var count = 0

        init(_ interruption: Interruption) {
            self.interruption = interruption
        }

        func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
            eventKind.tableName == IndexDatabase.fileTable
        }

        func databaseDidChange(with event: DatabaseEvent) {
            count += 1
            if count == 3 { interruption.receive(SIGINT) }
        }

        func databaseDidCommit(_ db: Database) {}
        func databaseDidRollback(_ db: Database) {}
    }

    @Test func anInterruptionKeepsWholeFiles() throws {
        let files = try TestIndex()
        for number in 1...9 {
            try files.folder.write("\(number)", "word")
        }
        let interruption = Interruption()
        let observer = SignalAtThirdFile(interruption)
        files.index.queue.add(transactionObserver: observer)
        let (changes, outcome) = try files.update(interruption: interruption)
        expectTrue(outcome.isInterrupted)
        expectEqual(outcome.remainingCount, 6)
        expectEqual(Set(changes.keys), ["1", "2", "3"])
        expectEqual(Set(try files.search("word")), ["1", "2", "3"])
        try expectTrue(files.isSound())
        try expectEqual(files.update().changes.count, 6)
    }

    @Test func aSecondInterruptionRunsTheAction() {
        let interruption = Interruption()
        let console = RecordedConsole()
        interruption.onSecondSignal({ console.console.print("stop") }) {
            interruption.receive(SIGINT)
            expectEqual(console.output, "")
            interruption.receive(SIGINT)
        }
        interruption.receive(SIGINT)
        expectEqual(console.output, "stop\n")
        expectEqual(interruption.signal, SIGINT)
    }

    @Test func aRolledBackChangeIsNotReported() throws {
        let files = try TestIndex()
        let reporter = ChangeReporter(files.index)
        let file = NewFile(path: "/a", size: 1, modified: 1, body: "x")
        try files.index.queue.inTransaction { _ in .rollback }
        try files.index.queue.inTransaction { db in
            try IndexDatabase.save(file, in: db)
            return .rollback
        }
        expectEqual(reporter.changes, [])
        try files.index.queue.write { try IndexDatabase.save(file, in: $0) }
        expectEqual(reporter.changes, [FileChange(path: "/a", kind: .inserted(size: 1))])
    }

    @Test func databasesOfOtherProgramsAreLeftAsTheyAre() throws {
        let folder = try TestFolder()
        let other = try DatabaseQueue(path: folder["other.sqlite"])
        try other.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        try other.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: folder["other.sqlite"]))
        let error = expectError(CommandError.self) {
            try IndexDatabase.forIndexing(path: folder["other.sqlite"])
        }
        expectEqual(error?.message.contains("another program"), true)
        try expectEqual(Data(contentsOf: URL(fileURLWithPath: folder["other.sqlite"])), before)
    }

    @Test func aFileThatIsNoDatabaseIsExplained() throws {
        let folder = try TestFolder()
        try folder.write("text", String(repeating: "no database ", count: 100))
        let error = expectError(DatabaseError.self) {
            try IndexDatabase.forIndexing(path: folder["text"])
        }
        expectEqual(error?.resultCode, .SQLITE_NOTADB)
    }

    @Test func aMissingIndexIsNotCreatedByReading() throws {
        let folder = try TestFolder()
        expectError(CommandError.self) {
            try IndexDatabase.forReading(path: folder["missing.sqlite"])
        }
        expectTrue(!FileManager.default.fileExists(atPath: folder["missing.sqlite"]))
    }
}
