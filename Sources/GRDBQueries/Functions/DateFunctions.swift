import GRDB

// The built-in date and time functions that GRDB 7 does not have.
//
// Related SQLite documentation: <https://www.sqlite.org/lang_datefunc.html>

/// The `DATE` SQL function: the date, as `YYYY-MM-DD`.
///
/// ```swift
/// // DATE("creationDate")
/// date(Column("creationDate"))
/// ```
public func date(
    _ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...
) -> SQLExpression {
    .date("DATE", [value], modifiers)
}

/// The `TIME` SQL function: the time, as `HH:MM:SS`.
///
/// ```swift
/// // TIME("creationDate")
/// time(Column("creationDate"))
/// ```
public func time(
    _ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...
) -> SQLExpression {
    .date("TIME", [value], modifiers)
}

/// The `UNIXEPOCH` SQL function: the number of seconds since 1970-01-01 00:00:00 UTC, an integer.
///
/// ```swift
/// // UNIXEPOCH("creationDate")
/// unixEpoch(Column("creationDate"))
/// ```
public func unixEpoch(
    _ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...
) -> SQLExpression {
    .date("UNIXEPOCH", [value], modifiers)
}

/// The `STRFTIME` SQL function: the date and time in the given format.
///
/// ```swift
/// // STRFTIME('%Y-%W', "creationDate")
/// strftime("%Y-%W", Column("creationDate"))
/// ```
public func strftime(
    _ format: some SQLExpressible, _ value: some SQLSpecificExpressible,
    _ modifiers: SQLDateModifier...
) -> SQLExpression {
    .date("STRFTIME", [format, value], modifiers)
}

/// The `TIMEDIFF` SQL function: the time interval from the second value to the first, as
/// `+YYYY-MM-DD HH:MM:SS.SSS`.
///
/// ```swift
/// // TIMEDIFF("endDate", "startDate")
/// timeDifference(Column("endDate"), Column("startDate"))
/// ```
public func timeDifference(
    _ end: some SQLSpecificExpressible, _ start: some SQLExpressible
) -> SQLExpression {
    .date("TIMEDIFF", [end, start], [])
}
