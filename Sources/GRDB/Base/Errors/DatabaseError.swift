/// An error of SQLite, or of this library in the codes of SQLite.
///
/// Print an error to see what happened, and where. The description contains the code, the message
/// and the SQL. It contains the values of the arguments only if
/// ``Configuration/publicStatementArguments`` is true, because they may be private.
///
/// ```swift
/// do {
///     try player.insert(db)
/// } catch let error as DatabaseError {
///     // SQLite error 19: NOT NULL constraint failed: player.name
///     // - while executing `INSERT INTO player (name) VALUES (?)`
///     print(error)
///
///     switch error {
///     case DatabaseError.SQLITE_CONSTRAINT_FOREIGNKEY:
///         // a foreign key constraint failed
///     case DatabaseError.SQLITE_CONSTRAINT:
///         // another constraint failed
///     default:
///         // any other database error
///     }
/// }
/// ```
///
/// A primary code matches all its extended codes, so test the extended codes first. If you are only
/// interested in some codes, catch them directly:
///
/// ```swift
/// do {
///     try player.insert(db)
/// } catch DatabaseError.SQLITE_CONSTRAINT_FOREIGNKEY {
///     // a foreign key constraint failed
/// } catch DatabaseError.SQLITE_CONSTRAINT {
///     // another constraint failed
/// } catch {
///     // any other error
/// }
/// ```
///
/// Which errors should you handle? Constraint violations tell you that the data is not acceptable,
/// for example because a name is already taken. `SQLITE_BUSY` means that another process holds a
/// lock: set ``Configuration/busyMode`` instead of trying again by hand. `SQLITE_INTERRUPT` follows
/// from a cancellation or a time limit. `SQLITE_MISUSE` is a mistake in the code. After an error in
/// a `write`, all changes of the transaction are rolled back.
///
/// See <doc:Errors> for the codes, with their causes and remedies.
///
/// Related SQLite documentation: <https://www.sqlite.org/rescode.html>
public struct DatabaseError: Error, Sendable {
    /// The primary code: ``ResultCode/SQLITE_CONSTRAINT`` if ``extendedResultCode`` is
    /// ``ResultCode/SQLITE_CONSTRAINT_FOREIGNKEY``.
    public var resultCode: ResultCode { extendedResultCode.primaryResultCode }

    /// The extended code, if SQLite provides one; otherwise, the primary code.
    public let extendedResultCode: ResultCode

    /// The message of SQLite or of this library. The default is the English text of the code.
    public let message: String?

    /// The SQL query that caused the error.
    public let sql: String?

    /// The position of the error in ``sql``: the offset of a token, in UTF-8 bytes.
    ///
    /// SQLite provides it only for compilation errors, such as syntax errors and unknown columns.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/errcode.html>
    public private(set) var offset: Int?

    /// The arguments of the query that caused the error.
    ///
    /// Arguments may be sensitive. This property contains them, but the description of the error contains
    /// them only if `Configuration.publicStatementArguments` is true. Keys of encrypted databases are in
    /// neither.
    public let arguments: StatementArguments?

    /// The identifier of the migration that failed with this error; nil if the error was not thrown
    /// by a migration.
    ///
    /// The description includes it.
    public private(set) var migrationIdentifier: String?

    /// The label of the access that has thrown this error, with its source location:
    /// `list players (App/Server.swift:12)`. Nil if the access has no label.
    ///
    /// The description includes it. See `DatabaseReader.read(label:file:line:_:)`.
    public private(set) var accessLabel: String?

    /// Whether the description includes the arguments.
    let publicStatementArguments: Bool

    /// Creates an error, for example to throw from an SQL function or in a test.
    ///
    /// - parameter resultCode: a primary or extended code.
    /// - parameter message: a message; by default, SQLite's English text of the code.
    /// - parameter sql: the SQL query that caused the error.
    /// - parameter arguments: the arguments of this query.
    /// - parameter publicStatementArguments: whether the description includes the arguments.
    public init(
        resultCode: ResultCode = .SQLITE_ERROR,
        message: String? = nil,
        sql: String? = nil,
        arguments: StatementArguments? = nil,
        publicStatementArguments: Bool = false
    ) {
        let defaultMessage = RawSQLite.errorString(resultCode.rawValue)
        self.extendedResultCode = resultCode
        if let message, let sql {
            self.message = SQLText.message(message, ofStatement: sql) ?? defaultMessage
        } else {
            self.message = message.map(SQLText.withoutKeys) ?? defaultMessage
        }
        self.sql = sql.map(SQLText.withoutKeys)
        if let sql, let arguments, SQLText.hasKeyArgument(sql, arguments.messageText) {
            self.arguments = nil
        } else {
            self.arguments = arguments
        }
        self.publicStatementArguments = publicStatementArguments
    }

    /// Creates an error of code `SQLITE_MISUSE`.
    package init(misuse message: String) {
        self.init(resultCode: .SQLITE_MISUSE, message: message)
    }

    /// Creates a `DatabaseError` from a failure of the C API.
    package init(
        _ failure: RawFailure,
        sql: String? = nil,
        arguments: StatementArguments? = nil,
        publicStatementArguments: Bool = false
    ) {
        self.init(
            resultCode: ResultCode(rawValue: failure.code), message: failure.explainedMessage,
            sql: sql, arguments: arguments, publicStatementArguments: publicStatementArguments)
        offset = failure.offset
    }

    /// Runs a closure that calls the C API. Its failures are thrown as `DatabaseError`s.
    @inline(__always)
    package static func convertingFailures<T>(_ body: () throws -> T) throws -> T {
        do { return try body() } catch let failure as RawFailure { throw DatabaseError(failure) }
    }

    /// The error with the identifier of a migration.
    func inMigration(_ identifier: String) -> DatabaseError {
        var error = self
        error.migrationIdentifier = migrationIdentifier ?? identifier
        return error
    }

    /// The error with the label of an access, which GRDBServer has.
    package func inAccess(_ label: String) -> DatabaseError {
        var error = self
        error.accessLabel = accessLabel ?? label
        return error
    }

    /// Whether the error has the code `SQLITE_ABORT` or `SQLITE_INTERRUPT`.
    ///
    /// The cause is an interrupted database, a cancelled task, or an aborted transaction.
    public var isInterruptionError: Bool {
        switch resultCode {
        case .SQLITE_ABORT, .SQLITE_INTERRUPT: true
        default: false
        }
    }
}

// MARK: - Description

extension DatabaseError: CustomStringConvertible {
    /// The code, the message, the query, the migration, and the label of the access. The arguments
    /// of the query are included only if `Configuration.publicStatementArguments` is true.
    public var description: String {
        description(withArguments: publicStatementArguments)
    }

    /// The description, with the arguments of the query.
    ///
    /// - warning: the arguments may be sensitive.
    public var expandedDescription: String {
        description(withArguments: true)
    }

    private func description(withArguments: Bool) -> String {
        var description = "SQLite error \(resultCode.rawValue)"
        if let message {
            description += ": \(message)"
        }
        if let sql {
            description += " - while executing `\(SQLText.trimmed(sql))`"
        }
        if withArguments, let arguments, !arguments.isEmpty {
            description += " with arguments \(SQLText.withoutKeys(arguments.messageText))"
        }
        if let migrationIdentifier {
            description += " - in migration \"\(migrationIdentifier)\""
        }
        if let accessLabel {
            description += " - in access \(accessLabel)"
        }
        return description
    }
}
