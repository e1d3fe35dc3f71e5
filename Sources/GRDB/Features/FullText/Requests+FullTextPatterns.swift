// Full-text matching of whole rows, and of columns.

/// The hidden column that represents all columns of a full-text table. It has the name of the
/// table.
private struct FullTextTableColumn: SQLLeaf {
    let tableName: String

    var traits: SQLTraits { [] }

    func write(to writer: SQLWriter) throws {
        // A table without an alias is not qualified with its name.
        switch writer.qualifier {
        case .name(let name) where ASCIICase.equal(name.text, tableName):
            writer.append(.nameIfChanged(name))
            writer.append(identifier: tableName)
        case .given(let name) where ASCIICase.equal(name, tableName):
            writer.append(identifier: tableName)
        default:
            writer.append(column: tableName)
        }
    }
}

extension TableRequest where Self: FilteredRequest {
    /// Filters rows that match a full-text pattern.
    ///
    /// ```swift
    /// // SELECT * FROM "document" WHERE "document" MATCH 'sqlite OR database'
    /// let pattern = FTS3Pattern(matchingAnyTokenIn: "SQLite database")
    /// let request = Document.all().matching(pattern)
    /// ```
    ///
    /// The table of the request must be a virtual table of FTS3 or FTS4. A nil pattern matches no
    /// row.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts3.html#full_text_index_queries>
    public func matching(_ pattern: FTS3Pattern?) -> Self {
        matching(rawPattern: pattern?.rawPattern)
    }

    /// Filters rows that match a full-text pattern.
    ///
    /// ```swift
    /// // SELECT * FROM "document" WHERE "document" MATCH 'sqlite OR database'
    /// let pattern = FTS5Pattern(matchingAnyTokenIn: "SQLite database")
    /// let request = Document.all().matching(pattern)
    /// ```
    ///
    /// The table of the request must be a virtual table of FTS5. A nil pattern matches no row.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts5.html#full_text_query_syntax>
    public func matching(_ pattern: FTS5Pattern?) -> Self {
        matching(rawPattern: pattern?.rawPattern)
    }

    private func matching(rawPattern: String?) -> Self {
        guard let rawPattern else { return none() }
        let column = SQLExpression(FullTextTableColumn(tableName: databaseTableName))
        return filter(SQLExpression.binary(column, .match, rawPattern))
    }
}

extension TableRecord {
    /// Returns a request for the rows that match a full-text pattern.
    ///
    /// ```swift
    /// // SELECT * FROM "document" WHERE "document" MATCH 'sqlite OR database'
    /// let pattern = FTS3Pattern(matchingAnyTokenIn: "SQLite database")
    /// let documents = try Document.matching(pattern).fetchAll(db)
    /// ```
    ///
    /// The table must be a virtual table of FTS3 or FTS4. A nil pattern matches no row.
    public static func matching(_ pattern: FTS3Pattern?) -> QueryInterfaceRequest<Self> {
        all().matching(pattern)
    }

    /// Returns a request for the rows that match a full-text pattern.
    ///
    /// ```swift
    /// // SELECT * FROM "document" WHERE "document" MATCH 'sqlite OR database'
    /// let pattern = FTS5Pattern(matchingAnyTokenIn: "SQLite database")
    /// let documents = try Document.matching(pattern).fetchAll(db)
    /// ```
    ///
    /// The table must be a virtual table of FTS5. A nil pattern matches no row.
    public static func matching(_ pattern: FTS5Pattern?) -> QueryInterfaceRequest<Self> {
        all().matching(pattern)
    }
}

extension Table {
    /// Returns a request for the rows that match a full-text pattern.
    ///
    /// ```swift
    /// // SELECT * FROM "document" WHERE "document" MATCH 'sqlite OR database'
    /// let pattern = FTS3Pattern(matchingAnyTokenIn: "SQLite database")
    /// let rows = try Table("document").matching(pattern).fetchAll(db)
    /// ```
    ///
    /// The table must be a virtual table of FTS3 or FTS4. A nil pattern matches no row.
    public func matching(_ pattern: FTS3Pattern?) -> QueryInterfaceRequest<RowDecoder> {
        all().matching(pattern)
    }

    /// Returns a request for the rows that match a full-text pattern.
    ///
    /// ```swift
    /// // SELECT * FROM "document" WHERE "document" MATCH 'sqlite OR database'
    /// let pattern = FTS5Pattern(matchingAnyTokenIn: "SQLite database")
    /// let rows = try Table("document").matching(pattern).fetchAll(db)
    /// ```
    ///
    /// The table must be a virtual table of FTS5. A nil pattern matches no row.
    public func matching(_ pattern: FTS5Pattern?) -> QueryInterfaceRequest<RowDecoder> {
        all().matching(pattern)
    }
}

extension ColumnExpression {
    /// Whether the column matches a full-text pattern.
    ///
    /// ```swift
    /// // SELECT * FROM "document" WHERE "title" MATCH 'sqlite database'
    /// let pattern = FTS3Pattern(matchingAllTokensIn: "SQLite database")
    /// Document.filter(Column("title").match(pattern))
    /// ```
    ///
    /// The table must be a virtual table of FTS3 or FTS4. A nil pattern matches no row.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts3.html#full_text_index_queries>
    public func match(_ pattern: FTS3Pattern?) -> SQLExpression {
        .binary(self, .match, pattern?.databaseValue ?? .null)
    }

    /// Whether the column matches a full-text pattern.
    ///
    /// ```swift
    /// // SELECT * FROM "document" WHERE "title" MATCH 'sqlite database'
    /// let pattern = FTS5Pattern(matchingAllTokensIn: "SQLite database")!
    /// Document.filter(Column("title").match(pattern))
    /// ```
    ///
    /// The table must be a virtual table of FTS5. A nil optional pattern matches no row.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/fts5.html#full_text_query_syntax>
    public func match(_ pattern: FTS5Pattern) -> SQLExpression {
        .binary(self, .match, pattern.databaseValue)
    }
}
