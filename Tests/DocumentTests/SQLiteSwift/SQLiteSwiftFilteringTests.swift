import GRDBQueries
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The snippets of the chapter "Selecting Rows" of the SQLite.swift guide that filter, sort and
/// aggregate rows, in the spelling of this library.
@Suite(.databases) struct SQLiteSwiftFilteringTests {
    private let users = Table("users")
    private let posts = Table("posts")

    private let id = TypedColumn<Int64>("id")
    private let email = TypedColumn<String>("email")
    private let balance = TypedColumn<Double>("balance")
    private let verified = TypedColumn<Bool>("verified")
    private let name = TypedColumn<String?>("name")
    private let publishedAt = TypedColumn<Date>("published_at")

    private func withUsers(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE users (
                        id INTEGER PRIMARY KEY, email TEXT, name TEXT, balance DOUBLE,
                        verified BOOLEAN);
                    INSERT INTO users VALUES
                        (1, 'alice@mac.com', 'Alice', 10.5, 1),
                        (2, 'betsy@icloud.com', NULL, 20000, 0), (3, 'cathy@mac.com', 'Cathy', 0, 0);
                    CREATE TABLE posts (title TEXT, published_at DATETIME);
                    INSERT INTO posts VALUES
                        ('a', '1969-06-01 00:00:00.000'), ('b', '2014-11-18 00:00:00.000'),
                        ('c', '2030-01-01 00:00:00.000');
                    """)
            try body(db)
        }
    }

    /// Expects the SQL of the filter, and the ids of the users that pass it.
    private func expectUsers(
        _ condition: SQLExpression, _ sql: String, _ ids: [Int64], line: Int = #line
    ) throws {
        try withUsers { db in
            try expectRequest(
                db, users.select(id).filter(condition),
                #"SELECT "id" FROM "users" WHERE \#(sql)"#, ids.map(\.description), line: line)
        }
    }

    // MARK: - Filtering rows

    @Test func filters() throws {
        try expectUsers(id == 1, #""id" = 1"#, [1])
        try expectUsers([1, 2, 3, 4, 5].contains(id), #""id" IN (1, 2, 3, 4, 5)"#, [1, 2, 3])
        try expectUsers(email.like("%@mac.com"), #""email" LIKE '%@mac.com'"#, [1, 3])
        try expectUsers(
            verified && name.lowercased == "alice",
            #""verified" AND (swiftLowercaseString("name") = 'alice')"#, [1])
        try expectUsers(
            verified && lower(name.untyped) == "alice",
            #""verified" AND (LOWER("name") = 'alice')"#, [1])
        try expectUsers(
            verified || balance >= 10_000, #""verified" OR ("balance" >= 10000.0)"#, [1, 2])
    }

    @Test func filterOperators() throws {
        try expectUsers(name == nil, #""name" IS NULL"#, [2])
        try expectUsers(name != nil, #""name" IS NOT NULL"#, [1, 3])
        try expectUsers(name != "Alice", #""name" <> 'Alice'"#, [3])
        try expectUsers(name === "Alice", #""name" IS 'Alice'"#, [1])
        try expectUsers(name !== "Alice", #""name" IS NOT 'Alice'"#, [2, 3])
        try expectUsers(id > 2, #""id" > 2"#, [3])
        try expectUsers(id >= 2, #""id" >= 2"#, [2, 3])
        try expectUsers(id < 2, #""id" < 2"#, [1])
        try expectUsers(id <= 2, #""id" <= 2"#, [1, 2])
        try expectUsers((2...3).contains(id), #""id" BETWEEN 2 AND 3"#, [2, 3])
        try expectUsers(!verified, #"NOT "verified""#, [2, 3])
        try expectUsers(email.untyped.glob("*@mac.com"), #""email" GLOB '*@mac.com'"#, [1, 3])
        try withUsers { db in
            // A boolean column alone is a filter.
            try expectRequest(
                db, users.filter(verified).select(id),
                #"SELECT "id" FROM "users" WHERE "verified""#, ["1"])
        }
    }

    @Test func dates() throws {
        try withUsers { db in
            let title = TypedColumn<String>("title")
            let now = Date(timeIntervalSince1970: 1_416_314_730)
            try expectRequest(
                db, posts.select(title).filter(publishedAt <= now),
                """
                SELECT "title" FROM "posts" WHERE "published_at" <= '2014-11-18 12:45:30.000'
                """,
                ["a", "b"])
            let startDate = Date(timeIntervalSince1970: 0)
            try expectRequest(
                db, posts.select(title).filter((startDate...now).contains(publishedAt)),
                """
                SELECT "title" FROM "posts" WHERE "published_at" \
                BETWEEN '1970-01-01 00:00:00.000' AND '2014-11-18 12:45:30.000'
                """,
                ["b"])
        }
    }

    // MARK: - Sorting and limiting rows

    @Test func sortingAndLimiting() throws {
        try withUsers { db in
            let ids = users.select(id)
            try expectRequest(
                db, ids.order(verified, email),
                #"SELECT "id" FROM "users" ORDER BY "verified", "email""#, ["2", "3", "1"])
            try expectRequest(
                db, ids.order(verified.desc, name.asc),
                #"SELECT "id" FROM "users" ORDER BY "verified" DESC, "name" ASC"#,
                ["1", "2", "3"])
            try expectRequest(
                db, ids.limit(2), #"SELECT "id" FROM "users" LIMIT 2"#, ["1", "2"])
            try expectRequest(
                db, ids.limit(2, offset: 2), #"SELECT "id" FROM "users" LIMIT 2 OFFSET 2"#, ["3"])
        }
    }

    // MARK: - Aggregation

    @Test func aggregation() throws {
        try withUsers { db in
            try expectSQL(
                """
                SELECT COUNT(*) FROM "users"
                SELECT COUNT(*) FROM "users" WHERE "name" IS NOT NULL
                SELECT COUNT("name") FROM "users"
                SELECT MAX("id") FROM "users"
                SELECT MIN("id") FROM "users"
                SELECT AVG("balance") FROM "users"
                SELECT SUM("balance") FROM "users"
                SELECT TOTAL("balance") FROM "users"
                SELECT COUNT(DISTINCT "name") FROM "users"
                """
            ) {
                try expectEqual(users.fetchCount(db), 3)
                try expectEqual(users.filter(name != nil).fetchCount(db), 2)
                try expectEqual(users.select(count(name)).fetchOne(db), 2)
                try expectEqual(users.select(max(id)).fetchOne(db), 3)
                try expectEqual(users.select(min(id)).fetchOne(db), 1)
                try expectEqual(users.select(average(balance)).fetchOne(db), 20010.5 / 3)
                try expectEqual(users.select(sum(balance)).fetchOne(db), 20010.5)
                try expectEqual(users.select(total(balance)).fetchOne(db), 20010.5)
                try expectEqual(users.select(count(distinct: name)).fetchOne(db), 2)
            }
            // Without rows, there are no greatest value and no sum, but a total.
            let none = users.none()
            try expectEqual(none.select(max(id)).fetchAll(db), [nil])
            try expectEqual(none.select(sum(balance)).fetchAll(db), [nil])
            try expectEqual(none.select(total(balance)).fetchAll(db), [0])
        }
    }
}
