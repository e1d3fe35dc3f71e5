// Fetching records from their table.

// MARK: - All records

extension FetchableRecord where Self: TableRecord {
    /// Returns a cursor over all records.
    ///
    /// ```swift
    /// // SELECT * FROM "player"
    /// let players = try Player.fetchCursor(db)
    /// ```
    public static func fetchCursor(_ db: Database) throws -> RecordCursor<Self> {
        try all().fetchCursor(db)
    }

    /// Returns all records.
    ///
    /// ```swift
    /// // SELECT * FROM "player"
    /// let players = try Player.fetchAll(db)
    /// ```
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
    public static func fetchOne(_ db: Database) throws -> Self? {
        try all().fetchOne(db)
    }
}

extension FetchableRecord where Self: TableRecord & Hashable {
    /// Returns the set of all records.
    public static func fetchSet(_ db: Database) throws -> Set<Self> {
        try all().fetchSet(db)
    }
}

// MARK: - Primary keys

extension FetchableRecord where Self: TableRecord {
    /// Returns a cursor over records identified by their primary keys, in no particular order.
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

    /// Returns records identified by their primary keys, in no particular order.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// let players = try Player.fetchAll(db, keys: [1, 2, 3])
    /// ```
    @inlinable
    public static func fetchAll(
        _ db: Database, keys: some Collection<some DatabaseValueConvertible>
    ) throws -> [Self] {
        if keys.isEmpty { return [] }
        return try Array(fetchCursor(db, keys: keys))
    }

    /// Returns the record identified by a primary key, nil if there is none.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" = 1
    /// let player = try Player.fetchOne(db, key: 1)
    /// ```
    ///
    /// - throws: a ``DatabaseError``, of code `SQLITE_MISUSE` if the primary key has several
    ///   columns.
    public static func fetchOne(
        _ db: Database, key: some DatabaseValueConvertible
    ) throws -> Self? {
        // A request knows the row that it reads.
        if db.isRecordingRegion { return try filter(key: key).fetchOne(db) }
        if let (plans, version) = try db.unverifiedRecordPlans(for: Self.self),
            let lookup = plans.keyLookup, !lookup.isInUse,
            lookup.selects(databaseSelection, { nil })
        {
            let dbValue = try keyValue(key, column: plans.primaryKey.columns[0])
            if !dbValue.isNull {
                switch try lookup.begin(dbValue, ifSchemaVersionIs: version) {
                case .row: return try lookup.endWithRecord(Self.self)
                case .noRow: return nil
                case .outdated: break
                }
            }
        }
        let plans = try db.recordPlans(for: Self.self)
        guard let lookup = plans.keyLookup, !lookup.isInUse else {
            return try fetchOne(db, key: key, plans)
        }
        let isCurrent = try lookup.selects(databaseSelection) {
            try keyLookupQuery(plans.primaryKey.columns[0]).build(db).sql
        }
        if !isCurrent {
            plans.keyLookup = nil
            return try fetchOne(db, key: key, plans)
        }
        let dbValue = try keyValue(key, column: plans.primaryKey.columns[0])
        if try dbValue.isNull || !lookup.begin(dbValue) { return nil }
        return try lookup.endWithRecord(Self.self)
    }

    /// Fetches the record, and makes the lookup that does it the next time.
    ///
    /// A function of its own, because a function looks up all generic types that it may need as
    /// soon as it begins.
    @inline(never)
    private static func fetchOne(
        _ db: Database, key: some DatabaseValueConvertible, _ plans: RecordPlans
    ) throws -> Self? {
        if plans.keyLookup == nil {
            let column = try plans.singleKeyColumn()
            let dbValue = try keyValue(key, column: column)
            if dbValue.isNull { return nil }
            let (sql, arguments) = try keyLookupQuery(column).build(db)
            if arguments.isEmpty,
                let (statement, _) = try db.compile(sql, from: 0, persistent: true)
            {
                let lookup = KeyLookup(statement: statement, selection: databaseSelection)
                plans.keyLookup = lookup
                return try lookup.begin(dbValue) ? lookup.endWithRecord(Self.self) : nil
            }
        }
        return try filter(key: key).fetchOne(db)
    }

    /// `SELECT * FROM "player" WHERE "id" = ?`
    private static func keyLookupQuery(_ column: String) -> SelectQuery {
        SelectQuery(relation: all().filter(SQLExpression(KeyParameter(column: column))).relation)
    }

    /// Fetches the record of a primary key, which must exist.
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
    /// Returns the set of records identified by their primary keys.
    public static func fetchSet(
        _ db: Database, keys: some Collection<some DatabaseValueConvertible>
    ) throws -> Set<Self> {
        try Set(fetchCursor(db, keys: keys))
    }
}

// Generic functions look up the metadata of each generic type that they handle, at every call. So
// nothing here is generic but the one function that makes a record.
extension KeyLookup {
    /// Where a lookup has led: the result, or that it was made for another version of the schema.
    enum Outcome {
        case row
        case noRow
        case outdated
    }

    /// Looks for the row of a key.
    ///
    /// - returns: whether there is one: ``endWithRecord(_:)`` must then be called.
    func begin(_ key: DatabaseValue) throws -> Bool {
        try begin(key, ifSchemaVersionIs: nil) == .row
    }

    /// Looks for the row of a key, outside of a transaction if a version is given. The version of the
    /// schema is asked for when the statement already reads, so that SQLite locks the file once.
    ///
    /// - returns: `.row` if there is one: ``endWithRecord(_:)`` must then be called.
    func begin(_ key: DatabaseValue, ifSchemaVersionIs version: Int32?) throws -> Outcome {
        isInUse = true
        do {
            cursorID = try beginCursor(key)
        } catch {
            isInUse = false
            throw error
        }
        do {
            let hasRow: Bool
            do {
                hasRow = try statement.step()
            } catch {
                // The table may be another one, or be gone.
                if try isCurrent(version, isOnRow: false) { throw error }
                end()
                return .outdated
            }
            let isCurrent = try isCurrent(version, isOnRow: hasRow)
            if hasRow && isCurrent { return .row }
            end()
            return isCurrent ? .noRow : .outdated
        } catch {
            end()
            throw error
        }
    }

    private func isCurrent(_ version: Int32?, isOnRow: Bool) throws -> Bool {
        guard let version else { return true }
        return try statement.database.mainSchemaVersion(isOnRow: isOnRow) == version
    }

    private func end() {
        statement.endCursor(cursorID)
        isInUse = false
    }

    /// Makes the record of the row that was found.
    func endWithRecord<Record: FetchableRecord>(_ type: Record.Type) throws -> Record {
        defer { end() }
        return try record(type)
    }

    /// Binds the key, and prepares the first step.
    private func beginCursor(_ key: DatabaseValue) throws -> Int {
        if statement.database.configuration.publicStatementArguments {
            // Errors show the arguments of a statement that was given some.
            try statement.setArguments(StatementArguments(values: [key], namedValues: [:]))
        } else {
            try statement.willBind()
            let code = key.bind(to: statement.sqliteStatement, at: 1)
            if code != RawStatement.ok { throw statement.bindingError(code) }
            try statement.didBind(1)
        }
        return try statement.beginCursor()
    }

    /// Decodes the row that the statement is on.
    private func record<Record: FetchableRecord>(_ type: Record.Type) throws -> Record {
        let row = row ?? Row(statement: statement)
        self.row = row
        row.statementDidStep()
        if row.decodingCache != nil, !(strategies?.areCurrent(for: type) ?? true) {
            row.decodingCache = nil
            strategies = nil
        }
        let record: Record
        do {
            record = try Record(row: row)
        } catch {
            throw statement.decodingError(error)
        }
        try statement.checkMemory()
        if row.decodingCache != nil {
            row.noteStrategies(of: type, in: &strategies)
        }
        return record
    }
}

// MARK: - Ids

extension FetchableRecord where Self: TableRecord & Identifiable, ID: DatabaseValueConvertible {
    /// Fetches the records of these primary keys one by one, in no particular order.
    public static func fetchCursor(
        _ db: Database, ids: some Collection<ID>
    ) throws -> RecordCursor<Self> {
        try fetchCursor(db, keys: ids)
    }

    /// Returns records identified by their primary keys.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" IN (1, 2, 3)
    /// let players = try Player.fetchAll(db, ids: [1, 2, 3])
    /// ```
    @inlinable
    public static func fetchAll(_ db: Database, ids: some Collection<ID>) throws -> [Self] {
        try fetchAll(db, keys: ids)
    }

    /// Returns the record identified by a primary key, nil if there is none.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "id" = 1
    /// let player = try Player.fetchOne(db, id: 1)
    /// ```
    public static func fetchOne(_ db: Database, id: ID) throws -> Self? {
        try fetchOne(db, key: id)
    }

    /// Fetches the record of a primary key, which must exist.
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
    /// Returns the set of records identified by their primary keys.
    public static func fetchSet(_ db: Database, ids: some Collection<ID>) throws -> Set<Self> {
        try fetchSet(db, keys: ids)
    }
}

// MARK: - Unique keys

extension FetchableRecord where Self: TableRecord {
    /// Returns a cursor over records identified by unique keys.
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
    public static func fetchAll(
        _ db: Database, keys: [[String: (any DatabaseValueConvertible)?]]
    ) throws -> [Self] {
        if keys.isEmpty { return [] }
        return try filter(keys: keys).fetchAll(db)
    }

    /// Returns the record identified by a unique key, nil if there is none.
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

    /// Returns the record identified by a unique key.
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
    /// - throws: as ``refetch(_:)``.
    public func refetched(_ db: Database) throws -> Self {
        let plans = try db.recordPlans(for: type(of: self))
        let key = try plans.key(in: encodedContainer())
        guard !key.allSatisfy(\.isNull) else { throw plans.recordNotFound(key) }
        let condition = zip(plans.primaryKey.columns, key).map { Column($0) == $1 }
            .joined(operator: .and)
        guard let record = try type(of: self).filter(condition).fetchOne(db) else {
            throw plans.recordNotFound(key)
        }
        return record
    }
}
