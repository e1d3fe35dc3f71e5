// The built-in date and time functions.
//
// Related SQLite documentation: <https://www.sqlite.org/lang_datefunc.html>

/// A modifier of the date and time functions.
///
/// ```swift
/// // DATETIME("creationDate", 'start of month', '1 months')
/// dateTime(Column("creationDate"), .startOfMonth, .month(1))
/// ```
///
/// Related SQLite documentation:
/// <https://www.sqlite.org/lang_datefunc.html#modifiers>
public enum SQLDateModifier: SQLSpecificExpressible, Sendable {
    /// Adds days.
    case day(Int)

    /// Adds hours.
    case hour(Int)

    /// Adds minutes.
    case minute(Int)

    /// Adds seconds.
    case second(Double)

    /// Adds months.
    case month(Int)

    /// Adds years.
    case year(Int)

    /// Moves back to the beginning of the day.
    case startOfDay

    /// Moves back to the beginning of the month.
    case startOfMonth

    /// Moves back to the beginning of the year.
    case startOfYear

    /// Moves forward to the given day of the week, from 0 for Sunday. A date on that day is
    /// unchanged.
    case weekday(Int)

    /// Interprets a number as seconds since 1970-01-01 00:00:00 UTC.
    case unixEpoch

    /// Converts from UTC to local time.
    case localTime

    /// Converts from local time to UTC.
    case utc

    public var sqlExpression: SQLExpression {
        let modifier =
            switch self {
            case .day(let count): "\(count) days"
            case .hour(let count): "\(count) hours"
            case .minute(let count): "\(count) minutes"
            case .second(let count): "\(count) seconds"
            case .month(let count): "\(count) months"
            case .year(let count): "\(count) years"
            case .startOfDay: "start of day"
            case .startOfMonth: "start of month"
            case .startOfYear: "start of year"
            case .weekday(let day): "weekday \(day)"
            case .unixEpoch: "unixepoch"
            case .localTime: "localtime"
            case .utc: "utc"
            }
        return modifier.sqlExpression
    }
}

extension SQLExpression {
    /// `NAME(value, modifier, …)`
    package static func date(
        _ name: String, _ values: [any SQLExpressible], _ modifiers: [SQLDateModifier]
    ) -> SQLExpression {
        .function(
            name, arguments: values.map(\.sqlExpression) + modifiers.map(\.sqlExpression))
    }
}

/// The `DATETIME` SQL function: the date and time, as `YYYY-MM-DD HH:MM:SS`.
///
/// ```swift
/// // DATETIME("creationDate", 'start of month')
/// dateTime(Column("creationDate"), .startOfMonth)
/// ```
public func dateTime(
    _ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...
) -> SQLExpression {
    .date("DATETIME", [value], modifiers)
}

/// The `JULIANDAY` SQL function: the fractional number of days since noon in Greenwich on November
/// 24, 4714 B.C.
///
/// ```swift
/// // JULIANDAY("creationDate", 'start of year')
/// julianDay(Column("creationDate"), .startOfYear)
/// ```
public func julianDay(
    _ value: some SQLSpecificExpressible, _ modifiers: SQLDateModifier...
) -> SQLExpression {
    .date("JULIANDAY", [value], modifiers)
}
