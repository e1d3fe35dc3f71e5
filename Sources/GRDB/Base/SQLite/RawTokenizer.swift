import CGRDBSQLite
import _GRDBSystem

/// A tokenizer written in Swift. FTS5 owns it from `xCreate` to `xDelete`.
final class RawTokenizer {
    fileprivate let tokenize: (RawTokenization) -> CInt

    init(tokenize: @escaping (RawTokenization) -> CInt) {
        self.tokenize = tokenize
    }
}

/// A factory of tokenizers with a name. FTS5 owns it until the connection is closed. A tokenizer can't
/// be removed, only hidden by another tokenizer with the same name.
final class RawTokenizerModule {
    private let makeTokenizer: ([String]) -> RawTokenizer?

    /// - parameter makeTokenizer: receives the arguments that follow the name of the tokenizer. Returns
    ///   nil on failure.
    init(makeTokenizer: @escaping ([String]) -> RawTokenizer?) {
        self.makeTokenizer = makeTokenizer
    }

    func register(in connection: RawConnection, name: String) throws(RawFailure) {
        let api = try connection.fts5API()
        // Copied by FTS5.
        var functions = grdb_fts5_tokenizer_v2(
            iVersion: 2,
            xCreate: { module, arguments, count, tokenizer in
                let module = Unmanaged<RawTokenizerModule>.fromOpaque(module!)
                    .takeUnretainedValue()
                let arguments = (0..<Int(count)).map { String(cString: arguments![$0]!) }
                guard let newTokenizer = module.makeTokenizer(arguments) else {
                    return SQLITE_ERROR
                }
                tokenizer!.pointee = OpaquePointer(Unmanaged.passRetained(newTokenizer).toOpaque())
                return SQLITE_OK
            },
            xDelete: { tokenizer in
                Unmanaged<RawTokenizer>.fromOpaque(UnsafeRawPointer(tokenizer!)).release()
            },
            xTokenize: { tokenizer, context, flags, text, count, locale, localeCount, callback in
                Unmanaged<RawTokenizer>.fromOpaque(UnsafeRawPointer(tokenizer!))
                    .takeUnretainedValue()
                    .tokenize(
                        RawTokenization(
                            context: context, flags: flags, text: text, textCount: count,
                            locale: locale, localeCount: localeCount, callback: callback!))
            })
        let owned = Unmanaged.passRetained(self)
        let code = api.pointee.xCreateTokenizer_v2(
            api, name, owned.toOpaque(), &functions,
            { Unmanaged<RawTokenizerModule>.fromOpaque($0!).release() })
        if code != SQLITE_OK {
            // FTS5 does not call xDestroy when this fails.
            owned.release()
            throw RawFailure(code: code, message: RawSQLite.errorString(code))
        }
    }
}

/// Owns an `Fts5Tokenizer*`: a tokenizer registered with a connection, written in C or in Swift.
///
/// It may outlive the connection, and may be freed on any thread, because the functions of a tokenizer
/// don't use the connection. It holds no reference to the connection, because the tokenizers that FTS5
/// owns may hold a reference to it.
final class RawTokenizerHandle {
    /// A copy, because FTS5 frees the original when the connection is closed.
    private let functions: grdb_fts5_tokenizer_v2
    private let handle: OpaquePointer?

    init(name: String, arguments: [String], in connection: RawConnection) throws(RawFailure) {
        let api = try connection.fts5API()
        var userData: UnsafeMutableRawPointer?
        var functions: UnsafeMutablePointer<grdb_fts5_tokenizer_v2>?
        guard api.pointee.xFindTokenizer_v2(api, name, &userData, &functions) == SQLITE_OK,
            let functions
        else {
            throw RawFailure(code: SQLITE_ERROR, message: "no such tokenizer: \(name)")
        }
        self.functions = functions.pointee

        var cArguments = arguments.map { UnsafePointer<CChar>(strdup($0)) }
        defer { for argument in cArguments { free(UnsafeMutablePointer(mutating: argument)) } }
        var handle: OpaquePointer?
        let code = cArguments.withUnsafeMutableBufferPointer {
            functions.pointee.xCreate(userData, $0.baseAddress, CInt($0.count), &handle)
        }
        guard code == SQLITE_OK else {
            let specification = ([name] + arguments).joined(separator: " ")
            throw RawFailure(
                code: code, message: "error in tokenizer constructor: \(specification)")
        }
        self.handle = handle
    }

    deinit {
        functions.xDelete(handle)
    }

    func tokenize(_ tokenization: RawTokenization) -> CInt {
        functions.xTokenize(
            handle, tokenization.context, tokenization.flags, tokenization.text,
            tokenization.textCount, tokenization.locale, tokenization.localeCount,
            tokenization.callback)
    }
}
