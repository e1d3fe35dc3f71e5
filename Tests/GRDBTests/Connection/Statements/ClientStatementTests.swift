import Foundation
import GRDB
import GRDBSQLite
import GRDBTestSupport
import Testing

/// Statements that Swift and C use in turn, as packages on top of this one do: they take cached statements, bind
/// and step them with C functions, and reset and clear them in `deinit`.
@Suite(.databases) struct ClientStatementTests {
    /// A cursor that leaves the arguments to C code.
    private final class Values: DatabaseCursor {
        typealias Element = [DatabaseValue]

        let _statement: Statement
        var _isDone = false

        init(_ statement: Statement) {
            _statement = statement
            sqlite3_reset(statement.sqliteStatement)
        }

        func _element(sqliteStatement: SQLiteStatement) throws -> [DatabaseValue] {
            (0..<sqlite3_column_count(sqliteStatement)).map {
                DatabaseValue(sqliteStatement: sqliteStatement, index: $0)
            }
        }
    }

    private static func clear(_ statement: Statement) {
        sqlite3_reset(statement.sqliteStatement)
        sqlite3_clear_bindings(statement.sqliteStatement)
    }

    /// Binds with C functions, in one of the ways that copy the bytes.
    private static func bind(_ value: DatabaseValue, to statement: Statement, at index: CInt) {
        let statement = statement.sqliteStatement
        let transient = unsafeBitCast(
            OpaquePointer(bitPattern: -1), to: sqlite3_destructor_type.self)
        switch value.storage {
        case .null: sqlite3_bind_null(statement, index)
        case .int64(let int64): sqlite3_bind_int64(statement, index, int64)
        case .double(let double): sqlite3_bind_double(statement, index, double)
        case .string(let string): sqlite3_bind_text(statement, index, string, -1, transient)
        case .blob(let data):
            _ = data.withUnsafeBytes {
                sqlite3_bind_blob(statement, index, $0.baseAddress, CInt($0.count), transient)
            }
        }
    }

    private static let texts = ["", "a", "abc", String(repeating: "é", count: 3000)]

    private static func value(_ generator: inout SplitMix64) -> DatabaseValue {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: .null
        case 1: Int.random(in: -3...3, using: &generator).databaseValue
        case 2: Int.max.databaseValue
        case 3: 1.5.databaseValue
        case 4: Data([1, 2, 3]).databaseValue
        case 5: Data(repeating: 7, count: 5000).databaseValue
        default: texts.randomElement(using: &generator)!.databaseValue
        }
    }

    /// Whatever the other side has done: a statement that gets arguments has them, and one that doesn't has those
    /// that it got last.
    @Test func swiftAndCTakeTurns() throws {
        var generator = SplitMix64(seed: 46)
        try TestDatabases.makeQueue().write { db in
            let sqls = ["SELECT ?1, ?2", "SELECT ?2, ?1", "SELECT ?, ?, ?"]
            var bound: [String: [DatabaseValue]] = [:]
            var failures: [String] = []
            for step in 0..<600 where failures.count < 3 {
                let sql = sqls.randomElement(using: &generator)!
                let statement = try db.cachedStatement(sql: sql)
                let count = sql == sqls[2] ? 3 : 2
                var values = (0..<count).map { _ in Self.value(&generator) }
                // Often the same values again.
                if Bool.random(using: &generator), let former = bound[sql] { values = former }
                let way = Int.random(in: 0..<10, using: &generator)
                var row: [DatabaseValue]?
                switch way {
                case 0:
                    row = try Row.fetchOne(statement, arguments: StatementArguments(values)).map {
                        Array($0.databaseValues)
                    }
                case 1:
                    row = try Row.fetchOne(db, sql: sql, arguments: StatementArguments(values)).map
                    { Array($0.databaseValues) }
                case 2:
                    row =
                        count == 3
                        ? try Row.fetchOne(
                            db, sql: sql, arguments: [values[0], values[1], values[2]]
                        ).map { Array($0.databaseValues) }
                        : try Row.fetchOne(db, sql: sql, arguments: [values[0], values[1]]).map {
                            Array($0.databaseValues)
                        }
                case 3:
                    try statement.execute(arguments: StatementArguments(values))
                case 4:
                    try statement.setArguments(StatementArguments(values))
                    row = try Values(statement).next()
                case 5:
                    Self.clear(statement)
                    values = Array(repeating: .null, count: count)
                case 6:
                    sqlite3_reset(statement.sqliteStatement)
                    for (index, value) in values.enumerated() {
                        Self.bind(value, to: statement, at: CInt(index + 1))
                    }
                    row = try Values(statement).next()
                case 7:
                    // C code stops in the middle.
                    sqlite3_reset(statement.sqliteStatement)
                    for (index, value) in values.enumerated() {
                        Self.bind(value, to: statement, at: CInt(index + 1))
                    }
                    sqlite3_step(statement.sqliteStatement)
                case 8:
                    // A cursor that ends in the middle, and C code that clears.
                    try statement.setArguments(StatementArguments(values))
                    let cursor = Values(statement)
                    row = try cursor.next()
                    Self.clear(statement)
                    bound[sql] = Array(repeating: .null, count: count)
                    if row == (sql == sqls[1] ? values.reversed() : values) { continue }
                default:
                    // Nobody gives arguments.
                    values = bound[sql] ?? Array(repeating: .null, count: count)
                    row = try Values(statement).next()
                }
                bound[sql] = values
                let expected = sql == sqls[1] ? values.reversed() : values
                if let row, row != expected {
                    failures.append("\(step) \(way) \(sql): \(row) != \(expected)")
                }
            }
            expectEqual(failures, [])
        }
    }

    private struct Player: Codable, FetchableRecord, PersistableRecord, Equatable {
        var id: Int64
        var name: String
        var score: Int?
    }

    /// All statements of the connection are cleared by C code between equal operations of records.
    @Test func recordsBindAgainWhatCHasCleared() throws {
        try TestDatabases.makeQueue().write { db in
            try db.create(table: "player") {
                $0.primaryKey("id", .integer)
                $0.column("name", .text)
                $0.column("score", .integer)
            }
            for round in 1...5 {
                let player = Player(id: 1, name: "Arthur", score: 10)
                try player.insert(db)
                try player.update(db)
                try player.upsert(db)
                try expectEqual(Player.fetchOne(db, key: 1), player, "\(round)")
                try expectEqual(Player.filter(Column("name") == "Arthur").fetchAll(db), [player])
                try expectEqual(Player.filter(keys: [1, 2]).fetchCount(db), 1)
                try expectEqual(
                    Int.fetchOne(
                        db, sql: "SELECT score FROM player WHERE name = ?", arguments: ["Arthur"]),
                    10)
                try db.execute(
                    sql: "UPDATE player SET name = :name WHERE id = :id",
                    arguments: ["name": "Arthur", "id": 1])
                try expectTrue(player.exists(db))
                try expectTrue(player.delete(db))
                var statement = sqlite3_next_stmt(db.sqliteConnection, nil)
                var count = 0
                while let current = statement {
                    sqlite3_reset(current)
                    if round % 2 == 0 {
                        for index in 0..<sqlite3_bind_parameter_count(current) {
                            sqlite3_bind_int64(current, index + 1, 99)
                        }
                    } else {
                        sqlite3_clear_bindings(current)
                    }
                    statement = sqlite3_next_stmt(db.sqliteConnection, current)
                    count += 1
                }
                #expect(count > 5)
            }
        }
    }

    /// C code that finalizes a statement of Swift gets no memory freed that Swift still uses.
    @Test func finalizedStatementsAreErrors() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3)")
            let sql = "SELECT a FROM t WHERE a >= ? ORDER BY a"
            func message(_ sql: String) -> String {
                "SQLite error 21: sqlite3_finalize() was called on this statement - while executing `\(sql)`"
            }
            let statement = try db.makeStatement(sql: sql)
            try expectEqual(Int.fetchAll(statement, arguments: [2]), [2, 3])
            expectEqual(sqlite3_finalize(statement.sqliteStatement), SQLITE_OK)
            expectError(message(sql)) { try Int.fetchAll(statement, arguments: [2]) }
            expectError(message(sql)) { () throws -> Int? in
                try Int.fetchOne(statement, arguments: [2])
            }
            expectError(message(sql)) { try statement.execute(arguments: [2]) }
            expectError(message(sql)) { () throws -> [DatabaseValue]? in
                try Values(statement).next()
            }
            expectEqual(sqlite3_finalize(statement.sqliteStatement), SQLITE_OK)
            expectEqual(statement.columnNames, ["a"])

            // In the middle of an iteration.
            let second = try db.makeStatement(sql: sql)
            let cursor = try Int.fetchCursor(second, arguments: [1])
            try expectEqual(cursor.next(), 1)
            sqlite3_finalize(second.sqliteStatement)
            expectError(message(sql)) { try cursor.next() }

            // A change, which is not repeated.
            let insertion = "INSERT INTO t VALUES (4)"
            let third = try db.makeStatement(sql: insertion)
            try third.execute()
            sqlite3_finalize(third.sqliteStatement)
            expectError(message(insertion)) { try third.execute() }
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 4)

            // The next user of a cached statement is not to blame.
            for _ in 1...3 {
                let cached = try db.cachedStatement(sql: sql)
                try expectEqual(Int.fetchAll(cached, arguments: [3]), [3, 4])
                sqlite3_finalize(cached.sqliteStatement)
                try expectEqual(Int.fetchAll(db, sql: sql, arguments: [4]), [4])
            }

            // Loops over all statements end.
            var count = 0
            while let next = sqlite3_next_stmt(db.sqliteConnection, nil), count < 1000 {
                sqlite3_finalize(next)
                count += 1
            }
            #expect(count < 1000)
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 4)
            // Statements of C code are freed as ever.
            var own: OpaquePointer?
            sqlite3_prepare_v2(db.sqliteConnection, "SELECT 1", -1, &own, nil)
            expectEqual(sqlite3_next_stmt(db.sqliteConnection, nil), own)
            expectEqual(sqlite3_finalize(own), SQLITE_OK)
        }
    }

    /// A schema change recompiles a statement, which stays owned.
    @Test func recompiledStatementsStayOwned() throws {
        let queue = try TestDatabases.makeQueue()
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t(a)")
            let statement = try db.makeStatement(sql: "SELECT * FROM t")
            try statement.execute()
            try db.execute(sql: "ALTER TABLE t ADD COLUMN b; INSERT INTO t VALUES (1, 2)")
            try expectEqual(Row.fetchOne(statement), ["a": 1, "b": 2])
            sqlite3_finalize(statement.sqliteStatement)
            expectError(DatabaseError.self) { try Row.fetchOne(statement) }
        }
        try queue.close()
    }
}
