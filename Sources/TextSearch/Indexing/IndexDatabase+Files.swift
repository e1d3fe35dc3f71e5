import Foundation
import GRDB

/// A file that the index has, without its text.
struct IndexedFile: Equatable {
    var id: Int64
    var path: String
    var size: Int
    var modified: Int64
}

/// A file to put into the index.
struct NewFile {
    var path: String
    var size: Int
    var modified: Int64
    var body: String

    var title: String { path.split(separator: "/").last.map(String.init) ?? path }
}

extension IndexDatabase {
    /// The table that has a row for each file.
    static let fileTable = "file"

    /// The columns of the table that a change report reads.
    enum FileColumn {
        static let path = 1
        static let size = 3
    }

    /// The files in a folder and in the folders inside.
    func files(in folder: String) throws -> [IndexedFile] {
        try queue.read { db in
            // All that starts with the folder and a slash. Zero comes after the slash.
            let prefix = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
            return try IndexDatabase.fetchFiles(
                db, where: "WHERE path > ? AND path < ?",
                arguments: [prefix + "/", prefix + "0"])
        }
    }

    /// All files.
    func files() throws -> [IndexedFile] {
        try queue.read { try IndexDatabase.fetchFiles($0) }
    }

    private static func fetchFiles(
        _ db: Database, where condition: String = "",
        arguments: StatementArguments = StatementArguments()
    ) throws -> [IndexedFile] {
        let rows = try Row.fetchCursor(
            db, sql: "SELECT id, path, size, modified FROM file \(condition) ORDER BY path",
            arguments: arguments)
        var files: [IndexedFile] = []
        while let row = try rows.next() {
            files.append(
                IndexedFile(id: row[0], path: row[1], size: row[2], modified: row[3]))
        }
        return files
    }

    /// Inserts a file, or replaces it. Does nothing if another process has just done the same.
    static func save(_ file: NewFile, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO file (path, title, size, modified, body) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (path) DO UPDATE
                SET size = excluded.size, modified = excluded.modified, body = excluded.body
                WHERE size <> excluded.size OR modified <> excluded.modified
                """,
            arguments: [file.path, file.title, file.size, file.modified, file.body])
    }

    static func delete(_ file: IndexedFile, in db: Database) throws {
        try db.execute(sql: "DELETE FROM file WHERE id = ?", arguments: [file.id])
    }
}
