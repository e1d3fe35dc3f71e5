import Foundation
import GRDB

/// `watch [QUERY]`: prints what another process changes in the index, or in the results of a query.
struct WatchCommand {
    var query: String?
    var databasePath: String
    var limit = SearchCommand.defaultLimit
    var isRaw = false

    /// How often to look, in seconds.
    static let interval = 0.3

    init(
        query: String? = nil, databasePath: String, limit: Int = SearchCommand.defaultLimit,
        isRaw: Bool = false
    ) {
        self.query = query
        self.databasePath = databasePath
        self.limit = limit
        self.isRaw = isRaw
    }

    init(_ arguments: Arguments) throws {
        let query = arguments.operands.joined(separator: " ")
        self.init(
            query: query.isEmpty ? nil : query,
            databasePath: try DatabaseLocation.path(arguments.value(of: "--database")),
            limit: try arguments.number(of: "--limit", in: SearchCommand.limits)
                ?? SearchCommand.defaultLimit,
            isRaw: arguments.has("--raw"))
    }

    /// - returns: the exit code.
    func run(console: Console, interruption: Interruption) throws -> Int32 {
        let index = try IndexDatabase.forReading(path: databasePath)
        let identity = try? FileStatus(path: databasePath, followsLinks: true)
        let watch = try IndexWatch(index)
        let searcher = Searcher(index: index, limit: limit, isRaw: isRaw)
        var results = try query.map { try search($0, searcher) }
        interruption.listen()
        try printStart(fileCount: watch.files.count, results, console)

        while !interruption.isRequested {
            Thread.sleep(forTimeInterval: WatchCommand.interval)
            // Another file of this name is not the one that is open.
            let status = try? FileStatus(path: databasePath, followsLinks: true)
            if status?.serial != identity?.serial || status?.device != identity?.device {
                throw CommandError(message: "the index has been deleted or replaced")
            }
            guard let changes = try watch.poll() else { continue }
            if let query {
                let newResults = try search(query, searcher)
                try report(from: results ?? (0, []), to: newResults, console)
                results = newResults
            } else {
                try report(changes, console)
            }
        }
        try index.close()
        return ExitCode.success
    }

    private func search(
        _ query: String, _ searcher: Searcher
    ) throws -> (count: Int, paths: [String]) {
        guard let results = try searcher.search(query, withSnippets: false) else {
            throw CommandError(
                message: "nothing to search for: the query has no letters and no digits")
        }
        return (results.count, results.best.map(\.path))
    }

    // MARK: - Output

    private func printStart(
        fileCount: Int, _ results: (count: Int, paths: [String])?, _ console: Console
    ) throws {
        if console.isJSON {
            try console.printJSON(
                WatchOutput.Start(
                    event: "start", files: fileCount, query: query, count: results?.count,
                    results: results?.paths))
            return
        }
        console.print("Watching \(TextFormat.count(fileCount, "file")). Ctrl-C ends.")
        guard let query, let results else { return }
        console.print(
            "\(TextFormat.count(results.count, "result")) of \(TextFormat.printable(query)):")
        for (index, path) in results.paths.enumerated() {
            let place = TextFormat.padded(String(index + 1), to: 2)
            console.print("\(place). \(console.styled(DisplayPath.text(path), .path))")
        }
    }

    private func report(_ changes: [FileChange], _ console: Console) throws {
        if changes.isEmpty { return }
        if console.isJSON {
            for change in changes { try console.printJSON(ChangeOutput(change)) }
            return
        }
        changes.forEach { console.print(ChangeFormat.line($0, console)) }
        console.print(console.faint(ChangeFormat.total(changes)))
    }

    private func report(
        from old: (count: Int, paths: [String]), to new: (count: Int, paths: [String]),
        _ console: Console
    ) throws {
        let changes = ResultChange.changes(from: old.paths, to: new.paths)
        if console.isJSON {
            for change in changes {
                try console.printJSON(WatchOutput.Change(change, count: new.count))
            }
            return
        }
        for change in changes {
            switch change {
            case .appeared(let path, let place):
                console.print(
                    "\(console.styled("+", .added)) \(DisplayPath.text(path)) (\(place).)")
            case .moved(let path, let oldPlace, let newPlace):
                let mark = console.styled("~", .changed)
                console.print("\(mark) \(DisplayPath.text(path)) (\(oldPlace). → \(newPlace).)")
            case .disappeared(let path):
                console.print("\(console.styled("-", .removed)) \(DisplayPath.text(path))")
            }
        }
        if old.count != new.count || !changes.isEmpty {
            console.print(
                console.faint(
                    """
                    \(TextFormat.count(old.count)) → \
                    \(TextFormat.count(new.count, "result")).
                    """))
        }
    }
}

/// What `watch` prints for programs, besides the changes of files.
private enum WatchOutput {
    struct Start: Encodable {
        var event: String
        var files: Int
        var query: String?
        var count: Int?
        var results: [String]?
    }

    /// A result that is new, gone or at another rank.
    struct Change: Encodable {
        var result: String
        var path: String
        var rank: Int?
        var oldRank: Int?
        /// How many results there are now.
        var count: Int

        init(_ change: ResultChange, count: Int) {
            self.count = count
            switch change {
            case .appeared(let path, let place):
                (result, self.path, rank) = ("appeared", path, place)
            case .moved(let path, let oldPlace, let newPlace):
                (result, self.path, oldRank, rank) = ("moved", path, oldPlace, newPlace)
            case .disappeared(let path): (result, self.path) = ("disappeared", path)
            }
        }
    }
}
