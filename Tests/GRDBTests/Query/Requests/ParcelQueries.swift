import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Suites that ask about parcels: expectations on the SQL and the rows of expressions, requests,
/// and writes.
///
/// Three parcels are in the database. The third one has nothing but an id.
protocol ParcelQueries {
    var dbQueue: DatabaseQueue { get }
}

extension ParcelQueries {
    var id: Column { Column("id") }
    var width: Column { Column("width") }
    var height: Column { Column("height") }
    var depth: Column { Column("depth") }
    var label: Column { Column("label") }
    var sentOn: Column { Column("sentOn") }
    var isFragile: Column { Column("isFragile") }
    var contents: JSONColumn { JSONColumn("contents") }
    var weight: Column { Column("weight") }
    var load: Column { Column("load") }

    var epoch: Date { Date(timeIntervalSince1970: 0) }
    var noInt: Int? { nil }
    var someInt: Int? { 5 }
    var noString: String? { nil }
    var uuid: UUID { UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")! }

    // MARK: - Expressions

    /// Expects the SQL and the arguments of an expression, alone, selected, and in a filter; then
    /// its values for the three parcels.
    ///
    /// - parameter values: separated with bars. `JSON` stands for the contents of the first parcel.
    func expect(
        _ expression: some SQLSpecificExpressible, _ sql: String, _ values: String? = nil,
        file: String = #filePath, line: Int = #line
    ) throws {
        try dbQueue.write { db in
            let written = try text("\(expression)", db)
            expectEqual(written, sql, file: file, line: line)
            let (expressionSQL, arguments) = try ("\(expression)" as SQL).build(db)
            try expectEqual(
                text("\(Parcel.select(expression))", db),
                describe(#"SELECT \#(expressionSQL) FROM "parcel""#, arguments),
                file: file, line: line)
            try expectEqual(
                text("\(Parcel.filter(expression))", db),
                describe(#"SELECT * FROM "parcel" WHERE \#(expressionSQL)"#, arguments),
                file: file, line: line)
            guard let values else { return }
            let found = try DatabaseValue.fetchAll(db, Parcel.select(expression))
            let description = found.map(cell).joined(separator: " | ")
            expectEqual(description, values, file: file, line: line)
        }
    }

    /// Expects an error when an expression is selected.
    func expectFailure(
        _ expression: some SQLSpecificExpressible, _ sql: String, _ message: String,
        file: String = #filePath, line: Int = #line
    ) throws {
        try expect(expression, sql, file: file, line: line)
        let error = expectError(DatabaseError.self, file: file, line: line) {
            try dbQueue.write { db in
                _ = try DatabaseValue.fetchAll(db, Parcel.select(expression))
            }
        }
        expectEqual(error?.message, message, file: file, line: line)
    }

    // MARK: - Requests

    /// Expects the SQL, the arguments and the rows of a request that gets a limit when one row is
    /// wanted.
    func expect(
        _ request: some FetchRequest, _ sql: String, _ rows: String? = nil,
        file: String = #filePath, line: Int = #line
    ) throws {
        try expect(request, sql, rows, limit: " LIMIT 1", file, line)
    }

    /// Expects the SQL, the arguments and the rows of a request that gets no other SQL when one row
    /// is wanted.
    func expectSingle(
        _ request: some FetchRequest, _ sql: String, _ rows: String? = nil,
        file: String = #filePath, line: Int = #line
    ) throws {
        try expect(request, sql, rows, limit: "", file, line)
    }

    private func expect(
        _ request: some FetchRequest, _ sql: String, _ rows: String?, limit: String,
        _ file: String, _ line: Int
    ) throws {
        try dbQueue.write { db in
            let prepared = try request.makePreparedRequest(db)
            let statement = prepared.statement
            let written = describe(statement.sql, statement.arguments)
            expectEqual(written, sql, file: file, line: line)
            let single = try request.makePreparedRequest(db, forSingleResult: true).statement
            expectEqual(single.sql, statement.sql + limit, file: file, line: line)
            guard let rows else { return }
            let found = try Row.fetchAll(db, request)
            expectEqual(describe(found), rows, file: file, line: line)
        }
    }

    /// Expects the error of a request.
    func expectFailure(
        _ request: some FetchRequest, _ description: String,
        file: String = #filePath, line: Int = #line
    ) throws {
        try dbQueue.write { db in
            expectError(description, file: file, line: line) {
                try Row.fetchAll(db, request)
            }
        }
    }

    /// Expects the count of a request, and the SQL that counts.
    func expectCount(
        _ request: some FetchRequest, _ count: Int, _ sql: String,
        file: String = #filePath, line: Int = #line
    ) throws {
        try dbQueue.write { db in
            try ParcelTables.readSchema(db)
            try expectSQL(sql, file: file, line: line) {
                try expectEqual(request.fetchCount(db), count, file: file, line: line)
            }
        }
    }

    /// Expects the result of a fetch, and the SQL that it runs.
    func expectFetch<Value>(
        _ value: String, _ sql: String, file: String = #filePath, line: Int = #line,
        _ fetch: (Database) throws -> Value?
    ) throws {
        try dbQueue.write { db in
            try ParcelTables.readSchema(db)
            try expectSQL(sql, file: file, line: line) {
                let found = try fetch(db).map { "\($0)" } ?? "nil"
                expectEqual(found, value, file: file, line: line)
            }
        }
    }

    /// Expects the region that a request reads.
    func expectRegion(
        _ request: some FetchRequest, _ region: String, file: String = #filePath, line: Int = #line
    ) throws {
        try dbQueue.write { db in
            let found = try "\(request.databaseRegion(db))"
            expectEqual(found, region, file: file, line: line)
        }
    }

    // MARK: - Writes

    /// Expects the result of a write, the SQL that it runs, and what it leaves in a table. The write
    /// is then undone.
    func expectWrite<Value>(
        _ value: String, _ sql: String, _ rows: String = "",
        file: String = #filePath, line: Int = #line, _ write: (Database) throws -> Value?
    ) throws {
        try dbQueue.inDatabase { db in
            try db.inTransaction {
                try ParcelTables.readSchema(db)
                try expectSQL(sql, file: file, line: line) {
                    let result = try write(db).map { "\($0)" } ?? "nil"
                    expectEqual(result, value, file: file, line: line)
                }
                if !rows.isEmpty {
                    let name = rows.prefix { $0 != ":" }
                    let remaining = try Row.fetchAll(db, sql: "SELECT * FROM \(name)")
                    let left = "\(name): \(describe(remaining, width: 4))"
                    expectEqual(left, rows, file: file, line: line)
                }
                return .rollback
            }
        }
    }

    /// Expects the error of a write, which changes nothing.
    func expectWriteFailure<Value>(
        _ description: String, file: String = #filePath, line: Int = #line,
        _ write: (Database) throws -> Value
    ) throws {
        try dbQueue.inDatabase { db in
            try db.inTransaction {
                let changes = db.totalChangesCount
                expectError(description, file: file, line: line) { try write(db) }
                expectEqual(db.totalChangesCount, changes, file: file, line: line)
                return .rollback
            }
        }
    }

    // MARK: - Descriptions

    private func text(_ literal: SQL, _ db: Database) throws -> String {
        let (sql, arguments) = try literal.build(db)
        return describe(sql, arguments)
    }

    private func describe(_ sql: String, _ arguments: StatementArguments) -> String {
        arguments.isEmpty ? sql : "\(sql) \(arguments)"
    }

    private func cell(_ value: DatabaseValue) -> String {
        value.description
            .replacingOccurrences(of: "\\\"", with: "\"")
            .replacingOccurrences(of: ParcelTables.contents, with: "JSON")
    }

    /// Wide rows lose their last columns, and long results their last rows.
    private func describe(_ rows: [Row], width: Int? = nil) -> String {
        let shown = rows.prefix(width == nil ? 3 : .max).map { row in
            let cells: [String] = row.databaseValues.map(cell)
            if let width { return "(\(cells.prefix(width).joined(separator: ", ")))" }
            if cells.count > 4 { return "(\(cells[0]), \(cells[1]), …)" }
            return "(\(cells.joined(separator: ", ")))"
        }
        return shown.joined(separator: " ") + (rows.count > shown.count ? " …" : "")
    }
}

/// A value that is stored as an integer.
enum ParcelSize: Int, DatabaseValueConvertible {
    case small = 1
}

enum ParcelKeys: String, CodingKey {
    case extra
}

typealias ParcelPairs = [(key: String, value: any SQLExpressible)]

// MARK: - Records

/// A record with an integer primary key, and columns of all kinds.
struct Parcel: Codable, FetchableRecord, PersistableRecord, Identifiable {
    static let databaseTableName = "parcel"

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let width = Column(CodingKeys.width)
        static let height = Column(CodingKeys.height)
        static let depth = Column(CodingKeys.depth)
        static let label = Column(CodingKeys.label)
        static let contents = JSONColumn(CodingKeys.contents)
    }

    var id: Int64
    var width: Int?
    var height: Int?
    var depth: Int?
    var label: String?
    var contents: String?
}

/// Parcels with few columns.
struct BriefParcel: TableRecord, FetchableRecord, EncodableRecord {
    static let databaseTableName = "parcel"
    static var databaseSelection: [any SQLSelectable] { [Column("id"), Column("width")] }

    init(row: Row) {}
    func encode(to container: inout PersistenceContainer) {}
}

/// Parcels with one column more.
struct NumberedParcel: TableRecord, FetchableRecord {
    static let databaseTableName = "parcel"
    static var databaseSelection: [any SQLSelectable] { [.allColumns, .rowID] }

    init(row: Row) {}
}

/// Parcels without some columns.
struct PlainParcel: TableRecord {
    static let databaseTableName = "parcel"
    static var databaseSelection: [any SQLSelectable] {
        [.allColumns(excluding: ["contents", "sentOn"])]
    }
}

/// Parcels whose selection is a mistake.
struct EmptyParcel: TableRecord {
    static let databaseTableName = "parcel"
    static var databaseSelection: [any SQLSelectable] { [] }
}

/// All parcels in one row.
struct WidestParcel: TableRecord {
    static let databaseTableName = "parcel"
    static var databaseSelection: [any SQLSelectable] {
        [max(Column("width")), SQL("1 AS one")]
    }
}

/// A view.
struct ParcelView: TableRecord, FetchableRecord, PersistableRecord {
    static let databaseTableName = "parcelView"

    init(row: Row) {}
    func encode(to container: inout PersistenceContainer) {}
}

/// A record with unique indexes.
struct Courier: Codable, FetchableRecord, PersistableRecord, Identifiable {
    static let databaseTableName = "courier"

    var id: Int64
    var email: String?
}

/// A record with a policy for conflicts.
struct PoliteCourier: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "courier"
    static let persistenceConflictPolicy = PersistenceConflictPolicy(
        insert: .replace, update: .ignore)

    enum Columns {
        static let email = Column("email")
    }

    var id: Int64
    var email: String?
}

/// A record with a policy, which is never written by itself.
struct PoliteTable: TableRecord {
    static let databaseTableName = "courier"
    static let persistenceConflictPolicy = PersistenceConflictPolicy(
        insert: .replace, update: .ignore)
}

/// A key of two columns.
struct Slot: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "slot"

    var shelf: Int
    var place: String
    var load: Int
}

/// A table without rowid.
struct Zone: Codable, FetchableRecord, PersistableRecord, Identifiable {
    static let databaseTableName = "zone"

    var code: String
    var load: Int
    var id: String { code }
}

/// A table without rowid, with a key of two columns.
struct Bin: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "bin"

    var shelf: Int
    var place: String
    var load: Int
}

/// A text key.
struct Hub: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "hub"

    var code: String
    var load: Int
}

/// A table without key.
struct Scan: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "scan"

    var width: Int
    var height: String
}

/// A table that refers to itself.
struct Folder: Codable, FetchableRecord, PersistableRecord, Identifiable {
    static let databaseTableName = "folder"

    var id: Int64
    var parentId: Int64?
    var name: String
}

/// A full-text table.
struct Memo: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "memo"

    var body: String
}

/// Odd names.
struct OldParcel: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "old parcel"
}

/// There is no such table.
struct Phantom: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "phantom"
}

// MARK: - Tables

enum ParcelTables {
    /// The contents of the first parcel.
    static let contents = #"{"a":1,"b":[1,2,3],"c":{"d":"e"}}"#

    /// Opens a database whose schema is known already: the SQL that reads it is not logged.
    static func makeQueue() throws -> DatabaseQueue {
        let dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE parcel (
                        id INTEGER PRIMARY KEY, width, height, depth INTEGER, label TEXT,
                        sentOn TEXT, isFragile BOOLEAN, contents TEXT, weight REAL);
                    INSERT INTO parcel VALUES
                        (1, 1, 2, 3, 'alpha', '2020-01-01 00:00:00.000', 1, '\(contents)', 1.5),
                        (2, 10, 20, 7, 'Beta', '2021-06-15 12:30:00.000', 0, '[1,2]', -2.5),
                        (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
                    CREATE VIEW parcelView AS SELECT id, width, label FROM parcel;
                    CREATE TABLE courier (
                        id INTEGER PRIMARY KEY, email TEXT UNIQUE, first TEXT, last TEXT,
                        stars INTEGER, UNIQUE (first, last));
                    INSERT INTO courier VALUES
                        (1, 'e1', 'f1', 'l1', 1), (2, 'e2', 'f2', 'l2', 2),
                        (3, 'e3', 'f3', 'l3', 3);
                    CREATE TABLE slot (shelf, place, load, PRIMARY KEY (shelf, place));
                    CREATE TABLE bin (shelf, place, load, PRIMARY KEY (shelf, place))
                        WITHOUT ROWID;
                    INSERT INTO slot VALUES (1, 'a', 10), (1, 'b', 20), (2, 'a', 30);
                    INSERT INTO bin SELECT * FROM slot;
                    CREATE TABLE zone (code TEXT PRIMARY KEY, load) WITHOUT ROWID;
                    INSERT INTO zone VALUES ('A', 1), ('B', 2), ('C', 3);
                    CREATE TABLE hub (code TEXT PRIMARY KEY, load);
                    INSERT INTO hub VALUES ('A', 1), ('B', 2);
                    CREATE TABLE scan (width, height);
                    INSERT INTO scan VALUES (1, 'x'), (2, 'y');
                    CREATE TABLE folder (
                        id INTEGER PRIMARY KEY, parentId INTEGER REFERENCES folder, name TEXT);
                    INSERT INTO folder VALUES (1, NULL, 'root'), (2, 1, 'c1'), (3, 2, 'c2');
                    CREATE VIRTUAL TABLE memo USING fts5(body);
                    INSERT INTO memo VALUES ('hello world'), ('bye');
                    CREATE TABLE "old parcel" ("bar code" PRIMARY KEY, "order");
                    """)
            try readSchema(db)
        }
        return dbQueue
    }

    /// Has the schema known.
    static func readSchema(_ db: Database) throws {
        let tables = try String.fetchAll(
            db, sql: "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
        for table in tables {
            _ = try db.columns(in: table)
            if try !db.viewExists(table) {
                _ = try db.indexes(on: table)
                _ = try db.primaryKey(table)
                _ = try db.foreignKeys(on: table)
            }
        }
    }
}
