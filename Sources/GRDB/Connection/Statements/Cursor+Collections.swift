// Initializers and methods of collections that consume cursors.

extension RangeReplaceableCollection {
    /// Creates a collection of the elements of a cursor.
    ///
    /// ```swift
    /// let names = try Array(String.fetchCursor(db, sql: "SELECT name FROM player"))
    /// ```
    ///
    /// - warning: don't create an array from a cursor of rows: all elements would be the same row.
    ///   Use `Row.fetchAll`, or copy each row.
    /// - throws: the error of the cursor.
    @inlinable
    public init(_ cursor: some Cursor<Element>) throws {
        self.init()
        try append(contentsOf: cursor)
    }

    /// Creates a collection of the elements of a cursor, with space for `minimumCapacity`
    /// elements.
    ///
    /// - throws: the error of the cursor.
    @inlinable
    public init(_ cursor: some Cursor<Element>, minimumCapacity: Int) throws {
        self.init()
        reserveCapacity(minimumCapacity)
        try append(contentsOf: cursor)
    }

    /// Appends the elements of a cursor. If the cursor throws an error, the elements before the
    /// error remain.
    ///
    /// - throws: the error of the cursor.
    @inlinable
    public mutating func append(contentsOf newElements: some Cursor<Element>) throws {
        try newElements._forEachOwned { append($0) }
    }
}

extension Dictionary {
    /// Creates a dictionary that groups the elements of a cursor by their keys.
    ///
    /// ```swift
    /// let players = try Player.fetchCursor(db)
    /// let playersByTeam = try Dictionary(grouping: players, by: { $0.teamID })
    /// ```
    ///
    /// - throws: the error of the cursor, or of the closure.
    @inlinable
    public init<C: Cursor>(
        grouping cursor: C,
        by keyForValue: (C.Element) throws -> Key
    ) throws where Value == [C.Element] {
        self.init()
        try group(cursor, by: keyForValue)
    }

    /// Creates a dictionary that groups the elements of a cursor by their keys, with space for
    /// `minimumCapacity` keys.
    ///
    /// - throws: the error of the cursor, or of the closure.
    @inlinable
    public init<C: Cursor>(
        minimumCapacity: Int,
        grouping cursor: C,
        by keyForValue: (C.Element) throws -> Key
    ) throws where Value == [C.Element] {
        self.init(minimumCapacity: minimumCapacity)
        try group(cursor, by: keyForValue)
    }

    @inlinable
    mutating func group<C: Cursor>(
        _ cursor: C,
        by keyForValue: (C.Element) throws -> Key
    ) throws where Value == [C.Element] {
        try cursor._forEachOwned { element in
            try self[keyForValue(element), default: []].append(element)
        }
    }

    /// Creates a dictionary of the keys and values of a cursor.
    ///
    /// ```swift
    /// let players = try Player.fetchCursor(db).map { ($0.id, $0) }
    /// let playerByID = try Dictionary(uniqueKeysWithValues: players)
    /// ```
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_ERROR` if a key occurs twice. The standard
    ///   library traps instead, but duplicate keys may depend on the database content.
    @inlinable
    public init(uniqueKeysWithValues keysAndValues: some Cursor<(Key, Value)>) throws {
        self.init()
        try insertUnique(keysAndValues)
    }

    /// Creates a dictionary of the keys and values of a cursor, with space for `minimumCapacity`
    /// keys.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_ERROR` if a key occurs twice.
    @inlinable
    public init(
        minimumCapacity: Int,
        uniqueKeysWithValues keysAndValues: some Cursor<(Key, Value)>
    ) throws {
        self.init(minimumCapacity: minimumCapacity)
        try insertUnique(keysAndValues)
    }

    @inlinable
    mutating func insertUnique(_ keysAndValues: some Cursor<(Key, Value)>) throws {
        try keysAndValues._forEachOwned { key, value in
            if updateValue(value, forKey: key) != nil {
                throw DatabaseError(message: "Duplicate key in cursor: \(key)")
            }
        }
    }
}

extension Set {
    /// Creates a set of the elements of a cursor.
    ///
    /// - throws: the error of the cursor.
    @inlinable
    public init(_ cursor: some Cursor<Element>) throws {
        self.init()
        try formUnion(cursor)
    }

    /// Creates a set of the elements of a cursor, with space for `minimumCapacity` elements.
    ///
    /// - throws: the error of the cursor.
    @inlinable
    public init(_ cursor: some Cursor<Element>, minimumCapacity: Int) throws {
        self.init(minimumCapacity: minimumCapacity)
        try formUnion(cursor)
    }

    /// Returns the elements of this set and of a cursor.
    ///
    /// - throws: the error of the cursor.
    @inlinable
    public func union(_ cursor: some Cursor<Element>) throws -> Set<Element> {
        var result = self
        try result.formUnion(cursor)
        return result
    }

    /// Inserts the elements of a cursor. If the cursor throws an error, the elements before the
    /// error remain.
    ///
    /// - throws: the error of the cursor.
    @inlinable
    public mutating func formUnion(_ cursor: some Cursor<Element>) throws {
        try cursor._forEachOwned { insert($0) }
    }

    /// Returns the elements of this set that a cursor also contains.
    ///
    /// - throws: the error of the cursor.
    @inlinable
    public func intersection(_ cursor: some Cursor<Element>) throws -> Set<Element> {
        var result = Set()
        try cursor.forEach { element in
            if let index = firstIndex(of: element) {
                // Equal elements may still differ: like the standard library, keep the elements of
                // the set.
                result.insert(self[index])
            }
        }
        return result
    }

    /// Removes the elements that a cursor does not contain. If the cursor throws an error, nothing
    /// changes.
    ///
    /// - throws: the error of the cursor.
    @inlinable
    public mutating func formIntersection(_ cursor: some Cursor<Element>) throws {
        self = try intersection(cursor)
    }
}
