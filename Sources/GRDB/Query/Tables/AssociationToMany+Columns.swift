// Aggregates of associations whose closures receive the columns of the record type.

extension AssociationToMany where RowDecoder: TableRecord {
    /// The columns and computed values that the closures receive.
    public typealias DatabaseComponents = RowDecoder.DatabaseComponents

    /// The average of an expression over the associated rows.
    ///
    /// ```swift
    /// // SELECT "author".*, AVG("book"."price") AS "averageBookPrice" FROM …
    /// Author.annotated(with: Author.books.average { $0.price })
    /// ```
    public func average(
        _ expression: (DatabaseComponents) throws -> some SQLSpecificExpressible
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try average(expression(RowDecoder.databaseComponents))
    }

    /// The maximum of an expression over the associated rows.
    ///
    /// ```swift
    /// // SELECT "author".*, MAX("book"."price") AS "maxBookPrice" FROM …
    /// Author.annotated(with: Author.books.max { $0.price })
    /// ```
    public func max(
        _ expression: (DatabaseComponents) throws -> some SQLSpecificExpressible
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try max(expression(RowDecoder.databaseComponents))
    }

    /// The minimum of an expression over the associated rows.
    ///
    /// ```swift
    /// // SELECT "author".*, MIN("book"."price") AS "minBookPrice" FROM …
    /// Author.annotated(with: Author.books.min { $0.price })
    /// ```
    public func min(
        _ expression: (DatabaseComponents) throws -> some SQLSpecificExpressible
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try min(expression(RowDecoder.databaseComponents))
    }

    /// The sum of an expression over the associated rows.
    ///
    /// ```swift
    /// // SELECT "author".*, SUM("book"."price") AS "bookPriceSum" FROM …
    /// Author.annotated(with: Author.books.sum { $0.price })
    /// ```
    public func sum(
        _ expression: (DatabaseComponents) throws -> some SQLSpecificExpressible
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try sum(expression(RowDecoder.databaseComponents))
    }

    /// The sum of an expression over the associated rows, as a real number.
    ///
    /// ```swift
    /// // SELECT "author".*, TOTAL("book"."price") AS "bookPriceSum" FROM …
    /// Author.annotated(with: Author.books.total { $0.price })
    /// ```
    public func total(
        _ expression: (DatabaseComponents) throws -> some SQLSpecificExpressible
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try total(expression(RowDecoder.databaseComponents))
    }
}
