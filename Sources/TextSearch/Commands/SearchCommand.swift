import Foundation

/// `search QUERY`: prints the files that a query finds, the best ones first.
struct SearchCommand {
    var query: String
    var databasePath: String
    var limit = SearchCommand.defaultLimit
    var isRaw = false
    var explains = false
    /// Where to search; everywhere if nil.
    var folder: String?

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

    init(_ arguments: Arguments) throws {
        if arguments.operands.isEmpty {
            throw UsageError(message: "search needs a query", command: "search")
        }
        self.init(
            // Words may come without quotes of the shell.
            query: arguments.operands.joined(separator: " "),
            databasePath: try DatabaseLocation.path(arguments.value(of: "--database")),
            limit: try arguments.number(of: "--limit", in: SearchCommand.limits)
                ?? SearchCommand.defaultLimit,
            isRaw: arguments.has("--raw"))
        explains = arguments.has("--explain")
    }

    /// - returns: the exit code.
    func run(console: Console) throws -> Int32 {
        let start = ProgressReport.uptime()
        let index = try IndexDatabase.forReading(path: databasePath)
        let searcher = Searcher(
            index: index, limit: limit, isRaw: isRaw, folder: folder, explains: explains,
            width: { path in
                // Elsewhere, lines are as long as they like, within reason.
                guard console.isOutputTerminal, !console.isJSON else { return 160 }
                return max(20, console.columns() - DisplayPath.text(path).count - 8)
            })
        let results = try searcher.search(query)
        let elapsed = Int((ProgressReport.uptime() - start) * 1000)
        if console.isJSON {
            try console.printJSON(
                SearchOutput(query: query, results, milliseconds: elapsed, explains: explains))
        } else if let results {
            if let explanation = results.explanation { print(explanation, to: console) }
            for (index, result) in results.best.enumerated() {
                print(result, rank: index + 1, to: console)
            }
            // Other programs read the lines above.
            console.printError(summary(results, milliseconds: elapsed))
        } else {
            console.printError("Nothing to search for: the query has no letters and no digits.")
        }
        try index.close()
        return results?.best.isEmpty == false ? ExitCode.success : ExitCode.incomplete
    }

    private func summary(_ results: Searcher.Results, milliseconds: Int) -> String {
        let found =
            switch results.count {
            case 0: "No results"
            case results.best.count: TextFormat.count(results.count, "result")
            default: "\(results.best.count) of \(TextFormat.count(results.count, "result"))"
            }
        return "\(found) (\(TextFormat.count(milliseconds)) ms)"
    }

    private func print(_ explanation: Searcher.Explanation, to console: Console) {
        console.print("Pattern: \(TextFormat.printable(explanation.pattern))")
        console.print("SQL: \(TextFormat.printable(explanation.sql))")
        console.print("Plan:")
        for line in explanation.plan {
            console.print("  \(TextFormat.printable(line))")
        }
        console.print("")
    }

    /// Prints `path:line: text`, as compilers do: editors and terminals open such places.
    private func print(_ result: Searcher.Result, rank: Int, to console: Console) {
        let path = SearchCommand.highlightedPath(result, console)
        if explains {
            let place = result.firstPlace.map {
                ", first match: word \($0.word + 1) of the \($0.column)"
            }
            console.print(
                console.faint(
                    "\(rank). score \(TextFormat.decimal(result.score, digits: 3))\(place ?? "")"))
        }
        func print(line: Int, text: String) {
            let number = console.styled("\(line)", .lineNumber)
            console.print("\(path):\(number):\(text.isEmpty ? "" : " " + text)")
        }
        if result.snippet.lines.isEmpty {
            // The name alone has the words.
            print(line: 1, text: "")
        }
        for line in result.snippet.lines {
            let pieces = line.pieces.map { $0.isMatch ? console.styled($0.text, .match) : $0.text }
            print(line: line.number, text: pieces.joined())
        }
    }

    /// The path, with the matches in its last part.
    private static func highlightedPath(_ result: Searcher.Result, _ console: Console) -> String {
        let path = Array(result.path.utf8)
        let shown = Array(
            DisplayPath.relative(result.path, to: DisplayPath.currentFolder).utf8)
        let titleStart = (path.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1
        func text(_ range: Range<Int>, _ style: Console.Style) -> String {
            console.styled(
                TextFormat.printable(String(decoding: path[range], as: UTF8.self)), style)
        }
        var offset = path.count - shown.count
        var highlighted = ""
        for match in result.titleMatches.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            let range = max(offset, titleStart + match.lowerBound)..<(titleStart + match.upperBound)
            if range.isEmpty { continue }
            highlighted += text(offset..<range.lowerBound, .path) + text(range, .match)
            offset = range.upperBound
        }
        return highlighted + text(offset..<path.count, .path)
    }
}
