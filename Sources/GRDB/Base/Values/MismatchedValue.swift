import _GRDBSystem

// With `Configuration.convertsMismatchedValues`, values that don't have the requested type are
// converted like `sqlite3_column_int64`, `sqlite3_column_double` and `sqlite3_column_text` do.
// Otherwise, the library throws an error. This code runs only after a value did not have the
// requested type.

/// The kind of value from which a Swift type is decoded.
private enum ValueContent {
    case integer
    case real
    case decimal
    case text

    /// Nil for types that are not numbers, strings, or wrappers of them.
    init?(of type: Any.Type) {
        func rawValueType<Value: RawRepresentable>(_ type: Value.Type) -> Any.Type {
            Value.RawValue.self
        }
        switch type {
        case is any BinaryInteger.Type:
            self = .integer
        // Decoded as a real number, because 0.5 is true.
        case is any BinaryFloatingPoint.Type, is Bool.Type:
            self = .real
        case is Decimal.Type:
            self = .decimal
        case is String.Type:
            self = .text
        case let type as any OptionalValue.Type:
            self.init(of: type.wrappedType)
        case let type as any RawRepresentable.Type:
            self.init(of: rawValueType(type))
        default:
            return nil
        }
    }
}

extension DatabaseValue {
    /// A string or blob, converted like SQLite converts it to the type; nil if there is nothing to
    /// convert.
    ///
    /// A string is converted to its longest numeric prefix, or to zero without a prefix. A blob is
    /// converted like the text with the same bytes.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_expr.html#castexpr>
    func converted(for type: Any.Type) -> DatabaseValue? {
        let text: String
        switch storage {
        case .string(let string): text = string
        case .blob(let blob): text = String(decoding: blob, as: UTF8.self)
        case .null, .int64, .double: return nil
        }
        switch ValueContent(of: type) {
        case .integer: return NumericPrefix(text).integer.databaseValue
        case .real: return NumericPrefix(text).real.databaseValue
        case .decimal: return NumericPrefix(text).text.databaseValue
        case .text: return text.databaseValue
        case nil: return nil
        }
    }
}

/// The numeric prefix of a string.
struct NumericPrefix {
    /// The integer, or the nearest `Int64` if it is out of range. Zero if there is no numeric
    /// prefix.
    let integer: Int64

    /// The real number. Zero if there is no numeric prefix.
    let real: Double

    /// The real number as text, with all its digits.
    let text: String

    init(_ text: String) {
        let utf8 = Array(text.utf8)
        // A numeric text may be an integer in another notation: `1e3`.
        let number = utf8.withUnsafeBufferPointer { utf8 in
            NumericText(utf8).map { (integer: $0.integer(as: Int64.self), real: $0.real) }
        }
        let prefix = Self.prefix(of: utf8[...])
        integer = number?.integer ?? Self.integer(prefix.integer)
        self.text = prefix.real.isEmpty ? "0" : String(decoding: prefix.real, as: UTF8.self)
        // SQLite reads a number that is out of range as `inf`.
        real = number?.real ?? Double(self.text) ?? 0
    }

    /// The longest numeric prefix of a string: its sign and digits, and the same with fraction and
    /// exponent. Empty if the text has no such prefix.
    private static func prefix(
        of utf8: ArraySlice<UInt8>
    ) -> (integer: ArraySlice<UInt8>, real: ArraySlice<UInt8>) {
        let start = utf8.firstIndex { $0 != UInt8(ascii: " ") && !(0x09...0x0d ~= $0) }
        guard let start else { return ([], []) }
        var position = start
        func skip(_ characters: Unicode.Scalar...) {
            if position < utf8.endIndex,
                characters.contains(where: { utf8[position] == UInt8(ascii: $0) })
            {
                position += 1
            }
        }
        /// - returns: whether there is a digit.
        func skipDigits() -> Bool {
            let digits = utf8[position...].prefix { $0 &- UInt8(ascii: "0") < 10 }
            position = digits.endIndex
            return !digits.isEmpty
        }
        skip("+", "-")
        var hasDigits = skipDigits()
        let integer = hasDigits ? utf8[start..<position] : []
        skip(".")
        if skipDigits() { hasDigits = true }
        guard hasDigits else { return ([], []) }
        var end = position
        let exponent = position
        skip("e", "E")
        if position > exponent {
            skip("+", "-")
            if skipDigits() { end = position }
        }
        return (integer, utf8[start..<end])
    }

    private static func integer(_ text: ArraySlice<UInt8>) -> Int64 {
        if let integer = Int64(String(decoding: text, as: UTF8.self)) { return integer }
        guard let sign = text.first else { return 0 }
        return sign == UInt8(ascii: "-") ? .min : .max
    }
}
