public import _GRDBSystem

/// Stored as text in UTC, rounded to the millisecond: `yyyy-MM-dd HH:mm:ss.SSS`.
///
/// ```swift
/// let date = Date(timeIntervalSince1970: 0)
/// date.databaseValue  // "1970-01-01 00:00:00.000"
/// ```
///
/// Decoded from SQLite's text formats that contain a date, with or without time and time zone, and
/// from numbers, which are seconds since 1970. Missing components are zero. Texts that are not a
/// valid date of the calendar, such as `2015-02-30`, are not decoded.
///
/// The calendar is Foundation's, which is Julian before October 15th, 1582. SQLite's date functions
/// use the Gregorian calendar for all years, so their results differ by some days before that date.
///
/// SQLite supports the years 0 to 9999. Other dates are stored in formats that can be decoded and
/// sort correctly: earlier dates as seconds since 1970, because numbers sort before text, and later
/// dates as text that starts with `Y` and nine digits, because letters sort after digits.
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_datefunc.html>
extension Date: DatabaseValueConvertible, StatementColumnConvertible, JSONScalar {
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
            // A single division rounds only once.
            let reference = CivilCalendar.secondsFrom1970To2001 * 1_000
            self.init(timeIntervalSinceReferenceDate: Double(milliseconds - reference) / 1_000)
        } else if let text = DateTimeText(utf8) {
            guard let interval = text.secondsSinceReferenceDate else { return nil }
            self.init(timeIntervalSinceReferenceDate: interval)
        } else if utf8.first == UInt8(ascii: "-"), let seconds = NumericText(utf8)?.real {
            // A date before year 0 that the affinity of the column has converted to text.
            self.init(timeIntervalSince1970: seconds)
        } else {
            return nil
        }
    }
}

extension Date {
    /// Creates a date from a Julian day number: the number of days since noon in Greenwich on
    /// November 24th, 4714 BC in the proleptic Gregorian calendar. Like in SQLite, the result is
    /// rounded to the millisecond.
    ///
    /// ```swift
    /// Date(julianDay: 2_440_587.5)  // 1970-01-01 00:00:00 +0000
    /// ```
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_datefunc.html>
    ///
    /// - returns: nil if the number is not finite, or too large for millisecond precision.
    public init?(julianDay: Double) {
        // Milliseconds since the origin, which SQLite uses as well.
        let milliseconds = (julianDay * 86_400_000).rounded()
        // This rejects NaN, too, for which every comparison is false.
        guard abs(milliseconds) < 9_007_199_254_740_992 else { return nil }
        self.init(timeIntervalSince1970: (milliseconds - 210_866_760_000_000) / 1_000)
    }

    /// Creates a date from database date components, in their time zone, or in UTC if they have
    /// none. Missing components are zero.
    ///
    /// - returns: nil if the format of the components has no date, or if they are not a valid date
    ///   of the calendar.
    public init?(databaseDateComponents: DatabaseDateComponents) {
        guard let date = databaseDateComponents.date else { return nil }
        self = date
    }
}
