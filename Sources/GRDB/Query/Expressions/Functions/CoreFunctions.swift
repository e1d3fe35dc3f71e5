// The built-in scalar functions, except mathematical and text functions.
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

/// The `LENGTH` SQL function: the number of Unicode scalars of a string before its first NUL
/// character, or the number of bytes of a blob.
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
/// A single value is returned unchanged. The result is NULL if the collection is empty.
public func coalesce(_ values: some Collection<any SQLSpecificExpressible>) -> SQLExpression {
    switch values.count {
    case 0: DatabaseValue.null.sqlExpression
    // SQLite requires at least two arguments.
    case 1: values.first!.sqlExpression
    default: .function("COALESCE", arguments: values.map(\.sqlExpression))
    }
}

extension SQLSpecificExpressible {
    /// The `IFNULL` SQL function: the left value, or the right value if the left value is NULL.
    ///
    /// ```swift
    /// // IFNULL("name", 'Anonymous')
    /// Column("name") ?? "Anonymous"
    /// ```
    public static func ?? (lhs: Self, rhs: some SQLExpressible) -> SQLExpression {
        .function("IFNULL", lhs.sqlExpression, rhs.sqlExpression)
    }
}

/// The `CAST` SQL expression: converts a value to a storage class.
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

// MARK: - Comparisons

extension SQLSpecificExpressible {
    /// The `BETWEEN` SQL operator: whether the value lies between two bounds, which are included.
    ///
    /// ```swift
    /// // "day" BETWEEN "firstDay" AND "lastDay"
    /// Column("day").isBetween(Column("firstDay"), and: Column("lastDay"))
    /// ```
    ///
    /// If both bounds are Swift values, you can also write `(1...10).contains(expression)`.
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

    /// The `IS DISTINCT FROM` SQL operator: whether two values differ. NULL equals NULL.
    ///
    /// ```swift
    /// // "email" IS DISTINCT FROM "formerEmail"
    /// Column("email").isDistinct(from: Column("formerEmail"))
    /// ```
    ///
    /// `IS DISTINCT FROM` is the standard spelling of `IS NOT`: see `!==`.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#isdf>
    public func isDistinct(from other: (any SQLExpressible)?) -> SQLExpression {
        .binary(self, .isDistinct, other.orNull)
    }
}

// MARK: - LIKE

extension SQLSpecificExpressible {
    /// Compares the expression with a pattern, in which `%` stands for any characters and `_` for
    /// one.
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
    /// - parameter pattern: a string in which `%` matches any text, and `_` matches any character.
    /// - parameter escape: the character that makes a following `%`, `_` or escape character match
    ///   literally.
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

    #if GRDB_FOUNDATION || !canImport(FoundationEssentials)
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
    #endif
}
