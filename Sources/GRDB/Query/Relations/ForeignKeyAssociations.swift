/// An association to the row that a foreign key of the origin refers to.
///
/// ```swift
/// struct Author: TableRecord { }
///
/// struct Book: TableRecord {
///     static let author = belongsTo(Author.self)
/// }
///
/// // SELECT "book".*, "author".*
/// // FROM "book"
/// // JOIN "author" ON "author"."id" = "book"."authorId"
/// Book.including(required: Book.author)
/// ```
///
/// The foreign key is declared by the table of the origin, or by the ``ForeignKey`` of the
/// association.
///
/// The key of the association is the singular of the name of the associated table: see
/// ``Association/forKey(_:)-(String)``.
///
/// See <doc:Associations#Choose-the-kind>.
public struct BelongsToAssociation<Origin, Destination>: AssociationToOne {
    public typealias OriginRowDecoder = Origin
    public typealias RowDecoder = Destination

    public var _join: _AssociationJoin

    init(
        from origin: Relation.TableName, to destination: Relation, key: String?,
        using foreignKey: ForeignKey?
    ) {
        _join = _AssociationJoin(
            from: origin, to: destination, key: key, using: foreignKey, belongsToDestination: true)
    }
}

/// An association to the row whose foreign key refers to the origin.
///
/// ```swift
/// struct Demographics: TableRecord { }
///
/// struct Country: TableRecord {
///     static let demographics = hasOne(Demographics.self, key: "demographics")
/// }
///
/// // SELECT "country".*, "demographics".*
/// // FROM "country"
/// // LEFT JOIN "demographics" ON "demographics"."countryCode" = "country"."code"
/// Country.including(optional: Country.demographics)
/// ```
///
/// The foreign key is declared by the associated table, or by the ``ForeignKey`` of the
/// association.
///
/// The key of the association is the singular of the name of the associated table: see
/// ``Association/forKey(_:)-(String)``.
///
/// See <doc:Associations#Choose-the-kind>.
public struct HasOneAssociation<Origin, Destination>: AssociationToOne {
    public typealias OriginRowDecoder = Origin
    public typealias RowDecoder = Destination

    public var _join: _AssociationJoin

    init(
        from origin: Relation.TableName, to destination: Relation, key: String?,
        using foreignKey: ForeignKey?
    ) {
        _join = _AssociationJoin(from: origin, to: destination, key: key, using: foreignKey)
    }
}

/// An association to the rows whose foreign key refers to the origin.
///
/// ```swift
/// struct Book: TableRecord { }
///
/// struct Author: TableRecord {
///     static let books = hasMany(Book.self)
/// }
///
/// // SELECT * FROM "author"
/// // SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)
/// Author.including(all: Author.books)
/// ```
///
/// The foreign key is declared by the associated table, or by the ``ForeignKey`` of the
/// association.
///
/// The key of the association is the plural of the name of the associated table, and its singular
/// when the associated table is joined: see ``Association/forKey(_:)-(String)``.
///
/// See <doc:Associations#Choose-the-kind>.
public struct HasManyAssociation<Origin, Destination>: AssociationToMany {
    public typealias OriginRowDecoder = Origin
    public typealias RowDecoder = Destination

    public var _join: _AssociationJoin

    init(
        from origin: Relation.TableName, to destination: Relation, key: String?,
        using foreignKey: ForeignKey?
    ) {
        _join = _AssociationJoin(
            from: origin, to: destination, key: key, using: foreignKey, isKeyPlural: true)
    }
}

extension _AssociationJoin {
    /// - parameter belongsToDestination: whether the table of the origin has the foreign key.
    fileprivate init(
        from origin: Relation.TableName, to relation: Relation, key: String?,
        using foreignKey: ForeignKey?, belongsToDestination: Bool = false, isKeyPlural: Bool = false
    ) {
        let join = ForeignKeyJoin(
            origin: belongsToDestination ? origin : relation.tableName,
            destination: belongsToDestination ? relation.tableName : origin,
            foreignKey: foreignKey, isOriginLeft: belongsToDestination)
        let inflect = isKeyPlural ? Inflections.plural : Inflections.singular
        self.init(
            join: Join(
                key: key ?? inflect(relation.table), kind: .required,
                condition: .foreignKey(join), relation: relation),
            isKeyPlural: isKeyPlural)
    }
}
