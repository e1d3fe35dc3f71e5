import Foundation
import GRDB

/// `index FOLDER…`: updates the index from folders, and reports the changes.
struct IndexCommand {
    var folders: [String]
    var databasePath: String
    var synonyms: Synonyms?
    /// Whether what .gitignore files exclude is left out.
    var respectsIgnoreFiles = true
    var isVerbose = false

    /// Where synonyms come from.
    enum Synonyms {
        case file(String)
        case text(String)
    }

    /// More changes than these are only counted.
    static let maximumListedChanges = 20

    init(
        folders: [String], databasePath: String, synonyms: Synonyms? = nil,
        respectsIgnoreFiles: Bool = true, isVerbose: Bool = false
    ) {
        self.folders = folders
        self.databasePath = databasePath
        self.synonyms = synonyms
        self.respectsIgnoreFiles = respectsIgnoreFiles
        self.isVerbose = isVerbose
    }

    init(_ arguments: Arguments) throws {
        if arguments.operands.isEmpty {
            throw UsageError(message: "index needs a folder", command: "index")
        }
        self.init(
            folders: arguments.operands,
            databasePath: try DatabaseLocation.path(arguments.value(of: "--database")),
            synonyms: arguments.value(of: "--synonyms").map(Synonyms.file),
            respectsIgnoreFiles: !arguments.has("--no-ignore"),
            isVerbose: arguments.has("--verbose"))
    }

    /// - returns: the exit code.
    func run(console: Console, interruption: Interruption) throws -> Int32 {
        let start = ProgressReport.uptime()
        let index = try IndexDatabase.forIndexing(path: databasePath)
        if let synonyms {
            try replaceSynonyms(synonyms, of: index)
        }

        let reporter = ChangeReporter(index)
        interruption.listen()
        defer { interruption.stopListening() }
        var outcome = Indexer.Outcome()
        let indexer = Indexer(
            index: index, console: console, interruption: interruption,
            respectsIgnoreFiles: respectsIgnoreFiles)
        do {
            try indexer.run(folders: folders, outcome: &outcome)
        } catch let error as DatabaseError where error.isInterruptionError {
            // The second Ctrl-C.
            outcome.isInterrupted = true
        } catch {
            // Say what is in the index before what went wrong.
            if outcome.folderCount > 0 {
                try report(outcome, reporter.changes, start: start, to: console)
            }
            throw error
        }
        try report(outcome, reporter.changes, start: start, to: console)
        try index.close()
        if outcome.isInterrupted {
            let left = outcome.remainingCount.map { "\(TextFormat.count($0, "file")) left. " } ?? ""
            console.printError(
                "Interrupted: \(left)What is reported above is kept; index again to go on.")
            return ExitCode.signal(interruption.signal ?? SIGINT)
        }
        return outcome.problems.isEmpty ? ExitCode.success : ExitCode.incomplete
    }

    private func replaceSynonyms(_ synonyms: Synonyms, of index: IndexDatabase) throws {
        let text: String
        var origin = "the synonyms"
        switch synonyms {
        case .text(let string):
            text = string
        case .file(let path):
            origin = TextFormat.printable(path)
            do {
                guard case .text(let string, _) = try TextFile(readingFrom: path) else {
                    throw FileProblem(message: "is not UTF-8 text")
                }
                text = string
            } catch let problem as FileProblem {
                throw CommandError(message: "\(origin): \(problem.message)")
            }
        }
        do {
            let list = try SynonymList(text: text, fold: index.folded)
            try index.replaceSynonyms(list)
        } catch let error as CommandError {
            throw CommandError(message: "\(origin): \(error.message)")
        }
    }

    // MARK: - Report

    private func report(
        _ outcome: Indexer.Outcome, _ changes: [FileChange], start: Double, to console: Console
    ) throws {
        if console.isJSON {
            let seconds = ProgressReport.uptime() - start
            try console.printJSON(IndexOutput(outcome, changes, seconds: seconds))
            return
        }
        if isVerbose || changes.count <= IndexCommand.maximumListedChanges {
            for change in changes {
                console.print(ChangeFormat.line(change, console))
            }
        }
        if isVerbose {
            for path in outcome.binaries {
                console.print(console.faint("skipped \(DisplayPath.text(path)): binary"))
            }
        }
        for problem in outcome.problems {
            console.printError("\(DisplayPath.text(problem.path)): \(problem.message)")
        }

        console.print(ChangeFormat.total(changes))
        var parts = [
            "\(TextFormat.count(outcome.fileCount, "file")) in "
                + TextFormat.count(outcome.folderCount, "folder"),
            "\(TextFormat.count(outcome.unchangedCount)) up to date",
            "\(TextFormat.count(outcome.binaries.count, "binary", "binaries")) skipped",
        ]
        if !outcome.problems.isEmpty {
            parts.append("\(TextFormat.count(outcome.problems.count)) could not be indexed")
        }
        let elapsed = ProgressReport.uptime() - start
        parts.append("\(TextFormat.size(outcome.readBytes)) read")
        parts.append("\(TextFormat.decimal(elapsed)) s")
        console.print(parts.joined(separator: ", ") + ".")
    }
}
