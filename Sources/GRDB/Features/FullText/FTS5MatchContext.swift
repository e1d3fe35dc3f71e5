/// A row that matches a pattern, for an ``FTS5AuxiliaryFunction``.
///
/// A pattern consists of phrases, and a phrase consists of tokens: `"moby dick" OR white*` has a
/// phrase of two tokens, and a phrase of one token. Each occurrence of a phrase in the columns of a
/// row is an instance of the phrase. Phrases and columns are numbered from 0. The tokens of each
/// column are numbered from 0, too: these numbers are called offsets.
///
/// A context is valid during the call of the function, on its thread. After the call, its methods
/// throw a ``DatabaseError`` of code `SQLITE_MISUSE`, and its properties are 0.
///
/// Methods throw a ``DatabaseError`` of code `SQLITE_RANGE` if there is no such phrase, column or
/// instance, and errors of other codes if the index can't be read.
///
/// Related SQLite documentation: <https://www.sqlite.org/fts5.html#custom_auxiliary_functions>
public struct FTS5MatchContext {
    let match: RawMatch
    let call: RawFunctionCall?
    let calls: AuxiliaryCalls
    let number: Int

    /// An instance of a phrase.
    public struct Instance: Hashable, Sendable {
        /// The number of the phrase.
        public var phrase: Int
        /// The number of the column.
        public var column: Int
        /// The offset of the first token of the instance in the column; -1 in tables with the
        /// option `detail=column` or `detail=none`.
        public var offset: Int

        /// Creates an instance.
        ///
        /// - parameter phrase: the number of the phrase.
        /// - parameter column: the number of the column.
        /// - parameter offset: the offset of the first token in the column.
        public init(phrase: Int, column: Int, offset: Int) {
            self.phrase = phrase
            self.column = column
            self.offset = offset
        }
    }

    private var isValid: Bool { (try? calls.check(number)) != nil }

    /// Converts a number to its C type. Numbers that don't fit are out of range anyway.
    private func cNumber(_ number: Int) -> CInt {
        CInt(truncatingIfNeeded: number) == number ? CInt(truncatingIfNeeded: number) : .max
    }

    // MARK: - Arguments

    /// The number of arguments of the function, without the table.
    public var argumentCount: Int { isValid ? call?.argumentCount ?? 0 : 0 }

    /// The arguments of the function, without the table.
    ///
    /// - complexity: copies all arguments.
    public var arguments: [DatabaseValue] { isValid ? call?.databaseValues ?? [] : [] }

    /// An argument, converted to a number; nil if there is no such argument.
    ///
    /// ```swift
    /// // bm25 is given weights in this way
    /// let weight = try match.argument(at: column) ?? 1
    /// ```
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the context is used after the call
    ///   of its function.
    public func argument(at index: Int) throws -> Double? {
        try calls.check(number)
        guard let call, index >= 0, index < call.argumentCount else { return nil }
        return call.double(at: index)
    }

    // MARK: - The table

    /// The number of columns of the table.
    public var columnCount: Int { isValid ? Int(match.columnCount) : 0 }

    /// The number of rows of the table.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the context is used after the call
    ///   of its function.
    public func rowCount() throws -> Int {
        var count: Int64 = 0
        try check("row") { match.rowCount(&count) }
        return Int(count)
    }

    /// The number of tokens in a column of all rows; in all columns if the column is nil.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_RANGE` if there is no such column,
    ///   `SQLITE_MISUSE` if the context is used after the call of its function.
    public func totalTokenCount(ofColumn column: Int? = nil) throws -> Int {
        var count: Int64 = 0
        try check("column \(column ?? -1)") {
            match.totalTokenCount(column: column.map(columnNumber) ?? -1, &count)
        }
        return Int(count)
    }

    /// Calls a function of SQLite.
    ///
    /// - throws: a `DatabaseError` for a result code that is an error, or if the context is used after the call of its
    ///   function.
    private func check(_ subject: @autoclosure () -> String, _ function: () throws -> CInt) throws {
        try calls.check(number)
        let code = try function()
        guard code == RawStatement.ok else { throw calls.error(code, subject()) }
    }

    /// In C, a negative number represents all columns.
    private func columnNumber(_ column: Int) -> CInt {
        column < 0 ? .max : cNumber(column)
    }

    // MARK: - The pattern

    /// The number of phrases of the pattern.
    public var phraseCount: Int { isValid ? Int(match.phraseCount) : 0 }

    /// The number of tokens of a phrase.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_RANGE` if there is no such phrase,
    ///   `SQLITE_MISUSE` if the context is used after the call of its function.
    public func tokenCount(ofPhrase phrase: Int) throws -> Int {
        try check(phrase: phrase)
        return Int(match.tokenCount(phrase: CInt(phrase)))
    }

    /// A token of a phrase.
    ///
    /// - parameter index: the number of the token in the phrase.
    /// - parameter phrase: the number of the phrase, from 0.
    /// - throws: a ``DatabaseError``, of code `SQLITE_RANGE` if there is no such phrase or token,
    ///   `SQLITE_MISUSE` if the context is used after the call of its function.
    public func token(at index: Int, ofPhrase phrase: Int) throws -> String {
        var token = ""
        try check("token \(index) of phrase \(phrase)") {
            match.withToken(phrase: cNumber(phrase), index: cNumber(index)) {
                token = String(decodingToken: $0, count: $1)
            }
        }
        return token
    }

    private func check(phrase: Int) throws {
        try calls.check(number)
        guard phrase >= 0, phrase < Int(match.phraseCount) else {
            throw calls.error(ResultCode.SQLITE_RANGE.rawValue, "phrase \(phrase)")
        }
    }

    // MARK: - The row

    /// The rowid of the row.
    public var rowID: Int64 { isValid ? match.rowID : 0 }

    /// The number of tokens in a column of the row; in all columns if the column is nil.
    ///
    /// - complexity: tokenizes the texts in tables with the option `columnsize=0`.
    /// - throws: a ``DatabaseError``, of code `SQLITE_RANGE` if there is no such column,
    ///   `SQLITE_MISUSE` if the context is used after the call of its function.
    public func tokenCount(ofColumn column: Int? = nil) throws -> Int {
        var count: CInt = 0
        try check("column \(column ?? -1)") {
            match.tokenCount(column: column.map(columnNumber) ?? -1, &count)
        }
        return Int(count)
    }

    /// The text of a column; empty in contentless tables. Invalid UTF-8 is repaired.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_RANGE` if there is no such column,
    ///   `SQLITE_MISUSE` if the context is used after the call of its function.
    public func text(ofColumn column: Int) throws -> String {
        try withUTF8Text(ofColumn: column) { String(decoding: $0, as: UTF8.self) }
    }

    /// Passes the bytes of the text of a column to the closure, without copying them.
    ///
    /// - throws: the error of the closure; a ``DatabaseError``, of code `SQLITE_RANGE` if there is
    ///   no such column, `SQLITE_MISUSE` if the context is used after the call of its function.
    public func withUTF8Text<T>(
        ofColumn column: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> T
    ) throws -> T {
        try calls.check(number)
        var result: Result<T, any Error>?
        let code = match.withText(column: cNumber(column)) { start, count in
            result = Result {
                try UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count))
                    .withMemoryRebound(to: UInt8.self, body)
            }
        }
        guard let result else { throw calls.error(code, "column \(column)") }
        return try result.get()
    }

    /// The locale of the text of a column; nil if it has none. See ``FTS5Tokenizer/textLocale``.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_RANGE` if there is no such column,
    ///   `SQLITE_MISUSE` if the context is used after the call of its function.
    public func locale(ofColumn column: Int) throws -> String? {
        var locale: String?
        try check("column \(column)") {
            match.withLocale(column: cNumber(column)) { start, count in
                if start != nil { locale = String(decodingToken: start, count: count) }
            }
        }
        return locale
    }

    // MARK: - Instances

    /// The number of instances of all phrases in the row.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the context is used after the call
    ///   of its function.
    public func instanceCount() throws -> Int {
        var count: CInt = 0
        try check("instance") { match.instanceCount(&count) }
        return Int(count)
    }

    /// An instance of a phrase in the row. Instances are numbered from 0, ordered by column and
    /// offset.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_RANGE` if there is no such instance,
    ///   `SQLITE_MISUSE` if the context is used after the call of its function.
    public func instance(at index: Int) throws -> Instance {
        try calls.check(number)
        return try uncheckedInstance(at: cNumber(index))
    }

    private func uncheckedInstance(at index: CInt) throws -> Instance {
        var phrase: CInt = 0
        var column: CInt = 0
        var offset: CInt = 0
        let code = match.instance(at: index, phrase: &phrase, column: &column, offset: &offset)
        guard code == RawStatement.ok else { throw calls.error(code, "instance \(index)") }
        return Instance(phrase: Int(phrase), column: Int(column), offset: Int(offset))
    }

    /// All instances of all phrases in the row, ordered by column and offset.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the context is used after the call
    ///   of its function.
    public func instances() throws -> [Instance] {
        var instances: [Instance] = []
        try forEachInstance { instances.append($0) }
        return instances
    }

    /// Calls the closure with all instances of all phrases in the row, ordered by column and
    /// offset.
    ///
    /// - throws: the error of the closure; a ``DatabaseError`` of code `SQLITE_MISUSE` if the
    ///   context is used after the call of its function.
    public func forEachInstance(_ body: (Instance) throws -> Void) throws {
        let count = try CInt(instanceCount())
        var index: CInt = 0
        while index < count {
            try body(uncheckedInstance(at: index))
            index += 1
        }
    }

    /// A token of an instance. For a prefix such as `white*`, this is the whole token in the row.
    ///
    /// - parameter index: the number of the token in the phrase.
    /// - parameter instance: the number of the instance, from 0.
    /// - throws: a ``DatabaseError``, of code `SQLITE_RANGE` if there is no such instance or token,
    ///   `SQLITE_MISUSE` if the context is used after the call of its function.
    public func token(at index: Int, ofInstance instance: Int) throws -> String {
        var token = ""
        try check("token \(index) of instance \(instance)") {
            match.withToken(instance: cNumber(instance), index: cNumber(index)) {
                token = String(decodingToken: $0, count: $1)
            }
        }
        return token
    }

    /// Calls the closure with the instances of one phrase in the row.
    ///
    /// - complexity: faster than ``forEachInstance(_:)`` if only one phrase matters.
    /// - throws: the error of the closure; a ``DatabaseError``, of code `SQLITE_RANGE` if there is
    ///   no such phrase, `SQLITE_MISUSE` if the context is used after the call of its function.
    public func forEachInstance(
        ofPhrase phrase: Int, _ body: (Instance) throws -> Void
    ) throws {
        try check("phrase \(phrase)") {
            try match.forEachOffset(ofPhrase: cNumber(phrase)) { column, offset in
                try body(Instance(phrase: phrase, column: Int(column), offset: Int(offset)))
            }
        }
    }

    /// The columns of the row that contain a phrase.
    ///
    /// - complexity: in tables with the option `detail=column`, this is the fastest method to find
    ///   them.
    /// - throws: a ``DatabaseError``, of code `SQLITE_RANGE` if there is no such phrase,
    ///   `SQLITE_MISUSE` if the context is used after the call of its function.
    public func columns(ofPhrase phrase: Int) throws -> [Int] {
        var columns: [Int] = []
        try check("phrase \(phrase)") {
            match.forEachColumn(ofPhrase: cNumber(phrase)) { columns.append(Int($0)) }
        }
        return columns
    }

    // MARK: - Other rows

    /// The number of rows of the table that match a phrase.
    ///
    /// - complexity: runs a query. Keep the result in ``auxiliaryData(_:)``.
    /// - throws: a ``DatabaseError``, of code `SQLITE_RANGE` if there is no such phrase,
    ///   `SQLITE_MISUSE` if the context is used after the call of its function.
    public func rowCount(ofPhrase phrase: Int) throws -> Int {
        try check(phrase: phrase)
        var count = 0
        let code = match.rowCount(phrase: CInt(phrase), &count)
        guard code == RawStatement.ok else { throw calls.error(code, "phrase \(phrase)") }
        return count
    }

    /// Calls the closure with each row of the table that matches a phrase. The other phrases of the
    /// pattern are ignored.
    ///
    /// ```swift
    /// var instanceCount = 0
    /// try match.queryPhrase(0) { row in
    ///     instanceCount += try row.instanceCount()
    ///     return true
    /// }
    /// ```
    ///
    /// - complexity: runs a query. Keep the result in ``auxiliaryData(_:)``.
    /// - parameter phrase: the number of the phrase, from 0.
    /// - parameter body: returns whether to continue with the next row. Its context has one phrase,
    ///   no arguments and no auxiliary data, and is valid during the call of the closure.
    /// - throws: the error of the closure; a ``DatabaseError``, of code `SQLITE_RANGE` if there is
    ///   no such phrase, `SQLITE_MISUSE` if the context is used after the call of its function.
    public func queryPhrase(
        _ phrase: Int, _ body: (FTS5MatchContext) throws -> Bool
    ) throws {
        try check(phrase: phrase)
        var failure: (any Error)?
        let code = match.query(phrase: CInt(phrase)) { row in
            do {
                var wantsMore = false
                try calls.withContext(row, nil) { wantsMore = try body($0) }
                return wantsMore ? RawStatement.ok : RawStatement.done
            } catch {
                failure = error
                return RawStatement.done
            }
        }
        if let failure { throw failure }
        guard code == RawStatement.ok || code == RawStatement.done else {
            throw calls.error(code, "phrase \(phrase)")
        }
    }

    // MARK: - Tokens

    /// Returns the tokens of a string and their ranges in its UTF-8 bytes, as the tokenizer of the
    /// table finds them for auxiliary functions.
    ///
    /// - parameter text: the string.
    /// - parameter locale: the ``FTS5Tokenizer/textLocale`` of the text.
    /// - throws: the error of the tokenizer.
    public func tokenize(
        _ text: String, locale: String? = nil
    ) throws -> [(token: String, flags: FTS5TokenFlags, range: Range<Int>)] {
        try calls.check(number)
        return try TokenizerScope.tokens(of: text, for: .aux, locale: locale) { tokenization in
            match.tokenize(tokenization)
        }
    }

    // MARK: - Auxiliary data

    /// The value that the function stores with the current query. The closure creates it on the
    /// first call.
    ///
    /// Compute values that are the same for all rows of a query only once:
    ///
    /// ```swift
    /// let ranking = FTS5AuxiliaryFunction("hits") { match in
    ///     // How many rows match each phrase
    ///     let counts = try match.auxiliaryData {
    ///         try (0..<match.phraseCount).map { try match.rowCount(ofPhrase: $0) }
    ///     }
    ///     ...
    /// }
    /// ```
    ///
    /// The value is released at the end of the query. Use a class if the value changes from row to
    /// row.
    ///
    /// - parameter make: creates the value for the first row.
    /// - throws: the error of the closure; a ``DatabaseError`` of code `SQLITE_MISUSE` if the
    ///   function has stored a value of another type, or in ``queryPhrase(_:_:)``.
    @inlinable
    public func auxiliaryData<Value>(_ make: () throws -> Value) throws -> Value {
        if let object = try auxiliaryObject() {
            guard let data = object as? AuxiliaryData<Value> else { throw wrongType() }
            return data.value
        }
        let value = try make()
        try setAuxiliaryObject(AuxiliaryData(value))
        return value
    }

    @usableFromInline
    func auxiliaryObject() throws -> AnyObject? {
        try calls.check(number)
        guard call != nil else {
            throw calls.misuse("the rows of a phrase have no auxiliary data")
        }
        return match.auxiliaryObject
    }

    @usableFromInline
    func setAuxiliaryObject(_ object: AnyObject) throws {
        try check("auxiliary data") { match.setAuxiliaryObject(object) }
    }

    @usableFromInline
    func wrongType() -> DatabaseError {
        calls.misuse("the auxiliary data is of another type")
    }

    @usableFromInline
    final class AuxiliaryData<Value> {
        @usableFromInline let value: Value

        @usableFromInline
        init(_ value: Value) {
            self.value = value
        }
    }
}

// A context belongs to one call, on one thread.
@available(*, unavailable)
extension FTS5MatchContext: Sendable {}
