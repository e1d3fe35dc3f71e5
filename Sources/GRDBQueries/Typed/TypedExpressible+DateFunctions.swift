import GRDB

// The date functions of typed expressions: dates, texts or numbers. The results are NULL for
// values that are not dates.

/// The `DATETIME` SQL function: the date and time, as `YYYY-MM-DD HH:MM:SS`.
///
/// ```swift
/// // DATETIME("creationDate", 'start of month')
/// dateTime(Post.Columns.creationDate, .startOfMonth)
/// ```
public func dateTime(
    _ value: some TypedExpressible, _ modifiers: SQLDateModifier...
) -> TypedExpression<String?> {
    TypedExpression(SQLExpression.date("DATETIME", [value], modifiers))
}

/// The `DATE` SQL function: the date, as `YYYY-MM-DD`.
public func date(
    _ value: some TypedExpressible, _ modifiers: SQLDateModifier...
) -> TypedExpression<String?> {
    TypedExpression(SQLExpression.date("DATE", [value], modifiers))
}

/// The `TIME` SQL function: the time, as `HH:MM:SS`.
public func time(
    _ value: some TypedExpressible, _ modifiers: SQLDateModifier...
) -> TypedExpression<String?> {
    TypedExpression(SQLExpression.date("TIME", [value], modifiers))
}

/// The `JULIANDAY` SQL function: the number of days since noon in Greenwich on November 24, 4714 B.C.
public func julianDay(
    _ value: some TypedExpressible, _ modifiers: SQLDateModifier...
) -> TypedExpression<Double?> {
    TypedExpression(SQLExpression.date("JULIANDAY", [value], modifiers))
}

/// The `UNIXEPOCH` SQL function: the number of seconds since 1970-01-01 00:00:00 UTC.
public func unixEpoch(
    _ value: some TypedExpressible, _ modifiers: SQLDateModifier...
) -> TypedExpression<Int?> {
    TypedExpression(SQLExpression.date("UNIXEPOCH", [value], modifiers))
}

/// The `STRFTIME` SQL function: the date and time in the given format.
///
/// ```swift
/// // STRFTIME('%Y', "creationDate")
/// strftime("%Y", Post.Columns.creationDate)
/// ```
public func strftime(
    _ format: String, _ value: some TypedExpressible, _ modifiers: SQLDateModifier...
) -> TypedExpression<String?> {
    TypedExpression(SQLExpression.date("STRFTIME", [format, value], modifiers))
}

/// The `TIMEDIFF` SQL function: the time interval between two dates.
public func timeDifference(
    _ end: some TypedExpressible, _ start: some SQLExpressible
) -> TypedExpression<String?> {
    TypedExpression(SQLExpression.date("TIMEDIFF", [end, start], []))
}
