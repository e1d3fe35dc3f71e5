import GRDB
import GRDBTestSupport
import Testing

/// The tables and the records of the Associations guide.
enum AssociationsGuide {
    static func makeQueue() throws -> DatabaseQueue {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.create(table: "country") { t in
                t.primaryKey("code", .text)
                t.column("name", .text)
            }
            try db.create(table: "author") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull()
                t.column("country", .text)
                t.belongsTo("home", inTable: "country")
            }
            try db.create(table: "book") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("author", onDelete: .cascade)
                t.column("title", .text).notNull()
                t.column("year", .integer).notNull()
                t.column("kind", .text).notNull()
            }
            try db.create(table: "award") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("book")
            }
            try db.create(table: "coverImage") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("book")
                t.column("path", .text)
            }
            try db.create(table: "painting") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("author")
            }
            try db.execute(
                sql: """
                    INSERT INTO country VALUES ('FR', 'France'), ('US', 'United States');
                    INSERT INTO author VALUES
                      (1, 'Hugo', 'France', 'FR'), (2, 'Melville', 'USA', 'US'), (3, 'Quiet', NULL, NULL);
                    INSERT INTO book VALUES
                      (1, 1, 'Hernani', 1830, 'theatrePlay'), (2, 1, 'Notre-Dame', 1831, 'novel'),
                      (3, 2, 'Moby-Dick', 1851, 'novel'), (4, NULL, 'Beowulf', 1000, 'poem'),
                      (5, 1, 'Les Misérables', 1862, 'novel');
                    INSERT INTO award VALUES (1, 3), (2, 5), (3, 5);
                    INSERT INTO coverImage VALUES (1, 5, 'cosette.png');
                    INSERT INTO painting VALUES (1, 1), (2, 3);
                    """)
        }
        return dbQueue
    }

    /// Expects the SQL of the guide, which has no quotes around names.
    static func expect(
        _ db: Database, _ request: some FetchRequest, _ sql: String,
        file: String = #filePath, line: Int = #line
    ) throws {
        let statements = try db.statements { _ = try Row.fetchAll(db, request) }
        expectSQL(
            statements.joined(separator: "\n").filter { $0 != "\"" }, equals: sql,
            file: file, line: line)
    }

    struct Country: Codable, Hashable, FetchableRecord, PersistableRecord {
        var code: String
        var name: String
    }

    struct Author: Codable, Hashable, Identifiable, FetchableRecord, PersistableRecord {
        var id: Int64
        var name: String
        var country: String?

        static let books = hasMany(Book.self)
        static let paintings = hasMany(Painting.self)
        static let country = belongsTo(Country.self)
        static let novels =
            books
            .filter { $0.kind == "novel" }
            .forKey("novels")

        enum Columns {
            static let id = Column(CodingKeys.id)
            static let name = Column(CodingKeys.name)
            static let country = Column(CodingKeys.country)
        }

        var books: QueryInterfaceRequest<Book> {
            request(for: Author.books)
        }
    }

    struct Book: Codable, Hashable, Identifiable, FetchableRecord, PersistableRecord {
        var id: Int64
        var authorId: Int64?
        var title: String
        var year: Int
        var kind: String

        static let author = belongsTo(Author.self)
        static let awards = hasMany(Award.self)
        static let coverImage = hasOne(CoverImage.self)

        enum Columns {
            static let id = Column(CodingKeys.id)
            static let authorId = Column(CodingKeys.authorId)
            static let title = Column(CodingKeys.title)
            static let year = Column(CodingKeys.year)
            static let kind = Column(CodingKeys.kind)
        }

        var author: QueryInterfaceRequest<Author> {
            request(for: Book.author)
        }
    }

    struct Award: Codable, Hashable, FetchableRecord, PersistableRecord {
        var id: Int64
    }

    struct CoverImage: Codable, Hashable, FetchableRecord, PersistableRecord {
        var id: Int64
        var path: String
    }

    struct Painting: Codable, Hashable, FetchableRecord, PersistableRecord {
        var id: Int64
    }
}

/// Suites on the guide.
protocol AssociationsGuideSuite {
    var dbQueue: DatabaseQueue { get }
}

extension AssociationsGuideSuite {
    typealias Author = AssociationsGuide.Author
    typealias Book = AssociationsGuide.Book
    typealias Award = AssociationsGuide.Award
    typealias CoverImage = AssociationsGuide.CoverImage

    func expect(
        _ request: some FetchRequest, _ sql: String, file: String = #filePath, line: Int = #line
    ) throws {
        try dbQueue.read { db in
            try AssociationsGuide.expect(db, request, sql, file: file, line: line)
        }
    }
}
