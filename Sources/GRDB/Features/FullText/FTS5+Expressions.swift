// The auxiliary functions of FTS5 as expressions of the query interface.

extension FTS5 {
    /// The `bm25` function: the relevance of a row for its pattern. Lower values rank higher.
    ///
    /// ```swift
    /// // SELECT * FROM "book" WHERE "book" MATCH 'moby' ORDER BY bm25("book")
    /// Book.matching(pattern).order(FTS5.bm25())
    ///
    /// // SELECT * FROM "book" WHERE "book" MATCH 'moby' ORDER BY bm25("book", 10.0, 1.0)
    /// Book.matching(pattern).order(FTS5.bm25(weights: [10, 1]))
    /// ```
    ///
    /// Like all auxiliary functions, it refers to the FTS5 table of the request or association in
    /// which it is used, or of the ``TableAlias`` that qualifies it. The query must search this
    /// table with a pattern; otherwise, the statement fails.
    ///
    /// The column `rank` of a table has the value of this function, unless the table sets another
    /// ranking function. With a limit, the column is faster than this expression:
    ///
    /// ```swift
    /// // INSERT INTO book(book, rank) VALUES('rank', 'bm25(10.0, 1.0)')
    /// ```
    ///
    /// - parameter weights: the weights of the columns, in the order of the columns. The default
    ///   weight is 1.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts5.html#the_bm25_function>
    public static func bm25(weights: [Double] = []) -> SQLExpression {
        .auxiliary("bm25", weights.map { $0.databaseValue.sqlExpression })
    }

    /// The `bm25` function with the weights of some columns. The other columns have weight 1.
    ///
    /// ```swift
    /// // SELECT * FROM "book" WHERE "book" MATCH 'moby' ORDER BY bm25("book", 1.0, 10.0)
    /// Book.matching(pattern).order(FTS5.bm25(weights: ["title": 10]))
    /// ```
    ///
    /// If the table doesn't have a column, SQLite throws an error of code `SQLITE_ERROR`.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts5.html#the_bm25_function>
    public static func bm25(weights: [String: Double]) -> SQLExpression {
        .auxiliary("bm25", [SQLExpression(WeightsNode(weights: weights))])
    }

    /// The `highlight` function: the text of a column, with the instances of the pattern marked.
    ///
    /// ```swift
    /// // SELECT highlight("book", 0, '<b>', '</b>') FROM "book" WHERE "book" MATCH 'moby'
    /// Book.matching(pattern).select(
    ///     FTS5.highlight(Column("title"), before: "<b>", after: "</b>"), as: String.self)
    /// ```
    ///
    /// - parameter column: a column of the table. If the table doesn't have the column, SQLite
    ///   throws an error of code `SQLITE_ERROR`.
    /// - parameter before: the text to insert before an instance, or before overlapping instances.
    /// - parameter after: the text to insert after them.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts5.html#the_highlight_function>
    public static func highlight(
        _ column: some ColumnExpression, before: String, after: String
    ) -> SQLExpression {
        .auxiliary(
            "highlight",
            [
                .fullTextColumn(column),
                before.databaseValue.sqlExpression, after.databaseValue.sqlExpression,
            ])
    }

    /// The `snippet` function: the fragment of a string that best matches the pattern, with the
    /// instances of the pattern marked.
    ///
    /// ```swift
    /// // SELECT snippet("book", 1, '<b>', '</b>', '…', 10) FROM "book" WHERE "book" MATCH 'moby'
    /// Book.matching(pattern).select(
    ///     FTS5.snippet(Column("body"), before: "<b>", after: "</b>", tokenCount: 10),
    ///     as: String.self)
    /// ```
    ///
    /// - parameter column: a column of the table; nil for the best match in any column. If the
    ///   table doesn't have the column, SQLite throws an error of code `SQLITE_ERROR`.
    /// - parameter before: the text to insert before an instance, or before overlapping instances.
    /// - parameter after: the text to insert after them.
    /// - parameter ellipsis: the text that replaces omitted text.
    /// - parameter tokenCount: the maximum number of tokens, from 1 to 64.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts5.html#the_snippet_function>
    public static func snippet(
        _ column: (any ColumnExpression)? = nil, before: String, after: String,
        ellipsis: String = "…", tokenCount: Int = 16
    ) -> SQLExpression {
        .auxiliary(
            "snippet",
            [
                .fullTextColumn(column),
                before.databaseValue.sqlExpression, after.databaseValue.sqlExpression,
                ellipsis.databaseValue.sqlExpression, tokenCount.databaseValue.sqlExpression,
            ])
    }
}

extension FTS5AuxiliaryFunction {
    /// Returns an SQL expression that calls the function on the full-text table of a request.
    ///
    /// ```swift
    /// // SELECT * FROM "book" WHERE "book" MATCH 'moby' ORDER BY titleRank("book", 2)
    /// Book.matching(pattern).order(titleRank(2))
    /// ```
    ///
    /// - parameter arguments: the arguments that follow the table.
    public func callAsFunction(_ arguments: any SQLExpressible...) -> SQLExpression {
        .auxiliary(name.quotedDatabaseIdentifier, arguments.map(\.sqlExpression))
    }
}

extension SQLExpression {
    /// A call to an auxiliary function. GRDBTables uses it for the functions of FTS3 and FTS4, too.
    package static func auxiliary(_ name: String, _ arguments: [SQLExpression]) -> SQLExpression {
        .function(name, arguments: [SQLExpression(FullTextTableNode())] + arguments)
    }

    /// The number of a column as the argument of an auxiliary function; -1 for the best match in
    /// any column.
    package static func fullTextColumn(_ column: (any ColumnExpression)?) -> SQLExpression {
        guard let column else { return (-1).databaseValue.sqlExpression }
        return SQLExpression(FullTextColumnNode(column: column.name))
    }
}

/// The hidden column that represents a full-text table. It has the name of the table, even if the
/// table has an alias.
struct FullTextTableNode: SQLLeaf {
    var traits: SQLTraits { [] }

    func write(to writer: SQLWriter) throws {
        writer.append(column: try writer.context.tableOfColumns().name)
    }
}

/// The number of a column in its full-text table.
struct FullTextColumnNode: SQLLeaf {
    let column: String

    var traits: SQLTraits { [] }

    func write(to writer: SQLWriter) throws {
        let columns = try writer.context.fullTextColumns()
        writer.append(sql: "\(try columns.index(of: column))")
    }
}

/// The weights of the columns of a full-text table.
private struct WeightsNode: SQLLeaf {
    let weights: [String: Double]

    var traits: SQLTraits { [] }

    func write(to writer: SQLWriter) throws {
        let columns = try writer.context.fullTextColumns()
        var all = [Double](repeating: 1, count: columns.names.count)
        // Sorted, so that the error is deterministic if several names are wrong.
        for (column, weight) in weights.ordered(by: { $0.key < $1.key }) {
            all[try columns.index(of: column)] = weight
        }
        try writer.append(list: all.map(\.databaseValue.sqlExpression))
    }
}

/// The columns of a full-text table.
private struct FullTextColumns {
    let table: String
    let names: [String]

    func index(of column: String) throws -> Int {
        guard let index = names.firstIndex(where: { ASCIICase.equal($0, column) }) else {
            throw DatabaseError(message: "table \(table) has no column named \(column)")
        }
        return index
    }
}

extension StatementWriter {
    fileprivate func fullTextColumns() throws -> FullTextColumns {
        let table = try tableOfColumns()
        let columns = try db.columns(in: table.name, in: table.schema)
        return FullTextColumns(table: table.name, names: columns.map(\.name))
    }
}
