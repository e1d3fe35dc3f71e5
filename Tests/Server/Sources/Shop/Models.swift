import GRDB
import Hummingbird

struct Category: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let products = hasMany(Product.self)

    var id: Int64
    var name: String
}

/// What is sold. `PUT /products/:id` sends one, and stores it whether or not it is there.
struct Product: Codable, FetchableRecord, PersistableRecord, Sendable, ResponseCodable {
    static let category = belongsTo(Category.self)

    var id: Int64
    var categoryId: Int64
    var name: String
    var description: String
    /// In cents.
    var price: Int
    var stock: Int
}

struct Purchase: Codable, FetchableRecord, MutablePersistableRecord, Sendable {
    static let lines = hasMany(PurchaseLine.self)

    var id: Int64?
    /// What the client calls the purchase. A request that is repeated changes nothing.
    var reference: String
    var total: Int

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

struct PurchaseLine: Codable, FetchableRecord, PersistableRecord, Sendable {
    static let product = belongsTo(Product.self)

    var purchaseId: Int64
    var productId: Int64
    var quantity: Int
    var price: Int
}

// MARK: - What is sent and received

struct ProductPage: Codable, FetchableRecord, Sendable, ResponseCodable {
    var product: Product
    var category: Category
}

struct SearchHit: Codable, FetchableRecord, Sendable, ResponseCodable {
    var id: Int64
    var name: String
    var snippet: String
    var rank: Double
}

struct NewPurchase: Codable, Sendable {
    struct Line: Codable, Sendable {
        var product: Int64
        var quantity: Int
    }
    var reference: String
    var lines: [Line]
}

struct PurchasePage: Codable, FetchableRecord, Sendable, ResponseCodable {
    struct Line: Codable, FetchableRecord, Sendable {
        var purchaseLine: PurchaseLine
        var product: ProductName
    }
    struct ProductName: Codable, FetchableRecord, Sendable {
        var name: String
    }
    var purchase: Purchase
    var lines: [Line]
}

/// What `GET /events` sends after each change.
struct Totals: Codable, FetchableRecord, Equatable, Sendable {
    var purchases: Int
    var revenue: Int
}
