import GRDB
import GRDBTestSupport
import Testing

/// The chapter "Database Schema Introspection" of the 0.107 guide.
@Suite(.databases) struct Guide107SchemaIntrospectionTests {
    @Test func rowsOfTheSchema() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.create(table: "persons") { t in
                t.primaryKey("id", .integer)
                t.column("name", .text)
            }

            var printed: [String] = []
            for row in try Row.fetchAll(db, sql: "SELECT * FROM sqlite_master") {
                printed.append("\(row)")
            }
            expectEqual(
                printed,
                [
                    #"[type:"table" name:"persons" tbl_name:"persons" rootpage:2 "#
                        + #"sql:"CREATE TABLE \"persons\" (\"id\" INTEGER PRIMARY KEY, "#
                        + #"\"name\" TEXT)"]"#
                ])

            printed = []
            for row in try Row.fetchAll(db, sql: "PRAGMA table_info('persons')") {
                printed.append("\(row)")
            }
            expectEqual(
                printed,
                [
                    #"[cid:0 name:"id" type:"INTEGER" notnull:0 dflt_value:NULL pk:1]"#,
                    #"[cid:1 name:"name" type:"TEXT" notnull:0 dflt_value:NULL pk:0]"#,
                ])
        }
    }

    @Test func highLevelMethods() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.create(table: "persons") { t in
                t.primaryKey("id", .integer)
                t.column("email", .text).unique()
            }
            try expectTrue(db.tableExists("persons"))
            try expectTrue(!db.tableExists("nope"))
            try expectEqual(db.columns(in: "persons").count, 2)
            try expectEqual(db.indexes(on: "persons").map(\.columns), [["email"]])
            try expectTrue(db.table("persons", hasUniqueKey: ["email"]))
            try expectEqual(db.primaryKey("persons").columns, ["id"])
        }
    }

    @Test func primaryKeys() throws {
        try TestDatabases.makeQueue().inDatabase { db in
            try db.execute(
                sql: """
                    CREATE TABLE items (name TEXT);
                    CREATE TABLE persons (id INTEGER PRIMARY KEY, name TEXT);
                    CREATE TABLE countries (isoCode TEXT NOT NULL PRIMARY KEY, name TEXT);
                    CREATE TABLE citizenships (
                        personID INTEGER NOT NULL REFERENCES persons(id),
                        countryIsoCode TEXT NOT NULL REFERENCES countries(isoCode),
                        PRIMARY KEY (personID, countryIsoCode));
                    """)
            // Tables without primary key have a hidden one, today.
            let itemPk = try db.primaryKey("items")
            expectEqual(itemPk.columns, ["rowid"])
            expectEqual(itemPk.rowIDColumn, nil)

            let personPk = try db.primaryKey("persons")
            expectEqual(personPk.columns, ["id"])
            expectEqual(personPk.rowIDColumn, "id")

            let countryPk = try db.primaryKey("countries")
            expectEqual(countryPk.columns, ["isoCode"])
            expectEqual(countryPk.rowIDColumn, nil)

            let citizenshipsPk = try db.primaryKey("citizenships")
            expectEqual(citizenshipsPk.columns, ["personID", "countryIsoCode"])
            expectEqual(citizenshipsPk.rowIDColumn, nil)
        }
    }
}
