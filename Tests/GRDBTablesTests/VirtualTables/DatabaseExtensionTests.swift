import Foundation
import GRDB
import GRDBSQLite
import GRDBTables
import GRDBTestSupport
import Testing

/// C extensions: entry points that are linked, and shared libraries.
@Suite(.databases) struct DatabaseExtensionTests {
    private typealias EntryPoint =
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?
        ) -> CInt

    /// An entry point that adds the function `answer()`.
    private static let entryPoint: EntryPoint = { db, _, api in
        if api == nil { return SQLITE_ERROR }
        return sqlite3_create_function_v2(
            db, "answer", 0, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
            { context, _, _ in sqlite3_result_int(context, 42) }, nil, nil, nil)
    }

    // MARK: - Linked entry points

    @Test(arguments: DatabaseKind.allCases)
    func eachConnectionGetsTheExtension(kind: DatabaseKind) throws {
        var configuration = TestDatabases.makeConfiguration()
        let entryPoint = Self.entryPoint
        configuration.register(extension: { entryPoint($0, $1, $2 as OpaquePointer?) })
        let writer = try TestDatabases.makeWriter(kind, configuration)
        let sql = "SELECT answer()"
        try expectEqual(writer.read { try Int.fetchOne($0, sql: sql) }, 42)
        try expectEqual(writer.write { try Int.fetchOne($0, sql: sql) }, 42)
        if let pool = writer as? DatabasePool {
            try expectEqual(pool.makeSnapshot().read { try Int.fetchOne($0, sql: sql) }, 42)
        }
    }

    @Test func entryPointsOfOtherHeaders() throws {
        struct Routines {}
        try TestDatabases.makeQueue().write { db in
            try db.register {
                (
                    connection, _: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
                    api: UnsafePointer<Routines>?
                ) in
                expectTrue(api != nil)
                return Self.entryPoint(connection, nil, api.map { OpaquePointer($0) })
            }
            try expectEqual(Int.fetchOne(db, sql: "SELECT answer()"), 42)
        }
    }

    @Test func entryPointsThatFail() throws {
        try TestDatabases.makeQueue().write { db in
            expectError("SQLite error 21: can't initialize the extension: too old") {
                try db.register { (_, message, _: OpaquePointer?) in
                    message?.pointee = sqlite3_mprintf_text("too old")
                    return SQLITE_MISUSE
                }
            }
            expectError("SQLite error 1: can't initialize the extension: SQL logic error") {
                try db.register { (_, _, _: OpaquePointer?) in SQLITE_ERROR }
            }
            // SQLITE_OK_LOAD_PERMANENTLY
            try db.register { (_, _, _: OpaquePointer?) in SQLITE_OK | (1 << 8) }
        }
        var configuration = TestDatabases.makeConfiguration()
        configuration.register { (_, _, _: OpaquePointer?) in SQLITE_ERROR }
        expectError(DatabaseError.self) { try TestDatabases.makeQueue(.memory, configuration) }
    }

    /// A copy of a text in memory of SQLite.
    private func sqlite3_mprintf_text(_ text: String) -> UnsafeMutablePointer<CChar>? {
        let bytes = Array(text.utf8CString)
        let copy = sqlite3_malloc64(UInt64(bytes.count))?.assumingMemoryBound(to: CChar.self)
        copy?.initialize(from: bytes, count: bytes.count)
        return copy
    }

    // MARK: - Shared libraries

    @Test func missingLibraries() throws {
        let path = TestDatabases.makePath("missing.so")
        try TestDatabases.makeQueue().write { db in
            expectError("SQLite error 14: can't load the extension \(path): no such file") {
                try db.loadExtension(at: path)
            }
            expectError(
                "SQLite error 21: The name of the extension holds a NUL character, at byte 1"
            ) {
                try db.loadExtension(at: "a\0b")
            }
            expectError(
                "SQLite error 21: The name of the entry point holds a NUL character, at byte 1"
            ) {
                try db.loadExtension(at: "/a", entryPoint: "a\0b")
            }
        }
        var configuration = TestDatabases.makeConfiguration()
        configuration.loadExtension(at: path)
        let opened = { try TestDatabases.makeQueue(.memory, configuration) }
        expectError("SQLite error 14: can't load the extension \(path): no such file") {
            try opened()
        }
    }

    @Test func filesThatAreNoLibraries() throws {
        let path = TestDatabases.makePath("text.so")
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true)
        try Data("text".utf8).write(to: URL(fileURLWithPath: path))
        try TestDatabases.makeQueue().write { db in
            do {
                try db.loadExtension(at: path)
                Issue.record("a text was loaded")
            } catch let error as DatabaseError {
                expectEqual(error.resultCode, .SQLITE_ERROR)
                expectEqual(error.message?.hasPrefix("can't load the extension \(path): "), true)
            }
        }
    }

    /// SQL can't load extensions, neither before nor after a call.
    @Test func loadingIsNeverAllowedToSQL() throws {
        try TestDatabases.makeQueue().write { db in
            for _ in 0..<2 {
                expectError(
                    "SQLite error 1: not authorized - while executing `SELECT load_extension('/a')`"
                ) {
                    try db.execute(sql: "SELECT load_extension('/a')")
                }
                var message: UnsafeMutablePointer<CChar>?
                expectEqual(
                    sqlite3_load_extension(db.sqliteConnection, "/a", nil, &message),
                    SQLITE_ERROR)
                expectEqual(message.map { String(cString: $0) }, "not authorized")
                sqlite3_free(message)
                try? db.loadExtension(at: "/missing/a")
            }
        }
    }

    #if os(Linux)
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/cc")))
    func librariesAreLoaded() throws {
        let path = TestDatabases.makePath("answer.so")
        let source = TestDatabases.makePath("answer.c")
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true)
        try """
        int other_entry_init(void *db, char **message, const void *api) {
            return db == 0 || api == 0;
        }
        int failing_init(void *db, char **message, const void *api) { return 1; }
        """.write(toFile: source, atomically: true, encoding: .utf8)
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/cc")
        compiler.arguments = ["-shared", "-fPIC", "-o", path, source]
        try compiler.run()
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0)

        try TestDatabases.makeQueue().write { db in
            try db.loadExtension(at: path, entryPoint: "other_entry_init")
            // The ending may be left out.
            try db.loadExtension(at: String(path.dropLast(3)), entryPoint: "other_entry_init")
            for entryPoint in [nil, "nothing", "failing_init"] {
                do {
                    try db.loadExtension(at: path, entryPoint: entryPoint)
                    Issue.record("\(entryPoint ?? "nil") was accepted")
                } catch let error as DatabaseError {
                    expectEqual(error.resultCode, .SQLITE_ERROR)
                    // The system explains why there is no entry point.
                    let reason = entryPoint == "failing_init" ? "error during initialization" : ""
                    let message = "can't load the extension \(path): \(reason)"
                    expectEqual(error.message?.hasPrefix(message), true, "\(error)")
                }
            }
        }
        var configuration = TestDatabases.makeConfiguration()
        configuration.loadExtension(at: path, entryPoint: "other_entry_init")
        let pool = try TestDatabases.makePool(configuration)
        try pool.read { _ in }
    }
    #endif
}
