import GRDB

/// A full-text tokenizer for text that speaks of code.
///
/// Words are those of `unicode61`, case and accents folded. Names made of several words give their
/// parts, one after the other, and the whole name at the place of the first part:
///
///     databaseWillChange   database, will, change, and databasewillchange beside database
///     snake_case           snake, case, and snake_case beside snake
///
/// So a phrase goes through names as through plain words: `"will change"`, `willChange` and
/// `will_change` find the same. All tokens of a name cover the whole name in the text.
///
/// Synonyms are added to queries only, beside the word they stand for. The index does not know
/// them: the list can change without indexing again, and what triggers delete from the index is
/// always what they once added.
final class IdentifierTokenizer: FTS5WrapperTokenizer {
    static let name = "identifiers"

    let wrappedTokenizer: any FTS5Tokenizer

    /// Folds parts of names. Another instance, since `unicode61` keeps its token in a buffer.
    private let partTokenizer: any FTS5Tokenizer

    private let synonyms: SynonymTable

    /// The parts of the name that is tokenized.
    private var parts = IdentifierParts()

    /// The name that is tokenized, as it stands in the text; valid during `accept`.
    private var spelling = UnsafeBufferPointer<UInt8>(start: nil, count: 0)

    init(db: Database, arguments: [String]) throws {
        let words = FTS5TokenizerDescriptor.unicode61(diacritics: .remove, tokenCharacters: ["_"])
        wrappedTokenizer = try db.makeTokenizer(words)
        partTokenizer = try db.makeTokenizer(words)
        synonyms = SynonymTable.of(db)
    }

    /// The synonyms of a folded word.
    func synonyms(of word: String) -> [String] {
        synonyms.list.synonyms(of: word)
    }

    // MARK: - FTS5Tokenizer

    /// What the callback of the wrapped tokenizer needs to know.
    fileprivate struct Run {
        let tokenizer: IdentifierTokenizer
        let text: UnsafeRawPointer
        let tokenization: FTS5Tokenization
        let context: UnsafeMutableRawPointer?
        let emit: FTS5TokenCallback
        let addsSynonyms: Bool
    }

    /// Like the method that wrapping tokenizers come with, but for two things: the borders of names
    /// are found in the text, since `unicode61` gives small letters only, and a plain word, which
    /// most are, goes on without becoming a `String`.
    func tokenize(
        context: UnsafeMutableRawPointer?, tokenization: FTS5Tokenization,
        pText: UnsafePointer<CChar>?, nText: CInt, tokenCallback: FTS5TokenCallback
    ) -> CInt {
        guard let pText else { return ResultCode.SQLITE_OK.rawValue }
        var run = Run(
            tokenizer: self, text: UnsafeRawPointer(pText), tokenization: tokenization,
            context: context, emit: tokenCallback,
            // The synonym of a prefix is not the prefix of a synonym.
            addsSynonyms: tokenization.contains(.query) && !tokenization.contains(.prefix)
                && !synonyms.list.isEmpty)
        return withUnsafeMutablePointer(to: &run) { run in
            wrappedTokenizer.tokenize(
                context: run, tokenization: tokenization, pText: pText, nText: nText
            ) { run, flags, pToken, nToken, start, end in
                run!.assumingMemoryBound(to: Run.self).pointee
                    .accept(flags: flags, pToken: pToken, nToken: nToken, start: start, end: end)
            }
        }
    }

    // MARK: - FTS5WrapperTokenizer

    func accept(
        token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws {
        let addsSynonyms = tokenization.contains(.query) && !tokenization.contains(.prefix)
        let foldedParts = parts.isDivided ? try foldedParts(of: token) : [token]
        for (index, part) in foldedParts.enumerated() {
            try tokenCallback(part, flags)
            var colocated: [String] = []
            if index == 0, part != token { colocated.append(token) }
            if addsSynonyms {
                for word in [part] + colocated {
                    for synonym in synonyms(of: word)
                    where synonym != part && !colocated.contains(synonym) {
                        colocated.append(synonym)
                    }
                }
            }
            for word in colocated {
                try tokenCallback(word, [flags, .colocated])
            }
        }
    }

    /// The folded parts of the name that is tokenized.
    private func foldedParts(of token: String) throws -> [String] {
        var token = token
        let slices: [String]? = token.withUTF8 { folded in
            // Folding has kept all offsets if the name is ASCII.
            guard folded.count == spelling.count, spelling.allSatisfy({ $0 < 0x80 }) else {
                return nil
            }
            return parts.ranges.map {
                String(decoding: UnsafeBufferPointer(rebasing: folded[$0]), as: UTF8.self)
            }
        }
        if let slices { return slices }
        return try parts.ranges.flatMap { range in
            let part = UnsafeBufferPointer(rebasing: spelling[range])
            return try partTokenizer.tokenize(document: String(decoding: part, as: UTF8.self))
                .map(\.token)
        }
    }
}

extension IdentifierTokenizer.Run {
    /// Accepts a token of the wrapped tokenizer.
    fileprivate func accept(
        flags: CInt, pToken: UnsafePointer<CChar>?, nToken: CInt, start: CInt, end: CInt
    ) -> CInt {
        guard let pToken else { return ResultCode.SQLITE_OK.rawValue }
        let spelling = UnsafeBufferPointer(
            start: text.advanced(by: Int(start)).assumingMemoryBound(to: UInt8.self),
            count: Int(end - start))
        tokenizer.parts.find(in: spelling)
        if !tokenizer.parts.isDivided, !addsSynonyms {
            return emit(context, flags, pToken, nToken, start, end)
        }

        tokenizer.spelling = spelling
        let folded = UnsafeRawBufferPointer(start: pToken, count: Int(nToken))
        do {
            try tokenizer.accept(
                token: String(decoding: folded, as: UTF8.self),
                flags: FTS5TokenFlags(rawValue: flags), for: tokenization
            ) { token, flags in
                var token = token
                let code = token.withUTF8 { utf8 in
                    utf8.withMemoryRebound(to: CChar.self) {
                        emit(context, flags.rawValue, $0.baseAddress, CInt($0.count), start, end)
                    }
                }
                if code != ResultCode.SQLITE_OK.rawValue {
                    throw DatabaseError(resultCode: ResultCode(rawValue: code))
                }
            }
            return ResultCode.SQLITE_OK.rawValue
        } catch let error as DatabaseError {
            return error.extendedResultCode.rawValue
        } catch {
            return ResultCode.SQLITE_ERROR.rawValue
        }
    }
}
