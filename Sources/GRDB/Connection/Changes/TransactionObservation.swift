/// The registration of one observer on one connection.
///
/// The observer is either retained, or referenced weakly. Reading a weak reference for each row costs
/// too much: `retainObserver()` checks that the observer is alive, and until `releaseObserver()`,
/// callbacks use the observer without reference counting.
///
/// Belongs to the thread that owns the connection.
class TransactionObservation {
    let extent: Database.TransactionObservationExtent

    /// The identity of the observer, valid while it is alive.
    let observerID: ObjectIdentifier

    /// Whether the observer observes the same changes in all transactions.
    let hasLastingInterest: Bool

    /// Whether the observer is notified of the end of transactions.
    let isToldOfEnds: Bool

    /// Whether the observer is only notified of the kinds of changes for which `observes` returns true.
    final let requiresEventKind: Bool

    /// The next registration of the same observer, in the order of registration.
    var nextOfSameObserver: TransactionObservation?

    /// Whether the observer is not notified of changes until the current transaction ends.
    @exclusivity(unchecked)
    final var isStopped = false

    /// Whether the observer receives no further notifications.
    @exclusivity(unchecked)
    final var isRemoved = false

    /// Whether the write that has added the observer was undone, so that the transaction counts as rolled
    /// back for the observer.
    @exclusivity(unchecked)
    final var isUndone = false

    /// Whether the observer was notified of a row change since the last transaction.
    @exclusivity(unchecked)
    final var wasTold = false

    /// Whether the observer may implement `databaseWillChange(with:)`. The default implementation sets
    /// this to false when it is first called.
    @exclusivity(unchecked)
    final var wantsPreUpdates = true

    /// Whether the observer may object to commits. Set to false like `wantsPreUpdates`.
    @exclusivity(unchecked)
    final var wantsConsent: Bool

    /// Whether the registration retains the observer.
    @exclusivity(unchecked)
    fileprivate final var isStrong: Bool

    @exclusivity(unchecked)
    fileprivate final var retainCount = 0

    fileprivate init(
        extent: Database.TransactionObservationExtent, observerID: ObjectIdentifier,
        hasLastingInterest: Bool, isToldOfEnds: Bool, requiresEventKind: Bool
    ) {
        self.extent = extent
        self.observerID = observerID
        self.hasLastingInterest = hasLastingInterest
        self.isToldOfEnds = isToldOfEnds
        self.requiresEventKind = requiresEventKind
        wantsConsent = isToldOfEnds
        isStrong = extent != .observerLifetime
    }

    /// Whether the observer is currently notified of changes.
    @inline(__always)
    final var isListening: Bool { !isStopped && !isRemoved }

    // MARK: - The observer

    /// Keeps the observer alive until `releaseObserver()`. Calls are counted.
    ///
    /// - returns: whether the observer is alive. If not, don't call `releaseObserver()`.
    @inline(__always)
    final func retainObserver() -> Bool {
        if retainCount == 0, !isStrong, !loadObserver() { return false }
        retainCount &+= 1
        return true
    }

    @inline(__always)
    final func releaseObserver() {
        retainCount &-= 1
        if retainCount == 0, !isStrong { unloadObserver() }
    }

    /// Makes the observer available to callbacks.
    ///
    /// - returns: whether the observer is alive.
    fileprivate func loadObserver() -> Bool { fatalError("abstract") }
    fileprivate func unloadObserver() { fatalError("abstract") }

    /// Whether the observer is alive.
    var isAlive: Bool { fatalError("abstract") }

    /// Releases the observer permanently.
    func forgetObserver() { fatalError("abstract") }

    /// Notifies the observer that the connection is closed, if it is a `DatabaseClosingObserver`.
    func databaseDidClose() { fatalError("abstract") }

    /// Notifies the observer of replaced content, if it is a `ChangeConsumer`.
    func contentWasReplaced(in schemaName: String?, _ db: Database) { fatalError("abstract") }

    /// Notifies the observer of undone changes, if it is an `UndoneChangesObserver`.
    func changesWereUndone(since ordinal: Int) { fatalError("abstract") }

    // MARK: - Callbacks, for retained observers

    /// - parameter replaces: see `RowChangeObserver`.
    func observes(_ kind: DatabaseEventKind, replaces: Bool) -> Bool { fatalError("abstract") }
    func databaseDidChange() { fatalError("abstract") }
    func databaseDidChange(with event: DatabaseEvent) { fatalError("abstract") }
    func databaseWillChange(with event: DatabasePreUpdateEvent) { fatalError("abstract") }
    func databaseWillCommit() throws { fatalError("abstract") }
    func databaseDidCommit(_ db: Database) { fatalError("abstract") }
    func databaseDidRollback(_ db: Database) { fatalError("abstract") }
}

extension ContiguousArray<TransactionObservation> {
    /// Calls the closure with each registration, without reference counting: the array keeps them alive.
    @inline(__always)
    func forEachUncounted(_ body: (TransactionObservation) throws -> Void) rethrows {
        for index in indices {
            try Unmanaged.passUnretained(self[index])._withUnsafeGuaranteedRef(body)
        }
    }
}

/// A registration that knows the type of its observer: unlike a protocol reference, a reference to a
/// class type can be used without reference counting.
final class TypedTransactionObservation<Observer: TransactionObserver>: TransactionObservation {
    private weak var weakObserver: Observer?

    /// The observer, while callbacks can use it. Holds a strong reference.
    @exclusivity(unchecked)
    private var loaded: Unmanaged<Observer>?

    init(observer: Observer, extent: Database.TransactionObservationExtent) {
        let strategy = observer.databaseEventObservationStrategy
        super.init(
            extent: extent, observerID: ObjectIdentifier(observer),
            hasLastingInterest: observer is any LastingInterestObserver,
            isToldOfEnds: !(observer is any RowChangeObserver),
            requiresEventKind: strategy.requiresDatabaseEventKind)
        if let type = Observer.self as? any LastingInterestObserver.Type {
            wantsPreUpdates = type.wantsPreUpdates
        }
        if extent == .observerLifetime {
            weakObserver = observer
        } else {
            loaded = .passRetained(observer)
        }
    }

    deinit {
        loaded?.release()
    }

    fileprivate override func loadObserver() -> Bool {
        guard let observer = weakObserver else { return false }
        loaded = .passRetained(observer)
        return true
    }

    fileprivate override func unloadObserver() {
        let former = loaded
        loaded = nil
        // May deallocate the observer, whose `deinit` may call this registration again.
        former?.release()
    }

    override var isAlive: Bool { isStrong || weakObserver != nil }

    override func forgetObserver() {
        weakObserver = nil
        if isStrong {
            isStrong = false
            // Otherwise, the observer is released after the running callback.
            if retainCount == 0 { unloadObserver() }
        }
    }

    /// The observer, if it is alive.
    private var observer: Observer? {
        isStrong ? loaded?.takeUnretainedValue() : weakObserver
    }

    override func changesWereUndone(since ordinal: Int) {
        (observer as? any UndoneChangesObserver)?.changesWereUndone(since: ordinal)
    }

    override func contentWasReplaced(in schemaName: String?, _ db: Database) {
        (observer as? any ChangeConsumer)?.contentWasReplaced(in: schemaName, db)
    }

    override func databaseDidClose() {
        (observer as? any DatabaseClosingObserver)?.databaseDidClose()
    }

    @inline(__always)
    private func withObserver<Result>(_ body: (Observer) throws -> Result) rethrows -> Result {
        try loaded.unsafelyUnwrapped._withUnsafeGuaranteedRef(body)
    }

    override func observes(_ kind: DatabaseEventKind, replaces: Bool) -> Bool {
        if !requiresEventKind { return true }
        if !isToldOfEnds, let observer = observer as? any RowChangeObserver {
            return observer.observes(eventsOfKind: kind, replaces: replaces)
        }
        return withObserver { $0.observes(eventsOfKind: kind) }
    }

    override func databaseDidChange() {
        withObserver { $0.databaseDidChange() }
    }

    override func databaseDidChange(with event: DatabaseEvent) {
        withObserver { $0.databaseDidChange(with: event) }
    }

    override func databaseWillChange(with event: DatabasePreUpdateEvent) {
        withObserver { $0.databaseWillChange(with: event) }
    }

    override func databaseWillCommit() throws {
        try withObserver { try $0.databaseWillCommit() }
    }

    override func databaseDidCommit(_ db: Database) {
        withObserver { $0.databaseDidCommit(db) }
    }

    override func databaseDidRollback(_ db: Database) {
        withObserver { $0.databaseDidRollback(db) }
    }
}
