import GRDBSQLite
import GRDBTestSupport
import Testing

/// Each test below fails, by a wrong result, a wrong code or a crash, on the same version of SQLite
/// without Vendor/CGRDBSQLite/patches.
struct VendoredPatchesTests {
    /// A changeset with one inserted row, whose one text claims to have `length` bytes.
    private func changeset(textLength length: UInt32) -> [UInt8] {
        var bytes: [UInt8] = [
            UInt8(ascii: "T"), 1, 1, UInt8(ascii: "t"), 0,  // one column, the primary key, of t
            UInt8(SQLITE_INSERT), 0,
            UInt8(SQLITE_TEXT),
        ]
        for shift in stride(from: UInt32(28), through: 0, by: -7) {
            bytes.append(UInt8(length >> shift & 0x7f) | (shift > 0 ? 0x80 : 0))
        }
        return bytes
    }

    // CVE-2026-50813. Lengths that are negative once they are read as Int32: the first two move the
    // end of the row to its start or ahead of it, the third makes the sum of lengths overflow.
    private static let negativeLengths: [UInt32] = [0xFFFF_FFF9, 0xFFFF_FFF0, 0x8000_0001]

    @Test(arguments: negativeLengths)
    func concatenationRefusesNegativeLengths(length: UInt32) {
        var bytes = changeset(textLength: length)
        let count = Int32(bytes.count)
        var output: UnsafeMutableRawPointer?
        var outputCount: Int32 = 0
        let code = bytes.withUnsafeMutableBytes { buffer in
            sqlite3changeset_concat(
                count, buffer.baseAddress, count, buffer.baseAddress, &outputCount, &output)
        }
        expectEqual(code, SQLITE_CORRUPT)
        expectEqual(output, nil)
    }

    @Test(arguments: negativeLengths)
    func inversionRefusesNegativeLengths(length: UInt32) {
        let bytes = changeset(textLength: length)
        var output: UnsafeMutableRawPointer?
        var outputCount: Int32 = 0
        expectEqual(
            sqlite3changeset_invert(Int32(bytes.count), bytes, &outputCount, &output),
            SQLITE_CORRUPT)
        expectEqual(output, nil)
    }

    @Test(arguments: negativeLengths)
    func changegroupRefusesNegativeLengths(length: UInt32) throws {
        var group: OpaquePointer?
        try #require(sqlite3changegroup_new(&group) == SQLITE_OK)
        defer { sqlite3changegroup_delete(group) }
        var bytes = changeset(textLength: length)
        let code = bytes.withUnsafeMutableBytes { buffer in
            sqlite3changegroup_add(group, Int32(buffer.count), buffer.baseAddress)
        }
        expectEqual(code, SQLITE_CORRUPT)
    }

    // CVE-2026-119373. Two terms of one prefix: the rowids of the first take a byte each, the
    // second has a rowid so far below that the merged list needs eight bytes more than both. Which
    // lengths leave the merge buffer too small depends on how it grows, so many are tried.
    @Test(arguments: [40...60, 100...125, 230...250])
    func prefixSearchMergesFarNegativeRowids(counts: ClosedRange<Int>) throws {
        let connection = try VendoredConnection()
        for count in counts {
            connection.execute("DROP TABLE IF EXISTS t")
            connection.execute("CREATE VIRTUAL TABLE t USING fts5(a, detail=none)")
            connection.execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
                INSERT INTO t(rowid, a) SELECT i, 'ab' FROM n
                """)
            connection.execute("INSERT INTO t(rowid, a) VALUES (-9223372036854775808, 'ac')")
            let found = try connection.strings("SELECT rowid FROM t('a*') ORDER BY rowid")
            expectEqual(found, ["-9223372036854775808"] + (1...count).map { String($0) })
        }
    }

    // CVE-2026-119374. The index of a page ends in offsets beyond the page; deleting securely
    // rewrites that index, each offset longer than before. One bad offset must be found, and forty,
    // which would be written beyond the end of the buffer.
    @Test(arguments: [1, 40])
    func secureDeleteRefusesPageIndexBeyondThePage(badOffsets: Int) throws {
        let connection = try VendoredConnection()
        connection.execute("CREATE VIRTUAL TABLE t USING fts5(a)")
        connection.execute("INSERT INTO t(t, rank) VALUES ('secure-delete', 1)")
        connection.execute("INSERT INTO t(rowid, a) VALUES (1, 'aa'), (2, 'ab'), (3, 'ac')")

        // Two bytes of the first rowid's offset, two of the index's, the terms, the index.
        let page = try connection.blob("SELECT block FROM t_data WHERE id > 10")
        let indexStart = Int(page[2]) << 8 | Int(page[3])
        // The first two offsets stay, so that the term to delete is found.
        var crafted = Array(page[..<(indexStart + 2)])
        for _ in 0..<badOffsets {
            crafted += [0x8F, 0xFF, 0xFF, 0xFF, 0x7F]
        }
        let hex = crafted.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        try #require(
            connection.execute("UPDATE t_data SET block = x'\(hex)' WHERE id > 10") == SQLITE_OK)

        // SQLITE_CORRUPT_VTAB, a macro that Swift does not import.
        let expected = SQLITE_CORRUPT | 1 << 8
        expectEqual(connection.execute("DELETE FROM t WHERE rowid = 1"), expected)
    }

    // Of the other FTS5 checks of 3.54.0: column numbers that do not fit in 32 bits.
    @Test func highlightDoesNotTruncateColumnNumbers() throws {
        let connection = try VendoredConnection()
        connection.execute("CREATE VIRTUAL TABLE t USING fts5(a)")
        connection.execute("INSERT INTO t(a) VALUES ('one two')")
        let highlighted = { (column: String) in
            try connection.strings("SELECT highlight(t, \(column), '[', ']') FROM t('two')")
        }
        try expectEqual(highlighted("0"), ["one [two]"])
        #expect(try highlighted("4294967296") != ["one [two]"])
    }

    // The LIKE of an ON clause that an index answers was checked on the row of NULLs, too.
    @Test(arguments: ["b.x LIKE 'q%'", "b.aID = a.id AND b.x LIKE 'q%'", "b.id LIKE 'q%'"])
    func leftJoinsOnLikeKeepTheRowsThatMatchNothing(condition: String) throws {
        let connection = try VendoredConnection()
        connection.execute("CREATE TABLE a(id INTEGER PRIMARY KEY)")
        connection.execute(
            "CREATE TABLE b(id TEXT PRIMARY KEY COLLATE NOCASE, x COLLATE NOCASE, aID)")
        connection.execute("CREATE INDEX i ON b(x)")
        connection.execute("INSERT INTO a VALUES (1), (2); INSERT INTO b VALUES ('abc', 'abc', 1)")
        try expectEqual(
            connection.strings("SELECT a.id FROM a LEFT JOIN b ON \(condition) ORDER BY a.id"),
            ["1", "2"])
        try expectEqual(
            connection.strings(
                "SELECT b.x FROM a LEFT JOIN b ON b.x LIKE 'a%' AND b.aID = a.id"),
            ["abc", "NULL"])
    }

    // SQLITE_CONSTRAINT_FOREIGNKEY and SQLITE_CONSTRAINT_TRIGGER, macros that Swift does not import.
    private static let foreignKeyError = SQLITE_CONSTRAINT | 3 << 8
    private static let restrictError = SQLITE_CONSTRAINT | 7 << 8

    // A lookup in an index applied the affinity of the indexed column to the value that was looked
    // up, not to a copy. Foreign keys look up the values of changed rows in the child table.
    @Test(
        arguments: ["REAL", "INTEGER", "NUMERIC"],
        ["NO ACTION", "RESTRICT", "SET NULL", "CASCADE"])
    func foreignKeysKeepValues(affinity: String, action: String) throws {
        for (event, change, result) in [
            ("DELETE", "DELETE FROM t", "text 012"),
            ("UPDATE", "UPDATE t SET a = '013'", "text 013"),
        ] {
            for option in ["", "WITHOUT ROWID"] {
                let connection = try VendoredConnection()
                connection.execute(
                    """
                    PRAGMA foreign_keys = ON;
                    CREATE TABLE t(a TEXT PRIMARY KEY) \(option);
                    CREATE TABLE c(a \(affinity) UNIQUE REFERENCES t ON \(event) \(action));
                    CREATE TABLE log(a);
                    CREATE TRIGGER logging AFTER \(event) ON t BEGIN
                        INSERT INTO log VALUES (typeof(OLD.a) || ' ' || OLD.a);
                    END;
                    INSERT INTO t VALUES ('012');
                    """)
                try expectEqual(
                    connection.strings("\(change) RETURNING typeof(a) || ' ' || a"),
                    [result])
                try expectEqual(connection.strings("SELECT a FROM log"), ["text 012"])
            }
        }
    }

    // New values are only looked up while a constraint is violated.
    @Test func deferredForeignKeysKeepInsertedValues() throws {
        let connection = try VendoredConnection()
        connection.execute(
            """
            PRAGMA foreign_keys = ON;
            CREATE TABLE t(a TEXT PRIMARY KEY);
            CREATE TABLE c(a REAL UNIQUE REFERENCES t DEFERRABLE INITIALLY DEFERRED);
            BEGIN;
            INSERT INTO c VALUES (12);
            """)
        let inserted = try connection.strings(
            "INSERT INTO t VALUES ('12.0') RETURNING typeof(a) || ' ' || a")
        expectEqual(inserted, ["text 12.0"])
        expectEqual(connection.execute("COMMIT"), SQLITE_OK)
    }

    @Test func foreignKeysKeepTheValuesOfTheirOwnTable() throws {
        let connection = try VendoredConnection()
        connection.execute(
            """
            PRAGMA foreign_keys = ON;
            CREATE TABLE t(a TEXT PRIMARY KEY, parent REAL UNIQUE REFERENCES t);
            INSERT INTO t VALUES ('012', NULL), ('13.0', NULL), ('x', 13);
            """)
        try expectEqual(connection.strings("DELETE FROM t WHERE a = '012' RETURNING a"), ["012"])
        expectEqual(connection.execute("DELETE FROM t WHERE a = '13.0'"), Self.foreignKeyError)
        try expectEqual(connection.strings("DELETE FROM t RETURNING a"), ["13.0", "x"])
    }

    // The lookup in one child table changed the value that the next one was searched for.
    @Test func foreignKeysOfAllChildTablesAreEnforced() throws {
        // Child tables are searched in the order of their creation, or in the opposite one.
        for tables in [["number", "text"], ["text", "number"]] {
            let connection = try VendoredConnection()
            connection.execute("PRAGMA foreign_keys = ON; CREATE TABLE t(a TEXT PRIMARY KEY)")
            for table in tables {
                let column = table == "number" ? "a REAL UNIQUE" : "a TEXT"
                connection.execute(
                    "CREATE TABLE \(table)(\(column) REFERENCES t ON UPDATE CASCADE)")
            }
            connection.execute("INSERT INTO t VALUES ('012'); INSERT INTO text VALUES ('012')")
            expectEqual(connection.execute("DELETE FROM t"), Self.foreignKeyError)
            expectEqual(connection.execute("UPDATE t SET a = '013'"), SQLITE_OK)
            try expectEqual(connection.strings("SELECT a FROM text"), ["013"])
            try expectEqual(connection.strings("PRAGMA foreign_key_check"), [])
        }
    }

    // The affinities still apply: 12.0 is the number of the text '12.0'.
    @Test func foreignKeysFindChildrenOfAnotherAffinity() throws {
        for action in ["RESTRICT", "CASCADE"] {
            let connection = try VendoredConnection()
            connection.execute(
                """
                PRAGMA foreign_keys = ON;
                CREATE TABLE t(a TEXT PRIMARY KEY);
                CREATE TABLE c(a REAL UNIQUE REFERENCES t ON DELETE \(action));
                INSERT INTO t VALUES ('12.0'), ('13.0');
                INSERT INTO c VALUES (12);
                """)
            expectEqual(
                connection.execute("UPDATE t SET a = '14.0' WHERE a = '12.0'"),
                Self.foreignKeyError)
            if action == "RESTRICT" {
                expectEqual(connection.execute("DELETE FROM t"), Self.restrictError)
            } else {
                let deleted = try connection.strings(
                    "DELETE FROM t RETURNING typeof(a) || ' ' || a")
                expectEqual(deleted, ["text 12.0", "text 13.0"])
                try expectEqual(connection.strings("SELECT a FROM c"), [])
            }
        }
    }

    // The same lookups in statements without foreign keys, and by IN.
    @Test(arguments: [
        ("(SELECT count(*) FROM numbers WHERE numbers.a = ", ")"),
        ("", " IN (SELECT a FROM numbers)"),
    ])
    func lookupsKeepTheirOperands(prefix: String, suffix: String) throws {
        func lookup(_ operand: String) -> String { prefix + operand + suffix }
        let connection = try VendoredConnection()
        connection.execute(
            """
            CREATE TABLE numbers(a INTEGER UNIQUE);
            INSERT INTO numbers VALUES (12);
            CREATE TABLE t(id INTEGER PRIMARY KEY, found, a TEXT, b);
            INSERT INTO t VALUES (1, 0, '9', '9');
            """)
        try expectEqual(
            connection.strings(
                "INSERT INTO t VALUES (2, 0, '012', 0) RETURNING \(lookup("t.a")) || ' ' || a"),
            ["1 012"])
        connection.execute(
            """
            INSERT INTO t VALUES (1, 0, '012', 0) ON CONFLICT (id)
            DO UPDATE SET found = \(lookup("excluded.a")), a = excluded.a, b = excluded.a
            """)
        try expectEqual(
            connection.strings("SELECT found || ' ' || a || ' ' || b FROM t WHERE id = 1"),
            ["1 012 012"])
        try expectEqual(
            connection.strings("SELECT \(lookup("max(t.a)")) || ' ' || max(a) FROM t"),
            ["1 012"])
        try expectEqual(
            connection.strings("SELECT \(lookup("t.a")) || ' ' || a FROM t GROUP BY a"),
            ["1 012"])
    }

    @Test func versionOfFTS5NamesItsSource() throws {
        try expectEqual(
            VendoredConnection().strings("SELECT fts5_source_id()")
                .first?.hasPrefix("fts5: 2026-10-09"), true)
    }
}
