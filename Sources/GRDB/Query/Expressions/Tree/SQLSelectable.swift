/// A type that can be selected: an expression, or all columns of a table.
///
/// ```swift
/// // SELECT *, "rowid" FROM "player"
/// Player.select(.allColumns, .rowID)
///
/// // SELECT COUNT(*) FROM "player"
/// Player.select(count(.all))
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_select.html>
public protocol SQLSelectable {
    /// The SQL selection.
    var sqlSelection: SQLSelection { get }
}

/// A selection, as in `SELECT selection FROM …`.
public struct SQLSelection: Sendable {
    let node: any SQLNode

    init(_ node: any SQLNode) {
        self.node = node
    }
}

extension SQLSelection: SQLSelectable {
    public var sqlSelection: SQLSelection { self }
}

extension SQLSelection: SQLFragment {
    func write(to writer: SQLWriter) throws {
        try node.write(to: writer)
    }

    /// Whether the selected expression computes one value from all rows of a group.
    var isAggregate: Bool { node.isAggregate }
}

extension Optional: SQLSelectable where Wrapped: SQLSelectable {
    public var sqlSelection: SQLSelection {
        self?.sqlSelection ?? SQLSelection(DatabaseValue.null)
    }
}

// MARK: - Aliased expressions

extension SQLSpecificExpressible {
    /// Gives the expression a name in the selection and in fetched rows.
    ///
    /// ```swift
    /// // SELECT "score" + "bonus" AS "total" FROM "player"
    /// let request = Player.select { ($0.score + $0.bonus).forKey("total") }
    /// let row = try Row.fetchOne(db, request)!
    /// let total: Int = row["total"]
    /// ```
    ///
    /// Other parts of the request refer to the expression as `Column("total").detached`.
    public func forKey(_ key: String) -> SQLSelection {
        SQLSelection(NamedExpression(expression: sqlExpression, name: key))
    }

    /// Gives the expression the name of a coding key in the selection and in fetched rows.
    public func forKey(_ key: some CodingKey) -> SQLSelection {
        forKey(key.stringValue)
    }
}

/// `expression AS "name"`
struct NamedExpression: SQLOperation {
    let expression: SQLExpression
    let name: String

    var traits: SQLTraits { expression.traits.whenInherited.union(.named) }

    var operands: [SQLExpression] { [expression] }

    var selectedExpression: SQLExpression? { expression }

    func write(to writer: SQLWriter) throws {
        try expression.write(to: writer)
        writer.append(sql: " AS ")
        writer.append(identifier: name)
    }
}
