import Foundation
public import GRDB
public import Testing

/// The storage of a test database.
public enum DatabaseStorage: Sendable, CaseIterable {
    case memory
    case file
}

/// The kinds of writers to run a test with.
///
/// ```swift
/// @Test(arguments: DatabaseKind.allCases)
/// func writeCommits(kind: DatabaseKind) throws {
///     let writer = try TestDatabases.makeWriter(kind)
/// ```
public enum DatabaseKind: Sendable, CaseIterable {
    case queue
    case pool
}

/// The databases of one test.
///
/// Suites get them with the trait `.databases`. Tests open connections with the static functions of
/// this type, which operate on the databases of the current test:
///
/// ```swift
/// @Suite(.databases) struct PlayerTests {
///     @Test func playersAreInserted() throws {
///         let dbQueue = try TestDatabases.makeQueue()
///     }
/// }
/// ```
///
/// The SQL that these connections run can be recorded: see ``sql(of:)``. A test fails if a connection is still alive at
/// its end. Its files are then removed.
public final class TestDatabases: Sendable {
    @TaskLocal private static var current: TestDatabases?

    /// The opened connections.
    private let connections = Log<WeakDatabase>()

    private let sql = SQLRecorder()

    private let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("GRDBTests-\(UUID().uuidString)", isDirectory: true)

    private init() throws {
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true)
    }

    /// The statements run by the connections while a test asks for them: to write the text of a statement takes longer
    /// than to run most.
    ///
    /// `@unchecked Sendable`: the statements are only accessed under the lock.
    private final class SQLRecorder: @unchecked Sendable {
        private let lock = NSLock()
        private var statements: [String]?

        func start() { lock.withLock { statements = [] } }

        @discardableResult
        func stop() -> [String] {
            lock.withLock {
                defer { statements = nil }
                return statements ?? []
            }
        }

        func append(_ statement: @autoclosure () -> String) {
            guard lock.withLock({ statements != nil }) else { return }
            let statement = statement()
            lock.withLock { statements?.append(statement) }
        }
    }

    private struct WeakDatabase: @unchecked Sendable {
        // Only compared with nil, so that no thread uses the connection.
        weak var database: Database?
    }

    private static var required: TestDatabases {
        guard let current else {
            fatalError("The suite lacks the trait .databases, or this is not the task of a test")
        }
        return current
    }

    // MARK: - Connections

    /// Returns a configuration whose connections have their SQL recorded, and must be deallocated before the
    /// test ends.
    ///
    /// Tests may change the configuration. If they set a trace function, SQL is not recorded.
    ///
    /// If the package is built with encryption, and `GRDB_ENCRYPTED_TESTS` is set in the
    /// environment, the connections use an encryption key.
    public static func makeConfiguration() -> Configuration {
        var configuration = makePlainConfiguration()
        #if GRDB_ENCRYPTION
        if encryptsDatabases {
            configuration.prepareDatabase {
                try $0.useKey(.raw(Data(repeating: 0x2a, count: 32)))
            }
        }
        #endif
        return configuration
    }

    /// Whether connections of ``makeConfiguration()`` use an encryption key.
    public static let encryptsDatabases =
        ProcessInfo.processInfo.environment["GRDB_ENCRYPTED_TESTS"] != nil

    /// The SQL that attaches a file of a connection with ``makeConfiguration()``.
    ///
    /// Without `KEY`, the file would be read with the key and the salt of the main database, and it has another salt.
    public static func attachment(_ path: String, as name: String) -> String {
        let key = String(repeating: "2a", count: 32)
        return "ATTACH '\(path)' AS \(name)" + (encryptsDatabases ? " KEY \"x'\(key)'\"" : "")
    }

    /// Returns a configuration like ``makeConfiguration()``, but without an encryption key.
    public static func makePlainConfiguration() -> Configuration {
        let databases = required
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            databases.connections.append(WeakDatabase(database: db))
            db.add(function: .doze)
            db.trace { event in databases.sql.append(event.expandedDescription) }
        }
        return configuration
    }

    /// Opens a new database.
    public static func makeQueue(
        _ storage: DatabaseStorage = .memory, _ configuration: Configuration? = nil
    ) throws -> DatabaseQueue {
        let configuration = configuration ?? makeConfiguration()
        return switch storage {
        case .memory: try DatabaseQueue(configuration: configuration)
        case .file: try DatabaseQueue(path: makePath(), configuration: configuration)
        }
    }

    /// Opens the database at a path.
    public static func openQueue(
        _ path: String, _ configuration: Configuration? = nil
    ) throws -> DatabaseQueue {
        try DatabaseQueue(path: path, configuration: configuration ?? makeConfiguration())
    }

    /// Opens a new database in a file.
    public static func makePool(_ configuration: Configuration? = nil) throws -> DatabasePool {
        try openPool(makePath(), configuration)
    }

    /// Opens the database at a path.
    public static func openPool(
        _ path: String, _ configuration: Configuration? = nil
    ) throws -> DatabasePool {
        try DatabasePool(path: path, configuration: configuration ?? makeConfiguration())
    }

    /// Opens a new database, in memory for queues, and in a file for pools.
    ///
    /// The first reader of a pool is already open, so that opening it does not log SQL during the
    /// test.
    public static func makeWriter(
        _ kind: DatabaseKind, _ configuration: Configuration? = nil
    ) throws -> any DatabaseWriter {
        switch kind {
        case .queue:
            return try makeQueue(.memory, configuration)
        case .pool:
            let pool = try makePool(configuration)
            try pool.read { _ in }
            return pool
        }
    }

    /// Returns an unused path, in a directory that is removed when the test ends.
    public static func makePath(_ name: String = "db.sqlite") -> String {
        required.directory.appendingPathComponent("\(UUID().uuidString)-\(name)").path
    }

    // MARK: - SQL

    /// Returns the SQL that the closure runs on all connections of the test, including arguments.
    public static func sql(of body: () throws -> Void) rethrows -> [String] {
        let recorder = required.sql
        recorder.start()
        defer { recorder.stop() }
        try body()
        return recorder.stop()
    }

    /// Returns the SQL that the closure runs on all connections of the test, including arguments.
    public static func sql(
        isolation: isolated (any Actor)? = #isolation, of body: () async throws -> Void
    ) async rethrows -> [String] {
        let recorder = required.sql
        recorder.start()
        defer { recorder.stop() }
        try await body()
        return recorder.stop()
    }

    // MARK: - Scope

    fileprivate static func run(
        _ test: Test, _ body: @Sendable () async throws -> Void
    ) async throws {
        let databases = try TestDatabases()
        defer { try? FileManager.default.removeItem(at: databases.directory) }
        try await $current.withValue(databases) {
            try await body()
        }
        let count = await databases.leakedConnectionCount()
        if count > 0 {
            Issue.record(
                "\(count) of \(databases.connections.elements.count) connections leak",
                sourceLocation: test.sourceLocation)
        }
    }

    /// Returns the number of connections that are still alive after the test.
    private func leakedConnectionCount() async -> Int {
        // Dispatch queues release blocks some time after they have run: much later on a busy
        // machine.
        let deadline = Date(timeIntervalSinceNow: 60)
        while true {
            let count = connections.elements.count { $0.database != nil }
            if count == 0 || Date() >= deadline { return count }
            // There is no notification when a weak reference becomes nil.
            try? await Task.sleep(nanoseconds: 5_000_000)
        }
    }
}

/// A trait that gives each test its own databases. See ``TestDatabases``.
public struct DatabasesTrait: TestTrait, SuiteTrait, TestScoping {
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await TestDatabases.run(test, function)
    }
}

extension Trait where Self == DatabasesTrait {
    /// Gives each test its own databases, and fails the test if a connection leaks. See
    /// ``TestDatabases``.
    public static var databases: Self { DatabasesTrait() }
}
