import GRDBQueries
import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct TableInsertingTests {
    private let users = Table("user")
    private let email = Column("email")
    private let name = Column("name")
    private let score = Column("score")

    private func withUsers(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE user (
                        id INTEGER PRIMARY KEY, email TEXT UNIQUE, name TEXT, score DEFAULT 7)
                    """)
            // Known before SQL is logged
            _ = try db.primaryKey("user")
            try body(db)
        }
    }

    private func rows(_ db: Database) throws -> [Row] {
        try users.order(Column("id")).fetchAll(db)
    }

    private func expectFailure(
        _ message: String, file: String = #filePath, line: Int = #line,
        _ body: (Database) throws -> Void
    ) throws {
        try withUsers { db in
            let error = expectError(DatabaseError.self, file: file, line: line) {
                try body(db)
            }
            expectEqual(error?.message, message, file: file, line: line)
            try expectEqual(users.fetchCount(db), 0, file: file, line: line)
        }
    }

    // MARK: - One row

    /// The text of the last insertion is used again only for an insertion with the same text.
    @Test func insertionsThatDifferFromTheLastOne() throws {
        struct Patient: PersistableRecord {
            static let databaseTableName = "user"
            static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .ignore)

            func encode(to container: inout PersistenceContainer) {}
        }
        try withUsers { db in
            try db.execute(
                sql: """
                    ATTACH ':memory:' AS other;
                    CREATE TABLE other.user (email, name);
                    CREATE TABLE person (email, name);
                    """)
            let row = [email.set(to: "a"), name.set(to: "b")]
            func expect(
                _ sql: String, file: String = #filePath, line: Int = #line,
                _ insert: () throws -> Int64
            ) throws {
                try expectSQL(sql + " VALUES ('a', 'b')", file: file, line: line) {
                    _ = try insert()
                }
            }
            for _ in 1...2 {
                try users.deleteAll(db)
                try expect(#"INSERT INTO "user" ("email", "name")"#) { try users.insert(db, row) }
                try expect(#"INSERT OR IGNORE INTO "user" ("email", "name")"#) {
                    try users.insert(db, onConflict: .ignore, row)
                }
                try expect(#"INSERT OR REPLACE INTO "user" ("email", "name")"#) {
                    try users.insert(db, onConflict: .replace, row)
                }
                try expect(#"INSERT OR IGNORE INTO "user" ("email", "name")"#) {
                    try Table<Patient>("user").insert(db, row)
                }
                try expect(#"INSERT INTO "other"."user" ("email", "name")"#) {
                    try Table("user", in: "other").insert(db, row)
                }
                try expect(#"INSERT INTO "person" ("email", "name")"#) {
                    try Table("person").insert(db, row)
                }
                try expect(#"INSERT INTO "person" ("EMAIL", "name")"#) {
                    try Table("person").insert(db, Column("EMAIL").set(to: "a"), row[1])
                }
            }
            let error = expectError(DatabaseError.self) {
                try Table("person").insert(db, email.set(to: "a"), Column("EMAIL").set(to: "b"))
            }
            expectEqual(
                error?.message, "can't insert into person: the column EMAIL is assigned twice")
        }
    }

    @Test func insert() throws {
        try withUsers { db in
            try expectSQL(#"INSERT INTO "user" ("email", "name") VALUES ('a', 'Alice')"#) {
                let id = try users.insert(db, [email.set(to: "a"), name.set(to: "Alice")])
                expectEqual(id, 1)
            }
            try expectSQL(
                #"INSERT OR REPLACE INTO "user" ("email", "name") VALUES ('a', NULL)"#
            ) {
                let id = try users.insert(
                    db, onConflict: .replace, email.set(to: "a"), name.set(to: nil))
                expectEqual(id, 2)
            }
            try expectSQL(
                """
                INSERT INTO "user" ("id", "name", "score") VALUES (10, UPPER('b'), \
                (SELECT MAX("id") FROM "user"))
                """
            ) {
                let id = try users.insert(
                    db, Column.rowIDOfUser.set(to: 10),
                    name.set(to: upper("b".databaseValue)),
                    score.set(to: users.select(max(Column("id")))))
                expectEqual(id, 10)
            }
            try expectEqual(
                rows(db),
                [
                    ["id": 2, "email": "a", "name": nil, "score": 7],
                    ["id": 10, "email": nil, "name": "B", "score": 2],
                ])
        }
    }

    @Test func ignoredRow() throws {
        try withUsers { db in
            try users.insert(db, email.set(to: "a"))
            try expectEqual(users.insert(db, onConflict: .ignore, email.set(to: "a")), 0)
            try expectEqual(users.insert(db, onConflict: .ignore, email.set(to: "b")), 2)
            let error = expectError(DatabaseError.self) {
                try users.insert(db, email.set(to: "a"))
            }
            expectEqual(error?.extendedResultCode, .SQLITE_CONSTRAINT_UNIQUE)
        }
    }

    @Test func dictionary() throws {
        try withUsers { db in
            try expectSQL(
                #"INSERT INTO "user" ("email", "NAME", "score") VALUES ('a', 'Alice', NULL)"#
            ) {
                let id = try users.insert(db, ["score": nil, "NAME": "Alice", "email": "a"])
                expectEqual(id, 1)
            }
            let error = expectError(DatabaseError.self) {
                try users.insert(db, ["email": "b", "age": 1])
            }
            expectEqual(error?.message, "table user has no column named age")
            expectError(DatabaseError.self) { try users.insert(db, ["score": UInt64.max]) }
        }
    }

    @Test func defaultValues() throws {
        try withUsers { db in
            try expectSQL(#"INSERT INTO "user" DEFAULT VALUES"#) {
                try expectEqual(users.insertDefaultValues(db), 1)
            }
            try expectEqual(rows(db), [["id": 1, "email": nil, "name": nil, "score": 7]])
        }
    }

    @Test func columnsOfRecords() throws {
        struct User: TableRecord {
            enum Columns {
                static let email = Column("email")
                static let score = Column("score")
            }
        }
        try withUsers { db in
            try expectSQL(#"INSERT INTO "user" ("email", "score") VALUES ('a', 1)"#) {
                let id = try Table<User>("user").insert(db) {
                    [$0.email.set(to: "a"), $0.score.set(to: 1)]
                }
                expectEqual(id, 1)
            }
        }
    }

    @Test func policyOfRecords() throws {
        struct User: MutablePersistableRecord {
            static let persistenceConflictPolicy = PersistenceConflictPolicy(insert: .replace)
            func encode(to container: inout PersistenceContainer) {}
        }
        try withUsers { db in
            try expectSQL(
                """
                INSERT OR REPLACE INTO "user" ("score") VALUES (1)
                INSERT OR FAIL INTO "user" DEFAULT VALUES
                """
            ) {
                try Table<User>("user").insert(db, score.set(to: 1))
                try Table<User>("user").insertDefaultValues(db, onConflict: .fail)
            }
        }
    }

    @Test func attachedDatabases() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(
                sql: "ATTACH DATABASE ':memory:' AS other; CREATE TABLE other.t (a UNIQUE, b)")
            let table = Table("t", in: "other")
            try expectSQL(#"INSERT INTO "other"."t" ("a") VALUES (1)"#) {
                try table.insert(db, Column("a").set(to: 1))
            }
            try table.upsert(db, [Column("a").set(to: 1), Column("b").set(to: 2)])
            try expectEqual(table.fetchAll(db), [["a": 1, "b": 2]])
        }
    }

    // MARK: - Bad input

    @Test func noColumn() throws {
        let message = """
            can't insert into user: no column is assigned in a row to insert: see \
            insertDefaultValues(_:)
            """
        try expectFailure(message) { db in try users.insert(db, []) }
        try expectFailure(message) { db in try users.insert(db, [:]) }
        try expectFailure(message) { db in try users.insert(db, name.noOverwrite) }
        try expectFailure(message) { db in try users.insertMany(db, [[], [name.set(to: "a")]]) }
        try expectFailure(message) { db in try users.upsert(db, []) }
        try expectFailure("can't insert into user: the list of columns is empty") { db in
            try users.insertAll(db, columns: [], from: users.all())
        }
    }

    @Test func differingColumns() throws {
        try expectFailure(
            """
            can't insert into user: rows to insert must assign the same columns: the first one \
            assigns email, name, and the one at index 1 email
            """
        ) { db in
            try users.insertMany(
                db, [[email.set(to: "a"), name.set(to: "A")], [email.set(to: "b")]])
        }
        try expectFailure(
            """
            can't insert into user: rows to insert must assign the same columns: the first one \
            assigns email, and the one at index 1 email, name
            """
        ) { db in
            try users.insertMany(
                db, [[email.set(to: "a")], [email.set(to: "b"), name.set(to: "B")]])
        }
        try expectFailure(
            """
            can't insert into user: rows to insert must assign the same columns: the first one \
            assigns email, name, and the one at index 1 none
            """
        ) { db in
            try users.insertMany(db, [[email.set(to: "a"), name.set(to: "A")], []])
        }
        try expectFailure("can't insert into user: the column EMAIL is assigned twice") { db in
            try users.insert(db, email.set(to: "a"), Column("EMAIL").set(to: "b"))
        }
        try expectFailure("can't insert into user: the column name is assigned twice") { db in
            try users.upsert(db, [name.set(to: "a"), name.set(to: "b")])
        }
    }

    // MARK: - Many rows

    @Test func insertMany() throws {
        try withUsers { db in
            try expectSQL(
                #"INSERT INTO "user" ("email", "name") VALUES ('a', 'A'), ('b', NULL), ('c', 'C')"#
            ) {
                let count = try users.insertMany(
                    db,
                    [
                        [email.set(to: "a"), name.set(to: "A")],
                        [email.set(to: "b"), name.set(to: nil)],
                        // Another order is no other row.
                        [Column("NAME").set(to: "C"), email.set(to: "c")],
                    ])
                expectEqual(count, 3)
            }
            try expectSQL("") {
                try expectEqual(users.insertMany(db, []), 0)
            }
            let count = try users.insertMany(
                db, onConflict: .ignore, [[email.set(to: "a")], [email.set(to: "d")]])
            expectEqual(count, 1)
            try expectEqual(rows(db).map { $0["name"] as String? }, ["A", nil, "C", nil])
        }
    }

    @Test func moreRowsThanAStatementTakes() throws {
        try withUsers { db in
            var assignments = (0..<1000).map { (number: Int) in
                [email.set(to: "user\(number)"), name.set(to: "N"), score.set(to: number)]
            }
            try expectEqual(users.insertMany(db, assignments), 1000)
            try expectEqual(users.select(sum(score), as: Int.self).fetchOne(db), 499_500)
            // All or nothing
            assignments = (0..<1000).map { (number: Int) in [email.set(to: "other\(number % 999)")]
            }
            expectError(DatabaseError.self) { try users.insertMany(db, assignments) }
            try expectEqual(users.fetchCount(db), 1000)
            try expectEqual(
                users.insertManyAndFetch(db, onConflict: .ignore, assignments).count,
                999)
        }
    }

    /// SQLite keeps the former rows of a statement that such a policy ends.
    @Test(arguments: ["OR FAIL", "table", "trigger"])
    func noRowIsInsertedIfOneFails(policy: String) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE user (email TEXT UNIQUE\(policy == "table" ? " ON CONFLICT FAIL" : ""));
                    INSERT INTO user VALUES ('a')
                    """)
            if policy == "trigger" {
                try db.execute(
                    sql: """
                        CREATE TRIGGER refusal BEFORE INSERT ON user WHEN new.email = 'a'
                            BEGIN SELECT RAISE(FAIL, 'no'); END
                        """)
            }
            let rows = ["b", "c", "a", "d"].map { [email.set(to: $0)] }
            let resolution: Database.ConflictResolution? = policy == "OR FAIL" ? .fail : nil
            expectError(DatabaseError.self) {
                try users.insertMany(db, onConflict: resolution, rows)
            }
            expectError(DatabaseError.self) {
                try users.insertManyAndFetch(db, onConflict: resolution, rows)
            }
            try expectEqual(String.fetchAll(db, sql: "SELECT email FROM user"), ["a"])
            try expectEqual(users.insertMany(db, onConflict: resolution, [[email.set(to: "b")]]), 1)
        }
    }

    @Test func insertAll() throws {
        try withUsers { db in
            try db.execute(
                sql: "CREATE TABLE source (a, b); INSERT INTO source VALUES (1, 2), (3, 4)")
            let source = Table("source")
            try expectSQL(
                """
                INSERT INTO "user" ("email", "score") SELECT "a", "b" * 10 FROM "source" WHERE "a" > 1
                """
            ) {
                let request = source.select(Column("a"), Column("b") * 10).filter(Column("a") > 1)
                try expectEqual(users.insertAll(db, columns: [email, score], from: request), 1)
            }
            try expectSQL(
                #"INSERT OR IGNORE INTO "user" SELECT a, b, 'X', NULL FROM source WHERE a > 0"#
            ) {
                let request = SQLRequest<Row>(
                    "SELECT a, b, 'X', NULL FROM source WHERE a > \(0)")
                try expectEqual(users.insertAll(db, onConflict: .ignore, from: request), 1)
            }
            let union = source.select(Column("b") + 100).union(source.select(Column("a") + 100))
            try expectEqual(users.insertAll(db, columns: [email], from: union), 4)
            expectError(DatabaseError.self) {
                try users.insertAll(db, columns: [email], from: source.all())
            }
        }
    }

    // MARK: - Upsert

    @Test func upsert() throws {
        try withUsers { db in
            let assignments = [email.set(to: "a"), name.set(to: "A")]
            try expectSQL(
                """
                INSERT INTO "user" ("email", "name") VALUES ('a', 'A') \
                ON CONFLICT("email") DO UPDATE SET "name" = "excluded"."name" RETURNING "rowid"
                """
            ) {
                try expectEqual(users.upsert(db, assignments, onConflict: ["email"]), 1)
            }
            try users.insert(db, email.set(to: "b"))
            // The rowid is that of the updated row.
            try expectEqual(
                users.upsert(db, [email.set(to: "a"), name.set(to: "A2")], onConflict: ["email"]),
                1)
            try expectSQL(
                """
                INSERT INTO "user" ("email", "name") VALUES ('a', 'A') ON CONFLICT \
                DO UPDATE SET "score" = "score" + 1, "email" = "excluded"."email" RETURNING "rowid"
                """
            ) {
                let id = try users.upsert(
                    db, assignments,
                    doUpdate: { _ in [self.score += 1, self.name.noOverwrite] })
                expectEqual(id, 1)
            }
            try expectSQL(
                """
                INSERT INTO "user" ("email", "score") VALUES ('a', 5) ON CONFLICT("email") \
                DO UPDATE SET "score" = "score" + "excluded"."score" RETURNING "rowid"
                """
            ) {
                try users.upsert(
                    db, [email.set(to: "a"), score.set(to: 5)], onConflict: ["email"],
                    updating: .noColumnUnlessSpecified,
                    doUpdate: { excluded in [self.score += excluded["score"]] })
            }
            try expectEqual(
                rows(db),
                [
                    ["id": 1, "email": "a", "name": "A2", "score": 13],
                    ["id": 2, "email": "b", "name": nil, "score": 7],
                ])
            // Nothing to overwrite
            try expectEqual(users.upsert(db, [email.set(to: "a")], onConflict: ["email"]), 1)
            let error = expectError(DatabaseError.self) {
                try users.upsert(db, assignments, onConflict: ["name"])
            }
            expectEqual(
                error?.message,
                "ON CONFLICT clause does not match any PRIMARY KEY or UNIQUE constraint")
        }
    }

    @Test func upsertWithoutRowID() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t (a PRIMARY KEY, b) WITHOUT ROWID")
            let table = Table("t")
            for number in 1...2 {
                try expectEqual(
                    table.upsert(db, [Column("a").set(to: 1), Column("b").set(to: number)]),
                    0)
            }
            try expectEqual(table.fetchAll(db), [["a": 1, "b": 2]])
        }
    }

    // MARK: - RETURNING

    @Test func fetchedRows() throws {
        try withUsers { db in
            try expectSQL(#"INSERT INTO "user" ("email") VALUES ('a') RETURNING *"#) {
                let row = try users.insertAndFetch(db, [email.set(to: "a")])
                expectEqual(row, ["id": 1, "email": "a", "name": nil, "score": 7])
            }
            try expectEqual(
                users.insertAndFetch(db, onConflict: .ignore, [email.set(to: "a")]),
                nil)
            let many = try users.insertManyAndFetch(
                db, [[email.set(to: "b")], [email.set(to: "c")]])
            expectEqual(many.map { $0["id"] as Int }.sorted(), [2, 3])
            let row = try users.upsertAndFetch(
                db, [email.set(to: "a"), score.set(to: 9)], onConflict: ["email"])
            expectEqual(row, ["id": 1, "email": "a", "name": nil, "score": 9])
        }
    }

    @Test func fetchedRecords() throws {
        struct User: FetchableRecord, Decodable, Equatable {
            var id: Int
            var email: String
        }
        try withUsers { db in
            let users = Table<User>("user")
            try expectEqual(users.insertAndFetch(db, [email.set(to: "a")]), User(id: 1, email: "a"))
            try expectEqual(
                users.insertManyAndFetch(db, [[email.set(to: "b")]]),
                [User(id: 2, email: "b")])
            try expectEqual(
                users.upsertAndFetch(db, [email.set(to: "b")], onConflict: ["email"]),
                User(id: 2, email: "b"))
        }
    }

    @Test func insertAndFetchStatement() throws {
        try withUsers { db in
            try expectSQL(
                """
                INSERT INTO "user" ("email") VALUES ('a'), ('b') RETURNING LENGTH("email"), "score"
                """
            ) {
                let statement = try users.insertAndFetchStatement(
                    db, [[email.set(to: "a")], [email.set(to: "b")]],
                    selection: [length(email), score])
                try expectEqual(Row.fetchAll(statement).map { $0[1] as Int }, [7, 7])
            }
            let error = expectError(DatabaseError.self) {
                try users.insertAndFetchStatement(db, [[email.set(to: "a")]], selection: [])
            }
            expectEqual(error?.message, "Invalid empty selection")
        }
    }

    // MARK: - Encodable

    private struct User: Encodable {
        var email: String
        var name: String?
        var tags: [String]? = nil
    }

    @Test func encodable() throws {
        try withUsers { db in
            try db.execute(sql: "ALTER TABLE user ADD COLUMN tags TEXT")
            try expectSQL(
                """
                INSERT INTO "user" ("email", "name", "tags") VALUES ('a', NULL, '["x","y"]')
                """
            ) {
                let user = User(email: "a", name: nil, tags: ["x", "y"])
                try expectEqual(users.insert(db, from: user), 1)
            }
            try expectSQL(
                """
                INSERT OR IGNORE INTO "user" ("email", "tags", "score", "NAME") \
                VALUES ('b', NULL, 1, 'B')
                """
            ) {
                let id = try users.insert(
                    db, onConflict: .ignore, from: User(email: "b", name: "x"),
                    [score.set(to: 1), Column("NAME").set(to: "B")])
                expectEqual(id, 2)
            }
            try expectSQL(
                """
                UPDATE "user" SET "email" = 'c', "name" = 'C', "tags" = NULL, "score" = "score" * 2 \
                WHERE "id" = 2
                """
            ) {
                let count = try users.filter(Column("id") == 2).updateAll(
                    db, from: User(email: "c", name: "C"), [score *= 2])
                expectEqual(count, 1)
            }
            struct Score: Encodable {
                var score: Int
            }
            try expectSQL(#"UPDATE OR IGNORE "user" SET "score" = 5"#) {
                try expectEqual(users.updateAll(db, onConflict: .ignore, from: Score(score: 5)), 2)
            }
        }
    }

    @Test func encodableRecordsEncodeThemselves() throws {
        struct User: EncodableRecord, Encodable {
            static let databaseColumnEncodingStrategy = DatabaseColumnEncodingStrategy.custom {
                $0.stringValue == "mail" ? "email" : $0.stringValue
            }
            var mail: String
        }
        try withUsers { db in
            try expectSQL(#"INSERT INTO "user" ("email") VALUES ('a')"#) {
                try users.insert(db, from: User(mail: "a"))
            }
        }
    }

    @Test func userInfoReachesTheValue() throws {
        struct User: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(
                    encoder.userInfo[CodingUserInfoKey(rawValue: "name")!] as? String,
                    forKey: .name)
            }
            enum Key: CodingKey { case name }
        }
        try withUsers { db in
            try users.insert(
                db, from: User(), userInfo: [CodingUserInfoKey(rawValue: "name")!: "A"])
            try expectEqual(rows(db)[0]["name"], "A")
        }
    }

    @Test func valuesThatAreNoRows() throws {
        try withUsers { db in
            expectError(EncodingError.self) { try users.insert(db, from: [1, 2]) }
            expectError(EncodingError.self) { try users.insert(db, from: "a") }
            struct Empty: Encodable {}
            expectError(DatabaseError.self) { try users.insert(db, from: Empty()) }
            try expectEqual(users.updateAll(db, from: Empty()), 0)
            try expectEqual(users.fetchCount(db), 0)
        }
    }
}

extension Column {
    fileprivate static let rowIDOfUser = Column("id")
}
