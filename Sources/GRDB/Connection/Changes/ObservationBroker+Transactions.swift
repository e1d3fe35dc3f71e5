// Commits and rollbacks. SQLite calls the hooks in the middle of a statement. Observers are notified
// after the statement.

extension ObservationBroker {
    /// The commit hook. Returns whether to roll back instead of committing.
    func willCommit() -> Bool {
        // An enclosing statement commits on its own, after a nested statement has failed.
        if let reason = database.rollbackReason {
            completion = .refusedCommit(Database.rollbackRequired(reason))
            return true
        }
        // Statements are refused earlier. C code can be refused only here.
        if database.sharesTransaction, database.requiresTransaction {
            completion = .refusedCommit(Database.sharedTransactionError())
            return true
        }
        // Read-only accesses get here only if they change temporary tables.
        guard isActive, !database.isInUnnotifiedRead else {
            completion = .commit
            return false
        }
        // COMMIT and RELEASE end all open savepoints.
        held.endSavepoints()
        notifyHeldChanges()
        hasAskedForConsent = true
        do {
            if asksForConsent { try askForConsent() }
            completion = .commit
            return false
        } catch {
            completion = .refusedCommit(error)
            return true
        }
    }

    /// Calls `databaseWillCommit()` on the observers that implement it.
    private func askForConsent() throws {
        let elements = observations.elements
        asksForConsent = elements.contains { $0.wantsConsent && !$0.isRemoved }
        if !asksForConsent { return }
        isAskingForConsent = true
        // Statements run by observers may be interrupted: nothing is committed yet.
        let isEndingTransaction = database.isEndingTransaction
        database.isEndingTransaction = false
        defer {
            isAskingForConsent = false
            database.isEndingTransaction = isEndingTransaction
        }
        try notifying { () throws(any Error) in
            try elements.forEachUncounted { observation in
                guard observation.wantsConsent, !observation.isRemoved else { return }
                do {
                    try call(observation) { try observation.databaseWillCommit() }
                } catch {
                    // The change has already happened and can't be cancelled.
                    if !ignoresObjections { throw error }
                }
            }
        }
    }

    /// Handles the commit of an empty transaction, for which SQLite does not call the commit hook.
    func emptyTransactionDidCommit() {
        _ = willCommit()
    }

    /// The rollback hook.
    func didRollback() {
        if database.rollbackReason != nil {
            database.rollbackReason = nil
        }
        if case .refusedCommit = completion { return }
        if database.isInUnnotifiedRead { return }
        if case .commit = completion {
            hasFailedToCommit = true
            // Earlier statements of the same C code may have committed.
            if !isStepping, !database.isEndingTransaction { mayHaveCommitted = true }
        }
        completion = .rollback
    }

    /// Records the failure of a statement that ended a transaction.
    func noteFailure(_ failure: RawFailure) {
        mayHaveCommitted =
            hasFailedToCommit
            && ResultCode(rawValue: failure.code).primaryResultCode == .SQLITE_IOERR
    }

    /// Whether the running statement commits, and can no longer be stopped.
    var hasConsented: Bool {
        if case .commit = completion { true } else { false }
    }

    /// Whether SQLite has rolled back a transaction since the last call of `notifyCompletion`.
    var hasRolledBack: Bool {
        switch completion {
        case .rollback, .statementRollback: true
        default: false
        }
    }

    /// Whether a transaction has ended, or failed to end, since the last call of
    /// `notifyCompletion`.
    package var hasCompletion: Bool {
        if case .none = completion { false } else { true }
    }

    /// Notifies the end of a transaction of C code before another statement runs. Otherwise, the end of
    /// the earlier transaction would be confused with that of the new statement.
    func settleEarlierTransaction() {
        guard raw.isInAutocommitMode, !isAskingForConsent else { return }
        // If the commit was refused, the C code has already received the result code.
        _ = notifyCompletion()
    }

    /// Notifies the end of a transaction, after the statement that ended it has returned.
    ///
    /// - returns: the error of an observer that cancelled a commit.
    package func notifyCompletion() -> (any Error)? {
        if isNotifyingCompletion { return nil }
        isNotifyingCompletion = true
        defer { isNotifyingCompletion = false }
        switch completion {
        case .none:
            return nil
        case .commit, .rollback:
            // The commit may have failed after the hook, and left the transaction open.
            guard raw.isInAutocommitMode else {
                completion = .none
                return nil
            }
            transactionDidEnd(isCommitted: hasConsented)
            return nil
        case .statementRollback:
            transactionDidEnd(isCommitted: false, isStatement: true)
            return nil
        case .refusedCommit(let error):
            if !raw.isInAutocommitMode {
                // Unlike COMMIT, a RELEASE that fails leaves the transaction open.
                database.rollbackAfterError()
            }
            transactionDidEnd(isCommitted: false)
            return error
        }
    }

    /// - parameter isStatement: whether the transaction was the implicit one of a failed statement.
    ///   Observers of the next transaction keep waiting in this case.
    private func transactionDidEnd(isCommitted: Bool, isStatement: Bool = false) {
        completion = .none
        isNotifyingCompletion = false
        forgetSavepoints()
        if isCommitted { commitCount &+= 1 } else { rollbackCount &+= 1 }
        guard isActive || !replacedSchemas.isEmpty else {
            hasFailedToCommit = false
            return
        }

        // Observers run outside of the transaction that has ended.
        let requiresTransaction = database.requiresTransaction
        database.requiresTransaction = false
        // The transaction has ended and can't be cancelled. Limits don't apply to observers.
        let limits = database.suspendLimits()
        defer {
            hasFailedToCommit = false
            mayHaveCommitted = false
            database.alterations.replaced = []
            database.requiresTransaction = requiresTransaction
            if let limits { database.resumeLimits(limits) }
        }

        database.withoutKeptFailure {
            // Whoever ran the statement reads its rowid and its count afterwards.
            raw.keepingChanges {
                if !replacedSchemas.isEmpty { notifyReplacedContent() }
                notifyEnd(isCommitted: isCommitted, isStatement: isStatement)
            }
        }
    }

    private func notifyEnd(isCommitted: Bool, isStatement: Bool) {
        // Observers may run statements, and so begin transactions, and add and remove observers.
        observations.compact()
        let hasEnded = !isStatement && observations.endingCount > 0
        if isStatement || hasEnded {
            var notified = observations.elements
            // Observers that were notified of no change have nothing to discard.
            if isStatement { notified.removeAll { !$0.wasTold || $0.extent == .nextTransaction } }
            let ended = hasEnded ? notified.filter { $0.extent == .nextTransaction } : []
            for observation in ended {
                observations.remove(observation)
            }
            prepareNextTransaction()
            notify(notified, isCommitted: isCommitted)
            for observation in ended {
                observation.forgetObserver()
            }
            if hasEnded { updateActivity() }
        } else {
            prepareNextTransaction()
            notify(observations.elements, isCommitted: isCommitted)
        }
    }

    private func prepareNextTransaction() {
        database.interestEpoch &+= 1
        if !hasStopped, eventOrdinal == endedEventOrdinal { return }
        hasStopped = false
        endedEventOrdinal = eventOrdinal
        observations.elements.forEachUncounted { observation in
            observation.isStopped = false
            observation.wasTold = false
        }
    }

    /// Notifies observers of the end of a transaction.
    private func notify(
        _ notified: ContiguousArray<TransactionObservation>, isCommitted: Bool
    ) {
        var hasFoundDeadObserver = false
        notifying {
            notified.forEachUncounted { observation in
                guard observation.isToldOfEnds else { return }
                let isAlive = call(observation) {
                    if isCommitted, !observation.isUndone {
                        observation.databaseDidCommit(database)
                    } else {
                        observation.databaseDidRollback(database)
                    }
                }
                if !isAlive { hasFoundDeadObserver = true }
            }
        }
        if hasFoundDeadObserver {
            observations.sweep()
            updateActivity()
        } else {
            observations.compact()
        }
    }

    // MARK: - Savepoints

    package func didOpenSavepoint(_ name: String) {
        held.begin(name)
    }

    package func didReleaseSavepoint(_ name: String) {
        if held.release(name) { notifyHeldChanges() }
    }

    package func didRollBackSavepoint(_ name: String) {
        held.rollback(to: name)
    }

    /// Discards the savepoints of an unobserved transaction.
    func forgetSavepoints() {
        // Called at the end of each read, which hardly ever has savepoints.
        if !held.isEmpty { held = HeldChanges() }
    }
}
