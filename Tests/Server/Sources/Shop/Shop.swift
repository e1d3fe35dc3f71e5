import GRDB

/// What the shop reads and writes. The handlers of requests know no SQL.
struct Shop: Sendable {
    let pool: DatabasePool

    func isHealthy() async throws -> Bool {
        try await pool.read { db in try Int.fetchOne(db, sql: "SELECT 1") == 1 }
    }

    func product(id: Int64) async throws -> ProductPage? {
        try await pool.read { db in
            try Product.filter(key: id)
                .including(required: Product.category)
                .asRequest(of: ProductPage.self)
                .fetchOne(db)
        }
    }

    func products(category: String, after id: Int64) async throws -> [Product] {
        try await pool.read { db in
            try Product
                .joining(required: Product.category.filter(Column("name") == category))
                .filter(Column("id") > id)
                .order(Column("id"))
                .limit(20)
                .fetchAll(db)
        }
    }

    /// Stores the product, whether or not it is there. A product that is there keeps its stock.
    func upsert(_ product: Product) async throws -> Product {
        try await pool.write { db in
            try product.upsertAndFetch(
                db, onConflict: ["id"], doUpdate: { _ in [Column("stock").noOverwrite] })
        }
    }

    /// The best hits first, each with an extract of its text in which the words are marked.
    func search(_ text: String) async throws -> [SearchHit] {
        guard let pattern = FTS5Pattern(matchingAllPrefixesIn: text) else { return [] }
        return try await pool.read { db in
            try SearchHit.fetchAll(
                db,
                sql: """
                    SELECT product.id, product.name, productText.rank,
                           snippet(productText, 1, '<b>', '</b>', '…', 12) AS snippet
                    FROM productText
                    JOIN product ON product.id = productText.rowid
                    WHERE productText MATCH ?
                    ORDER BY productText.rank
                    LIMIT 10
                    """,
                arguments: [pattern])
        }
    }

    /// Stores a purchase with its lines, and takes what it has from the stock: all of it, or nothing. A
    /// purchase whose reference is known is returned as it is.
    func buy(_ new: NewPurchase) async throws -> PurchasePage {
        try await pool.write { db in
            if let known = try Purchase.filter(Column("reference") == new.reference).fetchOne(db) {
                return try page(known, db)
            }
            let products = try Product.fetchAll(db, keys: new.lines.map(\.product))
            let prices = Dictionary(uniqueKeysWithValues: products.map { ($0.id, $0.price) })
            var purchase = Purchase(reference: new.reference, total: 0)
            for line in new.lines {
                guard let price = prices[line.product], line.quantity > 0 else {
                    throw ShopError.unknownProduct
                }
                purchase.total += price * line.quantity
            }
            try purchase.insert(db)
            for line in new.lines {
                try PurchaseLine(
                    purchaseId: purchase.id!, productId: line.product, quantity: line.quantity,
                    price: prices[line.product]!
                ).insert(db)
                let changed =
                    try Product
                    .filter(Column("id") == line.product && Column("stock") >= line.quantity)
                    .updateAll(db, Column("stock") -= line.quantity)
                guard changed == 1 else { throw ShopError.soldOut }
            }
            try db.execute(
                sql: "UPDATE totals SET purchases = purchases + 1, revenue = revenue + ?",
                arguments: [purchase.total])
            return try page(purchase, db)
        }
    }

    func purchase(id: Int64) async throws -> PurchasePage? {
        try await pool.read { db in
            guard let purchase = try Purchase.fetchOne(db, key: id) else { return nil }
            return try page(purchase, db)
        }
    }

    /// The totals now, and after each change.
    func totals() -> AsyncValueObservation<Totals> {
        ValueObservation
            .tracking { db in try Totals.fetchOne(db, sql: "SELECT purchases, revenue FROM totals")!
            }
            .removeDuplicates()
            .values(in: pool, bufferingPolicy: .bufferingNewest(1))
    }

    private func page(_ purchase: Purchase, _ db: Database) throws -> PurchasePage {
        try PurchasePage(
            purchase: purchase,
            lines: purchase.request(for: Purchase.lines)
                .including(required: PurchaseLine.product.select(Column("name")))
                .order(Column("productId"))
                .asRequest(of: PurchasePage.Line.self)
                .fetchAll(db))
    }
}

enum ShopError: Error {
    case unknownProduct
    case soldOut
}
