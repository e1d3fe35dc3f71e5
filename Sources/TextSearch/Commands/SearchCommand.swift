import Foundation

/// `search QUERY`: prints the files that a query finds, the best ones first.
struct SearchCommand {
    var query: String
    var databasePath: String
    var limit = SearchCommand.defaultLimit
    var isRaw = false

    static let defaultLimit = 10
    static let limits = 1...10_000

    init(
        query: String, databasePath: String, limit: Int = SearchCommand.defaultLimit,
        isRaw: Bool = false
    ) {
        self.query = query
        self.databasePath = databasePath
        self.limit = limit
        self.isRaw = isRaw
    }

    init(_ arguments: [String]) throws {
        let arguments = try Arguments(
            arguments, flags: ["--raw"], options: ["--database", "--limit"])
        if arguments.operands.isEmpty {
            throw UsageError(message: "search needs a query")
        }
        self.init(
            // Words may come without quotes of the shell.
            query: arguments.operands.joined(separator: " "),
            databasePath: try DatabaseLocation.path(arguments.value(of: "--database")),
            limit: try arguments.number(of: "--limit", in: SearchCommand.limits)
                ?? SearchCommand.defaultLimit,
            isRaw: arguments.has("--raw"))
    }

    /// - returns: the exit code.
    func run(console: Console) throws -> Int32 {
        let start = ProgressReport.uptime()
        let index = try IndexDatabase.forReading(path: databasePath)
        let searcher = Searcher(
            index: index, limit: limit, isRaw: isRaw,
            // Elsewhere, lines are as long as they like, within reason.
            width: console.isOutputTerminal ? max(20, console.columns() - 9) : 160)
        guard let results = try searcher.search(query) else {
            console.print("Nothing to search for: the query has no letters and no digits.")
            return ExitCode.success
        }
        for (index, result) in results.best.enumerated() {
            print(result, number: index + 1, to: console)
        }
        let elapsed = Int((ProgressReport.uptime() - start) * 1000)
        let found =
            switch results.count {
            case 0: "No results"
            case results.best.count: TextFormat.count(results.count, "result")
            default: "\(results.best.count) of \(TextFormat.count(results.count, "result"))"
            }
        console.print(console.faint("\(found) (\(TextFormat.count(elapsed)) ms)"))
        try index.close()
        return ExitCode.success
    }

    private func print(_ result: Searcher.Result, number: Int, to console: Console) {
        let path = SearchCommand.highlightedPath(result, console)
        let score = console.faint("(\(TextFormat.decimal(result.score)))")
        console.print("\(TextFormat.padded(String(number), to: 2)). \(path)  \(score)")
        for line in result.snippet.lines {
            let text = line.pieces
                .map { $0.isMatch ? console.highlighted($0.text) : $0.text }
                .joined()
            let number = console.faint(TextFormat.padded(String(line.number), to: 7) + ":")
            console.print("\(number) \(text)")
        }
    }

    /// The path, with the matches in its last part.
    private static func highlightedPath(_ result: Searcher.Result, _ console: Console) -> String {
        let path = Array(result.path.utf8)
        let shown = Array(
            DisplayPath.relative(result.path, to: DisplayPath.currentFolder).utf8)
        let titleStart = (path.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1
        func text(_ range: Range<Int>) -> String {
            TextFormat.printable(String(decoding: path[range], as: UTF8.self))
        }
        var offset = path.count - shown.count
        var highlighted = ""
        for match in result.titleMatches.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            let range = max(offset, titleStart + match.lowerBound)..<(titleStart + match.upperBound)
            if range.isEmpty { continue }
            highlighted += text(offset..<range.lowerBound) + console.highlighted(text(range))
            offset = range.upperBound
        }
        return highlighted + text(offset..<path.count)
    }
}
