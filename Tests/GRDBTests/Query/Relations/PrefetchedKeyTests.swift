import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Which row gets which prefetched rows.
@Suite(.databases) struct PrefetchedKeyTests {
    private func makeQueue(_ sql: String) throws -> DatabaseQueue {
        let dbQueue = try TestDatabases.makeQueue()
        dbQueue.writeWithoutTransaction { db in
            db.add(
                collation: DatabaseCollation("lengths") {
                    $0.count == $1.count ? .orderedSame : $0.compare($1)
                })
        }
        try dbQueue.write { try $0.execute(sql: sql) }
        return dbQueue
    }

    private func prefetchedIDs(
        _ request: QueryInterfaceRequest<Row>, forKey key: String, _ dbQueue: DatabaseQueue
    ) throws -> [[Int]] {
        try dbQueue.read { db in
            try request.fetchAll(db).map { row in
                row.prefetchedRows[key]?.map { $0["id"] } ?? [-1]
            }
        }
    }

    @Test(arguments: [
        ("INTEGER", "1, 2", "TEXT", "'1', 2"),
        ("TEXT", "'1', '2'", "INTEGER", "1, '2'"),
        ("", "1.0, 2", "INTEGER", "1, 2.0"),
        ("TEXT", "'a', 'b'", "TEXT COLLATE NOCASE", "'A', 'b'"),
        ("TEXT", "'a', 'b '", "TEXT COLLATE RTRIM", "'a  ', 'b'"),
    ])
    func keysAreComparedAsByTheDatabase(
        parentType: String, parents: String, childType: String, children: String
    ) throws {
        let (parentKeys, childKeys) = (
            parents.split(separator: ", "), children.split(separator: ", ")
        )
        let dbQueue = try makeQueue(
            """
            CREATE TABLE parent(k \(parentType));
            CREATE TABLE child(id INTEGER PRIMARY KEY, k \(childType));
            INSERT INTO parent VALUES (\(parentKeys[0])), (\(parentKeys[1])), (NULL);
            INSERT INTO child VALUES (1, \(childKeys[0])), (2, \(childKeys[1])), (3, NULL);
            """)
        let children = Table("parent").hasMany(
            Table("child"), using: ForeignKey(["k"], to: ["k"]))
        let ids = try prefetchedIDs(
            Table("parent").all().including(all: children), forKey: "children", dbQueue)
        expectEqual(ids, [[1], [2], []])
    }

    @Test func rowsThatBelongToNoKnownKeyAreNotLost() throws {
        let dbQueue = try makeQueue(
            """
            CREATE TABLE parent(k TEXT);
            CREATE TABLE child(id INTEGER PRIMARY KEY, k TEXT COLLATE lengths);
            INSERT INTO parent VALUES ('a');
            INSERT INTO child VALUES (1, 'b');
            """)
        let children = Table("parent").hasMany(
            Table("child"), using: ForeignKey(["k"], to: ["k"]))
        let error = expectError(DatabaseError.self) {
            try prefetchedIDs(
                Table("parent").all().including(all: children), forKey: "children", dbQueue)
        }
        expectEqual(error?.resultCode, .SQLITE_MISMATCH)
    }

    @Test func groupsBelongToOneRow() throws {
        let dbQueue = try makeQueue(
            """
            CREATE TABLE country(code TEXT PRIMARY KEY);
            CREATE TABLE citizen(id INTEGER PRIMARY KEY);
            CREATE TABLE pet(id INTEGER PRIMARY KEY, citizenId REFERENCES citizen);
            CREATE TABLE passport(
                countryCode REFERENCES country, citizenId REFERENCES citizen,
                PRIMARY KEY (countryCode, citizenId));
            INSERT INTO country VALUES ('FR'), ('US');
            INSERT INTO citizen VALUES (1), (2);
            INSERT INTO pet VALUES (1, 1), (2, 1);
            INSERT INTO passport VALUES ('FR', 1), ('US', 1), ('US', 2);
            """)
        let passports = Table("country").hasMany(Table("passport"))
        let citizens = Table("country").hasMany(
            Row.self, through: passports, using: Table("passport").belongsTo(Table("citizen")))
        let pets = Table("citizen").hasMany(Table("pet"))
        let request = Table("country").all()
            .including(all: citizens.annotated(with: pets.count).order(Column("id")))
        try expectEqual(prefetchedIDs(request, forKey: "citizens", dbQueue), [[1], [1, 2]])
        let counts = try dbQueue.read { db in
            try request.fetchAll(db).map { row in
                row.prefetchedRows["citizens"]!.map { $0["petCount"] as Int }
            }
        }
        expectEqual(counts, [[2], [2, 0]])
    }

    @Test func tablesOnTheWayAreJoinedOnce() throws {
        let dbQueue = try makeQueue(
            """
            CREATE TABLE author(id INTEGER PRIMARY KEY);
            CREATE TABLE book(id INTEGER PRIMARY KEY, authorId REFERENCES author);
            CREATE TABLE chapter(id INTEGER PRIMARY KEY, bookId REFERENCES book);
            CREATE TABLE note(id INTEGER PRIMARY KEY, chapterId REFERENCES chapter);
            INSERT INTO author VALUES (1);
            INSERT INTO book VALUES (1, 1);
            INSERT INTO chapter VALUES (1, 1), (2, 1), (3, 1);
            INSERT INTO note VALUES (1, 1);
            """)
        let books = Table("author").hasMany(Table("book"))
        let chapters = Table("book").hasMany(Table("chapter"))
        let notes = Table("chapter").hasMany(Table("note"))
        let request = Table("author").all()
            .joining(required: books.joining(required: chapters.including(all: notes)))
        try expectEqual(prefetchedIDs(request, forKey: "notes", dbQueue), [[1], [1], [1]])
    }

    @Test func regionsHoldWhatMayBePrefetched() throws {
        let dbQueue = try makeQueue(
            """
            CREATE TABLE user(id INTEGER PRIMARY KEY);
            CREATE TABLE profile(userId INTEGER PRIMARY KEY REFERENCES user, bio);
            """)
        let request = Table("user").including(all: Table("user").hasMany(Table("profile")))
        try dbQueue.read { db in
            let region = try request.databaseRegion(db)
            expectEqual(region.description, "profile(bio,userId),user(*)")
        }
    }

    /// A column of a joined table is no key of the row, whatever its name.
    @Test func annotationsAreNoKeys() throws {
        let dbQueue = try makeQueue(
            """
            CREATE TABLE author(id INTEGER PRIMARY KEY);
            CREATE TABLE book(id INTEGER PRIMARY KEY, authorId REFERENCES author);
            CREATE TABLE award(id INTEGER PRIMARY KEY, bookId REFERENCES book);
            INSERT INTO author VALUES (1);
            INSERT INTO book VALUES (1, 1), (2, 1);
            INSERT INTO award VALUES (1, 1), (2, 2);
            """)
        let author = Table("book").belongsTo(Table("author"))
        let awards = Table("book").hasMany(Table("award"))
        let request = Table("book").all()
            .annotated(withRequired: author.select(Column("id")))
            .including(all: awards)
        try expectEqual(prefetchedIDs(request, forKey: "awards", dbQueue), [[1], [2]])
        let incomplete = request.select(Column("authorId"))
            .annotated(withRequired: author.select(Column("id")))
        expectError(
            """
            SQLite error 21: Can't prefetch the association "awards": the request does not select id
            """
        ) { try prefetchedIDs(incomplete, forKey: "awards", dbQueue) }
    }
}
