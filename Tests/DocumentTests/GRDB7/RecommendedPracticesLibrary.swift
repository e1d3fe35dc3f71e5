import Foundation
import GRDB

/// The application: its record types, its schema, its requests.
extension RecommendedPracticesTests {
    struct Author: Codable, Hashable {
        var id: Int64?
        var name: String
        var countryCode: String?
    }

    struct Book: Codable, Hashable {
        enum Kind: String, Codable {
            case essay, novel, poetry, theater
        }
        var id: Int64?
        var authorId: Int64
        var title: String
        var kind: Kind
    }

    /// An author whose columns are not derived from coding keys.
    struct PlainAuthor: FetchableRecord, TableRecord {
        static let databaseTableName = "author"

        // HOW TO define columns for a non-Codable record
        enum Columns {
            static let id = Column("id")
            static let name = Column("name")
            static let countryCode = Column("countryCode")
        }

        var name: String

        init(row: Row) {
            name = row[Columns.name]
        }
    }

    /// Stands for the types of CoreLocation.
    struct CLLocationCoordinate2D: Equatable {
        var latitude: CLLocationDegrees
        var longitude: CLLocationDegrees
    }
    typealias CLLocationDegrees = Double

    struct Place: Codable {
        var id: Int64?
        var name: String
        private var latitude: CLLocationDegrees
        private var longitude: CLLocationDegrees

        init(name: String, coordinate: CLLocationCoordinate2D) {
            self.name = name
            latitude = coordinate.latitude
            longitude = coordinate.longitude
        }

        var coordinate: CLLocationCoordinate2D {
            get {
                CLLocationCoordinate2D(
                    latitude: latitude,
                    longitude: longitude)
            }
            set {
                latitude = newValue.latitude
                longitude = newValue.longitude
            }
        }
    }

    struct Product: Codable {
        var id: Int64?
        var name: String
        private var priceCents: Int

        init(name: String, price: Decimal) {
            self.name = name
            priceCents = Self.cents(for: price)
        }

        var price: Decimal {
            get {
                Decimal(priceCents) / 100
            }
            set {
                priceCents = Self.cents(for: newValue)
            }
        }

        private static func cents(for value: Decimal) -> Int {
            Int(Double(truncating: NSDecimalNumber(decimal: value * 100)))
        }
    }

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("createLibrary") { db in
            try db.create(table: "author") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull()
                t.column("countryCode", .text)
            }

            try db.create(table: "book") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("title", .text).notNull()
                t.belongsTo("author", onDelete: .cascade)
                    .notNull()
                t.column("kind", .text).notNull()
            }
        }
        migrator.registerMigration("createPlacesAndProducts") { db in
            try db.create(table: "place") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull()
                t.column("latitude", .double).notNull()
                t.column("longitude", .double).notNull()
            }

            try db.create(table: "product") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("name", .text).notNull()
                t.column("priceCents", .integer).notNull()
            }
        }
        return migrator
    }
}

// Add Database access
extension RecommendedPracticesTests.Author: FetchableRecord, MutablePersistableRecord {
    // HOW TO define columns for a Codable record
    enum Columns {
        static let id = Column(CodingKeys.id)
        static let name = Column(CodingKeys.name)
        static let countryCode = Column(CodingKeys.countryCode)
    }

    // Update auto-incremented id upon successful insertion
    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

extension RecommendedPracticesTests.Book: FetchableRecord, MutablePersistableRecord {
    enum Columns {
        static let title = Column(CodingKeys.title)
        static let kind = Column(CodingKeys.kind)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

extension RecommendedPracticesTests.Book.Kind: DatabaseValueConvertible {}

extension RecommendedPracticesTests.Place: FetchableRecord, MutablePersistableRecord {
    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

extension RecommendedPracticesTests.Product: FetchableRecord, MutablePersistableRecord {
    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

// Author requests
extension DerivableRequest<RecommendedPracticesTests.Author> {
    /// Order authors by name, in a localized case-insensitive fashion
    func orderByName() -> Self {
        order { $0.name.collating(.localizedCaseInsensitiveCompare) }
    }

    /// Filters authors from a country
    func filter(countryCode: String) -> Self {
        filter { $0.countryCode == countryCode }
    }
}

// Book requests
extension DerivableRequest<RecommendedPracticesTests.Book> {
    /// Order books by title, in a localized case-insensitive fashion
    func orderByTitle() -> Self {
        order { $0.title.collating(.localizedCaseInsensitiveCompare) }
    }

    /// Filters books by kind
    func filter(kind: RecommendedPracticesTests.Book.Kind) -> Self {
        filter { $0.kind == kind }
    }
}

extension QueryInterfaceRequest<RecommendedPracticesTests.Author> {
    // Selects authors' name
    func selectName() -> QueryInterfaceRequest<String> {
        select(\.name)
    }
}
