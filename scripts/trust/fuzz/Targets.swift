import GRDBChanges
import GRDBTables
import GRDBFunctions
import GRDBServer
import GRDBSchema
import Foundation
import GRDB

// The targets of `scripts/run-trust fuzz`. Each takes any bytes, and must neither trap nor leave what it touched
// unusable. What SQLite or the library refuses is an error, which counts as a pass.

/// The bytes of an input, taken from its start.
struct Input {
    var bytes: ArraySlice<UInt8>

    mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

    mutating func choice(_ count: Int) -> Int { Int(byte()) % count }

    /// A text of up to 255 bytes.
    mutating func text() -> String {
        let part = bytes.prefix(choice(256))
        bytes = bytes.dropFirst(part.count)
        return String(decoding: part, as: UTF8.self)
    }

    mutating func word() -> UInt64 { (0..<8).reduce(0) { value, _ in value << 8 | UInt64(byte()) } }

    mutating func value() -> DatabaseValue {
        switch choice(5) {
        case 0: return .null
        case 1: return Int64(bitPattern: word()).databaseValue
        case 2: return Double(bitPattern: word()).databaseValue
        case 3: return text().databaseValue
        default: return Data(text().utf8).databaseValue
        }
    }

    var rest: String { String(decoding: bytes, as: UTF8.self) }
}

func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fatalError(message()) }
}

private let configuration: Configuration = {
    var configuration = Configuration.untrusted
    configuration.prepareDatabase { db in
        db.add(functions: .decimal)
        db.add(functions: .unicode)
    }
    return configuration
}()

/// The folder of the files that targets write.
let folder: URL = {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("fuzz-\(getpid())")
    try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
}()

private func readEverything(_ db: Database) throws {
    try db.withTimeLimit(0.2) {
        _ = try? db.integrityProblems()
        let names = try String.fetchAll(
            db, sql: "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') LIMIT 20")
        for name in names {
            _ = try? db.columns(in: name)
            _ = try? db.primaryKey(name)
            _ = try? db.indexes(on: name)
            _ = try? db.foreignKeys(on: name)
            _ = try? db.tableExists(name)
            if let cursor = try? Row.fetchCursor(
                db, sql: "SELECT * FROM \(name.quotedDatabaseIdentifier) LIMIT 50")
            {
                while let row = try? cursor.next() { readValues(row) }
            }
            _ = try? Table(name).filter(key: 1).fetchOne(db)
        }
    }
}

extension Database {
    fileprivate func integrityProblems() throws -> [String] {
        try String.fetchAll(self, sql: "PRAGMA integrity_check(5)")
    }
}

/// Reads a row as every type that reports a failure.
private func readValues(_ row: Row) {
    for index in 0..<row.count {
        _ = try? row.decode(Int8.self, atIndex: index)
        _ = try? row.decode(UInt64.self, atIndex: index)
        _ = try? row.decode(String?.self, atIndex: index)
        _ = try? row.decode(Data.self, atIndex: index)
        _ = try? row.decode(Date.self, atIndex: index)
        _ = try? row.decode(Decimal.self, atIndex: index)
        _ = try? row.decode(UUID.self, atIndex: index)
        _ = try? row.decode(Double.self, atIndex: index)
        _ = try? row.decode(Bool.self, atIndex: index)
        _ = try? row.decode(URL.self, atIndex: index)
        _ = try? row.decode(DatabaseDateComponents.self, atIndex: index)
    }
}

private struct Everything: Codable, FetchableRecord, PersistableRecord {
    struct Inner: Codable, Equatable {
        var name: String?
        var list: [Int]?
        var map: [String: Double]?
    }
    enum Kind: String, Codable { case a, b }
    static let databaseTableName = "everything"
    var id: Int64?
    var text: String?
    var flag: Bool?
    var small: Int8?
    var large: UInt64?
    var real: Double?
    var single: Float?
    var date: Date?
    var data: Data?
    var uuid: UUID?
    var url: URL?
    var decimal: Decimal?
    var kind: Kind?
    var inner: Inner?
    var list: [Inner]?
}

/// A connection that several inputs share.
nonisolated(unsafe) private var shared = makeShared()

/// A connection with tables of many kinds.
private func makeShared() -> DatabaseQueue {
    let queue = try! DatabaseQueue(configuration: configuration)
    try! queue.write { db in
        try db.execute(
            sql: """
                CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b, c REAL, d BLOB, e AS (length(a)));
                INSERT INTO t(a, b, c, d) VALUES ('a', 1, 2.5, x'00'), (NULL, 'x', -1, x''), ('{"a":[1]}', NULL, NULL, NULL);
                CREATE INDEX i ON t(a COLLATE NOCASE) WHERE b IS NOT NULL;
                CREATE VIRTUAL TABLE f USING fts5(text, other, prefix = '1 2');
                INSERT INTO f VALUES ('the quick brown fox', 'a b c'), ('jumped over', 'é ä');
                CREATE VIRTUAL TABLE g USING fts4(text, other);
                INSERT INTO g VALUES ('the quick brown fox', 'a b c'), ('jumped over', 'é ä');
                CREATE VIRTUAL TABLE r USING rtree(id, x0, x1);
                CREATE TABLE p(k TEXT, l INTEGER, m, PRIMARY KEY (k, l)) WITHOUT ROWID;
                CREATE TABLE everything(id INTEGER PRIMARY KEY, text, flag, small, large, real, single, date, data, uuid, url,
                  decimal, kind, inner, list);
                """)
    }
    return queue
}

/// Runs the body in a transaction that is rolled back.
private func undone(_ body: (Database) throws -> Void) {
    var isUndone = true
    try! shared.writeWithoutTransaction { db in
        try db.beginTransaction()
        try? db.withTimeLimit(0.2) { try body(db) }
        isUndone = db.isInsideTransaction
        if isUndone { try db.rollback() }
        require(try! Int.fetchOne(db, sql: "SELECT 1") == 1, "the connection is unusable")
    }
    // The input has committed, or ended the transaction by an error.
    if !isUndone { shared = makeShared() }
}

let targets: [String: @Sendable (Input) -> Void] = [
    "sql": { input in
        undone { db in
            for statement in input.rest.split(separator: "\u{1}").prefix(4) {
                let cursor = try? db.allStatements(sql: String(statement))
                while let statement = try? cursor?.next() {
                    _ = statement.databaseRegion.description
                    _ = try? statement.setArguments(StatementArguments([1, "x"]))
                    if let rows = try? Row.fetchCursor(statement) {
                        var count = 0
                        while count < 100, let row = try? rows.next() {
                            readValues(row)
                            count += 1
                        }
                    }
                }
            }
        }
    },
    "file": { input in
        let url = folder.appendingPathComponent("file.sqlite")
        try! Data(input.bytes).write(to: url)
        if let queue = try? DatabaseQueue(path: url.path, configuration: configuration) {
            try? queue.writeWithoutTransaction { db in
                try? readEverything(db)
                try db.execute(
                    sql: "CREATE TABLE IF NOT EXISTS added(a); INSERT INTO added VALUES (1)")
            }
            try? queue.close()
        }
        for suffix in ["-journal", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: url.path + suffix)
        }
    },
    "image": { input in
        guard
            let queue = try? DatabaseQueue(
                serialized: Data(input.bytes), configuration: configuration)
        else { return }
        try? queue.read { try readEverything($0) }
        try? queue.close()
    },
    "wal": { input in
        let url = folder.appendingPathComponent("wal.sqlite")
        try! walFile.write(to: url)
        try! Data(input.bytes).write(to: URL(fileURLWithPath: url.path + "-wal"))
        if let queue = try? DatabaseQueue(path: url.path, configuration: configuration) {
            try? queue.read { try readEverything($0) }
            try? queue.close()
        }
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: url.path + suffix)
        }
    },
    "changeset": { input in
        guard let changeset = try? Changeset(data: Data(input.bytes)) else { return }
        _ = changeset.isEmpty
        _ = "\(Array(changeset.prefix(100)))"
        if let inverted = try? changeset.inverted() { _ = try? inverted.combined(with: changeset) }
        undone { db in
            _ = try db.apply(changeset) { conflict in
                switch conflict.kind {
                case .data, .conflict: .replace
                default: .omit
                }
            }
        }
    },
    "pattern": { input in
        var input = input
        let kind = input.choice(8)
        let text = input.rest
        let pattern: FTS5Pattern? =
            switch kind {
            case 0: FTS5Pattern(matchingAnyTokenIn: text)
            case 1: FTS5Pattern(matchingAllTokensIn: text)
            case 2: FTS5Pattern(matchingAllPrefixesIn: text)
            case 3: FTS5Pattern(matchingPhrase: text)
            case 4: FTS5Pattern(matchingPrefixPhrase: text)
            default: try? FTS5Pattern(rawPattern: text, allowedColumns: ["text", "other"])
            }
        if let pattern {
            undone { db in
                // A pattern that was made is valid.
                do {
                    _ = try Row.fetchAll(
                        db, sql: "SELECT *, rank FROM f WHERE f MATCH ?", arguments: [pattern])
                } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                    fatalError("\(error)")
                }
            }
        }
        let old: FTS3Pattern? =
            switch kind {
            case 0: FTS3Pattern(matchingAnyTokenIn: text)
            case 1: FTS3Pattern(matchingAllTokensIn: text)
            case 2: FTS3Pattern(matchingAllPrefixesIn: text)
            case 3: FTS3Pattern(matchingPhrase: text)
            default: try? FTS3Pattern(rawPattern: text)
            }
        if let old {
            undone { db in
                do {
                    _ = try Row.fetchAll(
                        db,
                        sql:
                            "SELECT snippet(g), offsets(g), matchinfo(g, 'pcnalsx') FROM g WHERE g MATCH ?",
                        arguments: [old])
                } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                    fatalError("\(error)")
                }
            }
        }
    },
    "tokenizer": { input in
        var input = input
        let kind = input.choice(4)
        let text = input.rest
        undone { db in
            let descriptor: FTS5TokenizerDescriptor =
                switch kind {
                case 0: .ascii()
                case 1: .unicode61()
                case 2: .porter()
                default: FTS5TokenizerDescriptor(components: ["trigram"])
                }
            let tokenizer = try db.makeTokenizer(descriptor)
            let tokens = try tokenizer.tokenize(document: text)
            _ = try tokenizer.tokenize(query: text)
            require(tokens.count <= text.utf8.count + 1, "too many tokens")
            try db.execute(sql: "INSERT INTO f VALUES (?, ?)", arguments: [text, text])
            _ = try Row.fetchAll(
                db,
                sql:
                    "SELECT highlight(f, 0, '<', '>'), snippet(f, -1, '<', '>', '…', 5) FROM f WHERE f MATCH 'a*'"
            )
        }
        _ = try? FTS3.tokenize(text, withTokenizer: kind == 0 ? .simple : .unicode61())
    },
    "date": { input in
        let text = input.rest
        let value = text.databaseValue
        if let date = Date.fromDatabaseValue(value) {
            // What was stored is read as the same.
            let stored = date.databaseValue
            if let again = Date.fromDatabaseValue(stored) {
                require(
                    abs(again.timeIntervalSince(date)) < 0.002,
                    "\(text): \(date) is stored as \(stored), read as \(again)")
            }
        }
        if let components = DatabaseDateComponents.fromDatabaseValue(value) {
            _ = DatabaseDateComponents.fromDatabaseValue(components.databaseValue)
        }
        _ = try? Row(["date": value] as [String: (any DatabaseValueConvertible)?]).decode(
            Date.self, forColumn: "date")
        undone { db in
            let row = try Row.fetchOne(db, sql: "SELECT ? AS date", arguments: [text])!
            require(
                (try? row.decode(Date.self, forColumn: "date")) == Date.fromDatabaseValue(value),
                "\(text): two ways to read")
        }
    },
    "decimal": { input in
        var input = input
        let first = input.text()
        let second = input.rest
        if let number = Decimal.fromDatabaseValue(first.databaseValue) {
            let again = Decimal.fromDatabaseValue(number.databaseValue)
            require(
                again == number || number.isNaN,
                "\(first): \(number) is read as \(String(describing: again))")
        }
        undone { db in
            for name in ["decimal_add", "decimal_sub", "decimal_mul", "decimal_cmp"] {
                _ = try? String.fetchOne(
                    db, sql: "SELECT \(name)(?, ?)", arguments: [first, second])
            }
            _ = try? String.fetchOne(
                db, sql: "SELECT decimal_sum(value) FROM (SELECT ? AS value UNION ALL SELECT ?)",
                arguments: [first, second])
            let order = try String.fetchAll(
                db,
                sql:
                    "SELECT value FROM (SELECT ? AS value UNION ALL SELECT ?) ORDER BY value COLLATE decimal",
                arguments: [first, second])
            require(order.count == 2, "rows are missing")
        }
    },
    "codable": { input in
        var input = input
        let names = [
            "id", "text", "flag", "small", "large", "real", "single", "date", "data", "uuid", "url",
            "decimal", "kind", "inner",
            "list",
        ]
        var values: [(String, (any DatabaseValueConvertible)?)] = []
        for name in names where input.choice(3) > 0 { values.append((name, input.value())) }
        let row = Row(Dictionary(values, uniquingKeysWith: { first, _ in first }))
        let copied = try? Everything(row: row)
        undone { db in
            guard !values.isEmpty else { return }
            let list = values.map { "? AS \"\($0.0)\"" }.joined(separator: ", ")
            let fetched = try? Everything.fetchOne(
                db, sql: "SELECT \(list)", arguments: StatementArguments(values.map(\.1)))
            // Not compared with `copied`: columns of statements convert texts and numbers.
            _ = copied
            if var record = fetched {
                record.id = nil
                do {
                    try record.insert(db)
                } catch { return }
                let stored = try Everything.fetchOne(
                    db, sql: "SELECT * FROM everything ORDER BY id DESC")
                require(stored != nil, "what was stored can't be read")
            }
        }
    },
    "json": { input in
        let text = input.rest
        let inner: Row = ["inner": text]
        let list: Row = ["list": text]
        _ = try? Everything(row: inner)
        _ = try? Everything(row: list)
        _ = JSONText.fromDatabaseValue(text.databaseValue)
        undone { db in
            let isValid = try Bool.fetchOne(db, sql: "SELECT json_valid(?)", arguments: [text])!
            for sql in [
                "SELECT json(?)", "SELECT json_extract(?, '$.name')",
                "SELECT count(*) FROM json_tree(?)",
            ] {
                let result = Result { try DatabaseValue.fetchOne(db, sql: sql, arguments: [text]) }
                if isValid, case .failure(let error as DatabaseError) = result,
                    error.resultCode == .SQLITE_ERROR
                {
                    fatalError("\(sql) \(error)")
                }
            }
        }
    },
    "literal": { input in
        var input = input
        let values = [input.value(), input.value()]
        let name = input.text()
        undone { db in
            let literal: SQL =
                "SELECT \(values[0]) AS \(identifier: name), \(values[1]), \([values[1], values[0]].contains(Column("x")))"
            let (sql, _) = try literal.build(db)
            require(!sql.isEmpty, "no text")
            let row = try Row.fetchOne(
                db.makeStatement(literal: "SELECT \(values[0]), \(values[1])"))!
            for index in 0..<2 {
                let stored: DatabaseValue = row[index]
                if case .double(let number) = values[index].storage, number.isNaN { continue }
                require(stored == values[index], "\(values[index]) is read as \(stored)")
            }
            // The column has the name, up to the first NUL, which ends a statement.
            if !name.isEmpty, !name.contains("\0") {
                let named = try Row.fetchOne(
                    db.makeStatement(literal: "SELECT 1 AS \(identifier: name)"))!
                require(named.columnNames.first == name, "\(name) is read as \(named.columnNames)")
            }
        }
    },
    "value": { input in
        var input = input
        let value = input.value()
        _ = Int.fromDatabaseValue(value)
        _ = Int8.fromDatabaseValue(value)
        _ = UInt16.fromDatabaseValue(value)
        _ = UInt64.fromDatabaseValue(value)
        _ = Float.fromDatabaseValue(value)
        _ = Double.fromDatabaseValue(value)
        _ = Bool.fromDatabaseValue(value)
        _ = UUID.fromDatabaseValue(value)
        _ = URL.fromDatabaseValue(value)
        _ = Date.fromDatabaseValue(value)
        _ = Decimal.fromDatabaseValue(value)
        _ = NSNumber.fromDatabaseValue(value)
        _ = FloatVector.fromDatabaseValue(value)
        _ = Int8Vector.fromDatabaseValue(value)
        _ = BitVector.fromDatabaseValue(value)
        _ = "\(value) \(value.description)"
        undone { db in
            let row = try Row.fetchOne(db, sql: "SELECT ?", arguments: [value])!
            // The two ways to read a column give the same, but for texts and numbers, which columns of statements
            // convert, and for NaN, which is stored as NULL.
            switch value.storage {
            case .int64, .blob:
                require(
                    (try? row.decode(Int8.self, atIndex: 0)) == Int8.fromDatabaseValue(value),
                    "Int8 \(value)")
                require(
                    (try? row.decode(UInt64.self, atIndex: 0)) == UInt64.fromDatabaseValue(value),
                    "UInt64 \(value)")
                require(
                    (try? row.decode(Bool.self, atIndex: 0)) == Bool.fromDatabaseValue(value),
                    "Bool \(value)")
                require(
                    (try? row.decode(Decimal.self, atIndex: 0)) == Decimal.fromDatabaseValue(value),
                    "Decimal \(value)")
            case .string:
                require(
                    (try? row.decode(UUID.self, atIndex: 0)) == UUID.fromDatabaseValue(value),
                    "UUID \(value)")
                require(
                    (try? row.decode(Data.self, atIndex: 0)) == Data.fromDatabaseValue(value),
                    "Data \(value)")
                require(
                    (try? row.decode(Date.self, atIndex: 0)) == Date.fromDatabaseValue(value),
                    "Date \(value)")
            default: break
            }
            readValues(row)
        }
    },
    "transformation": { input in
        var input = input
        // Any definition of a table, and changes of its columns.
        let definition = input.text()
        let changes = (0..<3).map { _ in (input.choice(10), input.choice(4)) }
        let text = input.text()
        undone { db in
            try db.execute(sql: "CREATE TABLE x(\(definition))")
            let columns = try db.columns(in: "x").map(\.name)
            guard let first = columns.first else { return }
            let before = try Int.fetchOne(db, sql: "SELECT count(*) FROM x")
            let transform: (TableTransformation) -> Void = { t in
                for (kind, index) in changes {
                    let column = index < columns.count ? columns[index] : first
                    switch kind {
                    case 0: t.rename(column: column, to: text)
                    case 1: t.drop(column: column)
                    case 2: t.change(column: column, type: .integer)
                    case 3: t.setNotNull(column: column)
                    case 4: t.setDefault(ofColumn: column, to: text)
                    case 5: t.addColumn(sql: text)
                    case 6: t.addCheck(sql: text)
                    case 7: t.dropNotNull(column: column)
                    case 8: t.setCollation(ofColumn: column, to: .nocase)
                    default: t.addUniqueKey([column])
                    }
                }
            }
            _ = try? db.transformationPlan(table: "x", body: transform)
            guard (try? db.transform(table: "x", body: transform)) != nil else { return }
            let after = try Int.fetchOne(db, sql: "SELECT count(*) FROM x")
            require(after == before, "rows are lost")
        }
    },
]

/// Any JSON.
private struct JSONText: Decodable, DatabaseValueConvertible, Encodable {
    var name: String?
    var list: [Double]?
}

/// A database in WAL mode, without its WAL.
private let walFile: Data = {
    let path = folder.appendingPathComponent("model.sqlite").path
    let queue = try! DatabaseQueue(path: path)
    try! queue.writeWithoutTransaction { db in
        try db.execute(
            sql:
                "PRAGMA page_size = 512; PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES (1), ('x')"
        )
        try db.checkpoint(.truncate)
    }
    try! queue.close()
    return try! Data(contentsOf: URL(fileURLWithPath: path))
}()

nonisolated(unsafe) private var target: (@Sendable (Input) -> Void)?

@_cdecl("LLVMFuzzerInitialize")
public func initializeFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>
) -> CInt {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let found = targets[name] else {
        print("unknown target \(name): \(targets.keys.sorted().joined(separator: " "))")
        exit(2)
    }
    target = found
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target?(Input(bytes: ArraySlice(UnsafeBufferPointer(start: start, count: count))))
    return 0
}
