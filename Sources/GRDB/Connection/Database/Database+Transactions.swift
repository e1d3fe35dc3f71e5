extension Database {
    /// Whether a transaction is open. Transactions are started by `BEGIN` or by a savepoint.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/get_autocommit.html>
    public var isInsideTransaction: Bool {
        preconditionAccess()
        return !raw.isInAutocommitMode
    }

    /// Runs a closure in a transaction, which the closure commits or rolls back.
    ///
    /// ```swift
    /// try dbQueue.writeWithoutTransaction { db in
    ///     try db.inTransaction {
    ///         try db.execute(sql: "INSERT ...")
    ///         return .commit
    ///     }
    /// }
    /// ```
    ///
    /// When the closure throws, or when the commit fails, the transaction is rolled back, and the
    /// error is rethrown. When the closure returns `.rollback`, the transaction is rolled back
    /// without an error.
    ///
    /// Transactions can't be nested: see ``inSavepoint(_:)``.
    ///
    /// - parameter kind: the kind of the transaction. The default is IMMEDIATE, or DEFERRED for
    ///   a connection that can't write.
    /// - parameter operations: the operations. Returns whether to commit.
    /// - throws: the error of the closure, or a ``DatabaseError``.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_transaction.html>
    public func inTransaction(
        _ kind: TransactionKind? = nil, _ operations: () throws -> TransactionCompletion
    ) throws {
        try beginTransaction(kind)
        do {
            let completion = try requiringTransaction { try checkedCompletion(of: operations) }
            if completion == .commit { return try commit() }
        } catch {
            rollbackAfterError()
            throw error
        }
        rollbackAfterError()
        guard raw.isInAutocommitMode else {
            throw DatabaseError(raw.failure(raw.lastErrorCode), sql: "ROLLBACK TRANSACTION")
        }
    }

    /// Runs the operations, and throws if they return `.commit` although nothing may be committed.
    private func checkedCompletion(
        of operations: () throws -> TransactionCompletion
    ) throws -> TransactionCompletion {
        let completion = try operations()
        if completion == .commit {
            try checkKeptFailure()
            try checkTransaction()
        }
        return completion
    }

    /// Runs the closure, in which every statement fails once the transaction has ended. SQLite rolls
    /// transactions back on its own after some errors, and later statements must not be committed alone.
    private func requiringTransaction<T>(_ body: () throws -> T) rethrows -> T {
        let formerly = requiresTransaction
        requiresTransaction = true
        defer { requiresTransaction = formerly }
        return try body()
    }

    /// Throws if the transaction that statements expect has ended.
    ///
    /// - parameter sql: the statement that would run outside of the transaction.
    /// - parameter effect: the effect of the statement on the transaction.
    package func checkTransaction(
        _ sql: @autoclosure () -> String? = nil,
        effect: @autoclosure () -> StatementEffects.TransactionEffect? = nil
    ) throws {
        if hasLimits, !isRollingBack {
            try checkLimits(sql())
            try checkRollbackReason(sql(), effect: effect())
        }
        try checkTransactionIsOpen(sql())
        if sharesTransaction, !isRollingBack, let effect = effect() {
            try checkSharedTransaction(sql(), effect)
        }
    }

    /// Throws if the statement ends a transaction, or a savepoint, that does not belong to the access.
    private func checkSharedTransaction(
        _ sql: String?, _ effect: StatementEffects.TransactionEffect
    ) throws {
        // Observers use transactions of their own.
        guard requiresTransaction else { return }
        switch effect {
        case .commit, .rollback: throw Self.sharedTransactionError(sql)
        case .beginSavepoint(let name), .releaseSavepoint(let name), .rollbackToSavepoint(let name):
            if ASCIICase.equal(name, Self.sharedTransactionSavepoint), !raw.isRunningOwnStatement {
                throw Self.sharedTransactionError(sql)
            }
        case .begin: break
        }
    }

    static func sharedTransactionError(_ sql: String? = nil) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "A batched write can't end the transaction that it shares", sql: sql)
    }

    private static let sharedTransactionSavepoint = "grdb batch"

    /// Whether a savepoint is open. Until it ends, observers are not notified of changes.
    package var hasSavepoints: Bool { broker.held.hasSavepoints }

    /// Runs the closure in a savepoint of the current transaction, which the closure can't end.
    package func inSharedTransaction(_ operations: () throws -> Void) throws {
        sharesTransaction = true
        broker.registrations = []
        defer {
            sharesTransaction = false
            broker.registrations = nil
        }
        do {
            try inSavepoint(named: "\"\(Self.sharedTransactionSavepoint)\"") {
                try operations()
                return .commit
            }
        } catch {
            broker.undoRegistrations()
            throw error
        }
    }

    private func checkTransactionIsOpen(_ sql: @autoclosure () -> String? = nil) throws {
        if requiresTransaction, raw.isInAutocommitMode {
            throw DatabaseError(
                resultCode: .SQLITE_ABORT, message: "Transaction was aborted", sql: sql())
        }
    }

    /// Throws if a failed statement requires a rollback, unless this statement performs it.
    private func checkRollbackReason(
        _ sql: String?, effect: StatementEffects.TransactionEffect?
    ) throws {
        guard let rollbackReason else { return }
        switch effect {
        case .rollback, .rollbackToSavepoint: return
        default: throw Self.rollbackRequired(rollbackReason, sql: sql)
        }
    }

    static func rollbackRequired(_ reason: String, sql: String? = nil) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_ABORT, message: "Transaction must be rolled back: \(reason)",
            sql: sql)
    }

    /// Records that a statement has failed in the middle of a change.
    ///
    /// Outside of transactions, SQLite undoes all changes of a failed statement. In a transaction,
    /// it does so only for statements that it expects to fail halfway. It does not expect this of a
    /// statement that changes one row of a virtual table, which can leave an index that contradicts
    /// its table. All open savepoints began before the statement, so rolling back any of them
    /// undoes it.
    func requireRollback(of statement: Statement, because reason: @autoclosure () -> String) {
        guard !statement.isReadonly, raw.isInWriteTransaction,
            !RawStatement.isUndoneOnFailure(statement.sqliteStatement)
        else { return }
        rollbackReason = reason()
    }

    /// Runs the closure in a transaction that is committed unless it throws.
    func inTransaction<T>(returning operations: () throws -> T) throws -> T {
        var result: T?
        try inTransaction {
            result = try operations()
            return .commit
        }
        return result!
    }

    /// Runs a closure in a savepoint, which the closure commits or rolls back.
    ///
    /// ```swift
    /// try dbQueue.write { db in
    ///     // Both inserts succeed, or neither:
    ///     try db.inSavepoint {
    ///         try db.execute(sql: "INSERT ...")
    ///         try db.execute(sql: "INSERT ...")
    ///         return .commit
    ///     }
    /// }
    /// ```
    ///
    /// Outside of a transaction, this method opens one. When the closure throws, the changes made in the
    /// savepoint are undone, and the error is rethrown. When the closure returns `.rollback`, they are
    /// undone without an error. If SQLite can't undo them, for example because the file can't be read,
    /// it rolls back the whole transaction, and this method throws.
    ///
    /// - throws: the error of the closure, or a ``DatabaseError``.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_savepoint.html>
    public func inSavepoint(_ operations: () throws -> TransactionCompletion) throws {
        try checkAccess()
        if raw.isInAutocommitMode {
            try inTransaction(nil, operations)
            return
        }
        try inSavepoint(named: "grdb", operations)
    }

    private func inSavepoint(
        named name: String, _ operations: () throws -> TransactionCompletion
    ) throws {
        try executeSavepoint("SAVEPOINT \(name)")
        do {
            if try checkedCompletion(of: operations) == .commit {
                return try executeSavepoint("RELEASE SAVEPOINT \(name)")
            }
        } catch {
            // The savepoint may have ended with its transaction. The first error matters.
            undoSavepoint(name)
            throw error
        }
        if let error = undoSavepoint(name) { throw error }
    }

    /// Undoes a savepoint at all costs: its remaining changes must not be committed.
    ///
    /// - returns: the error that made a rollback of the whole transaction necessary, if any.
    @discardableResult
    private func undoSavepoint(_ name: String) -> (any Error)? {
        if raw.isInAutocommitMode { return nil }
        isRollingBack = true
        defer { isRollingBack = false }
        do {
            try rollbackSavepoint(name)
            return nil
        } catch {
            // SQLite rolls back the transaction, for example if it can't read a page.
            if raw.isInAutocommitMode { return error }
            // After an interruption, every statement fails while a statement is on a row.
            raw.resetAllStatements()
            if (try? rollbackSavepoint(name)) != nil { return nil }
            rollbackAfterError()
            return error
        }
    }

    private func rollbackSavepoint(_ name: String) throws {
        try executeSavepoint("ROLLBACK TRANSACTION TO SAVEPOINT \(name)")
        try executeSavepoint("RELEASE SAVEPOINT \(name)")
    }

    /// Begins a transaction on the connection.
    ///
    /// - parameter kind: the kind of the transaction. The default is IMMEDIATE, or DEFERRED for
    ///   a connection that can't write.
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` in a transaction, `SQLITE_BUSY` if
    ///   another connection writes.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_transaction.html>
    public func beginTransaction(_ kind: TransactionKind? = nil) throws {
        switch kind ?? (isReadOnly ? .deferred : .immediate) {
        case .deferred: try execute(sql: "BEGIN DEFERRED TRANSACTION")
        case .immediate: try execute(sql: "BEGIN IMMEDIATE TRANSACTION")
        case .exclusive: try execute(sql: "BEGIN EXCLUSIVE TRANSACTION")
        }
    }

    /// Commits the transaction of the connection.
    ///
    /// - throws: a ``DatabaseError``. The transaction may still be open in this case: roll it back.
    public func commit() throws {
        try execute(sql: "COMMIT TRANSACTION")
    }

    /// Rolls a database transaction back. Does nothing if there is none, for example because SQLite
    /// has already rolled it back after an error.
    ///
    /// - throws: a ``DatabaseError``.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_transaction.html>
    public func rollback() throws {
        try checkAccess()
        if !raw.isInAutocommitMode {
            try execute(sql: "ROLLBACK TRANSACTION")
        }
    }

    /// A transaction that code called by SQLite must not end.
    package struct HeldTransaction {
        /// The savepoints that this code has opened, which it may end.
        var savepoints: Set<CaseInsensitiveIdentifier> = []

        /// Whether the code has rolled back to another savepoint.
        package var isRolledBack = false

        package init() {}
    }

    /// Runs the operations that belong to the transaction, before it is committed.
    func prepareEnd(_ effect: StatementEffects.TransactionEffect?) throws {
        if let heldTransaction {
            switch effect {
            case .rollback?, nil:
                break
            case .releaseSavepoint(let name) where heldTransaction.savepoints.contains(.init(name)):
                break
            default:
                throw DatabaseError(
                    misuse: "The transaction can't be committed while a changeset is applied")
            }
        }
        guard let willCommitTransaction = callbacks.willCommitTransaction, case .commit = effect,
            !raw.isInAutocommitMode
        else {
            return
        }
        try raw.keepingChanges { () throws(any Error) in try willCommitTransaction(self) }
    }

    /// Rolls back the transaction after an error, without replacing the error.
    func rollbackAfterError() {
        if raw.isInAutocommitMode { return }
        isRollingBack = true
        defer { isRollingBack = false }
        try? execute(sql: "ROLLBACK TRANSACTION")
        if raw.isInAutocommitMode { return }
        // After an interruption, every statement fails while a statement is on a row.
        raw.resetAllStatements()
        try? execute(sql: "ROLLBACK TRANSACTION")
        if raw.isInAutocommitMode || raw.isForked { return }
        // The statement can't even be compiled, because memory is exhausted.
        try? raw.rollbackTransaction()
        transactionWasRolledBack()
    }

    /// Updates the state of the connection after a successful rollback.
    private func transactionWasRolledBack() {
        guard raw.isInAutocommitMode else { return }
        clearSchemaCache()
        transactionDidEnd()
        statementDidReset()
    }

    /// Ends a transaction that an earlier access failed to end, for example for lack of memory.
    func healTransaction() {
        if !raw.isForked { rollbackAfterError() }
    }

    // MARK: - Transactions of accesses

    /// Begins the transaction of a read-only access.
    func beginReadTransaction() throws {
        if suspension != nil {
            try checkSuspension(
                isReadonly: true, effect: .begin, sql: "BEGIN DEFERRED TRANSACTION")
        }
        try convertingFailures(sql: "BEGIN DEFERRED TRANSACTION") {
            try raw.beginDeferredTransaction()
        }
        transactionDidBegin()
        isInReadAccess = true
    }

    /// Isolates the current transaction: it sees the database as it is now, and no later changes.
    package func isolateTransaction() throws {
        _ = try convertingFailures(sql: "BEGIN DEFERRED TRANSACTION") { try raw.beginRead() }
    }

    /// Ends the transaction of a read-only access.
    func commitReadTransaction() throws {
        isEndingTransaction = true
        defer { isEndingTransaction = false }
        try convertingFailures(sql: "COMMIT TRANSACTION") { try raw.commitTransaction() }
        isEndingTransaction = false
        transactionDidEnd()
        if broker.isActive, !isInUnnotifiedRead {
            broker.emptyTransactionDidCommit()
            // Observers can't cancel an empty transaction.
            _ = broker.notifyCompletion()
        } else {
            // The transaction has only changed temporary tables, and observers are not notified.
            broker.completion = .none
        }
    }

    /// Runs the closure in a deferred transaction that can't change anything.
    ///
    /// - parameter isIsolated: whether the closure sees the database as it is when the closure begins.
    ///   By default, SQLite reads the database as it is when the first statement runs.
    package func inReadOnlyTransaction<T>(
        isIsolated: Bool = false, _ value: () throws -> T
    ) throws -> T {
        try beginReadOnlyTransaction()
        let result: T
        do {
            if isIsolated { try isolateTransaction() }
            result = try requiringTransaction {
                let result = try value()
                try checkKeptFailure()
                // Don't check the limits: a late cancellation does not invalidate what was read.
                try checkTransactionIsOpen()
                return result
            }
        } catch {
            endReadOnlyTransaction(rollsBack: true)
            throw error
        }
        try commitReadOnlyTransaction()
        return result
    }

    // Functions of their own, because the generic function is copied for each type and each closure.

    private func beginReadOnlyTransaction() throws {
        if isOpenedForWriting { beginReadOnly() }
        do {
            try beginReadTransaction()
        } catch {
            if isOpenedForWriting { endReadOnly() }
            throw error
        }
    }

    private func commitReadOnlyTransaction() throws {
        var rollsBack = false
        defer { endReadOnlyTransaction(rollsBack: rollsBack) }
        do {
            try commitReadTransaction()
        } catch is CancellationError {
            // An unfinished cursor keeps COMMIT interrupted. The result is available.
            rollsBack = true
        } catch {
            rollsBack = true
            throw error
        }
    }

    private func endReadOnlyTransaction(rollsBack: Bool) {
        if rollsBack { rollbackAfterError() }
        isInReadAccess = false
        broker.forgetSavepoints()
        if isOpenedForWriting { endReadOnly() }
    }

    /// Ends the transaction of `beginReadTransaction()`, ignoring errors.
    func endReadTransaction(commits: Bool) {
        if !commits || (try? commitReadTransaction()) == nil {
            rollbackAfterError()
        }
        isInReadAccess = false
        broker.forgetSavepoints()
    }
}

extension Database {
    /// Runs a statement that manages a savepoint of the library, without calling the app's authorizer.
    private func executeSavepoint(_ sql: String) throws {
        let former = raw.isRunningOwnStatement
        raw.isRunningOwnStatement = true
        defer { raw.isRunningOwnStatement = former }
        try execute(sql: sql)
    }
}
