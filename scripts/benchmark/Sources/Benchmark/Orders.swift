import Foundation
import GRDB
import GRDBSQLite

// The benchmark that other packages publish, and that Lighter began: all orders of the Northwind database, in
// 14 columns, most of which are optional. Here, there are 50,000 of them. Dates are strings, or parsed.

private struct Order: Codable, FetchableRecord, TableRecord {
    static let databaseTableName = "orders"

    var orderID: Int
    var customerID: String?
    var employeeID: Int?
    var orderDate: String?
    var requiredDate: String?
    var shippedDate: String?
    var shipVia: Int?
    var freight: Double?
    var shipName: String?
    var shipAddress: String?
    var shipCity: String?
    var shipRegion: String?
    var shipPostalCode: String?
    var shipCountry: String?

    var checksum: Int {
        length(customerID) &+ length(orderDate) &+ length(requiredDate) &+ length(shippedDate)
            &+ length(shipName) &+ length(shipAddress) &+ length(shipCity) &+ length(shipRegion)
            &+ length(shipPostalCode) &+ length(shipCountry) &+ orderID &+ (employeeID ?? 0)
            &+ (shipVia ?? 0) &+ Int(freight ?? 0)
    }
}

private struct DatedOrder: Codable, FetchableRecord, TableRecord {
    static let databaseTableName = "orders"

    var orderID: Int
    var customerID: String?
    var employeeID: Int?
    var orderDate: Date?
    var requiredDate: Date?
    var shippedDate: Date?
    var shipVia: Int?
    var freight: Double?
    var shipName: String?
    var shipAddress: String?
    var shipCity: String?
    var shipRegion: String?
    var shipPostalCode: String?
    var shipCountry: String?

    var checksum: Int {
        number(orderDate) &+ number(requiredDate) &+ number(shippedDate) &+ length(customerID)
            &+ length(shipName) &+ length(shipAddress) &+ length(shipCity) &+ length(shipRegion)
            &+ length(shipPostalCode) &+ length(shipCountry) &+ orderID &+ (employeeID ?? 0)
            &+ (shipVia ?? 0) &+ Int(freight ?? 0)
    }
}

private func length(_ text: String?) -> Int { text?.utf8.count ?? 0 }
private func number(_ date: Date?) -> Int { Int(date?.timeIntervalSince1970 ?? 0) }

/// The orders, with their own `init(row:)`.
private struct NamedOrder: FetchableRecord {
    let order: Order

    init(row: Row) {
        order = Order(
            orderID: row["orderID"], customerID: row["customerID"], employeeID: row["employeeID"],
            orderDate: row["orderDate"], requiredDate: row["requiredDate"],
            shippedDate: row["shippedDate"], shipVia: row["shipVia"], freight: row["freight"],
            shipName: row["shipName"], shipAddress: row["shipAddress"], shipCity: row["shipCity"],
            shipRegion: row["shipRegion"], shipPostalCode: row["shipPostalCode"],
            shipCountry: row["shipCountry"])
    }
}

private struct NamedDatedOrder: FetchableRecord {
    let order: DatedOrder

    init(row: Row) {
        order = DatedOrder(
            orderID: row["orderID"], customerID: row["customerID"], employeeID: row["employeeID"],
            orderDate: row["orderDate"], requiredDate: row["requiredDate"],
            shippedDate: row["shippedDate"], shipVia: row["shipVia"], freight: row["freight"],
            shipName: row["shipName"], shipAddress: row["shipAddress"], shipCity: row["shipCity"],
            shipRegion: row["shipRegion"], shipPostalCode: row["shipPostalCode"],
            shipCountry: row["shipCountry"])
    }
}

func orderWorkloads() -> [Workload] {
    raw.execute(
        """
        CREATE TABLE orders (
            orderID INTEGER PRIMARY KEY, customerID TEXT, employeeID INTEGER, orderDate TEXT,
            requiredDate TEXT, shippedDate TEXT, shipVia INTEGER, freight REAL, shipName TEXT,
            shipAddress TEXT, shipCity TEXT, shipRegion TEXT, shipPostalCode TEXT, shipCountry TEXT);
        INSERT INTO orders
        WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 50000)
        SELECT x, 'CUS' || x % 90, x % 9, strftime('%F %H:%M:%f', 836000000 + x * 10007, 'unixepoch'),
            strftime('%F %H:%M:%f', 838000000 + x * 10007, 'unixepoch'),
            CASE x % 20 WHEN 0 THEN NULL
                ELSE strftime('%F %H:%M:%f', 837000000 + x * 10007, 'unixepoch') END,
            x % 3 + 1, x / 7.0, 'Die Wandernde Kuh ' || x % 90, x || ' rue de l''Abbaye', 'Reims',
            CASE x % 3 WHEN 0 THEN 'Western Europe' END, '51100', 'France'
        FROM n
        """)
    func text(_ s: OpaquePointer, _ i: CInt) -> String? {
        sqlite3_column_type(s, i) == SQLITE_NULL ? nil : rawText(s, i)
    }
    func integer(_ s: OpaquePointer, _ i: CInt) -> Int? {
        sqlite3_column_type(s, i) == SQLITE_NULL ? nil : Int(sqlite3_column_int64(s, i))
    }
    func double(_ s: OpaquePointer, _ i: CInt) -> Double? {
        sqlite3_column_type(s, i) == SQLITE_NULL ? nil : sqlite3_column_double(s, i)
    }
    func date(_ s: OpaquePointer, _ i: CInt) -> Date? {
        sqlite3_column_type(s, i) == SQLITE_NULL ? nil : rawDate(s, i)
    }
    func rawOrders() -> Int {
        let s = raw.prepare("SELECT * FROM orders")
        defer { sqlite3_finalize(s) }
        var orders: [Order] = []
        while sqlite3_step(s) == SQLITE_ROW {
            orders.append(
                Order(
                    orderID: Int(sqlite3_column_int64(s, 0)), customerID: text(s, 1),
                    employeeID: integer(s, 2), orderDate: text(s, 3), requiredDate: text(s, 4),
                    shippedDate: text(s, 5), shipVia: integer(s, 6), freight: double(s, 7),
                    shipName: text(s, 8), shipAddress: text(s, 9), shipCity: text(s, 10),
                    shipRegion: text(s, 11), shipPostalCode: text(s, 12), shipCountry: text(s, 13)))
        }
        return orders.reduce(0) { $0 &+ $1.checksum }
    }
    func rawDatedOrders() -> Int {
        let s = raw.prepare("SELECT * FROM orders")
        defer { sqlite3_finalize(s) }
        var orders: [DatedOrder] = []
        while sqlite3_step(s) == SQLITE_ROW {
            orders.append(
                DatedOrder(
                    orderID: Int(sqlite3_column_int64(s, 0)), customerID: text(s, 1),
                    employeeID: integer(s, 2), orderDate: date(s, 3), requiredDate: date(s, 4),
                    shippedDate: date(s, 5), shipVia: integer(s, 6), freight: double(s, 7),
                    shipName: text(s, 8), shipAddress: text(s, 9), shipCity: text(s, 10),
                    shipRegion: text(s, 11), shipPostalCode: text(s, 12), shipCountry: text(s, 13)))
        }
        return orders.reduce(0) { $0 &+ $1.checksum }
    }
    func workload(
        _ name: String, twin: @escaping () throws -> Int,
        _ fetch: @escaping (Database) throws -> Int
    ) -> Workload {
        Workload(name: "50k orders of 14 columns, \(name)", count: 50_000, twin: twin) {
            try dbQueue.read(fetch)
        }
    }
    return [
        workload("init(row:)", twin: rawOrders) { db in
            try NamedOrder.fetchAll(db, sql: "SELECT * FROM orders")
                .reduce(0) { $0 &+ $1.order.checksum }
        },
        workload("Codable", twin: rawOrders) { db in
            try Order.fetchAll(db).reduce(0) { $0 &+ $1.checksum }
        },
        workload("with dates, init(row:)", twin: rawDatedOrders) { db in
            try NamedDatedOrder.fetchAll(db, sql: "SELECT * FROM orders")
                .reduce(0) { $0 &+ $1.order.checksum }
        },
        workload("with dates, Codable", twin: rawDatedOrders) { db in
            try DatedOrder.fetchAll(db).reduce(0) { $0 &+ $1.checksum }
        },
    ]
}
