// Fetching records from their table.

// MARK: - All records

extension FetchableRecord where Self: TableRecord {
    /// Fetches the records of the table one at a time.
    ///
    /// ```swift
    /// // SELECT * FROM "player"
    /// let players = try Player.fetchCursor(db)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if the table or a selected column does
    ///   not exist. The cursor throws the errors of ``FetchableRecord/init(row:)``.
    public static func fetchCursor(_ db: Database) throws -> RecordCursor<Self> {
        try all().fetchCursor(db)
    }

    /// Returns all records.
    ///
    /// ```swift
    /// // SELECT * FROM "player"
    /// let players = try Player.fetchAll(db)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if the table or a selected column does
    ///   not exist; or the error of ``FetchableRecord/init(row:)``.
    @inlinable
    public static func fetchAll(_ db: Database) throws -> [Self] {
        try Array(fetchCursor(db))
    }

    /// Returns a record, nil if there is none.
    ///
    /// ```swift
    /// // SELECT * FROM "player" LIMIT 1
    /// let player = try Player.fetchOne(db)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if the table or a selected column does
    ///   not exist; or the error of ``FetchableRecord/init(row:)``.
    public static func fetchOne(_ db: Database) throws -> Self? {
        try all().fetchOne(db)
    }
}

extension FetchableRecord where Self: TableRecord & Hashable {
    /// Returns the set of all records.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_ERROR` if the table or a selected column does
    ///   not exist; or the error of ``FetchableRecord/init(row:)``.
    public static func fetchSet(_ db: Database) throws -> Set<Self> {
        try all().fetchSet(db)
    }
}

// MARK: - Primary keys

extension FetchableRecord where Self: TableRecord {
    /// Fetches the records with the given primary keys one at a time, in no particular order.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// let players = try Player.fetchCursor(db, keys: [1, 2, 3])
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the primary key has several
    ///   columns.
    public static func fetchCursor(
        _ db: Database, keys: some Collection<some DatabaseValueConvertible>
    ) throws -> RecordCursor<Self> {
        try filter(keys: keys).fetchCursor(db)
    }

    /// Fetches the records with the given primary keys, in no particular order.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// let players = try Player.fetchAll(db, keys: [1, 2, 3])
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the primary key has several
    ///   columns; or the error of ``FetchableRecord/init(row:)``.
    @inlinable
    public static func fetchAll(
        _ db: Database, keys: some Collection<some DatabaseValueConvertible>
    ) throws -> [Self] {
        if keys.isEmpty { return [] }
        return try Array(fetchCursor(db, keys: keys))
    }

    /// Fetches the record with a primary key; nil if there is no such row.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" = 1
    /// let player = try Player.fetchOne(db, key: 1)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the primary key has several
    ///   columns, or of code `SQLITE_MISMATCH` if the key is a blob and the primary key an integer.
    public static func fetchOne(
        _ db: Database, key: some DatabaseValueConvertible
    ) throws -> Self? {
        // Fetch with a request while a region is recorded: a request reports the row that it reads.
        if db.isRecordingRegion { return try filter(key: key).fetchOne(db) }
        if let (plans, version) = try db.unverifiedRecordPlans(for: Self.self),
            let lookup = plans.keyLookup, !lookup.isInUse,
            lookup.selects(databaseSelection, { nil })
        {
            let dbValue = try keyValue(key, column: plans.primaryKey.columns[0])
            if !dbValue.isNull {
                switch try lookup.begin(dbValue, ifSchemaVersionIs: version) {
                case .row: return try lookup.endWithRecord(Self.self)
                case .noRow:
                    try plans.checkKey(dbValue)
                    return nil
                case .outdated: break
                }
            }
        }
        let plans = try db.recordPlans(for: Self.self)
        guard let lookup = try keyLookup(db, plans) else {
            return try filter(key: key).fetchOne(db)
        }
        let dbValue = try keyValue(key, column: plans.primaryKey.columns[0])
        if try dbValue.isNull || lookup.begin(dbValue) != .row {
            try plans.checkKey(dbValue)
            return nil
        }
        return try lookup.endWithRecord(Self.self)
    }

    /// The lookup for the current selection of the record type; nil if it is in use, or if the selection has
    /// arguments.
    @inline(__always)
    private static func keyLookup(_ db: Database, _ plans: RecordPlans) throws -> KeyLookup? {
        guard let lookup = plans.keyLookup else { return try makeKeyLookup(db, plans) }
        if lookup.isInUse { return nil }
        let isCurrent = try lookup.selects(databaseSelection) {
            try keyLookupQuery(plans.primaryKey.columns[0]).build(db).sql
        }
        return isCurrent ? lookup : try makeKeyLookup(db, plans)
    }

    /// Creates the lookup for this call and the next ones.
    ///
    /// A separate function, because a function looks up the metadata of all generic types that it
    /// may need as soon as it starts.
    @inline(never)
    private static func makeKeyLookup(_ db: Database, _ plans: RecordPlans) throws -> KeyLookup? {
        let (sql, arguments) = try keyLookupQuery(plans.singleKeyColumn()).build(db)
        guard arguments.isEmpty, let (statement, _) = try db.compile(sql, from: 0, persistent: true)
        else { return nil }
        let lookup = KeyLookup(statement: statement, selection: databaseSelection)
        plans.keyLookup = lookup
        return lookup
    }

    /// `SELECT * FROM "player" WHERE "id" = ?`
    private static func keyLookupQuery(_ column: String) -> SelectQuery {
        SelectQuery(relation: all().filter(SQLExpression(KeyParameter(column: column))).relation)
    }

    /// Fetches the record with a primary key, which must exist.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" = 1
    /// let player = try Player.find(db, key: 1)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, ``RecordError/recordNotFound(databaseTableName:key:)`` if
    ///   there is no such record, or the error of ``FetchableRecord/init(row:)``.
    public static func find(_ db: Database, key: some DatabaseValueConvertible) throws -> Self {
        guard let record = try fetchOne(db, key: key) else {
            throw recordNotFound(db, key: key)
        }
        return record
    }
}

extension FetchableRecord where Self: TableRecord & Hashable {
    /// Fetches the records with the given primary keys into a set.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the primary key has several
    ///   columns; or the error of ``FetchableRecord/init(row:)``.
    public static func fetchSet(
        _ db: Database, keys: some Collection<some DatabaseValueConvertible>
    ) throws -> Set<Self> {
        try Set(fetchCursor(db, keys: keys))
    }
}

// MARK: - Ids

extension FetchableRecord where Self: TableRecord & Identifiable, ID: DatabaseValueConvertible {
    /// Returns a cursor that fetches the records with these primary keys, in no particular order.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the primary key has several
    ///   columns. The cursor throws the errors of ``FetchableRecord/init(row:)``.
    public static func fetchCursor(
        _ db: Database, ids: some Collection<ID>
    ) throws -> RecordCursor<Self> {
        try fetchCursor(db, keys: ids)
    }

    /// Fetches the records with the given primary keys.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// let players = try Player.fetchAll(db, ids: [1, 2, 3])
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the primary key has several
    ///   columns; or the error of ``FetchableRecord/init(row:)``.
    @inlinable
    public static func fetchAll(_ db: Database, ids: some Collection<ID>) throws -> [Self] {
        try fetchAll(db, keys: ids)
    }

    /// Fetches the record with a primary key; nil if there is no such row.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" = 1
    /// let player = try Player.fetchOne(db, id: 1)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the primary key has several
    ///   columns; or the error of ``FetchableRecord/init(row:)``.
    public static func fetchOne(_ db: Database, id: ID) throws -> Self? {
        try fetchOne(db, key: id)
    }

    /// Fetches the record with a primary key, which must exist.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" = 1
    /// let player = try Player.find(db, id: 1)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, ``RecordError/recordNotFound(databaseTableName:key:)`` if
    ///   there is no such record, or the error of ``FetchableRecord/init(row:)``.
    public static func find(_ db: Database, id: ID) throws -> Self {
        try find(db, key: id)
    }
}

extension FetchableRecord
where Self: TableRecord & Hashable & Identifiable, ID: DatabaseValueConvertible {
    /// Fetches the records with the given primary keys into a set.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the primary key has several
    ///   columns; or the error of ``FetchableRecord/init(row:)``.
    public static func fetchSet(_ db: Database, ids: some Collection<ID>) throws -> Set<Self> {
        try fetchSet(db, keys: ids)
    }
}

// MARK: - Unique keys

extension FetchableRecord where Self: TableRecord {
    /// Fetches the records with the given unique keys one at a time.
    ///
    /// ```swift
    /// let citizenships = try Citizenship.fetchCursor(
    ///     db, keys: [["citizenId": 1, "countryCode": "FR"]])
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if there is no such unique key.
    public static func fetchCursor(
        _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
    ) throws -> RecordCursor<Self> {
        try filter(keys: keys).fetchCursor(db)
    }

    /// Returns records identified by unique keys.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if there is no such unique key; or
    ///   the error of ``FetchableRecord/init(row:)``.
    public static func fetchAll(
        _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
    ) throws -> [Self] {
        if keys.isEmpty { return [] }
        return try filter(keys: keys).fetchAll(db)
    }

    /// Fetches the record with a unique key; nil if there is no such row.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "email" = 'arthur@example.com'
    /// let player = try Player.fetchOne(db, key: ["email": "arthur@example.com"])
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if there is no such unique key.
    public static func fetchOne(
        _ db: Database, key: [String: (any DatabaseValueConvertible)?]?
    ) throws -> Self? {
        guard let key else { return nil }
        return try filter(key: key).fetchOne(db)
    }

    /// Fetches the record with a unique key, and throws an error if there is no such row.
    ///
    /// - throws: a ``DatabaseError``, ``RecordError/recordNotFound(databaseTableName:key:)`` if
    ///   there is no such record, or the error of ``FetchableRecord/init(row:)``.
    public static func find(
        _ db: Database, key: [String: (any DatabaseValueConvertible)?]
    ) throws -> Self {
        guard let record = try fetchOne(db, key: key) else { throw recordNotFound(key: key) }
        return record
    }
}

extension FetchableRecord where Self: TableRecord & Hashable {
    /// Returns the set of records identified by unique keys.
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if there is no such unique key; or
    ///   the error of ``FetchableRecord/init(row:)``.
    public static func fetchSet(
        _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
    ) throws -> Set<Self> {
        try Set(fetchCursor(db, keys: keys))
    }
}

// MARK: - Refetching

extension FetchableRecord where Self: MutablePersistableRecord {
    /// Replaces the record with the row that has its primary key.
    ///
    /// ```swift
    /// try player.refetch(db)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, ``RecordError/recordNotFound(databaseTableName:key:)`` if
    ///   there is no such row, or the error of ``FetchableRecord/init(row:)``. The record is then
    ///   unchanged.
    public mutating func refetch(_ db: Database) throws {
        self = try refetched(db)
    }

    /// Returns a record built from the row that has the primary key of this one.
    ///
    /// - throws: the errors of ``refetch(_:)``.
    public func refetched(_ db: Database) throws -> Self {
        let plans = try db.recordPlans(for: type(of: self))
        let key = try plans.key(in: encodedContainer())
        guard !key.allSatisfy(\.isNull) else { throw plans.recordNotFound(key) }
        let condition = rowCondition(plans.primaryKey.columns, key)
        guard let record = try type(of: self).filter(condition).fetchOne(db) else {
            throw plans.recordNotFound(key)
        }
        return record
    }
}
