import GRDB

// The auxiliary functions of FTS3 and FTS4 as expressions of the query interface.

extension FTS3 {
    /// The `matchinfo` function of FTS3 and FTS4 tables: statistics for ranking a row.
    ///
    /// ```swift
    /// // SELECT matchinfo("book", 'pcx') FROM "book" WHERE "book" MATCH 'moby'
    /// let content: FTS3MatchInfo.Content = .hits
    /// let blobs = try Book.matching(pattern)
    ///     .select(FTS3.matchInfo(content), as: Data.self)
    ///     .fetchAll(db)
    /// let infos = try blobs.map { try FTS3MatchInfo(data: $0, content: content) }
    /// ```
    ///
    /// Like all auxiliary functions, it refers to the full-text table of the request or association
    /// in which it is used, or of the ``/GRDB/TableAlias`` that qualifies it. If the query does not
    /// search this table with a pattern, the query fails, or the result is an empty blob.
    ///
    /// - parameter content: the values to return. The numbers of phrases and columns are always
    ///   included.
    /// - returns: an expression whose value is a blob for ``FTS3MatchInfo/init(data:content:)``.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts3.html#the_matchinfo_function>
    public static func matchInfo(_ content: FTS3MatchInfo.Content) -> SQLExpression {
        .auxiliary("matchinfo", [content.format.databaseValue.sqlExpression])
    }

    /// The `offsets` function of FTS3 and FTS4 tables: the positions of the terms of the pattern.
    ///
    /// ```swift
    /// // SELECT offsets("book") FROM "book" WHERE "book" MATCH 'moby'
    /// let offsets = try Book.matching(pattern)
    ///     .select(FTS3.offsets(), as: FTS3Offsets.self)
    ///     .fetchAll(db)
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts3.html#the_offsets_function>
    public static func offsets() -> SQLExpression {
        .auxiliary("offsets", [])
    }

    /// The `snippet` function of FTS3 and FTS4 tables: the fragments of a string that best match the
    /// pattern, with its terms marked.
    ///
    /// ```swift
    /// // SELECT snippet("book", '<b>', '</b>', '…', -1, -15) FROM "book" WHERE "book" MATCH 'moby'
    /// Book.matching(pattern).select(
    ///     FTS3.snippet(before: "<b>", after: "</b>"), as: String.self)
    /// ```
    ///
    /// - parameter column: a column of the table; nil for the best match in any column. If the
    ///   table doesn't have the column, SQLite throws an error of code `SQLITE_ERROR`.
    /// - parameter before: the text to insert before each term.
    /// - parameter after: the text to insert after each term.
    /// - parameter ellipsis: the text that replaces omitted text.
    /// - parameter tokenCount: the approximate number of tokens, at most 64: of each fragment if
    ///   the number is negative, of all fragments together if it is positive.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts3.html#the_snippet_function>
    public static func snippet(
        _ column: (any ColumnExpression)? = nil, before: String, after: String,
        ellipsis: String = "…", tokenCount: Int = -15
    ) -> SQLExpression {
        .auxiliary(
            "snippet",
            [
                before.databaseValue.sqlExpression, after.databaseValue.sqlExpression,
                ellipsis.databaseValue.sqlExpression,
                .fullTextColumn(column), tokenCount.databaseValue.sqlExpression,
            ])
    }
}
