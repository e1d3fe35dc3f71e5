import GRDBChanges
import Foundation
import GRDB
import GRDBTables
import GRDBSQLite

/// A change of the observed database.
struct ObservedWrite: Sendable {
    var name: String
    /// Whether it must run outside of transactions.
    var isOutside = false
    /// Whether only a queue has what it changes.
    var isOfWriter = false
    var write: @Sendable (Database, inout SplitMix64) throws -> Void
}

/// The elements of a table that is a collection.
let liveNumbers = TableContent([1, 2, 3])

private func sql(_ text: String) -> @Sendable (Database, inout SplitMix64) throws -> Void {
    { db, random in
        let id = Int.random(in: 1...9, using: &random)
        let other = Int.random(in: 1...1000, using: &random)
        try db.execute(
            sql: text.replacingOccurrences(of: ":id", with: "\(id)")
                .replacingOccurrences(of: ":n", with: "\(other)"))
    }
}

private struct Named: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "item"
    var id: Int64
    var name: String
    var score: Int
}

func makeObservedWrites() -> [ObservedWrite] {
    [
        ObservedWrite(
            name: "insert", write: sql("INSERT INTO item(name, score) VALUES ('new :n', :n)")),
        ObservedWrite(name: "update", write: sql("UPDATE item SET score = :n WHERE id = :id")),
        ObservedWrite(
            name: "update name", write: sql("UPDATE item SET name = 'n:n' WHERE id = :id")),
        ObservedWrite(name: "update all", write: sql("UPDATE item SET score = score + :n")),
        ObservedWrite(
            name: "update from",
            write: sql("UPDATE item SET score = part.id FROM part WHERE part.itemID = item.id")),
        ObservedWrite(
            name: "update rowid", write: sql("UPDATE OR IGNORE item SET id = :n WHERE id = :id")),
        ObservedWrite(
            name: "update or replace",
            write: sql("UPDATE OR REPLACE strict SET n = n + 1 WHERE id % 2 = 0")),
        ObservedWrite(name: "delete", write: sql("DELETE FROM item WHERE id = :id")),
        ObservedWrite(name: "delete all", write: sql("DELETE FROM part")),
        ObservedWrite(name: "delete all pairs", write: sql("DELETE FROM pair")),
        ObservedWrite(name: "delete log", write: sql("DELETE FROM log")),
        ObservedWrite(
            name: "insert or replace",
            write: sql("INSERT OR REPLACE INTO item(id, name, score) VALUES (:id, 'replaced', :n)")),
        ObservedWrite(
            name: "replace by unique", write: sql("INSERT OR REPLACE INTO strict(n) VALUES (:id)")),
        ObservedWrite(
            name: "replace pair", write: sql("INSERT OR REPLACE INTO pair VALUES ('a', :id, :n)")),
        ObservedWrite(
            name: "upsert",
            write: sql(
                "INSERT INTO item(id, name, score) VALUES (:id, 'upserted', :n) ON CONFLICT(id) DO UPDATE SET score = excluded.score, name = excluded.name"
            )),
        ObservedWrite(
            name: "insert select",
            write: sql("INSERT INTO part(itemID, title) SELECT id, 'p:n' FROM item")),
        ObservedWrite(
            name: "returning",
            write: { db, random in
                let score = Int.random(in: 1...1000, using: &random)
                // Its cursor is left on the first row.
                let cursor = try Int.fetchCursor(
                    db, sql: "UPDATE item SET score = ? RETURNING id", arguments: [score])
                _ = try cursor.next()
            }),
        ObservedWrite(name: "pair", write: sql("UPDATE pair SET c = :n WHERE b = :id")),
        ObservedWrite(name: "part", write: sql("UPDATE part SET title = 'x' WHERE id = :id")),
        ObservedWrite(name: "key", write: sql("UPDATE key SET itemID = :id")),
        ObservedWrite(name: "view", write: sql("UPDATE good SET name = 'good :n'")),
        ObservedWrite(
            name: "record",
            write: { db, random in
                let record = Named(
                    id: .random(in: 1...9, using: &random), name: "record",
                    score: .random(in: 1...99, using: &random))
                try record.upsert(db)
            }),
        ObservedWrite(
            name: "records",
            write: { db, random in
                let score = Int.random(in: 1...99, using: &random)
                try Named.filter(Column("score") > 3).updateAll(db, Column("score").set(to: score))
                try Named.deleteOne(db, key: Int.random(in: 1...9, using: &random))
            }),
        ObservedWrite(name: "fts5 insert", write: sql("INSERT INTO doc VALUES ('moby :n', :n)")),
        ObservedWrite(
            name: "fts5 update", write: sql("UPDATE doc SET text = 'moby :n' WHERE rowid = :id")),
        ObservedWrite(
            name: "fts5 update unindexed", write: sql("UPDATE doc SET extra = :n WHERE rowid = :id")
        ),
        ObservedWrite(name: "fts5 delete", write: sql("DELETE FROM doc WHERE rowid = :id")),
        ObservedWrite(name: "fts5 delete all", write: sql("DELETE FROM doc")),
        ObservedWrite(
            name: "fts5 optimize", write: sql("INSERT INTO doc(doc) VALUES ('optimize')")),
        ObservedWrite(
            name: "fts5 rebuild", write: sql("INSERT INTO itemText(itemText) VALUES ('rebuild')")),
        ObservedWrite(
            name: "fts5 delete-all",
            write: sql("INSERT INTO itemText(itemText) VALUES ('delete-all')")),
        ObservedWrite(
            name: "fts4 insert", write: sql("INSERT INTO note VALUES ('dick :n', 'title')")),
        ObservedWrite(
            name: "fts4 update", write: sql("UPDATE note SET text = 'dick :n' WHERE rowid = :id")),
        ObservedWrite(name: "fts4 delete", write: sql("DELETE FROM note WHERE rowid = :id")),
        ObservedWrite(name: "fts4 delete all", write: sql("DELETE FROM note")),
        ObservedWrite(
            name: "fts4 rebuild", write: sql("INSERT INTO itemNote(itemNote) VALUES ('rebuild')")),
        ObservedWrite(
            name: "rtree insert",
            write: sql("INSERT OR REPLACE INTO box VALUES (:id, 0, :n, 0, 1, 'r')")),
        ObservedWrite(name: "rtree update", write: sql("UPDATE box SET x1 = :n WHERE id = :id")),
        ObservedWrite(
            name: "rtree label", write: sql("UPDATE box SET label = 'l:n' WHERE id = :id")),
        ObservedWrite(name: "rtree delete", write: sql("DELETE FROM box WHERE id = :id")),
        ObservedWrite(
            name: "blob",
            write: { db, random in
                guard
                    let id = try Int64.fetchOne(
                        db, sql: "SELECT id FROM file WHERE length(bytes) > 0 ORDER BY id")
                else { return }
                let blob = try db.openBlob(
                    table: "file", column: "bytes", rowID: id, mode: .readWrite)
                try blob.write(Data([UInt8.random(in: 0...255, using: &random)]), at: 0)
            }),
        ObservedWrite(
            name: "file",
            write: sql("UPDATE file SET bytes = randomblob(3), name = ':n' WHERE id = 1")),
        ObservedWrite(
            name: "json",
            write: sql(
                "UPDATE item SET json = json_insert(json, '$[#]', :n) WHERE id = :id AND json_array_length(json) < 9"
            )),
        ObservedWrite(
            name: "changeset",
            write: { db, random in
                let session = try db.makeSession()
                try session.attach(["part", "pair", "key"])
                let score = Int.random(in: 1...99, using: &random)
                try db.execute(
                    sql: "UPDATE part SET title = ?; UPDATE pair SET c = ?",
                    arguments: ["t\(score)", score])
                let changeset = try session.changeset()
                if Bool.random(using: &random) {
                    try db.apply(changeset.inverted()) { _ in .omit }
                }
            }),
        ObservedWrite(
            name: "C",
            write: { db, random in
                // A statement that the toolkit does not see.
                let score = Int.random(in: 1...99, using: &random)
                let code = sqlite3_exec(
                    db.sqliteConnection, "UPDATE item SET score = \(score) WHERE id < 4", nil, nil,
                    nil)
                if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
            }),
        ObservedWrite(
            name: "C fts",
            write: { db, random in
                let n = Int.random(in: 1...99, using: &random)
                let code = sqlite3_exec(
                    db.sqliteConnection,
                    "INSERT INTO note VALUES ('dick c\(n)', ''); INSERT INTO doc VALUES ('moby c\(n)', 2)",
                    nil, nil, nil)
                if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
            }),
        ObservedWrite(
            name: "create and drop",
            write: sql(
                "CREATE TABLE IF NOT EXISTS extra:id(a); INSERT INTO extra:id VALUES (:n); DROP TABLE extra:id"
            )),
        ObservedWrite(name: "create", write: sql("CREATE TABLE IF NOT EXISTS lasting:id(a)")),
        ObservedWrite(name: "drop", write: sql("DROP TABLE IF EXISTS lasting:id")),
        ObservedWrite(
            name: "add column",
            write: { db, random in
                if try db.columns(in: "key").count < 12 {
                    try db.execute(
                        sql:
                            "ALTER TABLE key ADD COLUMN c\(try db.columns(in: "key").count) DEFAULT 5"
                    )
                }
            }),
        ObservedWrite(
            name: "rename there and back",
            write: { db, random in
                try db.execute(sql: "ALTER TABLE pair RENAME TO couple")
                try db.execute(
                    sql: "UPDATE couple SET c = ?",
                    arguments: [Int.random(in: 1...99, using: &random)])
                try db.execute(sql: "ALTER TABLE couple RENAME TO pair")
            }),
        ObservedWrite(
            name: "create again",
            write: { db, random in
                try db.execute(
                    sql:
                        "DROP TABLE file; CREATE TABLE file(id INTEGER PRIMARY KEY, name TEXT, bytes BLOB); INSERT INTO file VALUES (1, 'again', zeroblob(abs(random() % 9) + 1))"
                )
            }),
        ObservedWrite(
            name: "view again",
            write: { db, random in
                let score = Int.random(in: 1...9, using: &random)
                try db.execute(
                    sql:
                        "DROP TRIGGER goodUpdated; DROP VIEW nested; DROP VIEW good; CREATE VIEW good AS SELECT id, name FROM item WHERE score > \(score); CREATE VIEW nested AS SELECT COUNT(*) AS n, MAX(name) AS m FROM good; CREATE TRIGGER goodUpdated INSTEAD OF UPDATE ON good BEGIN UPDATE item SET name = new.name WHERE id = old.id; END;"
                )
            }),
        ObservedWrite(
            name: "transform",
            write: { db, random in
                let n = Int.random(in: 1...99, using: &random)
                _ = try db.transform(table: "part") { t in
                    t.setContent(ofColumn: "title", sql: "'t' || \(n)")
                }
            }),
        ObservedWrite(
            name: "savepoint in SQL",
            write: sql(
                "SAVEPOINT a; UPDATE item SET score = :n; SAVEPOINT b; DELETE FROM part; ROLLBACK TO b; UPDATE pair SET c = :n; RELEASE a"
            )),
        ObservedWrite(
            name: "ignored",
            write: sql("INSERT OR IGNORE INTO item(id, name) VALUES (:id, 'ignored')")),
        ObservedWrite(
            name: "failing",
            write: { db, random in
                try? db.execute(sql: "INSERT INTO strict(n) SELECT id FROM item UNION ALL SELECT 1")
            }),
        ObservedWrite(
            name: "or fail",
            write: { db, random in
                try? db.execute(
                    sql:
                        "INSERT OR FAIL INTO strict(n) VALUES (abs(random() % 100000) + 100), (abs(random() % 100000) + 100), (1), (2), (1)"
                )
            }),
        ObservedWrite(
            name: "vacuum", isOutside: true, write: { db, _ in try db.execute(sql: "VACUUM") }),
        ObservedWrite(name: "reindex", write: sql("REINDEX; ANALYZE")),
        ObservedWrite(
            name: "temporary", isOfWriter: true, write: sql("INSERT INTO temp.scratch VALUES (:n)")),
        ObservedWrite(
            name: "temporary delete", isOfWriter: true, write: sql("DELETE FROM temp.scratch")),
        ObservedWrite(
            name: "attached", isOfWriter: true, write: sql("INSERT INTO other.remote VALUES (:n)")),
        ObservedWrite(
            name: "attached delete", isOfWriter: true,
            write: sql("DELETE FROM other.remote WHERE a % 2 = 0")),
        ObservedWrite(
            name: "attached and main", isOfWriter: true,
            write: sql("UPDATE other.remote SET a = :n; UPDATE item SET score = :n")),
        ObservedWrite(
            name: "temporary trigger", isOfWriter: true,
            write: { db, random in
                try db.execute(
                    sql:
                        "CREATE TEMP TRIGGER IF NOT EXISTS scratchTrigger AFTER INSERT ON key BEGIN UPDATE item SET name = 'temp ' || new.id WHERE id = 1; INSERT INTO scratch VALUES (new.id); END"
                )
                try db.execute(sql: "INSERT INTO key(itemID) VALUES (1)")
            }),
    ]
}
