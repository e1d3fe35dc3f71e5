// The insertion of many records.

extension MutablePersistableRecord {
    /// Inserts records, several with each `INSERT` statement.
    ///
    /// ```swift
    /// var players = [Player(id: nil, name: "Arthur"), Player(id: nil, name: "Barbara")]
    /// // INSERT INTO "player" ("id", "name") VALUES (NULL,'Arthur'), (NULL,'Barbara')
    /// // RETURNING "rowid"
    /// try Player.insertMany(db, &players)
    /// print(players[1].id) // Some id that is not nil
    /// ```
    ///
    /// All callbacks of each record are called. The `will` callbacks of several records come before
    /// the statement, and the `around` callbacks of a record are around those of the next one.
    ///
    /// With the conflict resolution `.ignore`, each record has a statement of its own.
    ///
    /// Use a transaction if all records, or none, must be inserted.
    ///
    /// - throws: a ``DatabaseError``, or the error of a callback or of `encode(to:)`. The records
    ///   of former statements are inserted.
    public static func insertMany(
        _ db: Database, _ records: inout [Self],
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        try insertBatches(
            db, &records, conflictResolution, selection: [], decode: { _ in })
    }

    /// Inserts records, several with each `INSERT RETURNING` statement, and returns records built
    /// from the inserted rows.
    ///
    /// ```swift
    /// // INSERT INTO "player" ("name") VALUES ('Arthur'), ('Barbara') RETURNING *, "rowid"
    /// var partialPlayers = [PartialPlayer(name: "Arthur"), PartialPlayer(name: "Barbara")]
    /// let players = try PartialPlayer.insertManyAndFetch(db, &partialPlayers, as: Player.self)
    /// ```
    ///
    /// - returns: one record for each inserted one, in the same order.
    /// - throws: as ``insertMany(_:_:onConflict:)``, and
    ///   ``RecordError/recordNotFound(databaseTableName:key:)`` if a conflict was ignored, or the
    ///   error of `init(row:)`.
    public static func insertManyAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, _ records: inout [Self],
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        as returnedType: T.Type
    ) throws -> [T] {
        try insertBatches(
            db, &records, conflictResolution, selection: T.sqlSelection,
            decode: { try T(row: $0) })
    }

    @discardableResult
    static func insertBatches<Value>(
        _ db: Database, _ records: inout [Self],
        _ conflictResolution: Database.ConflictResolution?,
        selection: [SQLSelection], decode: (Row) throws -> Value
    ) throws -> [Value] {
        let plans = try db.recordPlans(for: Self.self)
        let conflictResolution =
            conflictResolution ?? Self.persistenceConflictPolicy.conflictResolutionForInsert
        // An ignored record has no row: there would be no telling which one it is. Callbacks nest:
        // more records would need a deep stack, and are hardly faster.
        let parameterLimit = db.maximumStatementArgumentCount / max(1, plans.columns.count)
        let size = conflictResolution == .ignore ? 1 : max(1, min(64, parameterLimit))
        var values: [Value] = []
        values.reserveCapacity(records.count)
        var start = 0
        while start < records.count {
            let end = min(start + size, records.count)
            var batch = BatchInsertion<Self, Value>(
                plans: plans, conflictResolution: conflictResolution, selection: selection)
            try batch.insert(db, &records, from: start, to: end, decode)
            values += batch.values
            start = end
        }
        return values
    }
}

extension PersistableRecord {
    /// Inserts records, several with each `INSERT` statement.
    ///
    /// ```swift
    /// // INSERT INTO "country" ("code", "name") VALUES ('FR','France'), ('IT','Italy')
    /// // RETURNING "rowid"
    /// try Country.insertMany(db, countries)
    /// ```
    ///
    /// See ``MutablePersistableRecord/insertMany(_:_:onConflict:)``.
    public static func insertMany(
        _ db: Database, _ records: some Sequence<Self>,
        onConflict conflictResolution: Database.ConflictResolution? = nil
    ) throws {
        var records = Array(records)
        try insertBatches(
            db, &records, conflictResolution, selection: [], decode: { _ in })
    }

    /// Inserts records, several with each `INSERT RETURNING` statement, and returns records built
    /// from the inserted rows.
    ///
    /// See ``MutablePersistableRecord/insertManyAndFetch(_:_:onConflict:as:)``.
    public static func insertManyAndFetch<T: FetchableRecord & TableRecord>(
        _ db: Database, _ records: some Sequence<Self>,
        onConflict conflictResolution: Database.ConflictResolution? = nil,
        as returnedType: T.Type
    ) throws -> [T] {
        var records = Array(records)
        return try insertBatches(
            db, &records, conflictResolution, selection: T.sqlSelection,
            decode: { try T(row: $0) })
    }
}

/// The insertion of records by as few statements as possible.
private struct BatchInsertion<Record: MutablePersistableRecord, Value> {
    let plans: RecordPlans
    let conflictResolution: Database.ConflictResolution
    let selection: [SQLSelection]

    /// The records that are encoded, but not inserted yet.
    private var containers: [PersistenceContainer] = []
    private var rowIDs: [Int64] = []
    private(set) var values: [Value] = []

    init(
        plans: RecordPlans, conflictResolution: Database.ConflictResolution,
        selection: [SQLSelection]
    ) {
        self.plans = plans
        self.conflictResolution = conflictResolution
        self.selection = selection
    }

    /// Calls the callbacks of a record around those of the next one, those of the last one around
    /// the statements.
    mutating func insert(
        _ db: Database, _ records: inout [Record], from index: Int, to end: Int,
        _ decode: (Row) throws -> Value
    ) throws {
        if index == end {
            return try run(db, decode)
        }
        let position = containers.count
        try records[index].willSave(db)
        var saved: PersistenceSuccess?
        let record = records[index]
        try record.aroundSave(db) {
            try records[index].willInsert(db)
            var inserted: InsertionSuccess?
            let record = records[index]
            try record.aroundInsert(db) {
                let container = try record.encodedContainer()
                containers.append(container)
                try insert(db, &records, from: index + 1, to: end, decode)
                let success = record.insertionSuccess(
                    rowID: rowIDs[position], plans, container)
                inserted = success
                return success
            }
            guard let inserted else { throw callbackError(type(of: record), "aroundInsert") }
            records[index].didInsert(inserted)
            let success = PersistenceSuccess(inserted)
            saved = success
            return success
        }
        guard let saved else { throw callbackError(type(of: record), "aroundSave") }
        records[index].didSave(saved)
    }

    /// Inserts the records that have been encoded. Those in a row that set the same columns share a
    /// statement.
    private mutating func run(_ db: Database, _ decode: (Row) throws -> Value) throws {
        var start = 0
        while start < containers.count {
            let columns = containers[start].columns
            var end = start + 1
            // SQLite has no statement for several rows of default values.
            while end < containers.count, !columns.isEmpty, containers[end].columns == columns {
                end += 1
            }
            try run(db, containers[start..<end], columns, decode)
            start = end
        }
    }

    private mutating func run(
        _ db: Database, _ containers: ArraySlice<PersistenceContainer>, _ columns: [String],
        _ decode: (Row) throws -> Value
    ) throws {
        var insertion = InsertStatement(
            table: plans.table, conflictResolution: conflictResolution, columns: columns,
            rows: containers.map(\.values))
        insertion.returning = selection
        let hasRowID = plans.primaryKey.tableHasRowID
        if hasRowID { insertion.returning.append(Column.rowID.sqlSelection) }
        let statement = try db.cachedStatement(insertion)
        let count = rowIDs.count + containers.count
        if insertion.returning.isEmpty {
            try statement.execute()
        } else {
            let rows = try RowCursor(statement: statement, adapter: nil)
            while let row = try rows.next() {
                if hasRowID { rowIDs.append(row[row.count - 1]) }
                try values.append(decode(row))
            }
        }
        // Nobody knows which of several rows were ignored.
        let isIncomplete =
            !selection.isEmpty && values.count < count
            || hasRowID && containers.count > 1 && rowIDs.count < count
        if isIncomplete, let container = containers.last {
            throw plans.recordNotFound(plans.key(in: container))
        }
        while rowIDs.count < count { rowIDs.append(db.lastInsertedRowID) }
    }
}
