import GRDB
import GRDBTables
import GRDBTestSupport
import Testing

@Suite(.databases) struct FullTextVocabularyTests {
    @Test func vocabularies() throws {
        try TestDatabases.makeQueue().write { db in
            try db.create(virtualTable: "book", using: FTS5()) { t in
                t.column("title")
                t.column("body")
            }
            try db.execute(sql: "INSERT INTO book VALUES ('a b', 'a'), ('b', 'b')")
            let tables: [(String, FTS5Vocabulary.Rows, String, [String])] = [
                ("r", .tokens, "row", ["a|1|2", "b|2|3"]),
                ("c", .columns, "col", ["a|title|1|1", "a|body|1|1", "b|title|2|2", "b|body|1|1"]),
                (
                    "i", .instances, "instance",
                    [
                        "a|1|title|0", "a|1|body|0", "b|1|title|1", "b|2|title|0", "b|2|body|0",
                    ]
                ),
            ]
            for (table, rows, argument, expected) in tables {
                try db.create(
                    virtualTable: table, using: FTS5Vocabulary(of: "book", rows: rows))
                try expectEqual(
                    db.schemaObjects(ofType: .table).last?.sql,
                    "CREATE VIRTUAL TABLE \"\(table)\" USING fts5vocab('book', '\(argument)')")
                let columns = try db.columns(in: table).map(\.name)
                    .map(\.quotedDatabaseIdentifier).joined(separator: " || '|' || ")
                try expectEqual(
                    String.fetchAll(db, sql: "SELECT \(columns) FROM \(table)"),
                    expected)
            }
            // A temporary table looks into any schema.
            try db.create(
                virtualTable: "tmp", options: .temporary,
                using: FTS5Vocabulary(of: "book", in: "main"))
            try expectEqual(Int.fetchOne(db, sql: "SELECT COUNT(*) FROM tmp"), 2)

            try db.create(virtualTable: "email", using: FTS4()) { $0.column("subject") }
            try db.execute(sql: "INSERT INTO email VALUES ('a b'), ('b')")
            try db.create(virtualTable: "x", using: FTS4Vocabulary(of: "email"))
            try db.create(
                virtualTable: "y", options: .temporary,
                using: FTS4Vocabulary(of: "email", in: "main"))
            for table in ["x", "y"] {
                try expectEqual(
                    Row.fetchAll(
                        db,
                        sql: "SELECT term, documents, occurrences FROM \(table) WHERE col = '*'"),
                    [
                        ["term": "a", "documents": 1, "occurrences": 1],
                        ["term": "b", "documents": 2, "occurrences": 2],
                    ])
            }
        }
    }
}
