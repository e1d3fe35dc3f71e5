import GRDB
import GRDBTestSupport

/// The tables of a library, and their records.
///
/// ```text
/// nation ← author ← book ← prize
///            ↑       ↑
///         portrait  bookGenre → genre
/// ```
enum LibraryTables {
    /// Opens a database with a few rows in each table.
    static func makeQueue() throws -> DatabaseQueue {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { try create($0) }
        return dbQueue
    }

    static func create(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE nation (code TEXT PRIMARY KEY, name TEXT);
                INSERT INTO nation VALUES ('FR', 'France'), ('US', 'USA');

                CREATE TABLE author (
                  id INTEGER PRIMARY KEY,
                  name TEXT,
                  nationCode TEXT REFERENCES nation(code));
                INSERT INTO author VALUES (1, 'Ann', 'FR'), (2, 'Bob', 'US'), (3, 'Cid', NULL);

                CREATE TABLE portrait (
                  authorId INTEGER PRIMARY KEY REFERENCES author(id),
                  caption TEXT);
                INSERT INTO portrait VALUES (1, 'smiling'), (3, 'serious');

                CREATE TABLE book (
                  id INTEGER PRIMARY KEY,
                  authorId INTEGER REFERENCES author(id),
                  title TEXT,
                  year INTEGER);
                INSERT INTO book VALUES
                  (1, 1, 'Ants', 2001), (2, 1, 'Bees', 2002),
                  (3, 2, 'Crows', 2003), (4, NULL, 'Doves', 2004);

                CREATE TABLE prize (
                  id INTEGER PRIMARY KEY,
                  bookId INTEGER REFERENCES book(id),
                  name TEXT,
                  amount INTEGER);
                INSERT INTO prize VALUES
                  (1, 1, 'gold', 100), (2, 1, 'iron', 50), (3, 3, 'lead', 70);

                CREATE TABLE genre (id INTEGER PRIMARY KEY, name TEXT);
                INSERT INTO genre VALUES (1, 'crime'), (2, 'nature');

                CREATE TABLE bookGenre (
                  bookId INTEGER REFERENCES book(id),
                  genreId INTEGER REFERENCES genre(id),
                  PRIMARY KEY (bookId, genreId));
                INSERT INTO bookGenre VALUES (1, 1), (1, 2), (3, 1);

                CREATE TABLE club (id INTEGER PRIMARY KEY, name TEXT);
                INSERT INTO club VALUES (1, 'reds'), (2, 'blues');

                CREATE TABLE debate (
                  id INTEGER PRIMARY KEY,
                  hostId INTEGER REFERENCES club(id),
                  guestId INTEGER REFERENCES club(id));
                INSERT INTO debate VALUES (1, 1, 2), (2, 2, 1), (3, 1, NULL);

                CREATE TABLE topic (
                  id INTEGER PRIMARY KEY,
                  parentId INTEGER REFERENCES topic(id),
                  name TEXT);
                INSERT INTO topic VALUES
                  (1, NULL, 'root'), (2, 1, 'stem'), (3, 2, 'leaf'), (4, 1, 'twig');

                CREATE TABLE shelf (room TEXT, number INTEGER, PRIMARY KEY (room, number));
                INSERT INTO shelf VALUES ('A', 1), ('A', 2), ('B', 1);

                CREATE TABLE copy (
                  id INTEGER PRIMARY KEY,
                  room TEXT,
                  number INTEGER,
                  FOREIGN KEY (room, number) REFERENCES shelf(room, number));
                INSERT INTO copy VALUES
                  (1, 'A', 1), (2, 'A', 1), (3, 'A', 2), (4, NULL, NULL), (5, 'A', NULL);

                CREATE TABLE note (id INTEGER PRIMARY KEY, authorId INTEGER);
                INSERT INTO note VALUES (1, 1), (2, 3);
                """)
    }

    struct Nation: Codable, Hashable, FetchableRecord, PersistableRecord {
        var code: String
        var name: String

        static let authors = hasMany(Author.self)
        static let books = hasMany(Book.self, through: authors, using: Author.books)

        enum Columns {
            static let code = Column(CodingKeys.code)
            static let name = Column(CodingKeys.name)
        }
    }

    struct Author: Codable, Hashable, Identifiable, FetchableRecord, PersistableRecord {
        var id: Int64
        var name: String
        var nationCode: String?

        static let nation = belongsTo(Nation.self)
        static let portrait = hasOne(Portrait.self)
        static let books = hasMany(Book.self)
        static let prizes = hasMany(Prize.self, through: books, using: Book.prizes)
        static let genres = hasMany(Genre.self, through: books, using: Book.genres)

        enum Columns {
            static let id = Column(CodingKeys.id)
            static let name = Column(CodingKeys.name)
            static let nationCode = Column(CodingKeys.nationCode)
        }

        static let ann = Author(id: 1, name: "Ann", nationCode: "FR")
        static let bob = Author(id: 2, name: "Bob", nationCode: "US")
        static let cid = Author(id: 3, name: "Cid")
    }

    struct Portrait: Codable, FetchableRecord, PersistableRecord {
        var authorId: Int64
        var caption: String

        static let author = belongsTo(Author.self)
    }

    struct Book: Codable, Hashable, Identifiable, FetchableRecord, PersistableRecord {
        var id: Int64
        var authorId: Int64?
        var title: String
        var year: Int

        static let author = belongsTo(Author.self)
        static let nation = hasOne(Nation.self, through: author, using: Author.nation)
        static let authorPortrait = hasOne(
            Portrait.self, through: author, using: Author.portrait, key: "authorPortrait")
        static let prizes = hasMany(Prize.self)
        static let bookGenres = hasMany(BookGenre.self)
        static let genres = hasMany(Genre.self, through: bookGenres, using: BookGenre.genre)

        enum Columns {
            static let id = Column(CodingKeys.id)
            static let authorId = Column(CodingKeys.authorId)
            static let title = Column(CodingKeys.title)
            static let year = Column(CodingKeys.year)
        }

        static let ants = Book(id: 1, authorId: 1, title: "Ants", year: 2001)
        static let bees = Book(id: 2, authorId: 1, title: "Bees", year: 2002)
        static let crows = Book(id: 3, authorId: 2, title: "Crows", year: 2003)
        static let doves = Book(id: 4, authorId: nil, title: "Doves", year: 2004)
    }

    struct Prize: Codable, Hashable, FetchableRecord, PersistableRecord {
        var id: Int64
        var bookId: Int64
        var name: String
        var amount: Int

        static let book = belongsTo(Book.self)
        static let author = hasOne(Author.self, through: book, using: Book.author)

        enum Columns {
            static let id = Column(CodingKeys.id)
            static let name = Column(CodingKeys.name)
            static let amount = Column(CodingKeys.amount)
        }
    }

    struct Genre: Codable, Hashable, FetchableRecord, PersistableRecord {
        var id: Int64
        var name: String

        static let bookGenres = hasMany(BookGenre.self)
        static let books = hasMany(Book.self, through: bookGenres, using: BookGenre.book)

        enum Columns {
            static let name = Column(CodingKeys.name)
        }
    }

    struct BookGenre: Codable, FetchableRecord, PersistableRecord {
        var bookId: Int64
        var genreId: Int64

        static let book = belongsTo(Book.self)
        static let genre = belongsTo(Genre.self)
    }

    struct Club: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var name: String

        static let hostings = hasMany(
            Debate.self, key: "hostings", using: ForeignKey(["hostId"]))
        static let visits = hasMany(
            Debate.self, key: "visits", using: ForeignKey([Column("guestId")]))

        enum Columns {
            static let name = Column(CodingKeys.name)
        }
    }

    struct Debate: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var hostId: Int64
        var guestId: Int64?

        static let host = belongsTo(Club.self, key: "host", using: ForeignKey(["hostId"]))
        static let guest = belongsTo(Club.self, key: "guest", using: ForeignKey(["guestId"]))
    }

    struct Topic: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var parentId: Int64?
        var name: String

        static let parent = belongsTo(Topic.self, key: "parent")
        static let children = hasMany(Topic.self, key: "children")

        enum Columns {
            static let id = Column(CodingKeys.id)
            static let name = Column(CodingKeys.name)
        }

        static let root = Topic(id: 1, name: "root")
        static let stem = Topic(id: 2, parentId: 1, name: "stem")
    }

    struct Shelf: Codable, FetchableRecord, PersistableRecord {
        var room: String
        var number: Int

        static let copies = hasMany(Copy.self)
    }

    struct Copy: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var room: String?
        var number: Int?

        static let shelf = belongsTo(Shelf.self)
    }

    /// A table without foreign key.
    struct Note: Codable, FetchableRecord, PersistableRecord {
        var id: Int64
        var authorId: Int64?
    }
}
