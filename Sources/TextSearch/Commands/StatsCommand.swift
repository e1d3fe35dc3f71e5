import Foundation
import GRDB

/// `stats`: prints what the index is made of.
struct StatsCommand {
    var databasePath: String

    init(databasePath: String) {
        self.databasePath = databasePath
    }

    init(_ arguments: [String]) throws {
        let arguments = try Arguments(arguments, options: ["--database"])
        try arguments.requireNoOperands()
        self.init(databasePath: try DatabaseLocation.path(arguments.value(of: "--database")))
    }

    /// - returns: the exit code.
    func run(console: Console) throws -> Int32 {
        let index = try IndexDatabase.forReading(path: databasePath)
        try index.queue.read { db in
            try printSummary(db, to: console)
            console.print("")
            try printTables(db, to: console)
            console.print("")
            try printSQLite(db, to: console)
        }
        try index.close()
        return ExitCode.success
    }

    private func printSummary(_ db: Database, to console: Console) throws {
        console.print("Index: \(TextFormat.printable(databasePath))")
        for (name, suffix) in [("File", ""), ("Write-ahead log", "-wal")] {
            if let status = try? FileStatus(path: databasePath + suffix, followsLinks: true) {
                console.print("\(name): \(TextFormat.size(status.size))")
            }
        }
        let row = try Row.fetchOne(db, sql: "SELECT count(*), total(size) FROM file")
        let count: Int = row?[0] ?? 0
        let size: Double = row?[1] ?? 0
        console.print("Texts: \(TextFormat.count(count, "file")), \(TextFormat.size(Int(size)))")
        let groups =
            try Int.fetchOne(db, sql: "SELECT count(DISTINCT family) FROM synonym") ?? 0
        console.print("Synonyms: \(TextFormat.count(groups, "group"))")
    }

    private func printTables(_ db: Database, to console: Console) throws {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT s.type, s.name, d.pgsize, d.unused
                FROM sqlite_schema AS s
                LEFT JOIN dbstat AS d ON d.name = s.name AND d.aggregate = TRUE
                WHERE s.type IN ('table', 'index')
                ORDER BY d.pgsize DESC, s.name
                """)
        let names = rows.map { row -> String in
            let type: String = row[0]
            let name: String = row[1]
            return type == "table" ? name : "\(name) (\(type))"
        }
        let width = names.map(\.count).max() ?? 0
        func line(_ name: String, _ values: [String]) -> String {
            name + String(repeating: " ", count: width - name.count)
                + values.map { TextFormat.padded($0, to: 14) }.joined()
        }
        console.print(line("Table", ["rows", "size", "unused"]))
        for (row, name) in zip(rows, names) {
            let type: String = row[0]
            let table: String = row[1]
            let size: Int? = row[2]
            let unused: Int? = row[3]
            let count = try type == "table" ? rowCount(db, table) : nil
            console.print(
                line(
                    name,
                    [
                        count.map { TextFormat.count($0) } ?? "",
                        // A virtual table has no pages of its own.
                        size.map(TextFormat.size) ?? "",
                        unused.map(TextFormat.size) ?? "",
                    ]))
        }
    }

    private func rowCount(_ db: Database, _ table: String) throws -> Int? {
        let name = table.replacingScalar("\"", with: "\"\"")
        return try Int.fetchOne(db, sql: "SELECT count(*) FROM \"\(name)\"")
    }

    private func printSQLite(_ db: Database, to console: Console) throws {
        let row = try Row.fetchOne(db, sql: "SELECT sqlite_version(), sqlite_source_id()")
        let version: String = row?[0] ?? ""
        let source: String = row?[1] ?? ""
        console.print("SQLite \(version)")
        console.print("Source: \(source)")
        console.print("Compile options:")
        for option in try String.fetchAll(db, sql: "PRAGMA compile_options") {
            console.print("  \(option)")
        }
    }
}
