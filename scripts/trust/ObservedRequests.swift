import Foundation
import GRDB

/// Something that an observation can fetch: its value as text.
struct ObservedRequest: Sendable {
    var name: String
    /// Whether the tables are those of one connection: a pool can't look into them with a reader.
    var isOfWriter = false
    var fetch: @Sendable (Database) throws -> String
}

/// The schema of the observed databases, with all kinds of tables that have changes.
func createObservedSchema(_ db: Database) throws {
    try db.execute(
        sql: """
            CREATE TABLE item(
              id INTEGER PRIMARY KEY, name TEXT, score INTEGER, json TEXT DEFAULT '[1]',
              twice INTEGER GENERATED ALWAYS AS (score * 2) VIRTUAL,
              stored INTEGER GENERATED ALWAYS AS (score * 3) STORED);
            CREATE INDEX itemOnName ON item(name);
            CREATE TABLE part(
              id INTEGER PRIMARY KEY, itemID INTEGER REFERENCES item(id) ON DELETE CASCADE ON UPDATE CASCADE,
              title TEXT);
            CREATE TABLE weak(
              id INTEGER PRIMARY KEY, itemID INTEGER REFERENCES item(id) ON DELETE SET NULL);
            CREATE TABLE pair(a TEXT, b INTEGER, c, PRIMARY KEY (a, b)) WITHOUT ROWID;
            CREATE TABLE strict(id INTEGER PRIMARY KEY AUTOINCREMENT, n INT NOT NULL UNIQUE) STRICT;
            CREATE TABLE log(text);
            CREATE TRIGGER itemInserted AFTER INSERT ON item BEGIN INSERT INTO log VALUES ('+' || new.id); END;
            CREATE TRIGGER itemDeleted AFTER DELETE ON item BEGIN INSERT INTO log VALUES ('-' || old.id); END;
            CREATE VIEW good AS SELECT id, name FROM item WHERE score > 5;
            CREATE VIEW nested AS SELECT COUNT(*) AS n, MAX(name) AS m FROM good;
            CREATE TRIGGER goodUpdated INSTEAD OF UPDATE ON good BEGIN
              UPDATE item SET name = new.name WHERE id = old.id; END;
            CREATE VIRTUAL TABLE doc USING fts5(text, extra UNINDEXED);
            CREATE VIRTUAL TABLE docVocabulary USING fts5vocab(doc, row);
            CREATE VIRTUAL TABLE itemText USING fts5(name, content = item, content_rowid = id);
            CREATE TRIGGER itemTextInsert AFTER INSERT ON item BEGIN
              INSERT INTO itemText(rowid, name) VALUES (new.id, new.name); END;
            CREATE TRIGGER itemTextDelete AFTER DELETE ON item BEGIN
              INSERT INTO itemText(itemText, rowid, name) VALUES ('delete', old.id, old.name); END;
            CREATE TRIGGER itemTextUpdate AFTER UPDATE ON item BEGIN
              INSERT INTO itemText(itemText, rowid, name) VALUES ('delete', old.id, old.name);
              INSERT INTO itemText(rowid, name) VALUES (new.id, new.name); END;
            CREATE VIRTUAL TABLE note USING fts4(text, title);
            CREATE VIRTUAL TABLE noteTerms USING fts4aux(note);
            CREATE VIRTUAL TABLE itemNote USING fts4(content="item", name);
            CREATE VIRTUAL TABLE box USING rtree(id, x0, x1, y0, y1, +label);
            CREATE TABLE file(id INTEGER PRIMARY KEY, name TEXT, bytes BLOB);
            INSERT INTO file VALUES (1, 'a', zeroblob(8)), (2, 'b', zeroblob(8));
            ANALYZE;
            CREATE VIRTUAL TABLE pairText USING fts5(c, content = 'other_view', content_rowid = 'id');
            CREATE VIEW other_view AS SELECT strict.id AS id, pair.c AS c FROM strict JOIN pair ON b = n;
            CREATE TABLE key(id INTEGER PRIMARY KEY, itemID INTEGER);
            """)
    for index in 1...6 {
        try db.execute(
            sql: """
                INSERT INTO item(id, name, score) VALUES (?1, 'item ' || ?1, ?1 * 2);
                """, arguments: [index])
        try db.execute(
            literal: """
                INSERT INTO part(itemID, title) VALUES (\(index), 'part');
                INSERT INTO weak(itemID) VALUES (\(index));
                INSERT INTO pair VALUES ('a', \(index), \(index));
                INSERT INTO strict(n) VALUES (\(index));
                INSERT INTO doc VALUES (\("word\(index) moby"), 1);
                INSERT INTO note VALUES (\("word\(index) dick"), 't');
                INSERT INTO box VALUES (\(index), 0, \(index), 0, 1, 'l');
                """)
    }
    try db.execute(
        sql: "INSERT INTO key(itemID) VALUES (2); INSERT INTO itemNote(itemNote) VALUES ('rebuild')"
    )
}

private func rows(_ sql: String) -> @Sendable (Database) throws -> String {
    { db in
        try Row.fetchAll(db, sql: sql).map { "\(Array($0.databaseValues))" }.joined(separator: ";")
    }
}

private struct Thing: Codable, FetchableRecord, PersistableRecord, Equatable {
    static let databaseTableName = "item"
    static let parts = hasMany(Piece.self, using: ForeignKey(["itemID"]))
    var id: Int64
    var name: String?
    var score: Int?
}

private struct Piece: Codable, FetchableRecord, PersistableRecord, Equatable {
    static let databaseTableName = "part"
    static let thing = belongsTo(Thing.self, using: ForeignKey(["itemID"]))
    var id: Int64
    var itemID: Int64?
    var title: String?
}

private struct ThingInfo: Decodable, FetchableRecord {
    var thing: Thing
    var parts: [Piece]
}

/// The requests, but for those of internal tables such as `sqlite_sequence` and `sqlite_stat1`, whose changes
/// are not notified.
func makeObservedRequests() -> [ObservedRequest] {
    [
        ObservedRequest(name: "all rows", fetch: rows("SELECT * FROM item ORDER BY id")),
        ObservedRequest(name: "count", fetch: { try "\(Thing.fetchCount($0))" }),
        ObservedRequest(
            name: "records", fetch: { try "\(Thing.order(Column("id")).fetchAll($0))" }),
        ObservedRequest(name: "by key", fetch: { try "\(Thing.fetchOne($0, key: 2) as Any)" }),
        ObservedRequest(
            name: "by keys",
            fetch: { try "\(Thing.filter(keys: [1, 3]).order(Column("id")).fetchAll($0))" }),
        ObservedRequest(
            name: "by rowid in SQL",
            fetch: rows("SELECT name FROM item WHERE id IN (2, 4) ORDER BY id")),
        ObservedRequest(
            name: "by key in a subquery",
            fetch: rows("SELECT name FROM item WHERE id = (SELECT itemID FROM key WHERE id = 1)")),
        ObservedRequest(
            name: "filter",
            fetch: { try "\(Thing.filter(Column("score") > 4).order(Column("id")).fetchAll($0))" }),
        ObservedRequest(name: "column", fetch: rows("SELECT name FROM item ORDER BY name")),
        ObservedRequest(name: "one column", fetch: rows("SELECT SUM(score) FROM item")),
        ObservedRequest(name: "generated", fetch: rows("SELECT SUM(twice), SUM(stored) FROM item")),
        ObservedRequest(name: "rowid", fetch: rows("SELECT rowid FROM item ORDER BY 1")),
        ObservedRequest(
            name: "prefetch",
            fetch: {
                let infos = try Thing.including(all: Thing.parts.order(Column("id"))).order(
                    Column("id")
                )
                .asRequest(of: ThingInfo.self).fetchAll($0)
                return "\(infos)"
            }),
        ObservedRequest(
            name: "join",
            fetch: {
                try "\(Piece.joining(required: Piece.thing).order(Column("id")).fetchAll($0))"
            }),
        ObservedRequest(name: "nullified", fetch: rows("SELECT * FROM weak ORDER BY id")),
        ObservedRequest(name: "without rowid", fetch: rows("SELECT * FROM pair")),
        ObservedRequest(
            name: "one without rowid", fetch: rows("SELECT c FROM pair WHERE a = 'a' AND b = 3")),
        ObservedRequest(name: "strict", fetch: rows("SELECT * FROM strict ORDER BY id")),
        ObservedRequest(name: "trigger", fetch: rows("SELECT COUNT(*), MAX(rowid) FROM log")),
        ObservedRequest(name: "view", fetch: rows("SELECT * FROM good ORDER BY id")),
        ObservedRequest(name: "nested view", fetch: rows("SELECT * FROM nested")),
        ObservedRequest(name: "fts5", fetch: rows("SELECT rowid, text FROM doc ORDER BY rowid")),
        ObservedRequest(
            name: "fts5 match",
            fetch: rows("SELECT rowid FROM doc WHERE doc MATCH 'moby' ORDER BY rowid")),
        ObservedRequest(
            name: "fts5 highlight",
            fetch: rows(
                "SELECT highlight(doc, 0, '<', '>') FROM doc WHERE doc MATCH 'moby' ORDER BY rowid")
        ),
        ObservedRequest(name: "fts5 vocabulary", fetch: rows("SELECT * FROM docVocabulary")),
        ObservedRequest(
            name: "fts5 shadow", fetch: rows("SELECT id, c0 FROM doc_content ORDER BY id")),
        ObservedRequest(
            name: "external fts5", fetch: rows("SELECT rowid, name FROM itemText ORDER BY rowid")),
        ObservedRequest(
            name: "external fts5 match",
            fetch: rows("SELECT rowid FROM itemText WHERE itemText MATCH 'item' ORDER BY rowid")),
        ObservedRequest(name: "fts4", fetch: rows("SELECT rowid, text FROM note ORDER BY rowid")),
        ObservedRequest(
            name: "fts4 match",
            fetch: rows("SELECT rowid FROM note WHERE note MATCH 'dick' ORDER BY rowid")),
        ObservedRequest(
            name: "fts4 terms", fetch: rows("SELECT term, documents FROM noteTerms WHERE col = '*'")
        ),
        ObservedRequest(name: "fts4 shadow", fetch: rows("SELECT * FROM note_content ORDER BY 1")),
        ObservedRequest(
            name: "external fts4", fetch: rows("SELECT docid, name FROM itemNote ORDER BY docid")),
        ObservedRequest(
            name: "external fts5 of a view",
            fetch: rows("SELECT rowid, c FROM pairText ORDER BY rowid")),
        ObservedRequest(name: "bytes", fetch: rows("SELECT id, hex(bytes) FROM file ORDER BY id")),
        ObservedRequest(name: "columns", fetch: rows("SELECT name FROM pragma_table_info('key')")),
        ObservedRequest(
            name: "table exists",
            fetch: { try "\($0.tableExists("lasting1")) \($0.columns(in: "key").count)" }),
        ObservedRequest(name: "rtree", fetch: rows("SELECT id, x1, label FROM box ORDER BY id")),
        ObservedRequest(name: "rtree range", fetch: rows("SELECT COUNT(*) FROM box WHERE x1 > 3")),
        ObservedRequest(
            name: "schema", fetch: rows("SELECT name FROM sqlite_master ORDER BY name")),
        ObservedRequest(
            name: "schema columns",
            fetch: rows(
                "SELECT m.name, t.name FROM sqlite_schema m, pragma_table_info(m.name) t ORDER BY 1, 2"
            )),
        ObservedRequest(
            name: "json",
            fetch: rows("SELECT item.id, value FROM item, json_each(item.json) ORDER BY 1, 2")),
        ObservedRequest(
            name: "cte",
            fetch: rows(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3)
                SELECT i, (SELECT score FROM item WHERE id = i) FROM n
                """)),
        ObservedRequest(
            name: "compound",
            fetch: rows("SELECT name FROM item UNION SELECT title FROM part ORDER BY 1")),
        ObservedRequest(
            name: "window",
            fetch: rows("SELECT id, SUM(score) OVER (ORDER BY id) FROM item ORDER BY id")),
        ObservedRequest(
            name: "exists", fetch: rows("SELECT EXISTS (SELECT 1 FROM part WHERE title = 'x')")),
        ObservedRequest(
            name: "varying",
            fetch: { db in
                let count = try Thing.fetchCount(db)
                return try count % 2 == 0
                    ? rows("SELECT * FROM part ORDER BY id")(db) : rows("SELECT * FROM pair")(db)
            }),
        ObservedRequest(
            name: "blob",
            fetch: { db in
                guard
                    try Int.fetchOne(db, sql: "SELECT bytes IS NOT NULL FROM file WHERE id = 1")
                        == 1
                else { return "none" }
                let blob = try db.openBlob(table: "file", column: "bytes", rowID: 1)
                return "\(Array(try blob.read(count: blob.count, at: 0)))"
            }),
        ObservedRequest(
            name: "cursor",
            fetch: { db in
                var names = ""
                let cursor = try String.fetchCursor(
                    db, sql: "SELECT IFNULL(name, '') FROM item ORDER BY id")
                while let name = try cursor.next() { names += name + "," }
                return names
            }),
        ObservedRequest(
            name: "temporary", isOfWriter: true,
            fetch: rows("SELECT COUNT(*), SUM(a) FROM temp.scratch")),
        ObservedRequest(
            name: "temporary view", isOfWriter: true, fetch: rows("SELECT * FROM temp.scratchView")),
        ObservedRequest(
            name: "attached", isOfWriter: true,
            fetch: rows("SELECT COUNT(*), SUM(a) FROM other.remote")),
        ObservedRequest(
            name: "collection", isOfWriter: true, fetch: rows("SELECT * FROM live")),
    ]
}
