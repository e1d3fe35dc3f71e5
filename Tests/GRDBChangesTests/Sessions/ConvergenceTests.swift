@testable import GRDBChanges
import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

/// Databases that are edited on several sides become the same again.
@Suite(.databases) struct ConvergenceTests {
    @Test(arguments: [ChangesetConflict.Resolution.omit, .replace])
    func databasesConverge(resolution: ChangesetConflict.Resolution) throws {
        let environment = ProcessInfo.processInfo.environment
        let rounds = environment["GRDB_CONVERGENCE_ROUNDS"].flatMap { Int($0) } ?? 200
        let seed = environment["GRDB_SESSIONS_SEED"].flatMap { UInt64($0) } ?? 1
        var convergence = try Convergence(seed: seed, resolution: resolution)
        for round in 0..<rounds {
            let problem = try convergence.run()
            if let problem {
                Issue.record("round \(round) of the seed \(seed): \(problem)")
                return
            }
        }
        expectEqual(convergence.kinds, [.data, .notFound, .conflict])
        #expect(convergence.rowCount > 0)
    }
}

/// A server and a client are edited, and exchange their changes. A replica follows the server.
private struct Convergence {
    private var random: SplitMix64
    private let resolution: ChangesetConflict.Resolution
    private let server: DatabaseQueue
    private let client: DatabaseQueue
    private let replica: DatabaseQueue

    /// The kinds of conflicts so far.
    private(set) var kinds: Set<ChangesetConflict.Kind> = []
    private(set) var rowCount = 0

    private static let tables = ["t", "w", "keys"]

    init(seed: UInt64, resolution: ChangesetConflict.Resolution) throws {
        random = SplitMix64(seed: seed)
        self.resolution = resolution
        let queues = try (0..<3).map { _ in
            let queue = try TestDatabases.makeQueue(.memory, Configuration())
            try queue.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, c);
                        CREATE TABLE w(k TEXT, l, v, PRIMARY KEY (k, l)) WITHOUT ROWID;
                        CREATE TABLE keys(a, b, PRIMARY KEY (a, b))
                        """)
            }
            return queue
        }
        (server, client, replica) = (queues[0], queues[1], queues[2])
    }

    /// - returns: what is wrong, if anything.
    mutating func run() throws -> String? {
        // Both sides are edited.
        let (ofServer, _) = try edit(server)
        let (ofClient, _) = try edit(client)

        // The client applies the changes of the server, and rebases its own on them.
        var kinds = kinds
        let resolution = resolution
        let application = try client.write { db in
            let application = try db.apply(ofServer) { conflict in
                kinds.insert(conflict.kind)
                return conflict.canReplace ? resolution : .omit
            }
            try Self.applyOtherColumns(of: application, in: db)
            return application
        }
        self.kinds = kinds
        let resolutions = try JSONDecoder().decode(
            ConflictResolutions.self, from: JSONEncoder().encode(application.resolutions))
        let rebased = try Changeset(data: ofClient.rebased(on: resolutions).data)

        // The server applies the rebased changes, without a conflict.
        let patchset = try server.write { db in
            let session = try db.makeSession()
            try session.attachAllTables()
            try db.apply(rebased)
            return try session.patchset()
        }

        // The replica gets patchsets of what has happened on the server.
        let patch = try replica.write { db in
            try db.apply(Self.patchset(of: ofServer, in: db))
            return try db.apply(patchset)
        }
        if !patch.isComplete { return "the replica has conflicts" }

        let contents = try [server, client, replica].map { queue in
            try queue.read { db in try Self.tables.map { try db.lines(of: $0).sorted() } }
        }
        rowCount = contents[0].joined().count
        if contents[1] != contents[0] {
            return "server \(contents[0]), client \(contents[1])"
        }
        if contents[2] != contents[0] {
            return "server \(contents[0]), replica \(contents[2])"
        }
        return nil
    }

    /// When the client wins, updates of the server are left out with all of their columns. The server
    /// only takes back those that the client has changed as well.
    private static func applyOtherColumns(
        of application: ChangesetApplication, in db: Database
    ) throws {
        for resolved in application.conflicts where resolved.resolution == .omit {
            let conflict = resolved.conflict
            guard conflict.kind == .data, let change = conflict.change,
                change.operation == .update, let names = change.columnNames,
                let row = conflict.conflictingValues
            else { continue }
            let key = change.primaryKeyColumns
            for (index, value) in change.newValues.enumerated() {
                guard let value, change.oldValue(at: index) == row[index] else { continue }
                let condition = key.map { "\(names[$0]) = ?" }.joined(separator: " AND ")
                try db.execute(
                    sql: "UPDATE \(change.tableName) SET \(names[index]) = ? WHERE \(condition)",
                    arguments: StatementArguments([value] + change.primaryKey))
            }
        }
    }

    /// The patchset of a changeset that was not applied yet.
    private static func patchset(of changeset: Changeset, in db: Database) throws -> Changeset {
        var patchset = Changeset()
        try db.inSavepoint {
            let session = try db.makeSession()
            try session.attachAllTables()
            try db.apply(changeset)
            patchset = try session.patchset()
            return .rollback
        }
        return patchset
    }

    private mutating func edit(_ queue: DatabaseQueue) throws -> (Changeset, Int) {
        let count = Int.random(in: 0...6, using: &random)
        var random = random
        let changeset = try queue.write { db in
            try db.recording {
                for _ in 0..<count { try Self.edit(db, &random) }
            }
        }
        self.random = random
        return (changeset, count)
    }

    private static func edit(_ db: Database, _ random: inout SplitMix64) throws {
        let key = Int.random(in: 0..<6, using: &random)
        let value = Int.random(in: 0..<4, using: &random)
        let column = ["a", "b", "c"].randomElement(using: &random)!
        let statements: [(String, StatementArguments)] = [
            ("INSERT OR IGNORE INTO t VALUES (?, ?, 0, 'text')", [key, value]),
            ("INSERT OR REPLACE INTO t VALUES (?, ?, NULL, x'00')", [key, value]),
            ("UPDATE t SET \(column) = ? WHERE id = ?", [value, key]),
            ("UPDATE t SET a = ?, b = b || 'x' WHERE id = ?", [value, key]),
            ("DELETE FROM t WHERE id = ?", [key]),
            ("UPDATE OR IGNORE t SET id = ? WHERE id = ?", [value, key]),
            ("INSERT OR REPLACE INTO w VALUES ('k', ?, ?)", [key, value]),
            ("UPDATE w SET v = ? WHERE l = ?", [value, key]),
            ("DELETE FROM w WHERE l = ?", [key]),
            ("INSERT OR IGNORE INTO keys VALUES (?, ?)", [key, value]),
            ("DELETE FROM keys WHERE a = ?", [key]),
        ]
        let (sql, arguments) = statements.randomElement(using: &random)!
        try db.execute(sql: sql, arguments: arguments)
    }
}
