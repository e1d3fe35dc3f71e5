extension SQLExpression {
    /// A column of the result, by its number. The first selected column is 1.
    ///
    /// ```swift
    /// // SELECT "team", COUNT(*) FROM "player" GROUP BY 1 ORDER BY 2 DESC
    /// Table("player")
    ///     .select(Column("team"), count(.all))
    ///     .group(SQLExpression.resultColumn(1))
    ///     .order(SQLExpression.resultColumn(2).desc)
    /// ```
    ///
    /// Numbers refer to columns only as the terms of `GROUP BY` and `ORDER BY`. Elsewhere they are
    /// integers. SQLite throws an error if there is no such column.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_select.html#the_order_by_clause>
    public static func resultColumn(_ number: Int) -> SQLExpression {
        SQLExpression(Keyword(sql: String(number)))
    }
}
