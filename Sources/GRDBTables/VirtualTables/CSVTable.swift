import GRDB
import _GRDBSystem

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
    /// `encoding`, one of the raw values of ``CSVFile/Encoding``; `columns`, the names and types of columns as in
    /// `CREATE TABLE`, of which constraints are ignored.
    ///
    /// Fields are stored in their columns as an ordinary table stores texts: `+3` and ` 7` become integers in a
    /// column of the type `INTEGER`, and `n/a` remains a string. Empty fields without quotes are NULL.
    ///
    /// Without `columns`, types are guessed from the first 1000 records. Columns of numbers become `INTEGER`,
    /// `REAL`, or `NUMERIC` where a real number would round integers. All others become `TEXT`: also those
    /// with numbers that have zeros in front, more digits than 64 bits hold, or the `+` and seven digits or more of a
    /// telephone number.
    ///
    /// A statement reads the file from the beginning, and keeps one line in memory. It fails if the header is not
    /// the one that the file had when the connection opened the table, or, naming the line and the column, when it
    /// reads a field that does not have the encoding. Triggers and views can't use the table.
    ///
    /// - warning: Don't add the module to connections that open databases from strangers. Their tables can
    ///   name any file that the process can read.
    public static let csv = DatabaseModule("csv", CSVTable.self)
}

/// Describes a CSV file for ``/GRDB/Database/create(virtualTable:options:using:)``.
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

    /// How the characters of a file are encoded.
    public enum Encoding: String, Sendable, CaseIterable {
        /// UTF-8, or UTF-16 if the file begins with its byte order mark.
        case utf8 = "utf-8"

        /// UTF-16; little endian unless the file begins with another byte order mark.
        case utf16 = "utf-16"

        /// ISO 8859-1.
        case latin1 = "iso-8859-1"

        /// Windows 1252, which Excel writes in Western Europe and America.
        case windows1252 = "windows-1252"
    }

    /// What the file looks like.
    public final class TableDefinition {
        /// The character between fields: an ASCII character.
        public var delimiter: Character = ","

        /// Whether the first line has the names of the columns. With columns that are given, it is skipped.
        public var hasHeader = true

        /// How the characters are encoded.
        public var encoding = Encoding.utf8

        fileprivate var columns: [String] = []

        /// Gives a column, instead of those in the file.
        ///
        /// - parameter name: the name.
        /// - parameter type: the type. Fields are converted to it as in an ordinary table: those of columns of the
        ///   types integer, double and numeric become numbers if they are numbers. Empty fields without quotes
        ///   are NULL.
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
            "'\(text.replacingText("'", with: "''"))'"
        }
        var arguments = ["file=\(quoted(path))"]
        if definition.delimiter != "," {
            arguments.append("delimiter=\(quoted(String(definition.delimiter)))")
        }
        if !definition.hasHeader { arguments.append("header=no") }
        if definition.encoding != .utf8 {
            arguments.append("encoding=\(definition.encoding.rawValue)")
        }
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
    let declaration: String
    let columnCount: Int
    let options: CSVOptions

    /// The names in the file when the table was opened.
    let header: [String]
    private let estimatedRowCount: Int
    var trust: VirtualTableTrust { .directOnly }

    init(connecting connection: VirtualTableConnection) throws {
        options = try CSVOptions(connection.arguments)
        let sample = try CSVSample(options)
        header = sample.header
        let columns =
            try options.columns.map(Self.declarations)
            ?? zip(sample.names, sample.kinds).map {
                "\($0.quotedDatabaseIdentifier) \($1.declaredType)"
            }
        if columns.isEmpty { throw DatabaseError(message: "\(options.path) has no columns") }
        declaration = columns.joined(separator: ", ")
        columnCount = columns.count
        estimatedRowCount = sample.estimatedRowCount
    }

    /// What SQLite makes of columns that are given in SQL text: their names, types and collations. It would take
    /// constraints for granted.
    private static func declarations(_ columns: String) throws -> [String] {
        let scratch = try DatabaseQueue()
        return try scratch.write { db in
            // One statement: the text comes from the schema, and must not run any other.
            try db.makeStatement(sql: "CREATE TABLE x(\(columns))").execute()
            return try db.columns(in: "x").map { column in
                var words = [column.name.quotedDatabaseIdentifier, column.type]
                let metadata = db.raw.columnMetadata(column.name, in: "x", schema: nil)
                if let collation = metadata?.collation {
                    words += ["COLLATE", collation.quotedDatabaseIdentifier]
                }
                return words.joined(separator: " ")
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
    var encoding = CSVFile.Encoding.utf8
    var columns: String?

    init(_ arguments: [String]) throws {
        for argument in arguments {
            let parts = argument.split(separator: "=", maxSplits: 1).map {
                $0.trimmed
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
            case "encoding":
                guard let encoding = CSVFile.Encoding(rawValue: value.lowercased()) else {
                    let known = CSVFile.Encoding.allCases.map(\.rawValue).joined(separator: ", ")
                    throw DatabaseError(message: "csv: \(value) is none of the encodings \(known)")
                }
                self.encoding = encoding
            case "columns":
                columns = value
            default:
                throw DatabaseError(message: "csv: there is no argument \(parts[0])")
            }
        }
        if path.isEmpty { throw DatabaseError(message: "csv: the argument file is missing") }
    }

    func makeReader() throws -> CSVReader {
        try CSVReader(path: path, delimiter: delimiter, encoding: encoding)
    }

    private static func unquoted(_ text: String) -> String {
        guard let quote = text.first, quote == "'" || quote == "\"", text.count >= 2,
            text.last == quote
        else { return text }
        return text.dropFirst().dropLast().replacingText(
            "\(quote)\(quote)", with: "\(quote)")
    }
}

/// What the beginning of a file says of its columns.
struct CSVSample {
    /// The first record, unless it has values.
    var header: [String] = []
    var names: [String] = []
    var kinds: [CSVFieldKinds] = []
    var estimatedRowCount = 1

    /// The number of records from which types are guessed.
    static let recordCount = 1000

    init(_ options: CSVOptions) throws {
        let reader = try options.makeReader()
        if options.hasHeader {
            header = try reader.nextHeader()
            if let index = header.firstIndex(where: { $0.utf8.contains(0) }) {
                throw DatabaseError(
                    message: """
                        \(options.path), line \(reader.line), column \(index + 1): the name has a NUL \
                        character. Set the encoding of the file if it is UTF-16
                        """)
            }
        }
        var records = 0
        var bytes = 0
        while records < Self.recordCount, try reader.next(skipsEmptyLines: header.count != 1) {
            records += 1
            bytes += reader.bytes.count + reader.fields.count
            for index in reader.fields.indices {
                if index >= kinds.count { kinds.append([]) }
                let isQuoted = reader.fields[index].isQuoted
                reader.withField(index) { utf8 in
                    if isQuoted {
                        kinds[index].insert(.text)
                    } else if !utf8.isEmpty {
                        kinds[index].formUnion(CSVFieldKinds.kind(of: utf8))
                    }
                }
            }
        }
        names = options.hasHeader ? header : kinds.indices.map { "c\($0 + 1)" }
        while kinds.count < names.count { kinds.append([]) }
        makeNamesUnique()
        let size = FileSize.of(options.path)
        estimatedRowCount = max(1, records == 0 ? 1 : size / max(1, bytes / records))
    }

    private mutating func makeNamesUnique() {
        // As SQLite compares names: by their bytes, but for the case of ASCII letters.
        var known: Set<[UInt8]> = []
        for index in names.indices {
            if names[index].isEmpty { names[index] = "c\(index + 1)" }
            let name = names[index]
            var number = 2
            while !known.insert(Array(ASCIICase.lowercased(names[index]).utf8)).inserted {
                names[index] = "\(name)_\(number)"
                number += 1
            }
        }
    }
}

extension CSVReader {
    /// The names in the first record; none in an empty file.
    fileprivate func nextHeader() throws -> [String] {
        guard try next(skipsEmptyLines: true) else { return [] }
        return try fields.indices.map(text)
    }
}

/// Reads the records of a CSV file.
final class CSVCursor: VirtualTableCursor {
    private let columnCount: Int
    private let options: CSVOptions
    private let header: [String]
    private var reader: CSVReader?
    private(set) var isAtEnd = true
    private(set) var rowID: Int64 = 0

    init(_ table: CSVTable) {
        columnCount = table.columnCount
        options = table.options
        header = table.header
    }

    func filter(number: Int, text: String?, arguments: VirtualTableArguments) throws {
        let reader = try options.makeReader()
        self.reader = reader
        rowID = 0
        isAtEnd = true
        if options.hasHeader {
            let found = try reader.nextHeader()
            if !found.elementsEqual(header, by: { $0.utf8.elementsEqual($1.utf8) }) {
                throw DatabaseError(
                    message: """
                        \(options.path): the columns were \(header.joined(separator: ", ")), and are now \
                        \(found.joined(separator: ", ")). Create the table again, or open the connection again
                        """)
            }
        }
        try next()
    }

    func next() throws {
        guard let reader else { return }
        isAtEnd = try !reader.next(skipsEmptyLines: columnCount != 1)
        if isAtEnd { return }
        rowID += 1
        if reader.fields.count > columnCount {
            isAtEnd = true
            throw DatabaseError(
                message: """
                    \(options.path), line \(reader.line): \(reader.fields.count) fields in a table \
                    of \(columnCount) columns
                    """)
        }
    }

    func column(_ index: Int, into result: VirtualTableResult) throws {
        guard let reader, index < reader.fields.count else { return }
        try reader.withField(index) { utf8 in
            if utf8.isEmpty, !reader.fields[index].isQuoted { return }
            try reader.checkEncoding(utf8, index)
            result.raw.returnText(utf8)
        }
    }
}
