import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The snippets of the article "How to build an iOS application with SQLite and GRDB.swift", in the
/// spelling of today.
@Suite(.databases) struct ArticleApplicationTests {
    // MARK: - Records

    /// Stands for the type of CoreLocation.
    struct CLLocationCoordinate2D: Equatable {
        var latitude: Double
        var longitude: Double
    }

    struct PointOfInterest {
        var id: Int64?
        var title: String
        var isFavorite: Bool
        var coordinate: CLLocationCoordinate2D
    }

    /// Returns a database with two points of interest, which knows its schema already: the SQL that
    /// reads it is not logged.
    private func makeQueue() throws -> DatabaseQueue {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE pointOfInterest (
                        id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL,
                        isFavorite BOOLEAN NOT NULL, latitude DOUBLE NOT NULL,
                        longitude DOUBLE NOT NULL);
                    INSERT INTO pointOfInterest VALUES
                        (1, 'Paris', 0, 48.5, 2.5), (2, 'Athens', 1, 38, 23.5);
                    """)
            _ = try db.columns(in: "pointOfInterest")
            _ = try db.primaryKey("pointOfInterest")
        }
        return dbQueue
    }

    @Test func records() throws {
        try makeQueue().inDatabase { db in
            try expectSQL(
                """
                SELECT * FROM "pointOfInterest" WHERE "id" = 1
                UPDATE "pointOfInterest" \
                SET "title"='Paris', "isFavorite"=1, "latitude"=48.5, "longitude"=2.5 WHERE "id"=1
                SELECT * FROM "pointOfInterest"
                """
            ) {
                if var poi = try PointOfInterest.fetchOne(db, key: 1) {
                    poi.isFavorite = true
                    try poi.update(db)
                }
                let pois = try PointOfInterest.fetchAll(db)
                expectEqual(pois.map(\.title), ["Paris", "Athens"])
                expectEqual(pois.map(\.isFavorite), [true, true])
                expectEqual(
                    pois[1].coordinate, CLLocationCoordinate2D(latitude: 38, longitude: 23.5))
            }
        }
    }

    /// Records are not uniqued, and do not auto-update.
    @Test func recordsAreIndependent() throws {
        try makeQueue().inDatabase { db in
            let first = try unwrap(PointOfInterest.fetchOne(db, key: 1))
            var second = try unwrap(PointOfInterest.fetchOne(db, key: 1))
            second.title = "Lutetia"
            try second.update(db)
            expectEqual(first.title, "Paris")
            try expectEqual(PointOfInterest.fetchOne(db, key: 1)?.title, "Lutetia")
        }
    }

    // MARK: - Let Controllers Control

    struct Account: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var balance: Int

        func add(_ db: Database, _ amount: Int) throws {
            try db.execute(
                sql: "UPDATE account SET balance = balance + ? WHERE id = ?",
                arguments: [amount, id])
        }

        func debit(_ db: Database, _ amount: Int) throws { try add(db, -amount) }
        func credit(_ db: Database, _ amount: Int) throws { try add(db, amount) }
    }

    struct MoneyTransfer {
        var sourceAccount: Account
        var destinationAccount: Account
        var amount: Int

        func perform(_ db: Database) throws {
            try db.inSavepoint {
                // Should an error happen in this closure,
                // the whole transfer will be rollbacked.
                try destinationAccount.credit(db, amount)
                try sourceAccount.debit(db, amount)
                return .commit
            }
        }
    }

    @Test func moneyTransfer() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE account (
                        id INTEGER PRIMARY KEY, balance INTEGER NOT NULL CHECK (balance >= 0))
                    """)
            let source = Account(id: 1, balance: 100)
            let destination = Account(id: 2, balance: 0)
            try source.insert(db)
            try destination.insert(db)
            func transfer(_ amount: Int) throws {
                try MoneyTransfer(
                    sourceAccount: source, destinationAccount: destination, amount: amount
                ).perform(db)
            }
            try transfer(30)
            try expectEqual(Account.fetchAll(db).map(\.balance), [70, 30])
            let error = expectError(DatabaseError.self) { try transfer(71) }
            expectEqual(error?.extendedResultCode, .SQLITE_CONSTRAINT_CHECK)
            try expectEqual(Account.fetchAll(db).map(\.balance), [70, 30])
            expectTrue(!db.isInsideTransaction)
        }
    }

    /// The task of a controller is isolated from concurrent threads.
    @Test func controllers() async throws {
        let dbQueue = try makeQueue()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<8 {
                group.addTask {
                    try await dbQueue.write { db in
                        var poi = PointOfInterest(
                            id: nil, title: "\(index)", isFavorite: false,
                            coordinate: CLLocationCoordinate2D(latitude: 0, longitude: 0))
                        let count = try PointOfInterest.fetchCount(db)
                        try poi.insert(db)
                        try expectEqual(PointOfInterest.fetchCount(db), count + 1)
                    }
                }
            }
            try await group.waitForAll()
        }
        let count = try await dbQueue.read { try PointOfInterest.fetchCount($0) }
        expectEqual(count, 10)
    }

    // MARK: - Trust SQLite and SQL

    @Test func trust() throws {
        try makeQueue().inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE users (
                        username TEXT NOT NULL,
                        creationDate DATETIME NOT NULL
                    );
                    INSERT INTO users VALUES ('arthur', '1970-01-01 00:00:01.000')
                    """)
            for row in try Row.fetchAll(db, sql: "SELECT * FROM users") {
                let username = row["username"] as String
                let date = row["creationDate"] as NSDate
                expectEqual(username, "arthur")
                expectEqual(date, NSDate(timeIntervalSince1970: 1))
            }

            // Even when you don't see it, SQL is never far:
            let titleColumn = Column("title")
            try expectSQL(
                """
                SELECT * FROM "pointOfInterest" ORDER BY "title"
                SELECT COUNT(*) FROM "pointOfInterest" WHERE "title" = 'Paris'
                """
            ) {
                let pois = try PointOfInterest.order(titleColumn).fetchAll(db)
                expectEqual(pois.map(\.id), [2, 1])
                let count = try PointOfInterest.filter(titleColumn == "Paris").fetchCount(db)
                expectEqual(count, 1)
            }
            // You can always write your own:
            let pois = try PointOfInterest.fetchAll(
                db, sql: "SELECT * FROM pointOfInterest ORDER BY latitude")
            expectEqual(pois.map(\.id), [2, 1])
            let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM pointOfInterest")!
            expectEqual(count, 2)
        }
    }

    // MARK: - Authors and books, without associations

    class Author: Record {
        var id: Int64?
        var name: String

        override class var databaseTableName: String { "authors" }

        required init(row: Row) throws {
            id = row["id"]
            name = row["name"]
            try super.init(row: row)
        }

        func books(_ db: Database) throws -> [Book] {
            try Book.filter(Column("authorId") == id).fetchAll(db)
        }
    }

    struct Book: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "books"
        var id: Int64?
        var title: String
        var authorId: Int64
    }

    /// An ad hoc type, for the specific need of a unique controller.
    final class AuthorWithBookCount: Author {
        let bookCount: Int

        required init(row: Row) throws {
            bookCount = row["bookCount"]
            try super.init(row: row)
        }
    }

    @Test func authorsAndBooks() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE authors (
                        id INTEGER PRIMARY KEY,
                        name TEXT
                    );
                    CREATE TABLE books (
                        id INTEGER PRIMARY KEY,
                        title TEXT,
                        authorId INTEGER NOT NULL REFERENCES authors(id) ON DELETE CASCADE
                    );
                    INSERT INTO authors VALUES (1, 'Melville'), (2, 'Coetzee'), (3, 'Nobody');
                    INSERT INTO books VALUES
                        (1, 'Moby-Dick', 1), (2, 'Foe', 2), (3, 'disgrace', 2);
                    """)
            _ = try db.columns(in: "authors")
            _ = try db.primaryKey("authors")
            try expectSQL(
                """
                SELECT * FROM "authors" WHERE "id" = 2
                SELECT * FROM "books" WHERE "authorId" = 2
                SELECT * FROM "books" WHERE "authorId" = 2 \
                ORDER BY "title" COLLATE swiftLocalizedCaseInsensitiveCompare
                """
            ) {
                let author = try unwrap(Author.fetchOne(db, key: 2))
                let books = try author.books(db)
                expectEqual(books.map(\.title), ["Foe", "disgrace"])
                let sortedBooks = try Book.filter(Column("authorId") == author.id)
                    .order(Column("title").collating(.localizedCaseInsensitiveCompare))
                    .fetchAll(db)
                expectEqual(sortedBooks.map(\.title), ["disgrace", "Foe"])
            }
            // All authors, sorted by name, along with their number of books
            let sql = """
                SELECT authors.*, COUNT(books.id) AS bookCount \
                FROM authors \
                LEFT JOIN books ON books.authorId = authors.id \
                GROUP BY authors.id \
                ORDER BY authors.name
                """
            let authors = try AuthorWithBookCount.fetchAll(db, sql: sql)
            expectEqual(authors.map(\.name), ["Coetzee", "Melville", "Nobody"])
            expectEqual(authors.map(\.bookCount), [2, 1, 0])
        }
    }
}

extension ArticleApplicationTests.PointOfInterest: FetchableRecord {
    init(row: Row) {
        id = row["id"]
        title = row["title"]
        isFavorite = row["isFavorite"]
        coordinate = .init(latitude: row["latitude"], longitude: row["longitude"])
    }
}

extension ArticleApplicationTests.PointOfInterest: MutablePersistableRecord {
    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["title"] = title
        container["isFavorite"] = isFavorite
        container["latitude"] = coordinate.latitude
        container["longitude"] = coordinate.longitude
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}
