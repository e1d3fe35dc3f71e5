import GRDBChanges
import Foundation
import GRDB

/// The rows of all tables: the text of each column, by table, key and column.
typealias UndoContents = [String: [String: [String: String]]]

/// Runs a sequence, and compares each undo and redo with the contents that were remembered.
final class UndoRun {
    /// A recorded group.
    private struct Group {
        let name: String
        /// All rows before and after the group.
        let before: UndoContents
        let after: UndoContents
        /// The changed rows of recorded tables; nil for a row that did not exist.
        var rows:
            [(table: String, key: String, before: [String: String]?, after: [String: String]?)] = []
        /// Whether it has changed recorded tables only.
        var isWhole = true
        /// The recorded tables that it has changed.
        var tables: [String: String] = [:]
        let schemaChangeCount: Int
    }

    private struct History {
        let history: UndoHistory
        /// The recorded tables; nil for all.
        let tables: Set<String>?
        let storage: UndoHistory.Storage
        /// The last one is the next.
        var undoGroups: [Group] = []
        var redoGroups: [Group] = []
    }

    private let queue: DatabaseQueue
    private let schema: UndoSchema
    private var histories: [History] = []
    private let tracer: ((String) -> Void)?
    private var random: UndoRandom
    private var groupCount = 0
    private var schemaChangeCount = 0
    /// Tables that exchange their names keep their numbers.
    private var numbers = ["plant": 1, "animal": 2]

    /// How often a group was undone or redone.
    private(set) var doneCount = 0

    init(seed: UInt64, tracer: ((String) -> Void)?) throws {
        self.tracer = tracer
        random = UndoRandom(seed: seed)
        schema = UndoSchema(&random)
        schema.statements.forEach { tracer?($0) }
        if let index = schema.index { tracer?("index: \(index)") }
        queue = try DatabaseQueue()
        try queue.write { try schema.create($0) }
        for (number, tables) in [nil, random.pick(nil, schema.reachedByNote)].enumerated() {
            let storage: UndoHistory.Storage = random.pick(.memory, .table("undo \(number)"))
            let history = try UndoHistory(
                queue, tables: tables.map { _ in ["note"] }, storage: storage)
            histories.append(History(history: history, tables: tables, storage: storage))
            tracer?(
                "history \(number) of \(tables.map { $0.sorted().description } ?? "all tables"): \(storage)"
            )
        }
    }

    func close() throws { try queue.close() }

    // MARK: - Steps

    /// - returns: false if the index was damaged by statements, without undoing: the sequence ends then.
    func step(seed: UInt64) throws -> Bool {
        random = UndoRandom(seed: seed)
        let formerDoneCount = doneCount
        let index = random.pick(0, 0, 1)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<34: try record(index)
        case 34..<44: try writeUnrecorded()
        case 44..<66: try queue.writeWithoutTransaction { try move(index, isUndo: true, $0) }
        case 66..<82: try queue.writeWithoutTransaction { try move(index, isUndo: false, $0) }
        case 82..<87: try moveWithOpenViolation(index)
        case 87..<91: try moveAndRollBack(index)
        case 91..<95: try alter()
        case 95..<96: try clear(index)
        case 96..<97: try vacuum()
        default: try recordRefused()
        }
        for (number, history) in histories.enumerated() {
            let state = history.history.state
            try expect(
                state.undoGroups.map(\.name), history.undoGroups.reversed().map(\.name),
                "undo \(number)")
            try expect(
                state.redoGroups.map(\.name), history.redoGroups.reversed().map(\.name),
                "redo \(number)")
        }
        guard let problem = try indexProblem() else { return true }
        if doneCount > formerDoneCount { throw UndoFailure("\(problem) after an undo") }
        return false
    }

    /// Runs statements, some of which fail, or are rolled back.
    private func execute(_ db: Database) throws {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let sql = UndoSchema.change(&random)
            let completion: Database.TransactionCompletion = random.chance(12) ? .rollback : .commit
            do {
                try db.inSavepoint {
                    try db.execute(sql: sql)
                    return completion
                }
                tracer?("    \(sql); \(completion)")
            } catch let error as DatabaseError {
                tracer?("    \(sql): \(error.message ?? "")")
            }
        }
    }

    private func record(_ index: Int) throws {
        groupCount += 1
        let name = "group \(groupCount)"
        let before = try queue.read { try contents($0) }
        tracer?("record \(name) in history \(index)")
        do {
            try histories[index].history.record(name) { try execute($0) }
        } catch let error as DatabaseError {
            tracer?("    \(error)")
            return try expect(
                queue.read { try contents($0) }, before, "contents after a refused group")
        }
        let after = try queue.read { try contents($0) }
        var group = Group(
            name: name, before: before, after: after, schemaChangeCount: schemaChangeCount)
        for table in after.keys {
            let (old, new) = (before[table] ?? [:], after[table] ?? [:])
            for key in Set(old.keys).union(new.keys) where old[key] != new[key] {
                guard histories[index].tables?.contains(table) ?? true else {
                    group.isWhole = false
                    continue
                }
                group.rows.append((table, key, old[key], new[key]))
                group.tables[table] = try identity(table)
            }
        }
        if group.rows.isEmpty { return }
        histories[index].redoGroups = []
        histories[index].undoGroups.append(group)
    }

    private func writeUnrecorded() throws {
        tracer?("write")
        do { try queue.write { try execute($0) } } catch let error as DatabaseError {
            tracer?("    \(error)")
        }
    }

    private func move(_ index: Int, isUndo: Bool, _ db: Database) throws {
        let before = try contents(db)
        let history = histories[index].history
        let outcome = try isUndo ? history.undo(in: db) : history.redo(in: db)
        tracer?("\(isUndo ? "undo" : "redo") in history \(index): \(outcome)")
        let after = try contents(db)
        let group =
            isUndo ? histories[index].undoGroups.popLast() : histories[index].redoGroups.popLast()
        switch (outcome, group) {
        case (.nothing, nil):
            try expect(after, before, "contents after nothing")
        case (.givenUp(let givenUp, let error), let group?) where givenUp.name == group.name:
            try expect(after, before, "contents after a group was given up")
            var (current, remembered) = (before, isUndo ? group.after : group.before)
            current["pair"] = nil
            remembered["pair"] = nil
            // Exactly what the group has left. Tables that replace rows may do so when it is undone.
            if current == remembered, group.isWhole, group.schemaChangeCount == schemaChangeCount,
                !schema.statements.contains(where: { $0.contains("CONFLICT REPLACE") })
            {
                throw UndoFailure("\(group.name) is given up without reason: \(error)")
            }
        case (.done(let done), let group?) where done.name == group.name:
            doneCount += 1
            for (table, formerly) in group.tables {
                try expect(identity(table, db), formerly, "table")
            }
            guard let expected = expected(before, group, isUndo: isUndo) else {
                throw UndoFailure("\(group.name) conflicts, and is done")
            }
            try expect(after, expected, "contents")
            if isUndo {
                histories[index].redoGroups.append(group)
            } else {
                histories[index].undoGroups.append(group)
            }
        default:
            throw UndoFailure("\(outcome) for \(group?.name ?? "no group")")
        }
    }

    private func moveWithOpenViolation(_ index: Int) throws {
        let isUndo = random.chance(70)
        tracer?("open a violation")
        try queue.writeWithoutTransaction { db in
            try db.inTransaction {
                if random.chance(50) { try db.execute(sql: "PRAGMA defer_foreign_keys = ON") }
                try db.execute(sql: "INSERT INTO pair VALUES (1, 2)")
                try move(index, isUndo: isUndo, db)
                try db.execute(sql: "DELETE FROM pair")
                return .commit
            }
        }
    }

    private func moveAndRollBack(_ index: Int) throws {
        tracer?("roll back")
        let isUndo = random.chance(70)
        let formerly = histories[index]
        let before = try queue.read { try contents($0) }
        try queue.writeWithoutTransaction { db in
            try db.inTransaction {
                try move(index, isUndo: isUndo, db)
                return .rollback
            }
        }
        histories[index] = formerly
        try expect(queue.read { try contents($0) }, before, "contents after a rollback")
    }

    private func alter() throws {
        let table = random.pick("plant", "animal")
        let sql = random.pick(
            """
            ALTER TABLE plant RENAME TO other; ALTER TABLE animal RENAME TO plant;
            ALTER TABLE other RENAME TO animal
            """,
            """
            ALTER TABLE \(table) RENAME COLUMN a TO c; ALTER TABLE \(table) RENAME COLUMN b TO a;
            ALTER TABLE \(table) RENAME COLUMN c TO b
            """,
            "ALTER TABLE \(table) DROP COLUMN b", "ALTER TABLE \(table) ADD COLUMN b",
            "CREATE INDEX IF NOT EXISTS i ON tag(n)",
            "DROP TABLE \(table); CREATE TABLE \(table)(id INTEGER PRIMARY KEY, a, b)")
        schemaChangeCount += 1
        do {
            try queue.write { try $0.execute(sql: sql) }
            tracer?(sql)
            if sql.contains("other") {
                (numbers["plant"], numbers["animal"]) = (numbers["animal"], numbers["plant"])
            }
        } catch let error as DatabaseError {
            tracer?("\(sql): \(error)")
        }
    }

    private func clear(_ index: Int) throws {
        tracer?("clear history \(index)")
        if case .table(let name) = histories[index].storage {
            try queue.write { try $0.execute(sql: "DELETE FROM \"\(name)\"") }
        } else {
            try histories[index].history.removeAll()
        }
        histories[index].undoGroups = []
        histories[index].redoGroups = []
    }

    private func vacuum() throws {
        // It changes the rowids of tables without indexes, which full-text indexes refer to.
        if schema.index?.table == "log" { return }
        tracer?("vacuum")
        schemaChangeCount += 1
        try queue.vacuum()
    }

    /// Records what can't be undone.
    private func recordRefused() throws {
        let sql = random.pick(
            "DROP TABLE plant", "ALTER TABLE animal ADD COLUMN z",
            "CREATE VIRTUAL TABLE r USING rtree(id, x1, x2); INSERT INTO r VALUES (1, 2, 3)")
        tracer?("record \(sql)")
        let before = try queue.read { try contents($0) }
        var error: DatabaseError?
        do {
            try histories[0].history.record("refused") { try $0.execute(sql: sql) }
        } catch let failure as DatabaseError {
            error = failure
        }
        try expect(error?.resultCode, .SQLITE_MISUSE, "error")
        try expect(queue.read { try contents($0) }, before, "contents after a refused group")
    }

    // MARK: - Contents

    /// The contents that undoing a group leads to; nil if they conflict with it.
    private func expected(
        _ current: UndoContents, _ group: Group, isUndo: Bool
    ) -> UndoContents? {
        var result = current
        for (table, key, before, after) in group.rows {
            let (old, new) = isUndo ? (after, before) : (before, after)
            guard let old, let new else {
                if current[table]?[key] != old { return nil }
                result[table, default: [:]][key] = new
                continue
            }
            for (column, value) in new where old[column] != value {
                if current[table]?[key]?[column] != old[column] { return nil }
                result[table]?[key]?[column] = value
            }
        }
        return result
    }

    private func contents(_ db: Database) throws -> UndoContents {
        var contents: UndoContents = [:]
        let tables = try String.fetchAll(
            db,
            sql: """
                SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' \
                AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'undo%'
                """)
        for table in tables {
            let key =
                switch table {
                case "tag": "quote(name) || quote(k)"
                case "note": "ifnull(quote(id) || typeof(id), rowid)"
                default: "rowid"
                }
            var rows: [String: [String: String]] = [:]
            let cursor = try Row.fetchCursor(db, sql: "SELECT \(key), * FROM main.\"\(table)\"")
            while let row = try cursor.next() {
                var columns: [String: String] = [:]
                for (name, value) in row.dropFirst() { columns[name] = "\(value.storage)" }
                rows["\(row[0] as DatabaseValue)"] = columns
            }
            contents[table] = rows
        }
        return contents
    }

    private func identity(_ table: String) throws -> String {
        try queue.read { try identity(table, $0) }
    }

    private func identity(_ table: String, _ db: Database) throws -> String {
        try "\(numbers[table] ?? 0) \(db.columns(in: table).map(\.name))"
    }

    private func indexProblem() throws -> String? {
        guard let index = schema.index else { return nil }
        return try queue.write { db in
            do {
                let columns =
                    index.isFTS4
                    ? "(ft) VALUES ('integrity-check')" : "(ft, rank) VALUES ('integrity-check', 1)"
                try db.execute(sql: "INSERT INTO ft\(columns)")
            } catch {
                return "\(error)"
            }
            let texts = try Row.fetchAll(
                db,
                sql: "SELECT rowid, \(index.columns.joined(separator: ", ")) FROM \(index.table)")
            for word in UndoSchema.words {
                let found = try Int64.fetchSet(
                    db, sql: "SELECT rowid FROM ft WHERE ft MATCH ?", arguments: [word])
                let expected = texts.filter { row in
                    row.dropFirst().contains { _, value in
                        String.fromDatabaseValue(value)?.split(separator: " ").contains(
                            Substring(word)) == true
                    }
                }
                if found != Set(expected.map { $0[0] }) { return "search for \(word)" }
            }
            return nil
        }
    }

    private func expect<Value: Equatable>(
        _ value: Value, _ expected: Value, _ subject: String
    ) throws {
        guard value != expected else { return }
        guard let value = value as? UndoContents, let expected = expected as? UndoContents else {
            throw UndoFailure("\(subject): \(value), expected \(expected)")
        }
        for table in Set(value.keys).union(expected.keys).sorted() {
            let (now, then) = (value[table] ?? [:], expected[table] ?? [:])
            for key in Set(now.keys).union(then.keys).sorted() where now[key] != then[key] {
                throw UndoFailure(
                    "\(subject): \(table) \(key) \(now[key]?.description ?? "-"), expected \(then[key]?.description ?? "-")"
                )
            }
        }
    }
}
