public import _GRDBSystem

/// A database value that contains date components, in one of SQLite's text formats.
///
/// ```swift
/// // Stores "1973-09-18"
/// let components = DateComponents(year: 1973, month: 9, day: 18)
/// try db.execute(
///     sql: "INSERT INTO player (birthDate) VALUES (?)",
///     arguments: [DatabaseDateComponents(components, format: .YMD)])
///
/// // Reads "1973-09-18"
/// let birthDate = try DatabaseDateComponents.fetchOne(db, sql: "SELECT birthDate FROM player")
/// birthDate?.format          // .YMD, the format that was found
/// birthDate?.dateComponents  // year: 1973, month: 9, day: 18
/// ```
///
/// All formats of SQLite can be read, including formats with a `T` between the date and the time,
/// and formats with a time zone, which the components then contain. Fractions of seconds are read
/// with nanosecond precision, and rounded to milliseconds when written. Time zones are not written.
///
/// See <doc:Values#Dates>.
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_datefunc.html>
public struct DatabaseDateComponents: Sendable {
    /// The text formats of SQLite.
    public enum Format: String, Sendable {
        /// A date without time.
        case YMD = "yyyy-MM-dd"

        /// Date and time, to the minute. `T` is also accepted instead of the space.
        case YMD_HM = "yyyy-MM-dd HH:mm"

        /// Date and time, to the second. `T` is also accepted instead of the space.
        case YMD_HMS = "yyyy-MM-dd HH:mm:ss"

        /// Date and time, to the millisecond. `T` is also accepted instead of the space.
        case YMD_HMSS = "yyyy-MM-dd HH:mm:ss.SSS"

        /// A time without date, to the minute.
        case HM = "HH:mm"

        /// A time without date, to the second.
        case HMS = "HH:mm:ss"

        /// A time without date, to the millisecond.
        case HMSS = "HH:mm:ss.SSS"
    }

    /// The components that are stored, or were read. Those that the format lacks are nil.
    public let dateComponents: DateComponents

    /// How the components are written as a string.
    public let format: Format

    /// Creates database date components from date components and a format.
    ///
    /// If the date components lack a component of the format, 0 is stored for this component, or 1
    /// for the month and the day.
    public init(_ dateComponents: DateComponents, format: Format) {
        self.dateComponents = dateComponents
        self.format = format
    }
}

extension DatabaseDateComponents.Format {
    fileprivate var hasDate: Bool {
        switch self {
        case .YMD, .YMD_HM, .YMD_HMS, .YMD_HMSS: true
        case .HM, .HMS, .HMSS: false
        }
    }

    fileprivate var timePrecision: DateTimeText.TimePrecision {
        switch self {
        case .YMD: .none
        case .YMD_HM, .HM: .minute
        case .YMD_HMS, .HMS: .second
        case .YMD_HMSS, .HMSS: .fraction
        }
    }

    fileprivate init(_ text: DateTimeText) {
        let hasDate = text.day != nil
        switch text.timePrecision {
        case .none: self = .YMD
        case .minute: self = hasDate ? .YMD_HM : .HM
        case .second: self = hasDate ? .YMD_HMS : .HMS
        case .fraction: self = hasDate ? .YMD_HMSS : .HMSS
        }
    }
}

// MARK: - Conversions

extension DatabaseDateComponents: DatabaseValueConvertible, StatementColumnConvertible {
    public init?(sqliteStatement: SQLiteStatement, index: CInt) {
        guard let value = Self.fromStatement(sqliteStatement, atUncheckedIndex: index) else {
            return nil
        }
        self = value
    }

    public static func fromStatement(
        _ sqliteStatement: SQLiteStatement, atUncheckedIndex index: CInt
    ) -> DatabaseDateComponents? {
        let column = RawColumn.content(sqliteStatement, index)
        return switch column.type {
        case RawType.text, RawType.blob:
            DateTimeText(column.bytes).map { self.init($0) }
        default:
            nil
        }
    }

    public var databaseValue: DatabaseValue {
        DatabaseValue(storage: .string(databaseText))
    }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseDateComponents? {
        dbValue.withUTF8 { DateTimeText($0).map { self.init($0) } }
    }

    private init(_ text: DateTimeText) {
        var components = DateComponents()
        let precision = text.timePrecision
        components.year = text.day?.year
        components.month = text.day?.month
        components.day = text.day?.day
        components.hour = precision >= .minute ? text.hour : nil
        components.minute = precision >= .minute ? text.minute : nil
        components.second = precision >= .second ? text.second : nil
        components.nanosecond = precision >= .fraction ? text.nanosecond : nil
        components.timeZone = text.utcOffset.flatMap { TimeZone(secondsFromGMT: $0) }
        self.init(components, format: Format(text))
    }

    private var databaseText: String {
        var text = ""
        if format.hasDate {
            text += yearText
            text += "-" + Self.padded(dateComponents.month ?? 1, digits: 2)
            text += "-" + Self.padded(dateComponents.day ?? 1, digits: 2)
        }
        let precision = format.timePrecision
        if precision >= .minute {
            if format.hasDate { text += " " }
            text += Self.padded(dateComponents.hour ?? 0, digits: 2)
            text += ":" + Self.padded(dateComponents.minute ?? 0, digits: 2)
        }
        if precision >= .second {
            text += ":" + Self.padded(dateComponents.second ?? 0, digits: 2)
        }
        if precision >= .fraction {
            text += "." + Self.padded(millisecond, digits: 3)
        }
        return text
    }

    private var yearText: String {
        let year = dateComponents.year ?? 0
        return year > 9_999
            ? "Y" + Self.padded(year, digits: DateTimeFormat.longYearDigits)
            : Self.padded(year, digits: 4)
    }

    /// Rounded, but never up to the next second, which would affect all other components.
    private var millisecond: Int {
        let nanosecond = min(max(dateComponents.nanosecond ?? 0, 0), 999_000_000)
        return (nanosecond + 500_000) / 1_000_000
    }

    private static func padded(_ number: Int, digits count: Int) -> String {
        let digits = String(number.magnitude)
        let zeros = String(repeating: "0", count: max(0, count - digits.count))
        return (number < 0 ? "-" : "") + zeros + digits
    }
}

// MARK: - Date

extension DatabaseDateComponents {
    /// Nil if the format has no date, or if the components are not a valid date of the calendar.
    var date: Date? {
        guard format.hasDate else { return nil }
        var text = DateTimeText()
        text.day = CivilCalendar.Day(
            year: dateComponents.year ?? 0,
            month: dateComponents.month ?? 1,
            day: dateComponents.day ?? 1)
        let precision = format.timePrecision
        text.hour = precision >= .minute ? dateComponents.hour ?? 0 : 0
        text.minute = precision >= .minute ? dateComponents.minute ?? 0 : 0
        text.second = precision >= .second ? dateComponents.second ?? 0 : 0
        text.nanosecond = precision >= .fraction ? dateComponents.nanosecond ?? 0 : 0
        guard 0...24 ~= text.hour, 0..<60 ~= text.minute, 0..<60 ~= text.second,
            0..<1_000_000_000 ~= text.nanosecond,
            let interval = text.secondsSinceReferenceDate
        else { return nil }
        let date = Date(timeIntervalSinceReferenceDate: interval)
        guard let timeZone = dateComponents.timeZone else { return date }
        // The offset to UTC at the instant with these components in the time zone. The first guess
        // can be wrong by the difference between two offsets.
        let guess = date - TimeInterval(timeZone.secondsFromGMT(for: date))
        return date - TimeInterval(timeZone.secondsFromGMT(for: guess))
    }
}

// MARK: - Codable

/// Coded as a single string in the database format.
extension DatabaseDateComponents: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Self.fromDatabaseValue(text.databaseValue) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\"\(text)\" has no date format of SQLite")
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(databaseText)
    }
}
