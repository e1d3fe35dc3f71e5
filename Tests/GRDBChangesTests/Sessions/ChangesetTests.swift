@testable import GRDBChanges
import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite(.databases) struct ChangesetTests {
    private let dbQueue: DatabaseQueue

    init() throws {
        dbQueue = try TestDatabases.makeQueue()
        try dbQueue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE t(id INTEGER PRIMARY KEY, a, b);
                    CREATE TABLE w(k TEXT, l INTEGER, v, PRIMARY KEY (k, l)) WITHOUT ROWID;
                    CREATE TABLE keys(id INTEGER PRIMARY KEY);
                    INSERT INTO t VALUES (1, 'one', 1.5), (2, 'two', NULL);
                    INSERT INTO w VALUES ('x', 1, x'0102');
                    INSERT INTO keys VALUES (1);
                    """)
        }
    }

    private let sql = """
        INSERT INTO t VALUES (3, 'three', x'ff');
        UPDATE t SET a = 'uno' WHERE id = 1;
        DELETE FROM t WHERE id = 2;
        UPDATE w SET v = 7
        """

    private func changeset(_ sql: String) throws -> Changeset {
        try dbQueue.write { try $0.changeset(of: sql) }
    }

    private func patchset(_ sql: String) throws -> Changeset {
        try dbQueue.write { try $0.patchset(of: sql) }
    }

    // MARK: - Changes

    @Test func changesHaveValues() throws {
        let schema = try dbQueue.read { try ChangesetSchema($0) }
        let changes = try changeset(sql).changes(in: schema)
        let update = try unwrap(changes.first { $0.tableName == "w" })
        expectEqual(update.operation, .update)
        expectTrue(!update.isIndirect)
        expectTrue(!update.isPatch)
        expectEqual(update.columnCount, 3)
        expectEqual(update.columnNames, ["k", "l", "v"])
        expectEqual(update.primaryKeyColumns, [0, 1])
        expectEqual(update.primaryKey, ["x".databaseValue, 1.databaseValue])
        expectEqual(
            update.oldValues,
            ["x".databaseValue, 1.databaseValue, Data([1, 2]).databaseValue])
        expectEqual(update.newValues, [nil, nil, 7.databaseValue])
        expectEqual(update.oldValue(at: 2), Data([1, 2]).databaseValue)
        expectEqual(update.newValue(at: 2), 7.databaseValue)
        expectEqual(update.newValue(at: 3), nil)
        expectEqual(update.newValue(at: -1), nil)
        expectEqual(update.oldValue(forColumn: "V"), Data([1, 2]).databaseValue)
        expectEqual(update.newValue(forColumn: "v"), 7.databaseValue)
        expectEqual(update.newValue(forColumn: "nothing"), nil)
        expectEqual(update.description, #"update w [k:"x" l:1 v:Data(2 bytes) → 7]"#)

        let insertion = try unwrap(changes.first { $0.operation == .insert })
        expectEqual(insertion.oldValues, [nil, nil, nil])
        expectEqual(insertion.newValue(forColumn: "a"), "three".databaseValue)
        let deletion = try unwrap(changes.first { $0.operation == .delete })
        expectEqual(deletion.oldValues, [2.databaseValue, "two".databaseValue, .null])
        expectEqual(deletion.newValues, [nil, nil, nil])
    }

    @Test func changesAreHashable() throws {
        let changes = try Array(changeset(sql))
        expectEqual(Set(changes + changes).count, 4)
        try expectTrue(Set(changes).isDisjoint(with: patchset(sql)))
    }

    @Test func namesAreUnknownWithoutSchema() throws {
        let change = try unwrap(changeset("DELETE FROM w").first { _ in true })
        expectEqual(change.columnNames, nil)
        expectEqual(change.oldValue(forColumn: "v"), nil)
        try dbQueue.write { try $0.execute(sql: "DROP TABLE w; CREATE TABLE w(k PRIMARY KEY)") }
        let schema = try dbQueue.read { try ChangesetSchema($0) }
        let stranger = try unwrap(
            changeset("DELETE FROM t").changes(in: schema).first { _ in true })
        expectEqual(stranger.columnNames, ["id", "a", "b"])
        var sequence = Changeset(validated: change.header.data + change.bytes, isPatchset: false)
            .changes(in: schema)
        expectEqual(sequence.next()?.columnNames, nil)
    }

    @Test func extremeValuesAreRead() throws {
        let changeset = try changeset(
            """
            INSERT INTO t VALUES (-9223372036854775808, 9223372036854775807, -0.5);
            INSERT INTO t VALUES (9223372036854775807, '', x'');
            INSERT INTO t VALUES (0, 'a' || char(0) || 'é😀', 1e999);
            """)
        let values = Dictionary(
            uniqueKeysWithValues: changeset.map { ($0.primaryKey[0], $0.newValues) })
        expectEqual(
            values[Int64.min.databaseValue]?[1...],
            [
                Int64.max.databaseValue, (-0.5).databaseValue,
            ])
        expectEqual(
            values[Int64.max.databaseValue]?[1...], ["".databaseValue, Data().databaseValue])
        expectEqual(
            values[0.databaseValue]?[1...],
            [
                "a\0é😀".databaseValue, Double.infinity.databaseValue,
            ])
    }

    // MARK: - Values of changesets

    @Test func changesetsAreCodable() throws {
        for changeset in try [changeset(sql), patchset(sql), Changeset()] {
            let decoded = try JSONDecoder().decode(
                [Changeset].self, from: JSONEncoder().encode([changeset]))
            expectEqual(decoded, [changeset])
            expectEqual(decoded[0].isPatchset, changeset.isPatchset)
            try expectEqual(Changeset(data: changeset.data), changeset)
            // A slice has other indexes.
            let slice = (Data([0]) + changeset.data)[1...]
            try expectEqual(Changeset(data: slice).lines, changeset.lines)
        }
        let json = Data(#"["AAAA"]"#.utf8)
        expectCode(.SQLITE_CORRUPT) {
            try JSONDecoder().decode([Changeset].self, from: json)
        }
    }

    @Test func descriptionTellsTheSize() throws {
        let changeset = try changeset("DELETE FROM keys")
        expectEqual(changeset.description, "Changeset of 1 changes (\(changeset.data.count) bytes)")
        try expectTrue(patchset("DELETE FROM keys").description.hasPrefix("Patchset of 1 changes"))
    }

    // MARK: - Inverting

    @Test func invertedChangesetUndoes() throws {
        try dbQueue.write { db in
            let before = try db.lines(of: "t") + db.lines(of: "w")
            let changeset = try db.recording(sql)
            let inverted = try changeset.inverted()
            try expectEqual(inverted.inverted().lines, changeset.lines)
            expectEqual(inverted.changeCount, 4)
            try db.apply(inverted)
            try expectEqual(db.lines(of: "t") + db.lines(of: "w"), before)
        }
        try expectEqual(Changeset().inverted(), Changeset())
    }

    @Test func patchsetsCannotBeInverted() throws {
        let patchset = try patchset(sql)
        expectError(
            "SQLite error 21: A patchset can't be inverted: it lacks the former values of rows"
        ) {
            try patchset.inverted()
        }
        expectError(
            "SQLite error 21: A patchset can't be rebased: it lacks the former values of rows"
        ) {
            try patchset.rebased(on: ConflictResolutions())
        }
        try dbQueue.write { db in
            expectError(
                "SQLite error 21: A patchset can't be inverted: it lacks the former values of rows"
            ) {
                try db.apply(patchset, options: .inverted)
            }
        }
    }

    // MARK: - Combining

    @Test func combinedChangesetHasTheEffectOfBoth() throws {
        try dbQueue.write { db in
            let before = try db.lines(of: "t")
            let first = try db.recording(sql)
            let second = try db.recording(
                """
                UPDATE t SET b = 0 WHERE id = 3;
                UPDATE t SET a = 'one' WHERE id = 1;
                INSERT INTO t VALUES (2, 'again', 1);
                UPDATE w SET v = 8
                """)
            let after = try db.lines(of: "t")
            let both = try first.combined(with: second)
            expectEqual(
                both.lines,
                [
                    #"insert t [0:3 1:"three" 2:0]"#,
                    #"update t [0:2 1:"two" → "again" 2:NULL → 1]"#,
                    #"update w [0:"x" 1:1 2:Data(2 bytes) → 8]"#,
                ])
            try db.apply(both, options: .inverted)
            try expectEqual(db.lines(of: "t"), before)
            try db.apply(both)
            try expectEqual(db.lines(of: "t"), after)
            try expectEqual(first.combined(with: Changeset()).lines, first.lines)
            try expectEqual(Changeset().combined(with: first).lines, first.lines)
        }
    }

    @Test func builderTakesChosenChanges() throws {
        let changeset = try changeset(sql)
        let builder = try ChangesetBuilder()
        for change in changeset where change.operation != .update {
            try builder.add(change)
        }
        try expectEqual(
            builder.makeChangeset().lines,
            changeset.filter { $0.operation != .update }.map(\.description).sorted())
        // More may follow.
        for change in changeset where change.operation == .update {
            try builder.add(change)
        }
        try expectEqual(builder.makeChangeset().lines, changeset.lines)
        try dbQueue.write { db in
            try db.apply(changeset)
            var inverted: [Changeset.Change] = []
            try db.apply(
                changeset,
                filter: {
                    inverted.append($0); return false
                }, options: .inverted)
            let builder = try ChangesetBuilder()
            for change in inverted { try builder.add(change) }
            try expectEqual(builder.makeChangeset().lines, changeset.inverted().lines)
        }
    }

    @Test func builderRefusesMixtures() throws {
        let changeset = try changeset(sql)
        let builder = try ChangesetBuilder()
        try builder.add(changeset)
        let patchset = try patchset(sql)
        expectError(
            "SQLite error 21: Changesets and patchsets can't be combined with one another"
        ) {
            try builder.add(patchset)
        }
        try dbQueue.write { try $0.execute(sql: "DROP TABLE w; CREATE TABLE w(k PRIMARY KEY)") }
        let stranger = try self.changeset("INSERT INTO w VALUES (1)")
        expectError("SQLite error 17: The changes of the table w have different columns") {
            try builder.add(stranger)
        }
        try expectEqual(builder.makeChangeset().lines, changeset.lines)
    }

    @Test func builderCompletesColumnsThatWereAdded() throws {
        for isPatchset in [false, true] {
            let dbQueue = try TestDatabases.makeQueue()
            try dbQueue.write { db in
                try db.execute(
                    sql: """
                        CREATE TABLE t(id INTEGER PRIMARY KEY, a);
                        INSERT INTO t VALUES (1, 'one'), (2, 'two'), (4, 'four')
                        """)
                let sql = """
                    INSERT INTO t(id, a) VALUES (3, 'three'), (5, 'five');
                    UPDATE t SET a = 'uno' WHERE id = 1;
                    DELETE FROM t WHERE id = 2
                    """
                let first = try isPatchset ? db.patchset(of: sql) : db.changeset(of: sql)
                try db.execute(
                    sql: "ALTER TABLE t ADD COLUMN b DEFAULT 'new'; ALTER TABLE t ADD COLUMN c")
                try db.execute(sql: sql)
                let later = "UPDATE t SET b = 'newer', c = 1.5 WHERE id IN (1, 3, 4)"
                let second = try isPatchset ? db.patchset(of: later) : db.changeset(of: later)
                let schema = try ChangesetSchema(db)
                let builder = try ChangesetBuilder(schema: schema)
                try builder.add(first)
                try builder.add(second)
                let both = try builder.makeChangeset()
                expectEqual(both.isPatchset, isPatchset)
                if isPatchset {
                    expectEqual(
                        both.lines,
                        [
                            "delete t [0:2]",
                            #"insert t [0:3 1:"three" 2:"newer" 3:1.5]"#,
                            #"insert t [0:5 1:"five" 2:"new" 3:NULL]"#,
                            #"update t [0:1 1:? → "uno" 2:? → "newer" 3:? → 1.5]"#,
                            #"update t [0:4 2:? → "newer" 3:? → 1.5]"#,
                        ])
                } else {
                    expectEqual(
                        both.lines,
                        [
                            #"delete t [0:2 1:"two" 2:"new" 3:NULL]"#,
                            #"insert t [0:3 1:"three" 2:"newer" 3:1.5]"#,
                            #"insert t [0:5 1:"five" 2:"new" 3:NULL]"#,
                            #"update t [0:1 1:"one" → "uno" 2:"new" → "newer" 3:NULL → 1.5]"#,
                            #"update t [0:4 2:"new" → "newer" 3:NULL → 1.5]"#,
                        ])
                }
                try db.execute(sql: "CREATE TABLE u(id INTEGER PRIMARY KEY)")
                let insertion = "INSERT INTO u VALUES (1)"
                let unknown =
                    try isPatchset ? db.patchset(of: insertion) : db.changeset(of: insertion)
                expectError("SQLite error 17: no such table: u") { try builder.add(unknown) }

                // From a file, too.
                let url = URL(fileURLWithPath: TestDatabases.makePath("first"))
                try first.data.write(to: url)
                let fromFile = try ChangesetBuilder(schema: schema)
                try fromFile.add(contentsOf: url)
                try fromFile.add(second)
                try expectEqual(fromFile.makeChangeset().lines, both.lines)
            }
        }
    }

    /// SQLite writes them, and refuses to apply them.
    @Test func updatesThatChangeNothingAreRemoved() throws {
        try dbQueue.write { db in
            let first = try db.patchset(of: "DELETE FROM keys")
            let second = try db.patchset(of: "INSERT INTO t VALUES (9, 9, 9)")
            try db.execute(sql: "DELETE FROM keys")
            let third = try db.patchset(of: "INSERT INTO keys VALUES (1)")
            let builder = try ChangesetBuilder()
            for patchset in [first, second, third] { try builder.add(patchset) }
            let all = try builder.makeChangeset()
            expectEqual(all.lines, ["insert t [0:9 1:9 2:9]"])
            try expectEqual(Changeset(data: all.data), all)
            try db.apply(all)
        }
    }

    // MARK: - Files

    @Test func filesAreRebased() throws {
        try dbQueue.write { db in
            let remote = try db.changeset(of: "UPDATE t SET a = 'theirs'; DELETE FROM w")
            let local = try db.recording {
                try db.execute(sql: "UPDATE t SET a = 'ours', b = id; UPDATE w SET v = 'ours'")
                // Several pieces of the file.
                for index in 10..<200 {
                    try db.execute(
                        sql: "INSERT INTO t VALUES (?, ?, NULL)",
                        arguments: [index, String(repeating: "x", count: index * 10)])
                }
            }
            let resolutions = try db.apply(remote) { $0.canReplace ? .replace : .omit }.resolutions
            expectTrue(!resolutions.isEmpty)
            let rebaser = try Rebaser()
            try rebaser.add(resolutions)
            let rebased = try rebaser.rebase(local)
            #expect(rebased.lines != local.lines)
            let source = URL(fileURLWithPath: TestDatabases.makePath("source"))
            let result = URL(fileURLWithPath: TestDatabases.makePath("result"))
            try local.data.write(to: source)
            try rebaser.rebase(contentsOf: source, to: result)
            try expectEqual(Changeset(data: Data(contentsOf: result)).lines, rebased.lines)

            // Errors leave the former file.
            let former = try Data(contentsOf: result)
            try db.patchset(of: "UPDATE t SET a = 1").data.write(to: source)
            expectError(
                "SQLite error 21: A patchset can't be rebased: it lacks the former values of rows"
            ) {
                try rebaser.rebase(contentsOf: source, to: result)
            }
            try db.execute(sql: "ALTER TABLE t ADD COLUMN c")
            try db.changeset(of: "UPDATE t SET a = 1").data.write(to: source)
            expectError("SQLite error 17: The changes of the table t have different columns") {
                try rebaser.rebase(contentsOf: source, to: result)
            }
            try Data(local.data.dropLast()).write(to: source)
            expectError(DatabaseError.self) {
                try rebaser.rebase(contentsOf: source, to: result)
            }
            try FileManager.default.removeItem(at: source)
            expectError((any Error).self) {
                try rebaser.rebase(contentsOf: source, to: result)
            }
            try expectEqual(Data(contentsOf: result), former)
            let folder = result.deletingLastPathComponent()
            try local.data.write(to: source)
            expectError((any Error).self) {
                try rebaser.rebase(contentsOf: source, to: folder.appendingPathComponent("no/file"))
            }
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            expectTrue(!files.contains { $0.hasPrefix(".result") })
        }
    }

    @Test func filesAreCombinedAndInverted() throws {
        try dbQueue.write { db in
            let first = try db.recording {
                for index in stride(from: 10, to: 500, by: 7) {
                    try db.execute(
                        sql: "INSERT INTO t VALUES (?, ?, NULL)",
                        arguments: [index, String(repeating: "x", count: index * 10)])
                }
            }
            let second = try db.recording("UPDATE t SET a = upper(a), b = id WHERE id > 2")
            let url = URL(fileURLWithPath: TestDatabases.makePath("first"))
            let url2 = URL(fileURLWithPath: TestDatabases.makePath("second"))
            let result = URL(fileURLWithPath: TestDatabases.makePath("result"))
            try first.data.write(to: url)
            try second.data.write(to: url2)
            let builder = try ChangesetBuilder()
            try builder.add(contentsOf: url)
            try builder.add(contentsOf: url2)
            let both = try builder.makeChangeset()
            try expectEqual(both.lines, first.combined(with: second).lines)
            try builder.write(to: result)
            try expectEqual(Changeset(data: Data(contentsOf: result)).lines, both.lines)

            try Changeset.invert(contentsOf: url2, to: result)
            try expectEqual(Data(contentsOf: result), second.inverted().data)
            try db.apply(contentsOf: result)
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t WHERE b = id"), 0)
            try db.apply(contentsOf: url, options: .inverted)
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 2)

            // What is not a changeset leaves all as it is.
            try (first.data.dropLast(3)).write(to: url)
            expectCode(.SQLITE_CORRUPT) { try db.apply(contentsOf: url) }
            expectCode(.SQLITE_CORRUPT) { try builder.add(contentsOf: url) }
            expectCode(.SQLITE_CORRUPT) {
                try Changeset.invert(contentsOf: url, to: result)
            }
            try expectEqual(builder.makeChangeset().lines, both.lines)
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM t"), 2)
            let nowhere = URL(fileURLWithPath: TestDatabases.makePath("nowhere"))
            expectError((any Error).self) { try db.apply(contentsOf: nowhere) }
        }
    }

    // MARK: - Foreign bytes

    private func expectCorrupt(
        _ bytes: [UInt8], _ reason: String, line: Int = #line
    ) {
        expectError(
            "SQLite error 11: The changeset is malformed at byte \(reason)",
            line: line
        ) {
            try Changeset(data: Data(bytes))
        }
    }

    @Test func malformedChangesetsAreRefused() throws {
        let table: [UInt8] = [0x54, 2, 1, 0, 0x74, 0]
        let row: [UInt8] = [18, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 3, 1, 0x61]
        _ = try Changeset(data: Data(table + row))
        _ = try Changeset(data: Data(table))
        expectCorrupt([1], "0: it does not begin with a table")
        expectCorrupt([0x54], "0: it ends inside of a change or a table")
        expectCorrupt([0x54, 0, 0], "0: a table has 0 columns")
        expectCorrupt([0x54, 0x84, 0x80, 0x01, 0], "0: a table has 65537 columns")
        expectCorrupt([0x54, 0x80, 1, 0], "1: a length is malformed")
        expectCorrupt([0x54, 0x90, 0x80, 0x80, 0x80, 0], "1: a length is malformed")
        expectCorrupt([0x54, 2, 0, 0, 0x74, 0], "0: the table t has no primary key")
        expectCorrupt([0x54, 1, 1, 0xff, 0], "3: the name of a table is not UTF-8")
        expectCorrupt(table + [0x50, 2, 1, 0, 0x74, 0], "6: it mixes changesets and patchsets")
        expectCorrupt(
            table + row + [0x54, 3, 1, 0, 0, 0x54, 0],
            "20: the table T appears twice, with different columns")
        expectCorrupt(table + [7, 0, 0], "6: 7 is no operation")
        expectCorrupt(table + [7], "6: 7 is no operation")
        expectCorrupt(table + [18, 2, 0], "6: the flag of a change is neither 0 nor 1")
        expectCorrupt(table + [18, 0, 0], "8: a row lacks a value")
        expectCorrupt(table + [18, 0, 5, 9], "9: 9 is no type of values")
        expectCorrupt(table + row.dropLast(), "6: it ends inside of a change or a table")
        expectCorrupt(
            table + [18, 0, 5, 3, 0xff, 0xff, 0xff, 0xff, 0x7f], "10: a length is malformed")
        expectCorrupt(table + [23, 0, 0, 5, 0, 5], "8: a row lacks its primary key")
        expectCorrupt(table + [23, 0, 5, 0, 5, 0], "8: an update changes nothing")
        let number: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0, 1]
        _ = try Changeset(data: Data(table + [23, 0] + number + number + [0] + number))
        expectCorrupt(
            table + [23, 0] + number + [0, 0] + number, "8: an update lacks an old value")
        expectCorrupt(
            table + [23, 0] + number + number + [0, 0], "8: an update lacks a new value")
        expectCorrupt([0x50] + table[1...] + [23, 0, 0, 5], "8: an update lacks the primary key")
    }

    /// scripts/run-tests sessions makes long runs.
    @Test func mutatedChangesetsDoNoHarm() throws {
        let environment = ProcessInfo.processInfo.environment
        var fuzz = try ChangesetFuzz(
            seed: environment["GRDB_SESSIONS_SEED"].flatMap { UInt64($0) } ?? 1)
        try fuzz.run(
            count: environment["GRDB_CHANGESET_MUTATIONS"].flatMap { Int($0) } ?? 500)
        #expect(fuzz.refusedCount > 0)
        #expect(fuzz.appliedCount > 0)
        expectEqual(fuzz.failures, [])
    }
}

extension ChangesetHeader {
    fileprivate var data: Data {
        var data = Data()
        data.append(self)
        return data
    }
}
