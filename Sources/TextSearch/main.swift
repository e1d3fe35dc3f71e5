import GRDB
import Foundation

let q = try DatabaseQueue()
try q.write { db in
    try db.execute(sql: "CREATE TABLE player(id INTEGER PRIMARY KEY, name TEXT, score INT)")
    try db.execute(sql: "INSERT INTO player(name, score) VALUES (?, ?); INSERT INTO player(name, score) VALUES (?, ?)", arguments: ["Arthur", 1, "Barbara", 2])
    print(try Row.fetchAll(db, sql: "SELECT * FROM player"))
    let rows = try Row.fetchCursor(db, sql: "SELECT * FROM player")
    while let row = try rows.next() {
        let id: Int64 = row["id"]; let name: String = row["NAME"]; let s: Int? = row["score"]
        print(id, name, s as Any, row["x"] as Int? as Any)
    }
    print(try db.makeStatement(sql: "SELECT name FROM player WHERE id = ?").databaseRegion)
}
do { try q.read { db in try db.execute(sql: "DELETE FROM player") } } catch { print(error) }
do { try q.read { _ in try q.read { _ in } } } catch { print(error) }
do { try q.write { db in try db.execute(sql: "INSERT INTO player(id) VALUES (?)", arguments: [1]) } } catch { print(error) }
do { _ = try q.read { db in try Int.fetchAll(db, sql: "SELECT 1 UNION SELECT NULL") } } catch { print(error) }
final class Obs: TransactionObserver {
    func observes(eventsOfKind k: DatabaseEventKind) -> Bool { print("observes", k); return true }
    func databaseDidChange(with e: DatabaseEvent) { print("didChange", e.kind, e.tableName, e.rowID) }
    func databaseWillChange(with e: DatabasePreUpdateEvent) { print("willChange", e.kind, e.initialDatabaseValues as Any, e.finalDatabaseValues as Any, e.depth) }
    func databaseWillCommit() throws { print("willCommit") }
    func databaseDidCommit(_ db: Database) { print("didCommit", db.isInsideTransaction) }
    func databaseDidRollback(_ db: Database) { print("didRollback") }
}
let o = Obs()
q.add(transactionObserver: o)
try q.write { db in
    try db.execute(sql: "UPDATE player SET score = score + 1")
    try db.inSavepoint { try db.execute(sql: "DELETE FROM player"); return .rollback }
    try db.inSavepoint { try db.execute(sql: "DELETE FROM player"); return .commit }
}
let n = try await q.read { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM player") }
print(n as Any)
let t = Task { try await q.read { db in try Int.fetchOne(db, sql: "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c") } }
try await Task.sleep(nanoseconds: 50_000_000)
t.cancel()
do { _ = try await t.value } catch { print("cancelled:", type(of: error), error) }
print(try q.read { db in try db.transactionDate })
try q.close()
do { try q.read { _ in } } catch { print(error) }
