import GRDB
import GRDBTestSupport
import Testing

/// The chapter "Record Requests" of the page "Recommended Practices for Designing Record Types".
@Suite(.databases) struct RecordRequestsDocumentTests {
    struct Author: Codable, FetchableRecord, MutablePersistableRecord {
        enum Columns {
            static let id = Column(CodingKeys.id)
            static let name = Column(CodingKeys.name)
            static let countryCode = Column(CodingKeys.countryCode)
        }

        var id: Int64?
        var name: String
        var countryCode: String?
    }

    struct Book: Codable, FetchableRecord, MutablePersistableRecord {
        enum Kind: String, Codable, DatabaseValueConvertible {
            case essay, novel, poetry, theater
        }

        enum Columns {
            static let title = Column(CodingKeys.title)
            static let kind = Column(CodingKeys.kind)
        }

        var title: String
        var kind: Kind
    }

    private func withLibrary(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT, countryCode TEXT);
                    INSERT INTO author VALUES
                        (1, 'Perec', 'FR'), (2, 'Éluard', 'FR'), (3, 'Ōe', 'JP'),
                        (4, 'murakami', 'JP'), (5, 'Zafón', 'ES'), (6, 'cervantes', 'ES');
                    CREATE TABLE book (title TEXT, kind TEXT);
                    INSERT INTO book VALUES ('Don Quixote', 'novel'), ('Odes', 'poetry');
                    """)
            try body(db)
        }
    }

    @Test func columns() throws {
        try withLibrary { db in
            try expectSQL(
                """
                SELECT * FROM "author" ORDER BY "name" COLLATE swiftLocalizedCaseInsensitiveCompare
                SELECT COUNT(*) FROM "author" WHERE "countryCode" = 'FR'
                """
            ) {
                // Fetch all authors, ordered by name, in a localized case-insensitive fashion
                let sortedAuthors: [Author] = try Author.all()
                    .order { $0.name.collating(.localizedCaseInsensitiveCompare) }
                    .fetchAll(db)
                expectEqual(
                    sortedAuthors.map(\.name),
                    ["cervantes", "Éluard", "murakami", "Ōe", "Perec", "Zafón"])

                // Count French authors
                let frenchAuthorCount: Int = try Author.all()
                    .filter { $0.countryCode == "FR" }
                    .fetchCount(db)
                expectEqual(frenchAuthorCount, 2)
            }
        }
    }

    @Test func requestMethods() throws {
        try withLibrary { db in
            try expectSQL(
                """
                SELECT * FROM "author" WHERE "countryCode" = 'ES' \
                ORDER BY "name" COLLATE swiftLocalizedCaseInsensitiveCompare
                SELECT COUNT(*) FROM "book" WHERE "kind" = 'novel'
                SELECT "name" FROM "author" WHERE "countryCode" = 'JP'
                """
            ) {
                let sortedSpanishAuthors: [Author] = try Author.all()
                    .filter(countryCode: "ES")
                    .orderByName()
                    .fetchAll(db)
                expectEqual(sortedSpanishAuthors.map(\.name), ["cervantes", "Zafón"])

                let novelCount: Int = try Book.all()
                    .filter(kind: .novel)
                    .fetchCount(db)
                expectEqual(novelCount, 1)

                // The names of Japanese authors
                let names: Set<String> = try Author.all()
                    .filter(countryCode: "JP")
                    .selectName()
                    .fetchSet(db)
                expectEqual(names, ["Ōe", "murakami"])
            }
        }
    }
}

// Author requests
extension DerivableRequest<RecordRequestsDocumentTests.Author> {
    /// Order authors by name, in a localized case-insensitive fashion
    fileprivate func orderByName() -> Self {
        order { $0.name.collating(.localizedCaseInsensitiveCompare) }
    }

    /// Filters authors from a country
    fileprivate func filter(countryCode: String) -> Self {
        filter { $0.countryCode == countryCode }
    }
}

// Book requests
extension DerivableRequest<RecordRequestsDocumentTests.Book> {
    /// Filters books by kind
    fileprivate func filter(kind: RecordRequestsDocumentTests.Book.Kind) -> Self {
        filter { $0.kind == kind }
    }
}

extension QueryInterfaceRequest<RecordRequestsDocumentTests.Author> {
    // Selects authors' name
    fileprivate func selectName() -> QueryInterfaceRequest<String> {
        select(\.name)
    }
}
