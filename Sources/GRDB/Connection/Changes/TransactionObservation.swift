/// The registration of one observer on one connection.
///
/// The observer is either retained, or referenced weakly. A weak reference costs too much to be read
/// a row: `retainObserver()` makes sure that the observer lives, and between this call and
/// `releaseObserver()`, callbacks reach it without a reference count.
///
/// Belongs to the thread that owns the connection.
class TransactionObservation {
    let extent: Database.TransactionObservationExtent

    /// The identity of the observer, as long as it lives.
    let observerID: ObjectIdentifier

    /// Whether the observer wants to know of the same changes in all transactions.
    let hasLastingInterest: Bool

    /// Whether the observer is notified of the end of transactions.
    let isToldOfEnds: Bool

    /// Whether the observer is only notified of the kinds of changes that it asks for.
    final let requiresEventKind: Bool

    /// The next registration of the same observer, in the order of registration.
    var nextOfSameObserver: TransactionObservation?

    /// Whether changes are not notified until the current transaction ends.
    @exclusivity(unchecked)
    final var isStopped = false

    /// Whether the observer receives no further notifications.
    @exclusivity(unchecked)
    final var isRemoved = false

    /// Whether the observer was notified of a row change, or asked for its consent, since the last
    /// transaction.
    @exclusivity(unchecked)
    final var wasTold = false

    /// Whether the observer wants to know what a row is before it changes: the default
    /// implementation of the callback says no when it is called for the first time.
    @exclusivity(unchecked)
    final var wantsPreUpdates = true

    /// Whether the observer may object to a commit: the same.
    @exclusivity(unchecked)
    final var wantsConsent: Bool

    /// Whether the registration keeps the observer alive.
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

    /// Whether changes are notified now.
    @inline(__always)
    final var isListening: Bool { !isStopped && !isRemoved }

    // MARK: - The observer

    /// Keeps the observer alive until `releaseObserver()`. Calls are counted.
    ///
    /// - returns: whether it lives. If not, nothing has to be released.
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

    /// Makes callbacks possible.
    ///
    /// - returns: whether the observer lives.
    fileprivate func loadObserver() -> Bool { fatalError("abstract") }
    fileprivate func unloadObserver() { fatalError("abstract") }

    /// Whether the observer lives.
    var isAlive: Bool { fatalError("abstract") }

    /// Lets go of the observer that the registration retains, for good.
    func forgetObserver() { fatalError("abstract") }

    /// Tells the observer, if it wants to know, that the connection is closed.
    func databaseDidClose() { fatalError("abstract") }

    /// Tells the observer, if it wants to know, that some changes have not stayed.
    func changesWereUndone(since ordinal: Int) { fatalError("abstract") }

    // MARK: - Callbacks, for observers that are retained

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
    /// Calls the closure with each registration. The array keeps them alive: none is counted for it.
    @inline(__always)
    func forEachUncounted(_ body: (TransactionObservation) throws -> Void) rethrows {
        for index in indices {
            try Unmanaged.passUnretained(self[index])._withUnsafeGuaranteedRef(body)
        }
    }
}

/// A registration that knows the type of its observer: a reference to a class type, unlike one to a
/// protocol, can be left uncounted.
final class TypedTransactionObservation<Observer: TransactionObserver>: TransactionObservation {
    private weak var weakObserver: Observer?

    /// The observer, while callbacks can reach it. Owned.
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
        // May free the observer, whose `deinit` may come here.
        former?.release()
    }

    override var isAlive: Bool { isStrong || weakObserver != nil }

    override func forgetObserver() {
        weakObserver = nil
        if isStrong {
            isStrong = false
            // Otherwise the callback that is running ends first.
            if retainCount == 0 { unloadObserver() }
        }
    }

    /// The observer, if it lives.
    private var observer: Observer? {
        isStrong ? loaded?.takeUnretainedValue() : weakObserver
    }

    override func changesWereUndone(since ordinal: Int) {
        (observer as? any UndoneChangesObserver)?.changesWereUndone(since: ordinal)
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
