import _GRDBSystem

// With `Configuration.convertsMismatchedValues`, values that don't have the requested type are
// converted like `sqlite3_column_int64`, `sqlite3_column_double` and `sqlite3_column_text` do.
// Otherwise, the library throws an error. This code runs only after a value did not have the
// requested type.

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
        func rawValueType<Value: RawRepresentable>(_ type: Value.Type) -> Any.Type {
            Value.RawValue.self
        }
        return text.withUnsafeUTF8 { utf8 in
            let number = NumericText(utf8, allowsRest: true)
            let numberText = number.map { String(decoding: $0.text, as: UTF8.self) } ?? "0"
            switch type {
            case is any BinaryInteger.Type:
                // The whole text may be an integer in another notation: `1e3`.
                let integer: Int64? = NumericText(utf8)?.integer()
                return (integer ?? number?.integerPart ?? 0).databaseValue
            // A real number for booleans too, because 0.5 is true. Like SQLite, Swift reads a number that is
            // out of range as infinity.
            case is any BinaryFloatingPoint.Type, is Bool.Type:
                return (Double(numberText) ?? 0).databaseValue
            case is Decimal.Type: return numberText.databaseValue
            case is String.Type: return text.databaseValue
            case let type as any OptionalValue.Type: return converted(for: type.wrappedType)
            case let type as any RawRepresentable.Type: return converted(for: rawValueType(type))
            default: return nil
            }
        }
    }
}
