// The auxiliary functions of FTS3 and FTS4 as expressions of the query interface.

extension FTS3 {
    /// The `matchinfo` function, on FTS3 and FTS4 tables: what there is to rank a row with.
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
    /// Like all auxiliary functions, it belongs to the full-text table of the request or association
    /// that it is given to, or of the ``TableAlias`` that qualifies it. A query that does not search
    /// this table with a pattern fails, or gets an empty blob.
    ///
    /// - parameter content: what to ask for. The numbers of phrases and columns always come with it.
    /// - returns: a blob for ``FTS3MatchInfo/init(data:content:)``.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts3.html#the_matchinfo_function>
    public static func matchInfo(_ content: FTS3MatchInfo.Content) -> SQLExpression {
        .auxiliary("matchinfo", [content.format.databaseValue.sqlExpression])
    }

    /// The `offsets` function, on FTS3 and FTS4 tables: where the terms of the pattern are found.
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

    /// The `snippet` function, on FTS3 and FTS4 tables: the parts of a text that best match the
    /// pattern, with its terms marked.
    ///
    /// ```swift
    /// // SELECT snippet("book", '<b>', '</b>', '…', -1, -15) FROM "book" WHERE "book" MATCH 'moby'
    /// Book.matching(pattern).select(
    ///     FTS3.snippet(before: "<b>", after: "</b>"), as: String.self)
    /// ```
    ///
    /// - parameter column: a column of the table; nil for the one that suits best. A column that the
    ///   table doesn't have is an error of code `SQLITE_ERROR`.
    /// - parameter before: the text ahead of each term.
    /// - parameter after: the text after each term.
    /// - parameter ellipsis: the text that stands for what is left out.
    /// - parameter tokenCount: the approximate number of tokens of each part if it is negative, of all
    ///   parts together if it is positive. At most 64.
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
