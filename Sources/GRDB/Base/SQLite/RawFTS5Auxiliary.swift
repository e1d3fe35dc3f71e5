import CGRDBSQLite

/// The row of an FTS5 table for which an auxiliary function is called. Valid during the call.
struct RawMatch {
    private let api: UnsafePointer<grdb_Fts5ExtensionApi>
    private let context: OpaquePointer

    fileprivate init(api: UnsafePointer<grdb_Fts5ExtensionApi>, context: OpaquePointer) {
        self.api = api
        self.context = context
    }

    // MARK: - Table

    var columnCount: CInt { api.pointee.xColumnCount(context) }

    func rowCount(_ count: inout Int64) -> CInt {
        api.pointee.xRowCount(context, &count)
    }

    /// - parameter column: negative for all columns.
    func totalTokenCount(column: CInt, _ count: inout Int64) -> CInt {
        api.pointee.xColumnTotalSize(context, column, &count)
    }

    // MARK: - Query

    var phraseCount: CInt { api.pointee.xPhraseCount(context) }

    func tokenCount(phrase: CInt) -> CInt { api.pointee.xPhraseSize(context, phrase) }

    /// Passes the bytes that a function of SQLite returns to the closure.
    private func withBytes(
        _ function: (inout UnsafePointer<CChar>?, inout CInt) -> CInt,
        _ body: (UnsafePointer<CChar>?, CInt) -> Void
    ) -> CInt {
        var start: UnsafePointer<CChar>?
        var count: CInt = 0
        let code = function(&start, &count)
        if code == SQLITE_OK { body(start, count) }
        return code
    }

    /// Calls the closure with a token of a phrase, unless SQLite returns an error.
    func withToken(
        phrase: CInt, index: CInt, _ body: (UnsafePointer<CChar>?, CInt) -> Void
    ) -> CInt {
        withBytes({ api.pointee.xQueryToken(context, phrase, index, &$0, &$1) }, body)
    }

    // MARK: - Row

    var rowID: Int64 { api.pointee.xRowid(context) }

    /// - parameter column: negative for all columns.
    func tokenCount(column: CInt, _ count: inout CInt) -> CInt {
        api.pointee.xColumnSize(context, column, &count)
    }

    func withText(column: CInt, _ body: (UnsafePointer<CChar>?, CInt) -> Void) -> CInt {
        withBytes({ api.pointee.xColumnText(context, column, &$0, &$1) }, body)
    }

    func withLocale(column: CInt, _ body: (UnsafePointer<CChar>?, CInt) -> Void) -> CInt {
        withBytes({ api.pointee.xColumnLocale(context, column, &$0, &$1) }, body)
    }

    // MARK: - Matches of phrases

    func instanceCount(_ count: inout CInt) -> CInt {
        api.pointee.xInstCount(context, &count)
    }

    func instance(
        at index: CInt, phrase: inout CInt, column: inout CInt, offset: inout CInt
    ) -> CInt {
        api.pointee.xInst(context, index, &phrase, &column, &offset)
    }

    func withToken(
        instance: CInt, index: CInt, _ body: (UnsafePointer<CChar>?, CInt) -> Void
    ) -> CInt {
        withBytes({ api.pointee.xInstToken(context, instance, index, &$0, &$1) }, body)
    }

    /// Calls the closure with the column and offset of each match of a phrase.
    func forEachOffset(ofPhrase phrase: CInt, _ body: (CInt, CInt) throws -> Void) rethrows -> CInt
    {
        var iterator = grdb_Fts5PhraseIter()
        var column: CInt = 0
        var offset: CInt = 0
        let code = api.pointee.xPhraseFirst(context, phrase, &iterator, &column, &offset)
        guard code == SQLITE_OK else { return code }
        while column >= 0 {
            try body(column, offset)
            api.pointee.xPhraseNext(context, &iterator, &column, &offset)
        }
        return code
    }

    /// Calls the closure with each column that contains a phrase.
    func forEachColumn(ofPhrase phrase: CInt, _ body: (CInt) throws -> Void) rethrows -> CInt {
        var iterator = grdb_Fts5PhraseIter()
        var column: CInt = 0
        let code = api.pointee.xPhraseFirstColumn(context, phrase, &iterator, &column)
        guard code == SQLITE_OK else { return code }
        while column >= 0 {
            try body(column)
            api.pointee.xPhraseNextColumn(context, &iterator, &column)
        }
        return code
    }

    // MARK: - Other rows

    /// Calls the closure with each row that matches a phrase, until it returns a code other than
    /// `SQLITE_OK`. `SQLITE_DONE` is not an error.
    func query(phrase: CInt, _ body: (RawMatch) -> CInt) -> CInt {
        withoutActuallyEscaping(body) { body in
            var body = body
            return withUnsafeMutablePointer(to: &body) { body in
                api.pointee.xQueryPhrase(context, phrase, body) { api, context, body in
                    body!.assumingMemoryBound(to: ((RawMatch) -> CInt).self)
                        .pointee(RawMatch(api: api!, context: context!))
                }
            }
        }
    }

    /// Counts the rows that match a phrase.
    func rowCount(phrase: CInt, _ count: inout Int) -> CInt {
        withUnsafeMutablePointer(to: &count) { count in
            api.pointee.xQueryPhrase(context, phrase, count) { _, _, count in
                count!.assumingMemoryBound(to: Int.self).pointee += 1
                return SQLITE_OK
            }
        }
    }

    // MARK: - Tokenizer

    func tokenize(_ tokenization: RawTokenization) -> CInt {
        api.pointee.xTokenize_v2(
            context, tokenization.text, tokenization.textCount, tokenization.locale,
            tokenization.localeCount, tokenization.context, tokenization.callback)
    }

    // MARK: - Auxiliary data

    /// The object that the function stores with its query.
    var auxiliaryObject: AnyObject? {
        api.pointee.xGetAuxdata(context, 0).map {
            Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Stores an object with the query, replacing the current one.
    func setAuxiliaryObject(_ object: AnyObject) -> CInt {
        // On failure, the object is released as well.
        api.pointee.xSetAuxdata(context, Unmanaged.passRetained(object).toOpaque()) {
            Unmanaged<AnyObject>.fromOpaque($0!).release()
        }
    }
}

/// An FTS5 auxiliary function written in Swift. FTS5 owns it until the connection is closed. It can't
/// be removed, only hidden by another function with the same name.
final class RawAuxiliaryFunction {
    private let function: (RawMatch, RawFunctionCall) -> Void

    init(_ function: @escaping (RawMatch, RawFunctionCall) -> Void) {
        self.function = function
    }

    func register(in connection: RawConnection, name: String) throws(RawFailure) {
        let api = try connection.fts5API()
        let owned = Unmanaged.passRetained(self)
        let code = api.pointee.xCreateFunction(
            api, name, owned.toOpaque(),
            { api, fts, context, count, arguments in
                let function = Unmanaged<RawAuxiliaryFunction>.fromOpaque(
                    api!.pointee.xUserData(fts)!
                )._withUnsafeGuaranteedRef { $0.function }
                function(
                    RawMatch(api: api!, context: fts!),
                    RawFunctionCall(
                        context: context!, argumentCount: count, arguments: arguments))
            },
            { Unmanaged<RawAuxiliaryFunction>.fromOpaque($0!).release() })
        if code != SQLITE_OK {
            // FTS5 does not call xDestroy when this fails.
            owned.release()
            throw RawFailure(code: code, message: RawSQLite.errorString(code))
        }
    }
}
