import GRDB

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
/// The `start` methods of ``ListObservation`` return one. The observation ends when the list is
/// cancelled or deallocated. All methods but ``refreshNow()`` can be called from any thread.
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

    /// Ends the observation. Later calls do nothing.
    ///
    /// If called on the thread or the serial queue of the scheduler, no closure of the observation
    /// is called after this method returns.
    public func cancel() {
        cancellable.cancel()
    }

    // MARK: - Refreshing

    /// Schedules another fetch of the list, and delivers the changes, if any.
    ///
    /// ```swift
    /// // For example, after changes by another process
    /// list.refresh()
    /// ```
    ///
    /// The writer connection fetches the list.
    public func refresh() {
        refreshLater()
    }

    /// Fetches the list again, and returns the changes since the last delivered list.
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
    /// The closures of the observation are not called. The returned change includes the pending
    /// changes that were not delivered yet. Call this method where the closures are called: on the
    /// main actor, or on the queue of the scheduler.
    ///
    /// The writer connection fetches the list. This method waits for it.
    ///
    /// - returns: nil if nothing has changed.
    /// - throws: the error of the fetch, which does not end the observation; or a ``/GRDB/DatabaseError``
    ///   of code `SQLITE_MISUSE` if the observation has ended, or inside a transaction.
    public func refreshNow() throws -> Change? {
        try refreshAtOnce()
    }

    private func replace(_ request: ListRequest<Element>) {
        tracker.setRequest(request)
        refresh()
    }
}

extension ObservedList where Element: FetchableRecord & TableRecord {
    /// Replaces the observed request, and delivers the difference between both lists.
    ///
    /// ```swift
    /// // SELECT * FROM player WHERE name LIKE 'A%' ORDER BY name
    /// list.setRequest(Player.filter { $0.name.like("A%") }.order(\.name))
    /// ```
    ///
    /// Records are identified by their primary key. The new list is fetched later. Call
    /// ``refreshNow()`` after this method to get it immediately. Pending lists of the former
    /// request may still be delivered before the new list.
    ///
    /// - parameter request: the new request.
    public func setRequest(_ request: some FetchRequest<Element> & Sendable) {
        replace(ListRequest(request))
    }
}

extension ObservedList where Element: FetchableRecord & Identifiable, Element.ID: Sendable {
    /// Replaces the observed request, and delivers the difference between both lists. Records are
    /// identified by their `id`.
    ///
    /// ```swift
    /// list.setRequest(SQLRequest<PlayerInfo>(sql: "SELECT * FROM playerInfo"))
    /// ```
    ///
    /// The new list is fetched later: see ``refreshNow()``.
    @_disfavoredOverload
    public func setRequest(_ request: some FetchRequest<Element> & Sendable) {
        replace(ListRequest(request, id: { $0.id }))
    }
}

extension ObservedList where Element: FetchableRecord {
    /// Replaces the observed request, and delivers the difference between both lists.
    ///
    /// ```swift
    /// // SELECT * FROM player WHERE score > 1000
    /// list.setRequest(Player.filter { $0.score > 1000 }, id: \.uuid)
    /// ```
    ///
    /// The new list is fetched later: see ``refreshNow()``.
    ///
    /// - parameter request: the new request.
    /// - parameter id: returns the identity of an element. Use the same identity as for the former
    ///   request. Otherwise, elements that remain in the list are deleted and inserted again.
    public func setRequest(
        _ request: some FetchRequest<Element> & Sendable,
        id: @escaping @Sendable (Element) -> some Hashable & Sendable
    ) {
        replace(ListRequest(request, id: id))
    }
}

extension ObservedList where Element: Equatable {
    /// Replaces the closure that fetches the list, and delivers the difference between both lists.
    ///
    /// ```swift
    /// list.setFetch(id: { $0 }) { db in
    ///     // SELECT name FROM team
    ///     try String.fetchAll(db, Team.select(\.name))
    /// }
    /// ```
    ///
    /// The new list is fetched later: see ``refreshNow()``.
    ///
    /// - precondition: the observation was created with a closure, or the closure reads the same
    ///   tables, columns and rows each time. Otherwise changes are missed.
    /// - parameter id: returns the identity of an element.
    /// - parameter fetch: fetches the elements.
    public func setFetch(
        id: @escaping @Sendable (Element) -> some Hashable & Sendable,
        _ fetch: @escaping @Sendable (Database) throws -> [Element]
    ) {
        replace(ListRequest(id: id, fetch))
    }
}
