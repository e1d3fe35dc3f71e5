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

    /// The `AND` SQL operator.
    public static func && (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 && $1 }
    }

    /// The `AND` SQL operator.
    public static func && (lhs: Self, rhs: some SQLExpressible) -> Self {
        lhs.map { [rhs = rhs.sqlExpression] in $0 && rhs }
    }

    /// The `AND` SQL operator.
    public static func && (lhs: some SQLExpressible, rhs: Self) -> Self {
        rhs.map { [lhs = lhs.sqlExpression] in lhs && $0 }
    }

    /// The `OR` SQL operator.
    public static func || (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 || $1 }
    }

    /// The `OR` SQL operator.
    public static func || (lhs: Self, rhs: some SQLExpressible) -> Self {
        lhs.map { [rhs = rhs.sqlExpression] in $0 || rhs }
    }

    /// The `OR` SQL operator.
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

    /// The `IS` SQL operator.
    public static func === (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 === $1 }
    }

    /// The `IS` SQL operator.
    public static func === (lhs: Self, rhs: (any SQLExpressible)?) -> Self {
        lhs.map { [rhs = rhs?.sqlExpression] in $0 === rhs }
    }

    /// The `IS` SQL operator.
    public static func === (lhs: (any SQLExpressible)?, rhs: Self) -> Self {
        rhs.map { [lhs = lhs?.sqlExpression] in lhs === $0 }
    }

    /// The `IS NOT` SQL operator.
    public static func !== (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 !== $1 }
    }

    /// The `IS NOT` SQL operator.
    public static func !== (lhs: Self, rhs: (any SQLExpressible)?) -> Self {
        lhs.map { [rhs = rhs?.sqlExpression] in $0 !== rhs }
    }

    /// The `IS NOT` SQL operator.
    public static func !== (lhs: (any SQLExpressible)?, rhs: Self) -> Self {
        rhs.map { [lhs = lhs?.sqlExpression] in lhs !== $0 }
    }
}

// MARK: - Order

extension AssociationAggregate {
    /// The `<` SQL operator.
    public static func < (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 < $1 }
    }

    /// The `<` SQL operator.
    public static func < (lhs: Self, rhs: some SQLExpressible) -> Self {
        lhs.map { [rhs = rhs.sqlExpression] in $0 < rhs }
    }

    /// The `<` SQL operator.
    public static func < (lhs: some SQLExpressible, rhs: Self) -> Self {
        rhs.map { [lhs = lhs.sqlExpression] in lhs < $0 }
    }

    /// The `<=` SQL operator.
    public static func <= (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 <= $1 }
    }

    /// The `<=` SQL operator.
    public static func <= (lhs: Self, rhs: some SQLExpressible) -> Self {
        lhs.map { [rhs = rhs.sqlExpression] in $0 <= rhs }
    }

    /// The `<=` SQL operator.
    public static func <= (lhs: some SQLExpressible, rhs: Self) -> Self {
        rhs.map { [lhs = lhs.sqlExpression] in lhs <= $0 }
    }

    /// The `>` SQL operator.
    public static func > (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 > $1 }
    }

    /// The `>` SQL operator.
    public static func > (lhs: Self, rhs: some SQLExpressible) -> Self {
        lhs.map { [rhs = rhs.sqlExpression] in $0 > rhs }
    }

    /// The `>` SQL operator.
    public static func > (lhs: some SQLExpressible, rhs: Self) -> Self {
        rhs.map { [lhs = lhs.sqlExpression] in lhs > $0 }
    }

    /// The `>=` SQL operator.
    public static func >= (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 >= $1 }
    }

    /// The `>=` SQL operator.
    public static func >= (lhs: Self, rhs: some SQLExpressible) -> Self {
        lhs.map { [rhs = rhs.sqlExpression] in $0 >= rhs }
    }

    /// The `>=` SQL operator.
    public static func >= (lhs: some SQLExpressible, rhs: Self) -> Self {
        rhs.map { [lhs = lhs.sqlExpression] in lhs >= $0 }
    }
}

// MARK: - Arithmetic

extension AssociationAggregate {
    /// The `-` SQL operator.
    ///
    /// ```swift
    /// // -COUNT(DISTINCT "book"."id")
    /// -Author.books.count
    /// ```
    public static prefix func - (aggregate: Self) -> Self {
        aggregate.map { -$0 }
    }

    /// The `+` SQL operator.
    public static func + (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 + $1 }
    }

    /// The `+` SQL operator.
    public static func + (lhs: Self, rhs: some SQLExpressible) -> Self {
        lhs.map { [rhs = rhs.sqlExpression] in $0 + rhs }
    }

    /// The `+` SQL operator.
    public static func + (lhs: some SQLExpressible, rhs: Self) -> Self {
        rhs.map { [lhs = lhs.sqlExpression] in lhs + $0 }
    }

    /// The `-` SQL operator.
    public static func - (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 - $1 }
    }

    /// The `-` SQL operator.
    public static func - (lhs: Self, rhs: some SQLExpressible) -> Self {
        lhs.map { [rhs = rhs.sqlExpression] in $0 - rhs }
    }

    /// The `-` SQL operator.
    public static func - (lhs: some SQLExpressible, rhs: Self) -> Self {
        rhs.map { [lhs = lhs.sqlExpression] in lhs - $0 }
    }

    /// The `*` SQL operator.
    public static func * (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 * $1 }
    }

    /// The `*` SQL operator.
    public static func * (lhs: Self, rhs: some SQLExpressible) -> Self {
        lhs.map { [rhs = rhs.sqlExpression] in $0 * rhs }
    }

    /// The `*` SQL operator.
    public static func * (lhs: some SQLExpressible, rhs: Self) -> Self {
        rhs.map { [lhs = lhs.sqlExpression] in lhs * $0 }
    }

    /// The `/` SQL operator.
    public static func / (lhs: Self, rhs: Self) -> Self {
        lhs.combined(with: rhs) { $0 / $1 }
    }

    /// The `/` SQL operator.
    public static func / (lhs: Self, rhs: some SQLExpressible) -> Self {
        lhs.map { [rhs = rhs.sqlExpression] in $0 / rhs }
    }

    /// The `/` SQL operator.
    public static func / (lhs: some SQLExpressible, rhs: Self) -> Self {
        rhs.map { [lhs = lhs.sqlExpression] in lhs / $0 }
    }
}

// MARK: - Functions

extension AssociationAggregate {
    /// The `IFNULL` SQL function. The aggregate keeps its name.
    ///
    /// ```swift
    /// // SELECT "team".*, IFNULL(MIN("player"."score"), 0) AS "minPlayerScore" FROM …
    /// Team.annotated(with: Team.players.min(Column("score")) ?? 0)
    /// ```
    public static func ?? (lhs: Self, rhs: some SQLExpressible) -> Self {
        lhs.map(keepsKey: true) { [rhs = rhs.sqlExpression] in $0 ?? rhs }
    }
}

/// The `ABS` SQL function.
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

/// The `LENGTH` SQL function.
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
