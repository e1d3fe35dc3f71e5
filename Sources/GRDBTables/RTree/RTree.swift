import GRDB

/// A virtual table module for R*Tree indexes of boxes and ranges.
///
/// ```swift
/// // CREATE VIRTUAL TABLE "placeIndex" USING rtree("id", "minX", "maxX", "minY", "maxY")
/// try db.create(virtualTable: "placeIndex", using: RTree()) { t in
///     t.dimension("minX", "maxX")
///     t.dimension("minY", "maxY")
/// }
/// ```
///
/// Each row is a box in one to five dimensions, with an integer identifier. Coordinates are numbers: storing
/// NULL, NaN or a string that is no number fails with `SQLITE_CONSTRAINT`. Find boxes with an
/// ``RTreeRegion``, or with an ``RTreeGeometry`` written in Swift:
///
/// ```swift
/// let view: RTreeRegion = [2.0...3.0, 48.0...49.0]
/// let rows = try Table("placeIndex").all().overlapping(view).fetchAll(db)
/// ```
///
/// An R*Tree of reals stores coordinates as 32-bit floats. SQLite rounds lower bounds down and
/// upper bounds up, so that a stored box is never smaller than the inserted box. So a stored box
/// may overlap a region that the inserted box does not quite touch. To exclude such rows, also
/// compare the exact coordinates in the indexed table.
///
/// Related SQLite documentation: <https://www.sqlite.org/rtree.html>
public struct RTree: Sendable {
    /// The type of coordinates.
    public enum Coordinates: Hashable, Sendable {
        /// 32-bit floats: the `rtree` module.
        case reals

        /// 32-bit signed integers: the `rtree_i32` module. SQLite truncates fractions.
        case integers
    }

    private let coordinates: Coordinates

    /// Creates the module.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "meeting" USING rtree_i32("id", "start", "end")
    /// try db.create(virtualTable: "meeting", using: RTree(.integers)) { t in
    ///     t.dimension("start", "end")
    /// }
    /// ```
    ///
    /// - parameter coordinates: the type of coordinates.
    public init(_ coordinates: Coordinates = .reals) {
        self.coordinates = coordinates
    }
}

extension RTree: VirtualTableModule {
    public var moduleName: String {
        switch coordinates {
        case .reals: "rtree"
        case .integers: "rtree_i32"
        }
    }

    public func makeTableDefinition(
        configuration: VirtualTableConfiguration
    ) -> RTreeTableDefinition {
        RTreeTableDefinition()
    }

    public func moduleArguments(for definition: RTreeTableDefinition, in db: Database) -> [String] {
        definition.moduleArguments
    }

    public func database(
        _ db: Database, didCreate tableName: String, using definition: RTreeTableDefinition
    ) {}
}

/// The definition of an R*Tree. See ``RTree``.
///
/// A definition may only be used in the closure that receives it.
///
/// Related SQLite documentation: <https://www.sqlite.org/rtree.html#creating_an_r_tree_index>
public final class RTreeTableDefinition {
    /// The name of the first column, the integer primary key. The default is `id`.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "placeIndex" USING rtree("placeID", "minX", "maxX")
    /// try db.create(virtualTable: "placeIndex", using: RTree()) { t in
    ///     t.idColumn = "placeID"
    ///     t.dimension("minX", "maxX")
    /// }
    /// ```
    public var idColumn = "id"

    private var dimensions: [(minimum: String, maximum: String)] = []
    private var auxiliaryColumns: [String] = []

    fileprivate init() {}

    /// Adds a dimension, with columns for its lower and upper bounds. An R*Tree has one to five
    /// dimensions.
    ///
    /// An insertion fails with `SQLITE_CONSTRAINT` if the lower bound is above the upper bound, or if one of them is
    /// not a number; in an R*Tree of integers, also if it has more than 32 bits.
    ///
    /// - parameter minimum: the name of the column for lower bounds.
    /// - parameter maximum: the name of the column for upper bounds.
    public func dimension(_ minimum: String, _ maximum: String) {
        dimensions.append((minimum, maximum))
    }

    /// Adds a column that is stored with each box, but not indexed.
    ///
    /// ```swift
    /// // CREATE VIRTUAL TABLE "place" USING rtree("id", "minX", "maxX", +"name")
    /// try db.create(virtualTable: "place", using: RTree()) { t in
    ///     t.dimension("minX", "maxX")
    ///     t.auxiliary("name")
    /// }
    /// ```
    ///
    /// The column has no type and no constraints: SQLite ignores them. It stores values of any type.
    ///
    /// - parameter name: the name of the column.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/rtree.html#auxiliary_columns>
    public func auxiliary(_ name: String) {
        auxiliaryColumns.append(name)
    }

    fileprivate var moduleArguments: [String] {
        let bounds = dimensions.flatMap { [$0.minimum, $0.maximum] }
        return ([idColumn] + bounds).map(\.quotedDatabaseIdentifier)
            + auxiliaryColumns.map { "+" + $0.quotedDatabaseIdentifier }
    }
}

extension RTreeTableDefinition: CheckedVirtualTableDefinition {
    package func check(_ context: VirtualTableContext) throws {
        guard 1...RTreeRegion.maximumDimensionCount ~= dimensions.count else {
            throw context.error("R*Trees have one to five dimensions, not \(dimensions.count)")
        }
    }
}

extension Database {
    /// Returns the inconsistencies of an R*Tree; empty if there are none.
    ///
    /// ```swift
    /// // SELECT rtreecheck('main', 'placeIndex')
    /// let problems = try dbQueue.read { db in
    ///     try db.rtreeProblems(in: "placeIndex")
    /// }
    /// ```
    ///
    /// ``/GRDBServer/GRDB/Database/integrityProblems(in:quick:limit:)`` checks the whole file, including R*Trees.
    ///
    /// - parameter tableName: the name of an R*Tree.
    /// - parameter schemaName: the schema of the table; nil for `main`.
    /// - returns: up to 100 descriptions.
    /// - throws: a ``/GRDB/DatabaseError``, also if there is no such table. A table that is not an R*Tree is
    ///   reported as a problem instead.
    /// - complexity: reads the whole index.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/rtree.html#integrity_checks_using_the_rtreecheck_sql_function>
    public func rtreeProblems(
        in tableName: String, schema schemaName: String? = nil
    ) throws -> [String] {
        guard try tableExists(tableName, in: schemaName ?? "main") else {
            throw DatabaseError.noSuchTable(tableName)
        }
        let report = try String.fetchOne(
            self, sql: "SELECT rtreecheck(?, ?)", arguments: [schemaName ?? "main", tableName])
        guard let report, report != "ok" else { return [] }
        return report.split(separator: "\n").map(String.init)
    }

    /// Throws an error if an R*Tree is inconsistent.
    ///
    /// - parameter tableName: the name of an R*Tree.
    /// - parameter schemaName: the schema of the table; nil for `main`.
    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_CORRUPT` that describes the first problem; of code
    ///   `SQLITE_ERROR` if there is no such table.
    /// - complexity: reads the whole index.
    public func checkRTree(_ tableName: String, schema schemaName: String? = nil) throws {
        if let problem = try rtreeProblems(in: tableName, schema: schemaName).first {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: problem)
        }
    }
}
