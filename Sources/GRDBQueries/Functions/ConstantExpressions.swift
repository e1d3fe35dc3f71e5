import GRDB

// Expressions without operands: literals, and functions without arguments.
//
// Related SQLite documentation: <https://www.sqlite.org/lang_corefunc.html>

extension SQLExpression {
    /// The `TRUE` SQL literal, which is 1.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE TRUE
    /// Player.filter(SQLExpression.true)
    /// ```
    public static let `true` = keyword("TRUE")

    /// The `FALSE` SQL literal, which is 0.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE FALSE
    /// Player.filter(SQLExpression.false)
    /// ```
    public static let `false` = keyword("FALSE")

    /// The `RANDOM` SQL function: a random 64-bit integer for each row.
    ///
    /// ```swift
    /// // SELECT * FROM "player" ORDER BY RANDOM()
    /// Player.order(SQLExpression.random())
    /// ```
    public static func random() -> SQLExpression { .function("RANDOM") }

    /// The `RANDOMBLOB` SQL function: random bytes for each row.
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

    /// The `ZEROBLOB` SQL function: a blob filled with zeros.
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

    /// The `CHANGES` SQL function: the number of rows changed by the last `INSERT`, `UPDATE` or
    /// `DELETE` statement.
    public static func changesCount() -> SQLExpression { .function("CHANGES") }

    /// The `TOTAL_CHANGES` SQL function: the number of rows changed since the connection was
    /// opened.
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
    public static let currentDate = keyword("CURRENT_DATE")

    /// The `CURRENT_TIME` SQL literal: the UTC time, as `HH:MM:SS`.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_datefunc.html>
    public static let currentTime = keyword("CURRENT_TIME")

    /// The `CURRENT_TIMESTAMP` SQL literal: the UTC date and time, as `YYYY-MM-DD HH:MM:SS`.
    ///
    /// ```swift
    /// // UPDATE "player" SET "updatedAt" = CURRENT_TIMESTAMP
    /// Player.updateAll(db, Column("updatedAt").set(to: SQLExpression.currentTimestamp))
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_datefunc.html>
    public static let currentTimestamp = keyword("CURRENT_TIMESTAMP")
}
