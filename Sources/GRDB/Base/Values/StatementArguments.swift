import _GRDBSystem

/// The values of the parameters of a prepared statement.
///
/// Values are positional, for `?` parameters, or named, for `:name`, `@name` and `$name`
/// parameters. Arguments can be written as array and dictionary literals:
///
/// ```swift
/// try db.execute(
///     sql: "INSERT INTO player (name, score) VALUES (?, ?)",
///     arguments: ["Arthur", 1000])
///
/// try db.execute(
///     sql: "INSERT INTO player (name, score) VALUES (:name, :score)",
///     arguments: ["name": "Arthur", "score": 1000])
/// ```
///
/// Parameters receive values in the order of their SQLite numbers. A named parameter receives the
/// value with its name. If there is no such value, it receives the next positional value, like a
/// parameter without a name. The same arguments can therefore be used for both kinds of parameters:
///
/// ```swift
/// // SELECT 1, 'x', 2
/// try Row.fetchOne(db, sql: "SELECT ?, :a, ?", arguments: [1, 2] + ["a": "x"])
/// ```
///
/// All parameters must receive a value, and all positional values must be used. Unused named values
/// are ignored.
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#varparam>
public struct StatementArguments: Hashable, Sendable {
    /// The positional values, unless they are in `literal`.
    private var convertedValues: [DatabaseValue]

    /// The positional values as they were written. Statements bind them without converting them.
    private(set) var literal = LiteralValues.none

    private var rare = RareParts<Rare>()

    private struct Rare: RarePartsContent, Hashable {
        var namedValues: [ExactText: DatabaseValue] = [:]
        var exceptions: [Exception] = []
    }

    private enum Exception: Hashable {
        /// An array that is bound to a single parameter: the positional value at the index, which is NULL.
        case array(Int, ArrayArgument)
        /// A value that SQLite can't store. The statement that receives the arguments throws an error.
        case refused(String)
    }

    init(values: [DatabaseValue]) {
        convertedValues = values
    }

    /// The values by the name of their parameter, without its prefix.
    private(set) var namedValues: [ExactText: DatabaseValue] {
        get { rare.box?.parts.namedValues ?? [ExactText: DatabaseValue]() }
        _modify { yield &rare.parts.namedValues }
    }

    private var exceptions: [Exception] {
        get { rare.box?.parts.exceptions ?? [] }
        _modify { yield &rare.parts.exceptions }
    }

    var hasNames: Bool { !rare.isEmpty && !namedValues.isEmpty }

    private var hasExceptions: Bool { !rare.isEmpty && !exceptions.isEmpty }

    /// The positional values.
    ///
    /// - complexity: O(n) for the arguments of a literal.
    var values: [DatabaseValue] {
        get { literal.isEmpty ? convertedValues : literal.databaseValues }
        _modify {
            convertLiteral()
            yield &convertedValues
        }
    }

    private mutating func convertLiteral() {
        if literal.isEmpty { return }
        convertedValues = literal.databaseValues
        literal = .none
    }

    /// The number of positional values.
    var count: Int { literal.isEmpty ? convertedValues.count : literal.elements.count }

    /// Throws an error if SQLite can't store a value.
    func checkValues(sql: @autoclosure () -> String?) throws(DatabaseError) {
        if !hasExceptions { return }
        for case .refused(let description) in exceptions {
            throw RefusedValue(description: description).error(sql: sql())
        }
    }

    /// Converts a value, or records that SQLite can't store it.
    private mutating func storable(_ value: (any DatabaseValueConvertible)?) -> DatabaseValue {
        guard let value else { return .null }
        if let dbValue = value._storableDatabaseValue { return dbValue }
        exceptions.append(.refused("\(value)"))
        return .null
    }

    // Not inlined in the generic initializers.

    @inline(never)
    private mutating func append(_ value: (any DatabaseValueConvertible)?) {
        values.append(storable(value))
    }

    @inline(never)
    private mutating func set(_ value: (any DatabaseValueConvertible)?, forName name: String) {
        namedValues[ExactText(name)] = storable(value)
    }

    /// Creates empty arguments.
    public init() {
        self.init(values: [])
    }

    /// Whether there are no values, neither positional nor named.
    public var isEmpty: Bool {
        count == 0 && !hasNames
    }

    /// Whether there are not only positional values that SQLite can store.
    var hasNamesOrExceptions: Bool { hasNames || hasExceptions }

    /// Whether there are only converted values, which SQLite can store, and no names.
    var isPlain: Bool { literal.isEmpty && !hasNamesOrExceptions }
}

// MARK: - Positional values

extension StatementArguments {
    /// Creates arguments from a sequence of values of any type.
    ///
    /// ```swift
    /// let values: [(any DatabaseValueConvertible)?] = ["Arthur", 1, nil]
    /// try db.execute(sql: "INSERT ... (?, ?, ?)", arguments: StatementArguments(values))
    /// ```
    public init(_ values: some Sequence<(any DatabaseValueConvertible)?>) {
        self.init()
        self.values.reserveCapacity(values.underestimatedCount)
        for value in values { append(value) }
    }

    /// Creates arguments from a sequence of values of one type.
    ///
    /// ```swift
    /// // DELETE FROM player WHERE id IN (?, ?, ?)
    /// let ids = Set([1, 2, 3])
    /// try db.execute(sql: "DELETE FROM ...", arguments: StatementArguments(ids))
    /// ```
    public init(_ values: some Sequence<some DatabaseValueConvertible>) {
        self.init()
        self.values.reserveCapacity(values.underestimatedCount)
        for value in values { append(value) }
    }

    /// Creates arguments from an array of any values.
    ///
    /// - returns: nil if an element can't be stored in a database.
    public init?(_ array: [Any]) {
        var values: [DatabaseValue] = []
        values.reserveCapacity(array.count)
        for element in array {
            guard let value = DatabaseValue(value: element) else { return nil }
            values.append(value)
        }
        self.init(values: values)
    }
}

extension StatementArguments {
    public static func == (lhs: StatementArguments, rhs: StatementArguments) -> Bool {
        lhs.values == rhs.values && lhs.rare.parts == rhs.rare.parts
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(values)
        hasher.combine(rare.parts)
    }
}

extension StatementArguments: CustomReflectable {
    /// The values and named values, whether or not the values were converted.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "values": values,
                "namedValues": Dictionary(
                    namedValues.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: { $1 }),
            ], displayStyle: .struct)
    }
}

extension StatementArguments: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: (any DatabaseValueConvertible)?...) {
        guard LiteralElement.hasKnownLayout, let literal = LiteralValues(elements) else {
            self.init(elements)
            return
        }
        self.init()
        self.literal = literal
    }
}

// MARK: - Arrays

/// Values of one storage class, bound as a single parameter: the argument of the `carray`
/// table-valued function.
///
/// Related SQLite documentation: <https://www.sqlite.org/carray.html>
enum ArrayArgument: Hashable, Sendable {
    case integers([Int64])
    case reals([Double])
    /// Texts without NUL characters, because SQLite would truncate the texts there.
    case texts([String])
    case blobs([Data])

    /// The name of the function, and of its table.
    static let tableName = "carray"

    func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        switch self {
        case .integers(let values): RawBinding.array(sqliteStatement, index, integers: values)
        case .reals(let values): RawBinding.array(sqliteStatement, index, reals: values)
        case .texts(let values): RawBinding.array(sqliteStatement, index, texts: values)
        case .blobs(let values): RawBinding.array(sqliteStatement, index, blobs: values)
        }
    }

    var values: [DatabaseValue] {
        switch self {
        case .integers(let values): values.map(\.databaseValue)
        case .reals(let values): values.map(\.databaseValue)
        case .texts(let values): values.map(\.databaseValue)
        case .blobs(let values): values.map(\.databaseValue)
        }
    }
}

extension ArrayArgument {
    // By their values, which the program compares anyway: comparisons of four types of arrays take more code.

    static func == (lhs: Self, rhs: Self) -> Bool { lhs.values == rhs.values }

    func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

extension StatementArguments {
    /// Appends an array, which is bound to a single positional parameter.
    mutating func append(_ array: ArrayArgument) {
        exceptions.append(.array(values.count, array))
        values.append(.null)
    }

    /// The array that is bound instead of the positional value at an index.
    func array(at index: Int) -> ArrayArgument? {
        rare.isEmpty ? nil : searchedArray(at: index)
    }

    @inline(never)
    private func searchedArray(at index: Int) -> ArrayArgument? {
        for case .array(index, let array) in exceptions { return array }
        return nil
    }
}

// MARK: - Named values

extension StatementArguments {
    /// Creates arguments from a dictionary of values of any type.
    ///
    /// ```swift
    /// let values: [String: (any DatabaseValueConvertible)?] = ["name": "Arthur", "team": nil]
    /// try db.execute(sql: "INSERT ... (:name, :team)", arguments: StatementArguments(values))
    /// ```
    public init(_ dictionary: [String: (any DatabaseValueConvertible)?]) {
        self.init()
        for (name, value) in dictionary { set(value, forName: name) }
    }

    /// Creates arguments from a sequence of names and values. If a name occurs several times, its
    /// last value is used.
    public init(
        _ keysAndValues: some Sequence<(String, (any DatabaseValueConvertible)?)>
    ) {
        self.init()
        for (name, value) in keysAndValues { set(value, forName: name) }
    }

    /// Creates arguments from a dictionary of any values.
    ///
    /// - returns: nil if a key is not a string, or if a value can't be stored in a database.
    public init?(_ dictionary: [AnyHashable: Any]) {
        self.init()
        namedValues.reserveCapacity(dictionary.count)
        for (key, element) in dictionary {
            guard let name = key as? String, let value = DatabaseValue(value: element) else {
                return nil
            }
            namedValues[ExactText(name)] = value
        }
    }
}

extension StatementArguments: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, (any DatabaseValueConvertible)?)...) {
        self.init(elements)
    }
}

// MARK: - Combining

extension StatementArguments {
    /// Appends arguments. Positional values are appended to the positional values of this instance.
    /// Named values replace values of the same name.
    ///
    /// ```swift
    /// var arguments: StatementArguments = ["name": "Arthur"]
    /// arguments.append(contentsOf: ["name": "Barbara", "score": 1000])
    /// // returns ["name": "Arthur"]
    /// ```
    ///
    /// - returns: the named values that were replaced.
    @discardableResult
    public mutating func append(
        contentsOf arguments: StatementArguments
    ) -> [String: DatabaseValue] {
        appendExceptions(of: arguments, by: values.count)
        values.append(contentsOf: arguments.values)
        if !arguments.hasNames { return [:] }
        var replaced: [String: DatabaseValue] = [:]
        for (name, value) in arguments.namedValues {
            if let former = namedValues.updateValue(value, forKey: name) {
                replaced[name.rawValue] = former
            }
        }
        return replaced
    }

    /// Combines two arguments.
    ///
    /// ```swift
    /// // [1, 2]
    /// let arguments: StatementArguments = [1] + [2]
    /// ```
    ///
    /// - precondition: no name has a value on both sides. Otherwise, use ``&+(_:_:)`` or
    ///   ``append(contentsOf:)``.
    public static func + (lhs: StatementArguments, rhs: StatementArguments) -> StatementArguments {
        var result = lhs
        result += rhs
        return result
    }

    /// Combines two arguments. If a name has a value on both sides, the right value is used.
    ///
    /// ```swift
    /// // ["name": "Barbara"]
    /// let arguments: StatementArguments = ["name": "Arthur"] &+ ["name": "Barbara"]
    /// ```
    public static func &+ (lhs: StatementArguments, rhs: StatementArguments) -> StatementArguments {
        var result = lhs
        result.append(contentsOf: rhs)
        return result
    }

    /// Appends arguments.
    ///
    /// - precondition: no name has a value on both sides. Otherwise, use ``append(contentsOf:)``.
    public static func += (lhs: inout StatementArguments, rhs: StatementArguments) {
        let replaced = lhs.append(contentsOf: rhs)
        if !replaced.isEmpty {
            // Not a precondition, because release builds omit its message.
            let names = replaced.keys.ordered().joined(separator: ", ")
            fatalError("already defined statement argument: \(names)")
        }
    }
}

// MARK: - Binding

extension StatementArguments {
    /// Removes and returns the values for the parameters of a statement.
    ///
    /// Positional values are removed, so that the next statement can use the remaining values.
    /// Named values are kept. If the method throws an error, nothing changes.
    ///
    /// - parameter names: the name of each parameter without its prefix, or nil for `?`. The name
    ///   of `?3` is `3`.
    /// - parameter allowingRemainingValues: whether positional values may remain.
    /// - parameter sql: the SQL of the statement, for errors.
    /// - returns: one positional value per parameter.
    /// - throws: a `DatabaseError` of code `SQLITE_MISUSE` if the arguments don't match the
    ///   parameters.
    mutating func takeValues(
        ofParameters names: [String?],
        allowingRemainingValues: Bool,
        sql: String? = nil
    ) throws(DatabaseError) -> StatementArguments {
        convertLiteral()
        if !hasNames && values.count == names.count {
            // Named parameters may receive positional values, too.
            let bindings = self
            self = StatementArguments()
            return bindings
        }

        var position = 0
        var bindings = StatementArguments()
        bindings.values.reserveCapacity(names.count)
        for name in names {
            if let name, let value = namedValues[ExactText(name)] {
                bindings.values.append(value)
            } else if position < values.count {
                if let array = array(at: position) {
                    bindings.append(array)
                } else {
                    bindings.values.append(values[position])
                }
                position += 1
            } else if let name {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "missing statement argument: \(name)",
                    sql: sql)
            } else {
                throw Self.wrongNumberOfValues(
                    values.count, expected: positionalCount(ofParameters: names), sql: sql)
            }
        }
        if position < values.count && !allowingRemainingValues {
            throw Self.wrongNumberOfValues(
                values.count, expected: position,
                areNumbered: names.contains { $0.flatMap { Int($0) } != nil },
                sql: sql)
        }
        values.removeFirst(position)
        if hasExceptions {
            let former = self
            exceptions = []
            appendExceptions(of: former, by: -position)
        }
        return bindings
    }

    /// Appends the exceptions of other arguments, whose positions change by an offset.
    private mutating func appendExceptions(of arguments: StatementArguments, by offset: Int) {
        if !arguments.hasExceptions { return }
        for exception in arguments.exceptions {
            switch exception {
            case .array(let index, let array):
                // Removed values have negative positions.
                if index + offset >= 0 { exceptions.append(.array(index + offset, array)) }
            case .refused:
                exceptions.append(exception)
            }
        }
    }

    /// The number of parameters without a named value.
    private func positionalCount(ofParameters names: [String?]) -> Int {
        names.count { name in name.flatMap { namedValues[ExactText($0)] } == nil }
    }

    /// The error for too few or too many positional values.
    ///
    /// - parameter count: the number of given values.
    /// - parameter expected: the number of required values.
    /// - parameter areNumbered: whether parameters are numbered.
    static func wrongNumberOfValues(
        _ count: Int, expected: Int, areNumbered: Bool = false, sql: String? = nil
    ) -> DatabaseError {
        var message = "wrong number of statement arguments: \(count), expected \(expected)"
        if areNumbered {
            // Combined requests may have parameters with the same numbers.
            message += " (parameters with the same number, as in ?1, share an argument)"
        }
        return DatabaseError(resultCode: .SQLITE_MISUSE, message: message, sql: sql)
    }
}

// MARK: - Description

extension StatementArguments: CustomStringConvertible {
    /// The named values, sorted by name, followed by the positional values.
    public var description: String { text(isMessage: false) }

    /// The arguments in an error message.
    var messageText: String { text(isMessage: true) }

    private func text(isMessage: Bool) -> String {
        func describe(_ value: DatabaseValue) -> String {
            isMessage ? value.messageText : value.description
        }
        func list(_ elements: [String]) -> String { "[\(elements.joined(separator: ", "))]" }
        let named = namedValues.ordered { $0.key.rawValue < $1.key.rawValue }
            .map { "\($0.key.rawValue.debugDescription): \(describe($0.value))" }
        let positional = values.enumerated().map { index, value in
            array(at: index).map { list($0.values.map(describe)) } ?? describe(value)
        }
        return list(named + positional)
    }
}

/// A value that SQLite can't store. A query that contains it throws an error when SQL is generated.
package struct RefusedValue: SQLLeaf {
    package let description: String

    var traits: SQLTraits { [] }

    var resultCode = ResultCode.SQLITE_TOOBIG

    package init(description: String, resultCode: ResultCode = .SQLITE_TOOBIG) {
        self.description = description
        self.resultCode = resultCode
    }

    package func error(sql: String? = nil) -> DatabaseError {
        DatabaseError(
            resultCode: resultCode,
            message: "value can't be stored in a database: \(description)", sql: sql)
    }

    func write(to writer: SQLWriter) throws {
        throw error()
    }
}
