/// A Swift closure or type that SQL can call by name.
///
/// ```swift
/// // Adds the SQL function `reverse`
/// let reverse = DatabaseFunction("reverse", argumentCount: 1, pure: true) { values in
///     String.fromDatabaseValue(values[0]).map { String($0.reversed()) }
/// }
/// db.add(function: reverse)
/// try String.fetchOne(db, sql: "SELECT reverse('foo')") // "oof"
/// ```
///
/// If the function throws an error, its statement throws the same error.
///
/// See <doc:Functions>.
///
/// Related SQLite documentation: <https://www.sqlite.org/appfunc.html>
public final class DatabaseFunction: Sendable {
    /// The identity of a function in SQLite: its name, without ASCII case, and its argument count.
    public struct ID: Hashable, Sendable {
        let name: CaseInsensitiveIdentifier
        /// -1 for any number.
        let argumentCount: CInt

        fileprivate init(_ name: String, _ argumentCount: Int?) {
            self.name = CaseInsensitiveIdentifier(name)
            self.argumentCount = argumentCount.map { CInt(clamping: $0) } ?? -1
        }
    }

    /// The identity of the function.
    public let id: ID

    /// The name of the SQL function.
    public var name: String { id.name.rawValue }

    /// GRDBFunctions has window functions, and functions that read and set subtypes.
    package enum Kind: Sendable {
        case scalar(@Sendable (RawFunctionCall) throws -> Void)
        case aggregate(@Sendable () -> AggregateState, isWindow: Bool = false)
    }

    private let kind: Kind

    package let options: RawFunction.Options

    /// Whether the function computes one value from all rows of a group.
    package var isAggregate: Bool { if case .aggregate = kind { true } else { false } }

    /// Creates an SQL function.
    ///
    /// ```swift
    /// let fn = DatabaseFunction("succ", argumentCount: 1) { dbValues in
    ///     guard let int = Int.fromDatabaseValue(dbValues[0]) else { return nil }
    ///     return int + 1
    /// }
    /// db.add(function: fn)
    /// try Int.fetchOne(db, sql: "SELECT succ(1)") // 2
    /// ```
    ///
    /// - parameter name: the function name.
    /// - parameter argumentCount: the number of arguments; nil for any number.
    /// - parameter pure: whether the function always returns the same result for the same
    ///   arguments. Only pure functions may be used in indexes. They are called only once for
    ///   constant arguments.
    /// - parameter function: receives the arguments, and returns the result, or nil for NULL. It is
    ///   called on the thread of the connection while a statement runs, and must not use the
    ///   connection.
    public init(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false,
        function:
            @escaping @Sendable ([DatabaseValue]) throws -> (any DatabaseValueConvertible)?
    ) {
        id = ID(name, argumentCount)
        options = pure ? .isPure : []
        kind = .scalar { try $0.setResult(function($0.databaseValues)) }
    }

    /// Creates an SQL aggregate function.
    ///
    /// ```swift
    /// struct MySum: DatabaseAggregate {
    ///     var sum: Int = 0
    ///
    ///     mutating func step(_ dbValues: [DatabaseValue]) {
    ///         if let int = Int.fromDatabaseValue(dbValues[0]) { sum += int }
    ///     }
    ///
    ///     func finalize() -> (any DatabaseValueConvertible)? { sum }
    /// }
    ///
    /// db.add(function: DatabaseFunction("mysum", argumentCount: 1, aggregate: MySum.self))
    /// try Int.fetchOne(db, sql: "SELECT mysum(score) FROM player")
    /// ```
    ///
    /// - parameter name: the function name.
    /// - parameter argumentCount: the number of arguments; nil for any number.
    /// - parameter pure: whether the aggregate always returns the same result for the same rows.
    /// - parameter aggregate: the type of the aggregate. Each group has its own instance.
    public init<Aggregate: DatabaseAggregate>(
        _ name: String, argumentCount: Int? = nil, pure: Bool = false,
        aggregate: Aggregate.Type
    ) {
        id = ID(name, argumentCount)
        options = pure ? .isPure : []
        kind = .aggregate {
            ReducingAggregateState(
                state: aggregate.init(), reduce: { try $0.step($1) }, result: { try $0.finalize() })
        }
    }

    /// Creates a function of any kind. This initializer has no closure parameter, so that it is not
    /// ambiguous with the other initializers.
    package init(_ name: String, argumentCount: Int?, pure: Bool, kind: Kind) {
        id = ID(name, argumentCount)
        options = pure ? .isPure : []
        self.kind = kind
    }

    /// Creates the same function with other options.
    package init(_ function: DatabaseFunction, options: RawFunction.Options) {
        id = function.id
        kind = function.kind
        self.options = options
    }

    // MARK: - Registration

    func register(in db: Database) throws {
        let implementation: RawFunction.Implementation
        switch kind {
        case .scalar(let function):
            implementation = .scalar { [unowned raw = db.raw] call in
                do {
                    try function(call)
                } catch {
                    raw.fail(call, error)
                }
            }
        case .aggregate(let makeState, let isWindow):
            implementation = .aggregate(
                { [unowned raw = db.raw] operation, call in
                    guard let state = AggregateState.of(call, operation, makeState),
                        !state.hasFailed
                    else { return }
                    do {
                        try state.perform(operation, call)
                    } catch {
                        state.hasFailed = true
                        raw.fail(call, error)
                    }
                }, isWindow: isWindow)
        }
        try db.register("function", name) {
            RawFunction(implementation).register(
                in: $0, name: name, argumentCount: id.argumentCount, options: options)
        }
    }

    func unregister(from db: Database) throws {
        try db.register("function", name) {
            RawFunction.remove(from: $0, name: name, argumentCount: id.argumentCount)
        }
    }
}

/// A type that implements a custom SQL aggregate function.
public protocol DatabaseAggregate: SendableMetatype {
    /// Creates the aggregate for a group of rows.
    init()

    /// Called for each row of the group, with the arguments of the function.
    ///
    /// - throws: any error. The statement throws the same error.
    mutating func step(_ dbValues: [DatabaseValue]) throws

    /// Returns the result of the group.
    ///
    /// - throws: any error. The statement throws the same error.
    func finalize() throws -> (any DatabaseValueConvertible)?
}

/// A type whose metatype can cross isolation domains.
public typealias GRDBSendableMetatype = SendableMetatype

extension RawFunctionCall {
    package var databaseValues: [DatabaseValue] {
        (0..<argumentCount).map { DatabaseValue(rawValue: argument(at: $0)) }
    }

    package func setResult(_ value: (any DatabaseValueConvertible)?) throws {
        guard let dbValue = value.map(\._storableDatabaseValue) ?? .null else {
            throw RefusedValue(description: "\(value!)").error()
        }
        switch dbValue.storage {
        case .null: returnNull()
        case .int64(let value): returnValue(value)
        case .double(let value): returnValue(value)
        case .string(let value): returnValue(value)
        case .blob(let data): data.withUnsafeBytes { returnValue($0) }
        }
    }
}

extension RawConnection {
    /// Makes a statement fail with the error of a callback.
    package func fail(_ call: RawFunctionCall, _ error: any Error) {
        // The first error stops the statement.
        if callbackError == nil {
            callbackError = error
        }
        if let error = error as? DatabaseError {
            call.fail(code: error.extendedResultCode.failureCode, message: error.message)
        } else {
            call.fail(code: ResultCode.SQLITE_ERROR.rawValue, message: "\(error)")
        }
    }
}

extension ResultCode {
    /// The code, if it makes a statement fail; otherwise `SQLITE_ERROR`.
    fileprivate var failureCode: CInt {
        switch primaryResultCode {
        case .SQLITE_OK, .SQLITE_ROW, .SQLITE_DONE: ResultCode.SQLITE_ERROR.rawValue
        default: rawValue > 0 ? rawValue : ResultCode.SQLITE_ERROR.rawValue
        }
    }
}

extension Database {
    /// Makes a function available to SQL, replacing one of the same name and argument count.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in
    ///     db.add(function: DatabaseFunction("answer", argumentCount: 0) { _ in 42 })
    /// }
    /// ```
    ///
    /// If SQLite rejects the function, the current access throws a ``DatabaseError`` and commits
    /// nothing. If the access can't throw, the next access of the connection does. If the method is
    /// called in `prepareDatabase`, the connection is not opened.
    ///
    /// A name has at most 255 bytes, without NUL characters. A function has at most 1,000
    /// arguments. A function can't be redefined while a statement runs. ``tryAdd(function:)``
    /// throws immediately.
    ///
    /// - precondition: the connection belongs to the current thread.
    public func add(function: DatabaseFunction) {
        keepingFailure(of: "add function \(function.name)") { try function.register(in: self) }
    }

    /// Adds a function like ``add(function:)``, but throws at once if SQLite refuses it. Use it if
    /// names are not constants, or memory may be short.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in
    ///     try db.tryAdd(function: DatabaseFunction(userDefinedName) { _ in 42 })
    /// }
    /// ```
    ///
    /// - throws: a ``DatabaseError``: of code `SQLITE_BUSY` while a statement runs, if the function
    ///   is already defined; of code `SQLITE_MISUSE` if SQLite rejects the name or the argument
    ///   count, or if the connection is closed or does not belong to the current thread.
    public func tryAdd(function: DatabaseFunction) throws {
        try checkAccess()
        try function.register(in: self)
    }

    /// Makes a function unavailable to SQL.
    ///
    /// If a statement runs, the current access throws a ``DatabaseError`` of code `SQLITE_BUSY` and
    /// commits nothing. ``tryRemove(function:)`` throws immediately.
    ///
    /// - precondition: the connection belongs to the current thread.
    public func remove(function: DatabaseFunction) {
        keepingFailure(of: "remove function \(function.name)") {
            try function.unregister(from: self)
        }
    }

    /// Removes a custom SQL function like ``remove(function:)``, but throws immediately.
    ///
    /// - throws: a ``DatabaseError``: of code `SQLITE_BUSY` while a statement runs; of code
    ///   `SQLITE_MISUSE` if the connection is closed or does not belong to the current thread.
    public func tryRemove(function: DatabaseFunction) throws {
        try checkAccess()
        try function.unregister(from: self)
    }

    /// Calls a function of SQLite that adds or removes a function or collation, and throws its failure.
    func register(_ kind: String, _ name: String, _ body: (SQLiteConnection) -> CInt) throws {
        guard let connection = raw.handle else { throw Self.closedError }
        try Self.checkName(name, of: kind)
        let code = body(connection)
        if code != RawStatement.ok { throw DatabaseError(raw.failure(code)) }
    }

    /// Throws an error if a name contains a NUL character, because SQLite would truncate the name
    /// there.
    ///
    /// - parameter kind: the kind of the named object.
    package static func checkName(_ name: String, of kind: String) throws {
        guard let offset = name.utf8.firstOffset(of: 0) else { return }
        throw DatabaseError(
            misuse: "The name of the \(kind) holds a NUL character, at byte \(offset)")
    }
}
