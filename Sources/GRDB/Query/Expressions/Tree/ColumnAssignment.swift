/// The assignment of a value to a column, in an `INSERT` or `UPDATE` statement.
///
/// ```swift
/// Column("score").set(to: 0)
/// Column("score") += 10
/// ```
public struct ColumnAssignment: Sendable {
    /// The name of the assigned column.
    package let columnName: String

    /// The new value: the column itself if it keeps its value.
    package let value: SQLExpression

    /// Whether the column keeps its value.
    package var keepsValue = false
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
        ColumnAssignment(columnName: name, value: value.orNull)
    }

    /// An assignment that preserves the value of the column when an upsert updates the row.
    ///
    /// ```swift
    /// let upserted = try player.upsertAndFetch(
    ///     db, doUpdate: { _ in [Column("score").noOverwrite] })
    /// ```
    public var noOverwrite: ColumnAssignment {
        ColumnAssignment(columnName: name, value: Column(name).sqlExpression, keepsValue: true)
    }

    /// `"score" = "score" + value`
    public static func += (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column + value)
    }

    /// `"score" = "score" - value`
    public static func -= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column - value)
    }

    /// `"score" = "score" * value`
    public static func *= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column * value)
    }

    /// `"score" = "score" / value`
    public static func /= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column / value)
    }

    /// `"score" = "score" % value`
    public static func %= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column % value)
    }

    /// `"mask" = "mask" & value`
    public static func &= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column & value)
    }

    /// `"mask" = "mask" | value`
    public static func |= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column | value)
    }

    /// `"mask" = ("mask" | value) - ("mask" & value)`
    public static func ^= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column ^ value)
    }

    /// `"mask" = "mask" << value`
    public static func <<= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column << value)
    }

    /// `"mask" = "mask" >> value`
    public static func >>= (column: Self, value: some SQLExpressible) -> ColumnAssignment {
        column.set(to: column >> value)
    }
}
