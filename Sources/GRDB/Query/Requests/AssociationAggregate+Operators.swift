// Operators and functions on aggregates of associations.

// MARK: - Logic

extension AssociationAggregate {
    /// The negation of a condition.
    ///
    /// ```swift
    /// // SELECT "author".* FROM … HAVING COUNT(DISTINCT "book"."id") > 0
    /// Author.having(!Author.books.isEmpty)
    /// ```
    public static prefix func ! (aggregate: Self) -> Self {
        if let negation = aggregate.negation {
            return AssociationAggregate(
                joins: aggregate.joins, expression: negation, negation: aggregate.expression)
        }
        return aggregate.map { !$0 }
    }

    /// `left AND right`: both conditions.
    public static func && (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 && $1 }
    }

    /// `left AND right`: both conditions.
    public static func && (lhs: Self, rhs: some SQLExpressible) -> Self {
        lhs.map { [rhs = rhs.sqlExpression] in $0 && rhs }
    }

    /// `left AND right`: both conditions.
    public static func && (lhs: some SQLExpressible, rhs: Self) -> Self {
        rhs.map { [lhs = lhs.sqlExpression] in lhs && $0 }
    }

    /// `left OR right`: at least one of the conditions.
    public static func || (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 || $1 }
    }

    /// `left OR right`: at least one of the conditions.
    public static func || (lhs: Self, rhs: some SQLExpressible) -> Self {
        lhs.map { [rhs = rhs.sqlExpression] in $0 || rhs }
    }

    /// `left OR right`: at least one of the conditions.
    public static func || (lhs: some SQLExpressible, rhs: Self) -> Self {
        rhs.map { [lhs = lhs.sqlExpression] in lhs || $0 }
    }
}

// MARK: - Equality

extension AssociationAggregate {
    /// The `=` SQL operator; `IS` with NULL.
    public static func == (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 == $1 }
    }

    /// The `=` SQL operator; `IS` with NULL.
    public static func == (lhs: Self, rhs: (any SQLExpressible)?) -> Self {
        lhs.map { [rhs = rhs?.sqlExpression] in $0 == rhs }
    }

    /// The `=` SQL operator; `IS` with NULL.
    public static func == (lhs: (any SQLExpressible)?, rhs: Self) -> Self {
        rhs.map { [lhs = lhs?.sqlExpression] in lhs == $0 }
    }

    /// The condition, or its negation.
    public static func == (lhs: Self, rhs: Bool) -> Self {
        rhs ? lhs : !lhs
    }

    /// The condition, or its negation.
    public static func == (lhs: Bool, rhs: Self) -> Self {
        rhs == lhs
    }

    /// The `<>` SQL operator; `IS NOT` with NULL.
    public static func != (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 != $1 }
    }

    /// The `<>` SQL operator; `IS NOT` with NULL.
    public static func != (lhs: Self, rhs: (any SQLExpressible)?) -> Self {
        lhs.map { [rhs = rhs?.sqlExpression] in $0 != rhs }
    }

    /// The `<>` SQL operator; `IS NOT` with NULL.
    public static func != (lhs: (any SQLExpressible)?, rhs: Self) -> Self {
        rhs.map { [lhs = lhs?.sqlExpression] in lhs != $0 }
    }

    /// The condition, or its negation.
    public static func != (lhs: Self, rhs: Bool) -> Self {
        rhs ? !lhs : lhs
    }

    /// The condition, or its negation.
    public static func != (lhs: Bool, rhs: Self) -> Self {
        rhs != lhs
    }

    /// `left IS right`: equal, or both NULL.
    public static func === (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 === $1 }
    }

    /// `left IS right`: equal, or both NULL.
    public static func === (lhs: Self, rhs: (any SQLExpressible)?) -> Self {
        lhs.map { [rhs = rhs?.sqlExpression] in $0 === rhs }
    }

    /// `left IS right`: equal, or both NULL.
    public static func === (lhs: (any SQLExpressible)?, rhs: Self) -> Self {
        rhs.map { [lhs = lhs?.sqlExpression] in lhs === $0 }
    }

    /// `left IS NOT right`: different, where NULL equals NULL.
    public static func !== (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 !== $1 }
    }

    /// `left IS NOT right`: different, where NULL equals NULL.
    public static func !== (lhs: Self, rhs: (any SQLExpressible)?) -> Self {
        lhs.map { [rhs = rhs?.sqlExpression] in $0 !== rhs }
    }

    /// `left IS NOT right`: different, where NULL equals NULL.
    public static func !== (lhs: (any SQLExpressible)?, rhs: Self) -> Self {
        rhs.map { [lhs = lhs?.sqlExpression] in lhs !== $0 }
    }
}

// MARK: - Order

extension AssociationAggregate {
    /// `left < right`: whether the first value is less.
    public static func < (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 < $1 }
    }

    /// `left < right`: whether the first value is less.
    public static func < (lhs: Self, rhs: some SQLExpressible) -> Self {
        lhs.map { [rhs = rhs.sqlExpression] in $0 < rhs }
    }

    /// `left < right`: whether the first value is less.
    public static func < (lhs: some SQLExpressible, rhs: Self) -> Self {
        rhs.map { [lhs = lhs.sqlExpression] in lhs < $0 }
    }

    /// `left <= right`: whether the first value is less, or equal.
    public static func <= (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 <= $1 }
    }

    /// `left <= right`: whether the first value is less, or equal.
    public static func <= (lhs: Self, rhs: some SQLExpressible) -> Self {
        lhs.map { [rhs = rhs.sqlExpression] in $0 <= rhs }
    }

    /// `left <= right`: whether the first value is less, or equal.
    public static func <= (lhs: some SQLExpressible, rhs: Self) -> Self {
        rhs.map { [lhs = lhs.sqlExpression] in lhs <= $0 }
    }

    /// `left > right`: whether the first value is greater.
    public static func > (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 > $1 }
    }

    /// `left > right`: whether the first value is greater.
    public static func > (lhs: Self, rhs: some SQLExpressible) -> Self {
        lhs.map { [rhs = rhs.sqlExpression] in $0 > rhs }
    }

    /// `left > right`: whether the first value is greater.
    public static func > (lhs: some SQLExpressible, rhs: Self) -> Self {
        rhs.map { [lhs = lhs.sqlExpression] in lhs > $0 }
    }

    /// `left >= right`: whether the first value is greater, or equal.
    public static func >= (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 >= $1 }
    }

    /// `left >= right`: whether the first value is greater, or equal.
    public static func >= (lhs: Self, rhs: some SQLExpressible) -> Self {
        lhs.map { [rhs = rhs.sqlExpression] in $0 >= rhs }
    }

    /// `left >= right`: whether the first value is greater, or equal.
    public static func >= (lhs: some SQLExpressible, rhs: Self) -> Self {
        rhs.map { [lhs = lhs.sqlExpression] in lhs >= $0 }
    }
}

// MARK: - Arithmetic

extension AssociationAggregate {
    /// `-aggregate`: the value with the other sign.
    ///
    /// ```swift
    /// // -COUNT(DISTINCT "book"."id")
    /// -Author.books.count
    /// ```
    public static prefix func - (aggregate: Self) -> Self {
        aggregate.map { -$0 }
    }

    /// `left + right`: the sum.
    public static func + (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 + $1 }
    }

    /// `left + right`: the sum.
    public static func + (lhs: Self, rhs: some SQLExpressible) -> Self {
        lhs.map { [rhs = rhs.sqlExpression] in $0 + rhs }
    }

    /// `left + right`: the sum.
    public static func + (lhs: some SQLExpressible, rhs: Self) -> Self {
        rhs.map { [lhs = lhs.sqlExpression] in lhs + $0 }
    }

    /// `left - right`: the difference.
    public static func - (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 - $1 }
    }

    /// `left - right`: the difference.
    public static func - (lhs: Self, rhs: some SQLExpressible) -> Self {
        lhs.map { [rhs = rhs.sqlExpression] in $0 - rhs }
    }

    /// `left - right`: the difference.
    public static func - (lhs: some SQLExpressible, rhs: Self) -> Self {
        rhs.map { [lhs = lhs.sqlExpression] in lhs - $0 }
    }

    /// `left * right`: the product.
    public static func * (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 * $1 }
    }

    /// `left * right`: the product.
    public static func * (lhs: Self, rhs: some SQLExpressible) -> Self {
        lhs.map { [rhs = rhs.sqlExpression] in $0 * rhs }
    }

    /// `left * right`: the product.
    public static func * (lhs: some SQLExpressible, rhs: Self) -> Self {
        rhs.map { [lhs = lhs.sqlExpression] in lhs * $0 }
    }

    /// `left / right`: a quotient without its fraction if both are integers.
    public static func / (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 / $1 }
    }

    /// `left / right`: a quotient without its fraction if both are integers.
    public static func / (lhs: Self, rhs: some SQLExpressible) -> Self {
        lhs.map { [rhs = rhs.sqlExpression] in $0 / rhs }
    }

    /// `left / right`: a quotient without its fraction if both are integers.
    public static func / (lhs: some SQLExpressible, rhs: Self) -> Self {
        rhs.map { [lhs = lhs.sqlExpression] in lhs / $0 }
    }
}

// MARK: - Functions

extension AssociationAggregate {
    /// `IFNULL(aggregate, default)`: the value, or a default if it is NULL. The aggregate keeps its
    /// name.
    ///
    /// ```swift
    /// // SELECT "team".*, IFNULL(MIN("player"."score"), 0) AS "minPlayerScore" FROM …
    /// Team.annotated(with: Team.players.min(Column("score")) ?? 0)
    /// ```
    public static func ?? (lhs: Self, rhs: some SQLExpressible) -> Self {
        lhs.map(keepsKey: true) { [rhs = rhs.sqlExpression] in $0 ?? rhs }
    }
}

/// `ABS(aggregate)`: the value without its sign.
///
/// ```swift
/// // SELECT "team".*, ABS(MAX("player"."score")) FROM …
/// Team.annotated(with: abs(Team.players.max(Column("score"))))
/// ```
public func abs<RowDecoder>(
    _ aggregate: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    aggregate.map { abs($0) }
}

/// `LENGTH(aggregate)`: the number of characters of a string, or of bytes of a blob.
///
/// ```swift
/// // SELECT "team".*, LENGTH(MAX("player"."name")) FROM …
/// Team.annotated(with: length(Team.players.max(Column("name"))))
/// ```
public func length<RowDecoder>(
    _ aggregate: AssociationAggregate<RowDecoder>
) -> AssociationAggregate<RowDecoder> {
    aggregate.map { length($0) }
}

/// The `CAST` SQL expression. The aggregate keeps its name.
///
/// ```swift
/// // SELECT "author".*, CAST(COUNT(DISTINCT "book"."id") AS TEXT) AS "bookCount" FROM …
/// Author.annotated(with: cast(Author.books.count, as: .text))
/// ```
public func cast<RowDecoder>(
    _ aggregate: AssociationAggregate<RowDecoder>, as storageClass: Database.StorageClass
) -> AssociationAggregate<RowDecoder> {
    aggregate.map(keepsKey: true) { cast($0, as: storageClass) }
}
