import GRDB
import _GRDBSystem

/// The JSON objects in which an outbox stores rows.
///
/// Integers are written without point and exponent, real numbers with at least one of them, so that
/// both are read as their original type. Foundation would lose the difference.
enum OutboxJSON {
    // MARK: - Writing

    static func text(_ row: OutboxEntry.Values) -> String {
        var text = "{"
        for (index, name) in row.columnNames.enumerated() {
            if index > 0 { text += "," }
            write(name, to: &text)
            text += ":"
            write(row.values[index], to: &text)
        }
        return text + "}"
    }

    private static func write(_ value: DatabaseValue, to text: inout String) {
        switch value.storage {
        case .null: text += "null"
        case .int64(let integer): text += String(integer)
        case .double(let number):
            if number.isFinite {
                // "1.0", "1e+100": never the text of an integer.
                text += "\(number)"
            } else {
                text += number < 0 ? #"{"$real":"-inf"}"# : #"{"$real":"inf"}"#
            }
        case .string(let string): write(string, to: &text)
        case .blob(let data): text += #"{"$blob":"\#(data.base64EncodedString())"}"#
        }
    }

    static func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }

    // MARK: - Reading

    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_CORRUPT` if the text was not written by
    ///   `text(_:)`.
    static func values(_ text: String) throws -> OutboxEntry.Values {
        var parser = Parser(text)
        do throws(Parser.Failure) {
            return try parser.object()
        } catch {
            throw DatabaseError(
                resultCode: .SQLITE_CORRUPT, message: "An outbox has a row that is no JSON object")
        }
    }

    private struct Parser {
        struct Failure: Error {}

        private let bytes: [UInt8]
        private var index = 0

        init(_ text: String) {
            bytes = Array(text.utf8)
        }

        mutating func object() throws(Failure) -> OutboxEntry.Values {
            var row = OutboxEntry.Values(columnNames: [], values: [])
            try members { (parser, name) throws(Failure) in
                row.columnNames.append(name)
                row.values.append(try parser.value())
            }
            guard index == bytes.count else { throw Failure() }
            return row
        }

        private mutating func members(
            _ member: (inout Parser, String) throws(Failure) -> Void
        ) throws(Failure) {
            try expect("{")
            if next == UInt8(ascii: "}") {
                index += 1
                return
            }
            while true {
                let name = try string()
                try expect(":")
                try member(&self, name)
                if next == UInt8(ascii: "}") {
                    index += 1
                    return
                }
                try expect(",")
            }
        }

        private var next: UInt8? {
            index < bytes.count ? bytes[index] : nil
        }

        private mutating func expect(_ scalar: Unicode.Scalar) throws(Failure) {
            guard next == UInt8(ascii: scalar) else { throw Failure() }
            index += 1
        }

        private mutating func value() throws(Failure) -> DatabaseValue {
            switch next {
            case UInt8(ascii: "\""): return try string().databaseValue
            case UInt8(ascii: "{"): return try taggedValue()
            case UInt8(ascii: "n"):
                guard bytes[index...].starts(with: "null".utf8) else { throw Failure() }
                index += 4
                return .null
            default: return try number()
            }
        }

        private mutating func taggedValue() throws(Failure) -> DatabaseValue {
            var value: DatabaseValue?
            try members { (parser, name) throws(Failure) in
                let text = try parser.string()
                switch name {
                case "$blob": value = Data(base64Encoded: text)?.databaseValue
                case "$real": value = Double(text)?.databaseValue
                default: throw Failure()
                }
            }
            guard let value else { throw Failure() }
            return value
        }

        private mutating func number() throws(Failure) -> DatabaseValue {
            let start = index
            while let byte = next, byte != UInt8(ascii: ","), byte != UInt8(ascii: "}") {
                index += 1
            }
            let text = String(decoding: bytes[start..<index], as: UTF8.self)
            if let integer = Int64(text) { return integer.databaseValue }
            guard let number = Double(text) else { throw Failure() }
            return number.databaseValue
        }

        private mutating func string() throws(Failure) -> String {
            try expect("\"")
            var content: [UInt8] = []
            while let byte = next {
                index += 1
                switch byte {
                case UInt8(ascii: "\""):
                    return String(decoding: content, as: UTF8.self)
                case UInt8(ascii: "\\"):
                    content.append(contentsOf: try escaped())
                default:
                    content.append(byte)
                }
            }
            throw Failure()
        }

        private mutating func escaped() throws(Failure) -> [UInt8] {
            guard let byte = next else { throw Failure() }
            index += 1
            switch byte {
            case UInt8(ascii: "n"): return [10]
            case UInt8(ascii: "r"): return [13]
            case UInt8(ascii: "t"): return [9]
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): return [byte]
            case UInt8(ascii: "u"):
                let digits = bytes[index...].prefix(4)
                index += digits.count
                guard let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
                    code < 0x20
                else { throw Failure() }
                return [UInt8(code)]
            default: throw Failure()
            }
        }
    }
}
