/// An association to one row, through another association to one row.
///
/// ```swift
/// struct Book: TableRecord {
///     static let library = belongsTo(Library.self)
///     static let returnAddress = hasOne(Address.self, through: library, using: Library.address)
/// }
///
/// struct Library: TableRecord {
///     static let address = hasOne(Address.self)
/// }
///
/// struct Address: TableRecord { }
///
/// // SELECT "book".*, "address".*
/// // FROM "book"
/// // JOIN "library" ON "library"."id" = "book"."libraryId"
/// // JOIN "address" ON "address"."libraryId" = "library"."id"
/// Book.including(required: Book.returnAddress)
/// ```
///
/// The key of the association is the key of the association that leads to the associated row.
///
/// See <doc:PairsAndTrees#Cross-a-table-of-pairs>.
public struct HasOneThroughAssociation<Origin, Destination>: AssociationToOne {
    public typealias OriginRowDecoder = Origin
    public typealias RowDecoder = Destination

    public var _join: _AssociationJoin

    init(through pivot: _AssociationJoin, using target: _AssociationJoin, key: String?) {
        _join = _AssociationJoin(through: pivot, using: target)
        _join.join.key = key ?? target.joinedKey
    }
}

/// An association to any number of rows, through another association.
///
/// ```swift
/// struct Country: TableRecord {
///     static let passports = hasMany(Passport.self)
///     static let citizens = hasMany(Citizen.self, through: passports, using: Passport.citizen)
/// }
///
/// struct Passport: TableRecord {
///     static let citizen = belongsTo(Citizen.self)
/// }
///
/// struct Citizen: TableRecord { }
///
/// // SELECT * FROM "country"
/// // SELECT "citizen".*, "passport"."countryCode" AS "grdb_countryCode"
/// // FROM "citizen"
/// // JOIN "passport" ON ("passport"."citizenId" = "citizen"."id")
/// //                AND ("passport"."countryCode" IN ('FR', 'US'))
/// Country.including(all: Country.citizens)
/// ```
///
/// The key of the association is the plural of the key of the association that leads to the
/// associated rows, and its singular when the associated table is joined.
///
/// See <doc:PairsAndTrees#Cross-a-table-of-pairs>.
public struct HasManyThroughAssociation<Origin, Destination>: AssociationToMany {
    public typealias OriginRowDecoder = Origin
    public typealias RowDecoder = Destination

    public var _join: _AssociationJoin

    init(through pivot: _AssociationJoin, using target: _AssociationJoin, key: String?) {
        _join = _AssociationJoin(through: pivot, using: target)
        _join.join.key = key ?? Inflections.plural(of: target.join.key)
        _join.isKeyPlural = true
    }
}

extension _AssociationJoin {
    fileprivate init(through pivot: _AssociationJoin, using target: _AssociationJoin) {
        var lastPivot = pivot.join
        lastPivot.key = pivot.joinedKey
        lastPivot.prefetchedKey = pivot.join.key
        self.init(join: target.join, pivots: pivot.pivots + [lastPivot] + target.pivots)
    }
}
