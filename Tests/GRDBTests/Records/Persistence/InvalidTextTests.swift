import GRDB
import GRDBTestSupport
import Testing

/// Texts that are not valid UTF-8, which records read with U+FFFD and write back.
@Suite(.databases) struct InvalidTextTests {
    /// Each way to update the row of a record.
    enum Update: CaseIterable {
        case update, columns, setting, save, changes, changesFrom
        case andFetch, andFetchSelection, andFetchChanges, saveAndFetch
        case upsert, upsertAndFetch, upsertOnConflict, upsertSetting

        func callAsFunction(_ db: Database, _ note: inout Note) throws {
            let former = note
            switch self {
            case .update: try note.update(db)
            case .columns: try note.update(db, columns: ["title", "body", "count"])
            case .setting: try note.update(db, setting: [Column("count") += 1])
            case .save: try note.save(db)
            case .changes: try note.updateChanges(db) { $0.count += 1 }
            case .changesFrom:
                note.count += 1
                try note.updateChanges(db, from: former)
            case .andFetch: _ = try note.updateAndFetch(db)
            case .andFetchSelection:
                let selection = [Column("title"), Column("count")]
                _ = try note.updateAndFetch(db, selection: selection) { try Row.fetchOne($0) }
            case .andFetchChanges: _ = try note.updateChangesAndFetch(db) { $0.count += 1 }
            case .saveAndFetch: _ = try note.saveAndFetch(db)
            case .upsert: try note.upsert(db)
            case .upsertAndFetch: _ = try note.upsertAndFetch(db)
            case .upsertOnConflict:
                _ = try note.upsertAndFetch(db, onConflict: ["list", "number"])
            case .upsertSetting:
                _ = try note.upsertAndFetch(db, doUpdate: { _ in [Column("count") += 1] })
            }
        }
    }

    struct Note: Codable, FetchableRecord, PersistableRecord {
        var list: String
        var number: Int
        var title: String
        var body: String?
        var count: Int
    }

    /// A record that binds and reads its columns itself.
    struct PlainNote: FetchableRecord, PersistableRecord {
        static let databaseTableName = "note"
        var row: [String: DatabaseValue]

        init(row: Row) {
            self.row = Dictionary(uniqueKeysWithValues: row.map { ($0.0, $0.1) })
        }

        func encode(to container: inout PersistenceContainer) {
            for name in ["title", "list", "number", "count", "body"] { container[name] = row[name] }
        }
    }

    static func withNotes(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE note (
                        list TEXT NOT NULL, number INTEGER NOT NULL, title TEXT NOT NULL, body TEXT,
                        count INTEGER NOT NULL, PRIMARY KEY (list, number));
                    INSERT INTO note VALUES
                        ('a', 1, CAST(x'41ff42' AS TEXT), CAST(x'efbfbd' AS TEXT), 0),
                        ('a\u{FFFD}', 1, CAST(x'c3' AS TEXT), NULL, 0),
                        ('b', 1, 'other', 'row', 0);
                    """)
            try body(db)
        }
    }

    static func bytes(_ db: Database) throws -> [String] {
        try String.fetchAll(
            db,
            sql: """
                SELECT typeof(title) || hex(title) || ' ' || ifnull(hex(body), '') || ' ' || count
                FROM note ORDER BY rowid
                """)
    }

    @Test(arguments: Update.allCases)
    func updatesKeepTheBytesOfUnchangedTexts(update: Update) throws {
        try Self.withNotes { db in
            // The first update is collected, the next ones are bound to the statement of a plan.
            for _ in 0..<3 {
                for var note in try Note.limit(2).fetchAll(db) { try update(db, &note) }
            }
            let texts = try Self.bytes(db).map { $0.split(separator: " ").dropLast() }
            expectEqual(
                texts, [["text41FF42", "EFBFBD"], ["textC3"], ["text6F74686572", "726F77"]])
        }
    }

    @Test func updatesOfPlainRecordsKeepTheBytes() throws {
        try Self.withNotes { db in
            for count in 1...3 {
                for var note in try PlainNote.fetchAll(db) {
                    note.row["count"] = count.databaseValue
                    try note.update(db)
                }
            }
            expectEqual(
                try Self.bytes(db),
                ["text41FF42 EFBFBD 3", "textC3  3", "text6F74686572 726F77 3"])
        }
    }

    @Test func changedTextsAreStored() throws {
        try Self.withNotes { db in
            for title in ["A\u{FFFD}", "A\u{FFFD}B!", "\u{FFFD}"] {
                var note = try Note.find(db, key: ["list": "a", "number": 1])
                note.title = title
                note.body = title
                try note.update(db)
                let stored = try String.fetchOne(db, sql: "SELECT hex(title) FROM note")
                expectEqual(stored, title.utf8.map { String($0, radix: 16).uppercased() }.joined())
            }
        }
    }

    @Test func missingRowsAreNotFound() throws {
        try Self.withNotes { db in
            var note = try Note.find(db, key: ["list": "a", "number": 1])
            for _ in 0..<3 {
                note.number += 1
                expectError(RecordError.self) { try note.update(db) }
            }
            note.number = 2
            try note.save(db)
            expectEqual(
                try String.fetchAll(db, sql: "SELECT hex(title) FROM note WHERE list = 'a'"),
                ["41FF42", "41EFBFBD42"])
        }
    }

    @Test func upsertsFindTheRowByAnyUniqueKey() throws {
        struct Contact: Codable, FetchableRecord, PersistableRecord {
            var id: Int64?
            var mail: String
            var name: String
        }
        try TestDatabases.makeQueue().write { db in
            try db.execute(
                sql: """
                    CREATE TABLE contact (id INTEGER PRIMARY KEY, mail TEXT UNIQUE, name TEXT UNIQUE);
                    INSERT INTO contact VALUES
                        (1, 'a', CAST(x'41ff' AS TEXT)), (2, CAST(x'62ff' AS TEXT), 'B');
                    """)
            func bytes() throws -> [String] {
                try String.fetchAll(
                    db, sql: "SELECT hex(mail) || ' ' || hex(name) FROM contact ORDER BY id")
            }
            let contacts = try Contact.fetchAll(db)
            for _ in 0..<3 {
                for var contact in contacts {
                    try contact.upsert(db)
                    contact.id = nil
                    try contact.upsert(db)
                }
            }
            expectEqual(try bytes(), ["61 41FF", "62FF 42"])
            // Only the key with invalid bytes could identify the row.
            try Contact(id: nil, mail: "b\u{FFFD}", name: "C").upsert(db)
            expectEqual(try bytes(), ["61 41FF", "62FF 42", "62EFBFBD 43"])
        }
    }

    @Test func convertedBlobsAreKept() throws {
        var configuration = Configuration()
        configuration.convertsMismatchedValues = true
        try TestDatabases.makeQueue(.memory, configuration).write { db in
            try db.execute(
                sql: """
                    CREATE TABLE note (
                        list TEXT, number INTEGER PRIMARY KEY, title, body TEXT, count INTEGER);
                    INSERT INTO note VALUES ('a', 1, x'41ff', NULL, 0);
                    """)
            for _ in 0..<3 { try Note.find(db, key: 1).update(db) }
            expectEqual(try Self.bytes(db), ["blob41FF  0"])
        }
    }

    @Test func updatesWithoutReplacedTextsRunNoQuery() throws {
        try Self.withNotes { db in
            let note = try Note.find(db, key: ["list": "b", "number": 1])
            try note.update(db)
            try expectSQL(
                """
                UPDATE "note" SET "title"='other', "body"='row', "count"=0 \
                WHERE "list"='b' AND "number"=1
                """
            ) {
                try note.update(db)
            }
            try note.upsert(db)
            try expectSQL(
                """
                INSERT INTO "note" ("list", "number", "title", "body", "count") \
                VALUES ('b',1,'other','row',0) ON CONFLICT DO UPDATE SET \
                "title" = "excluded"."title", "body" = "excluded"."body", \
                "count" = "excluded"."count" RETURNING "rowid"
                """
            ) {
                try note.upsert(db)
            }
        }
    }
}
