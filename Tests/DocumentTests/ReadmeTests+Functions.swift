import Foundation
import GRDB
import GRDBTestSupport
import Testing

// The snippets on functions and full text.

extension ReadmeTests {
    // swift-format-ignore
    @Test func fullText() throws {
        // snippet: full-text
        struct Book: Codable, FetchableRecord, PersistableRecord {
            static let text = belongsTo(BookText.self, using: ForeignKey(["id"], to: ["rowid"]))

            var id: Int64
            var title: String
        }

        struct BookText: TableRecord {
            static let databaseTableName = "book_ft"
        }

        func search(_ db: Database) throws -> [Book] {
            try db.create(virtualTable: "book_ft", using: FTS5()) { t in
                t.synchronize(withTable: "book")
                t.tokenizer = .porter()
                t.column("title")
            }

            // Books on whales and seas, the most relevant ones first
            let pattern = FTS5Pattern(matchingAllTokensIn: "whale, sea")
            let books = try Book
                .joining(required: Book.text.matching(pattern).order(Column.rank))
                .fetchAll(db)
            // end
            return books
        }
        let titles = try DatabaseQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT);
                    INSERT INTO book VALUES
                        (1, 'Whales, and other large animals of all seas'), (2, 'Emma'),
                        (3, 'The Whales’ Sea');
                    """)
            return try search(db).map(\.title)
        }
        expectEqual(titles, ["The Whales’ Sea", "Whales, and other large animals of all seas"])
    }

    @Test func tokenizer() throws {
        // snippet: tokenizer
        /// Finds "HTTP" for "protocol", too.
        final class AliasTokenizer: FTS5WrapperTokenizer {
            static let name = "alias"
            let wrappedTokenizer: any FTS5Tokenizer

            init(db: Database, arguments: [String]) throws {
                wrappedTokenizer = try db.makeTokenizer(.unicode61())
            }

            func accept(
                token: String, flags: FTS5TokenFlags, for tokenization: FTS5Tokenization,
                tokenCallback: FTS5WrapperTokenCallback
            ) throws {
                try tokenCallback(token, flags)
                if token == "http", tokenization.contains(.document) {
                    try tokenCallback("protocol", flags.union(.colocated))
                }
            }
        }

        func search(_ db: Database) throws -> [String] {
            db.add(tokenizer: AliasTokenizer.self)
            try db.create(virtualTable: "document", using: FTS5()) { t in
                t.tokenizer = AliasTokenizer.tokenizerDescriptor()
                t.column("body")
            }
            try db.execute(literal: "INSERT INTO document VALUES (\("How HTTP works"))")
            return
                try String.fetchAll(
                    db, sql: "SELECT body FROM document WHERE document MATCH 'protocol'")
            // end
        }
        try expectEqual(makeQueue().write(search), ["How HTTP works"])
    }

    @Test func functions() throws {
        func check(_ db: Database) throws -> String? {
            // snippet: functions
            let initials = DatabaseFunction("initials", pure: true) { (text: String) in
                String(text.split(separator: " ").compactMap(\.first))
            }
            db.add(function: initials)
            return
                try String.fetchOne(db, sql: "SELECT initials('Arthur Dent')")  // "AD"
            // end
        }
        try expectEqual(makeQueue().read(check), "AD")
    }
}
