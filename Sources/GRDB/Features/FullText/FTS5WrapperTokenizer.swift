/// The function that receives the tokens of a ``FTS5WrapperTokenizer``.
public typealias FTS5WrapperTokenCallback = (_ token: String, _ flags: FTS5TokenFlags) throws ->
    Void

/// A tokenizer that changes the tokens of another tokenizer.
///
/// ```swift
/// /// Matches "first" with "1st"
/// final class SynonymsTokenizer: FTS5WrapperTokenizer {
///     static let name = "synonyms"
///     let wrappedTokenizer: any FTS5Tokenizer
///
///     init(db: Database, arguments: [String]) throws {
///         wrappedTokenizer = try db.makeTokenizer(.unicode61())
///     }
///
///     func accept(
///         token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
///         tokenCallback: FTS5WrapperTokenCallback
///     ) throws {
///         try tokenCallback(token, flags)
///         if tokenization.contains(.document), token == "first" {
///             try tokenCallback("1st", .colocated)
///         }
///     }
/// }
/// ```
public protocol FTS5WrapperTokenizer: FTS5CustomTokenizer {
    /// The tokenizer that splits the text into tokens.
    var wrappedTokenizer: any FTS5Tokenizer { get }

    /// Receives a token of the wrapped tokenizer, and calls a function with zero or more tokens.
    ///
    /// ```swift
    /// // Stop words
    /// guard !stopWords.contains(token) else { return }
    /// try tokenCallback(token, flags)
    /// ```
    ///
    /// - parameter token: a token. Invalid UTF-8 is repaired.
    /// - parameter flags: the flags of this token.
    /// - parameter tokenization: the reason for which the text is tokenized.
    /// - parameter tokenCallback: the function to call with each token. A synonym of the previous
    ///   token has the flag ``FTS5TokenFlags/colocated``. All tokens have the position of the
    ///   original token in the text.
    /// - throws: the error of the function, or any other error. The statement that tokenizes then
    ///   throws the error.
    func accept(
        token: String,
        flags: FTS5TokenFlags,
        for tokenization: FTS5Tokenization,
        tokenCallback: FTS5WrapperTokenCallback
    ) throws
}

extension FTS5WrapperTokenizer {
    /// Passes the tokens of the wrapped tokenizer to ``accept(token:flags:for:tokenCallback:)``,
    /// and the tokens of this method to FTS5.
    public func tokenize(
        context: UnsafeMutableRawPointer?,
        tokenization: FTS5Tokenization,
        pText: UnsafePointer<CChar>?,
        nText: CInt,
        tokenCallback: FTS5TokenCallback
    ) -> CInt {
        TokenizerScope.nesting { () -> CInt in
            var call = WrapperCall(
                tokenizer: self, tokenization: tokenization, textCount: Int(nText),
                context: context, callback: tokenCallback)
            let wrapped = wrappedTokenizer
            if wrapped === self {
                return TokenizerScope.fail(
                    TokenizerScope.wrapsItselfError, tokenizer: Self.name)
            }
            let code = withUnsafeMutablePointer(to: &call) { call in
                TokenizerScope.guarding(
                    RawTokenization(
                        context: call, flags: tokenization.rawValue, text: pText, textCount: nText,
                        locale: nil, localeCount: 0, callback: acceptToken),
                    by: wrapped)
            }
            if let error = call.error {
                return TokenizerScope.fail(error, tokenizer: Self.name)
            }
            if call.code != RawStatement.ok {
                TokenizerScope.refuse()
                return call.code
            }
            return code
        }
    }
}

/// A call of a wrapper tokenizer. It is on the stack during the call.
private struct WrapperCall {
    let tokenizer: any FTS5WrapperTokenizer
    let tokenization: FTS5Tokenization
    let textCount: Int
    let context: UnsafeMutableRawPointer?
    let callback: FTS5TokenCallback

    /// The first result of the callback that was not `SQLITE_OK`.
    var code = RawStatement.ok

    /// The error that the tokenizer has thrown.
    var error: (any Error)?

    /// Passes a token to the callback.
    func emit(
        _ token: String, _ flags: FTS5TokenFlags, start: CInt, end: CInt
    ) -> CInt {
        var token = token
        return token.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { chars in
                let count = CInt(clamping: emittedCount(of: chars))
                if let pToken = chars.baseAddress {
                    return callback(context, flags.rawValue, pToken, count, start, end)
                }
                return callback(context, flags.rawValue, "", 0, start, end)
            }
        }
    }
}

extension WrapperCall {
    /// The number of bytes of a token to pass on. The token guard treats tokens much longer than
    /// the text as errors, because it can't know that these tokens are strings.
    fileprivate func emittedCount(of chars: UnsafeBufferPointer<CChar>) -> Int {
        var count = RawTokenization.maximumTokenCount
        if chars.count <= count || chars.count / 4 <= textCount { return chars.count }
        // FTS5 reads no more bytes. The rest of the last character is included.
        while count < chars.count, UInt8(bitPattern: chars[count]) & 0xc0 == 0x80 { count += 1 }
        return count
    }
}

/// Receives a token of the wrapped tokenizer. The context points to a `WrapperCall`.
private let acceptToken: FTS5TokenCallback = { context, flags, pToken, nToken, iStart, iEnd in
    let call = context!.assumingMemoryBound(to: WrapperCall.self)
    // The wrapped tokenizer may have continued after a callback failed.
    guard call.pointee.code == RawStatement.ok, call.pointee.error == nil else {
        return call.pointee.code == RawStatement.ok
            ? ResultCode.SQLITE_ERROR.rawValue : call.pointee.code
    }
    do {
        try call.pointee.tokenizer.accept(
            token: String(decodingToken: pToken, count: nToken),
            flags: FTS5TokenFlags(rawValue: flags), for: call.pointee.tokenization
        ) { token, flags in
            if call.pointee.code == RawStatement.ok {
                call.pointee.code = call.pointee.emit(token, flags, start: iStart, end: iEnd)
            }
            if call.pointee.code != RawStatement.ok {
                // Without a message: the statement adds the message of SQLite.
                throw DatabaseError(resultCode: ResultCode(rawValue: call.pointee.code))
            }
        }
    } catch {
        if call.pointee.code == RawStatement.ok {
            call.pointee.error = error
            return ResultCode.SQLITE_ERROR.rawValue
        }
    }
    return call.pointee.code
}
