/// Connects the hooks of a connection to its transaction observers.
///
/// The expensive decisions are made once per statement: which observers its changes have, and
/// so which hooks are needed. Without observers, row changes cost nothing.
///
/// Belongs to the thread that owns the connection.
package final class ObservationBroker: RawChangeReceiver {
    /// The owner of this broker. Not used after it is deallocated.
    unowned(unsafe) let database: Database
    let raw: RawConnection

    @exclusivity(unchecked)
    var observations = ObservationList()

    /// The plan of the running statement, which keeps it alive.
    @exclusivity(unchecked)
    private(set) var plan: Unmanaged<ChangePlan>?

    @exclusivity(unchecked)
    var held = HeldChanges()

    /// The number of row changes that were delivered to observers or held back.
    @exclusivity(unchecked)
    private(set) var eventOrdinal = 0

    /// The value of `eventOrdinal` at the end of the latest transaction.
    @exclusivity(unchecked)
    var endedEventOrdinal = 0

    /// Whether an observer has stopped observing until the next transaction.
    @exclusivity(unchecked)
    var hasStopped = false

    /// Whether C code has compiled a statement that changes a table.
    @exclusivity(unchecked)
    var hasUndeclaredChanges = false

    /// Whether the hooks remain installed, because undeclared changes may happen.
    @exclusivity(unchecked)
    private(set) var watchesUndeclaredChanges = false

    /// The routes of undeclared changes outside of statements with a plan.
    let undeclaredRoutes = UndeclaredRoutes()

    /// While `perform` runs, the number of statements that were already running.
    @exclusivity(unchecked)
    private(set) var appliedStatementCount: CInt?

    /// The types of observers that don't implement `databaseWillChange(with:)`.
    var typesWithoutPreUpdates: Set<ObjectIdentifier> = []

    /// Whether an observer may object to commits.
    @exclusivity(unchecked)
    var asksForConsent = true

    /// The types of observers that never object to a commit.
    var typesWithoutConsent: Set<ObjectIdentifier> = []

    /// The end of a transaction, as seen by the hooks, until the statement has ended.
    enum Completion {
        case none
        case commit
        case rollback
        /// A statement outside of transactions has failed. Observers discard its changes, but observers
        /// of the next transaction keep waiting.
        case statementRollback
        /// An observer or an error has turned a commit into a rollback.
        case refusedCommit(any Error)
    }

    @exclusivity(unchecked)
    var completion = Completion.none

    /// The numbers of committed and rolled back transactions.
    @exclusivity(unchecked)
    var commitCount = 0
    @exclusivity(unchecked)
    var rollbackCount = 0

    /// Whether the transaction was rolled back during its commit.
    @exclusivity(unchecked)
    var hasFailedToCommit = false

    /// Whether the transaction that is reported as rolled back may be in the file nevertheless. SQLite
    /// reports a commit as failed even if only the last steps fail: deleting the journal, and unlocking
    /// the file.
    @exclusivity(unchecked)
    var mayHaveCommitted = false

    /// The schemas whose content was replaced since consumers were last notified; nil for unknown schemas.
    var replacedSchemas: [String?] = []

    /// Whether observers are being notified of the end of a transaction.
    @exclusivity(unchecked)
    var isNotifyingCompletion = false

    /// Whether observers are being asked whether the transaction may be committed.
    @exclusivity(unchecked)
    var isAskingForConsent = false

    /// Whether observers are notified of a change that has already happened. An error of
    /// `databaseWillCommit` would hide the commit from the other observers.
    @exclusivity(unchecked)
    var ignoresObjections = false

    /// Whether `databaseWillCommit` was called while the current statement runs.
    @exclusivity(unchecked)
    var hasAskedForConsent = false

    /// Whether a `Statement` is running outside of transactions.
    @exclusivity(unchecked)
    private(set) var isStepping = false

    /// The observers of the next transaction that one of several writes in the transaction has added.
    @exclusivity(unchecked)
    var registrations: [TransactionObservation]?

    /// The bytes being written into a blob. SQLite reports such a write as a deletion.
    @exclusivity(unchecked)
    var blobWrite: BlobWrite?

    init(database: Database, raw: RawConnection) {
        self.database = database
        self.raw = raw
        super.init()
        raw.hooks.willCommit = { [unowned(unsafe) self] in willCommit() }
        raw.hooks.didRollback = { [unowned(unsafe) self] in didRollback() }
    }

    // MARK: - Callbacks

    /// The broker that is calling observers on the current thread.
    private static let notifying = ThreadLocalPointer()

    /// The registration of the observer that is currently called.
    @exclusivity(unchecked)
    var called: Unmanaged<TransactionObservation>?

    /// Runs a closure that may call observers.
    @inline(__always)
    func notifying<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let outer = Self.notifying.value
        let outerCalled = called
        Self.notifying.value = Unmanaged.passUnretained(self).toOpaque()
        defer {
            Self.notifying.value = outer
            called = outerCalled
        }
        return try body()
    }

    /// Calls `body` with the registrations of an observer on the connection that is calling it.
    static func withNotifyingBroker(
        _ observer: some TransactionObserver,
        _ body: (ObservationBroker, TransactionObservation) -> Void
    ) {
        guard let pointer = notifying.value else { return }
        let broker = Unmanaged<ObservationBroker>.fromOpaque(pointer).takeUnretainedValue()
        let id = ObjectIdentifier(observer)
        if let called = broker.called?.takeUnretainedValue(), called.observerID == id {
            body(broker, called)
            return
        }
        var next = broker.observations.first(ofObserver: id)
        while let observation = next {
            body(broker, observation)
            next = observation.nextOfSameObserver
        }
    }

    // MARK: - Observers

    /// Whether there are observers.
    @exclusivity(unchecked)
    package private(set) var isActive = false

    func add<Observer: TransactionObserver>(
        _ observer: Observer, extent: Database.TransactionObservationExtent
    ) {
        let observation = TypedTransactionObservation(observer: observer, extent: extent)
        let type = ObjectIdentifier(type(of: observer))
        if typesWithoutPreUpdates.contains(type) { observation.wantsPreUpdates = false }
        if typesWithoutConsent.contains(type) { observation.wantsConsent = false }
        if observation.wantsConsent { asksForConsent = true }
        observations.append(observation)
        if extent == .nextTransaction { registrations?.append(observation) }
        updateActivity()
    }

    /// Undoes the registrations of a write that was rolled back while its transaction goes on.
    func undoRegistrations() {
        for observation in registrations ?? [] {
            observation.isUndone = true
            observation.wantsConsent = false
            observation.isStopped = true
            hasStopped = true
            database.interestEpoch &+= 1
        }
    }

    func remove(_ observer: some TransactionObserver) {
        guard let observation = observations.removeFirst(ofObserver: ObjectIdentifier(observer))
        else { return }
        updateActivity()
        observation.forgetObserver()
    }

    /// Removes all observers, because the connection is closed.
    func removeAll() {
        // Deallocating an observer may call this broker again.
        let former = (observations.removeAll(), held.removeChanges())
        updateActivity()
        for observation in former.0 {
            observation.databaseDidClose()
            observation.forgetObserver()
        }
    }

    func updateActivity() {
        isActive = !observations.isEmpty
        interestsDidChange()
        updateWatch(expiresStatements: true)
        if !isActive {
            deletions.forgetObservedTables()
            if plan == nil { updateHooks(nil) }
        }
    }

    /// Installs or removes the hooks for undeclared changes.
    ///
    /// - parameter expiresStatements: whether statements must be recompiled, so that they delete row by
    ///   row.
    func updateWatch(expiresStatements: Bool) {
        let watches =
            isActive && (hasUndeclaredChanges || observations.unconditionalCount > 0)
        if watches {
            if !watchesUndeclaredChanges, expiresStatements { database.expirePreparedStatements() }
            watchesUndeclaredChanges = true
            // A new observer may need preupdate events. Hooks installed by C code remain until the next
            // statement.
            if !raw.hasHooks(otherThanOf: self) { updateHooks(plan?.takeUnretainedValue()) }
        } else if watchesUndeclaredChanges {
            watchesUndeclaredChanges = false
            updateHooks(plan?.takeUnretainedValue())
        }
    }

    /// Makes statements ask observers again about their changes.
    func interestsDidChange() {
        database.interestEpoch &+= 1
        database.lastingInterestEpoch &+= 1
    }

    // MARK: - Deletions

    @exclusivity(unchecked)
    private var deletions = ObservedDeletions()

    /// Whether a DELETE that is being compiled must delete row by row.
    func observesDeletes(from table: String) -> Bool { deletions.compile(deletionFrom: table) }

    /// The number of registered observers. Deallocated observers count until their removal.
    var observationCount: Int { observations.elements.count }

    // MARK: - Statements

    /// Starts a statement that can perform changes, after installing the hooks that it needs.
    func step(_ statement: Statement) -> CInt {
        let isOnItsOwn = raw.isInAutocommitMode
        if plan == nil, !isOnItsOwn {
            let epoch = database.interestEpoch
            if statement.uninterestingEpoch == epoch { return stepUnobserved(statement) }
            if let plan = statement.changePlan, plan.epoch == epoch, !plan.isRunning,
                let run = ChangePlan.Run(plan)
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
    private func step(_ statement: Statement, _ run: consuming ChangePlan.Run) -> CInt {
        let ordinal = eventOrdinal
        let heldCount = held.count
        let outerPlan = plan
        plan = .passUnretained(run.plan)
        updateHooks(run.plan)
        let code = notifying { RawStatement.step(statement.sqliteStatement) }
        if let outerPlan {
            resume(outerPlan)
        } else {
            plan = nil
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
            let code = perform(run.plan, body)
            _ = consume run
            return code
        }
        return perform(nil, body)
    }

    private func perform(_ newPlan: ChangePlan?, _ body: () -> CInt) -> CInt {
        let outerPlan = plan
        let outerStatementCount = appliedStatementCount
        appliedStatementCount = raw.runningStatementCount
        defer { appliedStatementCount = outerStatementCount }
        plan = newPlan.map { .passUnretained($0) }
        updateHooks(newPlan)
        let code = notifying(body)
        if let outerPlan {
            resume(outerPlan)
        } else {
            plan = nil
            updateHooks(nil)
        }
        return code
    }

    /// Starts a statement without observers.
    @inline(__always)
    private func stepUnobserved(_ statement: Statement) -> CInt {
        let ordinal = eventOrdinal
        let heldCount = held.count
        let outerPlan = plan
        plan = nil
        if hasUpdateHook { updateHooks(nil) }
        let code = RawStatement.step(statement.sqliteStatement)
        if let outerPlan {
            resume(outerPlan)
        }
        noteFailure(code, of: statement, ordinal: ordinal, heldCount: heldCount)
        return code
    }

    /// Restores the plan of the enclosing statement.
    private func resume(_ outerPlan: Unmanaged<ChangePlan>) {
        plan = outerPlan
        let outerPlan = outerPlan.takeUnretainedValue()
        outerPlan.renewPointers()
        updateHooks(outerPlan)
    }

    /// Makes observers discard the changes of a statement that failed halfway: its own changes, and those
    /// of statements run by functions that it called.
    @inline(__always)
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
    private func run(of statement: Statement, isOnItsOwn: Bool) -> ChangePlan.Run? {
        let epoch = database.interestEpoch
        let isLasting = observations.varyingCount == 0 && !hasStopped
        let lastingEpoch = database.lastingInterestEpoch
        let newEpoch = isOnItsOwn ? -1 : epoch
        if isLasting, statement.uninterestingLastingEpoch == lastingEpoch {
            statement.uninterestingEpoch = newEpoch
            return nil
        }
        if let plan = statement.changePlan, !plan.isRunning,
            (plan.epoch == epoch && !isOnItsOwn)
                || (isLasting && plan.lastingEpoch == lastingEpoch),
            let run = ChangePlan.Run(plan)
        {
            plan.epoch = newEpoch
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
        run.plan.epoch = newEpoch
        run.plan.lastingEpoch = newLastingEpoch
        return run
    }

    /// Asks the observers about the changes of a statement.
    ///
    /// - returns: nil if there are no observers.
    private func makeRun(of statement: Statement) -> ChangePlan.Run? {
        let kinds = statement.eventKinds
        if kinds.isEmpty { return nil }
        guard
            let run = makeRun(
                kinds, replaces: statement.effects.replacesRows,
                mayWriteByFunctions: statement.effects.mayWriteByFunctions,
                former: statement.changePlan)
        else { return nil }
        statement.changePlan = run.plan
        return run
    }

    /// Asks the observers about changes.
    ///
    /// - parameter replaces: whether rows may be deleted to make room for other rows.
    /// - parameter mayWriteByFunctions: whether functions may perform further changes.
    /// - parameter former: an earlier plan of the same changes.
    /// - returns: nil if there are no observers, and undeclared changes are not expected. Otherwise, a run
    ///   of a plan, which may be the former one.
    private func makeRun(
        _ kinds: [DatabaseEventKind], replaces: Bool, mayWriteByFunctions: Bool,
        former: ChangePlan?
    ) -> ChangePlan.Run? {
        let generation = database.schemaGeneration
        var former = former
        if let plan = former, plan.isRunning || plan.schemaGeneration != generation {
            former = nil
        }
        // The number of answers that match the former plan. Until a list of new answers is created,
        // all answers match.
        var sameCount = 0
        var interests: ContiguousArray<ChangePlan.Interest>?
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
                interests!.append(ChangePlan.Interest(observation: observation, kindIndex: index))
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
                return ChangePlan.Run(ofRetainedObserversOf: former)
            }
            interests = ContiguousArray(former.interests.prefix(sameCount))
        }
        // Without observers, the plan still records which changes they were asked about.
        if interests?.isEmpty ?? true, !watchesUndeclaredChanges { return nil }
        let plan = ChangePlan(
            kinds: kinds, interests: interests ?? [], schemaGeneration: generation,
            mayWriteByFunctions: mayWriteByFunctions)
        if plan.tableNames.reduce(false, { deletions.observe($1) || $0 }) {
            database.expirePreparedStatements()
        }
        return ChangePlan.Run(ofRetainedObserversOf: plan)
    }

    @exclusivity(unchecked)
    private var hasUpdateHook = false
    @exclusivity(unchecked)
    private var hasPreUpdateHook = false

    /// Installs the hooks that a plan needs, or removes them.
    @inline(__always)
    private func updateHooks(_ plan: ChangePlan?) {
        guard let connection = raw.handle else { return }
        let watches = watchesUndeclaredChanges
        if plan != nil || watches {
            // Install it each time, because code that calls C functions may have replaced it.
            raw.hooks.setUpdateHook(self, in: connection)
            hasUpdateHook = true
        } else if hasUpdateHook {
            raw.hooks.setUpdateHook(nil, in: connection)
            hasUpdateHook = false
        }
        let needsPreUpdateHook =
            (plan?.needsPreUpdates ?? false) || (watches && observations.wantPreUpdates)
        if needsPreUpdateHook != hasPreUpdateHook || (watches && needsPreUpdateHook) {
            hasPreUpdateHook = needsPreUpdateHook
            raw.hooks.setPreUpdateHook(needsPreUpdateHook ? self : nil, in: connection)
        }
    }

    // MARK: - Changes

    override func willUpdate(_ update: RawPreUpdate) {
        guard let plan else {
            if watchesUndeclaredChanges {
                undeclaredRowWillChange(update, nil, declared: nil)
            }
            return
        }
        let update = blobWrite == nil ? update : update.asUpdate
        plan._withUnsafeGuaranteedRef { plan in
            plan.route(of: update)._withUnsafeGuaranteedRef { route in
                if watchesUndeclaredChanges, !route.isDeclared {
                    undeclaredRowWillChange(update, plan, declared: route)
                } else {
                    willUpdate(update, route)
                }
            }
        }
    }

    @inline(__always)
    private func willUpdate(_ update: RawPreUpdate, _ route: ChangeRoute) {
        guard route.observations.contains(where: { $0.isListening && $0.wantsPreUpdates }),
            let event = DatabasePreUpdateEvent(
                update, route, blobWrite, ordinal: eventOrdinal &+ 1,
                convertsMismatchedValues: database.configuration.convertsMismatchedValues)
        else { return }
        eventOrdinal &+= 1
        if held.hasSavepoints {
            held.append(route, PreUpdateCopy(of: event))
            return
        }
        route.observations.forEachUncounted { observation in
            guard observation.isListening, observation.wantsPreUpdates else { return }
            called = .passUnretained(observation)
            observation.wasTold = true
            observation.databaseWillChange(with: event)
        }
    }

    override func didUpdate(_ update: RawUpdate) {
        guard let plan else {
            if watchesUndeclaredChanges {
                undeclaredRowDidChange(update, nil, declared: nil)
            }
            return
        }
        plan._withUnsafeGuaranteedRef { plan in
            plan.route(of: update)._withUnsafeGuaranteedRef { route in
                if watchesUndeclaredChanges, !route.isDeclared {
                    undeclaredRowDidChange(update, plan, declared: route)
                } else {
                    didUpdate(update, route)
                }
            }
        }
    }

    /// Counts a change that is delivered to observers or held back.
    func countEvent() { eventOrdinal &+= 1 }

    @inline(__always)
    private func didUpdate(_ update: RawUpdate, _ route: ChangeRoute) {
        guard !route.observations.isEmpty, let kind = route.eventKind else { return }
        eventOrdinal &+= 1
        if held.hasSavepoints {
            held.append(route, rowID: update.rowID)
            return
        }
        let event = DatabaseEvent(kind: kind, names: route.names, rowID: update.rowID)
        route.observations.forEachUncounted { observation in
            guard observation.isListening else { return }
            called = .passUnretained(observation)
            observation.wasTold = true
            observation.databaseDidChange(with: event)
        }
    }
}
