import Foundation
import GRDB
import GRDBServer
import GRDBTestSupport
import Testing

@Suite(.databases) struct DatabaseURITests {
    // MARK: - Text

    @Test func pathAloneIsAURI() {
        expectEqual(DatabaseURI(path: "/a/b.sqlite").string, "file:/a/b.sqlite")
        expectEqual(DatabaseURI(path: "b.sqlite").string, "file:b.sqlite")
    }

    @Test func parametersFollowThePath() {
        let uri = DatabaseURI(
            path: "db",
            parameters: [
                .mode(.readOnly), .cache(.shared), .immutable(true), .nolock(false),
                .powersafeOverwrite(true), .modeOf("/other"), .vfs("unix-dotfile"),
                .custom("key", "value"),
            ])
        expectEqual(
            uri.string,
            """
            file:db?mode=ro&cache=shared&immutable=1&nolock=0&psow=1&modeof=/other\
            &vfs=unix-dotfile&key=value
            """)
    }

    @Test(arguments: [
        (DatabaseURI.Parameter.mode(.readOnly), "mode=ro"),
        (.mode(.readWrite), "mode=rw"),
        (.mode(.readWriteCreate), "mode=rwc"),
        (.mode(.memory), "mode=memory"),
        (.cache(.shared), "cache=shared"),
        (.cache(.private), "cache=private"),
        (.immutable(false), "immutable=0"),
        (.nolock(true), "nolock=1"),
        (.powersafeOverwrite(false), "psow=0"),
    ])
    func parameterIsText(parameter: DatabaseURI.Parameter, text: String) {
        expectEqual(DatabaseURI(path: "db", parameters: [parameter]).string, "file:db?\(text)")
    }

    @Test func allBytesExceptLettersDigitsAndFiveOthersAreEscaped() {
        let kept = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/".utf8)
        for byte in UInt8(0)...127 {
            let character = String(UnicodeScalar(byte))
            let digits = String(byte, radix: 16, uppercase: true)
            let escaped = "%" + (digits.count == 1 ? "0" : "") + digits
            expectEqual(
                DatabaseURI(path: "a" + character).string,
                "file:a" + (kept.contains(byte) ? character : escaped))
        }
    }

    @Test func specialCharactersAreEscaped() {
        let uri = DatabaseURI(
            path: "a b?c#d%e&é.sqlite", parameters: [.custom("k=&", "v?#/é")])
        expectEqual(uri.string, "file:a%20b%3Fc%23d%25e%26%C3%A9.sqlite?k%3D%26=v%3F%23/%C3%A9")
    }

    // MARK: - Opening

    @Test func fileWithSpecialCharactersIsFound() throws {
        let path = TestDatabases.makePath("a b?c#d%e&é:f.sqlite")
        try TestDatabases.openQueue(path).write { try $0.execute(sql: "CREATE TABLE t(a)") }
        let dbQueue = try DatabaseQueue(
            uri: DatabaseURI(path: path, parameters: [.mode(.readWrite)]),
            configuration: TestDatabases.makeConfiguration())
        try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        expectTrue(FileManager.default.fileExists(atPath: path))
    }

    @Test func readOnlyModeForbidsWriting() throws {
        let path = TestDatabases.makePath()
        try TestDatabases.openQueue(path).write { try $0.execute(sql: "CREATE TABLE t(a)") }
        let dbQueue = try DatabaseQueue(
            uri: DatabaseURI(path: path, parameters: [.mode(.readOnly)]),
            configuration: TestDatabases.makeConfiguration())
        let count = try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
        expectEqual(count, 0)
        expectError(DatabaseError.self) {
            try dbQueue.write { try $0.execute(sql: "INSERT INTO t VALUES (1)") }
        }
    }

    @Test func readWriteModeCreatesNoFile() throws {
        let path = TestDatabases.makePath()
        let uri = DatabaseURI(path: path, parameters: [.mode(.readWrite)])
        expectError(
            "SQLite error 14: unable to open database file: \(uri.string) (No such file or directory)"
        ) {
            try DatabaseQueue(uri: uri, configuration: TestDatabases.makeConfiguration())
        }
        expectTrue(!FileManager.default.fileExists(atPath: path))
    }

    @Test func memoryModeCreatesNoFile() throws {
        let path = TestDatabases.makePath()
        let dbQueue = try DatabaseQueue(
            uri: DatabaseURI(path: path, parameters: [.mode(.memory)]),
            configuration: TestDatabases.makeConfiguration())
        try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        expectTrue(!FileManager.default.fileExists(atPath: path))
    }

    /// An immutable database is read without locks, even while another connection holds them.
    @Test func immutableDatabaseNeedsNoLock() throws {
        let path = TestDatabases.makePath()
        let holder = try TestDatabases.openQueue(path)
        try holder.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        try holder.inTransaction(.exclusive) { _ in
            let dbQueue = try DatabaseQueue(
                uri: DatabaseURI(path: path, parameters: [.immutable(true)]),
                configuration: TestDatabases.makeConfiguration())
            let count = try dbQueue.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM t") }
            expectEqual(count, 0)
            return .rollback
        }
    }

    /// A mode can only restrict what the configuration allows.
    @Test func modeCanNotExtendAReadOnlyConfiguration() throws {
        let path = TestDatabases.makePath()
        try TestDatabases.openQueue(path).write { try $0.execute(sql: "CREATE TABLE t(a)") }
        var configuration = TestDatabases.makeConfiguration()
        configuration.readonly = true
        expectError(DatabaseError.self) {
            try DatabaseQueue(
                uri: DatabaseURI(path: path, parameters: [.mode(.readWrite)]),
                configuration: configuration)
        }
    }

    @Test func unknownVFSIsAnError() throws {
        expectError("SQLite error 1: no such vfs: nope") {
            try DatabaseQueue(
                uri: DatabaseURI(path: "/db", parameters: [.vfs("nope")]),
                configuration: TestDatabases.makeConfiguration())
        }
    }

    @Test func pathOfTheConnectionIsTheURI() throws {
        let uri = DatabaseURI(path: TestDatabases.makePath(), parameters: [.mode(.memory)])
        let dbQueue = try DatabaseQueue(
            uri: uri, configuration: TestDatabases.makeConfiguration())
        expectEqual(dbQueue.path, uri.string)
    }

    /// Without care, `file://name` names a host.
    @Test func slashesAtTheStartNameNoHost() throws {
        let dbQueue = try DatabaseQueue(
            uri: DatabaseURI(path: "//name/db", parameters: [.vfs("memdb")]),
            configuration: TestDatabases.makeConfiguration())
        expectNoError {
            try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(a)") }
        }
    }

    /// The same text may be given as a path.
    @Test func pathMayBeAURI() throws {
        let path = TestDatabases.makePath()
        let uri = "file:\(path)?mode=ro"
        expectError(
            "SQLite error 14: unable to open database file: \(uri) (No such file or directory)"
        ) {
            try TestDatabases.openQueue(uri)
        }
    }

    // MARK: - Attaching

    @Test(arguments: [("a\0b", ""), ("a", "ro\0")])
    func attachingRefusesCharactersAtWhichSQLiteStops(path: String, mode: String) throws {
        let folder = TestDatabases.makePath()
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            let uri = DatabaseURI(
                path: folder + path, parameters: [.custom("mode", mode + "rwc")])
            let error = expectError(DatabaseError.self) { try db.attach(uri, as: "other") }
            expectEqual(error?.resultCode, .SQLITE_CANTOPEN)
            expectEqual(error?.message, "The path contains a NUL character")
            try expectEqual(
                String.fetchAll(db, sql: "SELECT name FROM pragma_database_list"), ["main"])
        }
    }
}
