import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The library of books and authors of the page "Recommended Practices for Designing Record Types".
@Suite(.databases) struct RecommendedPracticesTests {
    // MARK: - Trust SQLite More Than Yourself

    /// Returns a library whose schema is known already: the SQL that reads it is not logged.
    private func makeLibrary() throws -> DatabaseQueue {
        let dbQueue = try TestDatabases.makeQueue()
        try Self.migrator.migrate(dbQueue)
        try dbQueue.read { db in
            for table in ["author", "book", "place", "product"] {
                _ = try db.columns(in: table)
                _ = try db.primaryKey(table)
            }
        }
        return dbQueue
    }

    /// Returns a library with some books.
    func makeFilledLibrary() throws -> DatabaseQueue {
        let dbQueue = try makeLibrary()
        try dbQueue.write { db in
            for (name, countryCode, books) in [
                ("émile Zola", "FR", [("Germinal", Book.Kind.novel)]),
                ("Albert Camus", "FR", [("Caligula", .theater), ("La Peste", .novel)]),
                ("rosa Montero", "ES", []),
                ("Federico García Lorca", "ES", [("Bodas de sangre", .theater)]),
                ("Natsume Sōseki", "JP", [("Kokoro", .novel)]),
                ("Anonymous", nil, []),
            ] as [(String, String?, [(String, Book.Kind)])] {
                var author = Author(name: name, countryCode: countryCode)
                try author.insert(db)
                for (title, kind) in books {
                    var book = Book(authorId: author.id!, title: title, kind: kind)
                    try book.insert(db)
                }
            }
        }
        return dbQueue
    }

    @Test func schema() throws {
        let dbQueue = try makeLibrary()
        try dbQueue.read { db in
            try expectEqual(
                String.fetchAll(
                    db, sql: "SELECT sql FROM sqlite_master WHERE tbl_name IN ('author', 'book')"),
                [
                    """
                    CREATE TABLE "author" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, \
                    "name" TEXT NOT NULL, "countryCode" TEXT)
                    """,
                    """
                    CREATE TABLE "book" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, \
                    "title" TEXT NOT NULL, \
                    "authorId" INTEGER NOT NULL REFERENCES "author"("id") ON DELETE CASCADE, \
                    "kind" TEXT NOT NULL)
                    """,
                    #"CREATE INDEX "book_on_authorId" ON "book"("authorId")"#,
                ])
        }
        // The application will always process consistent data, no matter how wrong the code is.
        try dbQueue.write { db in
            var book = Book(authorId: 99, title: "Moby-Dick", kind: .novel)
            let error = expectError(DatabaseError.self) { try book.insert(db) }
            expectEqual(error?.extendedResultCode, .SQLITE_CONSTRAINT_FOREIGNKEY)
            expectEqual(book.id, nil)
            let title = expectError(DatabaseError.self) {
                try db.execute(sql: "INSERT INTO book (authorId, kind) VALUES (1, 'novel')")
            }
            expectEqual(title?.extendedResultCode, .SQLITE_CONSTRAINT_NOTNULL)
        }
    }

    @Test func authorsAndBooks() throws {
        let dbQueue = try makeLibrary()
        try expectSQL(
            """
            BEGIN IMMEDIATE TRANSACTION
            INSERT INTO "author" ("id", "name", "countryCode") VALUES (NULL,'Herman Melville','US')
            INSERT INTO "book" ("id", "authorId", "title", "kind") VALUES (NULL,1,'Moby-Dick','novel')
            COMMIT TRANSACTION
            """
        ) {
            try dbQueue.write { db in
                // Insert and set author's id
                var author = Author(name: "Herman Melville", countryCode: "US")
                try author.insert(db)
                expectEqual(author.id, 1)

                // Insert and set book's id
                var book = Book(authorId: author.id!, title: "Moby-Dick", kind: .novel)
                try book.insert(db)
                expectEqual(book.id, 1)
            }
        }

        let books = try dbQueue.read { db in
            try Book.fetchAll(db)
        }
        expectEqual(books, [Book(id: 1, authorId: 1, title: "Moby-Dick", kind: .novel)])
        try dbQueue.write { db in
            var book = books[0]
            try expectEqual(Author.find(db, key: book.authorId).name, "Herman Melville")
            try expectSQL(#"UPDATE "book" SET "kind"='essay' WHERE "id"=1"#) {
                try expectTrue(book.updateChanges(db) { $0.kind = .essay })
            }
            // All of an author's books are deleted when that author is deleted.
            try expectTrue(Author.deleteOne(db, key: 1))
            try expectEqual(Book.fetchCount(db), 0)
            expectError(RecordError.self) { try book.update(db) }
        }
    }

    // MARK: - Record Types Hide Intimate Database Details

    @Test func enums() throws {
        let dbQueue = try makeFilledLibrary()
        try expectSQL(
            """
            BEGIN DEFERRED TRANSACTION
            SELECT * FROM "book" WHERE "kind" = 'novel'
            COMMIT TRANSACTION
            """
        ) {
            // Fetch all novels
            let novels = try dbQueue.read { db in
                try Book.filter { $0.kind == Book.Kind.novel }.fetchAll(db)
            }
            expectEqual(novels.map(\.title), ["Germinal", "La Peste", "Kokoro"])
        }
        try dbQueue.write { db in
            try expectEqual(
                String.fetchAll(db, sql: "SELECT DISTINCT kind FROM book"),
                ["novel", "theater"])
            try db.execute(sql: "UPDATE book SET kind = 'poem'")
            expectError(RowDecodingError.self) { try Book.fetchOne(db) }
        }
    }

    @Test func coordinates() throws {
        try makeLibrary().write { db in
            var place = Place(
                name: "Paris",
                coordinate: CLLocationCoordinate2D(latitude: 48.8534, longitude: 2.3488))
            try place.insert(db)
            try expectEqual(
                Row.fetchAll(db, sql: "SELECT * FROM place"),
                [["id": 1, "name": "Paris", "latitude": 48.8534, "longitude": 2.3488]])

            place = try Place.find(db, key: 1)
            expectEqual(place.coordinate.latitude, 48.8534)
            try expectSQL(#"UPDATE "place" SET "latitude"=41.5, "longitude"=-71.25 WHERE "id"=1"#) {
                try place.updateChanges(db) {
                    $0.coordinate = CLLocationCoordinate2D(latitude: 41.5, longitude: -71.25)
                }
            }
            try expectEqual(Place.fetchOne(db)?.coordinate, place.coordinate)
        }
    }

    @Test func moneyAmounts() throws {
        try makeLibrary().write { db in
            var product = Product(name: "Book", price: 12)
            try product.insert(db)
            try expectEqual(
                Row.fetchAll(db, sql: "SELECT * FROM product"),
                [["id": 1, "name": "Book", "priceCents": 1200]])

            product = try Product.find(db, key: 1)
            expectEqual(product.price, 12)
            try expectSQL(#"UPDATE "product" SET "priceCents"=1325 WHERE "id"=1"#) {
                try product.updateChanges(db) { $0.price = Decimal(string: "13.25")! }
            }
            product = Product(name: "Magazine", price: Decimal(string: "0.1")!)
            try product.insert(db)
            expectEqual(product.id, 2)
            // SQLite computes exact sums.
            try expectEqual(Int.fetchOne(db, sql: "SELECT SUM(priceCents) FROM product"), 1335)
            try expectEqual(Product.fetchOne(db, key: 2)?.price, Decimal(string: "0.1"))
        }
    }

    // MARK: - Record Requests

    @Test func columns() throws {
        try makeFilledLibrary().read { db in
            let sorted = [
                "Albert Camus", "Anonymous", "émile Zola", "Federico García Lorca",
                "Natsume Sōseki", "rosa Montero",
            ]
            try expectSQL(
                """
                SELECT * FROM "author" ORDER BY "name" COLLATE swiftLocalizedCaseInsensitiveCompare
                SELECT COUNT(*) FROM "author" WHERE "countryCode" = 'FR'
                """
            ) {
                // Fetch all authors, ordered by name,
                // in a localized case-insensitive fashion
                let sortedAuthors: [Author] = try Author.all()
                    .order { $0.name.collating(.localizedCaseInsensitiveCompare) }
                    .fetchAll(db)
                expectEqual(sortedAuthors.map(\.name), sorted)

                // Count French authors
                let frenchAuthorCount: Int = try Author.all()
                    .filter { $0.countryCode == "FR" }
                    .fetchCount(db)
                expectEqual(frenchAuthorCount, 2)
            }
            try expectSQL(
                """
                SELECT * FROM "author" WHERE "countryCode" = 'FR' \
                ORDER BY "name" COLLATE swiftLocalizedCaseInsensitiveCompare
                """
            ) {
                let frenchAuthors = try PlainAuthor.all()
                    .filter { $0.countryCode == "FR" }
                    .order { $0.name.collating(.localizedCaseInsensitiveCompare) }
                    .fetchAll(db)
                expectEqual(frenchAuthors.map(\.name), ["Albert Camus", "émile Zola"])
            }
        }
    }

    @Test func requestMethods() throws {
        try makeFilledLibrary().read { db in
            try expectSQL(
                """
                SELECT * FROM "author" WHERE "countryCode" = 'ES' \
                ORDER BY "name" COLLATE swiftLocalizedCaseInsensitiveCompare
                SELECT COUNT(*) FROM "book" WHERE "kind" = 'novel'
                SELECT * FROM "book" WHERE "kind" = 'theater' \
                ORDER BY "title" COLLATE swiftLocalizedCaseInsensitiveCompare
                SELECT "name" FROM "author" WHERE "countryCode" = 'JP'
                """
            ) {
                let sortedSpanishAuthors: [Author] = try Author.all()
                    .filter(countryCode: "ES")
                    .orderByName()
                    .fetchAll(db)
                expectEqual(
                    sortedSpanishAuthors.map(\.name),
                    ["Federico García Lorca", "rosa Montero"])

                let novelCount: Int = try Book.all()
                    .filter(kind: .novel)
                    .fetchCount(db)
                expectEqual(novelCount, 3)

                let plays = try Book.all()
                    .filter(kind: .theater)
                    .orderByTitle()
                    .fetchAll(db)
                expectEqual(plays.map(\.title), ["Bodas de sangre", "Caligula"])

                // The names of Japanese authors
                let names: Set<String> = try Author.all()
                    .filter(countryCode: "JP")
                    .selectName()
                    .fetchSet(db)
                expectEqual(names, ["Natsume Sōseki"])
            }
        }
    }
}
