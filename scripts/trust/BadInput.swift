import Foundation
import GRDB

/// An input, what is expected of it, and a call that says what was seen. It throws `Failed` if that is wrong.
struct BadCase {
    var group: String
    var input: String
    var expected: String
    var run: () throws -> String
}

func seenError(_ body: () throws -> Void) throws -> String {
    do {
        try body()
    } catch let error as DatabaseError {
        return "DatabaseError \(error.extendedResultCode.rawValue)"
    } catch let error as RowDecodingError {
        return "RowDecodingError \(error.description.prefix(40))"
    } catch let error as DecodingError {
        return "DecodingError \(String(describing: error).prefix(40))"
    }
    throw Failed("no error")
}

func inMemory<T>(_ body: (Database) throws -> T) throws -> T {
    try DatabaseQueue().write { try body($0) }
}

let inputFolder: URL = {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("input-\(getpid())")
    try! FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
}()

func path(_ name: String) -> String { inputFolder.appendingPathComponent(name).path }

func removeInputFolder() { try? FileManager.default.removeItem(at: inputFolder) }

func makeBadCases() -> [BadCase] {
    var cases: [BadCase] = []
    func add(
        _ group: String, _ input: String, _ expected: String, _ run: @escaping () throws -> String
    ) {
        cases.append(BadCase(group: group, input: input, expected: expected, run: run))
    }
    addNames(&cases)
    addTexts(add)
    addIntegers(add)
    addLimits(add)
    addFiles(add)
    addMisuse(add)
    return cases
}

typealias AddBadCase = (String, String, String, @escaping () throws -> String) -> Void

private func addNames(_ cases: inout [BadCase]) {
    for call in makeNamedCalls() {
        for name in badNames {
            let label = name.count > 100 ? "\(name.count) characters" : name
            cases.append(
                BadCase(
                    group: "names", input: "\(call.name): \(label.debugDescription)",
                    expected: "this name, or an error"
                ) {
                    let queue = try DatabaseQueue()
                    return try queue.writeWithoutTransaction { db in
                        try db.execute(sql: "CREATE TABLE v(a); INSERT INTO v VALUES (1)")
                        var seen = "this name"
                        do {
                            guard try call.run(db, name) else { throw Failed("another name") }
                        } catch let error as DatabaseError {
                            seen = "DatabaseError \(error.extendedResultCode.rawValue)"
                        } catch let error as RowDecodingError {
                            seen = "RowDecodingError \(error)"
                        }
                        guard try Int.fetchOne(db, sql: "SELECT count(*) FROM v") == 1 else {
                            throw Failed("the table v is changed")
                        }
                        return seen
                    }
                })
        }
    }
}

private func addTexts(_ add: AddBadCase) {
    let text = "a\0b\0"
    add("texts", "NUL in a text argument", "the whole text") {
        try inMemory { db in
            try check(String.fetchOne(db, sql: "SELECT ?", arguments: [text]) == text, "cut")
            try check(
                Int.fetchOne(db, sql: "SELECT length(CAST(? AS BLOB))", arguments: [text]) == 4,
                "cut when bound")
            let row = try Row.fetchAll(db, sql: "SELECT ? AS a", arguments: [text])[0]
            try check(
                (row["a"] as String) == text && row["a"] == text.databaseValue,
                "cut in a copied row")
            return "the whole text"
        }
    }
    add("texts", "NUL in SQL", "DatabaseError") {
        try inMemory { db in try seenError { try db.execute(sql: "SELECT 1\0; SELECT 2") } }
    }
    add("texts", "NUL in an interpolated text", "the whole text") {
        try inMemory { db in
            let seen = try String.fetchOne(db.makeStatement(literal: "SELECT \(text)"))
            try check(seen == text, "\(seen ?? "NULL")")
            return "the whole text"
        }
    }
    add("texts", "NUL in a text that a function returns", "the whole text") {
        try inMemory { db in
            db.add(
                function: DatabaseFunction("f", argumentCount: 1) {
                    String.fromDatabaseValue($0[0])! + text
                })
            try check(
                String.fetchOne(db, sql: "SELECT f(?)", arguments: [text]) == text + text, "cut")
            return "the whole text"
        }
    }
    add("texts", "NUL in a default value and in a dump", "the whole text") {
        try inMemory { db in
            try db.create(table: "t") { t in
                t.column("id")
                t.column("a", .text).defaults(to: text)
            }
            try db.execute(sql: "INSERT INTO t(id) VALUES (1)")
            try check(String.fetchOne(db, sql: "SELECT a FROM t") == text, "cut")
            return "the whole text"
        }
    }
    let invalid: [(String, [UInt8])] = [
        ("a lone continuation byte", [0x61, 0x80, 0x62]), ("an overlong form", [0xc0, 0xaf]),
        ("a surrogate", [0xed, 0xa0, 0x80]),
        ("a cut sequence", [0x61, 0xe2, 0x82]), ("FF and FE", [0xff, 0xfe]),
        ("beyond U+10FFFF", [0xf5, 0x80, 0x80, 0x80]),
    ]
    for (name, bytes) in invalid {
        let hex = bytes.map { String(format: "%02x", $0) }.joined()
        let sql = "SELECT CAST(x'\(hex)' AS TEXT) AS a"
        add(
            "texts", "invalid UTF-8, \(name): String",
            "U+FFFD for what is invalid, the same in all ways"
        ) {
            try inMemory { db in
                let repaired = String(decoding: bytes, as: UTF8.self)
                let live = try Row.fetchCursor(db, sql: sql).next()!
                try check(
                    (live["a"] as String) == repaired, "a live row has \(live["a"] as String)")
                try check(
                    (live["a"] as DatabaseValue) == repaired.databaseValue, "a value of a live row")
                let copied = try Row.fetchOne(db, sql: sql)!
                try check((copied["a"] as String) == repaired, "a copied row")
                try check(String.fetchOne(db, sql: sql) == repaired, "fetchOne")
                try check(String.fetchAll(db, sql: sql) == [repaired], "fetchAll")
                struct Record: Decodable, FetchableRecord { var a: String }
                try check(Record.fetchOne(db, sql: sql)?.a == repaired, "a decoded record")
                db.add(
                    function: DatabaseFunction("f", argumentCount: 1) {
                        String.fromDatabaseValue($0[0])
                    })
                try check(
                    String.fetchOne(db, sql: "SELECT f(CAST(x'\(hex)' AS TEXT))") == repaired,
                    "an argument of a function")
                return "\(repaired.debugDescription)"
            }
        }
        add(
            "texts", "invalid UTF-8, \(name): Data",
            "the bytes in a raw column, those of the repaired text in a copied row"
        ) {
            try inMemory { db in
                let live = try Row.fetchCursor(db, sql: sql).next()!
                let first: Data = live["a"]
                let second: Data = try Row.fetchOne(db, sql: sql)!["a"]
                let third = try Data.fetchOne(db, sql: sql)
                let repaired = Data(String(decoding: bytes, as: UTF8.self).utf8)
                try check(
                    first == Data(bytes) && third == first,
                    "raw columns: \([first as Data?, third])")
                try check(second == repaired, "a copied row: \(Array(second))")
                return "\(Array(first)), and \(Array(second))"
            }
        }
        add(
            "texts", "invalid UTF-8, \(name): Date, URL, UUID, Decimal, Int, JSON",
            "an error, or the same in all ways"
        ) {
            try inMemory { db in
                func both<T: DatabaseValueConvertible & StatementColumnConvertible & Equatable>(
                    _ type: T.Type
                ) throws {
                    let live = try Row.fetchCursor(db, sql: sql).next()!
                    let first = try? live.decode(T.self, forColumn: "a")
                    let second = try? Row.fetchOne(db, sql: sql)!.decode(T.self, forColumn: "a")
                    try check(first == second, "\(T.self): \(first as Any) and \(second as Any)")
                }
                try both(Date.self)
                try both(UUID.self)
                try both(Decimal.self)
                try both(Int.self)
                try both(Double.self)
                try both(Bool.self)
                struct Record: Codable, FetchableRecord { var a: [Int] }
                return try seenError { _ = try Record.fetchOne(db, sql: sql) }
            }
        }
        add("texts", "invalid UTF-8, \(name): a name of a column", "the repaired name") {
            try inMemory { db in
                // SQLite takes the bytes of a name as they are.
                try db.execute(sql: "CREATE TABLE t(a)")
                try db.execute(sql: "PRAGMA writable_schema = 1")
                try db.execute(
                    sql:
                        "UPDATE sqlite_schema SET sql = CAST(x'\(hexadecimal("CREATE TABLE t(\""))\(hex)\(hexadecimal("\")"))' AS TEXT)"
                )
                try db.execute(sql: "PRAGMA writable_schema = RESET")
                db.clearSchemaCache()
                let names = try db.columns(in: "t").map(\.name)
                _ = try Row.fetchAll(db, sql: "SELECT * FROM t")
                return "\(names)"
            }
        }
    }
}

private func hexadecimal(_ text: String) -> String {
    text.utf8.map { String(format: "%02x", $0) }.joined()
}

private struct OneColumn<Value: Decodable>: Decodable, FetchableRecord { var a: Value }

private func addIntegers(_ add: AddBadCase) {
    func out<T: FixedWidthInteger & DatabaseValueConvertible & StatementColumnConvertible>(
        _ type: T.Type
    ) {
        let texts = [
            "-129", "128", "256", "-32769", "32768", "65536", "2147483648", "4294967296", "-1",
            "9223372036854775807",
            "-9223372036854775808", "9223372036854775808.0", "-9223372036854775809.0", "1e300",
            "-1e300", "9e999", "1.5",
            "'9223372036854775808'", "'12abc'", "''", "x'31'", "'18446744073709551615'",
            "18446744073709551615.0", "NULL",
        ]
        for text in texts {
            add(
                "integers", "\(text) as \(T.self)",
                text.hasPrefix("'")
                    ? "the number or an error in a raw column, an error in a copied row"
                    : "the number, or an error, the same in all ways"
            ) {
                try inMemory { db in
                    let sql = "SELECT \(text) AS a"
                    let live = try Row.fetchCursor(db, sql: sql).next()!
                    let first = try? live.decode(T.self, forColumn: "a")
                    let second = try? Row.fetchOne(db, sql: sql)!.decode(T.self, forColumn: "a")
                    let third = (try? Row.fetchOne(db, sql: sql)!["a"] as DatabaseValue).flatMap(
                        T.fromDatabaseValue)
                    let fourth = try? T.fetchOne(db, sql: sql)
                    var fifth: T?
                    if let decodable = T.self as? any Decodable.Type {
                        func decode<D: Decodable>(_ type: D.Type) throws -> Any? {
                            try OneColumn<D>.fetchOne(db, sql: sql)?.a
                        }
                        fifth = (try? decode(decodable)) as? T
                    }
                    // Texts are numbers in raw columns only: a `DatabaseValue` distinguishes them.
                    if text.hasPrefix("'") {
                        try check(
                            second == nil && third == nil && first == fourth && first == fifth,
                            "\([first, second])")
                        return first.map { "\($0)" } ?? "an error"
                    }
                    try check(
                        first == second && first == third && first == fourth && first == fifth,
                        "\([first, second, third, fourth, fifth])")
                    guard let first else { return "an error" }
                    // No silent wrong: the number is what SQLite says.
                    let stored = try Row.fetchOne(db, sql: sql)!["a"] as DatabaseValue
                    switch stored.storage {
                    case .int64(let number): try check(T(exactly: number) == first, "\(first)")
                    case .double(let number):
                        try check(T(exactly: number.rounded(.towardZero)) == first, "\(first)")
                    default: break
                    }
                    return "\(first)"
                }
            }
        }
    }
    out(Int8.self)
    out(Int16.self)
    out(Int32.self)
    out(Int64.self)
    out(Int.self)
    out(UInt8.self)
    out(UInt16.self)
    out(UInt32.self)
    out(UInt64.self)
    out(UInt.self)
    for number in [UInt64.max, UInt64(Int64.max) + 1, UInt64(Int64.max)] {
        let isStored = number <= Int64.max
        add(
            "integers", "UInt64 \(number) as an argument", isStored ? "the number" : "DatabaseError"
        ) {
            try inMemory { db in
                if isStored {
                    try check(
                        UInt64.fetchOne(db, sql: "SELECT ?", arguments: [number]) == number,
                        "another number")
                    return "the number"
                }
                return try seenError {
                    _ = try Row.fetchOne(db, sql: "SELECT ?", arguments: [number])
                }
            }
        }
        add("integers", "UInt64 \(number) in a record", isStored ? "the number" : "DatabaseError") {
            struct Record: Codable, FetchableRecord, PersistableRecord {
                static let databaseTableName = "t"
                var a: UInt64
            }
            return try inMemory { db in
                try db.execute(sql: "CREATE TABLE t(a)")
                let body = {
                    try Record(a: number).insert(db)
                    try check(Record.fetchOne(db)?.a == number, "another number")
                }
                if !isStored { return try seenError(body) }
                try body()
                return "the number"
            }
        }
        add(
            "integers", "UInt64 \(number) in a condition",
            isStored ? "the row" : "DatabaseError, or no row"
        ) {
            try inMemory { db in
                try db.execute(
                    sql: "CREATE TABLE t(a); INSERT INTO t VALUES (\(Int64.max)), (-1), (NULL)")
                let request = Table("t").filter(Column("a") == number)
                if !isStored {
                    return try (try? request.fetchCount(db)) == 0
                        ? "no row" : seenError { _ = try request.fetchCount(db) }
                }
                try check(try request.fetchCount(db) == 1, "another row")
                return "the row"
            }
        }
    }
    for number in [Double.nan, .infinity, -.infinity, -0.0, .leastNonzeroMagnitude] {
        add("integers", "Double \(number) as an argument", number.isNaN ? "NULL" : "the number") {
            try inMemory { db in
                let seen = try Double.fetchOne(db, sql: "SELECT ?", arguments: [number])
                try check(
                    number.isNaN ? seen == nil : seen?.bitPattern == number.bitPattern,
                    "\(seen as Any)")
                return number.isNaN ? "NULL" : "the number"
            }
        }
    }
    add("integers", "limit(Int.max), limit(-1), offset(Int.max)", "rows") {
        try inMemory { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (1)")
            let counts = try [
                Table("t").limit(Int.max).fetchCount(db),
                Table("t").limit(1, offset: Int.max).fetchCount(db),
                Table("t").limit(0).fetchCount(db),
            ]
            try check(counts == [1, 0, 0], "\(counts)")
            return "\(counts)"
        }
    }
    add("integers", "an index of a column out of range", "RowDecodingError") {
        try inMemory { db in
            let row = try Row.fetchOne(db, sql: "SELECT 1")!
            return try [-1, 1, Int.max, Int.min].map { index in
                try seenError { _ = try row.decode(Int.self, atIndex: index) }
            }
            .joined(separator: "; ")
        }
    }
}

private func addLimits(_ add: AddBadCase) {
    add("limits", "2 GB: zeroblob(2147483645)", "a blob of this length, or DatabaseError 18 or 7") {
        try inMemory { db in
            do {
                let length = try Int.fetchOne(db, sql: "SELECT length(zeroblob(2147483645))")
                try check(length == 2_147_483_645, "another length")
                return "a blob of this length"
            } catch let error as DatabaseError {
                return "DatabaseError \(error.extendedResultCode.rawValue)"
            }
        }
    }
    add("limits", "2 GB: zeroblob(2147483646)", "DatabaseError") {
        try inMemory { db in
            try seenError { _ = try Int.fetchOne(db, sql: "SELECT length(zeroblob(2147483646))") }
        }
    }
    add("limits", "2 GB: a Data of 2147483648 bytes as an argument", "DatabaseError") {
        let data = Data(count: 2_147_483_648)
        return try inMemory { db in
            try seenError { _ = try Int.fetchOne(db, sql: "SELECT length(?)", arguments: [data]) }
        }
    }
    add("limits", "2 GB: a String of 2147483648 bytes as an argument", "DatabaseError") {
        let text = String(repeating: "abcdefgh", count: 268_435_456)
        return try inMemory { db in
            try seenError { _ = try Int.fetchOne(db, sql: "SELECT length(?)", arguments: [text]) }
        }
    }
    add("limits", "2 GB: SQL of 2147483648 bytes", "DatabaseError") {
        let text = String(repeating: "        ", count: 268_435_456)
        return try inMemory { db in try seenError { try db.execute(sql: text + "SELECT 1") } }
    }
    add("limits", "2 GB: a function returns 2147483648 bytes", "DatabaseError") {
        try inMemory { db in
            db.add(
                function: DatabaseFunction("f", argumentCount: 0) { _ in Data(count: 2_147_483_648)
                })
            return try seenError { _ = try Int.fetchOne(db, sql: "SELECT length(f())") }
        }
    }
    for size in [-1, 0, 2_147_483_647, Int.max] {
        add("limits", "ZeroBlob of \(size) bytes", size == 0 ? "an empty blob" : "DatabaseError") {
            try inMemory { db in
                let body = {
                    let seen = try Int.fetchOne(
                        db, sql: "SELECT length(?)", arguments: [ZeroBlob(count: size)])
                    try check(seen == size, "\(seen as Any)")
                }
                if size != 0 { return try seenError(body) }
                try body()
                return "an empty blob"
            }
        }
    }
    add("limits", "a blob is read and written out of range", "DatabaseError") {
        try inMemory { db in
            try db.execute(sql: "CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(4))")
            let blob = try db.openBlob(table: "t", column: "a", rowID: 1, mode: .readWrite)
            return try [
                seenError { _ = try blob.read(count: 5, at: 0) },
                seenError { _ = try blob.read(count: 1, at: -1) },
                seenError { _ = try blob.read(count: -1, at: 0) },
                seenError { _ = try blob.read(count: 1, at: Int.max) },
                seenError { try blob.write(Data(count: 5), at: 0) },
                seenError { try blob.write(Data(count: 1), at: Int.min) },
            ].joined(separator: "; ")
        }
    }
    add("limits", "40000 arguments", "DatabaseError") {
        try inMemory { db in
            let marks = Array(repeating: "?", count: 40_000).joined(separator: ",")
            return try seenError {
                _ = try Row.fetchOne(
                    db, sql: "SELECT 1 IN (\(marks))",
                    arguments: StatementArguments(Array(0..<40_000)))
            }
        }
    }
    add("limits", "100000 keys", "the rows") {
        try inMemory { db in
            try db.execute(
                sql: "CREATE TABLE t(id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1), (99999)")
            try check(Table("t").filter(keys: Array(0..<100_000)).fetchCount(db) == 2, "other rows")
            return "the rows"
        }
    }
    add("limits", "a condition of 100000 terms", "the rows, or DatabaseError") {
        try inMemory { db in
            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
            let terms = (0..<100_000).map { Column("id") == $0 }
            do {
                return "\(try Table("t").filter(terms.joined(operator: .or)).fetchCount(db)) rows"
            } catch let error as DatabaseError {
                return "DatabaseError \(error.extendedResultCode.rawValue)"
            }
        }
    }
    add("limits", "a condition that is nested 100000 times", "DatabaseError") {
        try inMemory { db in
            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY); INSERT INTO t VALUES (1)")
            var condition = (Column("id") == 1).sqlExpression
            for _ in 0..<100_000 { condition = (condition + 1) * 2 }
            return try seenError { _ = try Table("t").filter(condition).fetchCount(db) }
        }
    }
    add("limits", "3000 columns", "DatabaseError") {
        try inMemory { db in
            try seenError {
                try db.create(table: "t") { t in for index in 0..<3000 { t.column("c\(index)") } }
            }
        }
    }
    add("limits", "600 selects in a compound, 70 joined tables", "DatabaseError, or rows") {
        try inMemory { db in
            let one = try seenError {
                _ = try Row.fetchAll(
                    db,
                    sql: Array(repeating: "SELECT 1", count: 600).joined(separator: " UNION ALL "))
            }
            let two = try seenError {
                _ = try Row.fetchAll(
                    db,
                    sql: "SELECT * FROM "
                        + Array(repeating: "(SELECT 1)", count: 70).joined(separator: ", "))
            }
            return one + "; " + two
        }
    }
    add("limits", "a missing, an extra and an unknown argument", "DatabaseError") {
        try inMemory { db in
            try [
                seenError { _ = try Row.fetchOne(db, sql: "SELECT ?, ?", arguments: [1]) },
                seenError { _ = try Row.fetchOne(db, sql: "SELECT ?", arguments: [1, 2]) },
                seenError { _ = try Row.fetchOne(db, sql: "SELECT :a", arguments: ["b": 1]) },
            ].joined(separator: "; ")
        }
    }
}

/// `trust input` prints the cases, `trust input NUMBER…` runs some of them in this process.
func runBadInput(_ arguments: ArraySlice<String>) throws {
    let cases = makeBadCases()
    if arguments.isEmpty {
        for (number, each) in cases.enumerated() {
            report("\(number)", [each.group, each.input, each.expected])
        }
        return
    }
    for argument in arguments {
        guard let number = Int(argument), cases.indices.contains(number) else {
            throw Failed("no case \(argument)")
        }
        printLine("start \(number)")
        do {
            report("seen", [try cases[number].run()])
        } catch { report("wrong", ["\(error)"]) }
    }
    removeInputFolder()
}
