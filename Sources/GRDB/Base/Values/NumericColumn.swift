/// Reads numbers from the columns of a raw statement, with a single type check.
///
/// A number is read from an INTEGER, from a REAL, and from a TEXT that is entirely numeric.
/// SQLite's casts would convert other texts to their numeric prefix, or to zero. The library throws
/// a decoding error instead. If a number is read as an integer, its fraction is discarded: see
/// `integer(_:)` for the reason.
@usableFromInline
enum NumericColumn {
    /// The integer in a column; nil if the value is not a number, or does not fit.
    @inlinable
    static func integer<Integer: FixedWidthInteger>(
        _ statement: SQLiteStatement, _ index: CInt, as type: Integer.Type = Integer.self
    ) -> Integer? {
        let column = RawColumn.integer(statement, index)
        if column.type == RawType.integer {
            return Integer(exactly: column.value)
        }
        if column.type == RawType.null { return nil }
        return convertedInteger(statement, index, column.type)
    }

    /// The integer in a column; nil if the value is not a number, or does not fit.
    ///
    /// This function is for the most common types. It calls no generic function: if it did, the
    /// compiler would not specialize `Int.fromStatement` and `Int64.fromStatement` in app code, and
    /// call them through the witness table.
    @inlinable
    static func int64(_ statement: SQLiteStatement, _ index: CInt) -> Int64? {
        let column = RawColumn.integer(statement, index)
        if column.type == RawType.integer { return column.value }
        return column.type == RawType.null ? nil : convertedInt64(statement, index, column.type)
    }

    /// The real number in a column; nil if the value is not a number.
    @inlinable
    static func real(_ statement: SQLiteStatement, _ index: CInt) -> Double? {
        let column = RawColumn.real(statement, index)
        // SQLite converts an integer to the nearest real number as well.
        if column.type == RawType.float || column.type == RawType.integer {
            return column.value
        }
        return column.type == RawType.text ? realText(statement, index) : nil
    }

    @usableFromInline
    static func convertedInt64(
        _ statement: SQLiteStatement, _ index: CInt, _ columnType: CInt
    ) -> Int64? {
        convertedInteger(statement, index, columnType)
    }

    @usableFromInline
    static func convertedInteger<Integer: FixedWidthInteger>(
        _ statement: SQLiteStatement, _ index: CInt, _ columnType: CInt
    ) -> Integer? {
        switch columnType {
        case RawType.float:
            integer(RawColumn.double(statement, index))
        case RawType.text:
            NumericText(RawColumn.content(statement, index).bytes)?.integer()
        default:
            nil
        }
    }

    @usableFromInline
    static func realText(_ statement: SQLiteStatement, _ index: CInt) -> Double? {
        NumericText(RawColumn.content(statement, index).bytes)?.real
    }

    /// The integer part of a real number; nil if it does not fit.
    ///
    /// Averages and quotients are often needed as integers. Code that requests an integer ignores
    /// the fraction. All integer types use this function.
    static func integer<Integer: FixedWidthInteger>(_ real: Double) -> Integer? {
        Integer(exactly: real.rounded(.towardZero))
    }
}

// MARK: - Database values

/// Unlike raw columns, database values distinguish numbers from numeric texts. Apps that must not
/// convert texts can decode from database values.
extension DatabaseValue {
    /// The integer that equals the value; nil if the value is not an integer, or does not fit.
    func integer<Integer: FixedWidthInteger>(as type: Integer.Type = Integer.self) -> Integer? {
        switch storage {
        case .int64(let value): Integer(exactly: value)
        case .double(let value): NumericColumn.integer(value)
        default: nil
        }
    }

    /// The real number nearest to the value; nil if it is not a number.
    var real: Double? {
        switch storage {
        case .int64(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }
}
