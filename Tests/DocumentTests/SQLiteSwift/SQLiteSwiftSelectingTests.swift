import GRDBQueries
import GRDB
import GRDBTestSupport
import Testing

/// The snippets of the chapter "Selecting Rows" of the SQLite.swift guide that iterate rows, build
/// queries and join tables, in the spelling of this library.
@Suite(.databases) struct SQLiteSwiftSelectingTests {
    private let users = Table("users")
    private let posts = Table("posts")
    private let managers = Table("managers")
    private let chain = Table("chain")

    private let id = TypedColumn<Int64>("id")
    private let email = TypedColumn<String>("email")
    private let name = TypedColumn<String?>("name")
    private let age = TypedColumn<Int?>("age")
    private let userId = TypedColumn<Int64>("user_id")
    private let managerId = TypedColumn<Int64?>("manager_id")

    private func withUsers(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE users (
                        id INTEGER PRIMARY KEY, email TEXT, name TEXT, age INTEGER,
                        manager_id INTEGER);
                    INSERT INTO users VALUES
                        (1, 'alice@mac.com', 'Alice', 30, NULL),
                        (2, 'betsy@icloud.com', NULL, NULL, 1),
                        (3, 'cathy@mac.com', 'Cathy', 40, 1);
                    CREATE TABLE posts (title TEXT, user_id INTEGER);
                    INSERT INTO posts VALUES ('a', 1), ('b', 1), ('c', 2);
                    CREATE TABLE managers (id INTEGER PRIMARY KEY, manager_id);
                    INSERT INTO managers VALUES (1, NULL), (2, 1), (5, 2), (6, 1), (8, 5);
                    """)
            // Known before SQL is logged
            for table in ["users", "posts"] {
                _ = try db.columns(in: table)
            }
            try body(db)
        }
    }

    // MARK: - Iterating and accessing values

    @Test func iterating() throws {
        try withUsers { db in
            var descriptions: [String] = []
            try expectSQL(#"SELECT * FROM "users""#) {
                let rows = try users.fetchCursor(db)
                while let user = try rows.next() {
                    descriptions.append(
                        "id: \(user[id]), email: \(user[email]), name: \(user[name] ?? "nil")")
                }
            }
            expectEqual(
                descriptions,
                [
                    "id: 1, email: alice@mac.com, name: Alice",
                    "id: 2, email: betsy@icloud.com, name: nil",
                    "id: 3, email: cathy@mac.com, name: Cathy",
                ])

            // convert results into an array of rows
            try expectEqual(users.fetchAll(db).map { $0[id] }, [1, 2, 3])
            // transform results
            try expectEqual(Array(users.fetchCursor(db).map { $0[id] }), [1, 2, 3])
            // handle failures of column accesses
            let user = try unwrap(users.filter(id == 2).fetchOne(db))
            try expectEqual(user.decode(forColumn: name), nil)
            expectError(RowDecodingError.self) {
                try user.decode(forColumn: TypedColumn<String>("name"))
            }
        }
    }

    @Test func plucking() throws {
        try withUsers { db in
            try expectSQL(#"SELECT * FROM "users" LIMIT 1"#) {
                if let user = try users.fetchOne(db) {
                    expectEqual(user[id], 1)
                } else {
                    Issue.record("no user")
                }
            }
        }
    }

    // MARK: - Building complex queries

    @Test func complexQuery() throws {
        try withUsers { db in
            let query = users.select(email)
                .filter(name != nil)
                .order(email.desc, name)
                .limit(5, offset: 1)
            try expectRequest(
                db, query,
                """
                SELECT "email" FROM "users" WHERE "name" IS NOT NULL \
                ORDER BY "email" DESC, "name" LIMIT 5 OFFSET 1
                """,
                ["alice@mac.com"])
            // The type of the column is that of the fetched values.
            let emails: [String] = try query.fetchAll(db)
            expectEqual(emails, ["alice@mac.com"])
        }
    }

    @Test func selectingColumns() throws {
        try withUsers { db in
            try expectSQL(#"SELECT "id", "email" FROM "users""#) {
                let rows = try users.select(id, email).fetchAll(db)
                expectEqual(rows.map { $0[id] }, [1, 2, 3])
                expectEqual(rows.first?[email], "alice@mac.com")
            }
            let sentence = name + " is " + cast(age, as: .text, of: String?.self) + " years old!"
            try expectSQL(
                """
                SELECT "name" || ' is ' || CAST("age" AS TEXT) || ' years old!' FROM "users"
                """
            ) {
                let sentences: [String?] = try users.select(sentence).fetchAll(db)
                expectEqual(sentences, ["Alice is 30 years old!", nil, "Cathy is 40 years old!"])
            }
        }
    }

    // MARK: - Joining other tables

    @Test func joins() throws {
        try withUsers { db in
            let userPosts = users.association(
                to: posts, on: { [userId, id] in $1[userId] == $0[id] })
            try expectRequest(
                db, users.joining(required: userPosts).select(email, TypedColumn<Int>("id")),
                """
                SELECT "users"."email", "users"."id" FROM "users" \
                JOIN "posts" ON "posts"."user_id" = "users"."id"
                """,
                ["alice@mac.com|1", "alice@mac.com|1", "betsy@icloud.com|2"])
            try expectSQL(
                """
                SELECT "users".*, "posts".* FROM "users" \
                JOIN "posts" ON "posts"."user_id" = "users"."id"
                """
            ) {
                let rows = try users.including(required: userPosts).fetchAll(db)
                expectEqual(rows.map { $0[id] }, [1, 1, 2])
                expectEqual(rows.map { $0.scopes["post"]?["title"] }, ["a", "b", "c"])
            }
            let alias = TableAlias(name: "posts")
            try expectRequest(
                db,
                users.joining(optional: userPosts.aliased(alias))
                    .select(id, alias["title"])
                    .filter(alias["title"] == nil),
                """
                SELECT "users"."id", "posts"."title" FROM "users" \
                LEFT JOIN "posts" ON "posts"."user_id" = "users"."id" \
                WHERE "posts"."title" IS NULL
                """,
                ["3|NULL"])
        }
    }

    @Test func tableAliasing() throws {
        try withUsers { db in
            let managers = TableAlias(name: "managers")
            let manager = users.association(
                to: users, on: { [managerId, id] in $1[id] == $0[managerId] }
            )
            .aliased(managers)
            .forKey("manager")
            try expectSQL(
                """
                SELECT "users".*, "managers".* FROM "users" \
                JOIN "users" "managers" ON "managers"."id" = "users"."manager_id"
                """
            ) {
                let rows = try users.including(required: manager).fetchAll(db)
                expectEqual(rows.map { $0[id] }, [2, 3])
                expectEqual(rows.map { $0.scopes["manager"]?[id] }, [1, 1])
            }
            // All columns of a namespace. Whether the condition is met by one row is asked once.
            _ = try db.indexes(on: "users")
            try expectSQL(#"SELECT "u".* FROM "users" "u" WHERE "u"."id" = 2"#) {
                let alias = TableAlias(name: "u")
                let request = users.aliased(alias).select(alias[.allColumns]).filter(alias[id] == 2)
                try expectEqual(request.fetchOne(db)?[email], "betsy@icloud.com")
            }
        }
    }

    // MARK: - Recursive and hierarchical queries

    /// Adds a column that represents the position of a manager in the chain.
    @Test func recursiveQueryWithLevels() throws {
        try withUsers { db in
            let level = TypedColumn<Int64>("level")
            let manager = TableAlias(name: "managers")
            let parent = chain.association(
                to: managers, on: { [managerId, id] in $0[managerId] == $1[id] })
            let queryWithLevel =
                managers
                .select(id, managerId, 0.databaseValue)
                .filter(id == 8)
                .union(
                    chain
                        .select(manager[id], manager[managerId], level + 1)
                        .joining(required: parent.aliased(manager)))
            let cte = CommonTableExpression(
                recursive: true, named: "chain", columns: ["id", "manager_id", "level"],
                materialized: true, request: queryWithLevel)
            try expectRequest(
                db, cte.all().with(cte),
                """
                WITH RECURSIVE "chain"("id", "manager_id", "level") AS MATERIALIZED (\
                SELECT "id", "manager_id", 0 FROM "managers" WHERE "id" = 8 \
                UNION SELECT "managers"."id", "managers"."manager_id", "chain"."level" + 1 \
                FROM "chain" JOIN "managers" ON "chain"."manager_id" = "managers"."id") \
                SELECT * FROM "chain"
                """,
                ["8|5|0", "5|2|1", "2|1|2", "1|NULL|3"])
        }
    }
}
