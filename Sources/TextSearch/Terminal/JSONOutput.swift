import Foundation

extension Console {
    /// Prints a value as JSON, on one line, keys in the order of the alphabet.
    func printJSON(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}

/// A change of a file, for programs.
struct ChangeOutput: Encodable {
    var change: String
    var path: String
    var size: Int?
    var oldSize: Int?

    init(_ change: FileChange) {
        path = change.path
        switch change.kind {
        case .inserted(let size): (self.change, self.size) = ("inserted", size)
        case .changed(let oldSize, let newSize):
            (self.change, self.oldSize, self.size) = ("changed", oldSize, newSize)
        case .deleted(let size): (self.change, self.oldSize) = ("deleted", size)
        }
    }
}

/// What `index` has done.
struct IndexOutput: Encodable {
    struct Problem: Encodable {
        var path: String
        var message: String
    }

    var changes: [ChangeOutput]
    var folders: Int
    var files: Int
    var upToDate: Int
    var binaries: [String]
    var problems: [Problem]
    var bytesRead: Int
    var isInterrupted: Bool
    var seconds: Double

    init(_ outcome: Indexer.Outcome, _ changes: [FileChange], seconds: Double) {
        self.changes = changes.map(ChangeOutput.init)
        folders = outcome.folderCount
        files = outcome.fileCount
        upToDate = outcome.unchangedCount
        binaries = outcome.binaries
        problems = outcome.problems.map { Problem(path: $0.path, message: $0.message) }
        bytesRead = outcome.readBytes
        isInterrupted = outcome.isInterrupted
        self.seconds = seconds
    }
}

/// What `search` has found.
struct SearchOutput: Encodable {
    /// Bytes of UTF-8 in the text or the name beside.
    struct Match: Encodable {
        var start: Int
        var end: Int
    }

    struct Line: Encodable {
        var number: Int
        var text: String
        var matches: [Match]

        init(_ line: Snippet.Line) {
            number = line.number
            text = ""
            matches = []
            for piece in line.pieces {
                let start = text.utf8.count
                text += piece.text
                if piece.isMatch { matches.append(Match(start: start, end: text.utf8.count)) }
            }
        }
    }

    struct Result: Encodable {
        var rank: Int
        var path: String
        var score: Double
        var firstMatch: Place?
        /// In the name of the file.
        var nameMatches: [Match]
        var lines: [Line]
    }

    struct Place: Encodable {
        var column: String
        var word: Int
    }

    struct Explanation: Encodable {
        var pattern: String
        var sql: String
        var plan: [String]
    }

    var query: String
    var count: Int
    var milliseconds: Int
    var explanation: Explanation?
    var results: [Result]

    init(
        query: String, _ results: Searcher.Results?, milliseconds: Int, explains: Bool
    ) {
        self.query = query
        self.milliseconds = milliseconds
        count = results?.count ?? 0
        explanation = results?.explanation.map { explanation in
            Explanation(
                pattern: explanation.pattern, sql: explanation.sql, plan: explanation.plan)
        }
        self.results = (results?.best ?? []).enumerated().map { index, result in
            Result(
                rank: index + 1, path: result.path, score: result.score,
                firstMatch: explains
                    ? result.firstPlace.map { Place(column: $0.column, word: $0.word) } : nil,
                nameMatches: result.titleMatches.map {
                    Match(start: $0.lowerBound, end: $0.upperBound)
                },
                lines: result.snippet.lines.map(Line.init))
        }
    }
}
