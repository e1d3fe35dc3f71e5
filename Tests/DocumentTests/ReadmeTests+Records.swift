import Foundation
import GRDB
import GRDBTestSupport
import Testing

// The snippets on records, requests, rows and values.

extension ReadmeTests {
    // swift-format-ignore
    @Test func persistence() throws {
        try makeQueue().write { db in
            try db.execute(sql: "CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
            // snippet: persistence
            struct Team: Codable, FetchableRecord, MutablePersistableRecord {
                var id: Int64?
                var name: String

                mutating func didInsert(_ inserted: InsertionSuccess) {
                    id = inserted.rowID
                }
            }

            var team = Team(id: nil, name: "Reds")
            try team.insert(db)
            try team.updateChanges(db) { $0.name = "Blues" }
            let blues = try Team.find(db, key: team.id)
            // end
            expectEqual(blues.name, "Blues")
        }
    }

    // swift-format-ignore
    @Test func requests() throws {
        try makeQueue().write { db in
            // snippet: requests
            struct Player: Codable, FetchableRecord, PersistableRecord {
                var id: Int64
                var name: String
                var score: Int

                enum Columns {
                    static let name = Column(CodingKeys.name)
                    static let score = Column(CodingKeys.score)
                }
            }

            // SELECT * FROM "player" WHERE "score" > 100 ORDER BY "name" LIMIT 10
            let players = try Player
                .filter { $0.score > 100 }
                .order(\.name)
                .limit(10)
                .fetchAll(db)

            // UPDATE "player" SET "score" = "score" + 1 WHERE "name" LIKE 'B%'
            try Player
                .filter { $0.name.like("B%") }
                .updateAll(db) { [$0.score += 1] }
            // end
            expectEqual(players.map(\.name), ["Arthur"])
            let score = Player.select(\.score).filter(key: 2).asRequest(of: Int.self)
            try expectEqual(score.fetchOne(db), 51)
        }
    }

    // swift-format-ignore
    @Test func associations() throws {
        try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                    CREATE TABLE book (
                        id INTEGER PRIMARY KEY,
                        authorId INTEGER NOT NULL REFERENCES author(id),
                        title TEXT NOT NULL);
                    INSERT INTO author VALUES (1, 'Melville'), (2, 'Salinger');
                    INSERT INTO book VALUES (1, 1, 'Moby-Dick'), (2, 1, 'Bartleby');
                    """)
            // snippet: associations
            struct Author: Codable, FetchableRecord, PersistableRecord {
                static let books = hasMany(Book.self)

                var id: Int64
                var name: String
            }

            struct Book: Codable, FetchableRecord, PersistableRecord {
                static let author = belongsTo(Author.self)

                var id: Int64
                var authorId: Int64
                var title: String
            }

            struct AuthorInfo: Decodable, FetchableRecord {
                var author: Author
                var books: [Book]
            }

            let authorInfos = try Author
                .including(all: Author.books)
                .asRequest(of: AuthorInfo.self)
                .fetchAll(db)
            // end
            expectEqual(authorInfos.map(\.author.name), ["Melville", "Salinger"])
            expectEqual(authorInfos.map { $0.books.map(\.title) }, [["Moby-Dick", "Bartleby"], []])
        }
    }

    @Test func interpolation() throws {
        try makeQueue().write { db in
            // snippet: interpolation
            let name = "O'Brien"
            let scores = [500, 1000]
            try db.execute(literal: "INSERT INTO player (name, score) VALUES (\(name), \(500))")

            let request: SQLRequest<String> = "SELECT name FROM player WHERE score IN \(scores)"
            let names = try request.fetchAll(db)
            // end
            expectEqual(names, ["Arthur", "O'Brien"])
        }
    }

    @Test func rows() throws {
        func print(_ items: Any...) { printed.append("\(items)") }
        var printed: [String] = []
        try makeQueue().read { db in
            // snippet: rows
            let rows = try Row.fetchCursor(db, sql: "SELECT * FROM player")
            while let row = try rows.next() {
                let id: Int64 = row["id"]
                let name: String = row["name"]
                let team: String? = row["team"]  // nil: there is no such column
                print(id, name, team ?? "no team")
            }
            // end
        }
        expectEqual(printed, [#"[1, "Arthur", "no team"]"#, #"[2, "Barbara", "no team"]"#])
    }

    @Test func decoding() throws {
        var printed: [String] = []
        func print(_ item: Any) { printed.append("\(item)") }
        try makeQueue().read { db in
            // snippet: decoding
            do {
                _ = try Int.fetchAll(db, sql: "SELECT name FROM player")
            } catch let error as RowDecodingError {
                // could not decode Int from database value "Arthur" - table: "player", ...
                print(error)
            }
            // end
        }
        expectEqual(
            printed,
            [
                """
                could not decode Int from database value "Arthur" - table: "player", column: "name", \
                column index: 0, sql: `SELECT name FROM player`
                """
            ])
    }

    // swift-format-ignore
    @Test func records() throws {
        try makeQueue().read { db in
            // snippet: records
            struct Player: FetchableRecord {
                var id: Int64
                var name: String
                var score: Int

                init(row: Row) throws {
                    id = row["id"]
                    name = row["name"]
                    score = row["score"]
                }
            }

            let players = try Player.fetchAll(db, sql: "SELECT * FROM player WHERE score > ?", arguments: [100])
            // end
            expectEqual(players.map(\.name), ["Arthur"])
        }
    }

    // swift-format-ignore
    @Test func values() throws {
        try makeQueue().read { db in
            // snippet: values
            enum Team: String, DatabaseValueConvertible {
                case reds, blues
            }

            struct Badge: Codable, DatabaseValueConvertible {
                var title: String
                var level: Int
            }

            let row = try Row.fetchOne(
                db, sql: "SELECT ? AS team, ? AS badge, ? AS date",
                arguments: [Team.reds, Badge(title: "Fast", level: 2), Date(timeIntervalSince1970: 0)])!

            let team: Team = row["team"]      // stored as 'reds'
            let badge: Badge = row["badge"]   // stored as {"level":2,"title":"Fast"}
            let date: Date = row["date"]      // stored as 1970-01-01 00:00:00.000
            // end
            expectEqual(team, .reds)
            expectEqual(badge.level, 2)
            expectEqual(date, Date(timeIntervalSince1970: 0))
            expectEqual(
                Array(row.databaseValues),
                [
                    "reds".databaseValue, #"{"level":2,"title":"Fast"}"#.databaseValue,
                    "1970-01-01 00:00:00.000".databaseValue,
                ])
        }
    }
}
