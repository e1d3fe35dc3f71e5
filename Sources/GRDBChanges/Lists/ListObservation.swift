import GRDB

/// An observation that tracks a list of records, and delivers each new list with its differences
/// from the previous one.
///
/// ```swift
/// struct Player: Decodable, FetchableRecord, TableRecord {
///     var id: Int64
///     var name: String
///     var score: Int
/// }
///
/// // SELECT * FROM player ORDER BY name
/// let observation = ListObservation.tracking(Player.order(\.name))
///
/// let list = observation.start(in: dbQueue) { error in
///     print("Could not fetch players: \(error)")
/// } onChange: { change in
///     // Update a table view: see ListChange.
/// }
/// ```
///
/// Deletions, insertions, moves and updates are computed from the identity of the elements: the
/// primary key of their table, unless you specify another identity. See ``ListChange`` for the
/// delivered changes, and ``sections(by:)`` for lists in sections. The first change inserts all
/// elements. After that, transactions that don't change the list deliver nothing.
///
/// Lists are tracked, fetched and delivered like the values of a ``/GRDB/ValueObservation``, on the same
/// queues. They are compared on a queue of the observation.
///
/// ### Errors
///
/// When the list can't be fetched, or its elements have no unique identity (``ListIdentityError``),
/// the observation reports the error and continues. It fetches the list again after the next
/// transaction that may resolve the error. The next change is then the difference from the last
/// delivered list, and may be empty.
///
/// The observation also reports the errors that end it: the database is closed, or can't be
/// accessed.
///
/// - complexity: O(*n* log *n*) for each list of *n* elements, and O(*n*) when no element moves.
///   The observation keeps the elements and rows of one list in memory.
public struct ListObservation<Element: Sendable, Change: Sendable>: Sendable {
    let request: ListRequest<Element>

    /// Whether each fetch may read a different region.
    var isRegionVarying: Bool

    /// Whether a list is delivered even if it equals the previous one.
    var deliversAlways = false

    /// Fetches the values to deliver with the list, and returns a function that creates a change
    /// from two lists.
    let fetchChange: @Sendable (Database) throws -> @Sendable (ListMatching<Element>) -> Change

    private func delivering<Other>(
        _ fetchChange:
            @escaping @Sendable (Database) throws -> @Sendable (ListMatching<Element>) -> Other
    ) -> ListObservation<Element, Other> {
        ListObservation<Element, Other>(
            request: request, isRegionVarying: isRegionVarying, deliversAlways: deliversAlways,
            fetchChange: fetchChange)
    }
}

// MARK: - Creating

extension ListObservation where Change == ListChange<Element> {
    private init(_ request: ListRequest<Element>, isRegionVarying: Bool = false) {
        self.request = request
        self.isRegionVarying = isRegionVarying
        fetchChange = { _ in { ListChange($0) } }
    }

    /// Observes the records of a request, identified by the primary key of their table.
    ///
    /// ```swift
    /// // SELECT * FROM player ORDER BY score DESC
    /// let observation = ListObservation.tracking(Player.order(\.score.desc))
    /// ```
    ///
    /// - precondition: each fetch reads the same tables, columns and rows. This is true of requests
    ///   that depend on nothing but the database. Otherwise changes are missed: use
    ///   ``tracking(id:fetch:)``.
    /// - parameter request: a request for records. It must fetch the primary key.
    public static func tracking(
        _ request: some FetchRequest<Element> & Sendable
    ) -> Self where Element: FetchableRecord & TableRecord {
        Self(ListRequest(request))
    }

    /// Observes the records of a request, identified by their `id`.
    ///
    /// ```swift
    /// struct PlayerInfo: Decodable, FetchableRecord, Identifiable {
    ///     var id: Int64
    ///     var name: String
    ///     var teamName: String
    /// }
    ///
    /// let observation = ListObservation.tracking(
    ///     SQLRequest<PlayerInfo>(
    ///         sql: """
    ///             SELECT player.id, player.name, team.name AS teamName
    ///             FROM player JOIN team ON team.id = player.teamID
    ///             """))
    /// ```
    ///
    /// - parameter request: a request for records.
    @_disfavoredOverload
    public static func tracking(
        _ request: some FetchRequest<Element> & Sendable
    ) -> Self where Element: FetchableRecord & Identifiable, Element.ID: Sendable {
        Self(ListRequest(request, id: { $0.id }))
    }

    /// Observes the records of a request, with the given identity.
    ///
    /// ```swift
    /// // SELECT * FROM player
    /// let observation = ListObservation.tracking(Player.all(), id: \.uuid)
    /// ```
    ///
    /// - parameter request: a request for records.
    /// - parameter id: returns the identity of an element, which is the same in all lists. Called
    ///   during database accesses.
    public static func tracking(
        _ request: some FetchRequest<Element> & Sendable,
        id: @escaping @Sendable (Element) -> some Hashable & Sendable
    ) -> Self where Element: FetchableRecord {
        Self(ListRequest(request, id: id))
    }

    /// Observes the list that a closure fetches, and tracks the region that each call reads.
    ///
    /// ```swift
    /// let observation = ListObservation.tracking(id: \.id) { db in
    ///     // SELECT * FROM player
    ///     try Player.fetchAll(db).filter(\.isVisible)
    /// }
    /// ```
    ///
    /// The elements are compared as Swift values, so changes don't list columns. As with
    /// ``/GRDB/ValueObservation/tracking(_:)``, the writer connection fetches all lists but the first.
    ///
    /// - parameter id: returns the identity of an element, which is the same in all lists. Called
    ///   during database accesses.
    /// - parameter fetch: fetches the elements.
    public static func tracking(
        id: @escaping @Sendable (Element) -> some Hashable & Sendable,
        fetch: @escaping @Sendable (Database) throws -> [Element]
    ) -> Self where Element: Equatable {
        Self(ListRequest(id: id, fetch), isRegionVarying: true)
    }

    // MARK: - Transforming

    /// Divides the list into sections.
    ///
    /// ```swift
    /// // SELECT * FROM player ORDER BY team, name
    /// let observation = ListObservation
    ///     .tracking(Player.order(\.team, \.name))
    ///     .sections(by: \.team)
    /// ```
    ///
    /// Sections are ordered by their first element. The elements of a section need not be adjacent
    /// in the request.
    ///
    /// - parameter key: returns the key of the section that an element belongs to. It must depend
    ///   on nothing but the element. Called on a queue of the observation.
    public func sections<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Element) -> Key
    ) -> ListObservation<Element, SectionedListChange<Key, Element>> {
        delivering { _ in { SectionedListChange($0, key: key) } }
    }
}

extension ListObservation {
    /// Delivers another value with each list, fetched from the same state of the database.
    ///
    /// ```swift
    /// let list = ListObservation
    ///     .tracking(Player.order(\.score.desc).limit(10))
    ///     .fetchingAlongside { db in
    ///         // SELECT COUNT(*) FROM player
    ///         try Player.fetchCount(db)
    ///     }
    ///     .start(in: dbQueue) { error in
    ///         print("Could not fetch players: \(error)")
    ///     } onChange: { change, count in
    ///         print("The best \(change.elements.count) of \(count) players")
    ///     }
    /// ```
    ///
    /// The observation also tracks the region that the closure reads. It delivers a change after
    /// each fetch, which is empty if the list has not changed. The writer connection fetches all
    /// lists but the first.
    ///
    /// - parameter fetch: fetches the value. Its errors are reported like the errors of the list.
    public func fetchingAlongside<Value: Sendable>(
        _ fetch: @escaping @Sendable (Database) throws -> Value
    ) -> ListObservation<Element, (Change, Value)> {
        var observation = delivering { [fetchChange] db in
            let makeChange = try fetchChange(db)
            let value = try fetch(db)
            return { (makeChange($0), value) }
        }
        observation.isRegionVarying = true
        observation.deliversAlways = true
        return observation
    }
}
