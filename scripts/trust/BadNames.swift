import GRDBServer
import GRDBChanges
import GRDBTables
import Foundation
import GRDB
import GRDBSchema
import GRDBQueries

/// Names that are hard to quote, or that SQLite doesn't take.
let badNames: [String] = [
    "x\"(a); DROP TABLE v; --", "x'); DROP TABLE v; --", "two words", "", " ", "a\0b", "]", "[a]",
    "`", "\"", "'", "--", "/*",
    "%s%n", "Größe", "e\u{301}", "😀", "a.b", "main.v", "select", "sqlite_x", "1", "rowid", "rank",
    "a,b", "a\nb", ":a", "?1", "\\",
    String(repeating: "n", count: 5_000),
]

/// A call with a name: it returns whether what was made has this very name, or throws.
struct NamedCall {
    var name: String
    var run: (Database, String) throws -> Bool
}

private func schemaHas(_ db: Database, _ type: String, _ name: String) throws -> Bool {
    try Int.fetchOne(
        db, sql: "SELECT count(*) FROM sqlite_schema WHERE type = ? AND name = ?",
        arguments: [type, name]) == 1
}

private struct Named: Codable, FetchableRecord { var id: Int64 }

/// The public calls that take the name of something.
func makeNamedCalls() -> [NamedCall] {
    var calls: [NamedCall] = []
    func add(_ name: String, _ run: @escaping (Database, String) throws -> Bool) {
        calls.append(NamedCall(name: name, run: run))
    }
    add("create(table:)") { db, name in
        try db.create(table: name) { t in t.primaryKey("id", .integer) }
        try Table(name).insert(db, [Column("id").set(to: 7)])
        guard try schemaHas(db, "table", name), try db.tableExists(name) else { return false }
        guard try db.columns(in: name).map(\.name) == ["id"],
            try db.primaryKey(name).columns == ["id"]
        else { return false }
        let rows = try Table(name).filter(Column("id") == 7).fetchCount(db)
        return try rows == 1 && Table(name).filter(key: 7).deleteAll(db) == 1
    }
    add("a column") { db, name in
        try db.create(table: "t") { t in
            t.primaryKey("key", .integer)
            t.column(name, .text).notNull().defaults(to: "d").indexed()
        }
        try Table("t").insert(db, [Column("key").set(to: 1), Column(name).set(to: "value")])
        try Table("t").filter(Column(name) == "value").updateAll(
            db, [Column(name).set(to: Column(name) ?? "x")])
        let row = try Row.fetchOne(db, Table("t").select(Column(name)).order(Column(name).desc))!
        return try db.columns(in: "t").map(\.name) == ["key", name] && row.columnNames.first == name
            && (row[name] as String?) == "value"
    }
    add("a column of a composite key") { db, name in
        try db.create(table: "t", options: .withoutRowID) { t in
            t.column(name, .text)
            t.column("other")
            t.primaryKey([name, "other"])
        }
        try db.execute(sql: "INSERT INTO t VALUES ('a', 1)")
        return try Table("t").filter(key: [name: "a", "other": 1]).fetchCount(db) == 1
    }
    add("alter(table:)") { db, name in
        try db.create(table: "t") { t in t.primaryKey("key", .integer) }
        try db.alter(table: "t") { t in t.add(column: name, .integer).defaults(to: 3) }
        try db.alter(table: "t") { t in t.rename(column: name, to: "other") }
        try db.alter(table: "t") { t in t.rename(column: "other", to: name) }
        guard try db.columns(in: "t").map(\.name) == ["key", name] else { return false }
        try db.alter(table: "t") { t in t.drop(column: name) }
        return try db.columns(in: "t").count == 1
    }
    add("rename(table:to:)") { db, name in
        try db.rename(table: "v", to: name)
        let isThere = try schemaHas(db, "table", name)
        try db.rename(table: name, to: "v")
        return isThere
    }
    add("create(index:)") { db, name in
        try db.create(index: name, on: "v", columns: ["a"])
        let isThere = try schemaHas(db, "index", name) && db.indexes(on: "v").map(\.name) == [name]
        try db.drop(index: name)
        return try isThere && !schemaHas(db, "index", name)
    }
    add("create(view:)") { db, name in
        try db.create(view: name, as: Table("v").all())
        let isThere = try schemaHas(db, "view", name) && db.viewExists(name)
        try db.drop(view: name)
        return try isThere && !schemaHas(db, "view", name)
    }
    add("drop(trigger:)") { db, name in
        try db.execute(
            literal: "CREATE TRIGGER \(identifier: name) AFTER INSERT ON v BEGIN SELECT 1; END")
        let isThere = try schemaHas(db, "trigger", name) && db.triggerExists(name)
        try db.drop(trigger: name)
        return try isThere && !schemaHas(db, "trigger", name)
    }
    add("belongsTo") { db, name in
        try db.create(table: name) { t in t.primaryKey("id", .integer) }
        try db.create(table: "child") { t in
            t.primaryKey("id", .integer)
            t.column("parent").references(name, onDelete: .cascade)
        }
        return try db.foreignKeys(on: "child").map(\.destinationTable) == [name]
    }
    add("transform(table:)") { db, name in
        try db.create(table: name) { t in
            t.primaryKey("id", .integer)
            t.column("a")
        }
        try db.execute(literal: "INSERT INTO \(identifier: name) VALUES (1, 'x')")
        try db.transform(table: name) { t in t.change(column: "a", type: .text) }
        return try Table(name).fetchCount(db) == 1 && schemaHas(db, "table", name)
    }
    add("transform: rename(column:to:)") { db, name in
        try db.transform(table: "v") { t in t.rename(column: "a", to: name) }
        let isThere = try db.columns(in: "v").map(\.name) == [name]
        try db.transform(table: "v") { t in t.rename(column: name, to: "a") }
        return isThere
    }
    add("an alias") { db, name in
        let alias = TableAlias(name: name)
        return try Table("v").aliased(alias).filter(alias[Column("a")] == 1).fetchCount(db) == 1
    }
    add("forKey of a selection") { db, name in
        let row = try Row.fetchOne(db, Table("v").select(Column("a").forKey(name)))!
        return row.columnNames.first == name && (row[name] as Int?) == 1
    }
    add("CommonTableExpression") { db, name in
        let cte = CommonTableExpression(named: name, columns: [name], request: Table("v").all())
        let row = try Row.fetchOne(db, cte.all().with(cte))!
        return row.columnNames.first == name
    }
    add("DatabaseFunction") { db, name in
        db.add(function: DatabaseFunction(name, argumentCount: 1) { $0[0] })
        return try Int.fetchOne(db, sql: "SELECT \(name.quotedDatabaseIdentifier)(3)") == 3
    }
    add("DatabaseFunction, called in a request") { db, name in
        let function = DatabaseFunction(name, argumentCount: 1) { $0[0] }
        db.add(function: function)
        return try Int.fetchOne(db, Table("v").select(function(Column("a")), as: Int.self)) == 1
    }
    add("DatabaseCollation") { db, name in
        db.add(collation: DatabaseCollation(name) { $0.compare($1) })
        try db.create(table: "t") { t in
            t.column("a", .text).collate(Database.CollationName(rawValue: name))
        }
        return try Table("v").order(Column("a").collating(Database.CollationName(rawValue: name)))
            .fetchCount(db) == 1
            && Int.fetchOne(db, sql: "SELECT 'a' < 'b' COLLATE \(name.quotedDatabaseIdentifier)")
                == 1
    }
    add("attach(_:as:)") { db, name in
        try db.attach(DatabaseURI(path: ":memory:"), as: name)
        let isThere = try String.fetchAll(db, sql: "SELECT name FROM pragma_database_list")
            .contains(name)
        try db.execute(literal: "CREATE TABLE \(identifier: name).t(a)")
        guard try db.tableExists("t", in: name), try db.columns(in: "t", in: name).count == 1 else {
            return false
        }
        try db.setUserVersion(3, in: name)
        guard try db.userVersion(in: name) == 3 else { return false }
        try db.detach(name)
        return isThere
    }
    add("openBlob") { db, name in
        try db.execute(
            literal:
                "CREATE TABLE \(identifier: name)(\(identifier: name)); INSERT INTO \(identifier: name) VALUES (zeroblob(3))"
        )
        return try db.openBlob(table: name, column: name, rowID: 1).count == 3
    }
    add("FTS5 table") { db, name in
        try db.create(virtualTable: name, using: FTS5()) { t in t.column("text") }
        try db.execute(literal: "INSERT INTO \(identifier: name) VALUES ('hello world')")
        return try Table(name).filter(
            Column("text").match(FTS5Pattern(matchingAnyTokenIn: "hello"))
        ).fetchCount(db) == 1
    }
    add("FTS5 column") { db, name in
        try db.create(virtualTable: "f", using: FTS5()) { t in
            t.column(name)
            t.column("other").notIndexed()
        }
        try db.execute(sql: "INSERT INTO f VALUES ('hello world', 'x')")
        return try db.columns(in: "f").map(\.name) == [name, "other"]
            && Int.fetchOne(db, sql: "SELECT count(*) FROM f WHERE f MATCH 'hello'") == 1
    }
    add("FTS5 with external content") { db, name in
        try db.create(table: name) { t in
            t.primaryKey("id", .integer)
            t.column("text")
        }
        try db.create(virtualTable: "f", using: FTS5()) { t in
            t.synchronize(withTable: name)
            t.column("text")
        }
        try db.execute(literal: "INSERT INTO \(identifier: name)(text) VALUES ('hello world')")
        return try Int.fetchOne(db, sql: "SELECT count(*) FROM f WHERE f MATCH 'hello'") == 1
            && String.fetchOne(db, sql: "SELECT text FROM f") == "hello world"
    }
    add("FTS4 table and column") { db, name in
        // A column can't have the name of its table.
        try db.create(virtualTable: name, using: FTS4()) { t in t.column("text") }
        try db.execute(literal: "INSERT INTO \(identifier: name) VALUES ('hello world')")
        try db.create(virtualTable: "other", using: FTS4()) { t in t.column(name) }
        return try db.columns(in: "other").map(\.name) == [name]
            && Table(name).filter(Column("text").match(FTS3Pattern(matchingAnyTokenIn: "hello")))
                .fetchCount(db) == 1
    }
    add("R*Tree table and columns") { db, name in
        try db.create(virtualTable: name, using: RTree()) { t in t.dimension(name, "other") }
        try db.execute(literal: "INSERT INTO \(identifier: name) VALUES (1, 0, 1)")
        return try db.columns(in: name).map(\.name).contains(name) && db.tableExists(name)
    }
    add("a migration") { db, name in
        let queue = try DatabaseQueue()
        var migrator = DatabaseMigrator()
        migrator.registerMigration(name) { try $0.execute(sql: "CREATE TABLE t(a)") }
        try migrator.migrate(queue)
        return try queue.read { try migrator.appliedIdentifiers($0) } == [name]
    }
    add("an argument") { db, name in
        let statement = try db.makeStatement(sql: "SELECT :a")
        try statement.setArguments([name: 1])
        return try name == "a" && Int.fetchOne(statement) == 1
    }
    add("a scope of a row") { db, name in
        let adapter = ScopeAdapter([name: SuffixRowAdapter(fromIndex: 0)])
        let row = try Row.fetchOne(db, sql: "SELECT 1 AS a", adapter: adapter)!
        return row.scopes[name] != nil
    }
    add("a column of a row adapter") { db, name in
        let adapter = ColumnMapping([name: "a"])
        let row = try Row.fetchOne(db, sql: "SELECT 1 AS a", adapter: adapter)!
        return (row[name] as Int?) == 1
    }
    add("names that don't exist") { db, name in
        // Each throws an error, or reports that nothing has the name.
        guard try !db.tableExists(name), try !db.viewExists(name) else { return name == "main.v" }
        for call: () throws -> Void in [
            { _ = try db.columns(in: name) }, { _ = try db.primaryKey(name) },
            { _ = try db.indexes(on: name) },
            { _ = try Table(name).fetchCount(db) }, { try db.drop(table: name) },
            { try db.drop(index: name) },
            { _ = try db.openBlob(table: name, column: "a", rowID: 1) }, { try db.detach(name) },
            { _ = try db.integrityProblems(in: name) }, { _ = try db.userVersion(in: name) },
            { try db.drop(view: name) },
            { _ = try db.checkpoint(.passive, on: name) },
            { _ = try Table("v").order(Column(name)).fetchCount(db) },
        ] {
            do { try call() } catch is DatabaseError {}
        }
        return true
    }
    add("TemporaryTables") { db, name in
        try db.create(table: name, options: .temporary) { t in t.column(name) }
        try Table(name).insert(db, [Column(name).set(to: 1)])
        return try Table(name).filter(Column(name) == 1).fetchCount(db) == 1
    }
    add("dump") { db, name in
        try db.execute(
            literal:
                "CREATE TABLE \(identifier: name)(\(identifier: name)); INSERT INTO \(identifier: name) VALUES (\(name))"
        )
        let output = Output()
        try db.dumpContent(to: output)
        try db.dumpTables([name], to: output)
        return name.isEmpty || output.text.contains(name.prefix(1))
    }
    add("a session") { db, name in
        try db.execute(
            literal:
                "CREATE TABLE \(identifier: name)(id INTEGER PRIMARY KEY, \(identifier: name + "x"))"
        )
        let session = try db.makeSession()
        try session.attach(name)
        try db.execute(literal: "INSERT INTO \(identifier: name) VALUES (1, 2)")
        let changes = try session.changeset()
        try db.execute(literal: "DELETE FROM \(identifier: name)")
        try db.apply(changes)
        return try Table(name).fetchCount(db) == 1
    }
    add("a window") { db, name in
        try Table("v").select(sum(Column("a")).over(.named(name))).window(
            named: name, SQLWindow(orderBy: [Column("a")])
        ).fetchCount(db) == 1
    }
    return calls
}

final class Output: TextOutputStream {
    var text = ""
    func write(_ string: String) { text += string }
}
