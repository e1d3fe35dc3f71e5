import Foundation
import GRDB

/// `stats`: prints what the index is made of.
struct StatsCommand {
    var databasePath: String

    init(databasePath: String) {
        self.databasePath = databasePath
    }

    init(_ arguments: Arguments) throws {
        self.init(databasePath: try DatabaseLocation.path(arguments.value(of: "--database")))
    }

    /// - returns: the exit code.
    func run(console: Console) throws -> Int32 {
        let index = try IndexDatabase.forReading(path: databasePath)
        let statistics = try index.queue.read { db in
            try IndexStatistics(db, path: databasePath)
        }
        try index.close()
        if console.isJSON {
            try console.printJSON(statistics)
        } else {
            print(statistics, to: console)
        }
        return ExitCode.success
    }

    private func print(_ statistics: IndexStatistics, to console: Console) {
        console.print("Index: \(TextFormat.printable(statistics.path))")
        if let size = statistics.fileSize { console.print("File: \(TextFormat.size(size))") }
        if let size = statistics.logSize {
            console.print("Write-ahead log: \(TextFormat.size(size))")
        }
        console.print(
            """
            Texts: \(TextFormat.count(statistics.textCount, "file")), \
            \(TextFormat.size(statistics.textSize))
            """)
        console.print("Synonyms: \(TextFormat.count(statistics.synonymGroupCount, "group"))")
        console.print("")
        printTables(statistics.tables, to: console)
        console.print("")
        console.print("SQLite \(statistics.sqliteVersion)")
        console.print("Source: \(statistics.sqliteSource)")
        console.print("Compile options:")
        for option in statistics.compileOptions { console.print("  \(option)") }
    }

    private func printTables(_ tables: [IndexStatistics.Table], to console: Console) {
        let names = tables.map { $0.type == "table" ? $0.name : "\($0.name) (\($0.type))" }
        let width = names.map(\.count).max() ?? 0
        func line(_ name: String, _ values: [String]) -> String {
            name + String(repeating: " ", count: max(0, width - name.count))
                + values.map { TextFormat.padded($0, to: 14) }.joined()
        }
        console.print(console.faint(line("Table", ["rows", "size", "unused"])))
        for (table, name) in zip(tables, names) {
            console.print(
                line(
                    name,
                    [
                        table.rows.map { TextFormat.count($0) } ?? "",
                        // A virtual table has no pages of its own.
                        table.size.map(TextFormat.size) ?? "",
                        table.unused.map(TextFormat.size) ?? "",
                    ]))
        }
    }
}

/// What an index is made of. Sizes are in bytes.
struct IndexStatistics: Encodable {
    struct Table: Encodable {
        var name: String
        /// `table` or `index`.
        var type: String
        var rows: Int?
        var size: Int?
        var unused: Int?
    }

    var path: String
    var fileSize: Int?
    var logSize: Int?
    var textCount: Int
    var textSize: Int
    var synonymGroupCount: Int
    var tables: [Table]
    var sqliteVersion: String
    var sqliteSource: String
    var compileOptions: [String]

    init(_ db: Database, path: String) throws {
        self.path = path
        fileSize = (try? FileStatus(path: path, followsLinks: true))?.size
        logSize = (try? FileStatus(path: path + "-wal", followsLinks: true))?.size
        let texts = try Row.fetchOne(db, sql: "SELECT count(*), total(size) FROM file")
        textCount = texts?[0] ?? 0
        textSize = Int((texts?[1] ?? 0) as Double)
        synonymGroupCount =
            try Int.fetchOne(db, sql: "SELECT count(DISTINCT family) FROM synonym") ?? 0
        tables = try IndexStatistics.tables(db)
        let sqlite = try Row.fetchOne(db, sql: "SELECT sqlite_version(), sqlite_source_id()")
        sqliteVersion = sqlite?[0] ?? ""
        sqliteSource = sqlite?[1] ?? ""
        compileOptions = try String.fetchAll(db, sql: "PRAGMA compile_options")
    }

    private static func tables(_ db: Database) throws -> [Table] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT s.type, s.name, d.pgsize, d.unused
                FROM sqlite_schema AS s
                LEFT JOIN dbstat AS d ON d.name = s.name AND d.aggregate = TRUE
                WHERE s.type IN ('table', 'index')
                ORDER BY d.pgsize DESC, s.name
                """)
        return try rows.map { row in
            let type: String = row[0]
            let name: String = row[1]
            return Table(
                name: name, type: type, rows: type == "table" ? try rowCount(db, name) : nil,
                size: row[2], unused: row[3])
        }
    }

    private static func rowCount(_ db: Database, _ table: String) throws -> Int? {
        let name = table.replacingScalar("\"", with: "\"\"")
        return try Int.fetchOne(db, sql: "SELECT count(*) FROM \"\(name)\"")
    }
}
