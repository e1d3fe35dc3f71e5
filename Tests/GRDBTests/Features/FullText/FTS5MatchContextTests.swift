import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Contexts that are used where they are not valid.
@Suite(.databases) struct FTS5MatchContextTests {
    private func makeWriter(
        _ kind: DatabaseKind, _ functions: [FTS5AuxiliaryFunction]
    ) throws -> any DatabaseWriter {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in
            for function in functions {
                try db.add(auxiliaryFunction: function)
            }
        }
        let writer = try TestDatabases.makeWriter(kind, configuration)
        try writer.write { db in
            try db.execute(
                sql: """
                    CREATE VIRTUAL TABLE book USING fts5(title);
                    INSERT INTO book VALUES ('a whale'), ('whales'), ('the whale'), ('whale');
                    DELETE FROM book WHERE rowid = 2;
                    UPDATE book SET rowid = 2 WHERE rowid = 4;
                    """)
        }
        return writer
    }

    /// A context that outlives its connection.
    @Test(arguments: DatabaseKind.allCases, [true, false])
    func contextsOutliveTheirConnections(kind: DatabaseKind, isClosed: Bool) throws {
        final class Keeper: @unchecked Sendable {
            var contexts: [FTS5MatchContext] = []
        }
        let keeper = Keeper()
        let keep = FTS5AuxiliaryFunction(
            "keep",
            function: { match in
                keeper.contexts.append(match)
                return match.rowID
            })
        do {
            let writer = try makeWriter(kind, [keep])
            try expectEqual(
                writer.read { db in
                    try Int.fetchAll(db, sql: "SELECT keep(book, 1) FROM book('whale')")
                },
                [1, 2, 3])
            if isClosed { try writer.close() }
        }
        let expectMisuse: @Sendable () -> Void = {
            for context in keeper.contexts {
                let error = expectError(DatabaseError.self) { try context.rowCount() }
                expectEqual(
                    error?.description,
                    """
                    SQLite error 21: auxiliary function keep: the context of a match was used \
                    after the call that it belongs to
                    """)
                expectEqual(context.rowID, 0)
                expectEqual(context.arguments, [])
                expectEqual(context.phraseCount, 0)
            }
        }
        expectMisuse()
        DispatchQueue(label: "another thread").sync(execute: expectMisuse)
        let thread = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            expectMisuse()
            thread.signal()
        }
        thread.wait()
        expectEqual(keeper.contexts.count, 3)
    }

    /// Another thread gets an error while the call is under way.
    @Test func contextsBelongToTheirThreads() throws {
        let errors = Log<String>()
        let inspect = FTS5AuxiliaryFunction(
            "inspect",
            function: { match in
                nonisolated(unsafe) let match = match
                let thread = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    do { _ = try match.rowCount() } catch { errors.append("\(error)") }
                    thread.signal()
                }
                thread.wait()
                return match.rowID
            })
        let writer = try makeWriter(.queue, [inspect])
        try writer.read { (db: Database) throws in
            try expectEqual(
                Int.fetchAll(db, sql: "SELECT inspect(book) FROM book('whale')"),
                [1, 2, 3])
        }
        expectTrue(
            errors.elements.allSatisfy {
                $0.contains("the context of a match was used on another thread")
            })
        expectEqual(errors.elements.count, 3)
    }
}
