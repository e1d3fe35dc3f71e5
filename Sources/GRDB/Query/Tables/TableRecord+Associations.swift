// Associations from the table of a record type, along foreign keys.

extension TableRecord {
    /// Creates an association to the row that a foreign key of this table refers to.
    ///
    /// ```swift
    /// struct Book: TableRecord {
    ///     static let author = belongsTo(Author.self)
    /// }
    /// ```
    ///
    /// - parameter destination: the associated record type.
    /// - parameter key: the key of the association; nil to derive it from the table name.
    /// - parameter foreignKey: the foreign key; nil if the schema declares only one.
    public static func belongsTo<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<Self, Destination> {
        BelongsToAssociation(
            from: Relation.TableName(databaseTableName), to: destination.all().relation, key: key,
            using: foreignKey)
    }

    /// Creates an association to the row that a foreign key of this table refers to.
    ///
    /// ```swift
    /// struct Book: TableRecord {
    ///     static let author = belongsTo(Author.self)
    /// }
    /// ```
    ///
    /// - parameter destination: the associated table.
    /// - parameter key: the key of the association; nil to derive it from the table name.
    /// - parameter foreignKey: the foreign key; nil if the schema declares only one.
    public static func belongsTo<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> BelongsToAssociation<Self, Destination> {
        BelongsToAssociation(
            from: Relation.TableName(databaseTableName), to: destination.relation, key: key,
            using: foreignKey)
    }

    /// Creates an association to the row whose foreign key refers to this table.
    ///
    /// ```swift
    /// struct Country: TableRecord {
    ///     static let demographics = hasOne(Demographics.self, key: "demographics")
    /// }
    /// ```
    ///
    /// - parameter destination: the associated record type.
    /// - parameter key: the key of the association; nil to derive it from the table name.
    /// - parameter foreignKey: the foreign key; nil if the schema declares only one.
    public static func hasOne<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<Self, Destination> {
        HasOneAssociation(
            from: Relation.TableName(databaseTableName), to: destination.all().relation, key: key,
            using: foreignKey)
    }

    /// Creates an association to the row whose foreign key refers to this table.
    ///
    /// ```swift
    /// struct Country: TableRecord {
    ///     static let demographics = hasOne(Demographics.self, key: "demographics")
    /// }
    /// ```
    ///
    /// - parameter destination: the associated table.
    /// - parameter key: the key of the association; nil to derive it from the table name.
    /// - parameter foreignKey: the foreign key; nil if the schema declares only one.
    public static func hasOne<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasOneAssociation<Self, Destination> {
        HasOneAssociation(
            from: Relation.TableName(databaseTableName), to: destination.relation, key: key,
            using: foreignKey)
    }

    /// Creates an association to the rows whose foreign key refers to this table.
    ///
    /// ```swift
    /// struct Author: TableRecord {
    ///     static let books = hasMany(Book.self)
    /// }
    /// ```
    ///
    /// - parameter destination: the associated record type.
    /// - parameter key: the key of the association; nil to derive it from the table name.
    /// - parameter foreignKey: the foreign key; nil if the schema declares only one.
    public static func hasMany<Destination: TableRecord>(
        _ destination: Destination.Type, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<Self, Destination> {
        HasManyAssociation(
            from: Relation.TableName(databaseTableName), to: destination.all().relation, key: key,
            using: foreignKey)
    }

    /// Creates an association to the rows whose foreign key refers to this table.
    ///
    /// ```swift
    /// struct Author: TableRecord {
    ///     static let books = hasMany(Book.self)
    /// }
    /// ```
    ///
    /// - parameter destination: the associated table.
    /// - parameter key: the key of the association; nil to derive it from the table name.
    /// - parameter foreignKey: the foreign key; nil if the schema declares only one.
    public static func hasMany<Destination>(
        _ destination: Table<Destination>, key: String? = nil, using foreignKey: ForeignKey? = nil
    ) -> HasManyAssociation<Self, Destination> {
        HasManyAssociation(
            from: Relation.TableName(databaseTableName), to: destination.relation, key: key,
            using: foreignKey)
    }

    /// Creates an association through another association.
    ///
    /// ```swift
    /// struct Book: TableRecord {
    ///     static let library = belongsTo(Library.self)
    ///     static let returnAddress = hasOne(
    ///         Address.self, through: library, using: Library.address)
    /// }
    /// ```
    ///
    /// - parameter destination: the associated record type.
    /// - parameter pivot: an association from this table.
    /// - parameter target: an association from the table of the pivot to the destination.
    /// - parameter key: the key of the association; nil to derive it from the key of the target.
    public static func hasOne<Pivot: AssociationToOne, Target: AssociationToOne>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target,
        key: String? = nil
    ) -> HasOneThroughAssociation<Self, Target.RowDecoder>
    where Pivot.OriginRowDecoder == Self, Pivot.RowDecoder == Target.OriginRowDecoder {
        HasOneThroughAssociation(through: pivot._join, using: target._join, key: key)
    }

    /// Creates an association through another association.
    ///
    /// ```swift
    /// struct Country: TableRecord {
    ///     static let passports = hasMany(Passport.self)
    ///     static let citizens = hasMany(
    ///         Citizen.self, through: passports, using: Passport.citizen)
    /// }
    /// ```
    ///
    /// - parameter destination: the associated record type.
    /// - parameter pivot: an association from this table.
    /// - parameter target: an association from the table of the pivot to the destination.
    /// - parameter key: the key of the association; nil to derive it from the key of the target.
    public static func hasMany<Pivot: Association, Target: Association>(
        _ destination: Target.RowDecoder.Type, through pivot: Pivot, using target: Target,
        key: String? = nil
    ) -> HasManyThroughAssociation<Self, Target.RowDecoder>
    where Pivot.OriginRowDecoder == Self, Pivot.RowDecoder == Target.OriginRowDecoder {
        HasManyThroughAssociation(through: pivot._join, using: target._join, key: key)
    }

    // MARK: - Joining

    /// Returns a request that joins an association, and fetches its columns.
    ///
    /// ```swift
    /// // SELECT "book".*, "author".*
    /// // FROM "book"
    /// // JOIN "author" ON "author"."id" = "book"."authorId"
    /// Book.including(required: Book.author)
    /// ```
    public static func including<A: Association>(
        required association: A
    ) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().including(required: association)
    }

    /// Returns a request that joins an association if there is an associated row, and fetches its
    /// columns.
    ///
    /// ```swift
    /// // SELECT "book".*, "author".*
    /// // FROM "book"
    /// // LEFT JOIN "author" ON "author"."id" = "book"."authorId"
    /// Book.including(optional: Book.author)
    /// ```
    public static func including<A: Association>(
        optional association: A
    ) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().including(optional: association)
    }

    /// Returns a request that joins an association, without fetching its columns.
    ///
    /// ```swift
    /// // SELECT "book".*
    /// // FROM "book"
    /// // JOIN "author" ON "author"."id" = "book"."authorId"
    /// Book.joining(required: Book.author)
    /// ```
    public static func joining<A: Association>(
        required association: A
    ) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().joining(required: association)
    }

    /// Returns a request that joins an association if there is an associated row, without fetching its
    /// columns.
    ///
    /// ```swift
    /// // SELECT "book".*
    /// // FROM "book"
    /// // LEFT JOIN "author" ON "author"."id" = "book"."authorId"
    /// Book.joining(optional: Book.author)
    /// ```
    public static func joining<A: Association>(
        optional association: A
    ) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().joining(optional: association)
    }

    /// Returns a request that joins an association, and appends its columns.
    ///
    /// ```swift
    /// // SELECT "book".*, "author"."name"
    /// // FROM "book"
    /// // JOIN "author" ON "author"."id" = "book"."authorId"
    /// Book.annotated(withRequired: Book.author.select(Column("name")))
    /// ```
    public static func annotated(
        withRequired association: any Association<Self>
    ) -> QueryInterfaceRequest<Self> {
        all().annotated(withRequired: association)
    }

    /// Returns a request that joins an association if there is an associated row, and appends its
    /// columns.
    ///
    /// ```swift
    /// // SELECT "book".*, "author"."name"
    /// // FROM "book"
    /// // LEFT JOIN "author" ON "author"."id" = "book"."authorId"
    /// Book.annotated(withOptional: Book.author.select(Column("name")))
    /// ```
    public static func annotated(
        withOptional association: any Association<Self>
    ) -> QueryInterfaceRequest<Self> {
        all().annotated(withOptional: association)
    }

    // MARK: - Prefetching and aggregating

    /// Returns a request that prefetches all rows of an association.
    ///
    /// ```swift
    /// // SELECT * FROM "author"
    /// // SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)
    /// Author.including(all: Author.books)
    /// ```
    public static func including<A: AssociationToMany>(
        all association: A
    ) -> QueryInterfaceRequest<Self>
    where A.OriginRowDecoder == Self {
        all().including(all: association)
    }

    /// Returns a request that appends aggregates of associations to the selected columns.
    ///
    /// ```swift
    /// // SELECT "author".*, COUNT(DISTINCT "book"."id") AS "bookCount"
    /// // FROM "author"
    /// // LEFT JOIN "book" ON "book"."authorId" = "author"."id"
    /// // GROUP BY "author"."id"
    /// Author.annotated(with: Author.books.count)
    /// ```
    public static func annotated(
        with aggregates: AssociationAggregate<Self>...
    ) -> QueryInterfaceRequest<Self> {
        all().annotated(with: aggregates)
    }

    /// Returns a request that appends aggregates of associations to the selected columns.
    public static func annotated(
        with aggregates: [AssociationAggregate<Self>]
    ) -> QueryInterfaceRequest<Self> {
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
    /// Author.having(Author.books.count > 5)
    /// ```
    public static func having(
        _ predicate: AssociationAggregate<Self>
    ) -> QueryInterfaceRequest<Self> {
        all().having(predicate)
    }
}
