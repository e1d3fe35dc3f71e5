import GRDB
import GRDBTestSupport
import Testing

/// Suites that ask about the rows of a library.
protocol LibraryQueries {
    var dbQueue: DatabaseQueue { get }
}

extension LibraryQueries {
    typealias Nation = LibraryTables.Nation
    typealias Author = LibraryTables.Author
    typealias Portrait = LibraryTables.Portrait
    typealias Book = LibraryTables.Book
    typealias Prize = LibraryTables.Prize
    typealias Genre = LibraryTables.Genre
    typealias BookGenre = LibraryTables.BookGenre
    typealias Club = LibraryTables.Club
    typealias Debate = LibraryTables.Debate
    typealias Topic = LibraryTables.Topic
    typealias Shelf = LibraryTables.Shelf
    typealias Copy = LibraryTables.Copy
    typealias Note = LibraryTables.Note

    /// Expects the SQL that fetches the rows of a request, arguments included, and these rows.
    ///
    /// - parameter sql: one statement a line.
    /// - parameter rows: with a bar between them. A row of a table of the library is written as its
    ///   name, other rows with all their columns. What belongs to a row stands in braces:
    ///   `Ants {author: Ann, prizes: [gold, iron]}`.
    func expect(
        _ request: some FetchRequest, _ sql: String, _ rows: String? = nil,
        file: String = #filePath, line: Int = #line
    ) throws {
        try dbQueue.read { db in
            var found: [Row] = []
            let statements = try db.statements(of: { found = try Row.fetchAll(db, request) })
            expectEqual(
                statements, sql.split(separator: "\n").map(String.init), file: file, line: line)
            guard let rows else { return }
            expectEqual(describe(found), rows, file: file, line: line)
        }
    }

    /// Expects the error of a request.
    func expectFailure(
        _ request: some FetchRequest, _ description: String,
        file: String = #filePath, line: Int = #line
    ) throws {
        try dbQueue.read { db in
            expectError(description, file: file, line: line) {
                try Row.fetchAll(db, request)
            }
        }
    }

    func describe(_ rows: [Row]) -> String {
        rows.map(describe).joined(separator: " | ")
    }

    func describe(_ row: Row) -> String {
        var parts = row.scopes.map { "\($0.0): \(describe($0.1))" }.sorted()
        // The prefetched rows of scopes have keys here, too. The description tells them apart.
        let ownLines = row.debugDescription.split(separator: "\n").filter { $0.hasPrefix("  + ") }
        for key in ownLines.map({ String($0.dropFirst(4).prefix { $0 != ":" }) }).sorted() {
            let rows = row.prefetchedRows[key]!.map(describe).joined(separator: ", ")
            parts.append("\(key): [\(rows)]")
        }
        let columns = describeColumns(row)
        return parts.isEmpty ? columns : "\(columns) {\(parts.joined(separator: ", "))}"
    }

    private func describeColumns(_ row: Row) -> String {
        let columns = row.filter { !$0.0.hasPrefix("grdb_") }
        if !columns.isEmpty, columns.allSatisfy(\.1.isNull) { return "NULL" }
        let values = columns.map(\.1)
        switch columns.map(\.0) {
        case ["id", "name"], ["id", "name", "nationCode"], ["authorId", "caption"]:
            return "\(values[1].storage.value ?? "NULL")"
        case ["id", "authorId", "title", "year"], ["id", "bookId", "name", "amount"],
            ["id", "parentId", "name"]:
            return "\(values[2].storage.value ?? "NULL")"
        case ["code", "name"]:
            return "\(values[0].storage.value ?? "NULL")"
        case ["room", "number"], ["bookId", "genreId"]:
            return values.map { "\($0.storage.value ?? "NULL")" }.joined()
        case ["id", "room", "number"]:
            return "copy\(values[0])"
        case ["id", "hostId", "guestId"]:
            return "debate\(values[0])"
        default:
            return "(" + columns.map { "\($0.0): \($0.1)" }.joined(separator: ", ") + ")"
        }
    }
}
