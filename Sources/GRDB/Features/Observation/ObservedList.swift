/// A list that is being observed.
///
/// ```swift
/// let list = ListObservation
///     .tracking(Player.order(\.name))
///     .start(in: dbQueue) { error in
///         print("Could not fetch players: \(error)")
///     } onChange: { change in
///         print("\(change.elements.count) players")
///     }
///
/// // Shows other players.
/// list.setRequest(Player.order(\.score.desc))
/// ```
///
/// You get one from the `start` methods of ``ListObservation``. The observation ends when it is cancelled,
/// or deallocated. It can be used from any thread, except for ``refreshNow()``.
public final class ObservedList<Element: Sendable, Change: Sendable>: DatabaseCancellable {
    private let tracker: ListTracker<Element, Change>
    private let refreshLater: @Sendable () -> Void
    private let refreshAtOnce: @Sendable () throws -> Change?
    private let cancellable: AnyDatabaseCancellable

    init(
        _ tracker: ListTracker<Element, Change>, refresh: @escaping @Sendable () -> Void,
        refreshNow: @escaping @Sendable () throws -> Change?, cancel: @escaping @Sendable () -> Void
    ) {
        self.tracker = tracker
        refreshLater = refresh
        refreshAtOnce = refreshNow
        cancellable = AnyDatabaseCancellable(cancel: cancel)
    }

    /// The latest list that was delivered; empty before the first one.
    ///
    /// ```swift
    /// let player = list.elements[indexPath.row]
    /// ```
    public var elements: [Element] { tracker.elements }

    /// Ends the observation. Does nothing the second time.
    ///
    /// When it has returned on the thread or the serial queue of the scheduler, no closure of the
    /// observation is called any more.
    public func cancel() {
        cancellable.cancel()
    }

    // MARK: - Refreshing

    /// Fetches the list once more, later, and delivers what has changed, if anything.
    ///
    /// ```swift
    /// // After changes by another process, say
    /// list.refresh()
    /// ```
    ///
    /// The connection that writes fetches the list.
    public func refresh() {
        refreshLater()
    }

    /// Fetches the list once more, and returns what has changed since the latest list that was delivered.
    ///
    /// ```swift
    /// try dbQueue.write { db in
    ///     try Player(name: "Arthur").insert(db)
    /// }
    /// if let change = try list.refreshNow() {
    ///     // Arthur is in change.elements.
    /// }
    /// ```
    ///
    /// The closures are not called: changes that were on their way to them are a part of what this
    /// returns. To be called where they are called: on the main actor, or the queue of the scheduler.
    ///
    /// The connection that writes fetches the list. This waits for it.
    ///
    /// - returns: nil if nothing has changed.
    /// - throws: the error of the fetch, after which the observation goes on; or a ``DatabaseError`` of code
    ///   `SQLITE_MISUSE`, when the observation has ended, and inside of a transaction.
    public func refreshNow() throws -> Change? {
        try refreshAtOnce()
    }

    private func replace(_ request: ListRequest<Element>) {
        tracker.setRequest(request)
        refresh()
    }
}

extension ObservedList where Element: FetchableRecord & TableRecord {
    /// Observes another request from now on, and delivers the difference between both lists.
    ///
    /// ```swift
    /// // SELECT * FROM player WHERE name LIKE 'A%' ORDER BY name
    /// list.setRequest(Player.filter { $0.name.like("A%") }.order(\.name))
    /// ```
    ///
    /// Records are identified by their primary key. The new list is fetched later: call
    /// ``refreshNow()`` after this in order to have it at once. Lists of the former request that are
    /// already on their way may still be delivered before it.
    ///
    /// - parameter request: the new request.
    public func setRequest(_ request: some FetchRequest<Element> & Sendable) {
        replace(ListRequest(request))
    }
}

extension ObservedList where Element: FetchableRecord & Identifiable, Element.ID: Sendable {
    /// Observes another request from now on, and delivers the difference between both lists. Records
    /// are identified by their `id`.
    ///
    /// ```swift
    /// list.setRequest(SQLRequest<PlayerInfo>(sql: "SELECT * FROM playerInfo"))
    /// ```
    ///
    /// The new list is fetched later, see ``refreshNow()``.
    @_disfavoredOverload
    public func setRequest(_ request: some FetchRequest<Element> & Sendable) {
        replace(ListRequest(request, id: { $0.id }))
    }
}

extension ObservedList where Element: FetchableRecord {
    /// Observes another request from now on, and delivers the difference between both lists.
    ///
    /// ```swift
    /// // SELECT * FROM player WHERE score > 1000
    /// list.setRequest(Player.filter { $0.score > 1000 }, id: \.uuid)
    /// ```
    ///
    /// The new list is fetched later, see ``refreshNow()``.
    ///
    /// - parameter request: the new request.
    /// - parameter id: what identifies an element. It should be what the former request was observed
    ///   with: elements of other identities are others.
    public func setRequest(
        _ request: some FetchRequest<Element> & Sendable,
        id: @escaping @Sendable (Element) -> some Hashable & Sendable
    ) {
        replace(ListRequest(request, id: id))
    }
}

extension ObservedList where Element: Equatable {
    /// Observes what another closure fetches from now on, and delivers the difference between both
    /// lists.
    ///
    /// ```swift
    /// list.setFetch(id: { $0 }) { db in
    ///     // SELECT name FROM team
    ///     try String.fetchAll(db, Team.select(\.name))
    /// }
    /// ```
    ///
    /// The new list is fetched later, see ``refreshNow()``.
    ///
    /// - precondition: the observation was made with a closure, or the closure looks into the same tables,
    ///   columns and rows each time. Otherwise changes are missed.
    /// - parameter id: what identifies an element.
    /// - parameter fetch: fetches the elements.
    public func setFetch(
        id: @escaping @Sendable (Element) -> some Hashable & Sendable,
        _ fetch: @escaping @Sendable (Database) throws -> [Element]
    ) {
        replace(ListRequest(id: id, fetch))
    }
}
