extension TableRecord where Self: EncodableRecord {
    /// Returns a request for the rows associated with this record.
    ///
    /// ```swift
    /// struct Author: TableRecord, EncodableRecord {
    ///     static let books = hasMany(Book.self)
    ///     var books: QueryInterfaceRequest<Book> { request(for: Author.books) }
    /// }
    ///
    /// // SELECT * FROM "book" WHERE "authorId" = 1
    /// let books = try author.books.fetchAll(db)
    /// ```
    ///
    /// ``EncodableRecord/encode(to:)`` provides the values of the columns. A NULL value has no
    /// associated rows. If the record can't be encoded, or has no value for a column, fetching from
    /// the request throws an error.
    public func request<A: Association>(
        for association: A
    ) -> QueryInterfaceRequest<A.RowDecoder>
    where A.OriginRowDecoder == Self {
        let values = Result { try databaseDictionary }
        let rows = AssociatedRows(association._join)
        let relation = rows.relation { db in
            let values = try values.get()
            var conditions: [SQLExpression] = []
            for columns in try rows.columns(db) {
                let value = values.first { ASCIICase.equal($0.key, columns.left) }?.value
                guard let value else {
                    throw DatabaseError(
                        misuse: """
                            Can't request the rows associated to a record of the table \
                            \(Self.databaseTableName): it encodes no column \(columns.left)
                            """)
                }
                if value.isNull { return false.sqlExpression }
                conditions.append(Column(columns.right) == value)
            }
            return conditions.joined(operator: .and)
        }
        return QueryInterfaceRequest(relation: relation)
    }
}
