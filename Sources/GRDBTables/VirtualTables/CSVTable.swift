import GRDB
import Foundation

extension DatabaseModule {
    /// Reads CSV files as tables.
    ///
    /// ```swift
    /// config.add(module: .csv)
    ///
    /// // CREATE VIRTUAL TABLE temp."city" USING csv(file='/data/city.csv')
    /// try db.create(virtualTable: "city", options: .temporary, using: CSVFile("/data/city.csv"))
    /// ```
    ///
    /// The arguments are `file`, the path; `header`, `no` if the first line is no header; `delimiter`;
    /// `columns`, the names and types of columns as in `CREATE TABLE`.
    ///
    /// A statement reads the file from the beginning, and keeps one line in memory. Triggers and views can't
    /// use the table.
    ///
    /// - warning: Don't add the module to connections that open databases from strangers. Their tables can
    ///   name any file that the process can read.
    public static let csv = DatabaseModule("csv", CSVTable.self)
}

/// Describes a CSV file for ``Database/create(virtualTable:options:using:)``.
///
/// ```swift
/// config.add(module: .csv)
///
/// try db.create(virtualTable: "city", options: .temporary, using: CSVFile("/data/city.csv")) { t in
///     t.delimiter = ";"
///     t.column("name", .text)
///     t.column("population", .integer)
/// }
/// ```
public struct CSVFile: VirtualTableModule, Sendable {
    /// The path of the file.
    public let path: String

    /// Describes a file.
    public init(_ path: String) { self.path = path }

    /// Describes a file.
    public init(_ url: URL) { path = url.path }

    public var moduleName: String { "csv" }

    /// What the file looks like.
    public final class TableDefinition {
        /// The character between fields: an ASCII character.
        public var delimiter: Character = ","

        /// Whether the first line has the names of the columns. With columns that are given, it is skipped.
        public var hasHeader = true

        fileprivate var columns: [String] = []

        /// Gives a column, instead of those in the file.
        ///
        /// - parameter name: the name.
        /// - parameter type: the type. Fields of columns of the types integer and real that are numbers
        ///   become numbers; all others are texts. Empty fields without quotes are NULL.
        public func column(_ name: String, _ type: Database.ColumnType = .text) {
            columns.append("\(name.quotedDatabaseIdentifier) \(type.rawValue)")
        }
    }

    public func makeTableDefinition(
        configuration: VirtualTableConfiguration
    ) -> TableDefinition {
        TableDefinition()
    }

    public func moduleArguments(
        for definition: TableDefinition, in db: Database
    ) throws -> [String] {
        func quoted(_ text: String) -> String {
            "'\(text.replacingOccurrences(of: "'", with: "''"))'"
        }
        var arguments = ["file=\(quoted(path))"]
        if definition.delimiter != "," {
            arguments.append("delimiter=\(quoted(String(definition.delimiter)))")
        }
        if !definition.hasHeader { arguments.append("header=no") }
        if !definition.columns.isEmpty {
            arguments.append("columns=\(quoted(definition.columns.joined(separator: ", ")))")
        }
        return arguments
    }

    public func database(
        _ db: Database, didCreate tableName: String, using definition: TableDefinition
    ) {}
}

/// A table of `CREATE VIRTUAL TABLE … USING csv(…)`.
final class CSVTable: VirtualTable {
    enum ColumnKind { case integer, real, text }

    let declaration: String
    let columns: [ColumnKind]
    let options: CSVOptions
    private let estimatedRowCount: Int
    var trust: VirtualTableTrust { .directOnly }

    init(connecting connection: VirtualTableConnection) throws {
        options = try CSVOptions(connection.arguments)
        let sample = try CSVSample(options)
        if let columns = options.columns {
            declaration = columns
            self.columns = try Self.kinds(of: columns, connection.database)
        } else {
            guard !sample.names.isEmpty else {
                throw DatabaseError(message: "\(options.path) has no columns")
            }
            declaration = zip(sample.names, sample.kinds).map { name, kind in
                let type =
                    switch kind {
                    case .integer: "INTEGER"
                    case .real: "REAL"
                    case .text: "TEXT"
                    }
                return "\(name.quotedDatabaseIdentifier) \(type)"
            }.joined(separator: ", ")
            columns = sample.kinds
        }
        estimatedRowCount = sample.estimatedRowCount
    }

    /// What SQLite makes of columns that are given in SQL text.
    private static func kinds(of columns: String, _ db: Database) throws -> [ColumnKind] {
        let scratch = try DatabaseQueue()
        return try scratch.write { db in
            // One statement: the text comes from the schema, and must not run any other.
            try db.makeStatement(sql: "CREATE TABLE x(\(columns))").execute()
            return try db.columns(in: "x").map { column in
                switch column.type.uppercased() {
                case let type where type.contains("INT"): .integer
                case let type
                where type.contains("REAL") || type.contains("FLOA") || type.contains("DOUB")
                    || type.contains("NUM"):
                    .real
                default: .text
                }
            }
        }
    }

    func plan(_ plan: inout VirtualTablePlan) -> Bool {
        plan.rowCount = estimatedRowCount
        plan.cost = Double(estimatedRowCount) * 10
        // Rows come in the order of the file.
        plan.isOrdered =
            plan.orderings == [VirtualTablePlan.Ordering(column: -1, isDescending: false)]
        return true
    }

    func makeCursor() -> CSVCursor { CSVCursor(self) }
}

/// The arguments of a CSV table.
struct CSVOptions {
    var path = ""
    var delimiter = UInt8(ascii: ",")
    var hasHeader = true
    var columns: String?

    init(_ arguments: [String]) throws {
        for argument in arguments {
            let parts = argument.split(separator: "=", maxSplits: 1).map {
                $0.trimmingCharacters(in: .whitespacesAndNewlines)
            }
            guard parts.count == 2 else {
                throw DatabaseError(message: "csv: \(argument) is not an argument")
            }
            let value = Self.unquoted(parts[1])
            switch parts[0].lowercased() {
            case "file", "filename":
                path = value
            case "delimiter":
                let utf8 = value == "\\t" ? [9] : Array(value.utf8)
                guard utf8.count == 1, utf8[0] < 128, ![0, 10, 13, 34].contains(utf8[0]) else {
                    throw DatabaseError(
                        message: "csv: the delimiter must be one ASCII character")
                }
                delimiter = utf8[0]
            case "header":
                switch value.lowercased() {
                case "yes", "true", "on", "1": hasHeader = true
                case "no", "false", "off", "0": hasHeader = false
                default: throw DatabaseError(message: "csv: header must be yes or no")
                }
            case "columns":
                columns = value
            default:
                throw DatabaseError(message: "csv: there is no argument \(parts[0])")
            }
        }
        if path.isEmpty { throw DatabaseError(message: "csv: the argument file is missing") }
    }

    private static func unquoted(_ text: String) -> String {
        guard let quote = text.first, quote == "'" || quote == "\"", text.count >= 2,
            text.last == quote
        else { return text }
        return text.dropFirst().dropLast().replacingOccurrences(
            of: "\(quote)\(quote)", with: "\(quote)")
    }
}

/// What the beginning of a file says of its columns.
struct CSVSample {
    var names: [String] = []
    var kinds: [CSVTable.ColumnKind] = []
    var estimatedRowCount = 1

    /// The number of records from which types are guessed.
    static let recordCount = 1000

    init(_ options: CSVOptions) throws {
        let reader = try CSVReader(path: options.path, delimiter: options.delimiter)
        if options.hasHeader, try reader.next(skipsEmptyLines: true) {
            names = reader.fields.indices.map { index in
                reader.withField(index) { String(decoding: $0, as: UTF8.self) }
            }
        }
        var candidates: [CSVTable.ColumnKind?] = []
        var records = 0
        var bytes = 0
        while records < Self.recordCount, try reader.next(skipsEmptyLines: names.count != 1) {
            records += 1
            bytes += reader.bytes.count + reader.fields.count
            for index in reader.fields.indices {
                if index >= candidates.count { candidates.append(nil) }
                let isEmpty = reader.withField(index) { $0.isEmpty }
                if isEmpty, !reader.fields[index].isQuoted { continue }
                candidates[index] = reader.withField(index) { utf8 in
                    guard !reader.fields[index].isQuoted, let number = CSVNumber(utf8) else {
                        return .text
                    }
                    switch (candidates[index], number) {
                    case (.text, _): return .text
                    case (.real, _), (_, .real): return .real
                    case (nil, .integer), (.integer, .integer): return .integer
                    }
                }
            }
        }
        if !options.hasHeader { names = candidates.indices.map { "c\($0 + 1)" } }
        kinds = names.indices.map { $0 < candidates.count ? candidates[$0] ?? .text : .text }
        makeNamesUnique()
        let attributes = try? FileManager.default.attributesOfItem(atPath: options.path)
        let size = (attributes?[.size] as? NSNumber)?.intValue ?? 0
        estimatedRowCount = max(1, records == 0 ? 1 : size / max(1, bytes / records))
    }

    private mutating func makeNamesUnique() {
        var known: Set<String> = []
        for index in names.indices {
            if names[index].isEmpty { names[index] = "c\(index + 1)" }
            let name = names[index]
            var number = 2
            while !known.insert(names[index].lowercased()).inserted {
                names[index] = "\(name)_\(number)"
                number += 1
            }
        }
    }
}

/// Reads the records of a CSV file.
final class CSVCursor: VirtualTableCursor {
    private let columns: [CSVTable.ColumnKind]
    private let options: CSVOptions
    private var reader: CSVReader?
    private(set) var isAtEnd = true
    private(set) var rowID: Int64 = 0

    init(_ table: CSVTable) {
        columns = table.columns
        options = table.options
    }

    func filter(number: Int, text: String?, arguments: VirtualTableArguments) throws {
        let reader = try CSVReader(path: options.path, delimiter: options.delimiter)
        self.reader = reader
        rowID = 0
        isAtEnd = true
        if options.hasHeader, try !reader.next(skipsEmptyLines: true) { return }
        try next()
    }

    func next() throws {
        guard let reader else { return }
        isAtEnd = try !reader.next(skipsEmptyLines: columns.count != 1)
        if isAtEnd { return }
        rowID += 1
        if reader.fields.count > columns.count {
            isAtEnd = true
            throw DatabaseError(
                message: """
                    \(options.path), line \(reader.line): \(reader.fields.count) fields in a table \
                    of \(columns.count) columns
                    """)
        }
    }

    func column(_ index: Int, into result: VirtualTableResult) throws {
        guard let reader, index < reader.fields.count else { return }
        reader.withField(index) { utf8 in
            let isQuoted = reader.fields[index].isQuoted
            if utf8.isEmpty, !isQuoted { return }
            if columns[index] != .text, let number = CSVNumber(utf8) {
                switch number {
                case .integer(let value):
                    if columns[index] == .real {
                        result.set(Double(value))
                    } else {
                        result.set(value)
                    }
                case .real(let value): result.set(value)
                }
                return
            }
            result.set(String(decoding: utf8, as: UTF8.self))
        }
    }
}
