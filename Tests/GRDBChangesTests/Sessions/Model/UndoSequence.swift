import GRDBChanges
import Foundation
import GRDB

/// A sequence of recorded and unrecorded changes, undos and redos, of a random schema. It depends on its
/// seed and its steps alone.
struct UndoSequence {
    let seed: UInt64
    var steps: [UInt64]

    init(seed: UInt64, count: Int = 50) {
        self.seed = seed
        var random = UndoRandom(seed: seed)
        steps = (0..<count).map { _ in random.next() }
    }

    /// Runs the steps in a new database.
    ///
    /// - returns: what went wrong, and the number of steps, and of groups that were undone or redone.
    func run(tracer: ((String) -> Void)? = nil) -> (failure: String?, steps: Int, done: Int) {
        var count = 0
        var done = 0
        do {
            let run = try UndoRun(seed: seed, tracer: tracer)
            for step in steps {
                count += 1
                guard try run.step(seed: step) else { break }
            }
            done = run.doneCount
            try run.close()
            return (nil, count, done)
        } catch {
            return ("\(error)", count, done)
        }
    }

    /// The smallest sequence that fails, found by leaving out steps.
    func shrunk() -> UndoSequence {
        var smallest = self
        var size = max(1, steps.count / 2)
        while true {
            var index = 0
            while index < smallest.steps.count {
                var candidate = smallest
                candidate.steps.removeSubrange(index..<min(index + size, candidate.steps.count))
                if candidate.run().failure != nil { smallest = candidate } else { index += size }
            }
            if size == 1 { return smallest }
            size /= 2
        }
    }
}

struct UndoRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    mutating func pick<Element>(_ elements: Element...) -> Element {
        elements.randomElement(using: &self)!
    }

    mutating func words() -> String {
        (0..<Int.random(in: 0...3, using: &self))
            .map { _ in UndoSchema.words.randomElement(using: &self)! }
            .joined(separator: " ")
    }
}

struct UndoFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The tables of a sequence.
struct UndoSchema {
    static let words = ["ash", "birch", "cedar", "elm", "fir", "larch", "oak", "pine"]

    var statements: [String] = []
    /// The full-text index, and whether it is FTS4.
    var index: (table: String, columns: [String], isFTS4: Bool)?
    /// The tables that changes of `note` reach.
    var reachedByNote: Set<String> = ["note"]

    init(_ random: inout UndoRandom) {
        let onDelete = random.pick("CASCADE", "CASCADE", "SET NULL", "NO ACTION", "RESTRICT")
        let onUpdate = random.pick("CASCADE", "NO ACTION", "SET NULL")
        let deferred = random.chance(30) ? " DEFERRABLE INITIALLY DEFERRED" : ""
        let unique =
            random.chance(50) ? " UNIQUE" : random.chance(20) ? " UNIQUE ON CONFLICT REPLACE" : ""
        let noteKey = random.pick("INTEGER PRIMARY KEY", "TEXT NOT NULL PRIMARY KEY", "PRIMARY KEY")
        let stored = random.pick(
            "", ", size INT AS (length(title)) STORED", ", size INT AS (length(body)) VIRTUAL")
        statements = [
            "CREATE TABLE folder(id INTEGER PRIMARY KEY, name TEXT COLLATE NOCASE\(unique), n INTEGER)",
            """
            CREATE TABLE note(
              id \(noteKey),
              folder INTEGER REFERENCES folder(id) ON DELETE \(onDelete) ON UPDATE \(onUpdate)\(deferred),
              title TEXT\(random.chance(40) ? " UNIQUE" : ""), body TEXT, modified INTEGER DEFAULT 0\(stored))
            """,
            """
            CREATE TABLE tag(
              name TEXT COLLATE NOCASE NOT NULL, k \(random.pick("REAL", "", "INTEGER")) NOT NULL, n REAL,
              PRIMARY KEY (name, k))\(random.chance(50) ? " WITHOUT ROWID" : "")
            """,
            "CREATE TABLE log(text TEXT, n)",
            "CREATE TABLE counter(id INTEGER PRIMARY KEY, n INTEGER)",
            "CREATE TABLE pair(id INTEGER PRIMARY KEY, other REFERENCES pair(id) DEFERRABLE INITIALLY DEFERRED)",
            "CREATE TABLE plant(id INTEGER PRIMARY KEY, a, b)",
            "CREATE TABLE animal(id INTEGER PRIMARY KEY, a, b)",
            "INSERT INTO counter VALUES (1, 0)",
            "INSERT INTO folder VALUES (1, 'ash', 1), (2, 'oak', 2), (3, 'elm', 3)",
            "INSERT INTO note(id, folder, title, body) VALUES (1, 1, 'ash oak', 'pine'), (2, 2, 'fir', NULL)",
            "INSERT INTO tag VALUES ('red', 1, 1), ('Blue', 2, 2.5)",
            "INSERT INTO log VALUES ('start', 1)",
            "INSERT INTO plant VALUES (1, 1, 1), (2, 2, 2)",
            "INSERT INTO animal VALUES (1, 1, 1), (2, 2, 3)",
        ]
        // Other actions than CASCADE make no trigger of a parent reach note.
        let triggers = [
            ("AFTER INSERT ON note", "UPDATE counter SET n = n + 1", "counter"),
            ("AFTER DELETE ON note", "UPDATE counter SET n = n - 1", "counter"),
            ("AFTER DELETE ON note", "DELETE FROM log WHERE rowid % 2 = 0", "log"),
            ("AFTER UPDATE ON note", "INSERT INTO log VALUES (new.title, new.id)", "log"),
            ("AFTER UPDATE OF body ON note", "UPDATE tag SET n = n + 1 WHERE name = 'red'", "tag"),
            ("AFTER UPDATE OF title ON note", "UPDATE counter SET n = n * 2", "counter"),
            ("AFTER INSERT ON tag", "UPDATE counter SET n = n + 10", ""),
            ("AFTER UPDATE ON folder", "INSERT INTO log VALUES (old.name, new.name)", ""),
            ("BEFORE DELETE ON folder", "INSERT OR IGNORE INTO tag VALUES (old.name, 7, 7)", ""),
        ]
        for (number, trigger) in triggers.enumerated() where random.chance(35) {
            let temporary = random.chance(15) ? "TEMP " : ""
            statements.append(
                "CREATE \(temporary)TRIGGER tr\(number) \(trigger.0) BEGIN \(trigger.1); END")
            if !trigger.2.isEmpty { reachedByNote.insert(trigger.2) }
        }
        if random.chance(75) {
            index = random.pick(
                ("note", ["title", "body"], false), ("note", ["title", "body"], true),
                ("note", ["body"], false), ("log", ["text"], false))
        }
    }

    func create(_ db: Database) throws {
        for sql in statements.prefix(8) { try db.execute(sql: sql) }
        if let index {
            if index.isFTS4 {
                try db.create(virtualTable: "ft", using: FTS4()) { t in
                    t.synchronize(withTable: index.table)
                    for column in index.columns { t.column(column) }
                }
            } else {
                try db.create(virtualTable: "ft", using: FTS5()) { t in
                    t.synchronize(withTable: index.table)
                    for column in index.columns { t.column(column) }
                }
            }
        }
        for sql in statements.dropFirst(8) { try db.execute(sql: sql) }
    }

    /// A random change of the rows.
    static func change(_ random: inout UndoRandom) -> String {
        let id = Int.random(in: 1...6, using: &random)
        let other = Int.random(in: 1...6, using: &random)
        let (text, body) = (random.words(), random.words())
        let word = words.randomElement(using: &random)!
        let tag = random.pick("red", "RED", "Red", "blue", "Blue", "green")
        return random.pick(
            "INSERT INTO note(id, folder, title, body) VALUES (\(id), \(random.pick("NULL", "\(other)")), '\(text)', '\(body)')",
            "INSERT INTO note(id, folder, title, body) VALUES (\(id), \(other), '\(text)', NULL)",
            "UPDATE note SET title = '\(text)' WHERE id = \(id)",
            "UPDATE note SET body = '\(body)', title = title || ' \(word)' WHERE id <> \(id)",
            "UPDATE note SET folder = \(other) WHERE id = \(id)",
            "UPDATE note SET folder = \(other)",
            "UPDATE note SET id = \(other) WHERE id = \(id)", "DELETE FROM note WHERE id = \(id)",
            "INSERT INTO folder VALUES (\(id), '\(word)', \(other)); UPDATE note SET folder = \(id) WHERE id = \(other)",
            "INSERT INTO folder VALUES (\(id), '\(word)', \(other))",
            "DELETE FROM folder WHERE id = \(id)",
            "UPDATE folder SET name = upper(name) WHERE id = \(id)",
            """
            UPDATE folder SET name = 'free' WHERE id = \(id); UPDATE folder SET name = '\(word)' WHERE id = \(other);
            UPDATE folder SET name = '\(random.pick("ash", "oak", "elm"))' WHERE id = \(id)
            """,
            """
            UPDATE folder SET id = 99 WHERE id = \(id); UPDATE folder SET id = \(id) WHERE id = \(other);
            UPDATE folder SET id = \(other) WHERE id = 99
            """,
            "UPDATE folder SET id = \(other) WHERE id = \(id)",
            "UPDATE folder SET n = n + 1 WHERE id <= \(id)",
            "INSERT OR IGNORE INTO tag VALUES ('\(tag)', \(random.pick("1", "2", "1.5", "2.0")), \(other))",
            "INSERT OR REPLACE INTO tag VALUES ('\(tag)', \(random.pick("1", "2")), \(other))",
            "UPDATE tag SET name = '\(tag)' WHERE name = '\(tag)'",
            "UPDATE tag SET k = k + \(random.pick("0.0", "1"))",
            "UPDATE tag SET n = \(random.pick("1", "1.0", "NULL", "'x'")) WHERE name = '\(tag)'",
            "DELETE FROM tag WHERE name = '\(tag)'", "INSERT INTO log VALUES ('\(text)', \(other))",
            "UPDATE log SET n = n + 1 WHERE rowid = \(id)",
            "UPDATE log SET text = '\(text)' WHERE rowid = \(id)",
            "UPDATE log SET rowid = \(other + 10) WHERE rowid = \(id)",
            "DELETE FROM log WHERE rowid \(random.pick("=", ">")) \(id)",
            "UPDATE counter SET n = n + \(id)",
            "INSERT OR IGNORE INTO plant VALUES (\(id), \(other), \(other))",
            "DELETE FROM plant WHERE id = \(id)",
            "UPDATE plant SET a = \(other) WHERE id = \(id)",
            "UPDATE animal SET b = \(other) WHERE id = \(id)")
    }
}
