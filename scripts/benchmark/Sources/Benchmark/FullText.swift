import CTokenizer
import Foundation
import GRDB
import GRDBSQLite

// Full-text search: tokenizers and auxiliary functions written in Swift, against those written in C.
// One million words, 7 MB, for functions; 20 MB for tokenizers.

/// Hands on what another tokenizer finds.
private final class UnchangingTokenizer: FTS5WrapperTokenizer {
    static let name = "unchanging"
    let wrappedTokenizer: any FTS5Tokenizer

    init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = try db.makeTokenizer(.unicode61())
    }

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        try tokenCallback(token, flags)
    }
}

/// Finds the words between spaces, and leaves them as they are.
private final class SpacesTokenizer: FTS5CustomTokenizer {
    static let name = "spaces"

    init(db: Database, arguments: [String]) throws {}

    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization,
        pText: UnsafePointer<CChar>?, nText: CInt, tokenCallback: FTS5TokenCallback
    ) -> CInt {
        guard let pText else { return 0 }
        let space = CChar(32)
        var index: CInt = 0
        while index < nText {
            while index < nText, pText[Int(index)] == space { index += 1 }
            let start = index
            while index < nText, pText[Int(index)] != space { index += 1 }
            if index > start {
                let code = tokenCallback(
                    context, 0, pText + Int(start), index - start, start, index)
                if code != 0 { return code }
            }
        }
        return 0
    }
}

/// What `bm25` does, in Swift.
private let swiftBM25 = FTS5AuxiliaryFunction("swiftBM25") { match in
    let data = try match.auxiliaryData { try BM25Data(match) }
    for phrase in data.weights.indices { data.frequencies[phrase] = 0 }
    try match.forEachInstance { instance in
        data.frequencies[instance.phrase] += try match.argument(at: instance.column) ?? 1
    }
    let length = try 1.2 * (0.25 + 0.75 * Double(match.tokenCount()) / data.averageLength)
    var score = 0.0
    for phrase in data.weights.indices {
        let frequency = data.frequencies[phrase]
        score += data.weights[phrase] * frequency * 2.2 / (frequency + length)
    }
    return -score
}

private final class BM25Data {
    let weights: [Double]
    let averageLength: Double
    var frequencies: [Double]

    init(_ match: FTS5MatchContext) throws {
        let rowCount = try Double(match.rowCount())
        averageLength = try Double(match.totalTokenCount()) / rowCount
        weights = try (0..<match.phraseCount).map { phrase in
            let count = try Double(match.rowCount(ofPhrase: phrase))
            return max(1e-6, log((rowCount - count + 0.5) / (count + 0.5)))
        }
        frequencies = weights
    }
}

/// A generator whose numbers are always the same.
private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

/// Texts of words of which some are much more frequent than others.
private func makeTexts(byteCount: Int, wordsPerText: Int) -> [String] {
    var random = Random(state: 7)
    let letters = Array("eeeeaaiiooutttnnssrrhhlldcmpfgwybvkäéß")
    let words = (0..<20_000).map { index in
        let word = String(
            (0..<Int.random(in: 2...11, using: &random)).map { _ in
                letters.randomElement(using: &random)!
            })
        return index % 10 == 0 ? word.capitalized : word
    }
    var texts: [String] = []
    var count = 0
    while count < byteCount {
        var text = ""
        for _ in 0..<wordsPerText {
            let x = Double.random(in: 0..<1, using: &random)
            text += words[Int(x * x * x * 20_000)]
            text += " "
        }
        count += text.utf8.count
        texts.append(text)
    }
    return texts
}

/// A connection of C, with the tokenizer in C.
private func makeRawFullText(_ tokenizer: String) -> RawDatabase {
    let database = RawDatabase(path: ":memory:")
    let queue = fts5API(of: database)
    var functions = fts5_tokenizer_v2(
        iVersion: 2,
        xCreate: { _, _, _, tokenizer in
            tokenizer!.pointee = OpaquePointer(bitPattern: 1)
            return 0
        },
        xDelete: { _ in },
        xTokenize: { _, context, _, text, count, _, _, callback in
            benchmark_tokenize(context, text, count, callback)
        })
    precondition(queue.pointee.xCreateTokenizer_v2(queue, "spaces", nil, &functions, nil) == 0)
    database.execute("CREATE VIRTUAL TABLE doc USING fts5(body, tokenize = '\(tokenizer)')")
    return database
}

private func fts5API(of database: RawDatabase) -> UnsafeMutablePointer<GRDBSQLite.fts5_api> {
    var api: UnsafeMutablePointer<GRDBSQLite.fts5_api>?
    let statement = database.prepare("SELECT fts5(?1)")
    defer { sqlite3_finalize(statement) }
    withUnsafeMutablePointer(to: &api) { api in
        _ = sqlite3_bind_pointer(statement, 1, api, "fts5_api_ptr", nil)
        _ = sqlite3_step(statement)
    }
    return api!
}

func fullTextWorkloads() -> [Workload] {
    // Made when they are first used: other workloads don't wait for them.
    nonisolated(unsafe) var cachedTexts: [String]?
    func texts() -> [String] {
        if let cachedTexts { return cachedTexts }
        cachedTexts = makeTexts(byteCount: 20_000_000, wordsPerText: 300)
        return cachedTexts!
    }

    func index(with tokenizer: String) -> () throws -> Int {
        var database: RawDatabase?
        return {
            if database == nil { database = makeRawFullText(tokenizer) }
            let raw = database!
            raw.execute("DROP TABLE doc")
            raw.execute("CREATE VIRTUAL TABLE doc USING fts5(body, tokenize = '\(tokenizer)')")
            raw.execute("BEGIN IMMEDIATE")
            let statement = raw.prepare("INSERT INTO doc(body) VALUES (?)")
            for text in texts() {
                rawBind(statement, 1, text)
                precondition(sqlite3_step(statement) == SQLITE_DONE)
                sqlite3_reset(statement)
            }
            sqlite3_finalize(statement)
            raw.execute("COMMIT")
            return texts().count
        }
    }

    func indexInSwift(_ tokenizer: (some FTS5CustomTokenizer).Type) -> () throws -> Int {
        var queue: DatabaseQueue?
        return {
            if queue == nil {
                var configuration = Configuration()
                configuration.prepareDatabase { try $0.tryAdd(tokenizer: tokenizer) }
                queue = try DatabaseQueue(configuration: configuration)
            }
            // Not in the transaction of the insertions, where pages that are free and taken again go to
            // the journal.
            try queue!.writeWithoutTransaction { db in
                try db.execute(sql: "DROP TABLE IF EXISTS doc")
                try db.execute(
                    sql: "CREATE VIRTUAL TABLE doc USING fts5(body, tokenize = '\(tokenizer.name)')"
                )
            }
            return try queue!.write { db in
                let statement = try db.makeStatement(sql: "INSERT INTO doc(body) VALUES (?)")
                for text in texts() { try statement.execute(values: text) }
                return texts().count
            }
        }
    }

    nonisolated(unsafe) var rankedQueue: DatabaseQueue?
    func rank(_ function: String) throws -> Int {
        if rankedQueue == nil {
            var configuration = Configuration()
            configuration.prepareDatabase { try $0.add(auxiliaryFunction: swiftBM25) }
            rankedQueue = try DatabaseQueue(configuration: configuration)
            try rankedQueue!.write { db in
                try db.execute(sql: "CREATE VIRTUAL TABLE doc USING fts5(title, body)")
                let statement = try db.makeStatement(sql: "INSERT INTO doc VALUES (?, ?)")
                for (index, text) in makeTexts(byteCount: 8_000_000, wordsPerText: 6).enumerated()
                    .prefix(110_000)
                {
                    try statement.execute(
                        values: index % 3 == 0 ? "match" : "title",
                        index < 100_000 ? text + "match" : text)
                }
            }
        }
        return try rankedQueue!.read { db in
            // Aggregates can't have auxiliary functions as arguments; the limit keeps SQLite from
            // making the subquery a part of the aggregation.
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT COUNT(*), SUM(score) FROM (
                        SELECT \(function)(doc, 10.0, 1.0) AS score FROM doc
                        WHERE doc MATCH 'match OR xyzzy' LIMIT -1)
                    """)!
            return row[0] as Int + Int((row[1] as Double) * 1000)
        }
    }

    return [
        Workload(name: "20 MB, Swift wrapper of unicode61", count: 10_000) {
            [body = index(with: "unicode61")] in
            try body()
        } library: {
            [body = indexInSwift(UnchangingTokenizer.self)] in
            try body()
        },
        Workload(name: "20 MB, no-op custom tokenizer", count: 10_000) {
            [body = index(with: "spaces")] in
            try body()
        } library: {
            [body = indexInSwift(SpacesTokenizer.self)] in
            try body()
        },
        Workload(name: "100k matches, auxiliary function", count: 100_000) {
            try rank("bm25")
        } library: {
            try rank("swiftBM25")
        },
    ]
}
