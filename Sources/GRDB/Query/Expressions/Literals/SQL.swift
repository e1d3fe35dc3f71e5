/// A piece of SQL with Swift values in it: a whole query, an expression or a fragment.
///
/// Interpolated values become statement arguments. They can cause neither syntax errors nor SQL
/// injection.
///
/// ```swift
/// try dbQueue.write { db in
///     let name = "O'Brien"
///     let id = 42
///     // UPDATE player SET name = ? WHERE id = ?
///     try db.execute(literal: "UPDATE player SET name = \(name) WHERE id = \(id)")
/// }
/// ```
///
/// See ``SQLInterpolation`` for the supported interpolations.
///
/// See <doc:SQLLiterals>.
public struct SQL: Sendable {
    /// Text with the values of its parameters, or a part of a query that writes itself.
    enum Piece: Sendable {
        case text(String, StatementArguments)
        case node(any SQLNode)
    }

    /// The pieces of the literal, in the order in which they are written.
    ///
    /// Not an array, because `literal + other` would copy all previous pieces.
    private(set) var pieces: Rope<Piece> = []

    /// The depth of the deepest expression.
    private(set) var depth = 0

    /// Creates an empty literal.
    init() {}

    init(pieces: [Piece]) {
        self.pieces = Rope(pieces)
        for case .node(let node) in pieces { depth = max(depth, node.depth) }
    }

    mutating func append(_ node: any SQLNode) {
        // The pieces are appended to this literal, so that repeated concatenation does not create
        // deep trees.
        switch node {
        case let literal as ExpressionLiteral: append(literal: literal.sql)
        case let literal as SQL: append(literal: literal)
        default:
            pieces.append(.node(node))
            depth = max(depth, node.depth)
        }
    }

    /// Appends a literal.
    public mutating func append(literal sqlLiteral: SQL) {
        pieces += sqlLiteral.pieces
        depth = max(depth, sqlLiteral.depth)
    }

    /// Appends a plain SQL string, and optional arguments.
    public mutating func append(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) {
        pieces.append(.text(sql, arguments))
    }
}

extension SQL {
    /// Creates a literal from a plain SQL string, and optional arguments.
    ///
    /// ```swift
    /// let query = SQL(sql: "UPDATE player SET name = ?", arguments: [name])
    /// ```
    public init(sql: String, arguments: StatementArguments = StatementArguments()) {
        self.init()
        append(sql: sql, arguments: arguments)
    }

    /// Creates a literal from an SQL expression.
    ///
    /// ```swift
    /// let columnLiteral = SQL(Column("username"))
    /// ```
    public init(_ expression: some SQLSpecificExpressible) {
        self.init()
        append(expression.sqlExpression.node)
    }

    /// Whether the literal generates an empty SQL string.
    public var isEmpty: Bool {
        pieces.allSatisfy { piece in
            switch piece {
            case .text(let sql, _): sql.isEmpty
            case .node(let node):
                ((node as? EmbeddedQuery)?.subquery.node as? SQL)?.isEmpty ?? false
            }
        }
    }

    /// Returns the SQL text and the arguments of the literal.
    ///
    /// ```swift
    /// let query: SQL = "UPDATE player SET name = \(name) WHERE id = \(id)"
    /// let (sql, arguments) = try query.build(db)
    /// print(sql) // UPDATE player SET name = ? WHERE id = ?
    /// ```
    ///
    /// - throws: a ``DatabaseError`` if a named argument has several values.
    public func build(_ db: Database) throws -> (sql: String, arguments: StatementArguments) {
        let context = try StatementWriter.writing(self, db)
        return (context.sql, context.arguments)
    }

    // MARK: - Concatenation

    /// Returns the concatenation of two literals.
    public static func + (lhs: SQL, rhs: SQL) -> SQL {
        var result = lhs
        result.append(literal: rhs)
        return result
    }

    /// Appends the right literal to the left one.
    public static func += (lhs: inout SQL, rhs: SQL) {
        lhs.append(literal: rhs)
    }
}

/// A literal that is used as an expression.
struct ExpressionLiteral: SQLNode {
    let sql: SQL

    /// Requests ask whether the text is opaque only if they are counted or observed, because the
    /// answer requires a search for function calls in the text.
    var traits: SQLTraits { .compound }

    /// The literal itself, if it may call functions. The literal reports whether it is opaque.
    var children: [any SQLNode] { sql.mayCallFunctions ? [sql] : [] }

    func write(to writer: SQLWriter) throws {
        try sql.write(to: writer)
    }

    /// The text may contain any operator.
    var depth: Int { 1 + sql.depth }
}

extension SQL: SQLNode {
    var traits: SQLTraits { .opaque }

    /// None: only SQLite can parse the text.
    var children: [any SQLNode] { [] }

    var selectedColumns: SelectedColumns { .unknown }

    func reversedOrdering() throws -> (any SQLNode)? {
        throw DatabaseError(
            misuse: """
                Ordering literals can't be reversed. To resolve this error, order by \
                expression literals instead. For example: \
                order(SQL("(score + bonus)").sqlExpression)
                """)
    }

    func write(to writer: SQLWriter) throws {
        try writer.checkStack()
        for piece in pieces {
            switch piece {
            case .text(let sql, let arguments):
                writer.context.append(literal: sql)
                try writer.append(arguments: arguments)
            case .node(let node):
                try node.write(to: writer)
            }
        }
    }
}

extension SQL: SQLSpecificExpressible {
    public var sqlExpression: SQLExpression { SQLExpression(ExpressionLiteral(sql: self)) }

    public var sqlSelection: SQLSelection { SQLSelection(self) }

    public var sqlOrdering: SQLOrdering { SQLOrdering(self) }
}

extension SQL: ExpressibleByStringInterpolation {
    public init(unicodeScalarLiteral: String) {
        self.init(sql: unicodeScalarLiteral)
    }

    public init(extendedGraphemeClusterLiteral: String) {
        self.init(sql: extendedGraphemeClusterLiteral)
    }

    public init(stringLiteral: String) {
        self.init(sql: stringLiteral)
    }

    public init(stringInterpolation sqlInterpolation: SQLInterpolation) {
        self = sqlInterpolation.sql
    }
}

extension Sequence<SQL> {
    /// Returns the concatenation of the literals, with a separator between them.
    ///
    /// ```swift
    /// let conditions: [SQL] = ["score > \(10)", "name IS NOT NULL"]
    /// let condition = conditions.joined(separator: " AND ")
    /// ```
    public func joined(separator: String = "") -> SQL {
        var result = SQL()
        for (index, literal) in enumerated() {
            if index > 0, !separator.isEmpty {
                result.append(sql: separator)
            }
            result.append(literal: literal)
        }
        return result
    }
}

extension Collection<SQL> {
    /// Returns the concatenation of the literals, with a separator between them.
    public func joined(separator: String = "") -> SQL {
        AnySequence(self).joined(separator: separator)
    }
}

/// Returns the given number of question marks, separated with commas.
///
/// ```swift
/// databaseQuestionMarks(count: 3) // "?,?,?"
/// ```
public func databaseQuestionMarks(count: Int) -> String {
    repeatElement("?", count: Swift.max(0, count)).joined(separator: ",")
}
