// Records in the scopes of a row, and in its prefetched rows.

extension Row {
    /// Returns the record in the given scope, at any depth.
    ///
    /// ```swift
    /// let book = try Book(row: row)
    /// let author: Author = row["author"]
    /// ```
    ///
    /// - precondition: the scope exists, and can be decoded. See `decode(_:forKey:)`.
    public subscript<Record: FetchableRecord>(_ scope: String) -> Record {
        tryOrTrap { try decode(Record.self, forKey: scope) }
    }

    /// Returns the record in the given scope, at any depth; nil if the scope is missing, or if it
    /// contains only NULL.
    ///
    /// - precondition: the record can be decoded.
    public subscript<Record: FetchableRecord>(_ scope: String) -> Record? {
        tryOrTrap { try decodeIfPresent(Record.self, forKey: scope) }
    }

    /// Returns the prefetched records of the association with the given key, at any depth.
    ///
    /// - precondition: the association was prefetched, and its records can be decoded.
    public subscript<Records: RangeReplaceableCollection>(_ key: String) -> Records
    where Records.Element: FetchableRecord {
        tryOrTrap { try decode(Records.self, forKey: key) }
    }

    /// Decodes the prefetched rows of an association, found by its key at any depth, as a set of
    /// records.
    ///
    /// - precondition: the association was prefetched, and its records can be decoded.
    public subscript<Record: FetchableRecord & Hashable>(_ key: String) -> Set<Record> {
        tryOrTrap { try decode(Set<Record>.self, forKey: key) }
    }

    /// Returns the record in the given scope, at any depth.
    ///
    /// - throws: a ``RowDecodingError`` if there is no such scope, or the error of
    ///   ``FetchableRecord/init(row:)``.
    public func decode<Record: FetchableRecord>(
        _ type: Record.Type = Record.self, forKey scope: String
    ) throws -> Record {
        guard let row = scopesTree[scope] else {
            throw RowDecodingError(
                .scopeNotFound(scope, availableScopes: scopesTree.names.ordered()), in: self)
        }
        return try Record(row: row)
    }

    /// Returns the record in the given scope, at any depth; nil if the scope is missing, or if it
    /// contains only NULL.
    ///
    /// - throws: the error of ``FetchableRecord/init(row:)``.
    public func decodeIfPresent<Record: FetchableRecord>(
        _ type: Record.Type = Record.self, forKey scope: String
    ) throws -> Record? {
        guard let row = scopesTree[scope], row.containsNonNullValue else { return nil }
        return try Record(row: row)
    }

    /// Returns the prefetched records of the association with the given key, at any depth.
    ///
    /// - throws: a ``RowDecodingError`` if there is no such association, or the error of
    ///   ``FetchableRecord/init(row:)``.
    public func decode<Records: RangeReplaceableCollection>(
        _ type: Records.Type = Records.self, forKey key: String
    ) throws -> Records where Records.Element: FetchableRecord {
        let group = try rows(prefetchedForKey: key)
        var row = SlidingRow()
        let records: [Records.Element] = try group.records(in: &row)
        return records as? Records ?? Records(records)
    }

    /// Decodes the prefetched rows of an association, found by its key at any depth, as a set of
    /// records.
    ///
    /// - throws: a ``RowDecodingError`` if there is no such association, or the error of
    ///   ``FetchableRecord/init(row:)``.
    public func decode<Record: FetchableRecord & Hashable>(
        _ type: Set<Record>.Type = Set<Record>.self, forKey key: String
    ) throws -> Set<Record> {
        var row = SlidingRow()
        return try Set(rows(prefetchedForKey: key).records(in: &row))
    }

    private func rows(prefetchedForKey key: String) throws -> RowGroup {
        guard let rows = prefetches.group(key) else {
            throw RowDecodingError(
                .prefetchKeyNotFound(key, availableKeys: prefetches.keys.ordered()), in: self)
        }
        return rows
    }
}

// MARK: - Records of batches

extension RowBatch {
    /// Decodes records from some rows.
    ///
    /// - parameter row: the row object that records are decoded from.
    func records<Record: FetchableRecord>(
        _ type: Record.Type = Record.self, at indexes: some RandomAccessCollection<Int>,
        in row: inout SlidingRow
    ) throws -> [Record] {
        try Array(unsafeUninitializedCapacity: indexes.count) { buffer, count in
            for index in indexes {
                // Decoded in place.
                (buffer.baseAddress.unsafelyUnwrapped + count)
                    .initialize(to: try Record(row: row.row(at: index, of: self)))
                count += 1
            }
        }
    }
}

extension RowGroup {
    /// Decodes records from the rows.
    func records<Record: FetchableRecord>(
        _ type: Record.Type = Record.self, in row: inout SlidingRow
    ) throws -> [Record] {
        try batch.records(at: indexes, in: &row)
    }
}
