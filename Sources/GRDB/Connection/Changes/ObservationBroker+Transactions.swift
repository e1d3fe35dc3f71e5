// Commits and rollbacks: the hooks see them in the middle of a statement, and observers are notified
// after it.

extension ObservationBroker {
    /// The commit hook. Returns whether to roll back instead.
    func willCommit() -> Bool {
        // A statement around the one that has failed, which commits on its own.
        if let reason = database.rollbackReason {
            completion = .refusedCommit(Database.rollbackRequired(reason))
            return true
        }
        // Read-only accesses don't get here, but for transactions of temporary tables.
        guard isActive, !database.isInUnnotifiedRead else {
            completion = .commit
            return false
        }
        // COMMIT and RELEASE end the savepoints that are still open.
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

    /// Asks the observers that may object to a commit, which are few.
    private func askForConsent() throws {
        let elements = observations.elements
        asksForConsent = elements.contains { $0.wantsConsent && !$0.isRemoved }
        if !asksForConsent { return }
        isAskingForConsent = true
        // What observers run may be stopped: nothing is committed yet.
        let isEndingTransaction = database.isEndingTransaction
        database.isEndingTransaction = false
        defer {
            isAskingForConsent = false
            database.isEndingTransaction = isEndingTransaction
        }
        try notifying { () throws(any Error) in
            try elements.forEachUncounted { observation in
                guard observation.wantsConsent, !observation.isRemoved,
                    observation.retainObserver()
                else { return }
                defer { observation.releaseObserver() }
                called = .passUnretained(observation)
                do {
                    try observation.databaseWillCommit()
                } catch {
                    // Nothing can stop what has happened.
                    if !ignoresObjections { throw error }
                }
            }
        }
    }

    /// Tells observers what the commit hook could not.
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
            // Statements of C code may have committed before the one that has failed.
            if !isStepping, !database.isEndingTransaction { mayHaveCommitted = true }
        }
        completion = .rollback
    }

    /// Notes the failure of the statement that has ended a transaction.
    func noteFailure(_ failure: RawFailure) {
        mayHaveCommitted =
            hasFailedToCommit
            && ResultCode(rawValue: failure.code).primaryResultCode == .SQLITE_IOERR
    }

    /// Whether the statement that runs commits, and can't be stopped any more.
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

    /// Whether a transaction has ended, or has failed to, since the last call of
    /// `notifyCompletion`.
    var hasCompletion: Bool {
        if case .none = completion { false } else { true }
    }

    /// Notifies the end of a transaction of C code before another statement runs: the hooks would take
    /// what becomes of that one for the end of the former one.
    func settleEarlierTransaction() {
        guard raw.isInAutocommitMode, !isAskingForConsent else { return }
        // The C code got the result code of a refused commit.
        _ = notifyCompletion()
    }

    /// Notifies the end of a transaction, after the statement that ended it has returned.
    ///
    /// - returns: the error of an observer that cancelled a commit.
    func notifyCompletion() -> (any Error)? {
        if isNotifyingCompletion { return nil }
        isNotifyingCompletion = true
        defer { isNotifyingCompletion = false }
        switch completion {
        case .none:
            return nil
        case .commit:
            // After the hook, the commit itself may have failed, and left the transaction open.
            guard raw.isInAutocommitMode else {
                self.completion = .none
                return nil
            }
            transactionDidEnd(isCommitted: true)
            return nil
        case .rollback:
            guard raw.isInAutocommitMode else {
                self.completion = .none
                return nil
            }
            transactionDidEnd(isCommitted: false)
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

    /// - parameter isStatement: whether the transaction was that of a failed statement, which was not the
    ///   one that observers of the next transaction wait for.
    private func transactionDidEnd(isCommitted: Bool, isStatement: Bool = false) {
        completion = .none
        isNotifyingCompletion = false
        forgetSavepoints()
        if isCommitted { commitCount &+= 1 } else { rollbackCount &+= 1 }
        guard isActive else {
            hasFailedToCommit = false
            return
        }

        // Observers run outside of the transaction that has ended.
        let requiresTransaction = database.requiresTransaction
        database.requiresTransaction = false
        // What has ended can't be cancelled any more, and observers are not what the limits are for.
        let limits = database.suspendLimits()
        defer {
            hasFailedToCommit = false
            mayHaveCommitted = false
            database.requiresTransaction = requiresTransaction
            if let limits { database.resumeLimits(limits) }
        }

        database.withoutKeptFailure {
            notifyEnd(isCommitted: isCommitted, isStatement: isStatement)
        }
    }

    private func notifyEnd(isCommitted: Bool, isStatement: Bool) {
        // Observers may run statements, and so begin transactions, add and remove observers.
        observations.compact()
        let hasEnded = !isStatement && observations.endingCount > 0
        if isStatement || hasEnded {
            var notified = observations.elements
            // Those who know of nothing have nothing to forget.
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

    @inline(__always)
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

    /// Tells observers of the end of a transaction.
    private func notify(
        _ notified: ContiguousArray<TransactionObservation>, isCommitted: Bool
    ) {
        var hasFoundDeadObserver = false
        notifying {
            notified.forEachUncounted { observation in
                guard observation.isToldOfEnds else { return }
                guard observation.retainObserver() else {
                    hasFoundDeadObserver = true
                    return
                }
                called = .passUnretained(observation)
                if isCommitted {
                    observation.databaseDidCommit(database)
                } else {
                    observation.databaseDidRollback(database)
                }
                observation.releaseObserver()
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

    func didOpenSavepoint(_ name: String) {
        held.begin(name)
    }

    func didReleaseSavepoint(_ name: String) {
        if held.release(name) { notifyHeldChanges() }
    }

    func didRollBackSavepoint(_ name: String) {
        held.rollback(to: name)
    }

    /// Forgets the savepoints of a transaction that nobody observes.
    func forgetSavepoints() {
        // Called at the end of each read, where there is hardly ever one.
        if !held.isEmpty { held = HeldChanges() }
    }
}
