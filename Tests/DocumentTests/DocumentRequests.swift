import GRDB
import GRDBTestSupport
import Testing

/// Expects that a request runs some SQL, and fetches some rows.
///
/// ```swift
/// try expectRequest(
///     db, Player.select { [$0.name, $0.score] }, #"SELECT "name", "score" FROM "player""#,
///     ["Arthur|100", "Barbara|NULL"])
/// ```
///
/// - parameter sql: all that runs, but what full-text tables do on their own.
/// - parameter rows: the values of each row, separated by bars.
func expectRequest(
    _ db: Database, _ request: some FetchRequest, _ sql: String, _ rows: [String],
    file: String = #filePath, line: Int = #line
) throws {
    var fetched: [String] = []
    let actual = try TestDatabases.sql {
        fetched = try Row.fetchAll(db, request).map(text)
    }
    // SQLite begins these with comments.
    expectSQL(
        actual.filter { !$0.hasPrefix("--") }.joined(separator: "\n"), equals: sql,
        file: file, line: line)
    expectEqual(fetched, rows, file: file, line: line)
}

/// The values of a row, separated by bars.
private func text(_ row: Row) -> String {
    row.databaseValues.map { dbValue in
        switch dbValue.storage {
        case .null: "NULL"
        case .int64(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): value
        case .blob(let value): "\(value.count) bytes"
        }
    }.joined(separator: "|")
}
