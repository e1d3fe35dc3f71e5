import Foundation
public import GRDB
public import Testing

/// Where a test keeps its database.
public enum DatabaseStorage: Sendable, CaseIterable {
    case memory
    case file
}

/// The types of connections that a test can be run with.
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
/// Suites ask for them with the trait `.databases`. Tests open their connections with the static
/// functions of this type, which all work on the databases of the current test:
///
/// ```swift
/// @Suite(.databases) struct PlayerTests {
///     @Test func playersAreInserted() throws {
///         let dbQueue = try TestDatabases.makeQueue()
///     }
/// }
/// ```
///
/// All SQL that these connections run is logged. When the test ends, it fails if one of them is
/// still alive, and its files are removed.
public final class TestDatabases: Sendable {
    @TaskLocal private static var current: TestDatabases?

    /// The connections that were opened.
    private let connections = Log<WeakDatabase>()

    /// The statements that the connections have run.
    private let sql = Log<String>()

    private let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("GRDBTests-\(UUID().uuidString)", isDirectory: true)

    private init() throws {
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true)
    }

    private struct WeakDatabase: @unchecked Sendable {
        // Only compared with nil.
        weak var database: Database?
    }

    private static var required: TestDatabases {
        guard let current else {
            fatalError("The suite lacks the trait .databases, or this is not the task of a test")
        }
        return current
    }

    // MARK: - Connections

    /// A configuration whose connections log their SQL, and are expected to be deallocated.
    ///
    /// Tests may change it. A trace function of theirs replaces the log.
    ///
    /// If the package is built with encryption, and the environment has `GRDB_ENCRYPTED_TESTS`, the
    /// connections have a key.
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

    /// Whether ``makeConfiguration()`` has a key.
    public static let encryptsDatabases =
        ProcessInfo.processInfo.environment["GRDB_ENCRYPTED_TESTS"] != nil

    /// A configuration like that of ``makeConfiguration()``, whose connections never have a key.
    public static func makePlainConfiguration() -> Configuration {
        let databases = required
        var configuration = Configuration()
        configuration.prepareDatabase { db in
            databases.connections.append(WeakDatabase(database: db))
            db.trace { databases.sql.append($0.expandedDescription) }
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

    /// Opens a new database, in a file unless the kind of connection can do without.
    ///
    /// The first reader of a pool is open already, so that the SQL of accesses is all there is.
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

    /// A path where there is nothing yet, in a directory that is removed when the test ends.
    public static func makePath(_ name: String = "db.sqlite") -> String {
        required.directory.appendingPathComponent("\(UUID().uuidString)-\(name)").path
    }

    // MARK: - SQL

    /// The SQL that the closure has run, on all connections of the test, arguments included.
    public static func sql(of body: () throws -> Void) rethrows -> [String] {
        let log = required.sql
        log.removeAll()
        try body()
        return log.removeAll()
    }

    /// The SQL that the closure has run, on all connections of the test, arguments included.
    public static func sql(
        isolation: isolated (any Actor)? = #isolation, of body: () async throws -> Void
    ) async rethrows -> [String] {
        let log = required.sql
        log.removeAll()
        try await body()
        return log.removeAll()
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

    /// The number of connections that stay alive after the test.
    private func leakedConnectionCount() async -> Int {
        // Blocks that were sent to a dispatch queue go away a little later than their effects: much
        // later on a busy machine.
        let deadline = Date(timeIntervalSinceNow: 60)
        while true {
            let count = connections.elements.count { $0.database != nil }
            if count == 0 || Date() >= deadline { return count }
            // Nothing tells when a weak reference has become nil.
            try? await Task.sleep(nanoseconds: 5_000_000)
        }
    }
}

/// Gives each test databases of its own. See ``TestDatabases``.
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
    /// Gives each test databases of its own, and fails it when a connection leaks. See
    /// ``TestDatabases``.
    public static var databases: Self { DatabasesTrait() }
}
