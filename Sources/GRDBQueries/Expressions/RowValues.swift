import GRDB

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
    .row([value1.sqlExpression, value2.sqlExpression] + values.map(\.sqlExpression))
}
