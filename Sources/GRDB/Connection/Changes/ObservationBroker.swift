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

    /// The audience of the running statement, which keeps it alive.
    @exclusivity(unchecked)
    var audience: Unmanaged<ChangeAudience>?

    @exclusivity(unchecked)
    var held = HeldChanges()

    /// The number of row changes that were delivered to observers or held back.
    @exclusivity(unchecked)
    var eventOrdinal = 0

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

    /// The routes of undeclared changes outside of statements with an audience.
    let undeclaredRoutes = UndeclaredRoutes()

    /// While `perform` runs, the number of statements that were already running.
    @exclusivity(unchecked)
    var appliedStatementCount: CInt?

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
    @exclusivity(unchecked)
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
    var isStepping = false

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

    /// Runs a closure that calls an observer, while `notifying(_:)` runs.
    ///
    /// - returns: false if the observer was deallocated, without running the closure.
    @inline(__always)
    @discardableResult
    func call(
        _ observation: TransactionObservation, _ body: () throws -> Void
    ) rethrows -> Bool {
        guard observation.retainObserver() else { return false }
        defer { observation.releaseObserver() }
        called = .passUnretained(observation)
        try body()
        return true
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
            if audience == nil { updateHooks(nil) }
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
            if !raw.hasHooks(otherThanOf: self) { updateHooks(audience?.takeUnretainedValue()) }
        } else if watchesUndeclaredChanges {
            watchesUndeclaredChanges = false
            updateHooks(audience?.takeUnretainedValue())
        }
    }

    /// Makes statements ask observers again about their changes.
    func interestsDidChange() {
        database.interestEpoch &+= 1
        database.lastingInterestEpoch &+= 1
    }

    // MARK: - Deletions

    @exclusivity(unchecked)
    var deletions = ObservedDeletions()

    /// The number of registered observers. Deallocated observers count until their removal.
    var observationCount: Int { observations.elements.count }

    // MARK: - Hooks

    @exclusivity(unchecked)
    private(set) var hasUpdateHook = false
    @exclusivity(unchecked)
    private(set) var hasPreUpdateHook = false

    /// Installs the hooks that an audience needs, or removes them.
    func updateHooks(_ audience: ChangeAudience?) {
        guard let connection = raw.handle else { return }
        let watches = watchesUndeclaredChanges
        if audience != nil || watches {
            // Install it each time, because code that calls C functions may have replaced it.
            raw.hooks.setUpdateHook(self, in: connection)
            hasUpdateHook = true
        } else if hasUpdateHook {
            raw.hooks.setUpdateHook(nil, in: connection)
            hasUpdateHook = false
        }
        let needsPreUpdateHook =
            (audience?.needsPreUpdates ?? false) || (watches && observations.wantPreUpdates)
        if needsPreUpdateHook != hasPreUpdateHook || (watches && needsPreUpdateHook) {
            hasPreUpdateHook = needsPreUpdateHook
            raw.hooks.setPreUpdateHook(needsPreUpdateHook ? self : nil, in: connection)
        }
    }

    override func willUpdate(_ update: RawPreUpdate) {
        receive(blobWrite == nil ? update : update.asUpdate)
    }

    override func didUpdate(_ update: RawUpdate) { receive(update) }
}
