import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct VirtualTableModuleTests {
    private final class Definition {
        let configuration: VirtualTableConfiguration
        var columns: [String] = []

        init(_ configuration: VirtualTableConfiguration) {
            self.configuration = configuration
        }
    }

    private struct Module: VirtualTableModule {
        let moduleName = "fts5"
        let didCreate: (Database, String, Definition) throws -> Void

        func makeTableDefinition(configuration: VirtualTableConfiguration) -> Definition {
            Definition(configuration)
        }

        func moduleArguments(for definition: Definition, in db: Database) throws -> [String] {
            definition.columns
        }

        func database(
            _ db: Database, didCreate tableName: String, using definition: Definition
        ) throws {
            try didCreate(db, tableName, definition)
        }
    }

    @Test func modules() throws {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.writeWithoutTransaction { db in
            var created: [String] = []
            let module = Module { db, name, definition in
                expectTrue(db.isInsideTransaction)
                expectEqual(definition.configuration.temporary, (name == "b"))
                expectEqual(definition.configuration.ifNotExists, (name != "a"))
                created.append(name)
            }
            let sql = try TestDatabases.sql {
                try db.create(virtualTable: "a", using: module) { $0.columns = ["x", "y"] }
                try db.create(
                    virtualTable: "b", options: [.temporary, .ifNotExists], using: module
                ) { $0.columns = ["x"] }
                try db.create(virtualTable: "c", ifNotExists: true, using: module) {
                    $0.columns = ["x"]
                }
                // It exists.
                try db.create(virtualTable: "C", options: .ifNotExists, using: module) {
                    $0.columns = ["x"]
                }
            }
            expectEqual(
                sql.filter { $0.hasPrefix("CREATE V") },
                [
                    "CREATE VIRTUAL TABLE \"a\" USING fts5(x, y)",
                    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.\"b\" USING fts5(x)",
                    "CREATE VIRTUAL TABLE IF NOT EXISTS \"c\" USING fts5(x)",
                    "CREATE VIRTUAL TABLE IF NOT EXISTS \"C\" USING fts5(x)",
                ])
            expectEqual(created, ["a", "b", "c"])
            try expectTrue(db.tableExists("b", in: "temp"))
        }
    }

    @Test func failuresChangeNothing() throws {
        try expectSchemaError("TestError created") { db in
            let module = Module { _, _, _ in throw TestError("created") }
            try db.create(virtualTable: "a", using: module) { $0.columns = ["x"] }
        }
        try expectSchemaError("TestError body") { db in
            let module = Module { _, _, _ in }
            try db.create(virtualTable: "a", using: module) { _ in throw TestError("body") }
        }
        try expectSchemaError(
            """
            SQLite error 1: vtable constructor failed: a - while executing \
            `CREATE VIRTUAL TABLE "a" USING fts5`
            """
        ) { db in try db.create(virtualTable: "a", using: Module { _, _, _ in }) }
        try expectSchemaError(
            """
            SQLite error 1: no such module: nope - while executing \
            `CREATE VIRTUAL TABLE "a" USING nope`
            """
        ) { try $0.create(virtualTable: "a", using: "nope") }
    }

    @Test func text() throws {
        try expectSchemaSQL(
            """
            CREATE VIRTUAL TABLE IF NOT EXISTS "r" USING rtree(id, minX, maxX)
            CREATE VIRTUAL TABLE temp."r ""2\""" USING rtree(id, minX, maxX)
            CREATE VIRTUAL TABLE IF NOT EXISTS "r3" USING rtree(id, minX, maxX)
            """
        ) { db in
            let module = "rtree(id, minX, maxX)"
            try db.create(virtualTable: "r", options: .ifNotExists, using: module)
            try db.create(virtualTable: "r \"2\"", options: .temporary, using: module)
            try db.create(virtualTable: "r3", ifNotExists: true, using: module)
        } then: { db throws in
            try expectEqual(db.columns(in: "r \"2\"").map(\.name), ["id", "minX", "maxX"])
            try expectEqual(db.primaryKey("r"), .hiddenRowID)
        }
    }
}
