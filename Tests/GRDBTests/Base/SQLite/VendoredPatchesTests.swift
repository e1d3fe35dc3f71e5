import GRDBSQLite
import Testing

/// Each test below fails, by a wrong result code or by a crash, on the same version of SQLite
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
        #expect(code == SQLITE_CORRUPT)
        #expect(output == nil)
    }

    @Test(arguments: negativeLengths)
    func inversionRefusesNegativeLengths(length: UInt32) {
        let bytes = changeset(textLength: length)
        var output: UnsafeMutableRawPointer?
        var outputCount: Int32 = 0
        #expect(
            sqlite3changeset_invert(Int32(bytes.count), bytes, &outputCount, &output)
                == SQLITE_CORRUPT)
        #expect(output == nil)
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
        #expect(code == SQLITE_CORRUPT)
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
            #expect(found == ["-9223372036854775808"] + (1...count).map { String($0) })
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
        #expect(connection.execute("DELETE FROM t WHERE rowid = 1") == expected)
    }

    // Of the other FTS5 checks of 3.54.0: column numbers that do not fit in 32 bits.
    @Test func highlightDoesNotTruncateColumnNumbers() throws {
        let connection = try VendoredConnection()
        connection.execute("CREATE VIRTUAL TABLE t USING fts5(a)")
        connection.execute("INSERT INTO t(a) VALUES ('one two')")
        let highlighted = { (column: String) in
            try connection.strings("SELECT highlight(t, \(column), '[', ']') FROM t('two')")
        }
        #expect(try highlighted("0") == ["one [two]"])
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
        #expect(
            try connection.strings("SELECT a.id FROM a LEFT JOIN b ON \(condition) ORDER BY a.id")
                == ["1", "2"])
        #expect(
            try connection.strings(
                "SELECT b.x FROM a LEFT JOIN b ON b.x LIKE 'a%' AND b.aID = a.id")
                == ["abc", "NULL"])
    }

    @Test func versionOfFTS5NamesItsSource() throws {
        #expect(
            try VendoredConnection().strings("SELECT fts5_source_id()")
                .first?.hasPrefix("fts5: 2026-10-09") == true)
    }
}
