import Foundation
import GRDB
import GRDBSQLite

// 1,000 authors, and their 20,000 books.

private struct Author: Codable, FetchableRecord, PersistableRecord {
    static let books = hasMany(Book.self)

    var id: Int64
    var name: String
    var country: String?
}

private struct Book: Codable, FetchableRecord, TableRecord {
    static let author = belongsTo(Author.self)

    var id: Int64
    var authorId: Int64
    var title: String
    var year: Int
    var price: Double
}

private struct AuthorInfo: Codable, FetchableRecord {
    var author: Author
    var books: [Book]

    var checksum: Int {
        books.reduce(Int(author.id) &+ author.name.utf8.count) {
            $0 &+ Int($1.id) &+ $1.title.utf8.count &+ $1.year &+ Int($1.price)
        }
    }
}

private struct BookInfo: Codable, FetchableRecord {
    var book: Book
    var author: Author

    var checksum: Int { Int(book.id) &+ book.title.utf8.count &+ author.name.utf8.count }
}

func associationWorkloads() -> [Workload] {
    raw.execute(
        """
        CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT);
        CREATE TABLE book (
            id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author(id),
            title TEXT NOT NULL, year INTEGER NOT NULL, price REAL NOT NULL);
        INSERT INTO author
        WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 1000)
        SELECT x, 'Author number ' || x, CASE x % 3 WHEN 0 THEN NULL ELSE 'Country' END FROM n;
        INSERT INTO book
        WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 20000)
        SELECT x, x % 1000 + 1, 'The title of book ' || x, 1900 + x % 100, x / 4.0 FROM n;
        CREATE INDEX book_on_authorId ON book(authorId);
        """)

    @inline(__always)
    func rawAuthor(_ s: OpaquePointer, _ start: CInt = 0) -> Author {
        Author(
            id: sqlite3_column_int64(s, start), name: rawText(s, start + 1),
            country: sqlite3_column_type(s, start + 2) == SQLITE_NULL ? nil : rawText(s, start + 2))
    }
    @inline(__always)
    func rawBook(_ s: OpaquePointer) -> Book {
        Book(
            id: sqlite3_column_int64(s, 0), authorId: sqlite3_column_int64(s, 1),
            title: rawText(s, 2), year: Int(sqlite3_column_int64(s, 3)),
            price: sqlite3_column_double(s, 4))
    }

    return [
        Workload(name: "1k authors including all 20k books, Codable", count: 20_000) {
            let authors = raw.prepare("SELECT * FROM author")
            defer { sqlite3_finalize(authors) }
            var infos: [AuthorInfo] = []
            var indexes: [Int64: Int] = [:]
            while sqlite3_step(authors) == SQLITE_ROW {
                let author = rawAuthor(authors)
                indexes[author.id] = infos.count
                infos.append(AuthorInfo(author: author, books: []))
            }
            let list = infos.map { String($0.author.id) }.joined(separator: ",")
            let books = raw.prepare("SELECT * FROM book WHERE authorId IN (\(list))")
            defer { sqlite3_finalize(books) }
            while sqlite3_step(books) == SQLITE_ROW {
                let book = rawBook(books)
                infos[indexes[book.authorId]!].books.append(book)
            }
            return infos.reduce(0) { $0 &+ $1.checksum }
        } library: {
            try dbQueue.read { db in
                try Author.including(all: Author.books)
                    .asRequest(of: AuthorInfo.self)
                    .fetchAll(db)
                    .reduce(0) { $0 &+ $1.checksum }
            }
        },
        Workload(name: "20k books including their author, Codable", count: 20_000) {
            let s = raw.prepare(
                "SELECT book.*, author.* FROM book JOIN author ON author.id = book.authorId")
            defer { sqlite3_finalize(s) }
            var infos: [BookInfo] = []
            while sqlite3_step(s) == SQLITE_ROW {
                infos.append(BookInfo(book: rawBook(s), author: rawAuthor(s, 5)))
            }
            return infos.reduce(0) { $0 &+ $1.checksum }
        } library: {
            try dbQueue.read { db in
                try Book.including(required: Book.author)
                    .asRequest(of: BookInfo.self)
                    .fetchAll(db)
                    .reduce(0) { $0 &+ $1.checksum }
            }
        },
        Workload(name: "20k times one book with its author, by key, Codable", count: 20_000) {
            let s = raw.prepare(
                """
                SELECT book.*, author.* FROM book JOIN author ON author.id = book.authorId
                WHERE book.id = ?
                """)
            defer { sqlite3_finalize(s) }
            return (1...20_000).reduce(0) { sum, id in
                sqlite3_bind_int64(s, 1, Int64(id))
                precondition(sqlite3_step(s) == SQLITE_ROW)
                let info = BookInfo(book: rawBook(s), author: rawAuthor(s, 5))
                sqlite3_reset(s)
                return sum &+ info.checksum
            }
        } library: {
            try dbQueue.read { db in
                try (1...20_000).reduce(0) { sum, id in
                    try sum
                        &+ Book.filter(key: id).including(required: Book.author)
                        .asRequest(of: BookInfo.self)
                        .fetchOne(db)!.checksum
                }
            }
        },
        Workload(name: "1k times the 20 books of an author, Codable", count: 1_000) {
            let s = raw.prepare("SELECT * FROM book WHERE authorId = ?")
            defer { sqlite3_finalize(s) }
            return (1...1_000).reduce(0) { sum, id in
                sqlite3_bind_int64(s, 1, Int64(id))
                var books: [Book] = []
                while sqlite3_step(s) == SQLITE_ROW { books.append(rawBook(s)) }
                sqlite3_reset(s)
                return books.reduce(sum) { $0 &+ Int($1.id) &+ $1.title.utf8.count }
            }
        } library: {
            try dbQueue.read { db in
                try (1...1_000).reduce(0) { sum, id in
                    let author = Author(id: Int64(id), name: "", country: nil)
                    return try author.request(for: Author.books).fetchAll(db)
                        .reduce(sum) { $0 &+ Int($1.id) &+ $1.title.utf8.count }
                }
            }
        },
    ]
}
