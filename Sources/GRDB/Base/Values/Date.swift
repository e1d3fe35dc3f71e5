public import Foundation

/// Stored as text, rounded to the millisecond, in UTC: `yyyy-MM-dd HH:mm:ss.SSS`.
///
/// ```swift
/// let date = Date(timeIntervalSince1970: 0)
/// date.databaseValue  // "1970-01-01 00:00:00.000"
/// ```
///
/// Decoded from the text formats of SQLite that hold a date, with or without time and time zone,
/// missing components being zero; and from numbers, which are seconds since 1970. Texts that are
/// not a date of the calendar, such as `2015-02-30`, are not decoded.
///
/// The calendar is that of Foundation, which is Julian before October 15th, 1582. The date functions
/// of SQLite use the Gregorian calendar for all years, and are some days off before.
///
/// SQLite knows the years 0 to 9999. Other dates are stored so that they can be read, and so that
/// they sort correctly: those before as seconds since 1970 (numbers sort before text), those after
/// as text that starts with `Y` and nine digits (which sorts after digits).
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_datefunc.html>
extension Date: DatabaseValueConvertible, StatementColumnConvertible {
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        guard let date = Self.fromStatement(sqliteStatement, atUncheckedIndex: index) else {
            return nil
        }
        self = date
    }

    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
    ) -> Date? {
        let column = RawColumn.real(sqliteStatement, index)
        return switch column.type {
        case RawType.text, RawType.blob:
            Date(databaseText: RawColumn.content(sqliteStatement, index).bytes)
        case RawType.integer, RawType.float:
            Date(timeIntervalSince1970: column.value)
        default:
            nil
        }
    }

    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        withDatabaseText { RawBinding.text(sqliteStatement, index, $0) }
            ?? RawBinding.double(sqliteStatement, index, timeIntervalSince1970)
    }

    public var databaseValue: DatabaseValue {
        withDatabaseText { DatabaseValue(storage: .string(String(decoding: $0, as: UTF8.self))) }
            ?? DatabaseValue(storage: .double(timeIntervalSince1970))
    }

    public var _storableDatabaseValue: DatabaseValue? { databaseValue }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> Date? {
        if let seconds = dbValue.real {
            return Date(timeIntervalSince1970: seconds)
        }
        return dbValue.withUTF8 { Date(databaseText: $0) }
    }

    private func withDatabaseText<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result? {
        let capacity = DateTimeFormat.maximumLength
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { buffer in
            DateTimeFormat.write(secondsSince1970: timeIntervalSince1970, to: buffer).map { count in
                body(UnsafeBufferPointer(rebasing: buffer[..<count]))
            }
        }
    }

    private init?(databaseText utf8: UnsafeBufferPointer<UInt8>) {
        if let milliseconds = StoredDateText.millisecondsSince1970(utf8) {
            // One division rounds once.
            let reference = CivilCalendar.secondsFrom1970To2001 * 1_000
            self.init(timeIntervalSinceReferenceDate: Double(milliseconds - reference) / 1_000)
        } else if let text = DateTimeText(utf8) {
            guard let interval = text.secondsSinceReferenceDate else { return nil }
            self.init(timeIntervalSinceReferenceDate: interval)
        } else if utf8.first == UInt8(ascii: "-"), let seconds = NumericText(utf8)?.real {
            // A date before year 0, turned into text by the affinity of the column.
            self.init(timeIntervalSince1970: seconds)
        } else {
            return nil
        }
    }
}

extension Date {
    /// Creates a date from a Julian day number: the days since noon in Greenwich on November 24th,
    /// 4714 BC in the proleptic Gregorian calendar. The result is rounded to the millisecond, like
    /// that of SQLite.
    ///
    /// ```swift
    /// Date(julianDay: 2_440_587.5)  // 1970-01-01 00:00:00 +0000
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_datefunc.html>
    ///
    /// - returns: nil if the number is not finite, or so large that milliseconds are lost.
    public init?(julianDay: Double) {
        // Milliseconds since the origin, as SQLite counts.
        let milliseconds = (julianDay * 86_400_000).rounded()
        // Also refuses NaN, for which no comparison holds.
        guard abs(milliseconds) < 9_007_199_254_740_992 else { return nil }
        self.init(timeIntervalSince1970: (milliseconds - 210_866_760_000_000) / 1_000)
    }

    /// Creates a date from database date components, in their time zone or else in UTC. Missing
    /// components are zero.
    ///
    /// - returns: nil if the components have no date in their format, or not one of the calendar.
    public init?(databaseDateComponents: DatabaseDateComponents) {
        guard let date = databaseDateComponents.date else { return nil }
        self = date
    }
}
