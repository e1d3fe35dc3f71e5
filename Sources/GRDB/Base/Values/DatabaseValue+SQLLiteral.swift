extension DatabaseValue {
    /// The value as an SQL literal.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#literal_values_constants_>
    package var sqlLiteral: String {
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
    /// The string as an SQL literal. SQL text can't contain NUL characters, so strings with NUL
    /// characters are cast from a blob.
    fileprivate var sqlStringLiteral: String {
        if utf8.contains(0) {
            return "CAST(\(DatabaseValue(storage: .blob(.init(utf8))).sqlLiteral) AS TEXT)"
        }
        return quoted(by: 0x27)
    }
}
