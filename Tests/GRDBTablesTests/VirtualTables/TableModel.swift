@testable import GRDBTables
import Foundation
import GRDB

/// A table in Swift with random rows, and an ordinary table with the same rows: random queries of both have
/// the same results. `scripts/run-trust tables` runs many more than `TableModelTests`.
struct TableModel {
    enum Kind: CaseIterable {
        case collection, csv, function, series, reader
    }

    /// A table in the FROM clause of a query.
    private struct Source {
        var fast: String
        var slow: String
        var columns: [String]
        var hasRowID = true
    }

    private static let types = [
        "", "INTEGER", "REAL", "TEXT", "NUMERIC", "BLOB", "BOOLEAN", "VARCHAR(9)", "DOUBLE", "DATE",
    ]

    /// Values that SQLite converts, rounds or compares in ways of its own. No two are equal numbers of different
    /// types: SQLite may take any of them for a group.
    private static let values: [DatabaseValue] =
        [0, 1, 2, 3, -1, 7, 9_007_199_254_740_993, Int64.max].map(\.databaseValue)
        + [0.5, 2.5, -7.0, 0.1 + 0.2, 1e300, 9_007_199_254_740_992].map(\.databaseValue)
        + texts.map(\.databaseValue) + [
            .null, .null, Data([49]).databaseValue, Data().databaseValue,
        ]
    private static let texts = [
        "", "a", "A", "b", "a ", "ā", "\u{FF5E}", "😀", "1", "01", "1.0", "+3", " 7", "7 ", ".5",
        "0.5", "1e1", "10", "-1",
        "0x10",
        "1_0", "é", "e\u{301}", "z,\"y\"\n", "9007199254740993", "9223372036854775808", "nan",
        "inf", "2,5",
        "0.30000000000000004", "0.3", "1.", "-", "+", "1e400", "123456789012345678901234567890",
    ]

    let kind: Kind
    private var random: AnyRandom
    private let queue: DatabaseQueue
    private var sources: [Source] = []
    private var names = 0

    /// - parameter folder: a folder for CSV files.
    init(
        random: any RandomNumberGenerator, configuration: Configuration = Configuration(),
        folder: String
    ) throws {
        var random = AnyRandom(base: random)
        kind = Kind.allCases.randomElement(using: &random)!
        self.random = random
        var configuration = configuration
        configuration.add(module: .csv)
        configuration.add(module: .series)
        configuration.add(module: DatabaseModule("reader", ReaderTable.self))
        if Int.random(in: 0..<8, using: &self.random) == 0 {
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA encoding = 'UTF-16'") }
        }
        queue = try DatabaseQueue(configuration: configuration)
        try addOrdinaryTable()
        switch kind {
        case .collection: try addCollection()
        case .csv: try addFile(folder)
        case .function: try addFunction()
        case .series: try addSeries()
        case .reader: try addReader()
        }
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values.randomElement(using: &random)!
    }

    private mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    private mutating func rows(_ columnCount: Int, _ values: [DatabaseValue] = values)
        -> [[DatabaseValue]]
    {
        // Few values, so that some are equal.
        let some = (0..<pick([2, 5, 12])).map { _ in pick(values) }
        return (0..<pick([0, 1, 5, 20, 40])).map { _ in (0..<columnCount).map { _ in pick(some) } }
    }

    // MARK: - Tables

    private func create(
        _ table: String, _ columns: [(name: String, type: String)], _ rows: [[DatabaseValue]]
    )
        throws
    {
        try queue.write { db throws in
            let declared = columns.map { "\"\($0.name)\" \($0.type)" }.joined(separator: ", ")
            try db.execute(sql: "CREATE TABLE \(table)(\(declared))")
            let marks = columns.map { _ in "?" }.joined(separator: ", ")
            for row in rows {
                try db.execute(
                    sql: "INSERT INTO \(table) VALUES (\(marks))",
                    arguments: StatementArguments(row))
            }
        }
    }

    private mutating func someColumns() -> [(name: String, type: String)] {
        (0..<pick([1, 2, 3, 4])).map { ("c\($0)", pick(Self.types)) }
    }

    private mutating func addOrdinaryTable() throws {
        try create("o", [("x", pick(Self.types)), ("y", pick(Self.types))], rows(2))
        if chance(50) { try queue.write { try $0.execute(sql: "CREATE INDEX ox ON o(x)") } }
        sources.append(Source(fast: "o", slow: "o", columns: ["x", "y"]))
    }

    private struct Element: Sendable {
        var id: Int
        var number: Double
        var text: String?
        var flag: Bool
        var small: Float
        var row: [DatabaseValue]
    }

    private mutating func addCollection() throws {
        let rows = rows(4)
        var elements: [Element] = []
        for (index, row) in rows.enumerated() {
            elements.append(
                Element(
                    id: index * 3,
                    number: pick([0, 1, 1.5, -2, .nan, .infinity, 1e300, 0.1 + 0.2]),
                    text: pick([nil] + Self.texts), flag: chance(50),
                    small: pick([0, .nan, 0.1, 7]), row: row))
        }
        let declared = ["id", "number", "text", "flag", "small"].map {
            ($0, chance(70) ? nil : pick(Self.types))
        }
        let computed = someColumns()
        let indexed = (0..<9).map { _ in chance(60) }
        let key = pick([-1, -1, 0, 5])
        let hidden = pick([-1, 2, 5])
        let define: (CollectionTableDefinition<Element>) -> Void = { t in
            func type(_ index: Int) -> Database.ColumnType? {
                declared[index].1.map { .init(rawValue: $0) }
            }
            var columns = [
                t.column("id", \.id, type(0)), t.column("number", \.number, type(1)),
                t.column("text", \.text, type(2)), t.column("flag", \.flag, type(3)),
                t.column("small", \.small, type(4)),
            ]
            for (index, column) in computed.enumerated() {
                let type = column.type.isEmpty ? nil : Database.ColumnType(rawValue: column.type)
                columns.append(t.column(column.name, type) { $0.row[index] })
            }
            for (index, column) in columns.enumerated() {
                if indexed[index] { column.indexed() }
                if index == key { column.primaryKey() }
                if index == hidden { column.hidden() }
            }
        }
        switch pick([0, 1, 2]) {
        case 0: queue.unsafeReentrantWrite { $0.add(table: "fast", of: elements, define) }
        case 1:
            queue.unsafeReentrantWrite { $0.add(table: "fast", of: TableContent(elements), define) }
        default:
            queue.unsafeReentrantWrite { [elements] in
                $0.add(module: .table("fast", rows: { _ in elements }, define))
            }
        }
        let usual = ["INTEGER", "REAL", "TEXT", "INTEGER", "REAL"]
        let columns = zip(declared, usual).map { (name: $0.0, type: $0.1 ?? $1) } + computed
        try create(
            "slow", columns,
            elements.map { element in
                [
                    element.id.databaseValue, element.number.databaseValue,
                    element.text.databaseValue,
                    element.flag.databaseValue, element.small.databaseValue,
                ] + element.row.prefix(computed.count)
            })
        sources.append(Source(fast: "fast", slow: "slow", columns: columns.map(\.name)))
    }

    private mutating func addFile(_ folder: String) throws {
        let columns = someColumns()
        // Without columns of texts and numbers, types are guessed from all rows.
        let pools = (0..<columns.count).map { _ in
            pick([
                Self.texts, ["1", "2", "3", "-7", "9007199254740993"],
                ["0.5", "1", "2.25", ".5", "1e3"],
                ["1", "+3", " 7", "9007199254740993", "0.5"],
            ])
        }
        var text = columns.map(\.name).joined(separator: ",") + "\n"
        var rows: [[DatabaseValue]] = []
        for _ in 0..<pick([0, 1, 5, 20, 40]) {
            var row: [DatabaseValue] = []
            var fields: [String] = []
            for index in columns.indices {
                if columns.count > 1, chance(10) {
                    row.append(.null)
                    fields.append("")
                    continue
                }
                let value = pick(pools[index])
                row.append(value.databaseValue)
                let quotes =
                    value.isEmpty || value.contains(where: { ",\"\n".contains($0) }) || chance(10)
                fields.append(
                    quotes ? "\"\(value.replacingOccurrences(of: "\"", with: "\"\""))\"" : value)
            }
            rows.append(row)
            text += fields.joined(separator: ",") + "\n"
        }
        let path = "\(folder)/\(UUID().uuidString).csv"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let isGuessed = chance(50)
        try queue.write { db throws in
            try db.create(virtualTable: "fast", using: CSVFile(path)) { t in
                if isGuessed { return }
                for column in columns {
                    t.column(column.name, Database.ColumnType(rawValue: column.type))
                }
            }
        }
        let declared = try queue.read {
            try $0.columns(in: "fast").map { (name: $0.name, type: $0.type) }
        }
        try create("slow", declared, rows)
        sources.append(Source(fast: "fast", slow: "slow", columns: columns.map(\.name)))
    }

    /// A function of a number, whose rows are those of an ordinary table that have the number.
    private mutating func addFunction() throws {
        let columns = someColumns()
        let indexed = columns.map { _ in chance(60) }
        let hidden = pick([-1, 0, 1])
        let rows = rows(columns.count)
        queue.unsafeReentrantWrite { db in
            db.add(
                module: .tableFunction(
                    "fast", parameters: ["part"],
                    rows: { (_, arguments) -> [[DatabaseValue]] in
                        guard let part = Int.fromDatabaseValue(arguments[0]) else { return [] }
                        return rows.indices.filter { $0 % 3 == part }.map { rows[$0] }
                    }
                ) { t in
                    for (index, column) in columns.enumerated() {
                        let type =
                            column.type.isEmpty ? nil : Database.ColumnType(rawValue: column.type)
                        let column = t.column(column.name, type) { $0[index] }
                        if indexed[index] { column.indexed() }
                        if index == hidden { column.hidden() }
                    }
                })
        }
        try create(
            "slow", columns + [("part", "")],
            rows.indices.map { rows[$0] + [($0 % 3).databaseValue] })
        let names = columns.map(\.name)
        for part in [0, 1] {
            sources.append(
                Source(
                    fast: "fast(\(part))",
                    slow:
                        "(SELECT \(names.joined(separator: ", ")) FROM slow WHERE part = \(part))",
                    columns: names, hasRowID: false))
        }
        sources.append(
            Source(fast: "fast", slow: "slow", columns: names + ["part"], hasRowID: false))
        requiresPart = true
    }

    /// Whether the table has rows only for a condition on the column `part`.
    private var requiresPart = false

    private mutating func addSeries() throws {
        let (start, stop, step) = (
            pick([0, 1, -5, 10]), pick([0, 3, 20, -5]), pick([1, 2, -1, 3, -7])
        )
        try create(
            "slow", [("value", "INTEGER")],
            stride(from: start, through: stop, by: step).map {
                [$0.databaseValue]
            })
        sources.append(
            Source(
                fast: "generate_series(\(start), \(stop), \(step))", slow: "slow",
                columns: ["value"],
                hasRowID: false))
    }

    private mutating func addReader() throws {
        let columns = someColumns()
        let rows = rows(columns.count)
        try create("rows", columns.map { ($0.name, "") }, rows)
        try create("slow", columns, rows)
        let declared = columns.map { "\($0.name) \($0.type)" }.joined(separator: ", ")
        try queue.write {
            try $0.execute(sql: "CREATE VIRTUAL TABLE fast USING reader(\(declared))")
        }
        sources.append(Source(fast: "fast", slow: "slow", columns: columns.map(\.name)))
    }

    // MARK: - Queries

    /// Runs queries, and returns the first one with other results than those of the ordinary table.
    mutating func run(queries: Int) throws -> String? {
        for _ in 0..<queries {
            let (sql, isOrdered) = query()
            func rows(_ isFast: Bool) -> [String] {
                var text = sql
                for (index, source) in sources.enumerated() {
                    text = text.replacingOccurrences(
                        of: "<\(index)>", with: isFast ? source.fast : source.slow)
                }
                do {
                    let rows = try queue.read { try Row.fetchAll($0, sql: text) }.map { row in
                        row.databaseValues.map(Self.text).joined(separator: "|")
                    }
                    return isOrdered ? rows : rows.sorted()
                } catch {
                    return ["\((error as? DatabaseError)?.message ?? "\(error)")"]
                }
            }
            let (found, expected) = (rows(true), rows(false))
            if found == expected { continue }
            let tables = try queue.read {
                try Row.fetchAll(
                    $0,
                    sql: "SELECT sql FROM sqlite_schema UNION ALL SELECT * FROM pragma_quick_check")
            }
            return """
                \(kind): \(sql)
                found: \(found)
                expected: \(expected)
                \(sources) \(tables)
                """
        }
        return nil
    }

    /// Numbers that are equal have the same text: queries may return any of them for a group.
    private static func text(_ value: DatabaseValue) -> String {
        switch value.storage {
        case .double(let number): Int64(exactly: number).map(String.init) ?? "\(number)"
        case .int64(let number): "\(number)"
        case .string(let text): "'\(text)'"
        case .blob(let data): "\(Array(data))"
        case .null: "NULL"
        }
    }

    private mutating func literal() -> String {
        switch pick(Self.values).storage {
        case .double(let number): "\(number)"
        case .int64(let number): "\(number)"
        case .string(let text): "'\(text.replacingOccurrences(of: "'", with: "''"))'"
        case .blob(let data):
            "x'\(data.map { $0 < 16 ? "0\($0)" : String($0, radix: 16) }.joined())'"
        case .null: "NULL"
        }
    }

    private mutating func column(_ columns: [String]) -> String {
        pick(columns)
    }

    private mutating func condition(_ columns: [String], depth: Int = 0) -> String {
        let column = pick(columns)
        let comparison = pick(["=", "=", "<", "<=", ">", ">=", "<>", "IS", "IS NOT"])
        let collation = pick(["", "", "", "", " COLLATE NOCASE", " COLLATE RTRIM"])
        switch Int.random(in: 0..<(depth < 2 ? 16 : 8), using: &random) {
        case 0, 1, 2: return "\(column) \(comparison) \(literal())\(collation)"
        case 3: return "\(column) \(comparison) \(pick(["", "+"]))\(pick(columns))\(collation)"
        case 4:
            let list = (0..<pick([1, 2, 4])).map { _ in literal() }.joined(separator: ", ")
            return "\(column) \(pick(["", "", "NOT "]))IN (\(list))"
        case 5: return "\(column) BETWEEN \(literal()) AND \(literal())"
        case 6: return "\(column) \(pick(["IS NULL", "IS NOT NULL", "LIKE 'a%'", "GLOB '1*'"]))"
        case 7: return "typeof(\(column)) = '\(pick(["integer", "real", "text", "null", "blob"]))'"
        case 8, 9:
            return
                "(\(condition(columns, depth: depth + 1)) OR \(condition(columns, depth: depth + 1)))"
        case 10: return "NOT (\(condition(columns, depth: depth + 1)))"
        case 11, 12:
            let (source, other, alias) = joined()
            return
                "\(column) IN (SELECT \(pick(other)) FROM \(source)\(whereClause(other, depth + 1, alias)))"
        case 13:
            let (source, other, alias) = joined()
            return """
                \(pick(["", "NOT "]))EXISTS (SELECT 1 FROM \(source) \
                WHERE \(column) \(pick(["=", "<", "IS"])) \(pick(other))\(part(alias)))
                """
        case 14:
            let (source, other, alias) = joined()
            return """
                \(column) \(comparison) (SELECT \(pick(["min", "max", "count"]))(\(pick(other))) \
                FROM \(source)\(whereClause(other, depth + 1, alias)))
                """
        default:
            return
                "(\(condition(columns, depth: depth + 1)) AND \(condition(columns, depth: depth + 1)))"
        }
    }

    /// A source with an alias, and the names of its columns.
    private mutating func joined() -> (source: String, columns: [String], alias: String) {
        names += 1
        let index = pick(Array(sources.indices) + [sources.count - 1])
        let alias = requiresPart && index == sources.count - 1 ? "p\(names)" : "t\(names)"
        let source = sources[index]
        var columns = source.columns.map { "\(alias).\($0)" }
        if source.hasRowID, chance(30) { columns += ["\(alias).rowid", "abs(\(alias).rowid) % 2"] }
        return ("<\(index)> AS \(alias)", columns, alias)
    }

    /// The condition without which a function has no rows.
    private mutating func part(_ alias: String) -> String {
        alias.hasPrefix("p") ? " AND \(alias).part \(pick(["= 0", "= 1", "= 2", "IN (0, 2)"]))" : ""
    }

    private mutating func whereClause(_ columns: [String], _ depth: Int, _ aliases: String...)
        -> String
    {
        let needed = aliases.map { part($0) }.joined()
        let conditions = (0..<pick([0, 0, 1, 1, 2])).map { _ in condition(columns, depth: depth) }
        if conditions.isEmpty, needed.isEmpty { return "" }
        return
            " WHERE (\((conditions + [pick(["1", "2 > 1"])]).joined(separator: " AND ")))\(needed)"
    }

    /// A table, or a subquery that SQLite may keep in a table of its own.
    private mutating func operand() -> (source: String, columns: [String], alias: String) {
        if chance(60) { return joined() }
        let (source, columns, alias) = joined()
        let column = pick(columns)
        let tail = whereClause(columns, 1, alias)
        names += 1
        let query =
            switch pick([0, 1, 2, 3]) {
            case 0: "SELECT \(column) AS k, count(*) AS n FROM \(source)\(tail) GROUP BY \(column)"
            case 1: "SELECT DISTINCT \(column) AS k, \(pick(columns)) AS n FROM \(source)\(tail)"
            case 2:
                "SELECT \(column) AS k, \(pick(columns)) AS n FROM \(source)\(tail) LIMIT -1 OFFSET 0"
            default:
                "SELECT \(column) AS k, \(pick(columns)) AS n FROM \(source)\(tail) UNION ALL SELECT x, y FROM o"
            }
        return ("(\(query)) AS t\(names)", ["t\(names).k", "t\(names).n"], "t\(names)")
    }

    private mutating func query() -> (sql: String, isOrdered: Bool) {
        names = 0
        var (from, columns, alias) = operand()
        var aliases = [alias]
        for _ in 0..<pick([0, 0, 0, 1, 1, 2]) {
            let (other, others, alias) = operand()
            let operation = pick(["JOIN", "JOIN", "LEFT JOIN", "CROSS JOIN"])
            let comparison = pick(["=", "=", "=", "IS", "<"])
            from += " \(operation) \(other) ON \(pick(columns)) \(comparison) \(pick(others))"
            if operation == "LEFT JOIN" {
                from += part(alias)
            } else {
                aliases.append(alias)
            }
            columns += others
        }
        var sql: String
        var selected = columns.shuffled(using: &random).prefix(pick([1, 1, 2, 3])).map(\.self)
        let needed = aliases.map { part($0) }.joined()
        let conditions = (0..<pick([0, 1, 1, 2])).map { _ in condition(columns) } + ["1"]
        let tail = " FROM \(from) WHERE (\(conditions.joined(separator: " AND ")))\(needed)"
        switch pick([0, 0, 0, 1, 2, 3, 4]) {
        case 1: sql = "SELECT DISTINCT \(selected.joined(separator: ", "))\(tail)"
        case 2:
            let keys = selected.joined(separator: ", ")
            selected += ["count(*)", "min(\(pick(columns)))", "max(\(pick(columns)))"]
            sql = "SELECT \(selected.joined(separator: ", "))\(tail) GROUP BY \(keys)"
            if chance(30) { sql += " HAVING count(*) > 1" }
        case 3:
            let column = pick(columns)
            selected = [
                "count(*)", "count(DISTINCT \(column))", "min(\(column))", "max(\(column))",
            ]
            sql = "SELECT \(selected.joined(separator: ", "))\(tail)"
        case 4:
            sql = """
                SELECT \(selected[0]) AS r\(tail) \(pick(["UNION", "UNION ALL", "EXCEPT", "INTERSECT"])) \
                SELECT \(pick(["x", "y"])) FROM o
                """
            selected = ["r"]
        default: sql = "SELECT \(selected.joined(separator: ", "))\(tail)"
        }
        guard chance(50) else { return (sql, false) }
        // By all columns, so that there is one order.
        sql +=
            " ORDER BY "
            + selected.map { $0 + pick(["", "", " DESC", " DESC NULLS LAST"]) }.joined(
                separator: ", ")
        if chance(50) { sql += " LIMIT \(pick([0, 1, 5, -1])) OFFSET \(pick([0, 0, 1, 7, -2]))" }
        return (sql, true)
    }
}

private struct AnyRandom: RandomNumberGenerator {
    var base: any RandomNumberGenerator

    mutating func next() -> UInt64 { base.next() }
}

/// A table that reads the rows of an ordinary one, and declares types of its own.
private final class ReaderTable: VirtualTable {
    let declaration: String
    let rows: [Row]

    init(connecting connection: VirtualTableConnection) throws {
        declaration = connection.arguments.joined(separator: ", ")
        rows = try Row.fetchAll(connection.database, sql: "SELECT * FROM rows")
    }

    func makeCursor() -> ReaderCursor { ReaderCursor(rows) }
}

private final class ReaderCursor: VirtualTableCursor {
    private let rows: [Row]
    private var position = 0

    init(_ rows: [Row]) { self.rows = rows }

    func filter(number: Int, text: String?, arguments: VirtualTableArguments) { position = 0 }
    func next() { position += 1 }
    var isAtEnd: Bool { position >= rows.count }
    func column(_ index: Int, into result: VirtualTableResult) throws {
        try result.set(rows[position][index] as DatabaseValue)
    }
    var rowID: Int64 { Int64(position + 1) }
}
