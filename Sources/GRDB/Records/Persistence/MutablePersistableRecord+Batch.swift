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
    /// All records are inserted, or none: unless a single statement does, they are inserted in a
    /// savepoint, or in a transaction of their own.
    ///
    /// All callbacks of each record are called. The `will` callbacks of several records come before
    /// the statement.
    ///
    /// Each record has a statement of its own if its type has `around` callbacks, with the conflict
    /// resolution `.ignore`, in a virtual table, and in a table with an `ON CONFLICT IGNORE` or
    /// `RAISE(IGNORE)` of its own.
    ///
    /// - throws: a ``DatabaseError``, or the error of a callback or of `encode(to:)`. The records
    ///   in the array may then have been changed by their callbacks.
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
        if records.isEmpty { return [] }
        var batch = try BatchInsertion<Self, Value>(
            db, records, from: 0, conflictResolution, selection: selection)
        // Neither the callbacks nor the decoding that follow the only statement may fail.
        if batch.end == records.count, selection.isEmpty,
            records.count == 1 || batch.hasDefaultAroundCallbacks
        {
            try batch.insert(db, &records, decode)
            return batch.values
        }
        var values: [Value] = []
        values.reserveCapacity(records.count)
        try db.inSavepoint {
            batch.isInSavepoint = true
            while true {
                try batch.insert(db, &records, decode)
                values += batch.values
                if batch.end == records.count { return .commit }
                batch = try BatchInsertion(
                    db, records, from: batch.end, conflictResolution, selection: selection)
                batch.isInSavepoint = true
            }
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

/// The insertion of some records of the same class.
private struct BatchInsertion<Record: MutablePersistableRecord, Value> {
    private let plans: RecordPlans
    private let conflictResolution: Database.ConflictResolution
    private let selection: [SQLSelection]

    /// The position of the first record.
    private let start: Int

    /// The position after the last record.
    private(set) var end: Int

    /// Whether an error undoes what was inserted.
    var isInSavepoint = false

    /// The records that are encoded, but not inserted yet.
    private var containers: [PersistenceContainer] = []
    private var rowIDs: [Int64] = []
    private(set) var values: [Value] = []

    /// The insertion of as many records as a statement takes.
    init(
        _ db: Database, _ records: [Record], from start: Int,
        _ conflictResolution: Database.ConflictResolution?, selection: [SQLSelection]
    ) throws {
        let recordType = type(of: records[start])
        plans = try db.recordPlans(for: recordType)
        self.conflictResolution =
            conflictResolution ?? recordType.persistenceConflictPolicy.conflictResolutionForInsert
        self.selection = selection
        self.start = start
        let size = try plans.insertionSize(db, self.conflictResolution)
        let limit = min(start + size, records.count)
        end = start + 1
        // Subclasses may have a table of their own.
        while end < limit, type(of: records[end]) == recordType { end += 1 }
    }

    /// Whether the `around` callbacks are known to be the default ones.
    var hasDefaultAroundCallbacks: Bool {
        plans.defaultCallbacks.known.isSuperset(of: [.aroundSave, .aroundInsert])
    }

    mutating func insert(
        _ db: Database, _ records: inout [Record], _ decode: (Row) throws -> Value
    ) throws {
        try insert(db, &records, from: start, decode)
    }

    /// Calls the callbacks of a record around those of the next one, those of the last one around
    /// the statement.
    private mutating func insert(
        _ db: Database, _ records: inout [Record], from index: Int,
        _ decode: (Row) throws -> Value
    ) throws {
        if index == end {
            return try run(db, decode)
        }
        try records[index].willSave(db)
        var saved: PersistenceSuccess?
        let record = records[index]
        try record.aroundSave(db) {
            try records[index].willInsert(db)
            var inserted: InsertionSuccess?
            let record = records[index]
            try record.aroundInsert(db) {
                // The default callbacks have reported by now.
                if !hasDefaultAroundCallbacks {
                    // Callbacks may catch the error of the statement and try again: this record
                    // needs a statement of its own.
                    end = index + 1
                    containers.removeAll()
                    rowIDs.removeAll()
                    values.removeAll()
                }
                let position = containers.count
                let container = try record.encodedContainer()
                containers.append(container)
                try insert(db, &records, from: index + 1, decode)
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
        var groups: [Range<Int>] = []
        for (index, container) in containers.enumerated() {
            // SQLite has no statement for several rows of default values.
            if let group = groups.last, !container.columns.isEmpty,
                container.columns == containers[group.lowerBound].columns
            {
                groups[groups.count - 1] = group.lowerBound..<index + 1
            } else {
                groups.append(index..<index + 1)
            }
        }
        if groups.count == 1 || isInSavepoint {
            return try groups.forEach { try run(db, containers[$0], decode) }
        }
        try db.inSavepoint {
            try groups.forEach { try run(db, containers[$0], decode) }
            return .commit
        }
    }

    private mutating func run(
        _ db: Database, _ containers: ArraySlice<PersistenceContainer>,
        _ decode: (Row) throws -> Value
    ) throws {
        var insertion = InsertStatement(
            intoTable: plans.table, onConflict: conflictResolution,
            columns: containers.first?.columns ?? [], rows: containers.map(\.values))
        insertion.returning = selection
        // One record is inserted as `insert` does.
        let rowIDName = containers.count > 1 ? plans.rowIDName : nil
        if let rowIDName { insertion.returning.append(Column(rowIDName).sqlSelection) }
        let statement = try db.cachedStatement(insertion)
        var rowCount = 0
        if insertion.returning.isEmpty {
            try statement.execute()
        } else {
            let rows = try RowCursor(statement: statement, adapter: nil)
            while let row = try rows.next() {
                rowCount += 1
                if rowIDName != nil { rowIDs.append(row[row.count - 1]) }
                try values.append(decode(row))
            }
            // `insertionSize` did not foresee that rows are ignored; or there is nothing to fetch.
            if rowCount < containers.count, let container = containers.last {
                throw plans.recordNotFound(plans.key(in: container))
            }
        }
        if rowIDName == nil {
            rowIDs += repeatElement(db.lastInsertedRowID, count: containers.count)
        }
    }
}

extension RecordPlans {
    /// How many records one statement inserts, at most.
    fileprivate func insertionSize(
        _ db: Database, _ conflictResolution: Database.ConflictResolution
    ) throws -> Int {
        // With several rows, it would not be known which were ignored, and which rowid each got.
        if try conflictResolution == .ignore || mayIgnoreRows(db)
            || primaryKey.tableHasRowID && rowIDName == nil
        {
            return 1
        }
        // Callbacks are nested: more records would need a deep stack, and be hardly faster.
        return max(1, min(64, db.maximumStatementArgumentCount / max(1, columns.count)))
    }

    /// Whether a constraint or a trigger may make the table ignore rows without an error.
    private func mayIgnoreRows(_ db: Database) throws -> Bool {
        if let knownToIgnoreRows { return knownToIgnoreRows }
        var texts: [String?] = []
        if let info = try db.tableOrView(table)?.info {
            texts = try [info.sql] + db.triggers(on: table).map(\.sql)
        }
        // A name that contains the word costs time, and does no other harm.
        let mayIgnoreRows = texts.contains {
            $0.map { ASCIICase.lowercased($0).contains("ignore") } ?? false
        }
        knownToIgnoreRows = mayIgnoreRows
        return mayIgnoreRows
    }
}
