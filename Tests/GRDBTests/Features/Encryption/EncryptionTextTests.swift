#if GRDB_ENCRYPTION
import Foundation
import GRDBServer
import GRDBTestSupport
import Testing

@testable import GRDB

/// Keys in URIs, pragmas and ATTACH become no text: in errors, traces, logs, paths, mirrors and reports of slow
/// statements.
///
/// The log function is one for the whole process: the tests run one after the other.
@Suite(.databases, .serialized) struct EncryptionTextTests {
    /// No part of it is a word that messages contain.
    private static let secret = "zq7secret xq'9zw"
    private static let quoted = "'zq7secret xq''9zw'"
    private static let hex = Data(secret.utf8).map {
        String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
    }
    .joined()
    private static let cipher = DatabaseCipher.chacha20(iterations: 10)
    private static let cipherParameters: [DatabaseURI.Parameter] = [
        .custom("cipher", "chacha20"), .custom("kdf_iter", "10"),
    ]
    private static let parts = ["zq7", "xq", "9zw", hex, "zq%37"]

    /// Collects texts, and expects that none shows the key.
    private final class Texts: @unchecked Sendable {
        private let log = Log<String>()

        func add(_ text: String) { log.append(text) }

        func add(_ error: any Error) {
            add("\(error)")
            add(String(reflecting: error))
            var dumped = ""
            dump(error, to: &dumped)
            add(dumped)
            guard let error = error as? DatabaseError else { return }
            add(error.expandedDescription)
            add(error.arguments.map { "\($0)" } ?? "")
            add(error.localizedDescription)
        }

        /// Runs a closure that may fail.
        func run<T>(_ body: () throws -> T) {
            do {
                _ = try body()
            } catch {
                add(error)
            }
        }

        func expectNoKey(line: Int = #line) {
            expectTrue(log.elements.count > 0, line: line)
            let leaks = log.elements.filter { text in
                EncryptionTextTests.parts.contains { text.lowercased().contains($0) }
            }
            expectEqual(leaks, [], line: line)
        }
    }

    /// A configuration that reports all that it can, with arguments.
    private static func configuration(_ texts: Texts) -> Configuration {
        var configuration = TestDatabases.makePlainConfiguration()
        configuration.publicStatementArguments = true
        configuration.metricsCollector = DatabaseMetricsCollector()
        configuration.prepareDatabase { db in
            // Passphrases become keys in no time.
            try cipher.select(in: db, lasts: true)
            db.trace(options: [.statement, .profile]) { event in
                texts.add("\(event)")
                texts.add(event.expandedDescription)
            }
        }
        configuration.reportSlowStatements(threshold: 0) { statement in
            texts.add("\(statement)")
            texts.add(statement.sql)
        }
        return configuration
    }

    private static func withTexts(
        line: Int = #line, _ body: (Texts) throws -> Void
    ) rethrows {
        let texts = Texts()
        let former = Database.logError
        defer { Database.logError = former }
        Database.logError = { _, message in texts.add(message) }
        try body(texts)
        texts.expectNoKey(line: line)
    }

    @Test func keysInURIs() throws {
        try Self.withTexts { texts in
            let parameters = [
                ("key", Self.secret), ("hexkey", Self.hex), ("textkey", Self.secret),
            ]
            for (name, value) in parameters {
                let uri = DatabaseURI(
                    path: TestDatabases.makePath(),
                    parameters: [.mode(.readWriteCreate), .custom(name, value)]
                        + Self.cipherParameters)
                let queue = try DatabaseQueue(uri: uri, configuration: Self.configuration(texts))
                try queue.write { try Encrypted.fill($0, rows: 1) }
                try expectTrue(queue.read { $0.isEncrypted })
                texts.add(queue.path)
                var dumped = ""
                dump(queue, to: &dumped)
                texts.add(dumped)
                try queue.close()
                let pool = try DatabasePool(uri: uri, configuration: Self.configuration(texts))
                try pool.write { try $0.execute(sql: "INSERT INTO t VALUES (2, 'a')") }
                // Snapshots are opened with the key.
                let snapshot = try pool.makeSnapshot()
                let snapshots = try [
                    pool.makeSnapshotPool(), pool.read { try DatabaseSnapshotPool($0) },
                ]
                texts.add(pool.path + snapshot.path + AnyDatabaseReader(pool).path)
                for reader in snapshots as [any DatabaseReader] + [pool, snapshot] {
                    try expectEqual(Encrypted.contents(reader).count, 2)
                    texts.add(reader.path)
                    dumped = ""
                    dump(reader, to: &dumped)
                    texts.add(dumped)
                }
                for snapshot in snapshots { try snapshot.close() }
                try snapshot.close()
                expectEqual(pool.path, "file:\(uri.path)?mode=rwc&cipher=chacha20&kdf_iter=10")
                try pool.close()
                // Wrong keys, no key, no folder, no file.
                var other = uri
                other.parameters[1] = .custom("key", Self.secret + "1")
                texts.run {
                    try DatabaseQueue(uri: other, configuration: Self.configuration(texts))
                }
                for path in ["/zz/missing.sqlite", FileManager.default.temporaryDirectory.path] {
                    other.path = path
                    texts.run {
                        try DatabaseQueue(uri: other, configuration: Self.configuration(texts))
                    }
                    texts.run {
                        try DatabasePool(uri: other, configuration: Self.configuration(texts))
                    }
                }
                other.parameters.append(.vfs("none"))
                texts.run {
                    try DatabaseQueue(uri: other, configuration: Self.configuration(texts))
                }
            }
            // Written by hand: SQLite decodes the name of the parameter.
            let path = TestDatabases.makePath()
            let queue = try DatabaseQueue(
                path: "file:\(path)?%6bey=zq%37secret&mode=rwc&cipher=chacha20&kdf_iter=10",
                configuration: Self.configuration(texts))
            texts.add(queue.path)
            try expectTrue(queue.read { $0.isEncrypted })
            expectEqual(queue.path, "file:\(path)?mode=rwc&cipher=chacha20&kdf_iter=10")
        }
    }

    @Test func keysInPragmas() throws {
        try Self.withTexts { texts in
            let path = TestDatabases.makePath()
            var configuration = Self.configuration(texts)
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA key = \(Self.quoted)") }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.write { try Encrypted.fill($0, rows: 1) }
            try expectTrue(queue.read { $0.isEncrypted })
            try queue.inDatabase { db in
                // Correct ones.
                for sql in [
                    "PRAGMA rekey = \(Self.quoted)", "pragma/**/main.rekey(\(Self.quoted));",
                    "PRAGMA hexrekey = '\(Self.hex)'",
                    "PRAGMA \"rekey\" = \(Self.quoted) -- a comment",
                    "SELECT 1; PRAGMA rekey = \(Self.quoted); SELECT 2",
                    "PRAGMA rekey = \"\(Self.secret)\"",
                ] {
                    try db.execute(sql: sql)
                    let row = try? Row.fetchOne(db, sql: sql)
                    texts.run { try row?.decode(Int.self, forColumn: "none") }
                }
                // Wrong ones.
                for sql in [
                    "PRAGMA key = '\(Self.secret)'", "PRAGMA key = '\(Self.secret)",
                    "PRAGMA key = \(Self.secret)",
                    "PRAGMA rekey = zq7secret.xq", "PRAGMA hexkey = 'zq7\(Self.hex)'",
                    "PRAGMA rekey = zq7 xq 9zw",
                    "PRAGMA rekey(zq7, xq)", "PRAGMA none.rekey = \(Self.quoted)",
                    "PRAGMA none.key = \(Self.quoted)",
                    "PRAGMA rekey = \(Self.quoted) error", "PRAGMA temp.key = \(Self.quoted)",
                    "SELECT none; PRAGMA rekey = \(Self.quoted)", "PRAGMA rekey = x'\(Self.hex)'",
                    "PRAGMA textkey = \(Self.quoted) error",
                ] {
                    texts.run { try db.execute(sql: sql) }
                    texts.run { try db.makeStatement(sql: sql) }
                    texts.run { try db.makeStatement(sql: sql).execute() }
                }
            }
        }
    }

    @Test func keysOfAttachedDatabases() throws {
        try Self.withTexts { texts in
            let path = try Encrypted.makeFile(.passphrase(Self.secret), cipher: Self.cipher)
            let other = try Encrypted.makeFile(nil)
            let queue = try DatabaseQueue(configuration: Self.configuration(texts))
            let uris = [
                DatabaseURI(path: "/zz/missing", parameters: [.custom("key", Self.secret)]).string,
                DatabaseURI(path: other, parameters: [.custom("hexkey", Self.hex)]).string,
                "file:/zz/missing?key=\(Self.secret)",
            ]
            try queue.inDatabase { db in
                try db.execute(sql: "ATTACH '\(path)' AS a KEY \(Self.quoted)")
                try db.execute(sql: "DETACH a; ATTACH DATABASE '\(path)' AS a KEY x'\(Self.hex)'")
                try db.execute(sql: "DETACH a")
                try db.execute(sql: "ATTACH DATABASE ? AS a KEY ?", arguments: [path, Self.secret])
                for sql in [
                    "ATTACH '\(path)' AS a KEY \(Self.quoted)",
                    "ATTACH '/zz/missing' AS b KEY \(Self.quoted)",
                    "ATTACH '\(path)' AS b KEY '\(Self.secret)",
                    "ATTACH '\(path)' AS b KEY \(Self.secret)",
                    "ATTACH '\(other)' AS b KEY \(Self.quoted)", "ATTACH '\(path)' AS b KEY zq7.xq",
                    "ATTACH '\(path)' AS b KEY 'zq7' || xq(1)", "ATTACH '\(path)' AS b KEY x'zq7'",
                ] {
                    texts.run { try db.execute(sql: sql) }
                }
                for uri in uris {
                    let literal = "'" + uri.replacingOccurrences(of: "'", with: "''") + "'"
                    texts.run { try db.execute(sql: "ATTACH \(literal) AS c") }
                    texts.run { try db.execute(sql: "ATTACH \(literal) AS c error") }
                    texts.run { try db.execute(sql: "ATTACH ? AS d", arguments: [uri]) }
                    texts.run { try db.attach(uri, as: "e") }
                    texts.run {
                        try db.attach(
                            uri, as: "e", key: .passphrase(Self.secret), cipher: Self.cipher)
                    }
                    texts.run { try db.execute(sql: "VACUUM INTO \(literal)") }
                    texts.run {
                        try db.makeStatement(sql: "VACUUM INTO ?").execute(arguments: [uri])
                    }
                    texts.run { try db.execute(sql: "VACUUM INTO ?", arguments: [uri]) }
                }
                for arguments in [["/zz/missing", "f", Self.secret], [other, "f", Self.secret]] {
                    texts.run {
                        try db.execute(
                            sql: "ATTACH DATABASE ? AS ? KEY ?",
                            arguments: StatementArguments(arguments))
                    }
                    texts.run {
                        try db.execute(
                            sql: "ATTACH DATABASE :path AS :name KEY :key",
                            arguments: [
                                "path": arguments[0], "name": arguments[1], "key": arguments[2],
                            ])
                    }
                }
                texts.run {
                    try db.attach(
                        "/zz/missing", as: "g", key: .passphrase(Self.secret), cipher: Self.cipher)
                }
                texts.run {
                    try db.attach(
                        other, as: "g", key: .passphrase(Self.secret), cipher: Self.cipher)
                }
                texts.add("\(try Row.fetchAll(db, sql: "PRAGMA database_list"))")
                texts.add(try db.makeStatement(sql: "SELECT 1").sql)
                try db.dumpSchema(to: TextStream(texts))
            }
        }
    }

    private struct TextStream: TextOutputStream {
        let texts: Texts
        init(_ texts: Texts) { self.texts = texts }
        mutating func write(_ string: String) { texts.add(string) }
    }

    @Test func keysOfExports() throws {
        try Self.withTexts { texts in
            var configuration = Self.configuration(texts)
            configuration.prepareDatabase { try $0.usePassphrase(Self.secret, cipher: Self.cipher) }
            let queue = try DatabaseQueue(
                path: TestDatabases.makePath(), configuration: configuration)
            try queue.write { try Encrypted.fill($0, rows: 1) }
            let folder = FileManager.default.temporaryDirectory.path
            let existing = try Encrypted.makeFile(nil)
            try queue.inDatabase { db in
                for path in ["/zz/missing/file", folder, "", ":memory:", existing, "/dev/full"] {
                    texts.run {
                        try db.exportEncrypted(
                            to: path, passphrase: Self.secret, cipher: Self.cipher)
                    }
                    texts.run { try db.exportPlain(to: path) }
                }
                try db.exportEncrypted(
                    to: TestDatabases.makePath(), passphrase: Self.secret, cipher: Self.cipher)
                texts.run { try db.changePassphrase("") }
                texts.run { try db.changePassphrase(Self.secret) }
                try db.inTransaction {
                    texts.run {
                        try db.exportEncrypted(
                            to: TestDatabases.makePath(), passphrase: Self.secret,
                            cipher: Self.cipher)
                    }
                    return .commit
                }
            }
            try queue.close()
            texts.run {
                try DatabaseQueue.migrateLegacy(path: "/zz/missing", key: .passphrase(Self.secret))
            }
            texts.run {
                try DatabaseQueue.migrateLegacy(path: existing, key: .passphrase(Self.secret))
            }
        }
    }

    @Test func otherTextsStayAsTheyAre() {
        for text in [
            "SELECT key FROM t WHERE key = 'a' AND x = ?", "PRAGMA foreign_keys = ON",
            "PRAGMA foreign_key_check(t)",
            "CREATE TABLE t(key TEXT PRIMARY KEY, b REFERENCES u(key))",
            "ATTACH DATABASE ? AS a KEY ?",
            "ATTACH 'file:a?mode=ro' AS key", "no such table: key",
            "SELECT 'file:a?monkey=1&keys=2'",
            "PRAGMA table_info(key)", "DETACH key", "unable to open database: file:/a?mode=ro",
        ] {
            expectEqual(SQLText.withoutKeys(text), text)
            expectEqual(SQLText.pathWithoutKeys(text), text)
        }
        let pairs = [
            ("PRAGMA key = 'a'; SELECT 'b'", "PRAGMA key = <…>; SELECT 'b'"),
            ("ATTACH 'f' AS a KEY 'b''c'", "ATTACH 'f' AS a KEY <…>"),
            ("ATTACH 'file:f?key=b''c&mode=ro' AS a", "ATTACH 'file:f?key=<…>&mode=ro' AS a"),
            (
                "unable to open database: file:f?mode=ro&hexkey=ab#f",
                "unable to open database: file:f?mode=ro&hexkey=<…>#f"
            ),
        ]
        expectEqual(pairs.map { SQLText.withoutKeys($0.0) }, pairs.map(\.1))
        expectEqual(
            SQLText.pathWithoutKeys("file:f?key=a&mode=ro&hexkey=b#key=c"),
            "file:f?mode=ro#key=c")
        expectEqual(SQLText.pathWithoutKeys("file:f?key=a"), "file:f")
        expectEqual(SQLText.pathWithoutKeys("/f?key=a"), "/f?key=a")
    }
}
#endif
