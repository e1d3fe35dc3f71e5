// The most common built-in scalar functions. See `CoreFunctions+More.swift` for others.
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
/// A single value is returned as it is; the result is NULL without any.
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
