/// Tracks a list of records, and delivers each new list together with what has changed since the last one.
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
/// Deletions, insertions, moves and updates are found by the identity of elements: the primary key of
/// their table, unless another identity is given. See ``ListChange`` for what is delivered, and
/// ``sections(by:)`` for lists in sections. The first change inserts all elements. After that,
/// transactions that leave the list as it is deliver nothing.
///
/// Lists are tracked, fetched and delivered like the values of a ``ValueObservation``: see there where
/// things happen. They are compared on a queue of the observation.
///
/// ### Errors
///
/// When the list can't be fetched, or its elements have no unique identity (``ListIdentityError``),
/// the error is reported, and the observation goes on. The next transaction has the list fetched
/// again, if it may help. The next change, which may be empty then, is the difference to the last
/// list that was delivered.
///
/// Errors that end the observation are reported as well: the database is closed, or can't be accessed.
///
/// - complexity: O(*n* log *n*) for each list of *n* elements, and O(*n*) when none of them moves. The
///   elements of one list, and their rows, are kept in memory.
public struct ListObservation<Element: Sendable, Change: Sendable>: Sendable {
    let request: ListRequest<Element>

    /// Whether each fetch may look into another region.
    var isRegionVarying: Bool

    /// Whether lists are delivered that are the same as those before.
    var deliversAlways = false

    /// Fetches what is delivered with the list, and returns what makes a change from two lists.
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
    /// - precondition: each fetch looks into the same tables, columns and rows, as requests do that don't
    ///   depend on something else than the database. Otherwise changes are missed: take
    ///   ``tracking(id:fetch:)``.
    /// - parameter request: a request of records. It must fetch the primary key.
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
    /// - parameter request: a request of records.
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
    /// - parameter request: a request of records.
    /// - parameter id: what identifies an element, in all lists. Called in accesses of the database.
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
    /// The elements are compared as Swift values: changes don't list columns. As with
    /// ``ValueObservation/tracking(_:)``, the connection that writes fetches all lists but the first.
    ///
    /// - parameter id: what identifies an element, in all lists. Called in accesses of the database.
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
    /// Sections come in the order of their first element. The elements of a section need not follow one
    /// another in the request.
    ///
    /// - parameter key: the key of the section that an element belongs to. It must depend on nothing but
    ///   the element. Called on a queue of the observation.
    public func sections<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Element) -> Key
    ) -> ListObservation<Element, SectionedListChange<Key, Element>> {
        delivering { _ in { SectionedListChange($0, key: key) } }
    }
}

extension ListObservation {
    /// Delivers with each list another value, fetched from the same state of the database.
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
    /// Whatever the closure looks into is tracked, too. A change is delivered after each fetch, empty
    /// if the list is what it was. The connection that writes fetches all lists but the first.
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
