import Foundation
import GRDB
import GRDBTables

/// Feeds full-text tables with documents and patterns that nobody would write.
///
/// No input may trap, or take longer than a second, or leave an index that contradicts its table.
/// Most patterns are no patterns: their errors are of `DatabaseError`.
///
/// What takes SQLite itself longer than a second is not tried: to read patterns of ten thousands of
/// phrases, which takes the square of their number, as does listing their instances; to look for
/// phrases of as many tokens; and `snippet()`, whose time grows with the square of the number of
/// instances in a row.
///
/// This file is also part of the package in scripts/trust/stress, which runs it at length.
struct FullTextFuzz {
    /// What went wrong, at most once a kind.
    private(set) var problems: [String] = []
    private(set) var documentCount = 0
    private(set) var patternCount = 0
    private(set) var errorCount = 0
    private(set) var matchCount = 0
    /// The CPU time of the slowest input, in seconds.
    private(set) var slowest = 0.0
    private(set) var slowestInput = "none"

    private let seed: UInt64
    private var random: Random
    private let dbQueue: DatabaseQueue

    /// - parameter seed: the same seed makes the same inputs.
    init(seed: UInt64) throws {
        self.seed = seed
        random = Random(state: seed)
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            try db.tryAdd(tokenizer: FoldingTokenizer.self)
            try db.tryAdd(tokenizer: BytesTokenizer.self)
            try db.add(auxiliaryFunction: Self.explore)
            try db.add(auxiliaryFunction: Self.instances)
        }
        dbQueue = try DatabaseQueue(configuration: configuration)
        try dbQueue.write { db in
            for (table, options) in Self.fts5Tables {
                try db.execute(sql: "CREATE VIRTUAL TABLE \(table) USING fts5(a, b, \(options))")
            }
            for (table, options) in Self.fts4Tables {
                try db.execute(sql: "CREATE VIRTUAL TABLE \(table) USING fts4(a, b, \(options))")
            }
        }
    }

    private static let fts5Tables: KeyValuePairs = [
        "plain": "tokenize = 'unicode61'",
        "wrapped": "tokenize = 'fuzzfolding', prefix = '2 3'",
        "porter": "tokenize = 'porter fuzzfolding'",
        "custom": "tokenize = 'fuzzbytes', locale = 1",
        "trigrams": "tokenize = 'trigram remove_diacritics 1'",
        "contentless": "tokenize = 'fuzzfolding', content = '', contentless_delete = 1",
        "columns": "tokenize = 'ascii', detail = column",
    ]

    private static let fts4Tables: KeyValuePairs = [
        "simple4": "tokenize=simple",
        "porter4": "tokenize=porter, prefix=\"2,3\"",
        "unicode4": "tokenize=unicode61 \"tokenchars=-.\"",
    ]

    private static let tables = fts5Tables.map(\.key) + fts4Tables.map(\.key)

    private static func isFTS4(_ table: String) -> Bool { table.hasSuffix("4") }

    var summary: String {
        """
        \(documentCount) documents, \(patternCount) patterns, \(errorCount) of them refused, \
        \(matchCount) matches, seed \(seed), slowest: \(slowestInput), \(Int(slowest * 1000)) ms
        """
    }

    // MARK: - Running

    /// - parameter limit: the CPU time that an input may take, in seconds; nil for any.
    /// - parameter progress: called after each thousand of inputs.
    mutating func run(
        inputs: Int, limit: Double?, progress: (Int, FullTextFuzz) -> Void = { _, _ in }
    ) throws {
        for input in 1...inputs {
            let start = Self.cpuTime
            let what = try feed()
            let duration = Self.cpuTime - start
            if duration > slowest {
                slowest = duration
                slowestInput = "input \(input), \(what)"
            }
            if let limit, duration > limit {
                note("seed \(seed), input \(input), \(what), took \(duration) s")
            }
            if input.isMultiple(of: 1000) || input == inputs {
                try check(input)
                progress(input, self)
            }
        }
    }

    /// That of the current thread, on which all accesses run, in seconds. It does not depend on what
    /// else the machine does.
    private static var cpuTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private mutating func note(_ problem: String) {
        if problems.count < 20 { problems.append(problem) }
    }

    private mutating func check(_ input: Int) throws {
        var problem: String?
        try dbQueue.writeWithoutTransaction { db in
            for table in Self.tables {
                do {
                    try db.execute(
                        sql: Self.isFTS4(table)
                            ? "INSERT INTO \(table)(\(table)) VALUES ('integrity-check')"
                            : "INSERT INTO \(table)(\(table), rank) VALUES ('integrity-check', 1)")
                } catch {
                    problem = "seed \(seed), after input \(input), table \(table): \(error)"
                }
                // Keeps the tables small, and the inputs fast.
                try db.execute(sql: "DELETE FROM \(table) WHERE rowid % 3 <> 0")
            }
        }
        if let problem { note(problem) }
    }

    private mutating func feed() throws -> String {
        let table = Self.tables.randomElement(using: &random)!
        if Bool.random(using: &random) {
            documentCount += 1
            let (a, b) = (bytes(for: table), bytes(for: table))
            let rowID = Int.random(in: 1...300, using: &random)
            let sql =
                switch Int.random(in: 0..<10, using: &random) {
                case 0: "DELETE FROM \(table) WHERE rowid = ?3 AND ?1 IS NOT ?2"
                case 1 where table != "contentless":
                    "UPDATE \(table) SET b = CAST(?1 AS TEXT) WHERE rowid = ?3 AND ?1 IS NOT ?2"
                case 2 where table == "custom":
                    """
                    REPLACE INTO custom(rowid, a, b)
                    VALUES (?3, fts5_locale(CAST(?2 AS TEXT), CAST(?1 AS TEXT)), '')
                    """
                default:
                    """
                    REPLACE INTO \(table)(rowid, a, b)
                    VALUES (?3, CAST(?1 AS TEXT), CAST(?2 AS TEXT))
                    """
                }
            try dbQueue.write { db in
                try db.execute(sql: sql, arguments: [a, b, rowID])
            }
            return "a document of \(a.count) and \(b.count) bytes for \(table)"
        }
        patternCount += 1
        let pattern = bytes(for: table, isPattern: true)
        let text = String(decoding: pattern, as: UTF8.self)
        let isMadeFromText = Int.random(in: 0..<3, using: &random) == 0
        let isValid = (try? FTS5Pattern(rawPattern: text, allowedColumns: ["a", "b"])) != nil
        _ = try? FTS3Pattern(rawPattern: text)
        var refusal: DatabaseError?
        var count = 0
        try dbQueue.read { db in
            if !isMadeFromText {
                // Texts that are not UTF-8 can't be strings.
                do {
                    count = try search(db, table, pattern.databaseValue)
                } catch is DatabaseError {}
            }
            do {
                let patterns =
                    isMadeFromText
                    ? Self.patterns(for: table, from: text) : [text.databaseValue]
                for pattern in patterns { count += try search(db, table, pattern) }
            } catch let error as DatabaseError {
                refusal = error
            }
        }
        matchCount += count
        if refusal != nil { errorCount += 1 }
        // That table can't look for phrases.
        if table != "columns" {
            if isMadeFromText, let refusal {
                note("pattern made from text for \(table): \(refusal)")
            }
            // What is a pattern of FTS4 depends on the table. Patterns with NUL characters are none,
            // though SQLite reads their beginning.
            if !isMadeFromText, !Self.isFTS4(table), !text.utf8.contains(0),
                isValid != (refusal == nil)
            {
                let start = text.prefix(100).debugDescription
                note("raw pattern \(start) for \(table): \(refusal as Any)")
            }
        }
        return "a pattern of \(pattern.count) bytes for \(table)"
    }

    private static func patterns(for table: String, from text: String) -> [DatabaseValue] {
        if isFTS4(table) {
            let patterns = [
                FTS3Pattern(matchingAnyTokenIn: text), FTS3Pattern(matchingAllTokensIn: text),
                FTS3Pattern(matchingAllPrefixesIn: text), FTS3Pattern(matchingPhrase: text),
            ]
            return patterns.compactMap { $0?.databaseValue }
        }
        let patterns = [
            FTS5Pattern(matchingAnyTokenIn: text), FTS5Pattern(matchingAllTokensIn: text),
            FTS5Pattern(matchingAllPrefixesIn: text), FTS5Pattern(matchingPhrase: text),
            FTS5Pattern(matchingPrefixPhrase: text),
        ]
        return patterns.compactMap { $0?.databaseValue }
    }

    /// - returns: the number of rows.
    private func search(
        _ db: Database, _ table: String, _ pattern: DatabaseValue
    ) throws -> Int {
        if Self.isFTS4(table) { return try searchFTS4(db, table, pattern) }
        let sql = """
            SELECT rowid, highlight(\(table), 0, '[', ']'),
                CASE WHEN fuzzinstances(\(table)) < 2000
                    THEN snippet(\(table), -1, '[', ']', '…', 9) END,
                bm25(\(table), 2), fuzzexplore(\(table))
            FROM \(table) WHERE \(table) MATCH CAST(? AS TEXT) ORDER BY rank LIMIT 5
            """
        var count = 0
        let rows = try Row.fetchCursor(db, sql: sql, arguments: [pattern])
        while try rows.next() != nil { count += 1 }
        return count
    }

    private func searchFTS4(
        _ db: Database, _ table: String, _ pattern: DatabaseValue
    ) throws -> Int {
        let content: FTS3MatchInfo.Content = [
            .rowCount, .averageTokenCounts, .tokenCounts, .longestSubsequences, .hits, .rowHits,
            .isFound,
        ]
        let sql = """
            SELECT matchinfo(\(table), 'pcnalsxyb'), offsets(\(table)),
                snippet(\(table), '[', ']', '…', -1, 9)
            FROM \(table) WHERE \(table) MATCH CAST(? AS TEXT) LIMIT 5
            """
        var count = 0
        let rows = try Row.fetchCursor(db, sql: sql, arguments: [pattern])
        while let row = try rows.next() {
            count += 1
            // Patterns of no term have neither.
            let data: Data = row[0]
            if !data.isEmpty { _ = try FTS3MatchInfo(data: data, content: content) }
            _ = try row.decode(FTS3Offsets.self, atIndex: 1)
        }
        return count
    }

    private static let instances = FTS5AuxiliaryFunction(
        "fuzzinstances", function: { match in try match.instanceCount() })

    /// Looks at everything that a context tells.
    private static let explore = FTS5AuxiliaryFunction(
        "fuzzexplore",
        function: { match in
            var sum = try match.rowCount() + match.totalTokenCount() + match.tokenCount()
            for column in 0..<match.columnCount {
                sum += try match.text(ofColumn: column).utf8.count
                sum += try match.tokenCount(ofColumn: column)
                _ = try match.locale(ofColumn: column)
            }
            for phrase in 0..<min(match.phraseCount, 20) {
                for token in 0..<(try match.tokenCount(ofPhrase: phrase)) {
                    sum += try match.token(at: token, ofPhrase: phrase).utf8.count
                }
                sum += try match.columns(ofPhrase: phrase).count
                try match.forEachInstance(ofPhrase: phrase) { _ in sum += 1 }
            }
            try match.forEachInstance { _ in sum += 1 }
            return sum
        })

    // MARK: - Inputs

    private static let pieces: [[UInt8]] =
        [
            "foo", "Bar", "a", "b", "é", "ß", "ﬁ", "İ", "ı", "ÅNGSTRÖM", "日本語", "한국어", "👨‍👩‍👧‍👦", "🇫🇷",
            "e\u{301}",
            "\u{0}", " ", "  ", "\n", "\u{feff}", "\u{fffd}", "\u{10ffff}", "AND", "OR", "NOT",
            "NEAR", "NEAR(",
            "(", ")", "\"", "\"\"", "'", "*", "^", "+", "-", ":", "{", "}", "a:", "{a b}:", "-a:",
            ",", "1", "9999999999",
            ".", ";", "\\", "\u{200d}", "%", "_", "foo*", "^foo", "foo + bar", "rank",
            "NEAR(foo bar, 3)",
        ].map { Array($0.utf8) } + [
            [0xff], [0xc0, 0x80], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80],
            [0x80], [0xf0, 0x9f],
        ]

    private mutating func bytes(for table: String, isPattern: Bool = false) -> Data {
        switch Int.random(in: 0..<1000, using: &random) {
        case 0:
            let piece = Self.pieces.randomElement(using: &random)!
            // Longer than the tokens that FTS5 knows
            var count = Int.random(in: 30_000...1_000_000, using: &random)
            let isOneToken = table != "trigrams" && piece.allSatisfy { $0.isPartOfTokens }
            if !isOneToken { count = isPattern ? 200 : count / 50 }
            return Data(repeatElement(piece, count: count / piece.count).joined())
        case 1..<150:
            let count = Int.random(in: 0...60, using: &random)
            return Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
        case 150..<200:
            return Data()
        default:
            let count = Int.random(in: 1...12, using: &random)
            var data = Data()
            for _ in 0..<count {
                data.append(contentsOf: Self.pieces.randomElement(using: &random)!)
                if Bool.random(using: &random) { data.append(0x20) }
            }
            return data
        }
    }

    struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var z = state
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return z ^ (z >> 31)
        }
    }
}

extension UInt8 {
    /// Whether none of the tokenizers, but `trigram`, ends a token there.
    fileprivate var isPartOfTokens: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), 0x80...:
            true
        default:
            false
        }
    }
}

/// Folds characters, leaves some out, and adds synonyms.
private final class FoldingTokenizer: FTS5WrapperTokenizer {
    static let name = "fuzzfolding"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = try db.makeTokenizer(.unicode61(tokenCharacters: ["-", "."]))
    }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        if token == "b" { return }
        try tokenCallback(token.folding(options: .diacriticInsensitive, locale: nil), flags)
        if token == "foo" { try tokenCallback("synonym", .colocated) }
    }
}

/// Emits the words of a text as they are, and sometimes an empty one.
private final class BytesTokenizer: FTS5CustomTokenizer {
    static let name = "fuzzbytes"

    init(db: Database, arguments: [String]) throws {}

    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization,
        pText: UnsafePointer<CChar>?, nText: CInt, tokenCallback: FTS5TokenCallback
    ) -> CInt {
        guard let pText else { return 0 }
        _ = textLocale
        var start: CInt = 0
        for index in 0...nText where index == nText || pText[Int(index)] == 32 {
            let code = tokenCallback(
                context, 0, pText + Int(start), index - start, start, index)
            if code != 0 { return code }
            start = index + 1
        }
        return 0
    }
}
