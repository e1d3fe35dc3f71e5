import GRDB

/// A custom shape for queries of an ``RTree``, such as a circle, a triangle, or the surroundings of
/// a route.
///
/// ```swift
/// // Matches the boxes that overlap a circle
/// let circle = RTreeGeometry("circle") { cell in
///     let (x, y, radius) = try (cell.number(at: 0), cell.number(at: 1), cell.number(at: 2))
///     let (xs, ys) = (cell.region.ranges[0], cell.region.ranges[1])
///     let dx = max(xs.lowerBound - x, 0, x - xs.upperBound)
///     let dy = max(ys.lowerBound - y, 0, y - ys.upperBound)
///     return dx * dx + dy * dy <= radius * radius ? .partly : .outside
/// }
///
/// var config = Configuration()
/// config.prepareDatabase { db in
///     try db.add(geometry: circle)
/// }
///
/// // SELECT * FROM "placeIndex" WHERE "id" MATCH circle(2.35, 48.85, 0.1)
/// let rows = try Table("placeIndex").filter(circle(2.35, 48.85, 0.1)).fetchAll(db)
/// ```
///
/// SQLite calls the closure with the boxes of the nodes of the tree, starting at the root, and then
/// with the boxes of rows. It skips the descendants of nodes that are outside of the shape.
///
/// If the closure throws an error, the statement fails with that error.
///
/// Related SQLite documentation:
/// <https://www.sqlite.org/rtree.html#custom_r_tree_queries>
public final class RTreeGeometry: Sendable {
    /// The name of the SQL function. ASCII case is ignored.
    public let name: String

    private let function: @Sendable (RTreeCell) throws -> RTreeMatch

    /// Creates a geometry.
    ///
    /// - parameter name: the name of the SQL function for the shape.
    /// - parameter function: returns the position of a box relative to the shape. It is called on
    ///   the thread of the connection, while a statement runs: it must not use the connection.
    public init(_ name: String, function: @escaping @Sendable (RTreeCell) throws -> RTreeMatch) {
        self.name = name
        self.function = function
    }

    /// Returns the condition that the box of a row matches the shape.
    ///
    /// ```swift
    /// // SELECT * FROM "placeIndex" WHERE "id" MATCH circle(2.35, 48.85, 0.1)
    /// let rows = try Table("placeIndex").filter(circle(2.35, 48.85, 0.1)).fetchAll(db)
    /// ```
    ///
    /// The condition applies to the table of the request or association, or of the ``/GRDB/TableAlias`` that
    /// qualifies it, which must be an R*Tree.
    ///
    /// - parameter parameters: the values that the closure receives in ``RTreeCell/parameters``.
    public func callAsFunction(_ parameters: any SQLExpressible...) -> SQLExpression {
        let parameters = parameters.map(\.sqlExpression)
        return .dependingOnTable(parameters, isMatch: true) { [name] db, table, schema in
            let id = Column(try db.rtreeColumns(of: table, in: schema).id)
            let name = name.quotedIfNeeded
            return SQL("\(id) MATCH \(SQLExpression.function(name, arguments: parameters))")
                .sqlExpression
        }
    }

    fileprivate func register(in db: Database) throws {
        let geometry = RawRTreeGeometry { [name, function, unowned raw = db.raw] rawCell in
            do {
                let match = try function(RTreeCell(rawCell))
                if let score = match.score {
                    // SQLite treats negative scores as missing scores.
                    guard score >= 0 else {
                        throw DatabaseError(
                            resultCode: .SQLITE_MISUSE,
                            message:
                                "geometry \(name): the score \(score) is not a number from 0 on")
                    }
                    rawCell.setScore(score)
                }
                rawCell.setMatch(match.kind)
                return ResultCode.SQLITE_OK.rawValue
            } catch {
                return raw.keepCallbackError(error).code
            }
        }
        do throws(RawFailure) {
            try geometry.register(in: db.raw, name: name)
        } catch {
            throw DatabaseError(error)
        }
    }
}

/// The position of the box of an ``RTreeCell`` relative to a shape.
public struct RTreeMatch: Hashable, Sendable {
    let kind: RawRTreeCell.Match
    let score: Double?

    /// The box is outside of the shape. Neither the row, nor any row below the node, is found.
    public static let outside = RTreeMatch(kind: .outside, score: nil)

    /// The box may be partly inside the shape. The row is found. The boxes below the node are
    /// checked.
    public static let partly = RTreeMatch(kind: .partly, score: nil)

    /// The whole box is inside the shape. The row is found, and so are all rows below the node,
    /// unless their own calls return ``outside``: see ``RTreeCell/isParentWithin``.
    public static let within = RTreeMatch(kind: .within, score: nil)

    /// Like ``partly``, with a score.
    ///
    /// - parameter score: a number that is not negative. SQLite visits boxes in ascending order of
    ///   their scores. So rows are returned in the order of their scores if the score of a node is
    ///   never greater than the scores below it. By default, a box has the score of its parent.
    public static func partly(score: Double) -> RTreeMatch {
        RTreeMatch(kind: .partly, score: score)
    }

    /// Like ``within``, with a score.
    ///
    /// - parameter score: a number that is not negative: see ``partly(score:)``.
    public static func within(score: Double) -> RTreeMatch {
        RTreeMatch(kind: .within, score: score)
    }
}

/// The box of a row or a node of an R*Tree, for an ``RTreeGeometry``.
public struct RTreeCell: Sendable {
    /// The box of the row, or the bounding box of all rows below the node.
    public let region: RTreeRegion

    /// The arguments of the SQL function.
    public let parameters: [DatabaseValue]

    /// The level of the box in the tree: 0 for rows.
    public let level: Int

    /// The number of levels of the tree.
    public let levelCount: Int

    /// The identifier of the row; nil for a node.
    public let rowID: Int64?

    /// The score of the parent node; 0 for the root.
    public let parentScore: Double

    /// Whether the closure has returned ``RTreeMatch/within`` for the parent node, in which case
    /// all boxes below it are inside the shape, too.
    public let isParentWithin: Bool

    fileprivate init(_ cell: RawRTreeCell) {
        region = RTreeRegion(
            stride(from: 0, to: cell.coordinateCount - 1, by: 2).map { index in
                let lower = cell.coordinate(at: index)
                // A damaged file may contain invalid bounds.
                let upper = cell.coordinate(at: index + 1)
                return lower <= upper ? lower...upper : -Double.infinity...Double.infinity
            })
        // The parameters are the same in all calls of a query.
        let query = cell.queryObject {
            RTreeParameters(
                (0..<cell.parameterCount).map {
                    DatabaseValue(rawValue: cell.parameter(at: $0))
                })
        }
        parameters = (query as! RTreeParameters).values
        level = cell.level
        levelCount = cell.levelCount
        rowID = cell.level == 0 ? cell.rowID : nil
        parentScore = cell.parentScore
        isParentWithin = cell.isParentWithin
    }

    /// Returns a parameter as a number.
    ///
    /// - parameter index: the zero-based index of the parameter.
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_MISMATCH` if there is no such parameter, or if it is
    ///   not a number.
    public func number(at index: Int) throws -> Double {
        guard parameters.indices.contains(index) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISMATCH, message: "there is no parameter \(index + 1)")
        }
        guard let number = Double.fromDatabaseValue(parameters[index]) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISMATCH,
                message: "parameter \(index + 1) is not a number: \(parameters[index])")
        }
        return number
    }
}

private final class RTreeParameters {
    let values: [DatabaseValue]

    init(_ values: [DatabaseValue]) {
        self.values = values
    }
}

extension Database {
    /// Adds a geometry for R*Trees, or replaces the one with the same name.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in
    ///     try db.add(geometry: circle)
    /// }
    /// ```
    ///
    /// - throws: a ``/GRDB/DatabaseError``: of code `SQLITE_MISUSE` if the connection is closed or does
    ///   not belong to the current thread, or if the name contains a NUL character or has more than
    ///   255 bytes; of code `SQLITE_BUSY` if the geometry already exists, and a statement is
    ///   running.
    public func add(geometry: RTreeGeometry) throws {
        try checkAccess()
        try Self.checkName(geometry.name, of: "geometry")
        try geometry.register(in: self)
    }
}
