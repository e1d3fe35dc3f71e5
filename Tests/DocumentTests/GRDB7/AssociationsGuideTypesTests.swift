import GRDB
import GRDBTestSupport
import Testing

/// The chapters of the Associations guide on the types of associations, the schema, and on graphs of
/// people, their books and countries.
@Suite(.databases) struct AssociationsGuideTypesTests {
    // MARK: - HasManyThrough, HasOneThrough

    struct Country: TableRecord {
        static let passports = hasMany(Passport.self)
        static let citizens = hasMany(Citizen.self, through: passports, using: Passport.citizen)
        static let demographics = hasOne(Demographics.self, key: "demographics")
    }

    struct Demographics: TableRecord {
        static let country = belongsTo(Country.self)
    }

    struct Passport: TableRecord {
        static let country = belongsTo(Country.self)
        static let citizen = belongsTo(Citizen.self)
    }

    struct Citizen: TableRecord {
        static let passports = hasMany(Passport.self)
        static let countries = hasMany(Country.self, through: passports, using: Passport.country)
    }

    @Test func countriesAndCitizens() throws {
        try TestDatabases.makeQueue().write { db in
            try db.create(table: "country") { t in
                t.primaryKey("code", .text)  // (1)
                t.column("name", .text)
            }
            try db.create(table: "demographics") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("country", onDelete: .cascade)  // (2)
                    .notNull()  // (3)
                    .unique()  // (4)
                t.column("population", .integer)
                t.column("density", .double)
            }
            try db.create(table: "citizen") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text)
            }
            try db.create(table: "passport") { t in
                t.primaryKey {
                    t.belongsTo("country")
                    t.belongsTo("citizen")
                }
            }
            try db.execute(
                sql: """
                    INSERT INTO country VALUES ('FR', 'France'), ('US', 'United States');
                    INSERT INTO demographics VALUES (1, 'FR', 68, 106.0);
                    INSERT INTO citizen VALUES (1, 'Ann'), (2, 'Bob'), (3, 'Cid');
                    INSERT INTO passport VALUES ('FR', 1), ('US', 1), ('US', 2);
                    """)
            let countries = try Row.fetchAll(
                db,
                Country.including(all: Country.citizens).including(
                    optional: Country.demographics))
            expectEqual(
                countries.map { $0.prefetchedRows["citizens"]!.map { $0["name"] as String } },
                [["Ann"], ["Ann", "Bob"]])
            expectEqual(
                countries.map { $0.scopes["demographics"]!["population"] as Int? },
                [68, nil])
            let citizens = try Row.fetchAll(db, Citizen.including(all: Citizen.countries))
            expectEqual(
                citizens.map { $0.prefetchedRows["countries"]!.map { $0["code"] as String } },
                [["FR", "US"], ["US"], []])
            let demographics = try Row.fetchAll(
                db, Demographics.including(required: Demographics.country))
            expectEqual(demographics.map { $0.scopes["country"]!["name"] as String }, ["France"])
        }
    }

    struct Document: TableRecord {
        static let sections = hasMany(Section.self)
        static let paragraphs = hasMany(
            Paragraph.self, through: sections, using: Section.paragraphs)
        static let explicitParagraphs = hasMany(
            Paragraph.self,
            through: Document.hasMany(Section.self),
            using: Section.hasMany(Paragraph.self))
    }

    struct Section: TableRecord {
        static let paragraphs = hasMany(Paragraph.self)
    }

    struct Paragraph: TableRecord {}

    struct Volume: TableRecord {
        static let library = belongsTo(Library.self)
        static let returnAddress = hasOne(
            Address.self, through: library, using: Library.address)
        static let explicitReturnAddress = hasOne(
            Address.self,
            through: Volume.belongsTo(Library.self),
            using: Library.hasOne(Address.self))
    }

    struct Library: TableRecord {
        static let address = hasOne(Address.self)
    }

    struct Address: TableRecord {}

    @Test func shortcuts() throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE document (id INTEGER PRIMARY KEY);
                    CREATE TABLE section (id INTEGER PRIMARY KEY, documentId REFERENCES document);
                    CREATE TABLE paragraph (id INTEGER PRIMARY KEY, sectionId REFERENCES section);
                    INSERT INTO document VALUES (1);
                    INSERT INTO section VALUES (1, 1), (2, 1);
                    INSERT INTO paragraph VALUES (1, 1), (2, 2), (3, 2), (4, NULL);
                    CREATE TABLE library (id INTEGER PRIMARY KEY);
                    CREATE TABLE address (id INTEGER PRIMARY KEY, libraryId REFERENCES library);
                    CREATE TABLE volume (id INTEGER PRIMARY KEY, libraryId REFERENCES library);
                    INSERT INTO library VALUES (1);
                    INSERT INTO address VALUES (7, 1);
                    INSERT INTO volume VALUES (1, 1);
                    """)
            for paragraphs in [Document.paragraphs, Document.explicitParagraphs] {
                let row = try unwrap(
                    Row.fetchOne(db, Document.including(all: paragraphs)))
                expectEqual(row.prefetchedRows["paragraphs"]?.map { $0["id"] as Int }, [1, 2, 3])
            }
            for address in [Volume.returnAddress, Volume.explicitReturnAddress] {
                let row = try unwrap(
                    Row.fetchOne(db, Volume.including(required: address)))
                expectEqual(row.scopesTree["address"]?["id"], 7)
            }
        }
    }

    // MARK: - Self Joins

    struct Employee: Codable, Hashable, FetchableRecord, TableRecord {
        var id: Int64
        var managerId: Int64?
        var name: String

        static let subordinates = hasMany(Employee.self, key: "subordinates")
        static let manager = belongsTo(Employee.self, key: "manager")
    }

    struct EmployeeInfo: FetchableRecord, Decodable {
        var employee: Employee
        var manager: Employee?
        var subordinates: Set<Employee>
    }

    @Test func selfJoins() throws {
        let dbQueue = try TestDatabases.makeQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration("Employees") { db in
            try db.create(table: "employee") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("manager", inTable: "employee", onDelete: .setNull)
                t.column("name", .text)
            }
        }
        try migrator.migrate(dbQueue)
        try dbQueue.write { db in
            try db.execute(
                sql: "INSERT INTO employee VALUES (1, NULL, 'Ann'), (2, 1, 'Bob'), (3, 1, 'Cid')")
            let request =
                Employee
                .including(optional: Employee.manager)
                .including(all: Employee.subordinates)
            let employeeInfos: [EmployeeInfo] = try EmployeeInfo.fetchAll(db, request)
            expectEqual(employeeInfos.map(\.manager?.name), [nil, "Ann", "Ann"])
            expectEqual(
                employeeInfos.map { Set($0.subordinates.map(\.name)) },
                [["Bob", "Cid"], [], []])
        }
    }

    // MARK: - Foreign Keys, Combining Associations

    struct Land: Codable, FetchableRecord, TableRecord {
        static let databaseTableName = "country"
        var code: String
    }

    struct Person: Codable, FetchableRecord, TableRecord {
        var id: Int64
        var name: String

        static let writtenBooks = hasMany(Book.self, using: Book.authorForeignKey)
        static let translatedBooks = hasMany(Book.self, using: Book.translatorForeignKey)
        static let country = belongsTo(Land.self)
    }

    struct Book: Codable, FetchableRecord, TableRecord {
        var id: Int64
        var title: String

        // Table columns
        enum Columns {
            static let authorId = Column("authorId")
            static let translatorId = Column("translatorId")
        }

        // Define foreign keys
        static let authorForeignKey = ForeignKey([Columns.authorId])
        static let translatorForeignKey = ForeignKey([Columns.translatorId])

        // Use foreign keys to define associations:
        static let author = belongsTo(Person.self, key: "author", using: authorForeignKey)
        static let translator = belongsTo(
            Person.self, key: "translator", using: translatorForeignKey)
        static let country = hasOne(Land.self, through: author, using: Person.country)
    }

    struct BookInfo: FetchableRecord, Decodable {
        struct PersonInfo: Decodable {
            var person: Person
            var country: Land?
        }
        enum CodingKeys: CodingKey {
            case book, authorInfo, translatorInfo
        }
        var book: Book
        var authorInfo: PersonInfo
        var translatorInfo: PersonInfo?

        static func all() -> QueryInterfaceRequest<BookInfo> {
            Book
                .including(
                    required: Book.author
                        .forKey(CodingKeys.authorInfo)
                        .including(optional: Person.country)
                )
                .including(
                    optional: Book.translator
                        .forKey(CodingKeys.translatorInfo)
                        .including(optional: Person.country)
                )
                .asRequest(of: BookInfo.self)
        }
    }

    @Test func combiningAssociations() throws {
        try TestDatabases.makeQueue().write { db in
            try db.create(table: "country") { t in
                t.primaryKey("code", .text)
            }
            try db.create(table: "person") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("country")
                t.column("name", .text)
            }
            try db.create(table: "book") { t in
                t.autoIncrementedPrimaryKey("id")
                t.belongsTo("author", inTable: "person")
                t.belongsTo("translator", inTable: "person")
                t.column("title", .text)
            }
            try db.execute(
                sql: """
                    INSERT INTO country VALUES ('FR'), ('RU');
                    INSERT INTO person VALUES (1, 'RU', 'Tolstoy'), (2, 'FR', 'Ann'), (3, NULL, 'Bob');
                    INSERT INTO book VALUES (1, 1, 2, 'War and Peace'), (2, 3, NULL, 'Alone');
                    """)
            try AssociationsGuide.expect(
                db,
                Book
                    .including(required: Book.author)
                    .including(optional: Book.translator),
                """
                SELECT book.*, person1.*, person2.* FROM book \
                JOIN person person1 ON person1.id = book.authorId \
                LEFT JOIN person person2 ON person2.id = book.translatorId
                """)
            for request in [
                Book.joining(optional: Book.author.including(optional: Person.country)),
                Book.including(optional: Book.country),
            ] {
                try AssociationsGuide.expect(
                    db, request,
                    """
                    SELECT book.*, country.* FROM book \
                    LEFT JOIN person ON person.id = book.authorId \
                    LEFT JOIN country ON country.code = person.countryCode
                    """)
            }

            let bookInfos = try BookInfo.all().fetchAll(db)  // [BookInfo]
            expectEqual(bookInfos.map(\.authorInfo.person.name), ["Tolstoy", "Bob"])
            expectEqual(bookInfos.map(\.authorInfo.country?.code), ["RU", nil])
            expectEqual(bookInfos.map(\.translatorInfo?.person.name), ["Ann", nil])
            expectEqual(bookInfos.map(\.translatorInfo?.country?.code), ["FR", nil])

            let people = try Row.fetchAll(
                db,
                Person.including(all: Person.writtenBooks.forKey("written"))
                    .including(all: Person.translatedBooks.forKey("translated")))
            expectEqual(people.map { $0.prefetchedRows["written"]!.count }, [1, 0, 1])
            expectEqual(people.map { $0.prefetchedRows["translated"]!.count }, [0, 1, 0])
        }
    }
}
