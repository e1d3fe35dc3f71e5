/// Collects the SQL text and the arguments of a statement.
final class SQLGenerationContext: SQLWriter {
    /// How values appear in the SQL text.
    enum ValueStyle {
        /// As `?`, with an argument.
        case placeholder
        /// As a literal, where SQLite accepts no parameter: in the definition of views, say.
        case literal
    }

    let db: Database
    private let valueStyle: ValueStyle
    private(set) var sql = ""
    private(set) var arguments = StatementArguments()

    /// The table that columns belong to, where it must be told.
    private var qualifier: String?

    init(_ db: Database, valueStyle: ValueStyle = .placeholder) {
        self.db = db
        self.valueStyle = valueStyle
    }

    func append(sql: String) {
        self.sql += sql
    }

    func append(column: String) {
        if let qualifier {
            sql += qualifier.quotedDatabaseIdentifier
            sql += "."
        }
        sql += column.quotedDatabaseIdentifier
    }

    func withQualifier(_ qualifier: String, _ body: () throws -> Void) rethrows {
        let former = self.qualifier
        self.qualifier = qualifier
        defer { self.qualifier = former }
        try body()
    }

    func append(value: DatabaseValue) {
        switch (valueStyle, value.storage) {
        case (_, .null):
            sql += "NULL"
        case (.placeholder, _):
            sql += "?"
            arguments.values.append(value)
        case (.literal, _):
            sql += value.sqlLiteral
        }
    }

    func append(arguments newArguments: StatementArguments) throws {
        if newArguments.isEmpty { return }
        guard valueStyle == .placeholder else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "SQL with arguments can't be used where literals are required",
                sql: sql)
        }
        let replaced = arguments.append(contentsOf: newArguments)
        for (name, value) in replaced where arguments.namedValues[name] != value {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "already defined statement argument: \(name)", sql: sql)
        }
    }
}

extension DatabaseValue {
    /// The value as an SQL literal.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#literal_values_constants_>
    var sqlLiteral: String {
        switch storage {
        case .null:
            return "NULL"
        case .int64(let value):
            return String(value)
        case .double(let value):
            if value.isNaN { return "NULL" }
            if value.isInfinite { return value < 0 ? "-9e999" : "9e999" }
            return String(value)
        case .string(let value):
            return value.sqlStringLiteral
        case .blob(let data):
            let digits = Array("0123456789ABCDEF".utf8)
            var hex: [UInt8] = []
            hex.reserveCapacity(2 * data.count)
            for byte in data {
                hex.append(digits[Int(byte >> 4)])
                hex.append(digits[Int(byte & 15)])
            }
            return "X'\(String(decoding: hex, as: UTF8.self))'"
        }
    }
}

extension String {
    /// The string as an SQL literal. SQL text can't hold NUL characters: strings that do are cast
    /// from a blob.
    fileprivate var sqlStringLiteral: String {
        if utf8.contains(0) {
            return "CAST(\(Array(utf8).databaseBlobLiteral) AS TEXT)"
        }
        // By bytes: a quote and a combining character are one Swift character.
        var literal: [UInt8] = [0x27]
        for byte in utf8 {
            literal.append(byte)
            if byte == 0x27 { literal.append(byte) }
        }
        literal.append(0x27)
        return String(decoding: literal, as: UTF8.self)
    }
}

extension [UInt8] {
    fileprivate var databaseBlobLiteral: String {
        DatabaseValue(storage: .blob(.init(self))).sqlLiteral
    }
}
