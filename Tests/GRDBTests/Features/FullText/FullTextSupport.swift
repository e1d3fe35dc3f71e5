import Foundation
import GRDB

/// A number that any thread may change.
final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0

    var value: Int {
        get { lock.withLock { count } }
        set { lock.withLock { count = newValue } }
    }

    func add(_ increment: Int) {
        lock.withLock { count += increment }
    }
}

/// What a tokenizer that wraps `unicode61` begins with.
class UnicodeWrapper {
    let wrappedTokenizer: any FTS5Tokenizer

    required init(db: Database, arguments: [String]) throws {
        wrappedTokenizer = try db.makeTokenizer(.unicode61())
    }
}

/// A wrapper that leaves the tokens as they are.
protocol PassingTokenizer: FTS5WrapperTokenizer {}

extension PassingTokenizer {
    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        try tokenCallback(token, flags)
    }
}

/// Opens a database in memory, on a connection that knows the given tokenizers.
func makeQueue(_ tokenizers: any FTS5CustomTokenizer.Type...) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.prepareDatabase { db in
        for tokenizer in tokenizers {
            db.add(tokenizer: tokenizer)
        }
    }
    return try DatabaseQueue(configuration: configuration)
}

extension FTS5Tokenizer {
    /// The tokens of a document, one string each: synonyms begin with "=".
    func documentTokens(_ text: String) throws -> [String] {
        try tokenize(document: text).map {
            $0.flags.contains(.colocated) ? "=\($0.token)" : $0.token
        }
    }

    func queryTokens(_ text: String) throws -> [String] {
        try tokenize(query: text).map { $0.flags.contains(.colocated) ? "=\($0.token)" : $0.token }
    }
}

/// A token, and where it is in the text.
struct LocatedToken: Equatable {
    var token: String
    var range: Range<Int>
}

extension FTS5Tokenizer {
    func locatedTokens(
        _ text: String, for tokenization: FTS5Tokenization = .document
    ) -> [LocatedToken] {
        var text = text
        var tokens: [LocatedToken] = []
        let code = withUnsafeMutablePointer(to: &tokens) { tokens in
            text.withUTF8 { utf8 in
                utf8.withMemoryRebound(to: CChar.self) { chars in
                    tokenize(
                        context: tokens, tokenization: tokenization, pText: chars.baseAddress,
                        nText: CInt(chars.count)
                    ) { context, _, pToken, nToken, start, end in
                        let bytes = UnsafeRawBufferPointer(start: pToken, count: Int(nToken))
                        context!.assumingMemoryBound(to: [LocatedToken].self).pointee.append(
                            LocatedToken(
                                token: String(decoding: bytes, as: UTF8.self),
                                range: Int(start)..<Int(end)))
                        return 0
                    }
                }
            }
        }
        precondition(code == 0)
        return tokens
    }
}
