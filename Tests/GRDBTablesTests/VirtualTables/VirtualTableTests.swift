@testable import GRDBTables
import GRDB
import GRDBTestSupport
import Testing

/// A writable table of key and value in memory, which logs what happens.
private final class NoteTable: TransactionalVirtualTable {
    static let shadowTableSuffixes = ["notes"]
    static let log = Log<String>()

    typealias Rows = [Int64: [DatabaseValue]]
    var rows: Rows = [:]
    private var saved: [(number: Int, rows: Rows)] = []
    private var committed: Rows = [:]
    let declaration = "name TEXT, text TEXT"
    let failure: String

    private func note(_ call: String) throws {
        NoteTable.log.append(call)
        if failure == call { throw TestError(call) }
    }

    init(connecting connection: VirtualTableConnection) throws {
        failure = connection.arguments.first ?? ""
        try note(connection.isCreated ? "create" : "connect")
    }

    func plan(_ plan: inout VirtualTablePlan) throws -> Bool {
        try note("plan")
        return true
    }

    func makeCursor() throws -> NoteCursor {
        try note("open")
        return NoteCursor(self, failure)
    }

    func destroy() throws { try note("destroy") }
    func rename(to name: String) throws { try note("rename") }

    func integrityProblem(schema: String, table: String, isQuick: Bool) throws -> String? {
        try note("integrity")
        return failure == "broken" ? "\(schema).\(table) is broken" : nil
    }

    func insert(
        _ values: [DatabaseValue], rowID: Int64?, onConflict: Database.ConflictResolution
    ) throws -> Int64 {
        try note("insert")
        let rowID = rowID ?? (rows.keys.max() ?? 0) + 1
        if rows[rowID] != nil {
            switch onConflict {
            case .ignore: return rowID
            case .replace: break
            default:
                throw DatabaseError(resultCode: .SQLITE_CONSTRAINT, message: "taken: \(rowID)")
            }
        }
        rows[rowID] = values
        return rowID
    }

    func update(
        rowID: Int64, newRowID: Int64, _ values: [DatabaseValue],
        onConflict: Database.ConflictResolution
    ) throws {
        try note("update")
        rows[rowID] = nil
        rows[newRowID] = values
    }

    func delete(rowID: Int64) throws {
        try note("delete")
        rows[rowID] = nil
    }

    func begin() throws {
        committed = rows
        try note("begin")
    }
    func sync() throws { try note("sync") }
    func commit() { saved = [] }
    func rollback() {
        rows = committed
        saved = []
    }
    func savepoint(_ number: Int) throws { saved.append((number, rows)) }
    func release(_ number: Int) throws { saved.removeAll { $0.number >= number } }
    func rollback(to number: Int) throws {
        if let state = saved.first(where: { $0.number == number }) { rows = state.rows }
    }
}

private final class NoteCursor: VirtualTableCursor {
    private let table: NoteTable
    private let failure: String
    private var rowIDs: [Int64] = []

    init(_ table: NoteTable, _ failure: String) {
        self.table = table
        self.failure = failure
    }

    private func fail(_ call: String) throws {
        if failure == call { throw TestError(call) }
    }

    func filter(number: Int, text: String?, arguments: VirtualTableArguments) throws {
        try fail("filter")
        rowIDs = table.rows.keys.sorted(by: >)
    }

    func next() throws {
        try fail("next")
        rowIDs.removeLast()
    }

    var isAtEnd: Bool { rowIDs.isEmpty }

    func column(_ index: Int, into result: VirtualTableResult) throws {
        try fail("column")
        try result.set(table.rows[rowIDs.last!]![index])
    }

    var rowID: Int64 {
        get throws {
            try fail("rowid")
            return rowIDs.last!
        }
    }
}

/// Answers constraints itself.
private final class SquareTable: VirtualTable {
    let declaration = "n INTEGER, square INTEGER, low HIDDEN, high HIDDEN"
    let trust = VirtualTableTrust.directOnly

    init(connecting connection: VirtualTableConnection) {}

    func plan(_ plan: inout VirtualTablePlan) -> Bool {
        for column in [2, 3] {
            guard
                let argument = plan.constraints.first(where: {
                    $0.column == column && $0.comparison == .equal
                })
            else { return false }
            plan.use(argument, isExact: true)
        }
        if let list = plan.constraints.first(where: { $0.column == 0 && $0.isList }) {
            plan.use(list, receivesList: true)
            plan.text = "list"
        }
        plan.number = 7
        plan.cost = 10
        plan.rowCount = 10
        return true
    }

    func makeCursor() -> SquareCursor { SquareCursor() }
}

private final class SquareCursor: VirtualTableCursor {
    private var numbers: [Int64] = []
    private var bounds: (Int64, Int64) = (0, 0)

    func filter(number: Int, text: String?, arguments: VirtualTableArguments) throws {
        expectEqual(number, 7)
        bounds = (
            Int64.fromDatabaseValue(arguments[0]) ?? 0, Int64.fromDatabaseValue(arguments[1]) ?? 0
        )
        numbers = bounds.0 <= bounds.1 ? (bounds.0...bounds.1).reversed() : []
        if text == "list" {
            let values = try arguments.values(at: 2).compactMap(Int64.fromDatabaseValue)
            numbers.removeAll { !values.contains($0) }
        }
    }

    func next() { numbers.removeLast() }
    var isAtEnd: Bool { numbers.isEmpty }
    var rowID: Int64 { numbers.last! }

    func column(_ index: Int, into result: VirtualTableResult) {
        switch index {
        case 0: result.set(numbers.last!)
        case 1: result.set(numbers.last! * numbers.last!)
        case 2: result.set(bounds.0)
        default: result.set(bounds.1)
        }
    }
}

/// An empty table that logs what it is asked for.
private final class AskedTable: VirtualTable {
    static let log = Log<String>()
    let declaration = "a INTEGER, b TEXT"

    init(connecting connection: VirtualTableConnection) {}

    func plan(_ plan: inout VirtualTablePlan) -> Bool {
        let constraints = plan.constraints.map { constraint in
            var words: [String] = []
            if constraint.comparison != .limit, constraint.comparison != .offset {
                words.append("\(constraint.column)")
            }
            words.append("\(constraint.comparison)")
            if constraint.isList { words.append("list") }
            if let value = constraint.value, !value.isNull {
                words.append(String.fromDatabaseValue(value) ?? "\(value)")
            }
            if constraint.collation != "BINARY" { words.append(constraint.collation) }
            return words.joined(separator: " ")
        }
        let orderings = plan.orderings.map { "\($0.column)\($0.isDescending ? " DESC" : "")" }
        AskedTable.log.append(
            "\(plan.uniqueness) [\(constraints.joined(separator: ", "))] "
                + "[\(orderings.joined(separator: ", "))]")
        return true
    }

    func makeCursor() -> EmptyCursor { EmptyCursor() }

    final class EmptyCursor: VirtualTableCursor {
        func filter(number: Int, text: String?, arguments: VirtualTableArguments) {}
        func next() {}
        var isAtEnd: Bool { true }
        func column(_ index: Int, into result: VirtualTableResult) {}
        var rowID: Int64 { 0 }
    }
}

@Suite(.databases, .serialized) struct VirtualTableTests {
    private func makeWriter(_ kind: DatabaseKind = .queue) throws -> any DatabaseWriter {
        var configuration = TestDatabases.makeConfiguration()
        configuration.add(module: DatabaseModule("note", NoteTable.self))
        configuration.add(module: DatabaseModule("square", SquareTable.self, creation: .eponymous))
        return try TestDatabases.makeWriter(kind, configuration)
    }

    private func texts(_ db: Database) throws -> [String] {
        try String.fetchAll(db, sql: "SELECT text FROM t")
    }

    @Test func rowsAreChanged() throws {
        try makeWriter().write { db throws in
            try db.create(virtualTable: "t", using: "note")
            try db.execute(sql: "INSERT INTO t VALUES ('a', 'one'), ('b', 'two')")
            expectEqual(db.lastInsertedRowID, 2)
            try db.execute(sql: "INSERT INTO t (rowid, text) VALUES (9, 'nine')")
            try db.execute(sql: "UPDATE t SET text = 'ZWEI' WHERE name = 'b'")
            try db.execute(sql: "DELETE FROM t WHERE name = 'a'")
            try db.execute(sql: "UPDATE t SET rowid = 10 WHERE rowid = 9")
            try expectEqual(
                Row.fetchAll(db, sql: "SELECT rowid, * FROM t"),
                [
                    ["rowid": 2, "name": "b", "text": "ZWEI"],
                    ["rowid": 10, "name": nil, "text": "nine"],
                ])
            expectError(
                "SQLite error 19: taken: 2 - while executing `INSERT INTO t (rowid) VALUES (2)`"
            ) {
                try db.execute(sql: "INSERT INTO t (rowid) VALUES (2)")
            }
            try db.execute(sql: "INSERT OR IGNORE INTO t (rowid) VALUES (2)")
            try db.execute(sql: "INSERT OR REPLACE INTO t (rowid, text) VALUES (2, 'new')")
            try expectEqual(texts(db), ["new", "nine"])
        }
    }

    @Test(arguments: DatabaseKind.allCases) func changesAreRolledBack(kind: DatabaseKind) throws {
        let writer = try makeWriter(kind)
        try writer.write { db throws in
            try db.create(virtualTable: "t", using: "note")
            try db.execute(sql: "INSERT INTO t VALUES ('a', 'one')")
        }
        expectError(TestError()) {
            try writer.write { db throws in
                try db.execute(sql: "DELETE FROM t")
                throw TestError()
            }
        }
        try writer.write { db throws in
            try expectEqual(texts(db), ["one"])
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO t VALUES ('b', 'two')")
                try expectEqual(texts(db), ["one", "two"])
                return .rollback
            }
            try expectEqual(texts(db), ["one"])
            try db.inSavepoint {
                try db.execute(sql: "INSERT INTO t VALUES ('c', 'three')")
                return .commit
            }
            // A statement that fails in its second row undoes the first.
            expectError(DatabaseError.self) {
                try db.execute(sql: "INSERT INTO t (rowid, text) VALUES (50, 'x'), (1, 'y')")
            }
        }
        // Each connection has its own notes.
        try writer.write { db throws in
            try expectEqual(texts(db), ["one", "three"])
        }
    }

    /// An error in any callback is the error of the statement, and the connection goes on.
    @Test(arguments: [
        "create", "plan", "open", "filter", "next", "column", "rowid", "insert", "update", "delete",
        "begin", "sync", "rename", "destroy", "integrity",
    ]) func errorsComeOutAsThrown(call: String) throws {
        let writer = try makeWriter()
        expectError(TestError(call)) {
            try writer.writeWithoutTransaction { db throws in
                try db.create(virtualTable: "t", using: "note(\(call))")
                try db.execute(sql: "INSERT INTO t VALUES ('a', 'one'), ('b', 'two')")
                _ = try Row.fetchAll(db, sql: "SELECT rowid, * FROM t")
                try db.execute(sql: "UPDATE t SET text = 'x'")
                try db.execute(sql: "DELETE FROM t")
                if call == "integrity" {
                    _ = try String.fetchAll(db, sql: "PRAGMA integrity_check")
                }
                try db.execute(sql: "ALTER TABLE t RENAME TO u")
                try db.execute(sql: "DROP TABLE u")
            }
        }
        try writer.writeWithoutTransaction { db throws in
            expectTrue(!db.isInsideTransaction)
            try db.execute(sql: "CREATE TABLE ok (a); INSERT INTO ok VALUES (1)")
            try expectEqual(Int.fetchOne(db, sql: "SELECT a FROM ok"), 1)
        }
    }

    @Test func integrityIsChecked() throws {
        try makeWriter().writeWithoutTransaction { db throws in
            try db.create(virtualTable: "good", using: "note")
            try db.create(virtualTable: "bad", using: "note(broken)")
            try expectEqual(
                String.fetchAll(db, sql: "PRAGMA integrity_check"),
                ["main.bad is broken"])
        }
    }

    @Test func tablesAreRenamedAndDropped() throws {
        try makeWriter().write { db throws in
            try db.create(virtualTable: "t", using: "note")
            try db.execute(sql: "INSERT INTO t VALUES ('a', 'one')")
            try db.rename(table: "t", to: "u")
            try expectTrue(db.tableExists("u"))
            try db.drop(table: "u")
            try expectTrue(!db.tableExists("u"))
        }
    }

    @Test func shadowTablesAreProtected() throws {
        try makeWriter().writeWithoutTransaction { db throws in
            try db.create(virtualTable: "t", using: "note")
            try db.execute(sql: "CREATE TABLE t_notes (a)")
            try db.execute(sql: "CREATE TABLE t_others (a)")
            try expectEqual(
                String.fetchAll(
                    db, sql: "SELECT name FROM pragma_table_list WHERE type = 'shadow'"),
                ["t_notes"])
        }
    }

    /// In defensive mode, SQL does not write the tables that keep the content of others.
    @Test(arguments: [true, false]) func shadowTablesInDefensiveMode(isDefensive: Bool) throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.isDefensive = isDefensive
        configuration.add(module: DatabaseModule("note", NoteTable.self))
        let queue = try TestDatabases.openQueue(TestDatabases.makePath(), configuration)
        try queue.writeWithoutTransaction { db throws in
            // Made before there is a table that it belongs to.
            try db.execute(sql: "CREATE TABLE t_notes (a)")
            try db.create(virtualTable: "t", using: "note")
            for sql in [
                "INSERT INTO t_notes VALUES (1)", "UPDATE t_notes SET a = 2", "DELETE FROM t_notes",
                "ALTER TABLE t_notes ADD COLUMN b", "DROP TABLE t_notes",
            ] {
                if isDefensive {
                    expectError(DatabaseError.self, "\(sql)") { try db.execute(sql: sql) }
                } else {
                    try db.execute(sql: sql)
                }
            }
            try expectEqual(db.tableExists("t_notes"), isDefensive)
        }
    }

    @Test func observersAreNotified() throws {
        let writer = try makeWriter()
        try writer.write { try $0.create(virtualTable: "t", using: "note") }
        let log = Log<Int>()
        let cancellable = DatabaseRegionObservation(tracking: Table("t")).start(
            in: writer, onError: { _ in },
            onChange: { db in
                log.append((try? Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t")) ?? -1)
            })
        try writer.write { try $0.execute(sql: "INSERT INTO t VALUES ('a', 'b')") }
        try writer.write { try $0.execute(sql: "DELETE FROM t") }
        expectEqual(log.removeAll(), [1, 0])
        cancellable.cancel()
    }

    @Test func plansAreFollowed() throws {
        try makeWriter().read { db throws in
            try expectEqual(Int.fetchAll(db, sql: "SELECT square FROM square(2, 4)"), [4, 9, 16])
            try expectEqual(
                Int.fetchAll(db, sql: "SELECT square FROM square(2, 9) WHERE n IN (3, 5, 99)"),
                [9, 25])
            try expectEqual(
                Int.fetchAll(
                    db, sql: "SELECT b.n FROM square(1, 2) a, square(a.n, 2) b ORDER BY 1"),
                [1, 2, 2])
            expectError(
                "SQLite error 1: no query solution - while executing `SELECT n FROM square`"
            ) {
                try Int.fetchAll(db, sql: "SELECT n FROM square")
            }
        }
    }

    /// A table sees what a statement asks for.
    @Test(arguments: [
        ("SELECT a FROM ask", "ordered [] []"),
        ("SELECT DISTINCT a FROM ask", "distinct [] [0]"),
        ("SELECT DISTINCT b FROM ask ORDER BY b", "orderedAndDistinct [] [1]"),
        ("SELECT count(*) FROM ask GROUP BY b", "grouped [] [1]"),
        ("SELECT a FROM ask ORDER BY b DESC, rowid", "ordered [] [1 DESC, -1]"),
        ("SELECT a FROM ask LIMIT 3 OFFSET 4", "ordered [offset 4, limit 3] []"),
        (
            "SELECT a FROM ask WHERE a = 1 AND b > 'x' LIMIT 3",
            "ordered [0 equal 1, 1 greaterThan x, limit 3] []"
        ),
        (
            "SELECT a FROM ask WHERE b IN (1, 2) AND a IS NULL AND rowid = 7",
            "ordered [1 equal list, 0 isNull, -1 equal 7] []"
        ),
        (
            "SELECT a FROM ask WHERE b LIKE '%x' AND a GLOB '*y'",
            "ordered [0 glob *y, 1 like %x] []"
        ),
        (
            "SELECT a FROM ask WHERE b IS NOT NULL AND a <> 5",
            "ordered [0 notEqual 5, 1 isNotNull] []"
        ),
        (
            "SELECT a FROM ask WHERE b = 'X' COLLATE NOCASE AND a BETWEEN 1 AND 2",
            "ordered [1 equal NOCASE, 0 greaterThanOrEqual 1, 0 lessThanOrEqual 2] []"
        ),
    ]) func plansSeeWhatIsAskedFor(sql: String, expected: String) throws {
        var configuration = TestDatabases.makeConfiguration()
        configuration.add(module: DatabaseModule("ask", AskedTable.self, creation: .eponymous))
        let queue = try TestDatabases.makeQueue(.memory, configuration)
        AskedTable.log.removeAll()
        try queue.read { db throws in _ = try Row.fetchAll(db, sql: sql) }
        let seen = AskedTable.log.removeAll()
        expectTrue(seen.contains(expected), "\(seen)")
    }

    @Test func directOnlyTablesStayOutOfViews() throws {
        try makeWriter().write { db throws in
            try db.execute(sql: "CREATE VIEW v AS SELECT n FROM square(1, 2)")
            expectError(
                "SQLite error 1: unsafe use of virtual table \"square\" - while executing `SELECT * FROM v`"
            ) {
                try Row.fetchAll(db, sql: "SELECT * FROM v")
            }
        }
    }

    @Test func tablesOfOtherConnectionsAreConnected() throws {
        let path = TestDatabases.makePath()
        var configuration = TestDatabases.makeConfiguration()
        configuration.add(module: DatabaseModule("note", NoteTable.self))
        try TestDatabases.openQueue(path, configuration).write { db throws in
            try db.create(virtualTable: "t", using: "note")
        }
        let log = NoteTable.log
        log.removeAll()
        try TestDatabases.openQueue(path, configuration).read { db throws in
            try expectEqual(texts(db), [])
        }
        expectEqual(log.removeAll().first, "connect")
        // Without the module
        try TestDatabases.openQueue(path).read { db throws in
            expectError(
                "SQLite error 1: no such module: note - while executing `SELECT text FROM t`"
            ) {
                try texts(db)
            }
        }
    }
}
