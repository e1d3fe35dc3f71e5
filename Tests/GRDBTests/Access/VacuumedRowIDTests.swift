import GRDB
import GRDBTestSupport
import Testing

/// Full-text indexes refer to rows by their rowid. `VACUUM` may give the rows of a table without `INTEGER
/// PRIMARY KEY` other ones, says SQLite. This version does so only if the table has no index.
@Suite(.databases) struct VacuumedRowIDTests {
    enum Vacuum: String, CaseIterable {
        case inPlace
        case intoFile
    }

    /// Tables with gaps in their rowids, and with an index on each way to have one.
    private static let keys = [
        "id BLOB PRIMARY KEY", "id BLOB NOT NULL PRIMARY KEY", "id TEXT PRIMARY KEY",
        "id BLOB UNIQUE",
        "id INT PRIMARY KEY", "id BLOB, CHECK(text != ''), UNIQUE(id)",
        "id BLOB PRIMARY KEY, upper TEXT AS (upper(text)), stored TEXT AS (lower(text)) STORED",
        "id BLOB PRIMARY KEY, parent REFERENCES t(id), later DEFAULT (random())",
        "id BLOB COLLATE NOCASE PRIMARY KEY DESC ON CONFLICT REPLACE",
    ]

    private func rows(_ db: Database, _ table: String) throws -> [String] {
        try String.fetchAll(
            db, sql: "SELECT rowid || ' ' || hex(id) || ' ' || text FROM \(table) ORDER BY rowid")
    }

    /// Returns the rows before and after.
    private func vacuum(
        _ vacuum: Vacuum, autoVacuum: String, definition: String, createsIndex: Bool = false,
        isIndexed: Bool
    ) throws -> (before: [String], after: [String]) {
        var configuration = TestDatabases.makeConfiguration()
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA auto_vacuum = \(autoVacuum)")
        }
        var writer = try TestDatabases.makeQueue(.file, configuration)
        let before = try writer.write { db in
            try db.execute(sql: "CREATE TABLE t(text TEXT NOT NULL, \(definition))")
            if createsIndex {
                try db.execute(sql: "CREATE INDEX i ON t(text) WHERE id IS NOT NULL")
            }
            if isIndexed {
                try db.create(virtualTable: "ft", using: FTS5()) { t in
                    t.synchronize(withTable: "t")
                    t.column("text")
                }
            }
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
                    INSERT INTO t(id, text)
                    SELECT unhex(printf('%016x', i)),
                        'word' || i || ' ' || replace(hex(zeroblob(i)), '00', 'x')
                    FROM n
                    """)
            try db.execute(sql: "DELETE FROM t WHERE rowid % 3 = 0 OR rowid < 100")
            return try rows(db, "t")
        }
        switch vacuum {
        case .inPlace:
            try writer.vacuum()
        case .intoFile:
            let path = TestDatabases.makePath()
            try writer.vacuum(into: path)
            writer = try TestDatabases.openQueue(path)
        }
        let after = try writer.write { db in
            if isIndexed {
                // Compares the index with the table.
                try db.execute(sql: "INSERT INTO ft(ft, rank) VALUES ('integrity-check', 1)")
                expectEqual(
                    try Int.fetchAll(db, sql: "SELECT rowid FROM ft WHERE ft MATCH 'word200'"),
                    [200])
            }
            return try rows(db, "t")
        }
        return (before, after)
    }

    @Test(arguments: ["none", "full", "incremental"], Vacuum.allCases)
    func tablesWithAnIndexKeepTheirRowIDs(autoVacuum: String, mode: Vacuum) throws {
        for definition in Self.keys {
            for isIndexed in [false, true] {
                let rows = try vacuum(
                    mode, autoVacuum: autoVacuum, definition: definition, isIndexed: isIndexed)
                expectEqual(rows.before.count, 134)
                expectEqual(rows.after, rows.before)
            }
        }
        // Any index will do.
        let rows = try vacuum(
            mode, autoVacuum: autoVacuum, definition: "id BLOB", createsIndex: true, isIndexed: true
        )
        expectEqual(rows.after, rows.before)
    }

    /// What the guide warns of.
    @Test(arguments: ["none", "full", "incremental"])
    func tablesWithoutIndexDoNot(autoVacuum: String) throws {
        let rows = try vacuum(
            .inPlace, autoVacuum: autoVacuum, definition: "id BLOB", isIndexed: false)
        expectEqual(rows.after.count, rows.before.count)
        #expect(rows.after != rows.before)
        // A copy keeps them.
        let copy = try vacuum(
            .intoFile, autoVacuum: autoVacuum, definition: "id BLOB", isIndexed: true)
        expectEqual(copy.after, copy.before)
    }
}
