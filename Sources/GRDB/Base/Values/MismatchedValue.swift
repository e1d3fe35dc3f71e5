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
        guard let content = ValueContent(of: type) else { return nil }
        let text: String
        switch storage {
        case .string(let string): text = string
        case .blob(let blob): text = String(decoding: blob, as: UTF8.self)
        case .null, .int64, .double: return nil
        }
        return text.withUnsafeUTF8 { utf8 in
            let number = NumericText(utf8, allowsRest: true)
            let numberText = number.map { String(decoding: $0.text, as: UTF8.self) } ?? "0"
            switch content {
            case .integer:
                // The whole text may be an integer in another notation: `1e3`.
                let integer: Int64? = NumericText(utf8)?.integer()
                return (integer ?? number?.integerPart ?? 0).databaseValue
            // Like SQLite, Swift reads a number that is out of range as infinity.
            case .real: return (Double(numberText) ?? 0).databaseValue
            case .decimal: return numberText.databaseValue
            case .text: return text.databaseValue
            }
        }
    }
}
