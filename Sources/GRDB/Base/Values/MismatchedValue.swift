import Foundation

// What `Configuration.convertsMismatchedValues` reads where the library throws an error otherwise:
// the conversions of `sqlite3_column_int64`, `sqlite3_column_double` and `sqlite3_column_text`. Only
// asked for when a value has not fit.

/// What the values of a Swift type are read from.
private enum ValueContent {
    case integer
    case real
    case decimal
    case text

    /// Nil for types that neither are numbers or strings, nor wrap one.
    init?(of type: Any.Type) {
        func rawValueType<Value: RawRepresentable>(_ type: Value.Type) -> Any.Type {
            Value.RawValue.self
        }
        switch type {
        case is any BinaryInteger.Type:
            self = .integer
        // As a number, because 0.5 is true.
        case is any BinaryFloatingPoint.Type, is Bool.Type:
            self = .real
        case is Decimal.Type:
            self = .decimal
        case is String.Type:
            self = .text
        case let type as any WrappingValue.Type:
            self.init(of: type.wrappedValueType)
        case let type as any RawRepresentable.Type:
            self.init(of: rawValueType(type))
        default:
            return nil
        }
    }
}

private protocol WrappingValue {
    static var wrappedValueType: Any.Type { get }
}

extension Optional: WrappingValue {
    fileprivate static var wrappedValueType: Any.Type { Wrapped.self }
}

extension DatabaseValue {
    /// A text or blob as SQLite converts it for a type. Nil if there is nothing to convert.
    ///
    /// A text is read as the number that it begins with, or as zero if it begins with no number. A
    /// blob is read like the text of the same bytes.
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

/// The number that a text begins with.
struct NumericPrefix {
    /// The integer, or the nearest `Int64` if it is out of range. Zero if the text begins with no
    /// number.
    let integer: Int64

    /// The real number. Zero if the text begins with no number.
    let real: Double

    /// The real number as text, with all of its digits.
    let text: String

    init(_ text: String) {
        let utf8 = Array(text.utf8)
        // A text that is a number may be an integer although it does not look like one: `1e3`.
        let number = utf8.withUnsafeBufferPointer { utf8 in
            NumericText(utf8).map { (integer: $0.integer(as: Int64.self), real: $0.real) }
        }
        let prefix = Self.prefix(of: utf8[...])
        integer = number?.integer ?? Self.integer(prefix.integer)
        self.text = prefix.real.isEmpty ? "0" : String(decoding: prefix.real, as: UTF8.self)
        // `inf`, if the number is out of range, as SQLite reads it.
        real = number?.real ?? Double(self.text) ?? 0
    }

    /// The longest number at the beginning of a text: its sign and digits, and the same with
    /// fraction and exponent. Empty if the text begins with no number.
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
