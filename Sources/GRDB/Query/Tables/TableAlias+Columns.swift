// The columns of an aliased table, by the names of the record type: `alias.score`.

extension TableAlias where RowDecoder: TableRecord {
    /// The type that provides the columns of the record type.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// An expression on the aliased table.
    public subscript<T>(
        dynamicMember keyPath: KeyPath<DatabaseComponents, T>
    ) -> SQLExpression where T: SQLSpecificExpressible {
        self[RowDecoder.databaseComponents[keyPath: keyPath]]
    }

    /// A JSON expression on the aliased table.
    public subscript<T>(
        dynamicMember keyPath: KeyPath<DatabaseComponents, T>
    ) -> AnySQLJSONExpressible where T: SQLJSONExpressible {
        self[RowDecoder.databaseComponents[keyPath: keyPath]]
    }

    /// An ordering on the aliased table.
    @_disfavoredOverload  // expressions win
    public subscript<T>(
        dynamicMember keyPath: KeyPath<DatabaseComponents, T>
    ) -> SQLOrdering where T: SQLOrderingTerm {
        self[RowDecoder.databaseComponents[keyPath: keyPath]]
    }

    /// A selection on the aliased table.
    @_disfavoredOverload  // expressions win
    public subscript<T>(
        dynamicMember keyPath: KeyPath<DatabaseComponents, T>
    ) -> SQLSelection where T: SQLSelectable {
        self[RowDecoder.databaseComponents[keyPath: keyPath]]
    }
}

extension TableAlias {
    /// Whether the aliased row exists. It does not if an optional association has no row.
    ///
    /// ```swift
    /// // SELECT "book".* FROM "book"
    /// // LEFT JOIN "author" ON "author"."id" = "book"."authorId"
    /// // WHERE "author"."id" IS NOT NULL
    /// let authorAlias = TableAlias<Author>()
    /// let request = Book
    ///     .joining(optional: Book.author.aliased(authorAlias))
    ///     .filter(authorAlias.exists)
    /// ```
    public var exists: SQLExpression { SQLExpression(RowExistenceNode(alias: root)) }
}
