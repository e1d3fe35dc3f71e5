/// The assignment of a value to a column, in an `INSERT` or `UPDATE` statement.
///
/// ```swift
/// Column("score").set(to: 0)
/// Column("score") += 10
/// ```
public struct ColumnAssignment: Sendable {
    /// The name of the assigned column.
    let columnName: String

    /// The new value; nil when the column should keep the one it has.
    let value: SQLExpression?

    init(columnName: String, value: SQLExpression?) {
        self.columnName = columnName
        self.value = value
    }
}

extension ColumnExpression {
    /// Assigns a value.
    ///
    /// ```swift
    /// // "score" = 100
    /// Column("score").set(to: 100)
    /// // "note" = NULL
    /// Column("note").set(to: nil)
    /// ```
    public func set(to value: (any SQLExpressible)?) -> ColumnAssignment {
        ColumnAssignment(
            columnName: name, value: value?.sqlExpression ?? DatabaseValue.null.sqlExpression)
    }

    /// Keeps the value of the column when an upsert updates the row.
    ///
    /// ```swift
    /// let upserted = try player.upsertAndFetch(
    ///     db, doUpdate: { _ in [Column("score").noOverwrite] })
    /// ```
    public var noOverwrite: ColumnAssignment {
        ColumnAssignment(columnName: name, value: nil)
    }

    private func compound(_ sqlOperator: String, _ value: some SQLExpressible) -> ColumnAssignment {
        let node = CompoundAssignment(
            column: name, sqlOperator: sqlOperator, value: value.sqlExpression)
        return ColumnAssignment(columnName: name, value: SQLExpression(node))
    }

    /// `"score" = "score" + value`
    public static func += (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.compound("+", value)
    }

    /// `"score" = "score" - value`
    public static func -= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.compound("-", value)
    }

    /// `"score" = "score" * value`
    public static func *= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.compound("*", value)
    }

    /// `"score" = "score" / value`
    public static func /= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.compound("/", value)
    }

    /// `"mask" = "mask" & value`
    public static func &= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.compound("&", value)
    }

    /// `"mask" = "mask" | value`
    public static func |= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.compound("|", value)
    }

    /// `"mask" = "mask" << value`
    public static func <<= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.compound("<<", value)
    }

    /// `"mask" = "mask" >> value`
    public static func >>= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.compound(">>", value)
    }
}

/// `"column" + value`
private struct CompoundAssignment: SQLNode {
    let column: String
    let sqlOperator: String
    let value: SQLExpression

    func write(to writer: SQLWriter) throws {
        writer.append(column: column)
        writer.append(sql: " \(sqlOperator) ")
        // Operands of other operators come without parentheses.
        let isAtom = value.node is DatabaseValue || value.node is ColumnNode
        if !isAtom { writer.append(sql: "(") }
        try value.write(to: writer)
        if !isAtom { writer.append(sql: ")") }
    }
}
