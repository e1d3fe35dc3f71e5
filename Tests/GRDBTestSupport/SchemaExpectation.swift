import GRDB

/// The tables that the examples refer to.
public let referencedTables = """
    CREATE TABLE team(id INTEGER PRIMARY KEY);
    CREATE TABLE country(code TEXT PRIMARY KEY);
    CREATE TABLE parents(c INTEGER, d TEXT, PRIMARY KEY (c, d));
    CREATE TABLE "authors"(id INTEGER PRIMARY KEY);
    CREATE TABLE norowid(uuid BLOB PRIMARY KEY NOT NULL) WITHOUT ROWID;
    CREATE TABLE keyless(x);
    CREATE VIEW aView AS SELECT 1 AS id;
    """

/// Expects that the closure changes the schema by some SQL, one statement a line. Savepoints are
/// left out. The second closure can look at the result.
public func expectSchemaSQL(
    _ expected: String, _ setup: String = "", file: String = #filePath, line: Int = #line,
    _ body: (Database) throws -> Void, then check: (Database) throws -> Void = { _ in }
) throws {
    let dbQueue = try TestDatabases.makeQueue()
    try dbQueue.write { db in
        try db.execute(sql: referencedTables + setup)
        let sql = try TestDatabases.sql { try body(db) }
            .filter { $0.hasPrefix("CREATE") || $0.hasPrefix("ALTER") || $0.hasPrefix("DROP") }
        let lines = expected.split(separator: "\n").map(String.init)
        expectEqual(sql, lines, file: file, line: line)
        try check(db)
    }
}

/// Expects that the closure fails with an error of this description, and that nothing changes.
public func expectSchemaError(
    _ description: String, _ setup: String = "",
    file: String = #filePath, line: Int = #line, _ body: (Database) throws -> Void
) throws {
    let dbQueue = try TestDatabases.makeQueue()
    try dbQueue.writeWithoutTransaction { db in
        try db.execute(sql: referencedTables + setup)
        let schema = "SELECT group_concat(sql, ';') FROM sqlite_master"
        let before = try String.fetchOne(db, sql: schema)
        expectError(description, file: file, line: line) { try body(db) }
        try expectEqual(String.fetchOne(db, sql: schema), before, file: file, line: line)
        expectTrue(!db.isInsideTransaction, file: file, line: line)
    }
}
