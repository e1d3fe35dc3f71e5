// Associations from a table without a record type, along foreign keys.

extension Table {
    /// Creates an association to the row that a foreign key of this table refers to.
    ///
    /// ```swift
    /// let author = Table("book").belongsTo(Table("author"))
    /// ```
    ///
    /// - parameter destination: the associated table.
    /// - parameter key: the key of the association; nil to derive it from the table name.
    /// - parameter foreignKey: the foreign key; nil if the schema declares only one.
    public func belongsTo<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<RowDecoder, Destination> {
        BelongsToAssociation(
            from: relation.tableName, to: destination.relation, key: key, using: foreignKey)
    }

    /// Creates an association to the row whose foreign key refers to this table.
    ///
    /// ```swift
    /// let profile = Table("author").hasOne(Table("profile"))
    /// ```
    ///
    /// - parameter destination: the associated table.
    /// - parameter key: the key of the association; nil to derive it from the table name.
    /// - parameter foreignKey: the foreign key; nil if the schema declares only one.
    public func hasOne<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<RowDecoder, Destination> {
        HasOneAssociation(
            from: relation.tableName, to: destination.relation, key: key, using: foreignKey)
    }

    /// Creates an association to the rows whose foreign key refers to this table.
    ///
    /// ```swift
    /// let books = Table("author").hasMany(Table("book"))
    /// ```
    ///
    /// - parameter destination: the associated table.
    /// - parameter key: the key of the association; nil to derive it from the table name.
    /// - parameter foreignKey: the foreign key; nil if the schema declares only one.
    public func hasMany<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<RowDecoder, Destination> {
        HasManyAssociation(
            from: relation.tableName, to: destination.relation, key: key, using: foreignKey)
    }

    /// Creates an association through another association.
    ///
    /// - parameter destination: the type of the associated rows.
    /// - parameter pivot: an association from this table.
    /// - parameter target: an association from the table of the pivot to the destination.
    /// - parameter key: the key of the association; nil to derive it from the key of the target.
    public func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target,
        key: String? = nil
    ) -> HasOneThroughAssociation<RowDecoder, Target.RowDecoder>
    where Pivot.OriginRowDecoder == RowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
        HasOneThroughAssociation(through: pivot._join, using: target._join, key: key)
    }

    /// Creates an association through another association.
    ///
    /// - parameter destination: the type of the associated rows.
    /// - parameter pivot: an association from this table.
    /// - parameter target: an association from the table of the pivot to the destination.
    /// - parameter key: the key of the association; nil to derive it from the key of the target.
    public func hasMany<Pivot: Association, Target: Association>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target,
        key: String? = nil
    ) -> HasManyThroughAssociation<RowDecoder, Target.RowDecoder>
    where Pivot.OriginRowDecoder == RowDecoder, Pivot.RowDecoder == Target.OriginRowDecoder {
        HasManyThroughAssociation(through: pivot._join, using: target._join, key: key)
    }

    // MARK: - Joining

    /// Returns a request that joins an association, and fetches its columns.
    public func including<A: Association>(
        required association: A
    ) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().including(required: association)
    }

    /// Returns a request that joins an association if there is an associated row, and fetches its
    /// columns.
    public func including<A: Association>(
        optional association: A
    ) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().including(optional: association)
    }

    /// Returns a request that joins an association, without fetching its columns.
    public func joining<A: Association>(
        required association: A
    ) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().joining(required: association)
    }

    /// Returns a request that joins an association if there is an associated row, without fetching its
    /// columns.
    public func joining<A: Association>(
        optional association: A
    ) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().joining(optional: association)
    }

    /// Returns a request that joins an association, and appends its columns.
    public func annotated(
        withRequired association: any Association<RowDecoder>
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(withRequired: association)
    }

    /// Returns a request that joins an association if there is an associated row, and appends its
    /// columns.
    public func annotated(
        withOptional association: any Association<RowDecoder>
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(withOptional: association)
    }
}

extension Table {
    // MARK: - Prefetching and aggregating

    /// Returns a request that prefetches all rows of an association.
    ///
    /// ```swift
    /// // SELECT * FROM "author"
    /// // SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)
    /// authors.including(all: authors.hasMany(books))
    /// ```
    public func including<A: AssociationToMany>(
        all association: A
    ) -> QueryInterfaceRequest<RowDecoder>
    where A.OriginRowDecoder == RowDecoder {
        all().including(all: association)
    }

    /// Returns a request that appends aggregates of associations to the selected columns.
    ///
    /// ```swift
    /// // SELECT "author".*, COUNT(DISTINCT "book"."id") AS "bookCount"
    /// // FROM "author"
    /// // LEFT JOIN "book" ON "book"."authorId" = "author"."id"
    /// // GROUP BY "author"."id"
    /// authors.annotated(with: authors.hasMany(books).count)
    /// ```
    public func annotated(
        with aggregates: AssociationAggregate<RowDecoder>...
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(with: aggregates)
    }

    /// Returns a request that appends aggregates of associations to the selected columns.
    public func annotated(
        with aggregates: [AssociationAggregate<RowDecoder>]
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().annotated(with: aggregates)
    }

    /// Returns a request filtered by an aggregate of associations.
    ///
    /// ```swift
    /// // SELECT "author".*
    /// // FROM "author"
    /// // LEFT JOIN "book" ON "book"."authorId" = "author"."id"
    /// // GROUP BY "author"."id"
    /// // HAVING COUNT(DISTINCT "book"."id") > 5
    /// authors.having(authors.hasMany(books).count > 5)
    /// ```
    public func having(
        _ predicate: AssociationAggregate<RowDecoder>
    ) -> QueryInterfaceRequest<RowDecoder> {
        all().having(predicate)
    }
}
