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

    /// The next registration of the same observer, in the order of registration.
    var nextOfSameObserver: TransactionObservation?

    /// Whether changes are not notified until the current transaction ends.
    @exclusivity(unchecked)
    final var isStopped = false

    /// Whether the observer is not to be told of anything any more.
    @exclusivity(unchecked)
    final var isRemoved = false

    /// Whether the observer was told of a row change, or asked for its consent, since the last
    /// transaction.
    @exclusivity(unchecked)
    final var wasTold = false

    /// Whether the observer wants to know what a row is before it changes: the default
    /// implementation of the callback says no when it is called for the first time.
    @exclusivity(unchecked)
    final var wantsPreUpdates = true

    fileprivate init(
        extent: Database.TransactionObservationExtent, observerID: ObjectIdentifier
    ) {
        self.extent = extent
        self.observerID = observerID
    }

    /// Whether changes are notified now.
    @inline(__always)
    final var isListening: Bool { !isStopped && !isRemoved }

    // MARK: - The observer

    /// Keeps the observer alive until `releaseObserver()`. Calls are counted.
    ///
    /// - returns: whether it lives. If not, nothing has to be released.
    func retainObserver() -> Bool { fatalError("abstract") }
    func releaseObserver() { fatalError("abstract") }

    /// Whether the observer lives.
    var isAlive: Bool { fatalError("abstract") }

    /// Lets go of the observer that the registration retains, for good.
    func forgetObserver() { fatalError("abstract") }

    /// Tells the observer, if it wants to know, that the connection is closed.
    func databaseDidClose() { fatalError("abstract") }

    /// Tells the observer, if it wants to know, that some changes have not stayed.
    func changesWereUndone(since ordinal: Int) { fatalError("abstract") }

    // MARK: - Callbacks, for observers that are retained

    func observes(_ kind: DatabaseEventKind) -> Bool { fatalError("abstract") }
    func databaseDidChange() { fatalError("abstract") }
    func databaseDidChange(with event: DatabaseEvent) { fatalError("abstract") }
    func databaseWillChange(with event: DatabasePreUpdateEvent) { fatalError("abstract") }
    func databaseWillCommit() throws { fatalError("abstract") }
    func databaseDidCommit(_ db: Database) { fatalError("abstract") }
    func databaseDidRollback(_ db: Database) { fatalError("abstract") }
}

/// A registration that knows the type of its observer: a reference to a class type, unlike one to a
/// protocol, can be left uncounted.
final class TypedTransactionObservation<Observer: TransactionObserver>: TransactionObservation {
    private weak var weakObserver: Observer?
    private var strongObserver: Observer?

    /// The observer, while it is retained.
    @exclusivity(unchecked)
    private var retained: Unmanaged<Observer>?
    @exclusivity(unchecked)
    private var retainCount = 0

    init(observer: Observer, extent: Database.TransactionObservationExtent) {
        super.init(extent: extent, observerID: ObjectIdentifier(observer))
        if extent == .observerLifetime {
            weakObserver = observer
        } else {
            strongObserver = observer
        }
    }

    override func retainObserver() -> Bool {
        if retainCount == 0 {
            guard let observer = strongObserver ?? weakObserver else { return false }
            retained = .passRetained(observer)
        }
        retainCount += 1
        return true
    }

    override func releaseObserver() {
        retainCount -= 1
        if retainCount == 0 {
            let former = retained
            retained = nil
            // May free the observer, whose `deinit` may come here.
            former?.release()
        }
    }

    override var isAlive: Bool { strongObserver != nil || weakObserver != nil }

    override func forgetObserver() {
        let former = strongObserver
        strongObserver = nil
        weakObserver = nil
        withExtendedLifetime(former) {}
    }

    override func changesWereUndone(since ordinal: Int) {
        let observer = strongObserver ?? weakObserver
        (observer as? any UndoneChangesObserver)?.changesWereUndone(since: ordinal)
    }

    override func databaseDidClose() {
        let observer = strongObserver ?? weakObserver
        (observer as? any DatabaseClosingObserver)?.databaseDidClose()
    }

    @inline(__always)
    private func withObserver<Result>(_ body: (Observer) throws -> Result) rethrows -> Result {
        try retained.unsafelyUnwrapped._withUnsafeGuaranteedRef(body)
    }

    override func observes(_ kind: DatabaseEventKind) -> Bool {
        withObserver { $0.observes(eventsOfKind: kind) }
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
