import GRDB
import GRDBTestSupport
import Testing

/// The chapters of the Associations guide on filtered, sorted and otherwise refined associations.
@Suite(.databases) struct AssociationsGuideRefiningTests: AssociationsGuideSuite {
    let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try AssociationsGuide.makeQueue()
    }

    private let join = "FROM book JOIN author ON author.id = book.authorId"

    @Test func filteringAssociations() throws {
        struct AuthorInfo: FetchableRecord, Decodable {
            var author: Author
            var novels: [Book]
            var plays: [Book]
        }
        let frenchAuthor = Book.author.filter { $0.country == "France" }
        try expect(
            Book.joining(required: frenchAuthor),
            """
            SELECT book.* FROM book JOIN author ON (author.id = book.authorId) \
            AND (author.country = 'France')
            """)
        let request =
            Author
            .including(
                all: Author.books
                    .filter { $0.kind == "novel" }
                    .forKey("novels")
            )
            .including(
                all: Author.books
                    .filter { $0.kind == "theatrePlay" }
                    .forKey("plays"))
        try dbQueue.read { db in
            let authorInfos: [AuthorInfo] = try AuthorInfo.fetchAll(db, request)
            expectEqual(authorInfos.map(\.novels.count), [2, 1, 0])
            expectEqual(authorInfos.map(\.plays.count), [1, 0, 0])
            let novels = try Row.fetchOne(db, Author.including(all: Author.novels))
            expectEqual(novels?.prefetchedRows.keys, ["novels"])
        }
    }

    @Test func sortingAssociations() throws {
        let sortedAuthor = Book.author.order(\.name)
        try expect(
            Book.including(required: sortedAuthor),
            "SELECT book.*, author.* \(join) ORDER BY author.name")
        try expect(
            Book.including(required: sortedAuthor).order(\.year.desc),
            "SELECT book.*, author.* \(join) ORDER BY book.year DESC, author.name")
    }

    @Test func columnsSelectedByAnAssociation() throws {
        let restrictedAuthor = Book.author.select { [$0.id, $0.name] }
        try expect(
            Book.including(required: restrictedAuthor),
            "SELECT book.*, author.id, author.name \(join)")
    }

    // MARK: - Ordered Associations

    struct Team: FetchableRecord, TableRecord, Codable {
        var id: Int64
        var name: String

        static let playerRoles = hasMany(PlayerRole.self).order(\.position)
        static let players = hasMany(Player.self, through: playerRoles, using: PlayerRole.player)
    }

    struct PlayerRole: FetchableRecord, TableRecord, Codable {
        var teamId: Int64
        var playerId: Int64
        var position: Int

        static let player = belongsTo(Player.self)

        enum Columns {
            static let position = Column(CodingKeys.position)
        }
    }

    struct Player: FetchableRecord, TableRecord, Codable {
        var id: Int64
        var name: String

        enum Columns {
            static let name = Column(CodingKeys.name)
        }
    }

    struct TeamInfo: Decodable, FetchableRecord {
        var team: Team
        var players: [Player]
    }

    @Test func orderedAssociations() throws {
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                    CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
                    CREATE TABLE playerRole (
                      teamId INTEGER REFERENCES team(id), playerId INTEGER REFERENCES player(id),
                      position INTEGER NOT NULL, PRIMARY KEY (teamId, playerId));
                    INSERT INTO team VALUES (1, 'Red'), (2, 'Blue');
                    INSERT INTO player VALUES (1, 'Ann'), (2, 'Bob'), (3, 'Cid');
                    INSERT INTO playerRole VALUES (1, 1, 3), (1, 2, 1), (1, 3, 2), (2, 1, 1);
                    """)
            // Default ordering by position
            let teamInfos =
                try Team
                .including(all: Team.players)
                .asRequest(of: TeamInfo.self)
                .fetchAll(db)
            expectEqual(
                teamInfos.map { $0.players.map(\.name) }, [["Bob", "Cid", "Ann"], ["Ann"]])

            // Custom ordering
            try expectEqual(
                Team.including(all: Team.players.order(\.name)).asRequest(of: TeamInfo.self)
                    .fetchOne(db)?.players.map(\.name),
                ["Ann", "Bob", "Cid"])
        }
    }

    // MARK: - Further Refinements to Associations

    @Test func furtherRefinements() throws {
        struct KindInfo: Decodable, Equatable {
            var kind: String
            var maxYear: Int
        }
        struct AuthorInfo: Decodable, FetchableRecord {
            var author: Author
            var bookKinds: Set<String>
            var bookKindInfos: [KindInfo]
            var awardedBooks: [Book]
            var specialBooks: [Book]
        }
        let distinctBookKinds = Author.books
            .select(\.kind)
            .distinct()
            .forKey("bookKinds")
        let bookKindInfos = Author.books
            .select { [$0.kind, max($0.year).forKey("maxYear")] }
            .group { [$0.authorId, $0.kind] }
            .order(\.kind)
            .forKey("bookKindInfos")
        let awardedBooks = Author.books
            .having(Book.awards.isEmpty == false)
            .forKey("awardedBooks")
        let specialCTE = CommonTableExpression(named: "special", sql: "SELECT 1831 AS year")
        let specialBooks = Author.books
            .with(specialCTE)
            .filter { specialCTE.contains($0.year) }
            .forKey("specialBooks")
        try dbQueue.read { db in
            let authorInfos: [AuthorInfo] =
                try Author
                .including(all: distinctBookKinds)
                .including(all: bookKindInfos)
                .including(all: awardedBooks)
                .including(all: specialBooks)
                .asRequest(of: AuthorInfo.self)
                .fetchAll(db)
            expectEqual(authorInfos.map(\.bookKinds), [["theatrePlay", "novel"], ["novel"], []])
            expectEqual(
                authorInfos.map(\.bookKindInfos),
                [
                    [
                        KindInfo(kind: "novel", maxYear: 1862),
                        KindInfo(kind: "theatrePlay", maxYear: 1830),
                    ],
                    [KindInfo(kind: "novel", maxYear: 1851)], [],
                ])
            expectEqual(authorInfos.map { $0.awardedBooks.map(\.id) }, [[5], [3], []])
            expectEqual(authorInfos.map { $0.specialBooks.map(\.id) }, [[2], [], []])
        }
    }

    // MARK: - Table Aliases

    @Test func tableAliases() throws {
        // A wrong request
        try dbQueue.read { db in
            let error = expectError(DatabaseError.self) {
                try Book.joining(required: Book.author).filter { $0.year >= Column("country") }
                    .fetchAll(db)
            }
            expectEqual(error?.message, "no such column: book.country")
        }
        let authorAlias = TableAlias<Author>()
        let books = Book.joining(required: Book.author.aliased(authorAlias))
        try expect(
            books.filter { $0.title >= authorAlias.name },
            "SELECT book.* \(join) WHERE book.title >= author.name")
        try expect(
            books.filter { $0.title >= authorAlias[Author.Columns.name] },
            "SELECT book.* \(join) WHERE book.title >= author.name")
        try expect(
            books.order { [authorAlias.name, $0.year] },
            "SELECT book.* \(join) ORDER BY author.name, book.year")

        let (b, a) = (TableAlias<Book>(name: "b"), TableAlias<Author>(name: "a"))
        try expect(
            Book.aliased(b)
                .joining(
                    required: Book.author.aliased(a)
                        .filter(sql: "a.country = ?", arguments: ["France"])
                )
                .filter(sql: "b.title >= a.name"),
            """
            SELECT b.* FROM book b JOIN author a ON (a.id = b.authorId) AND (a.country = 'France') \
            WHERE b.title >= a.name
            """)
    }

    // MARK: - Refining Association Requests

    @Test func fluentRequests() throws {
        struct BookInfo: FetchableRecord, Decodable {
            var book: Book
            var author: Author
        }
        let request = Book.all()
            .filter(authorCountry: "France")
            .orderedByAuthorNameAndYear()
            .including(required: Book.author)
        try expect(
            request,
            """
            SELECT book.*, author.* FROM book \
            JOIN author ON (author.id = book.authorId) AND (author.country = 'France') \
            ORDER BY author.name COLLATE swiftLocalizedCaseInsensitiveCompare, book.year
            """)
        try dbQueue.read { db in
            let bookInfos = try request.asRequest(of: BookInfo.self).fetchAll(db)
            expectEqual(bookInfos.map(\.book.year), [1830, 1831, 1862])
            try expectEqual(
                Author.all().filter(country: "USA").orderedByName().fetchAll(db).map(\.id),
                [2])
        }
    }

    // MARK: - Known Issues

    @Test func combinationsThatWork() throws {
        // A required association behind an optional one
        try expect(
            Book.joining(optional: Book.author.including(required: Author.country)),
            """
            SELECT book.*, country.code AS code, country.name AS name FROM book \
            LEFT JOIN (author JOIN country ON country.code = author.homeCode) \
            ON author.id = book.authorId
            """)
        // An association, and one through it
        let awards = Author.hasMany(Award.self, through: Author.books, using: Book.awards)
        try dbQueue.read { db in
            let rows = try Row.fetchAll(
                db, Author.including(all: Author.books).including(all: awards))
            expectEqual(rows.map { $0.prefetchedRows["books"]!.count }, [3, 1, 0])
            expectEqual(rows.map { $0.prefetchedRows["awards"]!.count }, [2, 1, 0])
        }
    }
}

extension DerivableRequest<AssociationsGuide.Author> {
    /// Filters authors by country
    fileprivate func filter(country: String) -> Self {
        filter { $0.country == country }
    }

    fileprivate func orderedByName() -> Self {
        order { $0.name.collating(.localizedCaseInsensitiveCompare) }
    }
}

extension DerivableRequest<AssociationsGuide.Book> {
    /// Filters books by author country
    fileprivate func filter(authorCountry: String) -> Self {
        joining(required: AssociationsGuide.Book.author.filter(country: authorCountry))
    }

    /// Order books by author name and then book title
    fileprivate func orderedByAuthorNameAndYear() -> Self {
        let authorAlias = TableAlias<AssociationsGuide.Author>()
        return
            self
            .joining(optional: AssociationsGuide.Book.author.aliased(authorAlias))
            .order {
                [
                    authorAlias.name.collating(.localizedCaseInsensitiveCompare),
                    $0.year,
                ]
            }
    }
}
