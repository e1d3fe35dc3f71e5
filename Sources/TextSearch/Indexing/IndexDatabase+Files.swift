import Foundation
import GRDB

/// A file that the index has, without its text.
struct IndexedFile: Equatable {
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

    /// The name of the file. Found in the bytes: to Swift, a slash with an accent is no slash.
    var title: String {
        path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path
    }
}

extension IndexDatabase {
    /// The table that has a row for each file.
    static let fileTable = "file"

    /// The full-text table that has the words of the files.
    static let searchTable = "search"

    /// The files in a folder and in the folders inside.
    func files(in folder: String) throws -> [IndexedFile] {
        try queue.read { db in
            let range = IndexDatabase.pathRange(of: folder)
            return try IndexDatabase.fetchFiles(
                db, where: "WHERE path > ? AND path < ?",
                arguments: [range.lowerBound, range.upperBound])
        }
    }

    /// The paths in a folder are between these two: they start with the folder and a slash. Zero is the
    /// character after the slash.
    static func pathRange(of folder: String) -> (lowerBound: String, upperBound: String) {
        let prefix = folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        return (prefix + "/", prefix + "0")
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
            db, sql: "SELECT path, size, modified FROM file \(condition) ORDER BY path",
            arguments: arguments)
        var files: [IndexedFile] = []
        while let row = try rows.next() {
            files.append(
                IndexedFile(path: row[0], size: row[1], modified: row[2]))
        }
        return files
    }

    // MARK: - Changes

    /// Inserts a file, or replaces it. Does nothing if another process has just done the same.
    ///
    /// To be called in a transaction.
    static func save(_ file: NewFile, in db: Database) throws {
        let known = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT id, size, modified FROM file WHERE path = ?"),
            arguments: [file.path])
        guard let known else {
            try db.execute(
                sql: """
                    INSERT INTO file (path, title, size, modified, body) VALUES (?, ?, ?, ?, ?)
                    """,
                arguments: [file.path, file.title, file.size, file.modified, file.body])
            return
        }
        let id: Int64 = known[0]
        if known[1] == file.size, known[2] == file.modified { return }
        try db.execute(
            sql: "UPDATE file SET size = ?, modified = ?, body = ? WHERE id = ?",
            arguments: [file.size, file.modified, file.body, id])
    }

    /// Deletes the files in a folder and in the folders inside, or the file of that path.
    ///
    /// To be called in a transaction.
    ///
    /// - returns: how many files the index had.
    static func delete(folder: String, in db: Database) throws -> Int {
        let range = pathRange(of: folder)
        try db.execute(
            sql: "DELETE FROM file WHERE path = ? OR (path > ? AND path < ?)",
            arguments: [folder, range.lowerBound, range.upperBound])
        return db.changesCount
    }

    /// Deletes a file. Does nothing if another process has just done the same.
    ///
    /// To be called in a transaction.
    static func delete(path: String, in db: Database) throws {
        try db.execute(sql: "DELETE FROM file WHERE path = ?", arguments: [path])
    }
}
