import GRDBQueries
import GRDB
import GRDBTestSupport
import Testing

/// The snippets of the chapters "Inserting Rows", "Setters", "Upserting Rows", "Updating Rows" and
/// "Deleting Rows" of the SQLite.swift guide, in the spelling of this library.
@Suite(.databases) struct SQLiteSwiftWritingTests {
    private let users = Table("users")

    private let id = TypedColumn<Int64>("id")
    private let email = TypedColumn<String>("email")
    private let name = TypedColumn<String?>("name")
    private let managerId = TypedColumn<Int64?>("manager_id")
    private let balance = TypedColumn<Double>("balance")

    private func withUsers(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE users (
                        id INTEGER PRIMARY KEY NOT NULL, email TEXT UNIQUE NOT NULL, name TEXT,
                        balance DOUBLE NOT NULL DEFAULT 0, manager_id INTEGER);
                    CREATE TABLE timestamps (at DATETIME DEFAULT '2014-11-18');
                    CREATE TABLE counters (
                        id INTEGER PRIMARY KEY, count INTEGER, bits INTEGER, label TEXT);
                    INSERT INTO counters VALUES (1, 5, 12, 'a'), (2, 9, 10, 'b');
                    """)
            // Known before SQL is logged
            _ = try db.primaryKey("users")
            try body(db)
        }
    }

    // MARK: - Inserting rows

    @Test func insert() throws {
        try withUsers { db in
            try expectSQL(
                """
                INSERT INTO "users" ("email", "name") VALUES ('alice@mac.com', 'Alice')
                INSERT OR REPLACE INTO "users" ("email", "name") VALUES ('alice@mac.com', 'Alice B.')
                INSERT INTO "timestamps" DEFAULT VALUES
                """
            ) {
                let rowid = try users.insert(
                    db, email.set(to: "alice@mac.com"), name.set(to: "Alice"))
                expectEqual(rowid, 1)
                let replaced = try users.insert(
                    db, onConflict: .replace, email.set(to: "alice@mac.com"),
                    name.set(to: "Alice B."))
                expectEqual(replaced, 2)
                try Table("timestamps").insertDefaultValues(db)
            }
            try expectRequest(
                db, users.select(id, email, name), #"SELECT "id", "email", "name" FROM "users""#,
                ["2|alice@mac.com|Alice B."])
            try expectRequest(
                db, Table("timestamps").all(), #"SELECT * FROM "timestamps""#, ["2014-11-18"])
        }
    }

    @Test func insertMany() throws {
        try withUsers { db in
            try expectSQL(
                """
                INSERT INTO "users" ("email") VALUES ('alice@mac.com'), ('geoff@mac.com')
                """
            ) {
                let count = try users.insertMany(
                    db, [[email.set(to: "alice@mac.com")], [email.set(to: "geoff@mac.com")]])
                expectEqual(count, 2)
            }
            expectEqual(db.lastInsertedRowID, 2)
        }
    }

    @Test func constraintErrors() throws {
        try withUsers { db in
            do {
                try users.insert(db, email.set(to: "alice@mac.com"))
                try users.insert(db, email.set(to: "alice@mac.com"))
                Issue.record("no error")
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                expectEqual(error.message, "UNIQUE constraint failed: users.email")
                expectEqual(error.sql, #"INSERT INTO "users" ("email") VALUES (?)"#)
            }
        }
    }

    // MARK: - Setters

    @Test func moveAnAmount() throws {
        try withUsers { db in
            try users.insertMany(
                db,
                [
                    [email.set(to: "a"), balance.set(to: 150)],
                    [email.set(to: "b"), balance.set(to: 0)],
                ])
            let alice = users.filter(id == 1)
            let betty = users.filter(id == 2)
            let amount = 100.0
            try expectSQL(
                """
                BEGIN DEFERRED TRANSACTION
                UPDATE "users" SET "balance" = "balance" - 100.0 WHERE "id" = 1
                UPDATE "users" SET "balance" = "balance" + 100.0 WHERE "id" = 2
                COMMIT TRANSACTION
                """
            ) {
                try db.inTransaction(.deferred) {
                    try alice.updateAll(db, balance -= amount)
                    try betty.updateAll(db, balance += amount)
                    return .commit
                }
            }
            try expectEqual(users.select(balance).order(id).fetchAll(db), [50, 100])
        }
    }

    /// Expects the SQL of an update of the counter, and its values after it.
    private func expectCounter(
        _ assignment: ColumnAssignment, _ sql: String, _ row: String, line: Int = #line
    ) throws {
        try withUsers { db in
            let counter = Table("counters").filter(id == 1)
            try expectSQL(
                #"UPDATE "counters" SET \#(sql) WHERE "id" = 1"#, line: line
            ) {
                try counter.updateAll(db, assignment)
            }
            try expectRequest(
                db, Table("counters").all(), #"SELECT * FROM "counters""#,
                [row, "2|9|10|b"], line: line)
        }
    }

    @Test func setters() throws {
        let count = TypedColumn<Int>("count")
        let bits = TypedColumn<Int>("bits")
        let label = TypedColumn<String>("label")
        try expectCounter(count.set(to: 0), #""count" = 0"#, "1|0|12|a")
        try expectCounter(count += 1, #""count" = "count" + 1"#, "1|6|12|a")
        try expectCounter(count -= 1, #""count" = "count" - 1"#, "1|4|12|a")
        try expectCounter(count *= 2, #""count" = "count" * 2"#, "1|10|12|a")
        try expectCounter(count /= 2, #""count" = "count" / 2"#, "1|2|12|a")
        try expectCounter(count %= 3, #""count" = "count" % 3"#, "1|2|12|a")
        try expectCounter(bits <<= 1, #""bits" = "bits" << 1"#, "1|5|24|a")
        try expectCounter(bits >>= 1, #""bits" = "bits" >> 1"#, "1|5|6|a")
        try expectCounter(bits &= 10, #""bits" = "bits" & 10"#, "1|5|8|a")
        try expectCounter(bits |= 3, #""bits" = "bits" | 3"#, "1|5|15|a")
        try expectCounter(
            bits ^= 10, #""bits" = ("bits" | 10) - ("bits" & 10)"#, "1|5|6|a")
        try expectCounter(label += "!", #""label" = "label" || '!'"#, "1|5|12|a!")
        // Values can also be expressions.
        try expectCounter(count.set(to: bits + 1), #""count" = "bits" + 1"#, "1|13|12|a")
        try expectCounter(count += bits, #""count" = "count" + "bits""#, "1|17|12|a")
    }

    // MARK: - Upserting rows

    @Test func upsert() throws {
        try withUsers { db in
            for name in ["Alice", "Alice B."] {
                try expectSQL(
                    """
                    INSERT INTO "users" ("email", "name") VALUES ('alice@mac.com', '\(name)') \
                    ON CONFLICT("email") DO UPDATE SET "name" = "excluded"."name" \
                    RETURNING "rowid"
                    """
                ) {
                    let rowid = try users.upsert(
                        db, [email.set(to: "alice@mac.com"), self.name.set(to: name)],
                        onConflict: ["email"])
                    expectEqual(rowid, 1)
                }
            }
            try expectEqual(users.select(name).fetchAll(db), ["Alice B."])
        }
    }

    // MARK: - Updating and deleting rows

    @Test func update() throws {
        try withUsers { db in
            try users.insert(db, email.set(to: "alice@mac.com"))
            try expectSQL(#"UPDATE "users" SET "email" = 'alice@me.com'"#) {
                try expectEqual(users.updateAll(db, email.set(to: "alice@me.com")), 1)
            }
            let alice = users.filter(id == 1)
            try expectSQL(#"UPDATE "users" SET "email" = 'alice@mac.com' WHERE "id" = 1"#) {
                if try alice.updateAll(db, email.set(to: "alice@mac.com")) == 0 {
                    Issue.record("alice not found")
                }
            }
            try expectEqual(users.filter(id == 2).updateAll(db, name.set(to: nil)), 0)
            try expectEqual(users.select(email).fetchAll(db), ["alice@mac.com"])
        }
    }

    @Test func delete() throws {
        try withUsers { db in
            try users.insertMany(db, [[email.set(to: "a")], [email.set(to: "b")]])
            let alice = users.filter(id == 1)
            try expectSQL(
                """
                DELETE FROM "users" WHERE "id" = 1
                DELETE FROM "users" WHERE "id" = 1
                DELETE FROM "users"
                """
            ) {
                try expectEqual(alice.deleteAll(db), 1)
                try expectEqual(alice.deleteAll(db), 0)
                try expectEqual(users.deleteAll(db), 1)
            }
        }
    }

    // MARK: - Transactions

    @Test func rowidsOfATransaction() throws {
        try withUsers { db in
            try expectSQL(
                """
                BEGIN DEFERRED TRANSACTION
                INSERT INTO "users" ("email") VALUES ('betty@icloud.com')
                INSERT INTO "users" ("email", "manager_id") VALUES ('cathy@icloud.com', 1)
                COMMIT TRANSACTION
                """
            ) {
                try db.inTransaction(.deferred) {
                    let rowid = try users.insert(db, email.set(to: "betty@icloud.com"))
                    try users.insert(
                        db, email.set(to: "cathy@icloud.com"), managerId.set(to: rowid))
                    return .commit
                }
            }
            try expectEqual(users.select(managerId).order(id).fetchAll(db), [nil, 1])
        }
    }
}
