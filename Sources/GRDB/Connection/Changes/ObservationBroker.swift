/// Stands between the hooks of a connection and its transaction observers.
///
/// What costs time is decided once a statement: which observers are interested in its changes, and
/// so, which hooks are installed, if any. Nothing is done a row when nobody listens.
///
/// Belongs to the thread that owns the connection.
final class ObservationBroker: RawChangeReceiver {
    /// Owns the broker, and is not used after its end.
    private unowned(unsafe) let database: Database
    private let raw: RawConnection

    @exclusivity(unchecked)
    private var observations = ObservationList()

    /// What observers want to know of the statement that is running.
    @exclusivity(unchecked)
    private var plan: ChangePlan?

    @exclusivity(unchecked)
    private var held = HeldChanges()

    /// The number of row changes that observers were told of, or that are on hold.
    @exclusivity(unchecked)
    private var eventOrdinal = 0

    /// The types of observers that don't want to know what rows are before they change.
    private var typesWithoutPreUpdates: Set<ObjectIdentifier> = []

    /// What the hooks have seen, until the end of the statement.
    private enum Completion {
        case none
        case commit
        case rollback
        /// A statement outside of transactions has failed. Observers forget its changes, but this
        /// is not the transaction that those of the next one wait for.
        case statementRollback
        /// An observer, or an error, has turned a commit into a rollback.
        case cancelledCommit(any Error)
    }

    private var completion = Completion.none

    /// Whether a rollback that belongs to a notification is running.
    private var isNotifyingCompletion = false

    /// Whether observers are being asked whether the transaction may be committed.
    private(set) var isAskingForConsent = false

    /// Whether observers were asked while the current statement runs.
    private var hasAskedForConsent = false

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
    private var called: Unmanaged<TransactionObservation>?

    /// Runs a closure that may call observers.
    private func notifying<Result, Failure: Error>(
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
    private static func withNotifyingBroker(
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

    /// Stops the changes that an observer is told of, on the connection that is calling it.
    static func stopUntilNextTransaction(_ observer: some TransactionObserver) {
        // Hooks that are running can't be removed. They find that nobody listens.
        withNotifyingBroker(observer) { broker, observation in
            observation.isStopped = true
            broker.database.interestEpoch &+= 1
        }
    }

    /// Notes that an observer has the default implementation of
    /// ``TransactionObserver/databaseWillChange(with:)``, and so do all observers of its class: the
    /// preupdate hook, for which SQLite works a lot, needs not be installed for it.
    static func noteDefaultWillChange(of observer: some TransactionObserver) {
        withNotifyingBroker(observer) { broker, observation in
            // Another observer may be the one that is called, and have passed its event on.
            guard observation === broker.called?.takeUnretainedValue() else { return }
            observation.wantsPreUpdates = false
            broker.typesWithoutPreUpdates.insert(ObjectIdentifier(type(of: observer)))
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
        observation.wantsPreUpdates =
            !typesWithoutPreUpdates.contains(ObjectIdentifier(type(of: observer)))
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

    private func updateActivity() {
        isActive = !observations.isEmpty
        database.interestEpoch &+= 1
        if !isActive { deletions.forgetObservedTables() }
    }

    // MARK: - Deletions

    @exclusivity(unchecked)
    private var deletions = ObservedDeletions()

    /// Whether a DELETE that is being compiled must delete row by row.
    func observesDeletes(from table: String) -> Bool { deletions.compile(deletionFrom: table) }

    /// The number of registrations, also of observers that were freed.
    var observationCount: Int { observations.elements.count }

    // MARK: - Statements

    /// Runs a statement that can perform changes, with the hooks that it needs.
    func observing(_ statement: Statement, _ step: () -> CInt) -> CInt {
        if plan == nil, statement.uninterestingEpoch == database.interestEpoch,
            !raw.isInAutocommitMode
        {
            return ignoring(statement, step)
        }
        // The transaction will look at the schema.
        if !statement.effects.beginsTransaction { database.noteSchemaChangesOfOthers() }
        let newPlan = plan(for: statement)
        let outerPlan = plan
        let isOnItsOwn = raw.isInAutocommitMode
        hasAskedForConsent = false
        let ordinal = eventOrdinal
        let heldCount = held.count
        let code: CInt
        if newPlan == nil, outerPlan == nil {
            code = step()
        } else {
            plan = newPlan
            updateHooks()
            code = notifying(step)
            outerPlan?.renewPointers()
            plan = outerPlan
            updateHooks()
        }
        noteFailure(code, of: statement, ordinal: ordinal, heldCount: heldCount)
        if isOnItsOwn, case .rollback = completion, !hasAskedForConsent {
            completion = .statementRollback
        }
        if let newPlan {
            newPlan.isRunning = false
            for observation in newPlan.observations {
                observation.releaseObserver()
            }
        }
        return code
    }

    /// Runs a statement that nobody wants to know of, as was found out in this transaction.
    @inline(__always)
    private func ignoring(_ statement: Statement, _ step: () -> CInt) -> CInt {
        let ordinal = eventOrdinal
        let heldCount = held.count
        let code = step()
        noteFailure(code, of: statement, ordinal: ordinal, heldCount: heldCount)
        return code
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
    private func changesWereUndone(since ordinal: Int, heldCount: Int) {
        held.removeChanges(after: heldCount)
        for observation in observations.elements where !observation.isRemoved {
            observation.changesWereUndone(since: ordinal)
        }
    }

    /// What observers want to know of a statement. They have been asked in this transaction, or are
    /// asked now.
    ///
    /// - returns: nil if nobody is interested. Otherwise a plan whose observers are retained.
    private func plan(for statement: Statement) -> ChangePlan? {
        // Each statement outside of transactions is one.
        if raw.isInAutocommitMode { return makePlan(of: statement) }
        let epoch = database.interestEpoch
        if let plan = statement.changePlan, !plan.isRunning, plan.epoch == epoch,
            plan.retainObservers()
        {
            plan.renewPointers()
            plan.isRunning = true
            return plan
        }
        guard let plan = makePlan(of: statement) else {
            statement.uninterestingEpoch = epoch
            return nil
        }
        plan.epoch = epoch
        return plan
    }

    /// Asks the observers about the changes of a statement.
    ///
    /// - returns: nil if nobody is interested. Otherwise a plan whose observers are retained.
    private func makePlan(of statement: Statement) -> ChangePlan? {
        let kinds = statement.eventKinds
        if kinds.isEmpty { return nil }
        let generation = database.schemaGeneration
        var former = statement.changePlan
        if let plan = former, plan.isRunning || plan.schemaGeneration != generation {
            former = nil
        }
        // The number of answers that are those of the former plan. All of them, as long as there is no
        // list of new ones.
        var sameCount = 0
        var interests: ContiguousArray<ChangePlan.Interest>?
        var hasFoundDeadObserver = false
        for observation in observations.elements where observation.isListening {
            guard observation.retainObserver() else {
                hasFoundDeadObserver = true
                continue
            }
            var isInterested = false
            for index in kinds.indices where observation.observes(kinds[index]) {
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
            if sameCount == 0 { return nil }
            if sameCount == former.interests.count {
                former.renewPointers()
                former.isRunning = true
                return former
            }
            interests = ContiguousArray(former.interests.prefix(sameCount))
        }
        guard let interests, !interests.isEmpty else { return nil }
        let plan = ChangePlan(
            kinds: kinds, interests: interests, schemaGeneration: generation,
            convertsMismatchedValues: database.configuration.convertsMismatchedValues)
        plan.isRunning = true
        statement.changePlan = plan
        if plan.tableNames.reduce(false, { deletions.observe($1) || $0 }) {
            database.expirePreparedStatements()
        }
        return plan
    }

    private var hasUpdateHook = false
    private var hasPreUpdateHook = false

    private func updateHooks() {
        guard let connection = raw.handle else { return }
        let needsUpdateHook = plan != nil
        if needsUpdateHook != hasUpdateHook {
            hasUpdateHook = needsUpdateHook
            raw.hooks.setUpdateHook(needsUpdateHook ? self : nil, in: connection)
        }
        let needsPreUpdateHook = plan?.needsPreUpdates ?? false
        if needsPreUpdateHook != hasPreUpdateHook {
            hasPreUpdateHook = needsPreUpdateHook
            raw.hooks.setPreUpdateHook(needsPreUpdateHook ? self : nil, in: connection)
        }
    }

    // MARK: - Savepoints

    func savepointDidBegin(_ name: String) {
        held.begin(name)
    }

    func savepointDidRelease(_ name: String) {
        if held.release(name) { notifyHeldChanges() }
    }

    func savepointDidRollback(_ name: String) {
        held.rollback(to: name)
    }

    /// Forgets the savepoints of a transaction that nobody observes.
    func forgetSavepoints() {
        // Called at the end of each read, where there is hardly ever one.
        if !held.isEmpty { held = HeldChanges() }
    }

    private func notifyHeldChanges() {
        if held.count == 0 { return }
        let changes = held.removeChanges()
        notifying {
            for held in changes {
                for observation in held.route.observations where observation.isListening {
                    guard observation.retainObserver() else { continue }
                    called = .passUnretained(observation)
                    observation.wasTold = true
                    if let preUpdate = held.preUpdate {
                        if observation.wantsPreUpdates {
                            eventOrdinal &+= 1
                            observation.databaseWillChange(
                                with: DatabasePreUpdateEvent(
                                    preUpdate, names: held.route.names, ordinal: eventOrdinal))
                        }
                    } else if let kind = DatabaseEvent.Kind(rawValue: held.route.kind) {
                        observation.databaseDidChange(
                            with: DatabaseEvent(
                                kind: kind, names: held.route.names, rowID: held.rowID))
                    }
                    observation.releaseObserver()
                }
            }
        }
    }

    // MARK: - Changes

    override func willUpdate(_ update: RawPreUpdate) {
        guard let plan else { return }
        let route = plan.route(of: update)
        guard route.observations.contains(where: { $0.isListening && $0.wantsPreUpdates }),
            let event = DatabasePreUpdateEvent(update, route, ordinal: eventOrdinal &+ 1)
        else { return }
        eventOrdinal &+= 1
        if !held.hasSavepoints {
            for observation in route.observations
            where observation.isListening && observation.wantsPreUpdates {
                called = .passUnretained(observation)
                observation.wasTold = true
                observation.databaseWillChange(with: event)
            }
        } else {
            held.append(route, rowID: 0, preUpdate: PreUpdateCopy(of: event))
        }
    }

    override func didUpdate(_ update: RawUpdate) {
        guard let plan else { return }
        let route = plan.route(of: update)
        if route.observations.isEmpty { return }
        eventOrdinal &+= 1
        if !held.hasSavepoints {
            guard let kind = DatabaseEvent.Kind(rawValue: update.kind) else { return }
            let event = DatabaseEvent(kind: kind, names: route.names, rowID: update.rowID)
            for observation in route.observations where observation.isListening {
                called = .passUnretained(observation)
                observation.wasTold = true
                observation.databaseDidChange(with: event)
            }
        } else {
            held.append(route, rowID: update.rowID, preUpdate: nil)
        }
    }

    /// Tells the observers of a region that it has changed in some way.
    func notifyChanges(withEventsOfKind kinds: [DatabaseEventKind]) {
        if kinds.isEmpty { return }
        notifying {
            for observation in observations.elements where observation.isListening {
                guard observation.retainObserver() else { continue }
                called = .passUnretained(observation)
                if kinds.contains(where: { observation.observes($0) }) {
                    observation.databaseDidChange()
                }
                observation.releaseObserver()
            }
        }
    }

    // MARK: - Transactions

    /// The commit hook. Returns whether to roll back instead.
    private func willCommit() -> Bool {
        // A statement around the one that has failed, which commits on its own.
        if let reason = database.rollbackReason {
            completion = .cancelledCommit(Database.rollbackRequired(reason))
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
        isAskingForConsent = true
        hasAskedForConsent = true
        defer { isAskingForConsent = false }
        do {
            try notifying { () throws(any Error) in
                for observation in observations.elements where !observation.isRemoved {
                    guard observation.retainObserver() else { continue }
                    defer { observation.releaseObserver() }
                    called = .passUnretained(observation)
                    try observation.databaseWillCommit()
                }
            }
            completion = .commit
            return false
        } catch {
            completion = .cancelledCommit(error)
            return true
        }
    }

    /// Tells observers what the commit hook could not.
    func emptyTransactionDidCommit() {
        _ = willCommit()
    }

    /// The rollback hook.
    private func didRollback() {
        if database.rollbackReason != nil {
            database.rollbackReason = nil
        }
        if case .cancelledCommit = completion { return }
        if database.isInUnnotifiedRead { return }
        completion = .rollback
    }

    /// Whether a transaction has ended, or has failed to, since the last call of
    /// `notifyCompletion`.
    var hasCompletion: Bool {
        if case .none = completion { false } else { true }
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
            transactionDidEnd { $0.databaseDidCommit(database) }
            return nil
        case .rollback:
            guard raw.isInAutocommitMode else {
                self.completion = .none
                return nil
            }
            transactionDidEnd { $0.databaseDidRollback(database) }
            return nil
        case .statementRollback:
            // Those who know of nothing have nothing to forget.
            transactionDidEnd(of: { $0.wasTold && $0.extent != .nextTransaction }) { observation in
                observation.databaseDidRollback(database)
            }
            return nil
        case .cancelledCommit(let error):
            if !raw.isInAutocommitMode {
                // Unlike COMMIT, a RELEASE that fails leaves the transaction open.
                database.rollbackAfterError()
            }
            transactionDidEnd { $0.databaseDidRollback(database) }
            return error
        }
    }

    /// - parameter isNotified: tells the observers of a statement that was not the transaction which
    ///   others wait for; nil at the end of a transaction.
    private func transactionDidEnd(
        of isNotified: ((TransactionObservation) -> Bool)? = nil,
        _ notify: (TransactionObservation) -> Void
    ) {
        completion = .none
        isNotifyingCompletion = false
        held = HeldChanges()
        guard isActive else { return }

        // Observers run outside of the transaction that has ended.
        let requiresTransaction = database.requiresTransaction
        let cancellation = database.cancellation
        database.requiresTransaction = false
        // What has ended can't be cancelled any more.
        database.cancellation = nil
        defer {
            database.requiresTransaction = requiresTransaction
            database.cancellation = cancellation
        }

        // Observers may run statements, and so begin transactions, add and remove observers.
        observations.compact()
        var notified = observations.elements
        if let isNotified {
            notified.removeAll { !isNotified($0) }
        }
        let ended =
            isNotified == nil && notified.contains { $0.extent == .nextTransaction }
            ? notified.filter { $0.extent == .nextTransaction } : []
        for observation in ended {
            observations.remove(observation)
        }
        for observation in observations.elements {
            observation.isStopped = false
            observation.wasTold = false
        }
        database.interestEpoch &+= 1
        var hasFoundDeadObserver = false
        notifying {
            for observation in notified {
                guard observation.retainObserver() else {
                    hasFoundDeadObserver = true
                    continue
                }
                called = .passUnretained(observation)
                notify(observation)
                observation.releaseObserver()
            }
        }
        if hasFoundDeadObserver {
            observations.sweep()
        } else {
            observations.compact()
        }
        for observation in ended {
            observation.forgetObserver()
        }
        updateActivity()
    }
}
