import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Date and time functions.
@Suite(.databases) struct DateFunctionTests: ParcelQueries {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try ParcelTables.makeQueue()
    }

    @Test func julianDays() throws {
        try expect(
            julianDay(sentOn), #"JULIANDAY("sentOn")"#, "2458849.5 | 2459381.0208333335 | NULL")
        try expect(
            julianDay(sentOn, .day(1)), #"JULIANDAY("sentOn", ?) ["1 days"]"#,
            "2458850.5 | 2459382.0208333335 | NULL")
        try expect(
            julianDay(sentOn, .startOfMonth, .month(1), .day(-1)),
            #"JULIANDAY("sentOn", ?, ?, ?) ["start of month", "1 months", "-1 days"]"#,
            "2458879.5 | 2459395.5 | NULL")
        try expect(
            dateTime(sentOn), #"DATETIME("sentOn")"#,
            #""2020-01-01 00:00:00" | "2021-06-15 12:30:00" | NULL"#)
    }

    @Test func daysHoursAndMinutes() throws {
        try expect(
            dateTime(epoch.databaseValue), #"DATETIME(?) ["1970-01-01 00:00:00.000"]"#,
            #""1970-01-01 00:00:00" | "1970-01-01 00:00:00" | "1970-01-01 00:00:00""#)
        try expect(
            dateTime(sentOn, .day(1)), #"DATETIME("sentOn", ?) ["1 days"]"#,
            #""2020-01-02 00:00:00" | "2021-06-16 12:30:00" | NULL"#)
        try expect(
            dateTime(sentOn, .day(-1)), #"DATETIME("sentOn", ?) ["-1 days"]"#,
            #""2019-12-31 00:00:00" | "2021-06-14 12:30:00" | NULL"#)
        try expect(
            dateTime(sentOn, .day(0)), #"DATETIME("sentOn", ?) ["0 days"]"#,
            #""2020-01-01 00:00:00" | "2021-06-15 12:30:00" | NULL"#)
        try expect(
            dateTime(sentOn, .hour(5)), #"DATETIME("sentOn", ?) ["5 hours"]"#,
            #""2020-01-01 05:00:00" | "2021-06-15 17:30:00" | NULL"#)
        try expect(
            dateTime(sentOn, .hour(-5)), #"DATETIME("sentOn", ?) ["-5 hours"]"#,
            #""2019-12-31 19:00:00" | "2021-06-15 07:30:00" | NULL"#)
        try expect(
            dateTime(sentOn, .minute(3)), #"DATETIME("sentOn", ?) ["3 minutes"]"#,
            #""2020-01-01 00:03:00" | "2021-06-15 12:33:00" | NULL"#)
        try expect(
            dateTime(sentOn, .minute(-30)), #"DATETIME("sentOn", ?) ["-30 minutes"]"#,
            #""2019-12-31 23:30:00" | "2021-06-15 12:00:00" | NULL"#)
    }

    @Test func seconds() throws {
        try expect(
            dateTime(sentOn, .second(1.5)), #"DATETIME("sentOn", ?) ["1.5 seconds"]"#,
            #""2020-01-01 00:00:01" | "2021-06-15 12:30:01" | NULL"#)
        try expect(
            dateTime(sentOn, .second(-1.5)), #"DATETIME("sentOn", ?) ["-1.5 seconds"]"#,
            #""2019-12-31 23:59:58" | "2021-06-15 12:29:58" | NULL"#)
        try expect(
            dateTime(sentOn, .second(2)), #"DATETIME("sentOn", ?) ["2.0 seconds"]"#,
            #""2020-01-01 00:00:02" | "2021-06-15 12:30:02" | NULL"#)
        try expect(
            dateTime(sentOn, .second(0.000001)), #"DATETIME("sentOn", ?) ["1e-06 seconds"]"#,
            #""2020-01-01 00:00:00" | "2021-06-15 12:30:00" | NULL"#)
        try expect(
            dateTime(sentOn, .second(1e20)), #"DATETIME("sentOn", ?) ["1e+20 seconds"]"#,
            "NULL | NULL | NULL")
        try expect(
            dateTime(sentOn, .second(1234567.891234)),
            #"DATETIME("sentOn", ?) ["1234567.891234 seconds"]"#,
            #""2020-01-15 06:56:07" | "2021-06-29 19:26:07" | NULL"#)
        try expect(
            dateTime(sentOn, .second(1.0 / 3)),
            #"DATETIME("sentOn", ?) ["0.3333333333333333 seconds"]"#,
            #""2020-01-01 00:00:00" | "2021-06-15 12:30:00" | NULL"#)
        try expect(
            dateTime(sentOn, .second(.nan)), #"DATETIME("sentOn", ?) ["nan seconds"]"#,
            "NULL | NULL | NULL")
        try expect(
            dateTime(sentOn, .second(.infinity)), #"DATETIME("sentOn", ?) ["inf seconds"]"#,
            "NULL | NULL | NULL")
    }

    @Test func monthsAndYears() throws {
        try expect(
            dateTime(sentOn, .month(2)), #"DATETIME("sentOn", ?) ["2 months"]"#,
            #""2020-03-01 00:00:00" | "2021-08-15 12:30:00" | NULL"#)
        try expect(
            dateTime(sentOn, .month(-2)), #"DATETIME("sentOn", ?) ["-2 months"]"#,
            #""2019-11-01 00:00:00" | "2021-04-15 12:30:00" | NULL"#)
        try expect(
            dateTime(sentOn, .year(1)), #"DATETIME("sentOn", ?) ["1 years"]"#,
            #""2021-01-01 00:00:00" | "2022-06-15 12:30:00" | NULL"#)
        try expect(
            dateTime(sentOn, .year(-1)), #"DATETIME("sentOn", ?) ["-1 years"]"#,
            #""2019-01-01 00:00:00" | "2020-06-15 12:30:00" | NULL"#)
    }

    @Test func startsAndWeekdays() throws {
        try expect(
            dateTime(sentOn, .startOfDay), #"DATETIME("sentOn", ?) ["start of day"]"#,
            #""2020-01-01 00:00:00" | "2021-06-15 00:00:00" | NULL"#)
        try expect(
            dateTime(sentOn, .startOfMonth), #"DATETIME("sentOn", ?) ["start of month"]"#,
            #""2020-01-01 00:00:00" | "2021-06-01 00:00:00" | NULL"#)
        try expect(
            dateTime(sentOn, .startOfYear), #"DATETIME("sentOn", ?) ["start of year"]"#,
            #""2020-01-01 00:00:00" | "2021-01-01 00:00:00" | NULL"#)
        try expect(
            dateTime(sentOn, .weekday(0)), #"DATETIME("sentOn", ?) ["weekday 0"]"#,
            #""2020-01-05 00:00:00" | "2021-06-20 12:30:00" | NULL"#)
        try expect(
            dateTime(sentOn, .weekday(6)), #"DATETIME("sentOn", ?) ["weekday 6"]"#,
            #""2020-01-04 00:00:00" | "2021-06-19 12:30:00" | NULL"#)
        try expect(
            dateTime(sentOn, .weekday(9)), #"DATETIME("sentOn", ?) ["weekday 9"]"#,
            "NULL | NULL | NULL")
    }

    @Test func conversions() throws {
        try expect(
            dateTime(sentOn, .unixEpoch), #"DATETIME("sentOn", ?) ["unixepoch"]"#,
            "NULL | NULL | NULL")
        try expect(
            dateTime(sentOn, .localTime), #"DATETIME("sentOn", ?) ["localtime"]"#,
            #""2020-01-01 00:00:00" | "2021-06-15 12:30:00" | NULL"#)
        try expect(
            dateTime(sentOn, .utc), #"DATETIME("sentOn", ?) ["utc"]"#,
            #""2020-01-01 00:00:00" | "2021-06-15 12:30:00" | NULL"#)
        try expect(
            dateTime(sentOn, .utc, .localTime, .day(1), .hour(2), .startOfDay),
            #"DATETIME("sentOn", ?, ?, ?, ?, ?) ["utc", "localtime", "1 days", "2 hours", "start of day"]"#,
            #""2020-01-02 00:00:00" | "2021-06-16 00:00:00" | NULL"#)
        try expect(
            dateTime(sentOn) > dateTime(epoch.databaseValue),
            #"DATETIME("sentOn") > DATETIME(?) ["1970-01-01 00:00:00.000"]"#, "1 | 1 | NULL")
        try expect(
            julianDay(sentOn) - julianDay("2020-01-01".databaseValue),
            #"JULIANDAY("sentOn") - JULIANDAY(?) ["2020-01-01"]"#, "0.0 | 531.5208333334886 | NULL")
    }

    /// Modifiers are expressions: they can be selected, sorted by, and compared.
    @Test func modifiersAreExpressions() throws {
        try dbQueue.read { db in
            let request = Parcel.select(SQLDateModifier.day(1).forKey("m"), SQLDateModifier.utc)
                .order(SQLDateModifier.startOfDay).limit(1)
            try expectEqual(
                Row.fetchOne(db, request)?.databaseValues.map { "\($0)" },
                [
                    "\"1 days\"", "\"utc\"",
                ])
            try expectEqual(Parcel.filter(SQLDateModifier.month(2) == "2 months").fetchCount(db), 3)
            let values: [any SQLSpecificExpressible] = [SQLDateModifier.weekday(0)]
            expectEqual(values.count, 1)
        }
    }
}
