/// Returns a row value: several values that are compared together.
///
/// ```swift
/// // ("lastName", "firstName") > ('Hugo', 'Victor')
/// rowValue(Column("lastName"), Column("firstName")) > rowValue("Hugo", "Victor")
///
/// // ("x", "y") IN (VALUES (0, 0), (1, 1))
/// [rowValue(0, 0), rowValue(1, 1)].contains(rowValue(Column("x"), Column("y")))
///
/// // ("x", "y") IN (SELECT "x", "y" FROM "bomb")
/// let bombs = Table("bomb").select(Column("x"), Column("y"))
/// bombs.contains(rowValue(Column("x"), Column("y")))
/// ```
///
/// Row values are compared from left to right. The first difference decides. Both row values must
/// have the same number of values; otherwise SQLite throws an error. A row value can't be selected,
/// and can't be NULL itself.
///
/// Related SQLite documentation: <https://www.sqlite.org/rowvalue.html>
public func rowValue(
    _ value1: any SQLExpressible, _ value2: any SQLExpressible, _ values: any SQLExpressible...
) -> SQLExpression {
    SQLExpression(
        RowValue(
            expressions: [value1.sqlExpression, value2.sqlExpression]
                + values.map(\.sqlExpression)))
}

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
