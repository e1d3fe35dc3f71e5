@testable import GRDBChanges
import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct UndoHistoryTests {
    private func makeWriter(_ kind: DatabaseKind = .queue) throws -> any DatabaseWriter {
        let writer = try TestDatabases.makeWriter(kind)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a, b);
                    CREATE TABLE child(id INTEGER PRIMARY KEY, t REFERENCES t(id) ON DELETE CASCADE);
                    INSERT INTO t VALUES (1, 'one', 1), (2, 'two', 2);
                    INSERT INTO child VALUES (1, 2)
                    """)
        }
        return writer
    }

    private func expectDone(
        _ outcome: UndoHistory.Outcome, _ name: String, line: Int = #line
    ) {
        guard case .done(let group) = outcome, group.name == name else {
            recordIssue("\(outcome)", line: line)
            return
        }
    }

    // MARK: - Undo and redo

    @Test(arguments: DatabaseKind.allCases, [false, true])
    func groupsAreUndoneAndRedone(kind: DatabaseKind, isStored: Bool) throws {
        let writer = try makeWriter(kind)
        let history = try UndoHistory(writer, storage: isStored ? .table("undo") : .memory)
        func lines() throws -> [String] { try writer.read { try $0.lines(of: "t") } }
        let states = Log<UndoHistory.State>()
        let cancellable = history.observe { states.append($0) }

        var contents = [try lines()]
        try history.record("Rename") { try $0.execute(sql: "UPDATE t SET a = 'uno' WHERE id = 1") }
        contents.append(try lines())
        try history.record("Delete") { try $0.execute(sql: "DELETE FROM t WHERE id = 2") }
        contents.append(try lines())
        try history.record("Nothing") { try $0.execute(sql: "UPDATE t SET a = a") }
        let result = try history.record("Add") { db in
            try db.execute(sql: "INSERT INTO t VALUES (3, 'three', 3)")
            return 7
        }
        expectEqual(result, 7)
        contents.append(try lines())

        expectEqual(history.state.undoGroups.map(\.name), ["Add", "Delete", "Rename"])
        expectTrue(history.state.canUndo)
        expectTrue(!history.state.canRedo)
        expectEqual(history.state.undoName, "Add")
        for round in 0..<2 {
            for (index, name) in ["Add", "Delete", "Rename"].enumerated() {
                expectEqual(history.state.undoName, name)
                expectDone(try history.undo(), name)
                try expectEqual(lines(), contents[2 - index])
                expectEqual(history.state.redoName, name)
            }
            try expectEqual(writer.read { try $0.lines(of: "child") }, ["1|2"])
            guard case .nothing = try history.undo() else { Issue.record("\(round)"); return }
            expectEqual(history.state.redoGroups.map(\.name), ["Rename", "Delete", "Add"])
            for (index, name) in ["Rename", "Delete", "Add"].enumerated() {
                expectDone(try history.redo(), name)
                try expectEqual(lines(), contents[index + 1])
            }
            guard case .nothing = try history.redo() else { Issue.record("\(round)"); return }
            try expectEqual(writer.read { try $0.lines(of: "child") }, [])
        }
        expectEqual(states.elements.count, 1 + 3 + 12)
        expectEqual(states.elements.last, history.state)
        cancellable.cancel()

        // A new group takes the place of those that were undone.
        try history.undo()
        try history.undo()
        try history.record("Other") { try $0.execute(sql: "UPDATE t SET b = 5 WHERE id = 1") }
        expectEqual(history.state.undoGroups.map(\.name), ["Other", "Rename"])
        expectTrue(!history.state.canRedo)
        try history.removeAll()
        expectEqual(history.state, UndoHistory.State())
        expectEqual(states.elements.count, 16)
    }

    @Test func asynchronousMethods() async throws {
        let writer = try makeWriter()
        let history = try UndoHistory(writer)
        let states = history.states
        var iterator = states.makeAsyncIterator()
        await expectEqual(iterator.next(), UndoHistory.State())
        try await history.record("Rename") { try $0.execute(sql: "UPDATE t SET a = 'uno'") }
        await expectEqual(iterator.next()?.undoName, "Rename")
        expectDone(try await history.undo(), "Rename")
        await expectEqual(iterator.next()?.redoName, "Rename")
        expectDone(try await history.redo(), "Rename")
        try await expectEqual(
            writer.read { try String.fetchOne($0, sql: "SELECT a FROM t") }, "uno")
    }

    @Test func storedGroupsOutliveTheConnection() throws {
        let path = TestDatabases.makePath()
        do {
            let dbQueue = try TestDatabases.openQueue(path)
            try dbQueue.write { try $0.execute(sql: "CREATE TABLE t(id INTEGER PRIMARY KEY, a)") }
            let history = try UndoHistory(dbQueue, storage: .table("an undo table"))
            try history.record("One") { try $0.execute(sql: "INSERT INTO t VALUES (1, 1)") }
            try history.record("Two") { try $0.execute(sql: "INSERT INTO t VALUES (2, 2)") }
            try history.undo()
            try dbQueue.close()
        }
        let dbQueue = try TestDatabases.openQueue(path)
        let history = try UndoHistory(dbQueue, storage: .table("an undo table"))
        expectEqual(history.state.undoName, "One")
        expectEqual(history.state.redoName, "Two")
        expectDone(try history.redo(), "Two")
        expectDone(try history.undo(), "Two")
        expectDone(try history.undo(), "One")
        try expectEqual(dbQueue.read { try $0.lines(of: "t") }, [])
    }

    @Test func oldestGroupsAreForgotten() throws {
        let history = try UndoHistory(makeWriter(), maximumGroupCount: 2)
        for index in 1...4 {
            try history.record("\(index)") { try $0.execute(sql: "UPDATE t SET b = b + 1") }
        }
        expectEqual(history.state.undoGroups.map(\.name), ["4", "3"])
    }

    @Test func chosenTablesAreRecorded() throws {
        let writer = try makeWriter()
        let history = try UndoHistory(writer, tables: ["child"])
        try history.record("Both") { db in
            try db.execute(sql: "UPDATE t SET a = 'uno'; DELETE FROM child")
        }
        try history.undo()
        try writer.read { db throws in
            try expectEqual(String.fetchSet(db, sql: "SELECT a FROM t"), ["uno"])
            try expectEqual(db.lines(of: "child"), ["1|2"])
        }
    }

    // MARK: - Transactions

    @Test func groupsGoWithTheirTransaction() throws {
        let writer = try makeWriter()
        let history = try UndoHistory(writer)
        expectError(TestError()) {
            try history.record("Fails") { db in
                try db.execute(sql: "DELETE FROM t")
                throw TestError()
            }
        }
        expectTrue(!history.state.canUndo)
        try writer.writeWithoutTransaction { db in
            try db.inTransaction {
                try history.record("One", in: db) { try db.execute(sql: "UPDATE t SET b = 1") }
                try db.inSavepoint {
                    try history.record("Two", in: db) { try db.execute(sql: "UPDATE t SET b = 2") }
                    return .rollback
                }
                try history.record("Three", in: db) {
                    try db.execute(sql: "UPDATE t SET b = 3")
                    // Belongs to the outer group.
                    try history.record("Four", in: db) { try db.execute(sql: "UPDATE t SET a = 4") }
                    expectError(
                        """
                        SQLite error 21: A history can't undo or redo while it records a group
                        """
                    ) {
                        try history.undo(in: db)
                    }
                }
                expectTrue(!history.state.canUndo)
                return .commit
            }
            expectEqual(history.state.undoGroups.map(\.name), ["Three", "One"])
            try db.inTransaction {
                try history.undo(in: db)
                return .rollback
            }
            expectEqual(history.state.undoGroups.map(\.name), ["Three", "One"])
            expectDone(try history.undo(in: db), "Three")
            try expectEqual(Int.fetchAll(db, sql: "SELECT b FROM t"), [1, 1])
            expectEqual(history.state.undoGroups.map(\.name), ["One"])
        }
        let other = try makeWriter()
        try other.write { db in
            expectError(
                """
                SQLite error 21: The connection is not the one that the history was made for
                """
            ) {
                try history.undo(in: db)
            }
        }
    }

    @Test func historiesOfAConnectionAreIndependent() throws {
        let writer = try makeWriter()
        let first = try UndoHistory(writer)
        let second = try UndoHistory(writer)
        try first.record("One") { try $0.execute(sql: "UPDATE t SET a = 'x' WHERE id = 1") }
        try second.record("Two") { try $0.execute(sql: "UPDATE t SET a = 'x' WHERE id = 2") }
        expectDone(try first.undo(), "One")
        expectDone(try second.undo(), "Two")
        try expectEqual(writer.read { try $0.lines(of: "t") }, ["1|\"one\"|1", "2|\"two\"|2"])
    }

    // MARK: - Conflicts

    @Test func conflictingGroupsAreGivenUp() throws {
        let writer = try makeWriter()
        let history = try UndoHistory(writer)
        try history.record("One") { try $0.execute(sql: "UPDATE t SET a = 'uno' WHERE id = 1") }
        try history.record("Both") { try $0.execute(sql: "UPDATE t SET b = 10") }
        try writer.write { try $0.execute(sql: "UPDATE t SET b = 11 WHERE id = 2") }
        let before = try writer.read { try $0.lines(of: "t") }
        guard case .givenUp(let group, let error) = try history.undo() else {
            Issue.record("not given up")
            return
        }
        expectEqual(group.name, "Both")
        expectEqual((error as? ChangesetConflictError)?.conflict.kind, .data)
        try expectEqual(writer.read { try $0.lines(of: "t") }, before)
        expectEqual(history.state.undoGroups.map(\.name), ["One"])
        expectDone(try history.undo(), "One")
        // Redo, too.
        try writer.write { try $0.execute(sql: "DELETE FROM t WHERE id = 1") }
        guard case .givenUp = try history.redo() else {
            Issue.record("not given up")
            return
        }
        expectEqual(history.state, UndoHistory.State())
    }

    @Test func groupsOfADroppedTableAreGivenUp() throws {
        let writer = try makeWriter()
        let history = try UndoHistory(writer)
        try history.record("One") { try $0.execute(sql: "DELETE FROM child") }
        try writer.write { try $0.execute(sql: "DROP TABLE child") }
        guard case .givenUp(_, let error) = try history.undo() else {
            Issue.record("not given up")
            return
        }
        expectEqual("\(error)", "SQLite error 17: no such table: child")
    }

    // MARK: - Triggers

    @Test func triggersDoNotRunAgain() throws {
        let writer = try makeWriter()
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE total(id INTEGER PRIMARY KEY, n);
                    CREATE TABLE log(id INTEGER PRIMARY KEY, text);
                    INSERT INTO total VALUES (1, 2);
                    CREATE TRIGGER i AFTER INSERT ON t BEGIN
                      UPDATE total SET n = n + 1;
                      INSERT INTO log(text) VALUES ('insert');
                    END;
                    CREATE TRIGGER d AFTER DELETE ON t BEGIN
                      UPDATE total SET n = n - 1;
                      INSERT INTO log(text) VALUES ('delete');
                    END;
                    """)
        }
        let history = try UndoHistory(writer)
        func all() throws -> [String] {
            try writer.read { db in
                try ["t", "child", "total", "log"].flatMap { try db.lines(of: $0) }
            }
        }
        let before = try all()
        try history.record("Group") { db in
            try db.execute(
                sql: "DELETE FROM t WHERE id = 2; INSERT INTO t VALUES (3, 3, 3), (4, 4, 4)")
        }
        let after = try all()
        for _ in 0..<2 {
            expectDone(try history.undo(), "Group")
            try expectEqual(all(), before)
            expectDone(try history.redo(), "Group")
            try expectEqual(all(), after)
        }
        // They run for others.
        try writer.write { try $0.execute(sql: "DELETE FROM t WHERE id = 4") }
        try expectEqual(writer.read { try Int.fetchOne($0, sql: "SELECT n FROM total") }, 2)
        guard case .givenUp = try history.undo() else { Issue.record("not given up"); return }
        #expect(try all() != before)
    }

    @Test func fullTextIndexesFollow() throws {
        let writer = try makeWriter()
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE total(id INTEGER PRIMARY KEY, n);
                    INSERT INTO total VALUES (1, 2);
                    CREATE TRIGGER i AFTER INSERT ON t BEGIN UPDATE total SET n = n + 1; END;
                    CREATE TRIGGER d AFTER DELETE ON t BEGIN UPDATE total SET n = n - 1; END;
                    """)
            try db.create(virtualTable: "ft", using: FTS5()) { t in
                t.synchronize(withTable: "t")
                t.column("a")
            }
        }
        func all() throws -> [String] {
            try writer.read { db in
                try ["t", "child", "total"].flatMap { try db.lines(of: $0) }
                    + ["one", "two", "three"].map { word in
                        try
                            "\(Int64.fetchAll(db, sql: "SELECT rowid FROM ft WHERE ft MATCH ?", arguments: [word]))"
                    }
            }
        }
        let history = try UndoHistory(writer)
        let before = try all()
        try history.record("Group") { db in
            try db.execute(
                sql: """
                    DELETE FROM t WHERE id = 2;
                    INSERT INTO t VALUES (3, 'three', 3), (4, 'four', 4);
                    UPDATE t SET a = 'two three' WHERE id = 1
                    """)
        }
        let after = try all()
        for _ in 0..<2 {
            expectDone(try history.undo(), "Group")
            try expectEqual(all(), before)
            expectDone(try history.redo(), "Group")
            try expectEqual(all(), after)
        }
        try writer.write { db in
            try db.execute(sql: "INSERT INTO ft(ft, rank) VALUES ('integrity-check', 1)")
            try db.execute(sql: "UPDATE total SET n = 50")
        }
        guard case .givenUp = try history.undo() else { Issue.record("not given up"); return }
        try expectEqual(writer.read { try Int.fetchOne($0, sql: "SELECT n FROM total") }, 50)
    }

    @Test func observersAreToldOfUndoneGroups() throws {
        let writer = try makeWriter()
        let history = try UndoHistory(writer)
        try history.record("Group") { try $0.execute(sql: "UPDATE t SET b = 10 WHERE id = 1") }
        let recorder = TransactionRecorder()
        recorder.filter = { $0.tableName == "t" }
        writer.add(transactionObserver: recorder)
        try history.undo()
        expectEqual(recorder.lines(), ["didChange update main.t 1", "willCommit", "didCommit"])
    }
}
