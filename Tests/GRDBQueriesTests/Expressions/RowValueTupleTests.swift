import GRDB
import GRDBQueries
import GRDBTestSupport
import Testing

@Suite(.databases) struct RowValueTupleTests {
    struct Player: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var name: String

        enum Columns {
            static let id = Column("id")
            static let name = Column("name")
        }
    }

    struct TypedPlayer: TableRecord {
        static let databaseTableName = "player"

        enum Columns {
            static let id = TypedColumn<Int64>("id")
            static let name = TypedColumn<String>("name")
            static let score = TypedColumn<Int?>("score")
        }
    }

    @Test func tuplesAreRowValues() throws {
        try TestDatabases.makeQueue().write { db throws in
            try db.execute(
                sql: """
                    CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT NOT NULL, score INTEGER);
                    CREATE INDEX player_name ON player(name);
                    INSERT INTO player VALUES (7, 'a', 1), (8, 'a', 2), (1, 'b', NULL), (9, 'A', 3);
                    """)
            func check<T>(_ request: QueryInterfaceRequest<T>, _ condition: String, _ ids: [Int64])
                throws
            {
                let statement = try request.makePreparedRequest(db).statement
                expectEqual(statement.sql, "SELECT * FROM \"player\" WHERE \(condition)")
                try expectEqual(
                    request.select(Column("id"), as: Int64.self).order(Column("id")).fetchAll(
                        db),
                    ids)
                try expectTrue(
                    request.queryPlan(db).description.contains("USING INDEX player_name"))
            }
            try check(
                Player.filter { ($0.name, $0.id) > ("a", 7) }, "(\"name\", \"id\") > (?, ?)",
                [1, 8])
            try check(
                Player.filter { ($0.name, $0.id) >= ("a", 7) }, "(\"name\", \"id\") >= (?, ?)",
                [1, 7, 8])
            try check(
                Player.filter { ($0.name, $0.id) < ("a", 8) }, "(\"name\", \"id\") < (?, ?)",
                [7, 9])
            try check(
                Player.filter { ($0.name, $0.id) <= ("a", 8) }, "(\"name\", \"id\") <= (?, ?)",
                [7, 8, 9])
            let last = Player(id: 7, name: "a")
            try check(
                TypedPlayer.filter { ($0.name, $0.id) > (last.name, last.id) },
                "(\"name\", \"id\") > (?, ?)", [1, 8])
            try check(
                TypedPlayer.filter { ($0.name, $0.id) >= ("a", 7) }, "(\"name\", \"id\") >= (?, ?)",
                [1, 7, 8])
            try check(
                TypedPlayer.filter { ($0.name, $0.id) < ("a", 8) }, "(\"name\", \"id\") < (?, ?)",
                [7, 9])
            try check(
                TypedPlayer.filter { ($0.name, $0.id) <= ("a", 8) }, "(\"name\", \"id\") <= (?, ?)",
                [7, 8, 9])
            try check(
                TypedPlayer.filter { ($0.name, $0.score) > ("a", 1) },
                "(\"name\", \"score\") > (?, ?)", [1, 8])
            try check(
                Table("player").filter((Column("name"), Column.rowID) > ("a", 7)),
                "(\"name\", \"rowid\") > (?, ?)",
                [1, 8])
        }
    }
}
