// The program of scripts/check-encryption: writes and reads encrypted files for other programs, and is
// killed while it writes.
//
//     program write FORMAT FILE
//     program read FORMAT FILE
//     program migrate FILE
//     program work delete|wal|copy|rekey|rekey-wal FILE
//     program verify FILE
//     program memory FILE
//     program quick FILE
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
    if format != "plain" {
        configuration.prepareDatabase { try $0.useKey(key(format), cipher: cipher(format)) }
    }
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

let otherKey = Data((100..<132).map { UInt8($0) })

func configuration(rawKey: Data) -> Configuration {
    var configuration = Configuration()
    configuration.prepareDatabase { try $0.useKey(.raw(rawKey)) }
    return configuration
}

/// Writes until it is killed, and says what is committed.
func work(_ mode: String, _ path: String) throws {
    let writer: any DatabaseWriter =
        mode.hasSuffix("wal")
        ? try DatabasePool(path: path, configuration: configuration(rawKey: keyOfFile(path)))
        : try DatabaseQueue(path: path, configuration: configuration(rawKey: keyOfFile(path)))
    func committed() {
        print("committed")
        fflush(nil)
    }
    func change(_ db: Database, rows: Int) throws {
        for id in 0..<rows {
            try db.execute(
                sql: "INSERT INTO t(content) VALUES (? || hex(randomblob(200)))",
                arguments: ["\(id) \(marker) "])
        }
        try db.execute(sql: "UPDATE t SET content = content || 'x' WHERE id % 10 = 0")
        try db.execute(sql: "DELETE FROM t WHERE id <= (SELECT MAX(id) - 8000 FROM t)")
    }
    try writer.write { db in
        try db.execute(
            sql: """
                PRAGMA cache_size = 5;
                CREATE TABLE IF NOT EXISTS t(id INTEGER PRIMARY KEY, content TEXT);
                CREATE INDEX IF NOT EXISTS i ON t(content);
                """)
        if mode.hasPrefix("rekey"), try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t") == 0 {
            try change(db, rows: 8000)
        }
    }
    var turn = 0
    while true {
        turn += 1
        switch mode {
        case "rekey", "rekey-wal":
            try writer.barrierWriteWithoutTransaction { db in
                try db.changeKey(.raw(turn % 2 == 0 ? rawKey : otherKey))
            }
        case "copy":
            try writer.write { try change($0, rows: 50) }
            let copy = "\(path)-copy\(turn % 4)"
            for suffix in ["", "-journal", "-wal", "-shm"] { unlink(copy + suffix) }
            switch turn % 4 {
            case 0: try writer.vacuum(into: copy)
            case 1:
                let destination = try DatabaseQueue(
                    path: copy, configuration: configuration(rawKey: otherKey))
                try writer.backup(to: destination)
            default:
                try writer.writeWithoutTransaction { db in
                    try db.exportEncrypted(
                        to: copy, key: .raw(otherKey),
                        cipher: turn % 4 == 2 ? .chacha20 : .sqlcipher)
                }
            }
        default:
            try writer.write { try change($0, rows: 50) }
            if Int.random(in: 0..<20) == 0 { try writer.vacuum() }
        }
        committed()
    }
}

/// The key that opens a file: one of two while a key is changed.
func keyOfFile(_ path: String) throws -> Data {
    var failure: (any Error)?
    for key in [rawKey, otherKey] {
        do {
            let queue = try DatabaseQueue(path: path, configuration: configuration(rawKey: key))
            _ = try queue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM sqlite_master") }
            return key
        } catch {
            failure = error
        }
    }
    throw failure!
}

/// Expects a database without damage.
func verify(_ path: String) throws {
    let queue = try DatabaseQueue(
        path: path, configuration: configuration(rawKey: keyOfFile(path)))
    let check = try queue.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
    guard check == "ok" else { fatalError(check ?? "") }
    let rows = try queue.read {
        try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t WHERE content LIKE '%\(marker)%'")
    }
    guard let rows, rows > 0 else { fatalError("no rows") }
    try queue.close()
    print("ok")
}

// MARK: - Memory

/// The byte of a key at an index. The program has no copy of the key but those that the library makes.
@inline(never) func secretByte(_ index: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: (UInt64(index) + 77) &* 0x9e37_79b9_7f4a_7c15 >> 29)
}

func secretDigit(_ index: Int) -> UInt8 {
    let value = index % 2 == 0 ? secretByte(index / 2) >> 4 : secretByte(index / 2) & 15
    return value < 10 ? 48 + value : 87 + value
}

/// How often a pattern is in the memory of the process that can be written.
func count(_ length: Int, _ byte: (Int) -> UInt8) throws -> Int {
    let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
    var hits = 0
    for line in maps.split(separator: "\n") {
        let parts = line.split(separator: " ")
        guard parts[1].hasPrefix("rw"), !line.hasSuffix("[vvar]") else { continue }
        let bounds = parts[0].split(separator: "-").map { UInt(String($0), radix: 16)! }
        let end = UnsafeRawPointer(bitPattern: bounds[1])! - length
        var start = UnsafeRawPointer(bitPattern: bounds[0])!
        while start <= end, let hit = memchr(start, Int32(byte(0)), end - start + 1) {
            let candidate = UnsafeRawPointer(hit)
            if (0..<length).allSatisfy({
                candidate.load(fromByteOffset: $0, as: UInt8.self) == byte($0)
            }) {
                hits += 1
            }
            start = candidate + 1
        }
    }
    return hits
}

func memory(_ path: String) throws {
    func report(_ what: String, _ hits: Int, allows: ClosedRange<Int> = 0...0) {
        print("\(what): \(hits)")
        guard allows.contains(hits) else { exit(1) }
    }
    /// Calls a closure with bytes that are overwritten afterwards.
    func withSecret<Result>(
        _ length: Int, _ byte: (Int) -> UInt8, _ body: (Data) throws -> Result
    ) rethrows -> Result {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 8)
        defer {
            for index in buffer.indices { buffer[index] = 0xaa }
            buffer.deallocate()
        }
        for index in buffer.indices { buffer[index] = byte(index) }
        return try body(
            Data(bytesNoCopy: buffer.baseAddress!, count: length, deallocator: .none))
    }
    let text = { (index: Int) in secretDigit(index + 7) }
    for isRaw in [true, false] {
        let file = path + (isRaw ? "-raw" : "-passphrase")
        let pool: DatabasePool =
            try isRaw
            ? withSecret(32, secretByte) { data in
                let key = try EncryptionKey.raw(data)
                var configuration = Configuration()
                configuration.prepareDatabase { try $0.useKey(key) }
                return try DatabasePool(path: file, configuration: configuration)
            }
            : withSecret(24, text) { data in
                let key = EncryptionKey.passphrase(data)
                var configuration = Configuration()
                configuration.prepareDatabase {
                    try $0.useKey(key, cipher: .sqlcipher(iterations: 1000))
                }
                return try DatabasePool(path: file, configuration: configuration)
            }
        try pool.write { db in
            try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, content TEXT)")
            try db.execute(sql: "INSERT INTO t VALUES (1, 'x')")
        }
        _ = try pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
        // The configuration has the key, for more readers.
        if isRaw {
            report("key as text, while the pool is open", try count(64, secretDigit), allows: 0...1)
        } else {
            report("passphrase, while the pool is open", try count(24, text), allows: 0...1)
        }
        try pool.close()
    }
    report("key as bytes, at the end", try count(32, secretByte))
    report("key as text, at the end", try count(64, secretDigit))
    report("passphrase, at the end", try count(24, text))
    withSecret(32, secretByte) { _ in
        do {
            report("the search finds what is there", try count(32, secretByte), allows: 1...9)
        } catch {
            fatalError("\(error)")
        }
    }
}

// MARK: - What CI runs

/// What a user of the trait does first.
func quick(_ path: String) throws {
    func check(_ condition: Bool, _ claim: String) {
        print("\(condition ? "ok" : "FAILED"): \(claim)")
        if !condition { exit(1) }
    }
    func failure(_ key: Data?) -> EncryptionFailure? {
        do {
            _ = try DatabaseQueue(
                path: path, configuration: key.map(configuration(rawKey:)) ?? Configuration())
            return nil
        } catch {
            return (error as? DatabaseError)?.encryptionFailure
        }
    }
    let pool = try DatabasePool(path: path, configuration: configuration(rawKey: rawKey))
    try pool.write { db in
        try db.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, content TEXT)")
        for id in 1...200 {
            try db.execute(sql: "INSERT INTO t VALUES (?, ?)", arguments: [id, "\(id) \(marker)"])
        }
        check(db.isEncrypted, "the connection encrypts")
    }
    try pool.close()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    check(bytes.range(of: Data(marker.utf8)) == nil, "the file shows no text")
    check(failure(rawKey) == nil, "the key opens the file")
    check(failure(otherKey) == .wrongKey, "another key does not")
    check(failure(nil) == .missingKey, "no key does not")
    let original = bytes
    bytes[2 * 4096 + 100] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    do {
        try read("sqlcipher4-raw", path)
        check(false, "an altered page is noticed")
    } catch let error as DatabaseError {
        check(error.encryptionFailure == .alteredPage, "an altered page is noticed")
    }
    try original.write(to: URL(fileURLWithPath: path))
    let queue = try DatabaseQueue(path: path, configuration: configuration(rawKey: rawKey))
    try queue.inDatabase { try $0.changeKey(.raw(otherKey)) }
    try queue.close()
    check(failure(rawKey) == .wrongKey && failure(otherKey) == nil, "the key is changed")
    let plain = path + "-plain"
    try DatabaseQueue(path: path, configuration: configuration(rawKey: otherKey)).inDatabase {
        try $0.exportPlain(to: plain)
    }
    try read("plain", plain)
    check(true, "a plain copy opens without a key")
}

func bench(_ path: String, encrypted: Bool) throws {
    let queue = try DatabaseQueue(
        path: path, configuration: encrypted ? configuration("sqlcipher4-raw") : Configuration())
    func measure(_ name: String, _ body: () throws -> Void) rethrows {
        let start = DispatchTime.now().uptimeNanoseconds
        try body()
        let milliseconds = (DispatchTime.now().uptimeNanoseconds - start) / 1_000_000
        print("GRDB \(encrypted ? "encrypted" : "plain"): \(name): \(milliseconds) ms")
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
    case (3, "verify"): try verify(arguments[2])
    case (3, "memory"): try memory(arguments[2])
    case (3, "quick"): try quick(arguments[2])
    case (4, "bench"): try bench(arguments[2], encrypted: arguments[3] == "encrypted")
    default:
        print("unknown arguments")
        exit(2)
    }
} catch {
    print(error)
    exit(1)
}
