import GRDB

// Aggregates of associations on typed expressions. They have the same automatic names as aggregates
// on untyped columns.

extension AssociationToMany {
    /// The average of an expression over the associated rows.
    ///
    /// ```swift
    /// // SELECT "author".*, AVG("book"."price") AS "averageBookPrice" FROM …
    /// Author.annotated(with: Author.books.average(Book.Columns.price))
    /// ```
    public func average(
        _ expression: any TypedExpressible
    ) -> AssociationAggregate<OriginRowDecoder> {
        average(expression.untyped)
    }

    /// The maximum of an expression over the associated rows.
    ///
    /// ```swift
    /// // SELECT "author".*, MAX("book"."year") AS "maxBookYear" FROM …
    /// Author.annotated(with: Author.books.max(Book.Columns.year))
    /// ```
    public func max(
        _ expression: any TypedExpressible
    ) -> AssociationAggregate<OriginRowDecoder> {
        max(expression.untyped)
    }

    /// The minimum of an expression over the associated rows.
    ///
    /// ```swift
    /// // SELECT "author".*, MIN("book"."year") AS "minBookYear" FROM …
    /// Author.annotated(with: Author.books.min(Book.Columns.year))
    /// ```
    public func min(
        _ expression: any TypedExpressible
    ) -> AssociationAggregate<OriginRowDecoder> {
        min(expression.untyped)
    }

    /// The sum of numbers over the associated rows, or NULL if there are no non-NULL values.
    ///
    /// ```swift
    /// // SELECT "author".*, SUM("book"."price") AS "bookPriceSum" FROM …
    /// Author.annotated(with: Author.books.sum(Book.Columns.price))
    /// ```
    public func sum<Value: Numeric>(
        _ expression: any TypedExpressible<Value>
    ) -> AssociationAggregate<OriginRowDecoder> {
        sum(expression.untyped)
    }

    /// The sum of numbers over the associated rows, or NULL if there are no non-NULL values.
    public func sum<Value: Numeric>(
        _ expression: any TypedExpressible<Value?>
    ) -> AssociationAggregate<OriginRowDecoder> {
        sum(expression.untyped)
    }

    /// The sum of an expression over the associated rows, as a real number, or 0.0 if there are no
    /// non-NULL values.
    ///
    /// ```swift
    /// // SELECT "author".*, TOTAL("book"."price") AS "bookPriceSum" FROM …
    /// Author.annotated(with: Author.books.total(Book.Columns.price))
    /// ```
    public func total(
        _ expression: any TypedExpressible
    ) -> AssociationAggregate<OriginRowDecoder> {
        total(expression.untyped)
    }
}

// MARK: - With the columns of the record type

extension AssociationToMany where RowDecoder: TableRecord {
    /// The average of an expression over the associated rows.
    ///
    /// ```swift
    /// // SELECT "author".*, AVG("book"."price") AS "averageBookPrice" FROM …
    /// Author.annotated(with: Author.books.average { $0.price })
    /// ```
    public func average(
        _ expression: (DatabaseComponents) throws -> some TypedExpressible
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try average(expression(RowDecoder.databaseComponents))
    }

    /// The maximum of an expression over the associated rows.
    ///
    /// ```swift
    /// // SELECT "author".*, MAX("book"."year") AS "maxBookYear" FROM …
    /// Author.annotated(with: Author.books.max { $0.year })
    /// ```
    public func max(
        _ expression: (DatabaseComponents) throws -> some TypedExpressible
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try max(expression(RowDecoder.databaseComponents))
    }

    /// The minimum of an expression over the associated rows.
    ///
    /// ```swift
    /// // SELECT "author".*, MIN("book"."year") AS "minBookYear" FROM …
    /// Author.annotated(with: Author.books.min { $0.year })
    /// ```
    public func min(
        _ expression: (DatabaseComponents) throws -> some TypedExpressible
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try min(expression(RowDecoder.databaseComponents))
    }

    /// The sum of numbers over the associated rows, or NULL if there are no non-NULL values.
    ///
    /// ```swift
    /// // SELECT "author".*, SUM("book"."price" * 2) AS … FROM …
    /// Author.annotated(with: Author.books.sum { $0.price * 2 })
    /// ```
    public func sum<Value: Numeric>(
        _ expression: (DatabaseComponents) throws -> some TypedExpressible<Value>
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try sum(expression(RowDecoder.databaseComponents))
    }

    /// The sum of numbers over the associated rows, or NULL if there are no non-NULL values.
    public func sum<Value: Numeric>(
        _ expression: (DatabaseComponents) throws -> some TypedExpressible<Value?>
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try sum(expression(RowDecoder.databaseComponents))
    }

    /// The sum of an expression over the associated rows, as a real number, or 0.0 if there are no
    /// non-NULL values.
    ///
    /// ```swift
    /// // SELECT "author".*, TOTAL("book"."price") AS "bookPriceSum" FROM …
    /// Author.annotated(with: Author.books.total { $0.price })
    /// ```
    public func total(
        _ expression: (DatabaseComponents) throws -> some TypedExpressible
    ) rethrows -> AssociationAggregate<OriginRowDecoder> {
        try total(expression(RowDecoder.databaseComponents))
    }
}
