// The built-in scalar functions that are not about numbers or texts.
//
// Related SQLite documentation: <https://www.sqlite.org/lang_corefunc.html>

/// The `ABS` SQL function: the absolute value.
///
/// ```swift
/// // ABS("amount")
/// abs(Column("amount"))
/// ```
public func abs(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("ABS", value.sqlExpression)
}

/// The `LENGTH` SQL function: the number of Unicode scalars of a text up to the first NUL, or of
/// bytes of a blob.
///
/// ```swift
/// // LENGTH("name")
/// length(Column("name"))
/// ```
public func length(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("LENGTH", value.sqlExpression)
}

/// The `COALESCE` SQL function: the first value that is not NULL.
///
/// ```swift
/// // COALESCE("name", "email", 'Anonymous')
/// coalesce([Column("name"), Column("email"), "Anonymous".databaseValue])
/// ```
///
/// A single value is returned unchanged. The result is NULL if there are no values.
public func coalesce(_ values: some Collection<any SQLSpecificExpressible>) -> SQLExpression {
    switch values.count {
    case 0: DatabaseValue.null.sqlExpression
    // SQLite requires two arguments or more.
    case 1: values.first!.sqlExpression
    default: .function("COALESCE", arguments: values.map(\.sqlExpression))
    }
}

extension SQLSpecificExpressible {
    /// The `IFNULL` SQL function: the right value when the left one is NULL.
    ///
    /// ```swift
    /// // IFNULL("name", 'Anonymous')
    /// Column("name") ?? "Anonymous"
    /// ```
    public static func ?? (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .function("IFNULL", lhs.sqlExpression, rhs.sqlExpression)
    }
}

/// The `CAST` SQL expression: converts to a storage class.
///
/// ```swift
/// // CAST("wins" AS REAL) / "games"
/// cast(Column("wins"), as: .real) / Column("games")
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#castexpr>
public func cast(
    _ expression: some SQLSpecificExpressible, as storageClass: Database.StorageClass
) -> SQLExpression {
    SQLExpression(Cast(operand: expression.sqlExpression, type: storageClass.rawValue))
}

// MARK: - Choice

/// The `NULLIF` SQL function: NULL when both values are equal, else the first one.
///
/// ```swift
/// // NULLIF("name", '')
/// nullIf(Column("name"), "")
/// ```
public func nullIf(
    _ value: some SQLSpecificExpressible, _ other: some SQLExpressible
) -> SQLExpression {
    .function("NULLIF", value.sqlExpression, other.sqlExpression)
}

/// The `IIF` SQL function: one of two values, on a condition.
///
/// ```swift
/// // IIF("score" >= 1000, 'gold', 'silver')
/// iif(Column("score") >= 1000, "gold", else: "silver")
/// ```
///
/// For more conditions, see ``SQLExpression/case(when:then:)``.
///
/// - parameter condition: not met when it is NULL.
/// - parameter value: the value when the condition is met.
/// - parameter otherValue: the value when the condition is not met.
public func iif(
    _ condition: some SQLSpecificExpressible, _ value: (any SQLExpressible)?,
    else otherValue: (any SQLExpressible)?
) -> SQLExpression {
    .function(
        "IIF", condition.sqlExpression, value.orNull, otherValue.orNull)
}

/// The `TYPEOF` SQL function: the storage class of a value, as a text in lower case.
///
/// ```swift
/// // TYPEOF("value") = 'integer'
/// typeOf(Column("value")) == "integer"
/// ```
public func typeOf(_ value: some SQLSpecificExpressible) -> SQLExpression {
    .function("TYPEOF", value.sqlExpression)
}

extension SQLSpecificExpressible {
    /// The `BETWEEN` SQL operator: whether the value is one of the bounds, or between them.
    ///
    /// ```swift
    /// // "day" BETWEEN "firstDay" AND "lastDay"
    /// Column("day").isBetween(Column("firstDay"), and: Column("lastDay"))
    /// ```
    ///
    /// For bounds that are values, there is `(1...10).contains(expression)`.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#between>
    public func isBetween(
        _ lowerBound: some SQLExpressible, and upperBound: some SQLExpressible
    ) -> SQLExpression {
        SQLExpression(
            Between(
                operand: sqlExpression, lowerBound: lowerBound.sqlExpression,
                upperBound: upperBound.sqlExpression))
    }

    /// The `IS DISTINCT FROM` SQL operator: whether values differ, NULL being equal to NULL.
    ///
    /// ```swift
    /// // "email" IS DISTINCT FROM "formerEmail"
    /// Column("email").isDistinct(from: Column("formerEmail"))
    /// ```
    ///
    /// It is the standard name of `IS NOT`: see `!==`.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#isdf>
    public func isDistinct(from other: (any SQLExpressible)?) -> SQLExpression {
        .binary(self, .isDistinct, other.orNull)
    }
}

// MARK: - Hints to the query planner

/// The `LIKELIHOOD` SQL function: the value itself, and a hint how often it is true.
///
/// ```swift
/// // LIKELIHOOD("isActive", 0.9)
/// likelihood(Column("isActive"), 0.9)
/// ```
///
/// - parameter condition: the condition that is returned.
/// - parameter probability: from 0 to 1. SQLite throws an error for other numbers.
public func likelihood(
    _ condition: some SQLSpecificExpressible, _ probability: Double
) -> SQLExpression {
    // A literal, because a parameter has no value yet when SQLite plans the query.
    .function(
        "LIKELIHOOD", condition.sqlExpression, SQLExpression(Keyword(sql: "\(probability)")))
}

/// The `LIKELY` SQL function: the value itself, and a hint that it is usually true.
///
/// ```swift
/// // LIKELY("isActive")
/// likely(Column("isActive"))
/// ```
public func likely(_ condition: some SQLSpecificExpressible) -> SQLExpression {
    .function("LIKELY", condition.sqlExpression)
}

/// The `UNLIKELY` SQL function: the value itself, and a hint that it is usually not true.
///
/// ```swift
/// // UNLIKELY("isBanned")
/// unlikely(Column("isBanned"))
/// ```
public func unlikely(_ condition: some SQLSpecificExpressible) -> SQLExpression {
    .function("UNLIKELY", condition.sqlExpression)
}

// MARK: - LIKE

extension SQLSpecificExpressible {
    /// The `LIKE` SQL operator.
    ///
    /// ```swift
    /// // "email" LIKE '%@example.com'
    /// Column("email").like("%@example.com")
    ///
    /// // "title" LIKE '%10\%%' ESCAPE '\'
    /// Column("title").like("%10\\%%", escape: "\\")
    /// ```
    ///
    /// The operator ignores the case of ASCII letters only.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#like>
    ///
    /// - parameter pattern: a text in which `%` stands for any text, and `_` for any character.
    /// - parameter escape: the character after which `%`, `_` and itself stand for themselves.
    public func like(
        _ pattern: some SQLExpressible, escape: (any SQLExpressible)? = nil
    ) -> SQLExpression {
        SQLExpression(
            Like(
                operand: sqlExpression, pattern: pattern.sqlExpression,
                escape: escape?.sqlExpression))
    }
}

// MARK: - Swift functions

extension SQLSpecificExpressible {
    /// Calls the Swift property `capitalized` of `String`.
    ///
    /// ```swift
    /// // swiftCapitalizedString("name")
    /// Column("name").capitalized
    /// ```
    public var capitalized: SQLExpression { DatabaseFunction.capitalize(sqlExpression) }

    /// Calls the Swift method `lowercased()` of `String`.
    public var lowercased: SQLExpression { DatabaseFunction.lowercase(sqlExpression) }

    /// Calls the Swift method `uppercased()` of `String`.
    public var uppercased: SQLExpression { DatabaseFunction.uppercase(sqlExpression) }

    /// Calls the Swift property `localizedCapitalized` of `String`.
    public var localizedCapitalized: SQLExpression {
        DatabaseFunction.localizedCapitalize(sqlExpression)
    }

    /// Calls the Swift property `localizedLowercased` of `String`.
    public var localizedLowercased: SQLExpression {
        DatabaseFunction.localizedLowercase(sqlExpression)
    }

    /// Calls the Swift property `localizedUppercased` of `String`.
    public var localizedUppercased: SQLExpression {
        DatabaseFunction.localizedUppercase(sqlExpression)
    }
}
