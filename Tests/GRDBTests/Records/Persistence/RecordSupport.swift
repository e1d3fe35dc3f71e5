import Foundation
import GRDB
import GRDBTestSupport

/// A record that encodes and decodes itself, and gets its id on insertion.
struct PlayerRecord: MutablePersistableRecord, FetchableRecord, Hashable {
    static let databaseTableName = "player"

    var id: Int64?
    var name: String
    var score: Int?

    init(id: Int64? = nil, name: String, score: Int? = nil) {
        self.id = id
        self.name = name
        self.score = score
    }

    init(row: Row) throws {
        id = row["id"]
        name = try row.decode(forColumn: "name")
        score = row["score"]
    }

    func encode(to container: inout PersistenceContainer) {
        container["id"] = id
        container["name"] = name
        container["score"] = score
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        id = inserted.rowID
    }
}

/// A selection of the columns of players.
struct PartialPlayer: TableRecord, FetchableRecord, Equatable {
    static let databaseTableName = "player"
    static var databaseSelection: [any SQLSelectable] { [Column("id"), Column("name")] }

    var id: Int64
    var name: String
    var columnNames: [String]

    init(row: Row) throws {
        id = row["id"]
        name = row["name"]
        columnNames = Array(row.columnNames)
    }
}

/// A record without any key of its own.
struct Item: MutablePersistableRecord, FetchableRecord, Equatable {
    static let databaseTableName = "item"

    var a: Int

    init(a: Int) { self.a = a }

    init(row: Row) throws { a = row["a"] }

    func encode(to container: inout PersistenceContainer) {
        container["a"] = a
    }
}

/// A record whose key is the hidden rowid.
struct RowIDItem: MutablePersistableRecord, FetchableRecord, Equatable {
    static let databaseTableName = "item"
    static var databaseSelection: [any SQLSelectable] { [.allColumns, .rowID] }

    var rowid: Int64?
    var a: Int

    init(rowid: Int64? = nil, a: Int) {
        self.rowid = rowid
        self.a = a
    }

    init(row: Row) throws {
        rowid = row["rowid"]
        a = row["a"]
    }

    func encode(to container: inout PersistenceContainer) {
        container["rowid"] = rowid
        container["a"] = a
    }

    mutating func didInsert(_ inserted: InsertionSuccess) {
        rowid = inserted.rowID
    }
}

/// A record with a key of two columns.
struct Citizenship: PersistableRecord, FetchableRecord, Equatable {
    static let databaseTableName = "citizenship"

    var citizenID: Int64?
    var countryCode: String?
    var note: String?

    init(citizenID: Int64?, countryCode: String?, note: String? = nil) {
        self.citizenID = citizenID
        self.countryCode = countryCode
        self.note = note
    }

    init(row: Row) throws {
        citizenID = row["citizenID"]
        countryCode = row["countryCode"]
        note = row["note"]
    }

    func encode(to container: inout PersistenceContainer) {
        container["citizenID"] = citizenID
        container["countryCode"] = countryCode
        container["note"] = note
    }
}

/// A record of a table without rowid.
struct Country: PersistableRecord, FetchableRecord, Identifiable, Hashable {
    static let databaseTableName = "country"

    var code: String
    var name: String
    var id: String { code }

    init(code: String, name: String) {
        self.code = code
        self.name = name
    }

    init(row: Row) throws {
        code = row["code"]
        name = row["name"]
    }

    func encode(to container: inout PersistenceContainer) {
        container["code"] = code
        container["name"] = name
    }
}

enum RecordTables {
    /// Runs the closure in a transaction, in a database whose schema is known already: the SQL that
    /// reads it is not logged.
    static func write(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE player (
                        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, score INTEGER);
                    CREATE TABLE item (a INTEGER);
                    CREATE TABLE citizenship (
                        citizenID INTEGER, countryCode TEXT, note TEXT,
                        PRIMARY KEY (citizenID, countryCode));
                    CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT) WITHOUT ROWID;
                    CREATE VIEW playerView AS SELECT * FROM player;
                    """)
            for table in ["player", "item", "citizenship", "country"] {
                _ = try db.columns(in: table)
                _ = try db.primaryKey(table)
                _ = try db.indexes(on: table)
            }
            try body(db)
        }
    }
}
