// The built-in scalar functions that are not about numbers or texts.
//
// Related SQLite documentation: <https://www.sqlite.org/lang_corefunc.html>

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

// MARK: - Without argument

/// SQL text that is not a parameter: a literal, or the number of a result column.
struct Keyword: SQLNode {
    let sql: String

    func write(to writer: SQLWriter) throws {
        writer.append(sql: sql)
    }
}

extension SQLExpression {
    /// The `TRUE` SQL literal, which is 1.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE TRUE
    /// Player.filter(SQLExpression.true)
    /// ```
    public static let `true` = SQLExpression(Keyword(sql: "TRUE"))

    /// The `FALSE` SQL literal, which is 0.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE FALSE
    /// Player.filter(SQLExpression.false)
    /// ```
    public static let `false` = SQLExpression(Keyword(sql: "FALSE"))

    /// The `RANDOM` SQL function: another integer for each row, out of all 64-bit integers.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY RANDOM()
    /// Player.order(SQLExpression.random())
    /// ```
    public static func random() -> SQLExpression { .function("RANDOM") }

    /// The `RANDOMBLOB` SQL function: other bytes for each row.
    ///
    /// ```swift
    /// // UPDATE "player" SET "token" = RANDOMBLOB(16)
    /// Player.updateAll(db, Column("token").set(to: SQLExpression.randomBlob(16)))
    /// ```
    ///
    /// - parameter count: the number of bytes, at least 1.
    public static func randomBlob(_ count: some SQLExpressible) -> SQLExpression {
        .function("RANDOMBLOB", count.sqlExpression)
    }

    /// The `ZEROBLOB` SQL function: a blob of zeros.
    ///
    /// ```swift
    /// // UPDATE "picture" SET "data" = ZEROBLOB(1024)
    /// Picture.updateAll(db, Column("data").set(to: SQLExpression.zeroBlob(1024)))
    /// ```
    ///
    /// - parameter count: the number of bytes.
    public static func zeroBlob(_ count: some SQLExpressible) -> SQLExpression {
        .function("ZEROBLOB", count.sqlExpression)
    }

    /// The `CHANGES` SQL function: the number of rows that the last `INSERT`, `UPDATE` or `DELETE`
    /// statement has changed.
    public static func changesCount() -> SQLExpression { .function("CHANGES") }

    /// The `TOTAL_CHANGES` SQL function: the number of rows that were changed since the connection
    /// was opened.
    public static func totalChangesCount() -> SQLExpression { .function("TOTAL_CHANGES") }

    /// The `LAST_INSERT_ROWID` SQL function: the rowid of the last inserted row.
    ///
    /// ```swift
    /// // INSERT INTO "book" ("authorId", "title") VALUES (LAST_INSERT_ROWID(), 'Moby-Dick')
    /// try Table("book").insert(db, [
    ///     Column("authorId").set(to: SQLExpression.lastInsertedRowID()),
    ///     Column("title").set(to: "Moby-Dick"),
    /// ])
    /// ```
    public static func lastInsertedRowID() -> SQLExpression { .function("LAST_INSERT_ROWID") }

    /// The `CURRENT_DATE` SQL literal: the UTC date, as `YYYY-MM-DD`.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_datefunc.html>
    public static let currentDate = SQLExpression(Keyword(sql: "CURRENT_DATE"))

    /// The `CURRENT_TIME` SQL literal: the UTC time, as `HH:MM:SS`.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_datefunc.html>
    public static let currentTime = SQLExpression(Keyword(sql: "CURRENT_TIME"))

    /// The `CURRENT_TIMESTAMP` SQL literal: the UTC date and time, as `YYYY-MM-DD HH:MM:SS`.
    ///
    /// ```swift
    /// // UPDATE "player" SET "updatedAt" = CURRENT_TIMESTAMP
    /// Player.updateAll(db, Column("updatedAt").set(to: SQLExpression.currentTimestamp))
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_datefunc.html>
    public static let currentTimestamp = SQLExpression(Keyword(sql: "CURRENT_TIMESTAMP"))
}
