/// Stands between the hooks of a connection and its transaction observers.
///
/// What costs time is decided once a statement: which observers are interested in its changes, and
/// so, whether hooks are installed at all. Nothing is done a row when nobody listens.
///
/// Belongs to the thread that owns the connection.
final class ObservationBroker {
    /// An observation that is interested in a statement.
    private struct Interest {
        let observation: TransactionObservation
        /// The changes of the statement that it wants.
        var kinds: [(kind: DatabaseEvent.Kind, tableName: String)]

        func includes(kind: CInt, tableName: String) -> Bool {
            kinds.contains {
                $0.kind.rawValue == kind && ASCIICase.equal($0.tableName, tableName)
            }
        }

        /// Whether the table keeps the content of a virtual table that the statement changes: SQLite
        /// tells of changes of such shadow tables only, not of the virtual table.
        func includesShadow(_ tableName: String) -> Bool {
            kinds.contains { kind in
                let prefix = kind.tableName.utf8.count + 1
                return tableName.utf8.count > prefix
                    && ASCIICase.equal(
                        String(decoding: tableName.utf8.prefix(prefix), as: UTF8.self),
                        kind.tableName + "_")
            }
        }

        /// Whether the change is one of the statement's, or a deletion by its conflict resolution,
        /// of which SQLite does not tell beforehand.
        func includes(_ event: DatabasePreUpdateEvent) -> Bool {
            kinds.contains {
                ($0.kind.rawValue == event.kind.rawValue || event.kind == .delete)
                    && ASCIICase.equal($0.tableName, event.tableName)
            }
        }
    }

    /// An open savepoint, and the number of events that were on hold when it began.
    private struct Savepoint {
        var name: CaseInsensitiveIdentifier
        var eventCount: Int
    }

    private struct HeldEvent {
        var event: DatabaseEvent
        var interests: [Interest]
    }

    private unowned let database: Database
    private let raw: RawConnection
    private var observations: [TransactionObservation] = []

    /// The observations interested in the statement that is running.
    private var interests: [Interest] = []

    /// All changes of the statement that is running, if there are such observations.
    private var statementKinds: [DatabaseEventKind] = []

    @exclusivity(unchecked)
    private var savepoints: [Savepoint] = []
    @exclusivity(unchecked)
    private var heldEvents: [HeldEvent] = []

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
        raw.hooks.willCommit = { [unowned self] in willCommit() }
        raw.hooks.didRollback = { [unowned self] in didRollback() }
        raw.hooks.didUpdate = { [unowned self] in didUpdate($0) }
        raw.hooks.willUpdate = { [unowned self] in willUpdate($0) }
    }

    // MARK: - Observers

    /// Whether there are observers at all.
    @exclusivity(unchecked)
    private(set) var isActive = false

    func add(
        _ observer: some TransactionObserver, extent: Database.TransactionObservationExtent
    ) {
        let observation = TransactionObservation(
            observer: observer, extent: extent, broker: self, raw: raw)
        observation.register()
        observations.append(observation)
        updateActivity()
    }

    func remove(_ observer: some TransactionObserver) {
        guard let index = observations.firstIndex(where: { $0.isWrapping(observer) }) else {
            return
        }
        let observation = observations.remove(at: index)
        interests.removeAll { $0.observation === observation }
        for index in heldEvents.indices {
            heldEvents[index].interests.removeAll { $0.observation === observation }
        }
        updateActivity()
    }

    func removeAll() {
        // Observers that are freed may come here again.
        let former = (observations, interests, heldEvents)
        observations = []
        interests = []
        heldEvents = []
        updateActivity()
        withExtendedLifetime(former) {}
    }

    private func updateActivity() {
        let wasActive = isActive
        isActive = !observations.isEmpty
        if isActive && !wasActive {
            // DELETE without WHERE is compiled differently when it is observed.
            database.expirePreparedStatements()
        }
    }

    private func removeDeallocatedObservers() {
        observations = observations.filter { $0.observer != nil }
        updateActivity()
    }

    // MARK: - Statements

    /// Runs a statement that can perform changes, with the hooks that it needs.
    func observing(_ statement: Statement, _ step: () -> CInt) -> CInt {
        let outerInterests = interests
        let outerKinds = statementKinds
        database.noteSchemaChangesOfOthers()
        interests = makeInterests(in: statement)
        updateHooks()
        let isOnItsOwn = raw.isInAutocommitMode
        hasAskedForConsent = false
        let code = step()
        if isOnItsOwn, case .rollback = completion, !hasAskedForConsent {
            completion = .statementRollback
        }
        interests = outerInterests
        statementKinds = outerKinds
        updateHooks()
        return code
    }

    private func makeInterests(in statement: Statement) -> [Interest] {
        let kinds = statement.eventKinds
        statementKinds = kinds
        if kinds.isEmpty { return [] }
        return observations.compactMap { observation in
            guard !observation.isStopped, let observer = observation.observer else { return nil }
            let observedKinds = kinds.filter { observer.observes(eventsOfKind: $0) }
            if observedKinds.isEmpty { return nil }
            return Interest(
                observation: observation,
                kinds: observedKinds.map { ($0.rowKind, $0.tableName) })
        }
    }

    func observationDidStop() {
        // Hooks that are running can't be removed. They find no interest, until the statement ends.
        interests.removeAll { $0.observation.isStopped }
    }

    private var areHooksInstalled = false

    private func updateHooks() {
        let needsHooks = !interests.isEmpty
        guard needsHooks != areHooksInstalled, let connection = raw.handle else { return }
        areHooksInstalled = needsHooks
        raw.hooks.setUpdateHook(needsHooks, in: connection)
        raw.hooks.setPreUpdateHook(needsHooks, in: connection)
    }

    // MARK: - Savepoints

    func savepointDidBegin(_ name: String) {
        savepoints.append(
            Savepoint(name: CaseInsensitiveIdentifier(name), eventCount: heldEvents.count))
    }

    func savepointDidRelease(_ name: String) {
        guard let index = lastSavepointIndex(name) else { return }
        savepoints.removeSubrange(index...)
        if savepoints.isEmpty {
            notifyHeldEvents()
        }
    }

    func savepointDidRollback(_ name: String) {
        guard let index = lastSavepointIndex(name) else { return }
        // The savepoint remains open, those inside of it don't.
        savepoints.removeSubrange((index + 1)...)
        heldEvents.removeSubrange(savepoints[index].eventCount...)
    }

    /// Forgets the savepoints of a transaction that nobody observes.
    func forgetSavepoints() {
        // Called at the end of each read, where there is hardly ever one.
        if !savepoints.isEmpty { savepoints = [] }
        if !heldEvents.isEmpty { heldEvents = [] }
    }

    private func lastSavepointIndex(_ name: String) -> Int? {
        let name = CaseInsensitiveIdentifier(name)
        return savepoints.lastIndex { $0.name == name }
    }

    private func notifyHeldEvents() {
        let events = heldEvents
        heldEvents = []
        for held in events {
            for interest in held.interests where !interest.observation.isStopped {
                interest.observation.observer?.databaseDidChange(with: held.event)
            }
        }
    }

    // MARK: - Changes

    private func willUpdate(_ update: RawPreUpdate) {
        guard !interests.isEmpty, let event = DatabasePreUpdateEvent(update),
            !Database.isSQLiteInternalTable(event.tableName)
        else { return }
        for interest in interests(including: { $0.includes(event) }, event.tableName) {
            interest.observation.observer?.databaseWillChange(with: event)
        }
    }

    /// The interests in a change of a table.
    private func interests(
        including isIncluded: (Interest) -> Bool, _ tableName: String
    ) -> [Interest] {
        let included = interests.filter(isIncluded)
        if !included.isEmpty
            || statementKinds.contains(where: { ASCIICase.equal($0.tableName, tableName) })
        {
            return included
        }
        return interests.filter { $0.includesShadow(tableName) }
    }

    private func didUpdate(_ update: RawUpdate) {
        guard !interests.isEmpty, let event = DatabaseEvent(update) else { return }
        let interests = interests(
            including: { $0.includes(kind: event.kind.rawValue, tableName: event.tableName) },
            event.tableName)
        if interests.isEmpty { return }
        if savepoints.isEmpty {
            for interest in interests {
                interest.observation.observer?.databaseDidChange(with: event)
            }
        } else {
            heldEvents.append(HeldEvent(event: event, interests: interests))
        }
    }

    /// Tells the observers of a region that it has changed in some way.
    func notifyChanges(withEventsOfKind kinds: [DatabaseEventKind]) {
        for observation in observations where !observation.isStopped {
            guard let observer = observation.observer else { continue }
            if kinds.contains(where: { observer.observes(eventsOfKind: $0) }) {
                observer.databaseDidChange()
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
        savepoints = []
        notifyHeldEvents()
        isAskingForConsent = true
        hasAskedForConsent = true
        defer { isAskingForConsent = false }
        do {
            for observation in observations {
                try observation.observer?.databaseWillCommit()
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
            transactionDidEnd { observer in observer.databaseDidCommit(database) }
            return nil
        case .rollback:
            guard raw.isInAutocommitMode else {
                self.completion = .none
                return nil
            }
            transactionDidEnd { observer in observer.databaseDidRollback(database) }
            return nil
        case .statementRollback:
            transactionDidEnd(isAwaited: false) { observer in
                observer.databaseDidRollback(database)
            }
            return nil
        case .cancelledCommit(let error):
            if !raw.isInAutocommitMode {
                // Unlike COMMIT, a RELEASE that fails leaves the transaction open.
                database.rollbackAfterError()
            }
            transactionDidEnd { observer in observer.databaseDidRollback(database) }
            return error
        }
    }

    /// - parameter isAwaited: whether the observers of the next transaction wait for it.
    private func transactionDidEnd(
        isAwaited: Bool = true, _ notify: (any TransactionObserver) -> Void
    ) {
        completion = .none
        isNotifyingCompletion = false
        savepoints = []
        heldEvents = []
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
        let notified = observations.filter { isAwaited || $0.extent != .nextTransaction }
        if isAwaited { observations.removeAll { $0.extent == .nextTransaction } }
        for observation in notified {
            observation.isStopped = false
        }
        for observation in notified {
            if let observer = observation.observer {
                notify(observer)
            }
        }
        removeDeallocatedObservers()
    }
}
