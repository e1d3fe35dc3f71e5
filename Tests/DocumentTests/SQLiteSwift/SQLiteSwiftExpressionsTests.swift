import GRDBQueries
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The snippets of the chapters "Building Type-Safe SQL", "Other Operators", "Core SQLite
/// Functions", "Date and Time Functions", "Custom SQL Functions" and "Custom Collations" of the
/// SQLite.swift guide, in the spelling of this library.
@Suite(.databases) struct SQLiteSwiftExpressionsTests {
    private let id = TypedColumn<Int64>("id")
    private let email = TypedColumn<String>("email")
    private let balance = TypedColumn<Double>("balance")
    private let verified = TypedColumn<Bool>("verified")
    private let name = TypedColumn<String?>("name")
    private let date = TypedColumn<Date>("date")

    /// Expects the SQL of an expression, and its value for the only user.
    private func expectValue(
        _ expression: some SQLSelectable, _ sql: String, _ value: String, line: Int = #line
    ) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE users (id, email, balance, verified, name, date);
                    INSERT INTO users VALUES
                        (6, 'alice@mac.com', 2.5, 1, NULL, '2007-01-09 09:41:00.000');
                    """)
            try expectRequest(
                db, Table("users").select([expression]), #"SELECT \#(sql) FROM "users""#, [value],
                line: line)
        }
    }

    // MARK: - Building type-safe SQL

    @Test func expressions() throws {
        try expectValue(id, #""id""#, "6")
        try expectValue(email, #""email""#, "alice@mac.com")
        try expectValue(balance, #""balance""#, "2.5")
        try expectValue(verified, #""verified""#, "1")
        try expectValue(name, #""name""#, "NULL")
        // A literal expression
        try expectValue(SQL("id + \(1)").sqlExpression, "id + 1", "7")
        try expectValue(
            TypedExpression<Int>(SQL("id").sqlExpression) * 2, "(id) * 2", "12")
    }

    @Test func compoundExpressions() throws {
        try expectValue(
            verified && balance * 2 >= 5, #""verified" AND (("balance" * 2.0) >= 5.0)"#, "1")
        let nameOrNobody: TypedExpression<String> = name ?? "nobody"
        try expectValue(
            nameOrNobody + " <" + email + ">",
            #"IFNULL("name", 'nobody') || ' <' || "email" || '>'"#, "nobody <alice@mac.com>")
    }

    // MARK: - Other operators

    @Test func operators() throws {
        try expectValue(id + 1, #""id" + 1"#, "7")
        try expectValue(balance - 0.5, #""balance" - 0.5"#, "2.0")
        try expectValue(id * id, #""id" * "id""#, "36")
        try expectValue(balance / 2, #""balance" / 2.0"#, "1.25")
        try expectValue(id % 4, #""id" % 4"#, "2")
        try expectValue(id << 2, #""id" << 2"#, "24")
        try expectValue(id >> 1, #""id" >> 1"#, "3")
        try expectValue(id & 3, #""id" & 3"#, "2")
        try expectValue(id | 1, #""id" | 1"#, "7")
        try expectValue(email + "!", #""email" || '!'"#, "alice@mac.com!")
        try expectValue(id ^ 3, #"("id" | 3) - ("id" & 3)"#, "5")
        try expectValue(~id, #"~"id""#, "-7")
        try expectValue(-balance, #"-"balance""#, "-2.5")
    }

    // MARK: - Core SQLite functions

    @Test func functions() throws {
        try expectValue(name ?? email, #"IFNULL("name", "email")"#, "alice@mac.com")
        try expectValue(abs(-id), #"ABS(-"id")"#, "6")
        try expectValue(length(email), #"LENGTH("email")"#, "13")
        try expectValue(upper(email.untyped), #"UPPER("email")"#, "ALICE@MAC.COM")
        try expectValue(
            trim(email.untyped, characters: "ma"), #"TRIM("email", 'ma')"#, "lice@mac.co")
        try expectValue(
            replace(email.untyped, "mac", with: "me"), #"REPLACE("email", 'mac', 'me')"#,
            "alice@me.com")
        try expectValue(
            substr(email.untyped, from: 1, length: 5), #"SUBSTR("email", 1, 5)"#, "alice")
        try expectValue(round(balance.untyped), #"ROUND("balance")"#, "3.0")
        try expectValue(
            email.uppercased, #"swiftUppercaseString("email")"#, "ALICE@MAC.COM")
        try expectValue(name.capitalized, #"swiftCapitalizedString("name")"#, "NULL")
        try expectValue(name.uppercased, #"swiftUppercaseString("name")"#, "NULL")
    }

    // MARK: - Date and time functions

    @Test func dates() throws {
        try expectValue(
            GRDBQueries.date("2007-01-09 23:59:59".databaseValue), "DATE('2007-01-09 23:59:59')",
            "2007-01-09")
        let announced = Date(timeIntervalSince1970: 1_168_335_660)
        try expectValue(
            GRDBQueries.date(announced.databaseValue), "DATE('2007-01-09 09:41:00.000')",
            "2007-01-09")
        try expectValue(GRDBQueries.date(date.untyped), #"DATE("date")"#, "2007-01-09")
        try expectValue(time(date.untyped), #"TIME("date")"#, "09:41:00")
        try expectValue(
            dateTime(date.untyped, .day(1)), #"DATETIME("date", '1 days')"#,
            "2007-01-10 09:41:00")
        try expectValue(
            strftime("%H", date.untyped), #"STRFTIME('%H', "date")"#, "09")
        // The current date
        try TestDatabases.makeQueue().read { db in
            let today = try Table("sqlite_master").select(
                count(.all), GRDBQueries.date("now".databaseValue)
            ).fetchOne(db)
            expectEqual((today?[1] as String?)?.count, 10)
        }
    }

    // MARK: - Custom SQL functions

    @Test func customFunctions() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE attachments (UTI TEXT);
                    INSERT INTO attachments VALUES ('public.png'), ('public.text');
                    """)
            let typeConformsTo = DatabaseFunction("typeConformsTo", pure: true) {
                (uti: String, conformsToUTI: String) in
                uti == "public.png" && conformsToUTI == "public.image"
            }
            db.add(function: typeConformsTo)

            let attachments = Table("attachments")
            let uti = TypedColumn<String>("UTI")
            let images = attachments.filter(typeConformsTo(uti, "public.image"))
            try expectRequest(
                db, images,
                """
                SELECT * FROM "attachments" WHERE typeConformsTo("UTI", 'public.image')
                """,
                ["public.png"])
        }
    }

    // MARK: - Custom collations

    @Test func customCollations() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE restaurants (name TEXT);
                    INSERT INTO restaurants VALUES ('éclair'), ('zest'), ('eclat');
                    """)
            let collation = DatabaseCollation("NODIACRITIC") { lhs, rhs in
                lhs.compare(rhs, options: .diacriticInsensitive)
            }
            db.add(collation: collation)
            try expectRequest(
                db, Table("restaurants").order(name.collating(collation)),
                #"SELECT * FROM "restaurants" ORDER BY "name" COLLATE NODIACRITIC"#,
                ["éclair", "eclat", "zest"])
        }
    }
}
