// Full-text matching of whole rows.

extension TableRequest where Self: FilteredRequest {
    /// Filters rows that match a full-text pattern.
    ///
    /// ```swift
    /// // SELECT * FROM "document" WHERE "document" MATCH 'sqlite OR database'
    /// let pattern = FTS5Pattern(matchingAnyTokenIn: "SQLite database")
    /// let request = Document.all().matching(pattern)
    /// ```
    ///
    /// The table of the request must be a virtual table of FTS5. Nothing matches nil.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts5.html#full_text_query_syntax>
    public func matching(_ pattern: FTS5Pattern?) -> Self {
        // FTS5 gives the table a hidden column of the same name, which stands for all others.
        guard let pattern else { return none() }
        return filter(Column(databaseTableName).match(pattern))
    }
}

extension TableRecord {
    /// Returns a request for the rows that match a full-text pattern.
    ///
    /// ```swift
    /// // SELECT * FROM "document" WHERE "document" MATCH 'sqlite OR database'
    /// let pattern = FTS5Pattern(matchingAnyTokenIn: "SQLite database")
    /// let documents = try Document.matching(pattern).fetchAll(db)
    /// ```
    ///
    /// The table must be a virtual table of FTS5. Nothing matches nil.
    public static func matching(_ pattern: FTS5Pattern?) -> QueryInterfaceRequest<Self> {
        all().matching(pattern)
    }
}

extension Table {
    /// Returns a request for the rows that match a full-text pattern.
    ///
    /// ```swift
    /// // SELECT * FROM "document" WHERE "document" MATCH 'sqlite OR database'
    /// let pattern = FTS5Pattern(matchingAnyTokenIn: "SQLite database")
    /// let rows = try Table("document").matching(pattern).fetchAll(db)
    /// ```
    ///
    /// The table must be a virtual table of FTS5. Nothing matches nil.
    public func matching(_ pattern: FTS5Pattern?) -> QueryInterfaceRequest<RowDecoder> {
        all().matching(pattern)
    }
}
