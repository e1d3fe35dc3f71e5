import GRDB

// Operations on typed texts and booleans.

// MARK: - Texts

extension TypedExpressible<String> {
    /// `left || right`: concatenation.
    ///
    /// ```swift
    /// // ("firstName" || ' ') || "lastName"
    /// Player.Columns.firstName + " " + Player.Columns.lastName
    /// ```
    public static func + (lhs: Self, rhs: String) -> TypedExpression<String> {
        TypedExpression([lhs.untyped, rhs.sqlExpression].joined(operator: .concat))
    }

    /// `left || right`: concatenation.
    public static func + (lhs: String, rhs: Self) -> TypedExpression<String> {
        TypedExpression([lhs.sqlExpression, rhs.untyped].joined(operator: .concat))
    }

    /// `left || right`: concatenation.
    public static func + (
        lhs: Self, rhs: some TypedExpressible<String>
    ) -> TypedExpression<String> {
        TypedExpression([lhs.untyped, rhs.untyped].joined(operator: .concat))
    }

    /// `left || right`: concatenation. NULL if an operand is NULL.
    public static func + (
        lhs: Self, rhs: some TypedExpressible<String?>
    ) -> TypedExpression<String?> {
        TypedExpression([lhs.untyped, rhs.untyped].joined(operator: .concat))
    }
}

extension TypedExpressible<String?> {
    /// `left || right`: concatenation. NULL if an operand is NULL.
    public static func + (lhs: Self, rhs: String) -> TypedExpression<String?> {
        TypedExpression([lhs.untyped, rhs.sqlExpression].joined(operator: .concat))
    }

    /// `left || right`: concatenation. NULL if an operand is NULL.
    public static func + (lhs: String, rhs: Self) -> TypedExpression<String?> {
        TypedExpression([lhs.sqlExpression, rhs.untyped].joined(operator: .concat))
    }

    /// `left || right`: concatenation. NULL if an operand is NULL.
    public static func + (
        lhs: Self, rhs: some TypedExpressible<String>
    ) -> TypedExpression<String?> {
        TypedExpression([lhs.untyped, rhs.untyped].joined(operator: .concat))
    }

    /// `left || right`: concatenation. NULL if an operand is NULL.
    public static func + (
        lhs: Self, rhs: some TypedExpressible<String?>
    ) -> TypedExpression<String?> {
        TypedExpression([lhs.untyped, rhs.untyped].joined(operator: .concat))
    }
}

extension TypedExpressible {
    /// Compares the string with a pattern, in which `%` stands for any characters and `_` for one.
    /// See ``/GRDB/SQLSpecificExpressible/like(_:escape:)``.
    public func like(_ pattern: String, escape: String? = nil) -> SQLExpression
    where Value == String {
        untyped.like(pattern, escape: escape)
    }

    /// Compares the string with a pattern, in which `%` stands for any characters and `_` for one.
    /// See ``/GRDB/SQLSpecificExpressible/like(_:escape:)``.
    public func like(_ pattern: String, escape: String? = nil) -> SQLExpression
    where Value == String? {
        untyped.like(pattern, escape: escape)
    }
}

// MARK: - Booleans

extension TypedExpressible<Bool> {
    /// `NOT value`
    public static prefix func ! (value: Self) -> TypedExpression<Bool> {
        TypedExpression(!value.untyped)
    }

    /// `NOT value`, for contexts that require an untyped expression.
    @_disfavoredOverload
    public static prefix func ! (value: Self) -> SQLExpression { !value.untyped }

    /// `left AND right`
    public static func && (lhs: Self, rhs: some TypedExpressible<Bool>) -> SQLExpression {
        lhs.untyped && rhs.untyped
    }

    /// `left AND right`
    public static func && (lhs: Self, rhs: any SQLSpecificExpressible) -> SQLExpression {
        lhs.untyped && rhs
    }

    /// `left AND right`
    public static func && (lhs: any SQLSpecificExpressible, rhs: Self) -> SQLExpression {
        lhs && rhs.untyped
    }

    /// `left OR right`
    public static func || (lhs: Self, rhs: some TypedExpressible<Bool>) -> SQLExpression {
        lhs.untyped || rhs.untyped
    }

    /// `left OR right`
    public static func || (lhs: Self, rhs: any SQLSpecificExpressible) -> SQLExpression {
        lhs.untyped || rhs
    }

    /// `left OR right`
    public static func || (lhs: any SQLSpecificExpressible, rhs: Self) -> SQLExpression {
        lhs || rhs.untyped
    }
}

extension TypedExpressible<Bool?> {
    /// `NOT value`: NULL if the value is NULL.
    public static prefix func ! (value: Self) -> TypedExpression<Bool?> {
        TypedExpression(!value.untyped)
    }
}

// MARK: - NULL

extension TypedExpressible {
    /// The `IFNULL` SQL function: the left value, or the right value if the left value is NULL.
    ///
    /// ```swift
    /// // IFNULL("score", 0)
    /// Player.Columns.score ?? 0
    /// ```
    public static func ?? <Wrapped: SQLExpressible>(
        lhs: Self, rhs: Wrapped
    ) -> TypedExpression<Wrapped> where Value == Wrapped? {
        TypedExpression(lhs.untyped ?? rhs)
    }

    /// The `IFNULL` SQL function: the left value, or the right value if the left value is NULL.
    public static func ?? <Wrapped>(
        lhs: Self, rhs: some TypedExpressible<Wrapped>
    ) -> TypedExpression<Wrapped> where Value == Wrapped? {
        TypedExpression(lhs.untyped ?? rhs.untyped)
    }
}

// MARK: - Assignments

extension TypedColumn<String> {
    /// `"name" = "name" || value`
    public static func += (column: Self, value: String) -> ColumnAssignment {
        column.set(to: column + value)
    }
}

extension TypedColumn<String?> {
    /// `"name" = "name" || value`
    public static func += (column: Self, value: String) -> ColumnAssignment {
        column.set(to: column + value)
    }
}

extension TypedColumn {
    /// `"column" = "column" + value`
    public static func += (column: Self, value: Value) -> ColumnAssignment
    where Value: Numeric & SQLExpressible {
        column.set(to: column + value)
    }

    /// `"column" = "column" + value`
    public static func += (
        column: Self, value: some TypedExpressible<Value>
    ) -> ColumnAssignment where Value: Numeric & SQLExpressible {
        column.set(to: column + value)
    }

    /// `"column" = "column" + value`
    public static func += <Number: Numeric & SQLExpressible>(
        column: Self, value: Number
    ) -> ColumnAssignment where Value == Number? {
        column.set(to: column + value)
    }

    /// `"column" = "column" - value`
    public static func -= (column: Self, value: Value) -> ColumnAssignment
    where Value: Numeric & SQLExpressible {
        column.set(to: column - value)
    }

    /// `"column" = "column" - value`
    public static func -= (
        column: Self, value: some TypedExpressible<Value>
    ) -> ColumnAssignment where Value: Numeric & SQLExpressible {
        column.set(to: column - value)
    }

    /// `"column" = "column" - value`
    public static func -= <Number: Numeric & SQLExpressible>(
        column: Self, value: Number
    ) -> ColumnAssignment where Value == Number? {
        column.set(to: column - value)
    }

    /// `"column" = "column" * value`
    public static func *= (column: Self, value: Value) -> ColumnAssignment
    where Value: Numeric & SQLExpressible {
        column.set(to: column * value)
    }

    /// `"column" = "column" * value`
    public static func *= (
        column: Self, value: some TypedExpressible<Value>
    ) -> ColumnAssignment where Value: Numeric & SQLExpressible {
        column.set(to: column * value)
    }

    /// `"column" = "column" * value`
    public static func *= <Number: Numeric & SQLExpressible>(
        column: Self, value: Number
    ) -> ColumnAssignment where Value == Number? {
        column.set(to: column * value)
    }

    /// `"column" = "column" / value`
    public static func /= (column: Self, value: Value) -> ColumnAssignment
    where Value: Numeric & SQLExpressible {
        column.set(to: column / value)
    }

    /// `"column" = "column" / value`
    public static func /= (
        column: Self, value: some TypedExpressible<Value>
    ) -> ColumnAssignment where Value: Numeric & SQLExpressible {
        column.set(to: column / value)
    }

    /// `"column" = "column" / value`
    public static func /= <Number: Numeric & SQLExpressible>(
        column: Self, value: Number
    ) -> ColumnAssignment where Value == Number? {
        column.set(to: column / value)
    }

    /// `"column" = "column" % value`
    public static func %= (column: Self, value: Value) -> ColumnAssignment
    where Value: FixedWidthInteger & SQLExpressible {
        column.set(to: column % value)
    }

    /// `"column" = "column" % value`
    public static func %= (
        column: Self, value: some TypedExpressible<Value>
    ) -> ColumnAssignment where Value: FixedWidthInteger & SQLExpressible {
        column.set(to: column % value)
    }

    /// `"column" = "column" % value`
    public static func %= <Number: FixedWidthInteger & SQLExpressible>(
        column: Self, value: Number
    ) -> ColumnAssignment where Value == Number? {
        column.set(to: column % value)
    }

    /// `"column" = "column" & value`
    public static func &= (column: Self, value: Value) -> ColumnAssignment
    where Value: FixedWidthInteger & SQLExpressible {
        column.set(to: column & value)
    }

    /// `"column" = "column" & value`
    public static func &= (
        column: Self, value: some TypedExpressible<Value>
    ) -> ColumnAssignment where Value: FixedWidthInteger & SQLExpressible {
        column.set(to: column & value)
    }

    /// `"column" = "column" & value`
    public static func &= <Number: FixedWidthInteger & SQLExpressible>(
        column: Self, value: Number
    ) -> ColumnAssignment where Value == Number? {
        column.set(to: column & value)
    }

    /// `"column" = "column" | value`
    public static func |= (column: Self, value: Value) -> ColumnAssignment
    where Value: FixedWidthInteger & SQLExpressible {
        column.set(to: column | value)
    }

    /// `"column" = "column" | value`
    public static func |= (
        column: Self, value: some TypedExpressible<Value>
    ) -> ColumnAssignment where Value: FixedWidthInteger & SQLExpressible {
        column.set(to: column | value)
    }

    /// `"column" = "column" | value`
    public static func |= <Number: FixedWidthInteger & SQLExpressible>(
        column: Self, value: Number
    ) -> ColumnAssignment where Value == Number? {
        column.set(to: column | value)
    }

    /// `"column" = "column" ^ value`
    public static func ^= (column: Self, value: Value) -> ColumnAssignment
    where Value: FixedWidthInteger & SQLExpressible {
        column.set(to: column ^ value)
    }

    /// `"column" = "column" ^ value`
    public static func ^= (
        column: Self, value: some TypedExpressible<Value>
    ) -> ColumnAssignment where Value: FixedWidthInteger & SQLExpressible {
        column.set(to: column ^ value)
    }

    /// `"column" = "column" ^ value`
    public static func ^= <Number: FixedWidthInteger & SQLExpressible>(
        column: Self, value: Number
    ) -> ColumnAssignment where Value == Number? {
        column.set(to: column ^ value)
    }

    /// `"column" = "column" << value`
    public static func <<= (column: Self, value: Value) -> ColumnAssignment
    where Value: FixedWidthInteger & SQLExpressible {
        column.set(to: column << value)
    }

    /// `"column" = "column" << value`
    public static func <<= (
        column: Self, value: some TypedExpressible<Value>
    ) -> ColumnAssignment where Value: FixedWidthInteger & SQLExpressible {
        column.set(to: column << value)
    }

    /// `"column" = "column" << value`
    public static func <<= <Number: FixedWidthInteger & SQLExpressible>(
        column: Self, value: Number
    ) -> ColumnAssignment where Value == Number? {
        column.set(to: column << value)
    }

    /// `"column" = "column" >> value`
    public static func >>= (column: Self, value: Value) -> ColumnAssignment
    where Value: FixedWidthInteger & SQLExpressible {
        column.set(to: column >> value)
    }

    /// `"column" = "column" >> value`
    public static func >>= (
        column: Self, value: some TypedExpressible<Value>
    ) -> ColumnAssignment where Value: FixedWidthInteger & SQLExpressible {
        column.set(to: column >> value)
    }

    /// `"column" = "column" >> value`
    public static func >>= <Number: FixedWidthInteger & SQLExpressible>(
        column: Self, value: Number
    ) -> ColumnAssignment where Value == Number? {
        column.set(to: column >> value)
    }
}
