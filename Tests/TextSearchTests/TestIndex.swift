import Foundation
import GRDB

@testable import TextSearch

/// A folder of files, and an index of it.
final class TestIndex {
    let folder: TestFolder
    let index: IndexDatabase
    private let databaseFolder: TestFolder

    var databasePath: String { databaseFolder["index.sqlite"] }

    init(busyTimeout: TimeInterval = 5) throws {
        folder = try TestFolder()
        databaseFolder = try TestFolder()
        index = try IndexDatabase.forIndexing(
            path: databaseFolder["index.sqlite"], busyTimeout: busyTimeout)
    }

    deinit {
        try? index.close()
    }

    /// Indexes the folder. Returns the changes, by name, and what became of the files.
    @discardableResult
    func update(
        interruption: Interruption = Interruption()
    ) throws -> (changes: [String: FileChange.Kind], outcome: Indexer.Outcome) {
        let reporter = ChangeReporter(index)
        let indexer = Indexer(
            index: index, console: RecordedConsole().console, interruption: interruption)
        var outcome = Indexer.Outcome()
        try indexer.run(folders: [folder.path], outcome: &outcome)
        let changes = reporter.changes.map { ($0.path.dropping(folder.path + "/"), $0.kind) }
        return (Dictionary(changes, uniquingKeysWith: { $1 }), outcome)
    }

    /// The names of the files that a query finds, the best first.
    func search(_ query: String, isRaw: Bool = false) throws -> [String] {
        try results(query, isRaw: isRaw).map { $0.path.dropping(folder.path + "/") }
    }

    func results(_ query: String, isRaw: Bool = false) throws -> [Searcher.Result] {
        let searcher = Searcher(index: index, limit: 1000, isRaw: isRaw)
        return try searcher.search(query)?.best ?? []
    }

    /// The names of all files of the index.
    func fileNames() throws -> [String] {
        try index.files().map { $0.path.dropping(folder.path + "/") }
    }

    /// Whether the full-text table has the words of the file table, and the database is sound.
    func isSound() throws -> Bool {
        try index.queue.write { db in
            // Throws SQLITE_CORRUPT_VTAB when the tables differ.
            try db.execute(
                sql: "INSERT INTO search(search, rank) VALUES ('integrity-check', 1)")
            return try String.fetchOne(db, sql: "PRAGMA integrity_check") == "ok"
        }
    }
}

extension String {
    func dropping(_ prefix: String) -> String {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
    }
}

/// A console that keeps what is written.
///
/// `@unchecked Sendable`: the lock guards both texts.
final class RecordedConsole: @unchecked Sendable {
    private let lock = NSLock()
    private var outputText = ""
    private var errorText = ""
    private let isTerminal: Bool

    init(isTerminal: Bool = false) {
        self.isTerminal = isTerminal
    }

    var output: String { lock.withLock { outputText } }
    var errors: String { lock.withLock { errorText } }

    var console: Console {
        Console(
            isOutputTerminal: isTerminal, isErrorTerminal: isTerminal, isStyled: isTerminal,
            columns: { 80 },
            write: { text in self.lock.withLock { self.outputText += text } },
            writeError: { text in self.lock.withLock { self.errorText += text } })
    }
}
