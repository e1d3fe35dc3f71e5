import GRDB

/// A box in up to five dimensions, to compare with the rows of an ``RTree``.
///
/// ```swift
/// let view: RTreeRegion = [2.0...3.0, 48.0...49.0]
///
/// // SELECT * FROM "placeIndex"
/// // WHERE ("minX" <= 3.0) AND ("maxX" >= 2.0) AND ("minY" <= 49.0) AND ("maxY" >= 48.0)
/// let rows = try Table("placeIndex").all().overlapping(view).fetchAll(db)
/// ```
///
/// Use infinite bounds to ignore a dimension:
///
/// ```swift
/// let strip: RTreeRegion = [2.0...3.0, -Double.infinity...Double.infinity]
/// ```
public struct RTreeRegion: Hashable, Sendable {
    static let maximumDimensionCount = 5

    /// The range of the box in each dimension, in the order of the dimensions of the table.
    public var ranges: [ClosedRange<Double>]

    /// Creates a region from its ranges in each dimension.
    public init(_ ranges: [ClosedRange<Double>]) {
        self.ranges = ranges
    }

    /// Creates a region that is a single point.
    ///
    /// ```swift
    /// // The boxes that contain the point
    /// let rows = try Table("placeIndex").all()
    ///     .overlapping(RTreeRegion(point: [2.35, 48.85]))
    ///     .fetchAll(db)
    /// ```
    ///
    /// - parameter coordinates: the coordinate in each dimension. They must not be NaN.
    public init(point coordinates: [Double]) {
        ranges = coordinates.map { $0...$0 }
    }

    /// The number of dimensions.
    public var dimensionCount: Int { ranges.count }
}

extension RTreeRegion: ExpressibleByArrayLiteral {
    public init(arrayLiteral ranges: ClosedRange<Double>...) {
        self.ranges = ranges
    }
}

extension RTree {
    /// Returns the condition that the box of a row is inside a region.
    ///
    /// ```swift
    /// // SELECT * FROM "placeIndex"
    /// // WHERE ("minX" >= 2.0) AND ("maxX" <= 3.0) AND ("minY" >= 48.0) AND ("maxY" <= 49.0)
    /// let rows = try Table("placeIndex").filter(RTree.within(region)).fetchAll(db)
    /// ```
    ///
    /// The condition applies to the table of the request or association, or of the ``/GRDB/TableAlias``
    /// that qualifies it. It uses the index.
    ///
    /// In an R*Tree of reals, the region is rounded like the stored boxes, so that a row that was
    /// inserted with the bounds of the region is inside it.
    ///
    /// The statement fails if the table has no coordinates, or a different number of dimensions.
    public static func within(_ region: RTreeRegion) -> SQLExpression {
        .comparing(region, .within)
    }

    /// Returns the condition that the box of a row overlaps a region.
    ///
    /// ```swift
    /// // SELECT * FROM "placeIndex"
    /// // WHERE ("minX" <= 3.0) AND ("maxX" >= 2.0) AND ("minY" <= 49.0) AND ("maxY" >= 48.0)
    /// let rows = try Table("placeIndex").filter(RTree.overlaps(region)).fetchAll(db)
    /// ```
    ///
    /// Boxes that only touch also overlap. The condition applies to the table of the request or
    /// association, or of the ``/GRDB/TableAlias`` that qualifies it. It uses the index.
    ///
    /// The statement fails if the table has no coordinates, or a different number of dimensions.
    public static func overlaps(_ region: RTreeRegion) -> SQLExpression {
        .comparing(region, .overlaps)
    }

    /// Returns the condition that the box of a row contains a region.
    ///
    /// ```swift
    /// // SELECT * FROM "placeIndex"
    /// // WHERE ("minX" <= 2.0) AND ("maxX" >= 3.0) AND ("minY" <= 48.0) AND ("maxY" >= 49.0)
    /// let rows = try Table("placeIndex").filter(RTree.contains(region)).fetchAll(db)
    /// ```
    ///
    /// The condition applies to the table of the request or association, or of the ``/GRDB/TableAlias``
    /// that qualifies it. It uses the index.
    ///
    /// The statement fails if the table has no coordinates, or a different number of dimensions.
    public static func contains(_ region: RTreeRegion) -> SQLExpression {
        .comparing(region, .contains)
    }
}

extension TableRequest where Self: FilteredRequest {
    /// Filters the rows of an R*Tree whose boxes are inside a region. See ``RTree/within(_:)``.
    ///
    /// ```swift
    /// // SELECT * FROM "placeIndex"
    /// // WHERE ("minX" >= 2.0) AND ("maxX" <= 3.0) AND ("minY" >= 48.0) AND ("maxY" <= 49.0)
    /// let rows = try Table("placeIndex").all().within(region).fetchAll(db)
    /// ```
    public func within(_ region: RTreeRegion) -> Self { filter(RTree.within(region)) }

    /// Filters the rows of an R*Tree whose boxes overlap a region. See ``RTree/overlaps(_:)``.
    ///
    /// ```swift
    /// // SELECT * FROM "placeIndex"
    /// // WHERE ("minX" <= 3.0) AND ("maxX" >= 2.0) AND ("minY" <= 49.0) AND ("maxY" >= 48.0)
    /// let rows = try Table("placeIndex").all().overlapping(region).fetchAll(db)
    /// ```
    public func overlapping(_ region: RTreeRegion) -> Self { filter(RTree.overlaps(region)) }

    /// Filters the rows of an R*Tree whose boxes contain a region. See ``RTree/contains(_:)``.
    ///
    /// ```swift
    /// // SELECT * FROM "placeIndex"
    /// // WHERE ("minX" <= 2.0) AND ("maxX" >= 3.0) AND ("minY" <= 48.0) AND ("maxY" >= 49.0)
    /// let rows = try Table("placeIndex").all().containing(region).fetchAll(db)
    /// ```
    public func containing(_ region: RTreeRegion) -> Self { filter(RTree.contains(region)) }
}

private enum RTreeRelation {
    case within
    case overlaps
    case contains
}

extension SQLExpression {
    /// A comparison of each dimension of the R*Tree with a range of the region.
    fileprivate static func comparing(_ region: RTreeRegion, _ relation: RTreeRelation)
        -> SQLExpression
    {
        .dependingOnTable { db, table, schema in
            let columns = try db.rtreeColumns(of: table, in: schema)
            try columns.check(region)
            return zip(columns.dimensions, region.ranges).flatMap {
                dimension, range -> [SQLExpression] in
                let minimum = Column(dimension.minimum)
                let maximum = Column(dimension.maximum)
                switch relation {
                case .within:
                    let range = columns.areReals ? range.roundedOutward : range
                    return [minimum >= range.lowerBound, maximum <= range.upperBound]
                case .overlaps:
                    return [minimum <= range.upperBound, maximum >= range.lowerBound]
                case .contains:
                    return [minimum <= range.lowerBound, maximum >= range.upperBound]
                }
            }.joined(operator: .and)
        }
    }
}

/// The columns of an R*Tree.
struct RTreeColumns {
    let table: String
    let id: String
    let dimensions: [(minimum: String, maximum: String)]
    let areReals: Bool

    func check(_ region: RTreeRegion) throws {
        if region.dimensionCount != dimensions.count {
            throw DatabaseError(
                message: """
                    the region has \(region.dimensionCount) dimensions, and the R*Tree \(table) \
                    has \(dimensions.count)
                    """)
        }
    }
}

extension Database {
    /// Returns the columns of the R*Tree to which the current expression applies.
    func rtreeColumns(of table: String, in schema: String?) throws -> RTreeColumns {
        let columns = try columns(in: table, in: schema)
        // Auxiliary columns have no type.
        let coordinates = columns.dropFirst().prefix { ["REAL", "INT"].contains($0.type) }
        // An ordinary table may have such columns, too, but no index on them.
        let info = try tableOrView(table, in: schema)?.info
        let isOrdinaryTable = info.map { $0.kind == .table && !$0.isVirtualTable } ?? false
        guard !isOrdinaryTable, !coordinates.isEmpty, coordinates.count.isMultiple(of: 2) else {
            throw DatabaseError(message: "table \(table) is not an R*Tree")
        }
        let names = coordinates.map(\.name)
        return RTreeColumns(
            table: table, id: columns[0].name,
            dimensions: stride(from: 0, to: names.count, by: 2).map { (names[$0], names[$0 + 1]) },
            areReals: coordinates.allSatisfy { $0.type == "REAL" })
    }
}

extension ClosedRange<Double> {
    /// The range as stored by an R*Tree of reals.
    ///
    /// SQLite multiplies by these factors instead of computing the next float.
    fileprivate var roundedOutward: ClosedRange<Double> {
        let towardZero = 1.0 - 1.0 / 8_388_608
        let awayFromZero = 1.0 + 1.0 / 8_388_608
        var lower = Float(lowerBound)
        if Double(lower) > lowerBound {
            lower = Float(lowerBound * (lowerBound < 0 ? awayFromZero : towardZero))
        }
        var upper = Float(upperBound)
        if Double(upper) < upperBound {
            upper = Float(upperBound * (upperBound < 0 ? towardZero : awayFromZero))
        }
        return Double(lower)...Double(upper)
    }
}
