@testable import GRDBSchema
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Transforms random tables, and compares their content with what a model expects.
///
/// `RANDOM_TRANSFORMATIONS=10000 swift test --filter RandomTransformationTests` tries more, and
/// `RANDOM_TRANSFORMATIONS_SEED` others. A failure prints its seed, which is tried alone with
/// `RANDOM_TRANSFORMATIONS=1`.
@Suite struct RandomTransformationTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test func contentsAreThoseOfTheModel() throws {
        let first = Self.number("RANDOM_TRANSFORMATIONS_SEED") ?? 1
        let count = Self.number("RANDOM_TRANSFORMATIONS") ?? 400
        var outcome = Outcome()
        for seed in first..<first + count {
            var random = SplitMix64(seed: seed)
            for _ in 0..<4 { _ = random.next() }
            var generator = RandomTransformation(random: random)
            do {
                try DatabaseQueue().inDatabase { db in
                    try outcome.add(generator.run(db), seed)
                }
            } catch {
                outcome.failureCount += 1
                Issue.record("seed \(seed): \(error)\n\(generator.description)")
            }
            if outcome.failureCount >= 5 { break }
        }
        if count >= 400 {
            // Transformations that are refused prove little.
            #expect(outcome.refusalCount < outcome.count / 4)
            #expect(outcome.rebuildCount > outcome.count / 3)
            #expect(outcome.rowCount > outcome.count)
        }
        print(
            """
            \(outcome.count) transformations, \(outcome.rebuildCount) rebuilds, \
            \(outcome.refusalCount) refused, \(outcome.rowCount) rows, \
            \(outcome.failureCount) differences
            """)
    }

    private struct Outcome {
        var count = 0
        var rebuildCount = 0
        var refusalCount = 0
        var rowCount = 0
        var failureCount = 0

        mutating func add(_ result: RandomTransformation.Outcome, _ seed: UInt64) throws {
            count += 1
            if result.isRebuilt { rebuildCount += 1 }
            if result.isRefused { refusalCount += 1 }
            rowCount += result.rowCount
            if let difference = result.difference {
                failureCount += 1
                Issue.record("seed \(seed): \(difference)")
            }
        }
    }
}

/// A random table with all that may surround it, and random changes of it.
private struct RandomTransformation {
    struct Outcome {
        var isRebuilt = false
        var isRefused = false
        var rowCount = 0
        var difference: String?
    }

    private struct Column {
        var name: String
        var type: String
        var isKey = false
        var isGenerated = false
        var isNotNull = false
        var isUsed = false
    }

    var random: SplitMix64
    private var columns: [Column] = []
    private var statements: [String] = []
    private var changes: [String] = []

    init(random: SplitMix64) {
        self.random = random
    }

    var description: String { (statements + changes).joined(separator: "\n") }

    private mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    private mutating func pick<T>(_ values: [T]) -> T {
        values.randomElement(using: &random)!
    }

    private static let oddNames = [
        "a", "B b", "c\"c", "d,d", "(e", "f)", "g'", "rowid", "_rowid_", "select", "é", "[h", "i--",
        "/*j", "check", "primary", "as", "generated", "ALWAYS",
    ]

    private static func quoted(_ name: String) -> String { name.quotedDatabaseIdentifier }

    // MARK: - The database

    private var isWithoutRowID = false
    private var isStrict = false
    private var isAutoincremented = false
    private var hasKey = false

    /// The table, its rows, and what surrounds it.
    private mutating func makeDatabase(_ db: Database) throws {
        isStrict = chance(20)
        hasKey = chance(75)
        isWithoutRowID = hasKey && chance(20)
        let isIntegerKey = hasKey && !isWithoutRowID && chance(60)
        isAutoincremented = isIntegerKey && chance(50)
        var names = Self.oddNames.shuffled(using: &random)
        var definitions: [String] = []
        var tail: [String] = []
        let types =
            isStrict
            ? ["INTEGER", "TEXT", "REAL", "ANY", "BLOB"]
            : ["INTEGER", "TEXT", "REAL", "", "BLOB", "NUMERIC", "VARCHAR(10, 2)", "DATE TIME"]
        let count = Int.random(in: 2...6, using: &random)
        for index in 0..<count {
            var column = Column(name: names.removeLast(), type: pick(types))
            if index == 0, isIntegerKey { column.type = "INTEGER" }
            if index == 0, hasKey, !isIntegerKey, isStrict { column.type = "ANY" }
            var text = "\(Self.quoted(column.name)) \(column.type)"
            if index == 0, hasKey {
                column.isKey = true
                if isAutoincremented {
                    text += " PRIMARY KEY AUTOINCREMENT"
                } else if chance(50) {
                    text += " PRIMARY KEY"
                } else {
                    tail.append("PRIMARY KEY (\(Self.quoted(column.name)))")
                }
            } else if index > 1, chance(15) {
                column.isGenerated = true
                text += " GENERATED ALWAYS AS (typeof(\(Self.quoted(columns[1].name)))) "
                text += pick(["VIRTUAL", "STORED"])
                if isStrict {
                    text = text.replacingOccurrences(of: " \(column.type) ", with: " ANY ")
                }
                columns[1].isUsed = true
            } else {
                if chance(15), !isStrict || column.type != "BLOB" {
                    column.isNotNull = true
                    text += " NOT NULL" + pick(["", " ON CONFLICT IGNORE", " ON CONFLICT REPLACE"])
                    text += " DEFAULT 7"
                } else if chance(15), !isStrict || column.type == "ANY" {
                    text += " DEFAULT " + pick(["-1", "'it''s'", "(1 + 2)", "x'00'", "NULL"])
                }
                if chance(10) { text += " COLLATE NOCASE" }
                if chance(10) { text += " CHECK (\(Self.quoted(column.name)) IS NOT 'never')" }
                if chance(10) { text += " /* a, comment */" }
            }
            definitions.append(text)
            columns.append(column)
        }
        if chance(20) {
            tail.append(
                "CONSTRAINT named CHECK (\(Self.quoted(columns[1].name)) IS NOT 'nothing')")
            columns[1].isUsed = true
        }
        // Self references.
        if hasKey, chance(20), let index = columns.indices.last, !columns[index].isGenerated,
            index > 1, !definitions[index].contains("DEFAULT")
        {
            tail.append("FOREIGN KEY (\(Self.quoted(columns[index].name))) REFERENCES t")
            columns[index].isUsed = true
        }
        var options: [String] = []
        if isStrict { options.append("STRICT") }
        if isWithoutRowID { options.append("WITHOUT ROWID") }
        statements.append(
            "CREATE TABLE t(\((definitions + tail).joined(separator: chance(50) ? ", " : ",\n")))"
                + " \(options.joined(separator: ","))")
        statements.append("CREATE TABLE log(x)")
        if chance(30) {
            let column = Int.random(in: columns.indices, using: &random)
            columns[column].isUsed = true
            statements.append("CREATE INDEX i ON t(\(Self.quoted(columns[column].name)) DESC)")
        }
        if chance(30) { statements.append("CREATE VIEW v AS SELECT count(*) AS n FROM t") }
        if chance(30) {
            let name = Self.quoted(columns[1].name)
            columns[1].isUsed = true
            statements.append(
                "CREATE TRIGGER r AFTER INSERT ON t BEGIN INSERT INTO log VALUES (NEW.\(name)); END"
            )
        }
        for sql in statements { try db.execute(sql: sql) }
        try insertRows(db)
        if hasKey, chance(60) {
            let action = pick(["CASCADE", "SET NULL", "RESTRICT", "NO ACTION", "SET DEFAULT"])
            try add("CREATE TABLE child(p REFERENCES t ON DELETE \(action))", db)
            try add("INSERT INTO child SELECT \(Self.quoted(columns[0].name)) FROM t", db)
        }
    }

    private mutating func add(_ sql: String, _ db: Database) throws {
        statements.append(sql)
        try db.execute(sql: sql)
    }

    private mutating func insertRows(_ db: Database) throws {
        let columns = columns.filter {
            !$0.isGenerated && !$0.isUsed || $0.isKey
                || $0.name == self.columns[1].name && !$0.isGenerated
        }
        let names = columns.map { Self.quoted($0.name) }.joined(separator: ", ")
        for number in 0..<Int.random(in: 0...6, using: &random) {
            var values: [String] = []
            for column in columns {
                if column.isKey {
                    values.append("\(number * number + 3)")
                } else {
                    let integers = ["1", "0", "-5", "9007199254740993"]
                    let texts = ["'x'", "'12'", "'1.50'", "''", "'é, \"'"]
                    let value: String
                    if isStrict {
                        switch column.type {
                        case "INTEGER": value = pick(integers)
                        case "TEXT": value = pick(texts)
                        case "REAL": value = pick(["1.5", "2.0", "-1e300"])
                        case "BLOB": value = pick(["x'00ff'", "x''"])
                        default: value = pick(integers + texts + ["x'01'"])
                        }
                    } else {
                        value = pick(integers + texts + ["1.5", "2.0", "x'00ff'", "x''"])
                    }
                    values.append(chance(15) && !column.isNotNull ? "NULL" : value)
                }
            }
            try add(
                "INSERT INTO t(\(names)) VALUES (\(values.joined(separator: ", ")))", db)
        }
        if chance(30), hasKey {
            // Gaps.
            try add("DELETE FROM t WHERE \(Self.quoted(columns[0].name)) > 15", db)
        }
    }

    // MARK: - Changes

    /// The values of the rows under the names of columns, in the order of the key or rowid.
    private func rows(_ db: Database, _ columns: [Column]) throws -> [[String]] {
        let names = columns.map { "t.\(Self.quoted($0.name))" }
        let order =
            hasKey ? "t.\(Self.quoted(self.columns[0].name))" : try rowIDName(db) ?? "1"
        var terms = names
        if !hasKey, let rowID = try rowIDName(db) { terms.append(rowID) }
        return try Row.fetchAll(
            db, sql: "SELECT \(terms.joined(separator: ", ")) FROM t ORDER BY \(order)"
        ).map { row in row.databaseValues.map(\.dumpText) }
    }

    private func rowIDName(_ db: Database) throws -> String? {
        let names = try db.columns(in: "t").map { $0.name.lowercased() }
        return ["oid", "_rowid_", "rowid"].first { !names.contains($0) }
    }

    mutating func run(_ db: Database) throws -> Outcome {
        try makeDatabase(db)
        var outcome = Outcome()
        let before = try contentDump(db)

        var model = columns
        var apply: [(TableTransformation) -> Void] = []
        var expected: [String: String] = [:]
        func note(_ text: String, _ change: @escaping (TableTransformation) -> Void) {
            changes.append(text)
            apply.append(change)
        }

        // Renames come first.
        if chance(40) {
            let index = Int.random(in: model.indices, using: &random)
            let name = model[index].name
            let newName = pick(["renamed", "order", "x\"y"])
            note("rename \(name) to \(newName)") { $0.rename(column: name, to: newName) }
            model[index].name = newName
        }
        let oldColumns = columns
        let renamed = model
        for index in model.indices.reversed() where index > 0 {
            let column = model[index]
            guard !column.isGenerated else { continue }
            let name = column.name
            switch Int.random(in: 0..<14, using: &random) {
            case 0 where !column.isUsed && index > 1:
                note("drop \(name)") { $0.drop(column: name) }
                model[index].type = "dropped"
            case 1 where !isStrict && !column.isUsed:
                let type = pick([.integer, .text, .blob, Database.ColumnType(rawValue: "REAL")])
                note("type of \(name): \(type.rawValue)") { $0.change(column: name, type: type) }
                model[index].type = type.rawValue
                expected[name] = type.rawValue
            case 2:
                let value = pick([1.databaseValue, "it's".databaseValue, 1.5.databaseValue])
                note("default of \(name): \(value)") {
                    $0.setDefault(ofColumn: name, to: value)
                }
            case 3:
                note("no default of \(name)") { $0.dropDefault(ofColumn: name) }
            case 4:
                note("not null: \(name)") {
                    $0.setNotNull(column: name, replacingNullWith: nil)
                }
            case 5:
                note("null: \(name)") { $0.dropNotNull(column: name) }
            case 6:
                note("collation of \(name)") { $0.setCollation(ofColumn: name, to: .rtrim) }
            case 7:
                note("check of \(name)") {
                    $0.addCheck(GRDB.Column(name) != "impossible")
                }
            default:
                break
            }
        }
        model.removeAll { $0.type == "dropped" }
        var added: String?
        if chance(25) {
            added = "added"
            let isText = chance(50)
            note("add") { t in
                t.add(column: "added", isText ? .text : .integer).notNull().defaults(to: 3)
            }
        }
        if chance(30) {
            let order = model.map(\.name).shuffled(using: &random)
            note("reorder \(order)") { $0.reorder(columns: order) }
        }
        if !hasKey, chance(25) {
            note("key") { $0.setAutoIncrementedPrimaryKey("newKey") }
        }
        if chance(10), !isWithoutRowID, hasKey {
            let name = renamed[0].name
            note("without rowid") { t in
                t.setPrimaryKey([name])
                t.setOptions(.withoutRowID)
            }
        }

        // The model: converted values come from a table of the new type.
        let survivors = zip(oldColumns, renamed).filter { pair in
            model.contains { $0.name == pair.1.name }
        }
        let oldRows = try rows(db, survivors.map(\.0))
        let sequence =
            try Row.fetchAll(db, sql: "SELECT * FROM sqlite_master WHERE name = 'sqlite_sequence'")
            .isEmpty
            ? nil : Int.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 't'")
        let children = try? rowDump(db, "child")
        outcome.rowCount = oldRows.count

        do {
            let body = apply
            let plan = try db.transform(table: "t") { t in for change in body { change(t) } }
            outcome.isRebuilt = plan.rebuildsTable
        } catch let error as DatabaseError {
            outcome.isRefused = true
            if try contentDump(db) != before {
                outcome.difference = "refused (\(error)), but changed\n\(description)"
            }
            return outcome
        }

        var problems: [String] = []
        func expect(_ condition: Bool, _ problem: @autoclosure () -> String) {
            if !condition { problems.append(problem()) }
        }
        columns = renamed
        let newRows = try rows(db, survivors.map(\.1))
        expect(newRows.count == oldRows.count, "\(newRows.count) rows of \(oldRows.count)")
        for (old, new) in zip(oldRows, newRows) {
            for (index, pair) in zip(old, new).enumerated() {
                if index < survivors.count, let type = expected[survivors[index].1.name] {
                    let converted = try convert(pair.0, to: type, db)
                    expect(converted == pair.1, "\(pair.1) instead of \(converted)")
                } else if index < survivors.count, survivors[index].1.isGenerated,
                    !expected.isEmpty
                {
                    // It may depend on a converted column.
                } else {
                    expect(pair.0 == pair.1, "\(pair.1) instead of \(pair.0)")
                }
            }
        }
        if let added {
            let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM t WHERE \(added) = 3")
            expect(count == oldRows.count, "added")
        }
        expect(try String.fetchAll(db, sql: "PRAGMA integrity_check") == ["ok"], "integrity")
        expect(try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").isEmpty, "foreign keys")
        expect((try? rowDump(db, "child")) == children, "children")
        let isStillAutoincremented = !changes.contains("without rowid")
        if let sequence, isStillAutoincremented {
            let seq = try Int.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 't'")
            expect(seq == sequence, "sequence")
        }
        // What surrounds the table.
        func surroundings(_ lines: [String]) -> [String] {
            lines.filter { line in
                ["main index i", "main trigger", "main view", "main table child"].contains {
                    line.hasPrefix($0)
                }
            }.map { changes.contains { $0.hasPrefix("rename") } ? String($0.prefix(14)) : $0 }
        }
        let after = try contentDump(db)
        expect(surroundings(after) == surroundings(before), "surroundings \(surroundings(after))")
        if !problems.isEmpty {
            outcome.difference =
                problems.joined(separator: "\n") + "\n" + description
                + "\n" + after.joined(separator: "\n")
        }
        return outcome
    }

    /// The value that a column of this type stores.
    private func convert(_ literal: String, to type: String, _ db: Database) throws -> String {
        try db.execute(sql: "CREATE TEMP TABLE probe(v \(type))")
        defer { try? db.execute(sql: "DROP TABLE temp.probe") }
        var sql = literal
        if literal.hasPrefix("'") {
            let text = literal.dropFirst().dropLast().replacingOccurrences(of: "'", with: "''")
            sql = "'\(text)'"
        }
        try db.execute(sql: "INSERT INTO temp.probe VALUES (\(sql))")
        return try DatabaseValue.fetchOne(db, sql: "SELECT v FROM temp.probe")!.dumpText
    }
}
