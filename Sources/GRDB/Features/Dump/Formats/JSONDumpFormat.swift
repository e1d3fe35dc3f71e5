public import _GRDBSystem

/// A format that prints database rows as a JSON array, one object per row.
///
/// ```swift
/// // [{"name":"Arthur","score":500},
/// // {"name":"Barbara","score":1000}]
/// try db.dumpSQL("SELECT name, score FROM player", format: .json())
/// ```
///
/// The members of an object are the columns in their order, including columns with the same name.
/// Blobs are encoded in Base64. See ``init(encoder:)`` for more control.
///
/// Each statement prints a separate array. Statements without columns print nothing.
public struct JSONDumpFormat: Sendable {
    /// The encoder of values and column names.
    public var encoder: JSONEncoder

    private var isFirstRow = true

    /// Creates a format.
    ///
    /// ```swift
    /// let encoder = JSONDumpFormat.defaultEncoder
    /// encoder.outputFormatting = [.prettyPrinted, .withoutEscapingSlashes]
    /// try db.dumpSQL("SELECT * FROM player", format: .json(encoder: encoder))
    /// ```
    ///
    /// - parameter encoder: encodes each value and column name, with its strategies for data and
    ///   non-conforming floats, but without its strategy for keys. `prettyPrinted` prints
    ///   one value per line. `sortedKeys` has no effect.
    public init(encoder: JSONEncoder = JSONDumpFormat.defaultEncoder) {
        self.encoder = encoder
    }

    /// Returns a new encoder that does not escape slashes, and prints infinity as `"inf"` and
    /// `"-inf"`.
    public static var defaultEncoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return encoder
    }
}

extension JSONDumpFormat: DumpFormat {
    /// - throws: the error of the encoder.
    public mutating func writeRow(
        _ db: Database, statement: Statement, to stream: inout DumpStream
    ) throws {
        let isPretty = encoder.outputFormatting.contains(.prettyPrinted)
        let members = try zip(stream.columnNames(statement), stream.columnValues(statement)).map {
            try "\(encode($0)):\(encode($1))"
        }
        let separator = isFirstRow ? (isPretty ? "[\n" : "[") : ",\n"
        isFirstRow = false
        if isPretty {
            stream.write("\(separator)  {\n    \(members.joined(separator: ",\n    "))\n  }")
        } else {
            stream.write("\(separator){\(members.joined(separator: ","))}")
        }
    }

    public mutating func finalize(
        _ db: Database, statement: Statement, to stream: inout DumpStream
    ) {
        if !isFirstRow {
            let isPretty = encoder.outputFormatting.contains(.prettyPrinted)
            stream.writeLine(isPretty ? "\n]" : "]")
        } else if statement.columnCount > 0 {
            stream.writeLine("[]")
        }
        isFirstRow = true
    }

    private func encode(_ value: DatabaseValue) throws -> String {
        switch value.storage {
        case .null: "null"
        case .int64(let value): value.description
        case .double(let value): try encode(value)
        case .string(let value): try encode(value)
        case .blob(let value): try encode(value)
        }
    }

    private func encode(_ value: any Encodable) throws -> String {
        String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

extension DumpFormat where Self == JSONDumpFormat {
    /// A format that prints database rows as a JSON array, one object per row.
    ///
    /// - parameter encoder: encodes values and column names: see ``JSONDumpFormat/init(encoder:)``.
    public static func json(encoder: JSONEncoder = JSONDumpFormat.defaultEncoder) -> Self {
        JSONDumpFormat(encoder: encoder)
    }
}
