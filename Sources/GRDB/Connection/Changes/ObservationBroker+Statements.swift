// Running statements: each asks the observers about its changes, unless their answers are known.

extension ObservationBroker {
    /// Starts a statement that can perform changes, after installing the hooks that it needs.
    func step(_ statement: Statement) -> CInt {
        let isOnItsOwn = raw.isInAutocommitMode
        if audience == nil, !isOnItsOwn {
            let epoch = database.interestEpoch
            if statement.uninterestingEpoch == epoch { return stepUnobserved(statement) }
            if let audience = statement.audience, audience.epoch == epoch, !audience.isRunning,
                let run = ChangeAudience.Run(audience)
            {
                return step(statement, run)
            }
        }
        return stepAsking(statement, isOnItsOwn: isOnItsOwn)
    }

    /// Starts a statement whose observers are unknown.
    ///
    /// - parameter isOnItsOwn: whether the statement is its own transaction.
    private func stepAsking(_ statement: Statement, isOnItsOwn: Bool) -> CInt {
        let code: CInt
        let wasStepping = isStepping
        isStepping = isOnItsOwn
        defer { isStepping = wasStepping }
        if statement.effects.beginsTransaction {
            hasAskedForConsent = false
            code = RawStatement.step(statement.sqliteStatement)
        } else {
            // Has an effect once per transaction.
            database.noteSchemaChangesOfOthers(isInTransaction: !isOnItsOwn)
            let run = run(of: statement, isOnItsOwn: isOnItsOwn)
            hasAskedForConsent = false
            if let run {
                code = step(statement, run)
            } else {
                code = stepUnobserved(statement)
            }
        }
        if isOnItsOwn, case .rollback = completion, !hasAskedForConsent {
            completion = .statementRollback
        }
        return code
    }

    /// Starts a statement, and notifies its observers of its changes.
    private func step(_ statement: Statement, _ run: consuming ChangeAudience.Run) -> CInt {
        let ordinal = eventOrdinal
        let heldCount = held.count
        let outerAudience = audience
        audience = .passUnretained(run.audience)
        updateHooks(run.audience)
        let code = notifying { RawStatement.step(statement.sqliteStatement) }
        if let outerAudience {
            resume(outerAudience)
        } else {
            audience = nil
            // A preupdate hook makes statements that compile delete row by row. An update hook
            // may remain until the next statement.
            if hasPreUpdateHook || !isActive { updateHooks(nil) }
        }
        noteFailure(code, of: statement, ordinal: ordinal, heldCount: heldCount)
        _ = consume run
        return code
    }

    /// Runs a C function that runs statements, and notifies observers of the changes.
    ///
    /// Must be called in a transaction.
    ///
    /// - parameter kinds: all changes that the statements can perform.
    /// - parameter replaces: whether rows may be deleted to make room for other rows.
    package func perform(
        _ kinds: [DatabaseEventKind], replaces: Bool, _ body: () -> CInt
    ) -> CInt {
        hasAskedForConsent = false
        database.noteSchemaChangesOfOthers(isInTransaction: true)
        if !kinds.isEmpty,
            let run = makeRun(kinds, replaces: replaces, mayWriteByFunctions: false, former: nil)
        {
            let code = perform(run.audience, body)
            _ = consume run
            return code
        }
        return perform(nil, body)
    }

    private func perform(_ newAudience: ChangeAudience?, _ body: () -> CInt) -> CInt {
        let outerAudience = audience
        let outerStatementCount = appliedStatementCount
        appliedStatementCount = raw.runningStatementCount
        defer { appliedStatementCount = outerStatementCount }
        audience = newAudience.map { .passUnretained($0) }
        updateHooks(newAudience)
        let code = notifying(body)
        if let outerAudience {
            resume(outerAudience)
        } else {
            audience = nil
            updateHooks(nil)
        }
        return code
    }

    /// Starts a statement without observers.
    private func stepUnobserved(_ statement: Statement) -> CInt {
        let ordinal = eventOrdinal
        let heldCount = held.count
        let outerAudience = audience
        audience = nil
        if hasUpdateHook { updateHooks(nil) }
        let code = RawStatement.step(statement.sqliteStatement)
        if let outerAudience {
            resume(outerAudience)
        }
        noteFailure(code, of: statement, ordinal: ordinal, heldCount: heldCount)
        return code
    }

    /// Restores the audience of the enclosing statement.
    private func resume(_ outerAudience: Unmanaged<ChangeAudience>) {
        audience = outerAudience
        let outerAudience = outerAudience.takeUnretainedValue()
        outerAudience.renewPointers()
        updateHooks(outerAudience)
    }

    /// Makes observers discard the changes of a statement that failed halfway: its own changes, and those
    /// of statements run by functions that it called.
    private func noteFailure(
        _ code: CInt, of statement: Statement, ordinal: Int, heldCount: Int
    ) {
        if eventOrdinal != ordinal, code != RawStatement.done, code != RawStatement.row,
            RawStatement.wasUndone(statement.sqliteStatement)
        {
            changesWereUndone(since: ordinal, heldCount: heldCount)
        }
    }

    /// Called when a statement has failed halfway, and the transaction continues.
    func changesWereUndone(since ordinal: Int, heldCount: Int) {
        held.removeChanges(after: heldCount)
        for observation in observations.elements where !observation.isRemoved {
            observation.changesWereUndone(since: ordinal)
        }
    }

    /// Begins to run a statement. Observers are asked, unless their answers for this transaction
    /// are known.
    ///
    /// - parameter isOnItsOwn: whether the statement is its own transaction.
    /// - returns: nil if there are no observers.
    private func run(of statement: Statement, isOnItsOwn: Bool) -> ChangeAudience.Run? {
        let epoch = database.interestEpoch
        let isLasting = observations.varyingCount == 0 && !hasStopped
        let lastingEpoch = database.lastingInterestEpoch
        let newEpoch = isOnItsOwn ? -1 : epoch
        if isLasting, statement.uninterestingLastingEpoch == lastingEpoch {
            statement.uninterestingEpoch = newEpoch
            return nil
        }
        if let audience = statement.audience, !audience.isRunning,
            (audience.epoch == epoch && !isOnItsOwn)
                || (isLasting && audience.lastingEpoch == lastingEpoch),
            let run = ChangeAudience.Run(audience)
        {
            audience.epoch = newEpoch
            return run
        }
        let run = makeRun(of: statement)
        // Removing a deallocated observer changes the epochs.
        let newLastingEpoch =
            isLasting && lastingEpoch == database.lastingInterestEpoch ? lastingEpoch : -1
        guard let run else {
            statement.uninterestingEpoch = newEpoch
            statement.uninterestingLastingEpoch = newLastingEpoch
            return nil
        }
        run.audience.epoch = newEpoch
        run.audience.lastingEpoch = newLastingEpoch
        return run
    }

    /// Asks the observers about the changes of a statement.
    ///
    /// - returns: nil if there are no observers.
    private func makeRun(of statement: Statement) -> ChangeAudience.Run? {
        let kinds = statement.eventKinds
        if kinds.isEmpty { return nil }
        guard
            let run = makeRun(
                kinds, replaces: statement.effects.replacesRows,
                mayWriteByFunctions: statement.effects.mayWriteByFunctions,
                former: statement.audience)
        else { return nil }
        statement.audience = run.audience
        return run
    }

    /// Asks the observers about changes.
    ///
    /// - parameter replaces: whether rows may be deleted to make room for other rows.
    /// - parameter mayWriteByFunctions: whether functions may perform further changes.
    /// - parameter former: an earlier audience of the same changes.
    /// - returns: nil if there are no observers, and undeclared changes are not expected. Otherwise, a run
    ///   of an audience, which may be the former one.
    private func makeRun(
        _ kinds: [DatabaseEventKind], replaces: Bool, mayWriteByFunctions: Bool,
        former: ChangeAudience?
    ) -> ChangeAudience.Run? {
        let generation = database.schemaGeneration
        var former = former
        if let audience = former, audience.isRunning || audience.schemaGeneration != generation {
            former = nil
        }
        // The number of answers that match the former audience. Until a list of new answers is created,
        // all answers match.
        var sameCount = 0
        var interests: ContiguousArray<ChangeAudience.Interest>?
        var hasFoundDeadObserver = false
        observations.elements.forEachUncounted { observation in
            guard observation.isListening else { return }
            guard observation.retainObserver() else {
                hasFoundDeadObserver = true
                return
            }
            var isInterested = false
            for index in kinds.indices
            where observation.observes(kinds[index], replaces: replaces) {
                isInterested = true
                if interests == nil {
                    if let former, sameCount < former.interests.count,
                        former.interests[sameCount].kindIndex == index,
                        former.interests[sameCount].observation === observation
                    {
                        sameCount += 1
                        continue
                    }
                    interests = former.map { ContiguousArray($0.interests.prefix(sameCount)) } ?? []
                }
                interests!.append(
                    ChangeAudience.Interest(observation: observation, kindIndex: index))
            }
            if !isInterested { observation.releaseObserver() }
        }
        if hasFoundDeadObserver {
            observations.sweep()
            updateActivity()
        }
        if interests == nil, let former {
            if sameCount == 0, !watchesUndeclaredChanges { return nil }
            if sameCount == former.interests.count {
                return ChangeAudience.Run(ofRetainedObserversOf: former)
            }
            interests = ContiguousArray(former.interests.prefix(sameCount))
        }
        // Without observers, the audience still records which changes they were asked about.
        if interests?.isEmpty ?? true, !watchesUndeclaredChanges { return nil }
        let audience = ChangeAudience(
            kinds: kinds, interests: interests ?? [], schemaGeneration: generation,
            mayWriteByFunctions: mayWriteByFunctions)
        if audience.tableNames.reduce(false, { deletions.observe($1) || $0 }) {
            database.expirePreparedStatements()
        }
        return ChangeAudience.Run(ofRetainedObserversOf: audience)
    }
}
