import _GRDBSystem

// The parts of the state of a connection. They belong to the thread that owns the connection.

/// Functions that higher layers and products install.
package struct ConnectionCallbacks {
    /// Throws if a statement must not run while FTS5 calls a tokenizer. Set by tokenizers.
    var checkWithinTokenizer: ((Statement) throws -> Void)?

    /// Receives the actions of statements that a C function compiles and runs on its own.
    package var didAuthorize: ((RawAuthorization) -> Void)?

    /// Called before `COMMIT`. Unlike the commit hook, it can run statements.
    package var willCommitTransaction: ((Database) throws -> Void)?

    /// Called before a statement that drops or renames a table of the main schema. See
    /// `StatementEffects.replacedTable`.
    package var willReplaceTable: ((Database, String) throws -> Void)?

    /// Called at the end of an access, outside of its transaction, on the thread of the access.
    package var accessDidEnd: ((Database) -> Void)?
}

struct Tracing {
    var function: ((Database.TraceEvent) -> Void)?
    var options: Database.TracingOptions = []

    /// Receives the duration of each statement, in seconds. See `setProfiler(_:)`.
    var profiler: ((Database.TraceEvent.Statement, TimeInterval) -> Void)?
}

/// What is known about the schema version of the file.
struct SchemaCheck {
    /// The schema version that corresponds to `Database.schemaGeneration`.
    var version: Int32?

    /// The number of the transaction that read the version.
    var transaction: Int?
}

/// The tables and views that were dropped or altered.
package struct TableAlterations {
    /// Since observers last asked.
    var unobserved: Set<CaseInsensitiveIdentifier> = []

    /// While a group of changes is recorded; otherwise nil.
    package var recorded: Set<CaseInsensitiveIdentifier>?

    /// The tables that the current transaction has dropped or renamed: see `StatementEffects.replacedTable`.
    package var replaced: Set<CaseInsensitiveIdentifier> = []
}

/// The date of the current transaction, if there is one.
struct TransactionDating {
    private enum Start {
        case none
        /// The date of the default clock.
        case wallClock(WallClock)
        case date(Result<Date, any Error>)
    }

    private var start = Start.none

    /// Whether the clock is the default one. It is read in every transaction, so reading it must be
    /// cheap.
    private let usesDefaultClock: Bool

    init(_ clock: any TransactionClock) {
        usesDefaultClock = clock is DefaultTransactionClock
    }

    var date: Date? {
        get throws {
            switch start {
            case .none: nil
            case .wallClock(let clock): clock.date
            case .date(let result): try result.get()
            }
        }
    }

    var isKnown: Bool {
        if case .none = start { false } else { true }
    }

    mutating func begin(_ now: () throws -> Date) {
        start = usesDefaultClock ? .wallClock(WallClock()) : .date(Result(catching: now))
    }

    mutating func end() { start = .none }
}

/// The nested scopes in which the connection refuses changes.
struct ReadOnlyScopes {
    var depth = 0

    /// Whether the connection refused changes before the outermost scope.
    var wereQueryOnly = false

    /// Whether the current transaction has begun in a scope that has not ended.
    var ownTransaction = false
}
