/// Reads numbers from the columns of a raw statement, checking the type once.
///
/// A number is read from an INTEGER, from a REAL, and from a TEXT that is a number from its first
/// character to its last. Where SQLite's casts would read zero, or the digits that a text begins
/// with, there is no value: the library throws a decoding error. A number with a fraction, read as
/// an integer, loses the fraction: see `integer(_:)` for the reason.
@usableFromInline
enum NumericColumn {
    /// The integer in a column, nil if there is none, or if it does not fit.
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

    /// The integer in a column, nil if there is none, or if it does not fit.
    ///
    /// For the types that are read most often. It calls no generic function: as long as one did, the
    /// compiler left `Int.fromStatement` and `Int64.fromStatement` to the table of witnesses, in
    /// code of apps that is otherwise specialized.
    @inlinable
    static func int64(_ statement: SQLiteStatement, _ index: CInt) -> Int64? {
        let column = RawColumn.integer(statement, index)
        if column.type == RawType.integer { return column.value }
        return column.type == RawType.null ? nil : convertedInt64(statement, index, column.type)
    }

    /// The real number in a column, nil if there is none.
    @inlinable
    static func real(_ statement: SQLiteStatement, _ index: CInt) -> Double? {
        let column = RawColumn.real(statement, index)
        // SQLite turns an integer into the nearest real number, too.
        if column.type == RawType.float || column.type == RawType.integer {
            return column.value
        }
        return column.type == RawType.text ? realText(statement, index) : nil
    }

    /// Whether the number in a column is not zero, nil if there is none.
    @inlinable
    static func boolean(_ statement: SQLiteStatement, _ index: CInt) -> Bool? {
        real(statement, index).map { $0 != 0 }
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
            NumericText(RawColumn.utf8(statement, index))?.integer()
        default:
            nil
        }
    }

    @usableFromInline
    static func realText(_ statement: SQLiteStatement, _ index: CInt) -> Double? {
        NumericText(RawColumn.utf8(statement, index))?.real
    }

    /// The integer part of a real number, nil if it does not fit.
    ///
    /// Averages and quotients are often wanted as integers: asking for an integer says that the
    /// fraction does not matter. All integer types come here.
    static func integer<Integer: FixedWidthInteger>(_ real: Double) -> Integer? {
        Integer(exactly: real.rounded(.towardZero))
    }
}

// MARK: - Database values

/// Unlike raw columns, database values distinguish numbers from texts that look like numbers. An
/// app that does not want texts converted decodes from database values.
extension DatabaseValue {
    /// The integer that equals the value, nil if there is none, or if it does not fit.
    func integer<Integer: FixedWidthInteger>(as type: Integer.Type = Integer.self) -> Integer? {
        switch storage {
        case .int64(let value): Integer(exactly: value)
        case .double(let value): NumericColumn.integer(value)
        default: nil
        }
    }

    /// The real number nearest to the value, nil if it is not a number.
    var real: Double? {
        switch storage {
        case .int64(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }
}
