import GRDB

/// A window: the rows that a window function can access for each row of a query.
///
/// ```swift
/// // SUM("score") OVER (PARTITION BY "team" ORDER BY "date")
/// let window = SQLWindow(partitionBy: [Column("team")], orderBy: [Column("date")])
/// sum(Column("score")).over(window)
/// ```
///
/// Name the window in the request to share it between several functions:
///
/// ```swift
/// // SELECT RANK() OVER "byScore", LAG("name") OVER "byScore"
/// // FROM "player" WINDOW "byScore" AS (ORDER BY "score" DESC)
/// Table("player")
///     .select(rank().over(.named("byScore")), lag(Column("name")).over(.named("byScore")))
///     .window(named: "byScore", SQLWindow(orderBy: [Column("score").desc]))
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/windowfunctions.html>
public struct SQLWindow: Sendable {
    /// The name of the window that this window extends.
    private let baseName: String?
    private let partitions: [SQLExpression]
    private let orderings: [SQLOrdering]
    private let frame: SQLWindowFrame?

    /// Creates a window.
    ///
    /// - parameters:
    ///     - baseName: the name of a window of the request. This window inherits its partitions and
    ///       order. The base window must have no frame. Only one of the two windows may have an
    ///       order, and this window must have no partitions.
    ///     - partitions: the expressions that divide the rows into partitions.
    ///     - orderings: the order of the rows within a partition.
    ///     - frame: the rows of the partition that belong to the window. By default, the rows up to
    ///       the current row and its ties; without orderings, all rows of the partition.
    public init(
        basedOn baseName: String? = nil, partitionBy partitions: [any SQLExpressible] = [],
        orderBy orderings: [any SQLOrderingTerm] = [], frame: SQLWindowFrame? = nil
    ) {
        self.baseName = baseName
        self.partitions = partitions.map(\.sqlExpression)
        self.orderings = orderings.map(\.sqlOrdering)
        self.frame = frame
    }

    /// Returns the window with the given name in the request.
    public static func named(_ name: String) -> SQLWindow {
        SQLWindow(basedOn: name)
    }

    /// Whether the window only refers to a window of the request.
    private var isReference: Bool {
        baseName != nil && partitions.isEmpty && orderings.isEmpty && frame == nil
    }
}

extension SQLWindow {
    /// `("base" PARTITION BY … ORDER BY … frame)`
    var definition: [SyntaxPiece] {
        var clauses: [[SyntaxPiece]] = []
        if let baseName { clauses.append([.text(baseName.quotedDatabaseIdentifier)]) }
        if !partitions.isEmpty {
            clauses.append(["PARTITION BY "] + .list(partitions.map { .expression($0) }))
        }
        if !orderings.isEmpty {
            clauses.append(["ORDER BY "] + .list(orderings.map { .ordering($0) }))
        }
        if let frame { clauses.append(frame.syntax) }
        return ["("] + clauses.joined(separator: [" "]) + [")"]
    }

    /// What follows `OVER`.
    var reference: [SyntaxPiece] {
        if isReference, let baseName { return [.text(baseName.quotedDatabaseIdentifier)] }
        return definition
    }
}

extension [SyntaxPiece] {
    /// The pieces with commas between them.
    fileprivate static func list(_ pieces: [SyntaxPiece]) -> Self {
        Array(pieces.map { [$0] }.joined(separator: [", "]))
    }
}

/// The rows of a partition that belong to a window, relative to the current row.
///
/// ```swift
/// // AVG("temperature") OVER (ORDER BY "day" ROWS BETWEEN 3 PRECEDING AND 3 FOLLOWING)
/// average(Column("temperature")).over(
///     orderBy: Column("day"),
///     frame: .rows(from: .preceding(3), to: .following(3)))
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/windowfunctions.html#frame_specifications>
public struct SQLWindowFrame: Sendable {
    /// The beginning or the end of a frame.
    public struct Bound: Sendable {
        fileprivate let offset: SQLExpression?
        fileprivate let sql: String

        private init(_ sql: String, offset: (any SQLExpressible)? = nil) {
            self.sql = sql
            self.offset = offset?.sqlExpression
        }

        /// The first row of the partition.
        public static let unboundedPreceding = Bound("UNBOUNDED PRECEDING")

        /// The current row. In ``SQLWindowFrame/range(from:to:excluding:)`` and
        /// ``SQLWindowFrame/groups(from:to:excluding:)``, the first or last row that is tied with
        /// the current row.
        public static let currentRow = Bound("CURRENT ROW")

        /// The last row of the partition.
        public static let unboundedFollowing = Bound("UNBOUNDED FOLLOWING")

        /// The given number of rows, groups or units before the current row.
        ///
        /// - parameter offset: a number that is not negative, and does not depend on columns.
        public static func preceding(_ offset: some SQLExpressible) -> Bound {
            Bound(" PRECEDING", offset: offset)
        }

        /// The given number of rows, groups or units after the current row.
        ///
        /// - parameter offset: a number that is not negative, and does not depend on columns.
        public static func following(_ offset: some SQLExpressible) -> Bound {
            Bound(" FOLLOWING", offset: offset)
        }

        fileprivate var syntax: [SyntaxPiece] {
            (offset.map { [.operand($0)] } ?? []) + [.text(sql)]
        }
    }

    /// The rows that are excluded from a frame.
    public enum Exclusion: String, Sendable {
        /// Excludes no row.
        case noOthers = "NO OTHERS"
        /// Excludes the current row.
        case currentRow = "CURRENT ROW"
        /// Excludes the current row and the rows that are tied with it.
        case group = "GROUP"
        /// Excludes the rows that are tied with the current row, but not the current row itself.
        case ties = "TIES"
    }

    private let unit: String
    private let start: Bound
    private let end: Bound
    private let exclusion: Exclusion?

    /// A frame whose bounds are numbers of rows.
    ///
    /// ```swift
    /// // ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    /// SQLWindowFrame.rows(from: .unboundedPreceding)
    /// ```
    public static func rows(
        from start: Bound, to end: Bound = .currentRow, excluding exclusion: Exclusion? = nil
    ) -> SQLWindowFrame {
        SQLWindowFrame(unit: "ROWS", start: start, end: end, exclusion: exclusion)
    }

    /// A frame whose bounds are distances from the current value of the ordering, which is a
    /// number.
    ///
    /// ```swift
    /// // RANGE BETWEEN 10 PRECEDING AND 10 FOLLOWING
    /// SQLWindowFrame.range(from: .preceding(10), to: .following(10))
    /// ```
    public static func range(
        from start: Bound, to end: Bound = .currentRow, excluding exclusion: Exclusion? = nil
    ) -> SQLWindowFrame {
        SQLWindowFrame(unit: "RANGE", start: start, end: end, exclusion: exclusion)
    }

    /// A frame whose bounds are numbers of groups. A group contains the rows that are tied in the
    /// order of the window.
    ///
    /// ```swift
    /// // GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW
    /// SQLWindowFrame.groups(from: .preceding(1), excluding: .currentRow)
    /// ```
    public static func groups(
        from start: Bound, to end: Bound = .currentRow, excluding exclusion: Exclusion? = nil
    ) -> SQLWindowFrame {
        SQLWindowFrame(unit: "GROUPS", start: start, end: end, exclusion: exclusion)
    }

    /// `ROWS BETWEEN … AND … EXCLUDE …`
    fileprivate var syntax: [SyntaxPiece] {
        var pieces: [SyntaxPiece] = [.text("\(unit) BETWEEN ")]
        pieces += start.syntax + [" AND "] + end.syntax
        if let exclusion { pieces.append(.text(" EXCLUDE \(exclusion.rawValue)")) }
        return pieces
    }
}
