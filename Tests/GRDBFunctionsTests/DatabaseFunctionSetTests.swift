import GRDBQueries
@testable import GRDBFunctions
import Foundation
@testable import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabaseFunctionSetTests {
    private func makeQueue(_ sets: DatabaseFunctionSet...) throws -> DatabaseQueue {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db throws in
            for set in sets { try db.tryAdd(functions: set) }
        }
        return try TestDatabases.makeQueue(.memory, configuration)
    }

    // MARK: - Sets

    @Test func connectionsHaveNoSet() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.read { db throws in
            for sql in [
                "SELECT uuid()", "SELECT decimal_add(1, 2)", "SELECT regexp_like('a', 'a')",
            ] {
                expectError(DatabaseError.self) { try Row.fetchAll(db, sql: sql) }
            }
            db.add(functions: .uuid)
            try expectTrue(String.fetchOne(db, sql: "SELECT uuid()") != nil)
        }
    }

    @Test func setsOfTheApp() throws {
        let set = DatabaseFunctionSet(
            functions: [DatabaseFunction("one", argumentCount: 0) { _ in 1 }],
            collations: [DatabaseCollation("reversed") { $1.compare($0) }])
        try makeQueue(set).read { db throws in
            try expectEqual(Int.fetchOne(db, sql: "SELECT one()"), 1)
            try expectEqual(
                Int.fetchAll(
                    db, sql: "SELECT column1 FROM (VALUES ('1'), ('2')) ORDER BY 1 COLLATE reversed"
                ),
                [2, 1])
        }
    }

    // MARK: - UUIDs

    @Test func uuids() throws {
        try makeQueue(.uuid).write { db throws in
            for name in ["uuid", "uuidv7"] {
                let text = try unwrap(String.fetchOne(db, sql: "SELECT \(name)()"))
                expectEqual(text, text.lowercased())
                expectEqual(text.count, 36)
                expectTrue(UUID(uuidString: text) != nil)
                expectEqual(Array(text)[14], (name == "uuid" ? "4" : "7"))
                expectTrue("89ab".contains(Array(text)[19]))
                let blob = try unwrap(Data.fetchOne(db, sql: "SELECT \(name)_blob()"))
                expectEqual(blob.count, 16)
                try expectEqual(
                    Int.fetchOne(
                        db,
                        sql: """
                            SELECT COUNT(DISTINCT \(name)()) FROM generate
                            """.replacingOccurrences(
                                of: "generate", with: "(VALUES (1), (2), (3))")),
                    3)
            }
            let uuid = UUID()
            try expectEqual(
                String.fetchOne(db, sql: "SELECT uuid_str(?)", arguments: [uuid]),
                uuid.uuidString.lowercased())
            try expectEqual(
                UUID.fetchOne(db, sql: "SELECT uuid_blob(?)", arguments: [uuid.uuidString]),
                uuid)
            try expectEqual(
                Row.fetchOne(db, sql: "SELECT uuid_str('x') AS a, uuid_blob(NULL) AS b"),
                ["a": nil, "b": nil])
            // Default values, and requests
            try db.create(table: "t") { t in
                t.primaryKey("id", .blob).defaults(sql: "(uuidv7_blob())")
                t.column("a")
            }
            for index in 1...20 {
                try db.execute(sql: "INSERT INTO t (a) VALUES (?)", arguments: [index])
            }
            try expectEqual(Int.fetchAll(db, sql: "SELECT a FROM t ORDER BY id"), Array(1...20))
            let request = Table("t").select(
                DatabaseFunction.uuidText(Column("id")), as: String.self)
            try expectEqual(request.fetchAll(db).count, 20)
        }
    }

    @Test func uuidsOfVersion7Increase() {
        let now: UInt64 = 0x0123_4567_89ab
        // The clock stands still, and is set back.
        let uuids = (0..<10_000).map { UUIDV7.next(milliseconds: $0 % 3 == 0 ? now - 5000 : now) }
        let texts = uuids.map { $0.uuidString }
        expectEqual(Set(texts).count, texts.count)
        expectEqual(texts, texts.sorted())
        expectTrue(texts.allSatisfy { Array($0)[14] == "7" && "89AB".contains(Array($0)[19]) })
    }

    @Test func uuidsOfVersion7StartWithTheTime() throws {
        try makeQueue(.uuid).read { db throws in
            func now() -> UInt64 { UInt64(Date().timeIntervalSince1970 * 1000) }
            let earliest = now()
            let blob = try unwrap(Data.fetchOne(db, sql: "SELECT uuidv7_blob()"))
            let milliseconds = blob.prefix(6).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
            // The counter of a millisecond that overflows borrows from the next ones.
            expectTrue((earliest...now() + 1000).contains(milliseconds))
        }
    }

    // MARK: - Decimals

    @Test func decimals() throws {
        try makeQueue(.decimal).write { db throws in
            func value(_ sql: String) throws -> String? {
                try String?.fetchOne(db, sql: "SELECT \(sql)") ?? nil
            }
            try expectEqual(value("decimal_add('0.1', '0.2')"), "0.3")
            try expectEqual(value("decimal_add(0.1, 2)"), "2.1")
            try expectEqual(value("decimal_sub('1', '0.9')"), "0.1")
            try expectEqual(value("decimal_mul('1.5', '-1.5')"), "-2.25")
            try expectEqual(value("decimal_cmp('1.50', '1.5')"), "0")
            try expectEqual(value("decimal_cmp('9', '10')"), "-1")
            try expectEqual(value("decimal_cmp('1e3', 999)"), "1")
            try expectEqual(value("decimal_add('1', NULL)"), nil)
            expectError(
                """
                SQLite error 20: decimal_add: "x" is not a decimal number - while executing \
                `SELECT decimal_add('x', 1)`
                """
            ) {
                try value("decimal_add('x', 1)")
            }
            expectError(
                """
                SQLite error 1: decimal_add: a decimal has not enough digits for the result - while \
                executing `SELECT decimal_add('0.1', '99999999999999999999999999999999999999')`
                """
            ) {
                try value("decimal_add('0.1', '99999999999999999999999999999999999999')")
            }
            expectError(DatabaseError.self) {
                try value("decimal_mul('1e100', '1e100')")
            }
        }
    }

    @Test func decimalAggregates() throws {
        try makeQueue(.decimal).write { db throws in
            try db.create(table: "item") { t in
                t.primaryKey("id", .integer)
                t.column("price", .text).collate(.decimal).indexed()
            }
            for price in ["0.1", "0.2", "10", "9.99", nil, "10.0"] {
                try db.execute(sql: "INSERT INTO item (price) VALUES (?)", arguments: [price])
            }
            let item = Table("item")
            let price = Column("price")
            try expectEqual(
                item.select(DatabaseFunction.decimalSum(price), as: Decimal.self)
                    .fetchOne(db),
                Decimal(string: "30.29"))
            try expectEqual(
                item.select(DatabaseFunction.decimalAverage(price), as: Decimal.self)
                    .fetchOne(db),
                Decimal(string: "6.058"))
            try expectEqual(
                item.select(DatabaseFunction.decimalSum(distinct: price), as: Decimal.self)
                    .fetchOne(db),
                Decimal(string: "20.29"))
            let moving = item.select(
                DatabaseFunction.decimalSum(price)
                    .over(orderBy: Column("id"), frame: .rows(from: .preceding(1))),
                as: Decimal.self
            ).order(Column("id"))
            try expectEqual(
                moving.fetchAll(db),
                ["0.1", "0.3", "10.2", "19.99", "9.99", "10"].map { Decimal(string: $0)! })
            try expectEqual(
                Row.fetchOne(
                    db,
                    sql: """
                        SELECT decimal_sum(price) AS a, decimal_avg(price) AS b FROM item WHERE 0
                        """),
                ["a": nil, "b": nil])
            // The collation
            try expectEqual(item.filter(price > Decimal(string: "9.99")!).fetchCount(db), 2)
            try expectEqual(
                item.filter(price != nil).order(price, Column("id"))
                    .select(price, as: String.self).fetchAll(db),
                ["0.1", "0.2", "9.99", "10", "10.0"])
            try expectEqual(item.filter(price == "10.00").fetchCount(db), 2)
        }
    }

    @Test func decimalCollationIsAnOrder() throws {
        let sorted = [
            "-1e30", "-10.5", "-2", "-0.001", "0", "0.001", " 1 ",
            "1.0000000000000000000000000000000000001",
            "2", "10", "1e30", "", "abc", "x",
        ]
        try makeQueue(.decimal).read { db throws in
            let json = try String(
                decoding: JSONEncoder().encode(Array(sorted.reversed())), as: UTF8.self)
            try expectEqual(
                String.fetchAll(
                    db, sql: "SELECT value FROM json_each(?) ORDER BY value COLLATE decimal",
                    arguments: [json]),
                sorted)
            for (lhs, rhs) in [("1.0", "1"), ("1e2", "100"), ("-0", "0"), ("0.0", "0e5")] {
                try expectEqual(
                    Bool.fetchOne(
                        db, sql: "SELECT ? = ? COLLATE decimal", arguments: [lhs, rhs]), true)
            }
        }
    }

    // MARK: - Regular expressions

    @Test func regularExpressions() throws {
        guard #available(macOS 13.0, iOS 16.0, watchOS 9.0, tvOS 16.0, *) else { return }
        try makeQueue(.regularExpressions).write { db throws in
            func value(_ sql: String) throws -> String? {
                try String?.fetchOne(db, sql: "SELECT \(sql)") ?? nil
            }
            try expectEqual(value("regexp_like('abc', 'b')"), "1")
            try expectEqual(value("regexp_like('abc', '^b')"), "0")
            try expectEqual(value("regexp_like('ABC', 'b', 'i')"), "1")
            try expectEqual(value("regexp_like('a' || char(10) || 'b', 'a.b')"), "0")
            try expectEqual(value("regexp_like('a' || char(10) || 'b', 'a.b', 's')"), "1")
            try expectEqual(value("regexp_like('a' || char(10) || 'b', '^b', 'm')"), "1")
            try expectEqual(value("regexp_like(NULL, 'b')"), nil)
            try expectEqual(value("regexp_like('b', NULL)"), nil)
            try expectEqual(value("regexp_like(123, '2')"), "1")
            try expectEqual(value("regexp_substr('x123y45', '[0-9]+')"), "123")
            try expectEqual(value("regexp_substr('x', '[0-9]+')"), nil)
            try expectEqual(value("regexp_replace('x123y45', '[0-9]+', '#')"), "x#y#")
            try expectEqual(
                value("regexp_replace('John Smith', '(\\w+) (\\w+)', '$2, $1 $$ $9 $0 $x')"),
                "Smith, John $  John Smith $x")
            try expectEqual(value("regexp_replace('aAa', 'a', 'b', 'i')"), "bbb")
            try expectEqual(value("'abc' REGEXP 'b'"), "1")
            try expectEqual(value("NULL REGEXP 'b'"), nil)
            expectError(
                """
                SQLite error 1: invalid regular expression: ( - while executing `SELECT \
                regexp_like('a', '(')`
                """
            ) {
                try value("regexp_like('a', '(')")
            }
            expectError(
                """
                SQLite error 1: unknown flag of a regular expression: q - while executing \
                `SELECT regexp_like('a', 'a', 'q')`
                """
            ) {
                try value("regexp_like('a', 'a', 'q')")
            }
            // Requests, indexes and generated columns
            try db.execute(
                sql: """
                    CREATE TABLE t (phone TEXT, digits AS (regexp_replace(phone, '[^0-9]', '')));
                    CREATE INDEX i ON t (regexp_substr(phone, '^[+0-9]+'));
                    INSERT INTO t VALUES ('+49 30 1'), ('030/2');
                    """)
            try expectEqual(String.fetchAll(db, sql: "SELECT digits FROM t"), ["49301", "0302"])
            let request = Table("t")
                .filter(DatabaseFunction.regexpLike(Column("phone"), #"^\+"#))
                .select(
                    DatabaseFunction.regexpReplace(Column("phone"), #"\s+"#, "-"), as: String.self)
            try expectEqual(request.fetchAll(db), ["+49-30-1"])
            try expectEqual(Table("t").filter(Column("phone").regexp("/")).fetchCount(db), 1)
        }
    }

    // MARK: - Unicode

    @Test func unicode() throws {
        try makeQueue(.unicode).write { db throws in
            func value(_ sql: String) throws -> String? {
                try String?.fetchOne(db, sql: "SELECT \(sql)") ?? nil
            }
            try expectEqual(value("lower('ÉMILIE Σ')"), "ÉMILIE Σ".lowercased())
            try expectEqual(value("upper('straße')"), "STRASSE")
            try expectEqual(value("lower(12)"), "12")
            try expectEqual(value("upper(NULL)"), nil)
            for (pattern, text, matches) in [
                ("émil%", "ÉMILIE", true), ("%LIE", "Émilie", true), ("é_ilie", "Émilie", true),
                ("_", "e\u{301}", true), ("é", "E\u{301}", true), ("_", "ab", false),
                ("%", "", true), ("", "", true), ("", "a", false), ("a%b%c", "AxxBxxC", true),
                ("a%b%c", "AxxCxxB", false), ("%%a", "ba", true), ("a_", "a", false),
            ] {
                try expectEqual(
                    Bool.fetchOne(
                        db, sql: "SELECT ? LIKE ?", arguments: [text, pattern]), matches,
                    "\(text) LIKE \(pattern)")
            }
            try expectEqual(value("'100%' LIKE '100!%' ESCAPE '!'"), "1")
            try expectEqual(value("'1000' LIKE '100!%' ESCAPE '!'"), "0")
            try expectEqual(value("'a!' LIKE 'a!!' ESCAPE '!'"), "1")
            try expectEqual(value("'a' LIKE 'a!' ESCAPE '!'"), "0")
            try expectEqual(value("NULL LIKE 'a'"), nil)
            try expectEqual(value("x'61' LIKE 'a'"), "0")
            try expectEqual(value("12 LIKE '1_'"), "1")
            expectError(DatabaseError.self) { try value("'a' LIKE 'a' ESCAPE '!!'") }
            expectError(DatabaseError.self) { try value("'a' LIKE 'a' ESCAPE ''") }
            // Without the set
            let plain = try TestDatabases.makeQueue()
            try expectTrue(
                plain.read { try Bool.fetchOne($0, sql: "SELECT 'É' LIKE 'é'") } == false)
            // Requests, indexes and generated columns
            try db.execute(
                sql: """
                    CREATE TABLE t (name TEXT, folded AS (lower(name)));
                    CREATE INDEX i ON t (upper(name));
                    INSERT INTO t VALUES ('ÉMILIE');
                    """)
            try expectEqual(String.fetchOne(db, sql: "SELECT folded FROM t"), "émilie")
            try expectEqual(Table("t").filter(Column("name").like("ém%")).fetchCount(db), 1)
        }
    }

    @Test func localeCollations() throws {
        let swedish = DatabaseCollation.locale(Locale(identifier: "sv_SE"))
        let german = DatabaseCollation.locale(Locale(identifier: "de_DE"))
        let numeric = DatabaseCollation.locale(
            Locale(identifier: "de_DE"), options: [.numeric, .caseInsensitive])
        expectEqual(swedish.name, "locale_sv_SE")
        expectEqual(numeric.name, "locale_de_DE_ci_numeric")
        expectEqual(DatabaseCollation.locale(Locale(identifier: "de"), name: "x").name, "x")
        let set = DatabaseFunctionSet(collations: [swedish, german, numeric])
        try makeQueue(set).write { db throws in
            try db.execute(
                sql: "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('z'), ('ö'), ('o'), ('a')")
            func sorted(_ collation: DatabaseCollation) throws -> [String] {
                try Table("t").select(Column("a"), as: String.self)
                    .order(Column("a").collating(collation)).fetchAll(db)
            }
            try expectEqual(sorted(swedish), ["a", "o", "z", "ö"])
            try expectEqual(sorted(german), ["a", "o", "ö", "z"])
            try db.execute(sql: "DELETE FROM t; INSERT INTO t VALUES ('A10'), ('a9')")
            try expectEqual(sorted(numeric), ["a9", "A10"])
        }
    }
}
