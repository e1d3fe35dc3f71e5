@testable import GRDBChanges
import GRDB
import GRDBTestSupport
import Testing

/// Lets what is not sendable leave an access, and go away anywhere.
final class SessionBox<Value>: @unchecked Sendable {
    var value: Value?

    init(_ value: Value) { self.value = value }
}

extension Database {
    /// Creates the tables that the suites of sessions write to, with some rows.
    func createSessionTables() throws {
        try execute(
            sql: """
                CREATE TABLE t(id INTEGER PRIMARY KEY, a, b);
                CREATE TABLE w(k TEXT, l INTEGER, v, PRIMARY KEY (k, l)) WITHOUT ROWID;
                CREATE TABLE noKey(a);
                CREATE TABLE child(
                  id INTEGER PRIMARY KEY, t REFERENCES t(id) ON DELETE CASCADE);
                CREATE TABLE log(id INTEGER PRIMARY KEY, text);
                INSERT INTO t VALUES (1, 'one', 1.5), (2, 'two', NULL);
                INSERT INTO w VALUES ('x', 1, x'0102');
                """)
    }

    /// Records what a closure changes in all tables.
    func recording(_ updates: () throws -> Void) throws -> Changeset {
        let session = try makeSession()
        try session.attachAllTables()
        try updates()
        return try session.changeset()
    }

    /// Records what SQL changes in all tables.
    func recording(_ sql: String) throws -> Changeset {
        try recording { try execute(sql: sql) }
    }

    /// Records what SQL changes, in all tables unless there is one, and undoes it.
    func changeset(of sql: String, in table: String? = nil) throws -> Changeset {
        var changeset = Changeset()
        try inSavepoint {
            let session = try makeSession()
            try session.attachTables { table == nil || $0 == table }
            try execute(sql: sql)
            changeset = try session.changeset()
            return .rollback
        }
        return changeset
    }

    /// The same, as a patchset.
    func patchset(of sql: String) throws -> Changeset {
        var changeset = Changeset()
        try inSavepoint {
            let session = try makeSession()
            try session.attachAllTables()
            try execute(sql: sql)
            changeset = try session.patchset()
            return .rollback
        }
        return changeset
    }

    /// The rows of a table, one line each, in the order of their first column.
    func lines(of table: String) throws -> [String] {
        try Row.fetchAll(self, sql: "SELECT * FROM \(table) ORDER BY 1").map { row in
            row.databaseValues.map { value in
                guard case .blob(let data) = value.storage else { return value.description }
                return "x'" + data.map { String($0, radix: 16) }.joined(separator: " ") + "'"
            }.joined(separator: "|")
        }
    }
}

extension Changeset {
    /// One line per change, in the order of their text: SQLite's is that of a hash table.
    var lines: [String] { map(\.description).sorted() }
}

/// Expects that the closure throws a database error of a primary or extended code.
func expectCode<Result>(
    _ code: ResultCode, file: String = #filePath, line: Int = #line,
    _ body: () throws -> Result
) {
    do {
        let result = try body()
        recordIssue("\(result) came out instead of \(code)", file: file, line: line)
    } catch let error as DatabaseError {
        expectTrue(
            error.resultCode == code || error.extendedResultCode == code, "\(error)",
            file: file, line: line)
    } catch {
        recordIssue("\(error)", file: file, line: line)
    }
}
