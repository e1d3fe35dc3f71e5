import GRDB
import GRDBTestSupport
import Testing

@Suite(.databases) struct MergedMigrationsTests {
    /// v0, v3 that merges v1 and v2, v4. Logs what v3 receives.
    private func mergingMigrator(
        _ merged: Set<String> = ["v1", "v2"], log: SharedValue<[Set<String>]>
    ) -> DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v0") { _ in }
        migrator.registerMigration("v3", merging: merged) { db, appliedIdentifiers in
            log.update { $0.append(appliedIdentifiers) }
        }
        migrator.registerMigration("v4") { _ in }
        return migrator
    }

    private func migratedQueue(_ identifiers: [String]) throws -> DatabaseQueue {
        let queue = try TestDatabases.makeQueue()
        var migrator = DatabaseMigrator()
        for identifier in identifiers {
            migrator.registerMigration(identifier) { _ in }
        }
        try migrator.migrate(queue)
        return queue
    }

    @Test(
        arguments: [
            ([], []), (["v1"], ["v1"]), (["v2"], ["v2"]), (["v1", "v2"], ["v1", "v2"]),
            (["v0", "v2"], ["v2"]), (["other"], []),
        ] as [([String], Set<String>)])
    func theMigrationReceivesTheAppliedMergedOnes(
        _ formerlyApplied: [String], _ expected: Set<String>
    ) throws {
        let queue = try migratedQueue(formerlyApplied)
        let log = SharedValue<[Set<String>]>([])
        let migrator = mergingMigrator(log: log)
        expectEqual(migrator.migrations, ["v0", "v3", "v4"])

        try migrator.migrate(queue)
        try migrator.migrate(queue)
        expectEqual(log.value, [expected])
        // The merged ones are forgotten.
        let others = Set(formerlyApplied).subtracting(["v1", "v2"])
        try expectEqual(Set(queue.identifiers()), others.union(["v0", "v3", "v4"]))
        try expectTrue(queue.read(migrator.hasCompletedMigrations))
    }

    @Test(arguments: [["v3"], ["v1", "v3"], ["v1", "v2", "v3"]])
    func anAppliedMigrationDoesNotRunAgain(_ formerlyApplied: [String]) throws {
        let queue = try migratedQueue(formerlyApplied)
        let log = SharedValue<[Set<String>]>([])
        try mergingMigrator(log: log).migrate(queue)
        expectEqual(log.value, [])
        try expectEqual(queue.identifiers(), ["v3", "v0", "v4"])
    }

    @Test func theOwnIdentifierMayBeAmongTheMergedOnes() throws {
        let log = SharedValue<[Set<String>]>([])
        let migrator = mergingMigrator(["v1", "v2", "v3"], log: log)
        let queue = try migratedQueue(["v1", "v3"])
        try migrator.migrate(queue)
        expectEqual(log.value, [])
        try expectEqual(queue.identifiers(), ["v3", "v0", "v4"])

        try migrator.migrate(migratedQueue(["v1"]))
        expectEqual(log.value, [["v1"]])
    }

    @Test func mergedMigrationsAreNotRegistered() throws {
        let queue = try migratedQueue(["v0", "v1"])
        let migrator = mergingMigrator(log: SharedValue([]))
        try queue.read { db throws in
            try expectEqual(migrator.appliedMigrations(db), ["v0"])
            try expectEqual(migrator.appliedIdentifiers(db), ["v0", "v1"])
            try expectTrue(migrator.hasBeenSuperseded(db))
            try expectTrue(migrator.hasSchemaChanges(db))
        }
        try migrator.migrate(queue)
        try expectEqual(queue.read(migrator.hasBeenSuperseded), false)
        try expectEqual(queue.read(migrator.hasSchemaChanges), false)
    }

    @Test func mergedMigrationsRemainWhenTheMigrationThrows() throws {
        let queue = try migratedQueue(["v1", "v2"])
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v3", merging: ["v1", "v2"]) { _, _ in
            throw MigrationFailure()
        }
        expectError(MigrationFailure()) { try migrator.migrate(queue) }
        try expectEqual(queue.identifiers(), ["v1", "v2"])
    }

    @Test func mergedMigrationsCheckForeignKeys() throws {
        let queue = try TestDatabases.makeQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v2", foreignKeyChecks: .deferred, merging: ["v1"]) { db, _ in
            try db.execute(
                sql: """
                    CREATE TABLE a (id INTEGER PRIMARY KEY);
                    CREATE TABLE b (aId REFERENCES a);
                    INSERT INTO b VALUES (1);
                    """)
        }
        expectFailure(.SQLITE_CONSTRAINT_FOREIGNKEY) {
            try migrator.migrate(queue)
        }
    }

    @Test func documentedMerge() throws {
        @Sendable func sql(_ name: String, _ db: Database) throws {
            try db.execute(sql: "CREATE TABLE \(name) (a)")
        }
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v3", merging: ["v1", "v2"]) { db, appliedIdentifiers in
            if !appliedIdentifiers.contains("v1") {
                try sql("v1", db)
            }
            if !appliedIdentifiers.contains("v2") {
                try sql("v2", db)
            }
            try sql("v3", db)
        }
        for count in 0...2 {
            let queue = try TestDatabases.makeQueue()
            let former = tableMigrator("v1", "v2")
            if count > 0 {
                try former.migrate(queue, upTo: former.migrations[count - 1])
            }
            try migrator.migrate(queue)
            try expectEqual(queue.objectNames(), ["grdb_migrations", "v1", "v2", "v3"])
            try expectEqual(queue.identifiers(), ["v3"])
        }
    }
}
