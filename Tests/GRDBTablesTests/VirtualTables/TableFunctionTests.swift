@testable import GRDBTables
import Dispatch
import Foundation
import GRDB
import GRDBTestSupport
import Testing

private struct Player: Codable, Equatable, FetchableRecord, PersistableRecord {
    var id: Int64
    var name: String
    var tags: String?
    var value: String?

    enum Columns {
        static let id = TypedColumn<Int64>("id")
        static let name = TypedColumn<String>("name")
        static let tags = TypedColumn<String?>("tags")
        static let value = TypedColumn<String?>("value")
    }

    static let tags = association(to: JSONElement.each(in: Columns.tags))
}

@Suite(.databases) struct TableFunctionTests {
    private func makeWriter(_ kind: DatabaseKind = .queue) throws -> any DatabaseWriter {
        var configuration = TestDatabases.makeConfiguration()
        configuration.add(
            module: .tableFunction(
                "words", parameters: ["text"],
                rows: { _, arguments in
                    (String.fromDatabaseValue(arguments[0]) ?? "").split(separator: " ")
                        .map(String.init)
                },
                { t in t.column("word", \.self) }))
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try writer.write { db throws in
            try db.create(table: "player") { t in
                t.column("id", .integer).primaryKey()
                t.column("name", .text).notNull()
                t.column("tags", .text)
                t.column("value", .text)
            }
            try Player(id: 1, name: "Arthur", tags: #"["red","vip"]"#, value: "[1]").insert(db)
            try Player(id: 2, name: "Barbara", tags: "[]", value: "[2, 3]").insert(db)
            try Player(id: 3, name: "Craig", tags: nil, value: nil).insert(db)
        }
        return writer
    }

    /// Expects the SQL of a request, and its rows, as values separated by bars.
    private func expect(
        _ request: some FetchRequest, _ sql: String, _ rows: [String], _ db: Database,
        line: Int = #line
    ) throws {
        let statement = try request.makePreparedRequest(db).statement
        expectEqual(statement.sql, sql, line: line)
        let found = try Row.fetchAll(db, request).map { row in
            row.unscoped.databaseValues.map {
                $0.isNull ? "-" : "\(String.fromDatabaseValue($0) ?? $0.description)"
            }
            .joined(separator: "|")
        }
        expectEqual(found, rows, line: line)
        try expectEqual(request.fetchCount(db), rows.count, line: line)
    }

    @Test(arguments: DatabaseKind.allCases) func sources(kind: DatabaseKind) throws {
        try makeWriter(kind).read { db throws in
            try expect(
                TableFunction("json_each", "[1, 20]").all().select(Column("key"), Column("value")),
                #"SELECT "key", "value" FROM "json_each"(?)"#, ["0|1", "1|20"], db)
            try expect(
                TableFunction("pragma_table_info", "player").all()
                    .filter(Column("notnull") == 1).select(Column("name")),
                #"SELECT "name" FROM "pragma_table_info"(?) WHERE "notnull" = ?"#, ["name"], db)
            try expect(
                TableFunction("pragma_database_list").all().select(Column("name")),
                #"SELECT "name" FROM "pragma_database_list""#, ["main"], db)
            try expect(
                TableFunction("words", "to be or").all().order(Column("word")),
                #"SELECT * FROM "words"(?) ORDER BY "word""#, ["be", "or", "to"], db)
            let alias = TableAlias(name: "w")
            try expect(
                TableFunction("words", "to be").all().aliased(alias).filter(
                    alias[Column("word")] != "to"),
                #"SELECT "w".* FROM "words"(?) "w" WHERE "w"."word" <> ?"#, ["be"], db)
        }
    }

    @Test func argumentsAreBoundAndNotPartOfTheText() throws {
        try makeWriter().read { db throws in
            for word in ["it's", "a\"b", "')--"] {
                let request = TableFunction<Row>("words", word).all()
                try expectEqual(String.fetchAll(db, request), [word])
            }
            try expectEqual(
                String.fetchAll(db, TableFunction<Row>("words", DatabaseValue.null).all()),
                [])
        }
    }

    @Test func elementsOfJSON() throws {
        try makeWriter().read { db throws in
            let json = #"{"a": [1, {"b": null}], "c": "text"}"#
            let elements = try JSONElement.each(in: json).all().fetchAll(db)
            expectEqual(elements.map(\.key), ["a".databaseValue, "c".databaseValue])
            expectEqual(elements.map(\.type), ["array", "text"])
            expectEqual(elements.map(\.atom), [.null, "text".databaseValue])
            expectEqual(elements.map(\.parent), [nil, nil])
            expectEqual(elements.map(\.path), ["$", "$"])
            try expect(
                JSONElement.tree(in: json).all().filter { $0.type == "null" }.select(\.fullkey),
                #"SELECT "fullkey" FROM "json_tree"(?) WHERE "type" = ?"#, ["$.a[1].b"], db)
            try expect(
                JSONElement.each(in: json, at: "$.a").all().select(\.fullkey),
                #"SELECT "fullkey" FROM "json_each"(?, ?)"#, ["$.a[0]", "$.a[1]"], db)
            let nested = try JSONElement.tree(in: json).all().filter { $0.parent != nil }.fetchAll(
                db)
            expectEqual(nested.count, 5)
        }
    }

    @Test(arguments: DatabaseKind.allCases) func joins(kind: DatabaseKind) throws {
        try makeWriter(kind).read { db throws in
            try expect(
                Player.select(\.name).annotated(withRequired: Player.tags.select(\.value)),
                #"SELECT "player"."name", "json_each"."value" FROM "player" JOIN "json_each"("player"."tags")"#,
                ["Arthur|red", "Arthur|vip"], db)
            try expect(
                Player.select(\.name).annotated(withOptional: Player.tags.select(\.value)),
                #"SELECT "player"."name", "json_each"."value" FROM "player" LEFT JOIN "json_each"("player"."tags")"#,
                ["Arthur|red", "Arthur|vip", "Barbara|-", "Craig|-"], db)
            try expect(
                Player.select(\.name).joining(required: Player.tags.filter { $0.value == "vip" }),
                #"SELECT "player"."name" FROM "player" JOIN "json_each"("player"."tags") ON "json_each"."value" = ?"#,
                ["Arthur"], db)
            // The row adapter knows where the columns of each table are.
            let words = Player.association(to: TableFunction("words", Player.Columns.name))
                .forKey("word")
            let rows = try Player.including(required: Player.tags.forKey("tag"))
                .including(optional: words).asRequest(of: Row.self).fetchAll(db)
            expectEqual(rows.map { $0.scopes["tag"]?["value"] as String? }, ["red", "vip"])
            expectEqual(rows.map { $0.scopes["word"]?["word"] as String? }, ["Arthur", "Arthur"])
            try expectEqual(Player(row: rows[0]).id, 1)
            let table = Table("player")
            try expect(
                table.select(Column("id")).annotated(
                    withRequired: table.association(
                        to: TableFunction("json_each", Column("value"))
                    ).select(Column("value"))),
                #"SELECT "player"."id", "json_each"."value" FROM "player" JOIN "json_each"("player"."value")"#,
                ["1|1", "2|2", "2|3"], db)
        }
    }

    @Test func joinsFromFunctions() throws {
        try makeWriter().read { db throws in
            let ids = TableFunction("json_each", "[3, 1, 7]")
            let player = ids.association(
                to: Player.self, on: { element, player in player.id == element["value"] })
            try expect(
                ids.all().select(Column("value")).annotated(withRequired: player.select(\.name)),
                #"SELECT "json_each"."value", "player"."name" FROM "json_each"(?) JOIN "player" ON "player"."id" = "json_each"."value""#,
                ["3|Craig", "1|Arthur"], db)
            let playerTable = ids.association(
                to: Table("player"),
                on: { element, player in player["id"] == element["value"] })
            try expect(
                ids.all().select(Column("value"))
                    .annotated(withRequired: playerTable.select(Column("name"))),
                #"SELECT "json_each"."value", "player"."name" FROM "json_each"(?) JOIN "player" ON "player"."id" = "json_each"."value""#,
                ["3|Craig", "1|Arthur"], db)
            let list = TableFunction("pragma_table_list")
            let columns = list.association(
                to: TableFunction("pragma_table_info", Column("name")))
            try expect(
                list.all().select(Column("name")).filter(Column("name") == "player")
                    .annotated(
                        withRequired: columns.filter(Column("pk") > 0).select(Column("name"))),
                #"SELECT "pragma_table_list"."name", "pragma_table_info"."name" FROM "pragma_table_list" JOIN "pragma_table_info"("pragma_table_list"."name") ON "pragma_table_info"."pk" > ? WHERE "pragma_table_list"."name" = ?"#,
                ["player|id"], db)
        }
    }

    @Test(arguments: DatabaseKind.allCases) func subqueries(kind: DatabaseKind) throws {
        try makeWriter(kind).read { db throws in
            try expect(
                Player.select(\.name).filter {
                    JSONElement.each(in: $0.tags).all().select(Column("value")).contains("vip")
                },
                #"SELECT "name" FROM "player" WHERE ? IN (SELECT "value" FROM "json_each"("player"."tags"))"#,
                ["Arthur"], db)
            try expect(
                Player.select(\.name).filter {
                    JSONElement.each(in: $0.tags).all().filter { $0.atom != nil }.exists()
                },
                #"SELECT "name" FROM "player" WHERE EXISTS (SELECT * FROM "json_each"("player"."tags") WHERE "atom" IS NOT NULL)"#,
                ["Arthur"], db)
            // The function has a column of this name as well.
            try expect(
                Player.select(\.name).filter {
                    JSONElement.each(in: $0.value).all().select(Column("value")).contains(3)
                },
                #"SELECT "name" FROM "player" WHERE ? IN (SELECT "value" FROM "json_each"("player"."value"))"#,
                ["Barbara"], db)
            let alias = TableAlias(name: "p")
            try expect(
                Player.aliased(alias).select(\.name).filter {
                    JSONElement.each(in: $0.tags).all().select(Column("value")).contains("vip")
                },
                #"SELECT "p"."name" FROM "player" "p" WHERE ? IN (SELECT "value" FROM "json_each"("p"."tags"))"#,
                ["Arthur"], db)
        }
    }

    /// The inner function is called with a column of the outer one, which has the same name.
    @Test func functionsInsideOfThemselves() throws {
        try makeWriter().read { db throws in
            let request = JSONElement.each(in: "[[1, 2], [3]]").all()
                .filter { JSONElement.each(in: $0.value).all().select(Column("value")).contains(3) }
            try expectEqual(request.fetchAll(db).map(\.key), [1.databaseValue])
        }
    }

    @Test func errors() throws {
        try makeWriter().read { db throws in
            let missing = expectError(DatabaseError.self) {
                try TableFunction("missing", 1).all().fetchAll(db)
            }
            expectEqual(missing?.message, "no such table: missing")
            let invalid = expectError(DatabaseError.self) {
                try JSONElement.each(in: "[1,").all().fetchAll(db)
            }
            expectEqual(invalid?.message, "malformed JSON")
            let tooMany = expectError(DatabaseError.self) {
                try TableFunction("json_each", "[]", "$", 3).all().fetchAll(db)
            }
            expectEqual(tooMany?.message, "too many arguments on json_each() - max 2")
            // No table is around the query.
            let column = expectError(DatabaseError.self) {
                try TableFunction("json_each", Column("tags")).all().fetchAll(db)
            }
            expectEqual(column?.message?.contains("no such column: "), true)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func requestsObserveTheColumnsOfArguments(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        let joined = Player.select(\.name).joining(required: Player.tags)
        let nested = Player.select(\.name).filter {
            JSONElement.each(in: $0.tags).all().exists()
        }
        for request in [joined, nested] {
            let region = try writer.read { try request.databaseRegion($0) }
            expectTrue(region.description.contains("player(name,tags)"))
        }
        let log = Log<[String]>()
        let observation = ValueObservation.tracking { db throws in
            try String.fetchAll(db, joined.distinct())
        }
        let cancellable = observation.start(
            in: writer, scheduling: .async(onQueue: DispatchQueue(label: "observer")),
            onError: { Issue.record($0) }, onChange: { log.append($0) })
        _ = log.wait(forCount: 1)
        try writer.write { db throws in
            try db.execute(sql: "UPDATE player SET tags = '[4]' WHERE id = 2")
        }
        _ = log.wait(forCount: 2)
        expectEqual(log.elements, [["Arthur"], ["Arthur", "Barbara"]])
        cancellable.cancel()
    }

    @Test(arguments: DatabaseKind.allCases) func arraysAreSources(kind: DatabaseKind) throws {
        try makeWriter(kind).read { db throws in
            try expect(
                TableFunction.values([3, 1]).all(), #"SELECT * FROM "carray"(?)"#, ["3", "1"], db)
            let ids = TableFunction.values([3, 1])
            let player = ids.association(
                to: Player.self, on: { id, player in player[Column("id")] == id[Column("value")] })
            try expect(
                ids.all().annotated(withRequired: player.select(\.name)),
                #"SELECT "carray".*, "player"."name" FROM "carray"(?) JOIN "player" ON "player"."id" = "carray"."value""#,
                ["3|Craig", "1|Arthur"], db)
            try expectEqual(TableFunction.values([0.5, 1]).all().fetchAll(db), [0.5, 1])
            try expectEqual(TableFunction.values(["a", "é"]).all().fetchAll(db), ["a", "é"])
            let blobs = [Data([0, 1]), Data()]
            try expectEqual(TableFunction.values(blobs).all().fetchAll(db), blobs)
            try expectEqual(TableFunction.values([Int]()).all().fetchAll(db), [])
            let uuid = UUID()
            try expectEqual(TableFunction.values([uuid]).all().fetchAll(db), [uuid])
            try expectEqual(TableFunction.values(0..<1000).all().fetchCount(db), 1000)
            try expectEqual(
                Player.filter {
                    TableFunction.values([2]).all().contains($0.id)
                }.fetchAll(db).map(\.name),
                ["Barbara"])
        }
    }

    @Test func arraysOfOtherValuesAreRefused() throws {
        try makeWriter().read { db throws in
            let lists: [[DatabaseValue]] = [
                [1.databaseValue, "a".databaseValue], [.null], ["a\0b".databaseValue],
            ]
            for values in lists {
                let error = expectError(DatabaseError.self) {
                    try TableFunction.values(values).all().fetchAll(db)
                }
                expectEqual(error?.resultCode, .SQLITE_MISUSE)
            }
        }
    }
}
