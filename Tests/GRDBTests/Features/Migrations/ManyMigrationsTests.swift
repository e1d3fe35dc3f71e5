@testable import GRDB
import GRDBTestSupport
import Testing

/// Programs with thousands of migrations: the work of each one does not depend on how many there are.
@Suite(.databases) struct ManyMigrationsTests {
    @Test func identifiersAreInASet() throws {
        var migrator = DatabaseMigrator()
        for index in 0..<5_000 { migrator.registerMigration("v\(index)") { _ in } }
        expectEqual(migrator.migrations.count, 5_000)
        expectEqual(migrator.registeredIdentifiers, Set(migrator.migrations))

        // A refused migration changes nothing.
        expectError(DatabaseError.self) { try migrator.tryRegisterMigration("v17") { _, _ in } }
        expectEqual(migrator.migrations.count, 5_000)

        // Copies have identifiers of their own.
        var copy = migrator.disablingDeferredForeignKeyChecks()
        copy.registerMigration("v5000") { _ in }
        migrator.registerMigration("v5000") { _ in }
        expectEqual(copy.registeredIdentifiers, migrator.registeredIdentifiers)
    }

    /// Each migration reads rows of the list by their keys. The whole list is read once.
    @Test func theListOfMigrationsIsReadOnce() throws {
        for count in [2, 40] {
            let queue = try TestDatabases.makeQueue()
            var migrator = DatabaseMigrator()
            for index in 0..<count {
                migrator.registerMigration("v\(index)") {
                    try $0.create(table: "t\(index)") { $0.column("a") }
                }
            }
            migrator.registerMigration("merged", merging: ["v0", "v1", "missing"]) { _, applied in
                expectEqual(applied, ["v0", "v1"])
            }
            let sql = try TestDatabases.sql { try migrator.migrate(queue) }
            expectEqual(sql.filter { $0 == "SELECT identifier FROM grdb_migrations" }.count, 1)
            expectEqual(try queue.read(migrator.appliedMigrations).count, count - 1)
        }
    }
}
