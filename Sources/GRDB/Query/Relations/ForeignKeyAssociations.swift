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
            key: key ?? Inflections.singular(of: destination.table),
            relation: destination,
            join: ForeignKeyJoin(
                origin: origin, destination: destination.tableName, foreignKey: foreignKey,
                isOriginLeft: true))
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
        _join = _AssociationJoin(
            key: key ?? Inflections.singular(of: destination.table),
            relation: destination,
            join: ForeignKeyJoin(
                origin: destination.tableName, destination: origin, foreignKey: foreignKey,
                isOriginLeft: false))
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
            key: key ?? Inflections.plural(of: destination.table),
            relation: destination,
            join: ForeignKeyJoin(
                origin: destination.tableName, destination: origin, foreignKey: foreignKey,
                isOriginLeft: false),
            isKeyPlural: true)
    }
}

extension _AssociationJoin {
    fileprivate init(
        key: String, relation: Relation, join: ForeignKeyJoin, isKeyPlural: Bool = false
    ) {
        self.init(
            join: Join(
                key: key, kind: .required, condition: .foreignKey(join), relation: relation),
            isKeyPlural: isKeyPlural)
    }
}
