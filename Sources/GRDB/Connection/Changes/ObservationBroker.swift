/// Stands between the hooks of a connection and its transaction observers.
///
/// The expensive decisions are made once per statement: which observers are interested in its
/// changes, and so, which hooks are installed, if any. Nothing is done a row when nobody listens.
///
/// Belongs to the thread that owns the connection.
final class ObservationBroker: RawChangeReceiver {
    /// Owns the broker, and is not used after its end.
    unowned(unsafe) let database: Database
    let raw: RawConnection

    @exclusivity(unchecked)
    var observations = ObservationList()

    /// What observers want to know of the statement that is running, which keeps it alive.
    @exclusivity(unchecked)
    private(set) var plan: Unmanaged<ChangePlan>?

    @exclusivity(unchecked)
    var held = HeldChanges()

    /// The number of row changes that were delivered to observers, or that are on hold.
    @exclusivity(unchecked)
    private(set) var eventOrdinal = 0

    /// The same, at the end of the latest transaction.
    @exclusivity(unchecked)
    var endedEventOrdinal = 0

    /// Whether an observer has stopped until the next transaction.
    @exclusivity(unchecked)
    var hasStopped = false

    /// Whether C code has compiled a statement that changes a table.
    @exclusivity(unchecked)
    var hasUndeclaredChanges = false

    /// Whether the hooks stay installed, because changes may happen that no statement declares.
    @exclusivity(unchecked)
    private(set) var watchesUndeclaredChanges = false

    /// The routes of undeclared changes outside of statements with a plan.
    let undeclaredRoutes = UndeclaredRoutes()

    /// While `perform` runs, the number of statements that were running before.
    @exclusivity(unchecked)
    private(set) var appliedStatementCount: CInt?

    /// The types of observers that don't want to know what rows are before they change.
    var typesWithoutPreUpdates: Set<ObjectIdentifier> = []

    /// Whether some observer may object to commits.
    @exclusivity(unchecked)
    var asksForConsent = true

    /// The types of observers that never object to a commit.
    var typesWithoutConsent: Set<ObjectIdentifier> = []

    /// What the hooks have seen, until the end of the statement.
    enum Completion {
        case none
        case commit
        case rollback
        /// A statement outside of transactions has failed. Observers forget its changes, but this
        /// is not the transaction that those of the next one wait for.
        case statementRollback
        /// An observer, or an error, has turned a commit into a rollback.
        case refusedCommit(any Error)
    }

    @exclusivity(unchecked)
    var completion = Completion.none

    /// The number of transactions that were committed, and rolled back.
    @exclusivity(unchecked)
    var commitCount = 0
    @exclusivity(unchecked)
    var rollbackCount = 0

    /// Whether the transaction was rolled back while SQLite committed it.
    @exclusivity(unchecked)
    var hasFailedToCommit = false

    /// Whether the transaction that is reported as rolled back may be in the file nevertheless. SQLite
    /// reports a commit as failed even if only the last steps fail: to delete the journal for good, and
    /// to unlock the file.
    @exclusivity(unchecked)
    var mayHaveCommitted = false

    /// Whether a rollback that belongs to a notification is running.
    @exclusivity(unchecked)
    var isNotifyingCompletion = false

    /// Whether observers are being asked whether the transaction may be committed.
    @exclusivity(unchecked)
    var isAskingForConsent = false

    /// Whether observers are notified of what has happened already: an error of
    /// `databaseWillCommit` would hide the commit from the others.
    @exclusivity(unchecked)
    var ignoresObjections = false

    /// Whether observers were asked while the current statement runs.
    @exclusivity(unchecked)
    var hasAskedForConsent = false

    /// Whether a statement of the library runs outside of transactions.
    @exclusivity(unchecked)
    private(set) var isStepping = false

    /// What is being written into a blob. SQLite takes it for a deletion.
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

    /// The registration of the observer that is being called.
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

    /// The registrations of an observer on the connection that is calling it, and that `body` is
    /// called with.
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

    /// Whether there are observers at all.
    @exclusivity(unchecked)
    private(set) var isActive = false

    func add<Observer: TransactionObserver>(
        _ observer: Observer, extent: Database.TransactionObservationExtent
    ) {
        let observation = TypedTransactionObservation(observer: observer, extent: extent)
        let type = ObjectIdentifier(type(of: observer))
        if typesWithoutPreUpdates.contains(type) { observation.wantsPreUpdates = false }
        if typesWithoutConsent.contains(type) { observation.wantsConsent = false }
        if observation.wantsConsent { asksForConsent = true }
        observations.append(observation)
        updateActivity()
    }

    func remove(_ observer: some TransactionObserver) {
        guard let observation = observations.removeFirst(ofObserver: ObjectIdentifier(observer))
        else { return }
        updateActivity()
        observation.forgetObserver()
    }

    /// Forgets all observers, because the connection is closed.
    func removeAll() {
        // Observers that are freed may come here again.
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

    /// Installs the hooks for undeclared changes, or stops to.
    ///
    /// - parameter expiresStatements: whether statements must compile again, in order to delete row by
    ///   row.
    func updateWatch(expiresStatements: Bool) {
        let watches =
            isActive && (hasUndeclaredChanges || observations.unconditionalCount > 0)
        if watches {
            if !watchesUndeclaredChanges, expiresStatements { database.expirePreparedStatements() }
            watchesUndeclaredChanges = true
            // A new observer may want to know what rows are before they change. Hooks of C code stay until
            // the next statement.
            if !raw.hasHooks(otherThanOf: self) { updateHooks(plan?.takeUnretainedValue()) }
        } else if watchesUndeclaredChanges {
            watchesUndeclaredChanges = false
            updateHooks(plan?.takeUnretainedValue())
        }
    }

    /// Has observers asked again what they want to know.
    func interestsDidChange() {
        database.interestEpoch &+= 1
        database.lastingInterestEpoch &+= 1
    }

    // MARK: - Deletions

    @exclusivity(unchecked)
    private var deletions = ObservedDeletions()

    /// Whether a DELETE that is being compiled must delete row by row.
    func observesDeletes(from table: String) -> Bool { deletions.compile(deletionFrom: table) }

    /// The number of registrations, also of observers that were freed.
    var observationCount: Int { observations.elements.count }

    // MARK: - Statements

    /// Starts a statement that can perform changes, with the hooks that it needs.
    func step(_ statement: Statement) -> CInt {
        let isOnItsOwn = raw.isInAutocommitMode
        if plan == nil, !isOnItsOwn {
            let epoch = database.interestEpoch
            if statement.uninterestingEpoch == epoch { return stepUnobserved(statement) }
            if let plan = statement.changePlan, plan.epoch == epoch, !plan.isRunning, plan.begin() {
                return step(statement, plan)
            }
        }
        return stepAsking(statement, isOnItsOwn: isOnItsOwn)
    }

    /// Starts a statement whose observers are not known yet.
    ///
    /// - parameter isOnItsOwn: whether the statement is a transaction.
    private func stepAsking(_ statement: Statement, isOnItsOwn: Bool) -> CInt {
        let code: CInt
        let wasStepping = isStepping
        isStepping = isOnItsOwn
        defer { isStepping = wasStepping }
        if statement.effects.beginsTransaction {
            hasAskedForConsent = false
            code = RawStatement.step(statement.sqliteStatement)
        } else {
            // Once a transaction.
            database.noteSchemaChangesOfOthers(isInTransaction: !isOnItsOwn)
            let newPlan = plan(for: statement, isOnItsOwn: isOnItsOwn)
            hasAskedForConsent = false
            if let newPlan {
                code = step(statement, newPlan)
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
    ///
    /// - parameter plan: a plan that has begun.
    private func step(_ statement: Statement, _ plan: ChangePlan) -> CInt {
        let ordinal = eventOrdinal
        let heldCount = held.count
        let outerPlan = self.plan
        self.plan = .passUnretained(plan)
        updateHooks(plan)
        let code = notifying { RawStatement.step(statement.sqliteStatement) }
        if let outerPlan {
            resume(outerPlan)
        } else {
            self.plan = nil
            // While the latter is there, statements that compile delete row by row. The other one may
            // wait for the next statement.
            if hasPreUpdateHook || !isActive { updateHooks(nil) }
        }
        noteFailure(code, of: statement, ordinal: ordinal, heldCount: heldCount)
        plan.end()
        return code
    }

    /// Runs a C function that runs statements itself, and notifies observers of their changes.
    ///
    /// To be called in a transaction.
    ///
    /// - parameter kinds: all changes that the statements can perform.
    /// - parameter replaces: whether rows may be deleted to make room for others.
    func perform(
        _ kinds: [DatabaseEventKind], replaces: Bool, _ body: () -> CInt
    ) -> CInt {
        hasAskedForConsent = false
        database.noteSchemaChangesOfOthers(isInTransaction: true)
        let newPlan =
            kinds.isEmpty
            ? nil
            : makePlan(kinds, replaces: replaces, mayWriteByFunctions: false, former: nil)
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
        newPlan?.end()
        return code
    }

    /// Starts a statement that nobody wants to know of.
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

    /// Goes on with the statement around the one that has run.
    private func resume(_ outerPlan: Unmanaged<ChangePlan>) {
        plan = outerPlan
        let outerPlan = outerPlan.takeUnretainedValue()
        outerPlan.renewPointers()
        updateHooks(outerPlan)
    }

    /// Has observers forget the changes of a statement that has failed halfway: its own, and those of
    /// statements that it has run by way of functions.
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

    /// A statement has failed halfway, but the transaction goes on.
    func changesWereUndone(since ordinal: Int, heldCount: Int) {
        held.removeChanges(after: heldCount)
        for observation in observations.elements where !observation.isRemoved {
            observation.changesWereUndone(since: ordinal)
        }
    }

    /// What observers want to know of a statement. They have been asked in this transaction, or are
    /// asked now.
    ///
    /// - parameter isOnItsOwn: whether the statement is a transaction.
    /// - returns: nil if nobody is interested. Otherwise a plan that has begun.
    private func plan(for statement: Statement, isOnItsOwn: Bool) -> ChangePlan? {
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
            plan.begin()
        {
            plan.epoch = newEpoch
            return plan
        }
        let plan = makePlan(of: statement)
        // An observer that was found dead has changed these.
        let newLastingEpoch =
            isLasting && lastingEpoch == database.lastingInterestEpoch ? lastingEpoch : -1
        guard let plan else {
            statement.uninterestingEpoch = newEpoch
            statement.uninterestingLastingEpoch = newLastingEpoch
            return nil
        }
        plan.epoch = newEpoch
        plan.lastingEpoch = newLastingEpoch
        return plan
    }

    /// Asks the observers about the changes of a statement.
    ///
    /// - returns: nil if nobody is interested. Otherwise a plan that has begun.
    private func makePlan(of statement: Statement) -> ChangePlan? {
        let kinds = statement.eventKinds
        if kinds.isEmpty { return nil }
        let plan = makePlan(
            kinds, replaces: statement.effects.replacesRows,
            mayWriteByFunctions: statement.effects.mayWriteByFunctions,
            former: statement.changePlan)
        if let plan { statement.changePlan = plan }
        return plan
    }

    /// Asks the observers about changes.
    ///
    /// - parameter replaces: whether rows may be deleted to make room for others.
    /// - parameter mayWriteByFunctions: whether there may be more changes.
    /// - parameter former: a plan of the same changes.
    /// - returns: nil if nobody is interested, and undeclared changes are not expected. Otherwise a plan
    ///   that has begun, maybe the former one.
    private func makePlan(
        _ kinds: [DatabaseEventKind], replaces: Bool, mayWriteByFunctions: Bool,
        former: ChangePlan?
    ) -> ChangePlan? {
        let generation = database.schemaGeneration
        var former = former
        if let plan = former, plan.isRunning || plan.schemaGeneration != generation {
            former = nil
        }
        // The number of answers that are those of the former plan. All of them, as long as there is no
        // list of new ones.
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
                former.renewPointers()
                former.isRunning = true
                return former
            }
            interests = ContiguousArray(former.interests.prefix(sameCount))
        }
        // Without interests, the plan still says which changes observers were asked about.
        if interests?.isEmpty ?? true, !watchesUndeclaredChanges { return nil }
        let plan = ChangePlan(
            kinds: kinds, interests: interests ?? [], schemaGeneration: generation,
            convertsMismatchedValues: database.configuration.convertsMismatchedValues,
            mayWriteByFunctions: mayWriteByFunctions)
        plan.isRunning = true
        if plan.tableNames.reduce(false, { deletions.observe($1) || $0 }) {
            database.expirePreparedStatements()
        }
        return plan
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
            // Each time: code that calls C functions may have replaced it.
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
            let event = DatabasePreUpdateEvent(update, route, blobWrite, ordinal: eventOrdinal &+ 1)
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

    /// Counts a change that is delivered to observers, or put on hold.
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
