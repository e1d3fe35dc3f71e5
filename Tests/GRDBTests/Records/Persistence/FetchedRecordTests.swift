import GRDB
import GRDBTestSupport
import Testing

private class Person: Record {
    var id: Int64?
    var name: String

    override class var databaseTableName: String { "person" }

    required init(row: Row) throws {
        id = row["id"]
        name = row["name"]
        try super.init(row: row)
    }

    override func encode(to container: inout PersistenceContainer) throws {
        container["id"] = id
        container["name"] = name
    }
}

@Suite(.databases) struct FetchedRecordTests {
    @Test func aRowThatWasNotFetchedIsAllChanges() throws {
        let person = try Person(row: ["id": 1, "name": "Arthur"])
        expectTrue(person.hasDatabaseChanges)
        try expectEqual(person.databaseChanges, ["id": nil, "name": nil])
    }

    @Test func aFetchedRowIsNoChange() throws {
        try TestDatabases.makeQueue().read { db in
            let sql = "SELECT 1 AS id, 'Arthur' AS name"
            let row = try unwrap(Row.fetchOne(db, sql: sql))
            try expectTrue(!Person(row: row).hasDatabaseChanges)
            try expectTrue(!Person(row: row.copy()).hasDatabaseChanges)
            let cursor = try Row.fetchCursor(db, sql: sql)
            let live = try unwrap(cursor.next())
            try expectTrue(!Person(row: live).hasDatabaseChanges)
            let adapted = try unwrap(
                Row.fetchOne(
                    db, sql: "SELECT 0, 1 AS id, 'Arthur' AS name",
                    adapter: SuffixRowAdapter(fromIndex: 1)))
            try expectTrue(!Person(row: adapted).hasDatabaseChanges)
            // Columns that the row lacks are changes.
            let partial = try unwrap(Row.fetchOne(db, sql: "SELECT 'Arthur' AS name"))
            try expectTrue(Person(row: partial).hasDatabaseChanges)
        }
    }
}
