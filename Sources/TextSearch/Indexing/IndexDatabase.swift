import Foundation
import GRDB

/// The index: one SQLite file.
///
/// Table `file` has a row for each file. The full-text table `search` has the words of these rows;
/// it reads the text itself from `file`, whose triggers keep it in step.
final class IndexDatabase {
    let queue: DatabaseQueue

    /// "TxtS", in the header of the file, identifies an index of this program.
    private static let applicationID = 0x5478_7453

    /// Increases with the schema.
    private static let schemaVersion = 3

    private init(path: String, readonly: Bool, busyTimeout: TimeInterval) throws {
        var configuration = Configuration()
        configuration.label = "TextSearch"
        configuration.readonly = readonly
        configuration.busyMode = .timeout(busyTimeout)
        configuration.prepareDatabase { db in
            // Adding a tokenizer can't throw, but reads the file: it may be no database, or locked.
            try db.execute(sql: "PRAGMA schema_version")
            db.add(tokenizer: IdentifierTokenizer.self)
            try db.add(auxiliaryFunction: Ranking.firstPlace)
        }
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    // MARK: - Opening

    /// Opens the index for writing. Creates it, and its folder, if needed.
    ///
    /// - parameter busyTimeout: how long to wait for another process that writes, in seconds.
    /// - throws: a `CommandError`, or a `DatabaseError`.
    static func forIndexing(path: String, busyTimeout: TimeInterval = 5) throws -> IndexDatabase {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true)
        } catch {
            let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
            throw CommandError(
                message: """
                    the folder \(TextFormat.printable(folder.path)) can't be created: \
                    \((underlying ?? error).localizedDescription)
                    """)
        }
        let index = try IndexDatabase(path: path, readonly: false, busyTimeout: busyTimeout)
        // Before anything is written: the file may belong to another program.
        let isNew = try index.queue.read { try check($0, path: path) }
        // Searching and watching go on while a transaction is open.
        try index.queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = WAL") }
        if isNew {
            try index.queue.write { db in
                // Another process may have been faster.
                if try check(db, path: path) { try createSchema(db) }
            }
        }
        try index.loadSynonyms()
        return index
    }

    /// Opens an index that exists, for writing.
    ///
    /// - throws: a `CommandError`, or a `DatabaseError`.
    static func forChanging(path: String) throws -> IndexDatabase {
        // Fails if there is no index, and leaves other files as they are.
        try forReading(path: path).close()
        return try forIndexing(path: path)
    }

    /// Opens an index that exists, for reading.
    ///
    /// - throws: a `CommandError`, or a `DatabaseError`.
    static func forReading(path: String, busyTimeout: TimeInterval = 5) throws -> IndexDatabase {
        guard FileManager.default.fileExists(atPath: path) else { throw missing(path) }
        let index = try IndexDatabase(path: path, readonly: true, busyTimeout: busyTimeout)
        if try index.queue.read({ try check($0, path: path) }) { throw missing(path) }
        try index.loadSynonyms()
        return index
    }

    private static func missing(_ path: String) -> CommandError {
        CommandError(
            message: """
                there is no index at \(TextFormat.printable(path)): first run \
                `TextSearch index FOLDER`
                """)
    }

    /// Returns whether the database is empty.
    ///
    /// - throws: a `CommandError` if it is no index.
    private static func check(_ db: Database, path: String) throws -> Bool {
        let id = try Int.fetchOne(db, sql: "PRAGMA application_id")
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version")
        if id == applicationID {
            if version == schemaVersion { return false }
            throw CommandError(
                message: """
                    \(TextFormat.printable(path)) was made by another version of TextSearch: \
                    delete it, and index again
                    """)
        }
        let isEmpty = try Int.fetchOne(db, sql: "SELECT count(*) FROM sqlite_schema") == 0
        guard id == 0, version == 0, isEmpty else {
            throw CommandError(
                message: """
                    \(TextFormat.printable(path)) is a database of another program, and is left \
                    as it is
                    """)
        }
        return true
    }

    private static func createSchema(_ db: Database) throws {
        try db.execute(
            sql: """
                PRAGMA application_id = \(applicationID);
                PRAGMA user_version = \(schemaVersion);

                CREATE TABLE file (
                    id INTEGER PRIMARY KEY,
                    path TEXT NOT NULL,         -- absolute; each once
                    title TEXT NOT NULL,        -- the name of the file
                    size INTEGER NOT NULL,      -- bytes
                    modified INTEGER NOT NULL,  -- nanoseconds since 1970
                    body TEXT NOT NULL          -- last, so that the others are read without it
                );

                -- All that an unchanged file is compared with: texts are not read for it. That no
                -- path is there twice is up to those who insert.
                CREATE INDEX file_status ON file (path, size, modified);

                CREATE TABLE synonym (
                    family INTEGER NOT NULL,
                    word TEXT NOT NULL,         -- folded
                    PRIMARY KEY (family, word)
                ) WITHOUT ROWID;
                """)
        try db.create(virtualTable: searchTable, using: FTS5()) { t in
            t.synchronize(withTable: fileTable)
            t.tokenizer = IdentifierTokenizer.tokenizerDescriptor()
            t.column("title")
            t.column("body")
        }
    }

    func close() throws {
        try queue.close()
    }

    // MARK: - Synonyms

    /// Reads the synonyms of the index, for the queries of this connection.
    func loadSynonyms() throws {
        try queue.read { db in
            var groups: [[String]] = []
            var lastFamily: Int?
            let rows = try Row.fetchCursor(
                db, sql: "SELECT family, word FROM synonym ORDER BY family, word")
            while let row = try rows.next() {
                let family: Int = row[0]
                if family != lastFamily { groups.append([]) }
                lastFamily = family
                groups[groups.count - 1].append(row[1])
            }
            SynonymTable.of(db).list = SynonymList(groups: groups)
        }
    }

    /// Replaces the synonyms of the index.
    func replaceSynonyms(_ list: SynonymList) throws {
        try queue.write { db in
            try db.execute(sql: "DELETE FROM synonym")
            for (family, group) in list.groups.enumerated() {
                for word in group {
                    try db.execute(
                        sql: "INSERT INTO synonym (family, word) VALUES (?, ?)",
                        arguments: [family, word])
                }
            }
        }
        try loadSynonyms()
    }

    /// Returns the tokens of a word, names left whole: what a synonym is compared with.
    func folded(_ word: String) throws -> [String] {
        try queue.read { db in
            let tokenizer = try IdentifierTokenizer(db: db, arguments: [])
            return try tokenizer.wrappedTokenizer.tokenize(document: word).map(\.token)
        }
    }
}
