import GRDB

// Comparisons of typed expressions, with values and expressions of the same type.
//
// An expression of an optional type compares with a value of the wrapped type.

// MARK: - With values

extension TypedExpressible where Value: SQLExpressible {
    /// `left = right`
    public static func == (lhs: Self, rhs: Value) -> SQLExpression {
        lhs.untyped == rhs
    }

    /// `left = right`, or `left IS NULL`: the value may be nil, as in Swift.
    @_disfavoredOverload
    public static func == (lhs: Self, rhs: Value?) -> SQLExpression {
        lhs.untyped == rhs
    }

    /// `left = right`
    public static func == (lhs: Value, rhs: Self) -> SQLExpression {
        lhs == rhs.untyped
    }

    /// `left <> right`
    public static func != (lhs: Self, rhs: Value) -> SQLExpression {
        lhs.untyped != rhs
    }

    /// `left <> right`, or `left IS NOT NULL`: the value may be nil, as in Swift.
    @_disfavoredOverload
    public static func != (lhs: Self, rhs: Value?) -> SQLExpression {
        lhs.untyped != rhs
    }

    /// `left <> right`
    public static func != (lhs: Value, rhs: Self) -> SQLExpression {
        lhs != rhs.untyped
    }

    /// `left IS right`
    public static func === (lhs: Self, rhs: Value) -> SQLExpression {
        lhs.untyped === rhs
    }

    /// `left IS right`: the value may be nil, as in Swift.
    @_disfavoredOverload
    public static func === (lhs: Self, rhs: Value?) -> SQLExpression {
        lhs.untyped === rhs
    }

    /// `left IS right`
    public static func === (lhs: Value, rhs: Self) -> SQLExpression {
        lhs === rhs.untyped
    }

    /// `left IS NOT right`
    public static func !== (lhs: Self, rhs: Value) -> SQLExpression {
        lhs.untyped !== rhs
    }

    /// `left IS NOT right`: the value may be nil, as in Swift.
    @_disfavoredOverload
    public static func !== (lhs: Self, rhs: Value?) -> SQLExpression {
        lhs.untyped !== rhs
    }

    /// `left IS NOT right`
    public static func !== (lhs: Value, rhs: Self) -> SQLExpression {
        lhs !== rhs.untyped
    }

    /// `left < right`
    public static func < (lhs: Self, rhs: Value) -> SQLExpression {
        lhs.untyped < rhs
    }

    /// `left < right`
    public static func < (lhs: Value, rhs: Self) -> SQLExpression {
        lhs < rhs.untyped
    }

    /// `left <= right`
    public static func <= (lhs: Self, rhs: Value) -> SQLExpression {
        lhs.untyped <= rhs
    }

    /// `left <= right`
    public static func <= (lhs: Value, rhs: Self) -> SQLExpression {
        lhs <= rhs.untyped
    }

    /// `left > right`
    public static func > (lhs: Self, rhs: Value) -> SQLExpression {
        lhs.untyped > rhs
    }

    /// `left > right`
    public static func > (lhs: Value, rhs: Self) -> SQLExpression {
        lhs > rhs.untyped
    }

    /// `left >= right`
    public static func >= (lhs: Self, rhs: Value) -> SQLExpression {
        lhs.untyped >= rhs
    }

    /// `left >= right`
    public static func >= (lhs: Value, rhs: Self) -> SQLExpression {
        lhs >= rhs.untyped
    }
}

// MARK: - With NULL

// Expressions that are never NULL in their table support these operators, too, because they are
// NULL if an optional association has no row. Without these operators, Swift itself would compare
// such an expression with nil, and the condition would be a constant.
extension TypedExpressible {
    /// `left IS NULL`
    ///
    /// ```swift
    /// // SELECT "book".* FROM "book"
    /// // LEFT JOIN "author" ON "author"."id" = "book"."authorId"
    /// // WHERE "author"."id" IS NULL
    /// let author = TableAlias<Author>()
    /// Book.joining(optional: Book.author.aliased(author)).filter { _ in author.id == nil }
    /// ```
    public static func == (lhs: Self, rhs: _OptionalNilComparisonType) -> SQLExpression {
        lhs.untyped == nil
    }

    /// `right IS NULL`
    public static func == (lhs: _OptionalNilComparisonType, rhs: Self) -> SQLExpression {
        rhs.untyped == nil
    }

    /// `left IS NOT NULL`
    public static func != (lhs: Self, rhs: _OptionalNilComparisonType) -> SQLExpression {
        lhs.untyped != nil
    }

    /// `right IS NOT NULL`
    public static func != (lhs: _OptionalNilComparisonType, rhs: Self) -> SQLExpression {
        rhs.untyped != nil
    }

    /// `left IS NULL`
    public static func === (lhs: Self, rhs: _OptionalNilComparisonType) -> SQLExpression {
        lhs.untyped == nil
    }

    /// `right IS NULL`
    public static func === (lhs: _OptionalNilComparisonType, rhs: Self) -> SQLExpression {
        rhs.untyped == nil
    }

    /// `left IS NOT NULL`
    public static func !== (lhs: Self, rhs: _OptionalNilComparisonType) -> SQLExpression {
        lhs.untyped != nil
    }

    /// `right IS NOT NULL`
    public static func !== (lhs: _OptionalNilComparisonType, rhs: Self) -> SQLExpression {
        rhs.untyped != nil
    }
}

// MARK: - With expressions

extension TypedExpressible {
    /// `left = right`
    public static func == (lhs: Self, rhs: some TypedExpressible<Value>) -> SQLExpression {
        lhs.untyped == rhs.untyped
    }

    /// `left <> right`
    public static func != (lhs: Self, rhs: some TypedExpressible<Value>) -> SQLExpression {
        lhs.untyped != rhs.untyped
    }

    /// `left IS right`
    public static func === (lhs: Self, rhs: some TypedExpressible<Value>) -> SQLExpression {
        lhs.untyped === rhs.untyped
    }

    /// `left IS NOT right`
    public static func !== (lhs: Self, rhs: some TypedExpressible<Value>) -> SQLExpression {
        lhs.untyped !== rhs.untyped
    }

    /// `left < right`
    public static func < (lhs: Self, rhs: some TypedExpressible<Value>) -> SQLExpression {
        lhs.untyped < rhs.untyped
    }

    /// `left <= right`
    public static func <= (lhs: Self, rhs: some TypedExpressible<Value>) -> SQLExpression {
        lhs.untyped <= rhs.untyped
    }

    /// `left > right`
    public static func > (lhs: Self, rhs: some TypedExpressible<Value>) -> SQLExpression {
        lhs.untyped > rhs.untyped
    }

    /// `left >= right`
    public static func >= (lhs: Self, rhs: some TypedExpressible<Value>) -> SQLExpression {
        lhs.untyped >= rhs.untyped
    }

    /// `left = right`
    public static func == <Wrapped>(
        lhs: Self, rhs: some TypedExpressible<Wrapped>
    ) -> SQLExpression where Value == Wrapped? {
        lhs.untyped == rhs.untyped
    }

    /// `left = right`
    public static func == <Wrapped>(
        lhs: some TypedExpressible<Wrapped>, rhs: Self
    ) -> SQLExpression where Value == Wrapped? {
        lhs.untyped == rhs.untyped
    }

    /// `left <> right`
    public static func != <Wrapped>(
        lhs: Self, rhs: some TypedExpressible<Wrapped>
    ) -> SQLExpression where Value == Wrapped? {
        lhs.untyped != rhs.untyped
    }

    /// `left <> right`
    public static func != <Wrapped>(
        lhs: some TypedExpressible<Wrapped>, rhs: Self
    ) -> SQLExpression where Value == Wrapped? {
        lhs.untyped != rhs.untyped
    }

    /// `left IS right`
    public static func === <Wrapped>(
        lhs: Self, rhs: some TypedExpressible<Wrapped>
    ) -> SQLExpression where Value == Wrapped? {
        lhs.untyped === rhs.untyped
    }

    /// `left IS right`
    public static func === <Wrapped>(
        lhs: some TypedExpressible<Wrapped>, rhs: Self
    ) -> SQLExpression where Value == Wrapped? {
        lhs.untyped === rhs.untyped
    }

    /// `left IS NOT right`
    public static func !== <Wrapped>(
        lhs: Self, rhs: some TypedExpressible<Wrapped>
    ) -> SQLExpression where Value == Wrapped? {
        lhs.untyped !== rhs.untyped
    }

    /// `left IS NOT right`
    public static func !== <Wrapped>(
        lhs: some TypedExpressible<Wrapped>, rhs: Self
    ) -> SQLExpression where Value == Wrapped? {
        lhs.untyped !== rhs.untyped
    }

    /// `left < right`
    public static func < <Wrapped>(
        lhs: Self, rhs: some TypedExpressible<Wrapped>
    ) -> SQLExpression where Value == Wrapped? {
        lhs.untyped < rhs.untyped
    }

    /// `left < right`
    public static func < <Wrapped>(
        lhs: some TypedExpressible<Wrapped>, rhs: Self
    ) -> SQLExpression where Value == Wrapped? {
        lhs.untyped < rhs.untyped
    }

    /// `left <= right`
    public static func <= <Wrapped>(
        lhs: Self, rhs: some TypedExpressible<Wrapped>
    ) -> SQLExpression where Value == Wrapped? {
        lhs.untyped <= rhs.untyped
    }

    /// `left <= right`
    public static func <= <Wrapped>(
        lhs: some TypedExpressible<Wrapped>, rhs: Self
    ) -> SQLExpression where Value == Wrapped? {
        lhs.untyped <= rhs.untyped
    }

    /// `left > right`
    public static func > <Wrapped>(
        lhs: Self, rhs: some TypedExpressible<Wrapped>
    ) -> SQLExpression where Value == Wrapped? {
        lhs.untyped > rhs.untyped
    }

    /// `left > right`
    public static func > <Wrapped>(
        lhs: some TypedExpressible<Wrapped>, rhs: Self
    ) -> SQLExpression where Value == Wrapped? {
        lhs.untyped > rhs.untyped
    }

    /// `left >= right`
    public static func >= <Wrapped>(
        lhs: Self, rhs: some TypedExpressible<Wrapped>
    ) -> SQLExpression where Value == Wrapped? {
        lhs.untyped >= rhs.untyped
    }

    /// `left >= right`
    public static func >= <Wrapped>(
        lhs: some TypedExpressible<Wrapped>, rhs: Self
    ) -> SQLExpression where Value == Wrapped? {
        lhs.untyped >= rhs.untyped
    }
}

// MARK: - Membership

extension Sequence where Element: SQLExpressible {
    /// Whether an expression is an element of the sequence: `IN`.
    ///
    /// ```swift
    /// // "id" IN (1, 2, 3)
    /// [1, 2, 3].contains(Player.Columns.id)
    /// ```
    public func contains(_ element: some TypedExpressible<Element>) -> SQLExpression {
        contains(element.untyped)
    }

    /// Whether an expression is an element of the sequence: `IN`.
    public func contains(_ element: some TypedExpressible<Element?>) -> SQLExpression {
        contains(element.untyped)
    }
}

extension ClosedRange where Bound: SQLExpressible {
    /// Whether an expression is in the range.
    public func contains(_ element: some TypedExpressible<Bound>) -> SQLExpression {
        contains(element.untyped)
    }

    /// Whether an expression is in the range.
    public func contains(_ element: some TypedExpressible<Bound?>) -> SQLExpression {
        contains(element.untyped)
    }
}

extension Range where Bound: SQLExpressible {
    /// Whether an expression is in the range.
    public func contains(_ element: some TypedExpressible<Bound>) -> SQLExpression {
        contains(element.untyped)
    }

    /// Whether an expression is in the range.
    public func contains(_ element: some TypedExpressible<Bound?>) -> SQLExpression {
        contains(element.untyped)
    }
}

extension PartialRangeFrom where Bound: SQLExpressible {
    /// Whether an expression is in the range.
    public func contains(_ element: some TypedExpressible<Bound>) -> SQLExpression {
        contains(element.untyped)
    }

    /// Whether an expression is in the range.
    public func contains(_ element: some TypedExpressible<Bound?>) -> SQLExpression {
        contains(element.untyped)
    }
}

extension PartialRangeThrough where Bound: SQLExpressible {
    /// Whether an expression is in the range.
    public func contains(_ element: some TypedExpressible<Bound>) -> SQLExpression {
        contains(element.untyped)
    }

    /// Whether an expression is in the range.
    public func contains(_ element: some TypedExpressible<Bound?>) -> SQLExpression {
        contains(element.untyped)
    }
}

extension PartialRangeUpTo where Bound: SQLExpressible {
    /// Whether an expression is in the range.
    public func contains(_ element: some TypedExpressible<Bound>) -> SQLExpression {
        contains(element.untyped)
    }

    /// Whether an expression is in the range.
    public func contains(_ element: some TypedExpressible<Bound?>) -> SQLExpression {
        contains(element.untyped)
    }
}
