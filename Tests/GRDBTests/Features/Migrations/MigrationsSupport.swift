import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// A value that any thread may use.
final class SharedValue<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var storage: Value

    init(_ value: Value) {
        storage = value
    }

    var value: Value {
        get { lock.withLock { storage } }
        set { lock.withLock { storage = newValue } }
    }

    func update<T>(_ body: (inout Value) throws -> T) rethrows -> T {
        try lock.withLock { try body(&storage) }
    }
}

/// A text that a dump can be printed to.
final class DumpedText: TextOutputStream {
    var text = ""

    func write(_ string: String) {
        text += string
    }
}

/// What a test prints.
func dumped(_ dump: (DumpedText) throws -> Void) rethrows -> String {
    let stream = DumpedText()
    try dump(stream)
    return stream.text
}

struct MigrationFailure: Error, Equatable {
    var id = 0
}

extension DatabaseReader {
    /// The identifiers of the applied migrations, in the order of their application.
    func identifiers() throws -> [String] {
        try read { db in
            try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations ORDER BY rowid")
        }
    }

    /// The names of tables, indexes, triggers and views, without those of SQLite.
    func objectNames() throws -> [String] {
        try read { db in
            try String.fetchAll(
                db,
                sql: "SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite%' ORDER BY name")
        }
    }
}

/// A migrator that creates one table a migration, of the same name.
func tableMigrator(_ identifiers: String...) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for identifier in identifiers {
        migrator.registerMigration(identifier) { db in
            try db.execute(sql: "CREATE TABLE \(identifier) (a)")
        }
    }
    return migrator
}

/// Expects a database error of a primary or extended code.
func expectFailure(
    _ code: ResultCode, file: String = #filePath, line: Int = #line,
    _ body: () throws -> Void
) {
    let error = expectError(DatabaseError.self, file: file, line: line) {
        try body()
    }
    expect(error, code, file, line)
}

/// Expects a database error of a primary or extended code.
func expectFailure(
    _ code: ResultCode, file: String = #filePath, line: Int = #line,
    _ body: () async throws -> Void
) async {
    let error = await expectError(DatabaseError.self, file: file, line: line) {
        try await body()
    }
    expect(error, code, file, line)
}

private func expect(
    _ error: DatabaseError?, _ code: ResultCode, _ file: String, _ line: Int
) {
    if let error {
        expectTrue(
            error.resultCode == code || error.extendedResultCode == code, file: file, line: line)
    }
}
