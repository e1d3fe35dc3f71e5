import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct ViewTests {
    @Test func views() throws {
        try expectSchemaSQL(
            """
            CREATE VIEW "v1" AS SELECT 'it''s' AS a
            CREATE TEMPORARY VIEW IF NOT EXISTS "v2" ("x", "y z") AS SELECT 1, 2.5
            CREATE VIEW "v3" AS SELECT 1 AS a
            """
        ) { db in
            try db.create(view: "v1", as: SQLRequest<Row>("SELECT \("it's") AS a"))
            try db.create(
                view: "v2", options: [.ifNotExists, .temporary], columns: ["x", "y z"],
                asLiteral: "SELECT \(1), \(2.5)")
            try db.create(view: "v3", as: SQLRequest<Row>(sql: "SELECT 1 AS a"))
        } then: { db throws in
            try expectTrue(db.viewExists("V1"))
            try expectTrue(db.viewExists("v2", in: "temp"))
            try expectTrue(!db.viewExists("v2", in: "main"))
            try expectEqual(db.columns(in: "v2").map(\.name), ["x", "y z"])
            try expectEqual(String.fetchOne(db, sql: "SELECT a FROM v1"), "it's")
            try db.drop(view: "v1")
            try expectTrue(!db.viewExists("v1"))
        }
    }

    @Test func viewsTakeNoArguments() throws {
        try expectSchemaError(
            """
            SQLite error 21: SQL with arguments can't be used where literals are required - while \
            executing `SELECT ?`
            """
        ) { try $0.create(view: "v", as: SQLRequest<Row>(sql: "SELECT ?", arguments: [1])) }
    }
}
