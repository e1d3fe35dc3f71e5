import Foundation
import GRDB
import GRDBChanges
import GRDBSchema

/// Random writes, schema changes, restores, erasures and removals beside an outbox.
///
/// The judge is a receiver that keeps a copy of the recorded tables: after each step, its copy is what the tables
/// contain. It reads the tables themselves only when the generation of the entries changes, or the outbox was stopped.
struct OutboxModel {
    enum Step: CaseIterable {
        case write, undoneWrite, bigWrite, statement, acknowledge, acknowledgeOldPosition
        case addColumn, renameColumn, statementThatAddsAColumn
        case drop, dropInStatement, renameInStatement, replace, replaceFilled, swap, transform,
            empty, undoneDrop
        case save, restore, erase, remove, stop
    }

    private static let tables = ["a", "b"]
    private let seed: UInt64
    private let count: Int

    init(seed: UInt64, count: Int = 60) {
        self.seed = seed
        self.count = count
    }

    /// Runs the steps on a new database, and returns what went wrong.
    func run(path: String) async throws -> String? {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try? FileManager.default.removeItem(atPath: path + suffix)
        }
        let writer: any DatabaseWriter =
            switch seed % 3 {
            case 0: try DatabaseQueue()
            case 1: try DatabaseQueue(path: path)
            default: try DatabasePool(path: path)
            }
        var receiver = try Receiver(writer, saved: DatabaseQueue(), random: ModelRandom(seed: seed))
        var steps: [String] = []
        for _ in 0..<count {
            let step = receiver.next()
            steps.append("\(step)")
            do {
                try await receiver.run(step)
                if let failure = try await receiver.judge() {
                    return "\(failure) after \(steps.joined(separator: " "))"
                }
            } catch {
                return "\(error) in \(steps.joined(separator: " "))"
            }
        }
        try writer.close()
        return nil
    }

    private struct Receiver {
        let writer: any DatabaseWriter
        /// The content to restore.
        let saved: DatabaseQueue
        var random: ModelRandom
        var outbox: DatabaseOutbox
        var copy: [String: [Int64: DatabaseValue]] = [:]
        var position: Int64 = 0
        var generation = 0

        init(_ writer: any DatabaseWriter, saved: DatabaseQueue, random: ModelRandom) throws {
            self.writer = writer
            self.saved = saved
            self.random = random
            try writer.write(Self.createTables)
            outbox = try writer.outbox(named: "o", tables: OutboxModel.tables)
            copy = try writer.read(Self.content)
            try writer.backup(to: saved)
        }

        mutating func next() -> Step {
            // Writes first
            Int.random(in: 0..<3, using: &random) == 0
                ? Step.allCases.randomElement(using: &random)! : .write
        }

        private static func createTables(_ db: Database) throws {
            for table in OutboxModel.tables {
                try db.execute(
                    sql: "CREATE TABLE IF NOT EXISTS \(table) (id INTEGER PRIMARY KEY, v)")
            }
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS c (id INTEGER PRIMARY KEY, v)")
        }

        /// The first value of each row.
        private static func content(_ db: Database) throws -> [String: [Int64: DatabaseValue]] {
            var content: [String: [Int64: DatabaseValue]] = [:]
            for table in OutboxModel.tables {
                let rows = try Row.fetchAll(db, sql: "SELECT * FROM \(table)")
                content[table] = Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
            }
            return content
        }

        private mutating func table() -> String {
            OutboxModel.tables.randomElement(using: &random)!
        }

        private typealias Change = (table: String, sql: String)

        private mutating func change() -> Change {
            let table = (OutboxModel.tables + ["c"]).randomElement(using: &random)!
            let id = Int.random(in: 1...5, using: &random)
            let value = Int.random(in: 0..<1000, using: &random)
            let sql =
                switch Int.random(in: 0..<6, using: &random) {
                case 0, 1: "REPLACE INTO \(table) (id, $) VALUES (\(id), \(value))"
                case 2: "DELETE FROM \(table) WHERE id = \(id)"
                case 3: "UPDATE OR REPLACE \(table) SET id = \(id) WHERE id % 3 = \(value % 3)"
                case 4: "UPDATE OR IGNORE \(table) SET $ = NULL WHERE id > 3"
                default: "REPLACE INTO \(table) (id, $) VALUES (\(id), 1), (\(id + 1), 2)"
                }
            return (table, sql)
        }

        private static func execute(_ changes: [Change], _ db: Database) throws {
            for change in changes {
                let column = try db.columns(in: change.table)[1].name
                try db.execute(sql: change.sql.replacing("$", with: column))
            }
        }

        // MARK: - Steps

        mutating func run(_ step: Step) async throws {
            let changes = [change(), change(), change()]
            let table = table()
            switch step {
            case .write:
                try await writer.write { db in
                    try Self.execute([changes[0]], db)
                    try? db.inSavepoint {
                        try Self.execute([changes[1]], db)
                        throw ModelError()
                    }
                    try db.inSavepoint {
                        try Self.execute([changes[2]], db)
                        return .commit
                    }
                }
            case .undoneWrite:
                try? await writer.write { db in
                    try Self.execute(changes, db)
                    throw ModelError()
                }
            case .bigWrite:
                let sql = """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
                    INSERT OR REPLACE INTO \(table) (id, $) SELECT i, i FROM n
                    """
                try await writer.write { try Self.execute([(table, sql)], $0) }
            case .statement:
                // Refused if it changes a recorded row
                try? await writer.writeWithoutTransaction { try Self.execute([changes[0]], $0) }
            case .acknowledge: try await outbox.acknowledge(through: position)
            case .acknowledgeOldPosition:
                try await outbox.acknowledge(
                    through: Int64.random(in: 0...position, using: &random))
            case .addColumn:
                try await writer.write {
                    try $0.execute(
                        sql: "ALTER TABLE \(table) ADD COLUMN x\($0.columns(in: table).count)")
                }
            case .statementThatAddsAColumn:
                try await writer.writeWithoutTransaction {
                    try $0.execute(
                        sql: "ALTER TABLE \(table) ADD COLUMN x\($0.columns(in: table).count)")
                }
            case .renameColumn:
                try await writer.write { db in
                    let name = try db.columns(in: table)[1].name
                    try db.execute(
                        sql:
                            "ALTER TABLE \(table) RENAME COLUMN \(name) TO \(name == "v" ? "w" : "v")"
                    )
                    try Self.execute(changes, db)
                }
            case .drop: await attempt { try $0.execute(sql: "DROP TABLE \(table)") }
            case .dropInStatement:
                try? await writer.writeWithoutTransaction {
                    try $0.execute(sql: "DROP TABLE \(table)")
                }
            case .renameInStatement:
                try? await writer.writeWithoutTransaction {
                    try $0.execute(sql: "ALTER TABLE \(table) RENAME TO d")
                    try $0.execute(sql: "INSERT INTO d (id) VALUES (77)")
                }
            case .replace, .replaceFilled:
                await attempt { db in
                    try db.execute(sql: "CREATE TABLE new (id INTEGER PRIMARY KEY, v)")
                    if step == .replaceFilled {
                        try db.execute(sql: "INSERT INTO new VALUES (1, 1)")
                    }
                    try db.execute(
                        sql: "DROP TABLE \(table); ALTER TABLE new RENAME TO \(table)")
                    try Self.execute(changes, db)
                }
            case .swap:
                await attempt { db in
                    try db.execute(
                        sql: """
                            ALTER TABLE a RENAME TO d; ALTER TABLE b RENAME TO a; ALTER TABLE d RENAME TO b
                            """)
                    try Self.execute(changes, db)
                }
            case .transform:
                await attempt { db in
                    try db.transform(table: table) {
                        try $0.setNotNull(
                            column: db.columns(in: table)[1].name, replacingNullWith: 5)
                    }
                }
            case .empty:
                await attempt { db in
                    try Self.execute(changes, db)
                    try db.execute(sql: "DELETE FROM \(table); DROP TABLE \(table)")
                    try Self.createTables(db)
                    try Self.execute(changes, db)
                }
            case .undoneDrop:
                await attempt { db in
                    try db.execute(sql: "DELETE FROM \(table)")
                    try? db.inSavepoint {
                        try db.execute(sql: "DROP TABLE \(table)")
                        throw ModelError()
                    }
                    try Self.execute(changes, db)
                }
            case .save: try writer.backup(to: saved)
            case .restore:
                try saved.backup(to: writer)
                try await synchronize()
            case .erase:
                try await writer.erase()
                try await writer.write { db in
                    try Self.createTables(db)
                    try Self.execute(changes, db)
                }
                try await synchronize()
            case .remove, .stop:
                if step == .remove { try outbox.remove() } else { try outbox.stop() }
                try await writer.write { try Self.execute(changes, $0) }
                try await writer.write { db in
                    try db.execute(sql: "DROP TABLE \(table)")
                    try Self.createTables(db)
                }
                outbox = try writer.outbox(named: "o", tables: OutboxModel.tables)
                try await synchronize()
            }
        }

        /// A transaction that is refused, or recorded.
        private func attempt(_ body: @escaping @Sendable (Database) throws -> Void) async {
            try? await writer.write(body)
        }

        // MARK: - Judging

        /// Reads the tables, and all entries until now.
        private mutating func synchronize() async throws {
            let former = position
            let (copy, entries) = try await writer.read { [outbox] db in
                try (Self.content(db), outbox.pendingEntries(db, limit: .max))
            }
            if let first = entries.first, first.position <= former, first.generation != generation {
                throw ModelError()
            }
            self.copy = copy
            position = max(former, entries.last?.position ?? 0)
            generation = entries.last?.generation ?? generation
        }

        /// Receives the new entries, and compares the copy with the tables.
        mutating func judge() async throws -> String? {
            let (content, entries, pendingCount, all) = try await writer.read {
                [outbox, position] db in
                try (
                    Self.content(db), outbox.pendingEntries(db, after: position, limit: .max),
                    outbox.pendingCount(db), outbox.pendingEntries(db, limit: .max)
                )
            }
            if pendingCount != all.count {
                return "\(pendingCount) entries counted of \(all.count)"
            }
            for entry in entries {
                if entry.position <= position {
                    return "position \(entry.position) after \(position)"
                }
                position = entry.position
                generation = entry.generation
                if let row = entry.oldRow { copy[entry.tableName]![row[0]] = nil }
                if let row = entry.newRow { copy[entry.tableName]![row[0]] = row[1] }
            }
            return copy == content ? nil : "copy \(copy), tables \(content)"
        }
    }

    private struct ModelError: Error {}
}
