import GRDB

/// A token, and where it stands in a text. Valid during the visit.
struct VisitedToken {
    /// The token as the index has it.
    let utf8: UnsafeBufferPointer<UInt8>
    /// Whether the token has the position of the former one.
    let isColocated: Bool
    /// The bytes of the text that the token stands for.
    let range: Range<Int>
}

extension FTS5Tokenizer {
    /// Calls a function with each token of a text, until it returns false.
    ///
    /// `tokenize(document:)` does not return the positions of tokens.
    ///
    /// - throws: a `DatabaseError`.
    func visitTokens(
        of text: UnsafeBufferPointer<UInt8>, for tokenization: FTS5Tokenization,
        _ visit: (VisitedToken) -> Bool
    ) throws {
        guard let start = text.baseAddress else { return }
        let code = withoutActuallyEscaping(visit) { visit in
            var visitor = TokenVisitor(visit: visit)
            return withUnsafeMutablePointer(to: &visitor) { visitor in
                tokenize(
                    context: visitor, tokenization: tokenization,
                    pText: UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self),
                    nText: CInt(clamping: text.count)
                ) { visitor, flags, pToken, nToken, start, end in
                    let token = VisitedToken(
                        utf8: UnsafeBufferPointer(
                            start: UnsafeRawPointer(pToken)?.assumingMemoryBound(to: UInt8.self),
                            count: pToken == nil ? 0 : Int(nToken)),
                        isColocated: FTS5TokenFlags(rawValue: flags).contains(.colocated),
                        range: Int(start)..<Int(end))
                    let goesOn = visitor!.assumingMemoryBound(to: TokenVisitor.self).pointee
                        .visit(token)
                    // The code by which FTS5 itself ends a tokenization early.
                    return (goesOn ? ResultCode.SQLITE_OK : .SQLITE_DONE).rawValue
                }
            }
        }
        if code != ResultCode.SQLITE_OK.rawValue, code != ResultCode.SQLITE_DONE.rawValue {
            throw DatabaseError(resultCode: ResultCode(rawValue: code))
        }
    }
}

private struct TokenVisitor {
    let visit: (VisitedToken) -> Bool
}
