// The program of scripts/check-encryption: writes and reads encrypted files for other programs, and is
// killed while it writes.
//
//     program write FORMAT FILE
//     program read FORMAT FILE
//     program migrate FILE
//     program work delete|wal FILE
//     program bench FILE plain|encrypted

import Foundation
import GRDB

let marker = "MARKER-of-plain-text-0123456789"
let passphrase = "a passphrase, écrit"
let rawKey = Data((0..<32).map { UInt8($0) })

func cipher(_ format: String) -> DatabaseCipher {
    switch format {
    case "sqlcipher3": .sqlcipher(version: 3)
    case "sqlcipher2": .sqlcipher(version: 2)
    case "sqlcipher1": .sqlcipher(version: 1)
    case "sqlcipher4-parameters": .sqlcipher(iterations: 5000, pageSize: 8192)
    case "sqlcipher4-header":
        .sqlcipher(plaintextHeaderSize: 32, salt: Data((0..<16).map { UInt8($0) }))
    case "chacha20": .chacha20
    case "ascon128": .ascon128
    case "aegis": .aegis256
    default: .sqlcipher
    }
}

func key(_ format: String) throws -> EncryptionKey {
    format == "sqlcipher4-raw" ? try .raw(rawKey) : .passphrase(passphrase)
}

func configuration(_ format: String) -> Configuration {
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.useKey(key(format), cipher: cipher(format)) }
    return configuration
}

func write(_ format: String, _ path: String) throws {
    let isWAL = format.hasSuffix("-wal")
    let writer: any DatabaseWriter =
        isWAL
        ? try DatabasePool(path: path, configuration: configuration(format))
        : try DatabaseQueue(path: path, configuration: configuration(format))
    try writer.write { db in
        try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, content TEXT)")
        for id in 1...200 {
            try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [id, "\(id) \(marker)"])
        }
    }
    if isWAL {
        // Leaves the WAL file.
        kill(getpid(), SIGKILL)
    }
    try writer.close()
}

func read(_ format: String, _ path: String) throws {
    let queue = try DatabaseQueue(path: path, configuration: configuration(format))
    let rows = try queue.read { try String.fetchAll($0, sql: "SELECT content FROM t ORDER BY id") }
    guard rows == (1...200).map({ "\($0) \(marker)" }) else {
        fatalError("other rows: \(rows.count)")
    }
    let check = try queue.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
    guard check == "ok" else { fatalError(check ?? "") }
    print("ok")
}

/// Writes until it is killed, and says what is committed.
func work(_ mode: String, _ path: String) throws {
    let writer: any DatabaseWriter =
        mode == "wal"
        ? try DatabasePool(path: path, configuration: configuration("sqlcipher4-raw"))
        : try DatabaseQueue(path: path, configuration: configuration("sqlcipher4-raw"))
    try writer.write { db in
        try db.execute(
            sql: """
                PRAGMA cache_size = 5;
                CREATE TABLE IF NOT EXISTS t(id INTEGER PRIMARY KEY, content TEXT);
                CREATE INDEX IF NOT EXISTS i ON t(content);
                """)
    }
    while true {
        try writer.write { db in
            for id in 0..<50 {
                try db.execute(
                    sql: "INSERT INTO t(content) VALUES (? || hex(randomblob(200)))",
                    arguments: ["\(id) \(marker) "])
            }
            try db.execute(sql: "UPDATE t SET content = content || 'x' WHERE id % 10 = 0")
            try db.execute(sql: "DELETE FROM t WHERE id <= (SELECT MAX(id) - 2000 FROM t)")
        }
        if Int.random(in: 0..<20) == 0 { try writer.vacuum() }
        print("committed")
        fflush(nil)
    }
}

func bench(_ path: String, encrypted: Bool) throws {
    let queue = try DatabaseQueue(
        path: path, configuration: encrypted ? configuration("sqlcipher4-raw") : Configuration())
    func measure(_ name: String, _ body: () throws -> Void) rethrows {
        let start = DispatchTime.now().uptimeNanoseconds
        try body()
        let milliseconds = (DispatchTime.now().uptimeNanoseconds - start) / 1_000_000
        print("\(encrypted ? "encrypted" : "plain") \(name): \(milliseconds) ms")
    }
    let count = 200_000
    try measure("\(count) inserts") {
        try queue.write { db in
            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, content TEXT)")
            let statement = try db.makeStatement(sql: "INSERT INTO t VALUES (?, ?)")
            for id in 0..<count {
                try statement.execute(arguments: [id, "\(id) \(marker) \(marker) \(marker)"])
            }
        }
    }
    // Pages come from the file, not from the cache of SQLite.
    try queue.inDatabase { try $0.execute(sql: "PRAGMA cache_size = 100") }
    try measure("scan") {
        _ = try queue.read { try Int.fetchOne($0, sql: "SELECT SUM(LENGTH(content)) FROM t") }
    }
    try measure("20000 point reads") {
        try queue.read { db in
            let statement = try db.makeStatement(sql: "SELECT content FROM t WHERE id = ?")
            var id = 0
            for _ in 0..<20_000 {
                id = (id &+ 7919 &* 31) % count
                _ = try String.fetchOne(statement, arguments: [id])
            }
        }
    }
}

let arguments = CommandLine.arguments
do {
    switch (arguments.count, arguments.dropFirst().first) {
    case (4, "write"): try write(arguments[2], arguments[3])
    case (4, "read"): try read(arguments[2], arguments[3])
    case (3, "migrate"):
        guard try DatabaseQueue.migrateLegacy(path: arguments[2], key: .passphrase(passphrase))
        else {
            fatalError("the file was not written anew")
        }
    case (4, "work"): try work(arguments[2], arguments[3])
    case (4, "bench"): try bench(arguments[2], encrypted: arguments[3] == "encrypted")
    default:
        print("unknown arguments")
        exit(2)
    }
} catch {
    print(error)
    exit(1)
}
