/// A code with which SQLite reports success or an error, such as `SQLITE_BUSY`.
///
/// A *primary* code, such as ``SQLITE_CONSTRAINT``, identifies the kind of an error. An *extended*
/// code, such as ``SQLITE_CONSTRAINT_FOREIGNKEY``, adds detail to a primary code.
///
/// In a pattern, a primary code matches itself and all its extended codes. An extended code only
/// matches itself:
///
/// ```swift
/// do {
///     try player.insert(db)
/// } catch DatabaseError.SQLITE_CONSTRAINT_FOREIGNKEY {
///     // a foreign key constraint failed
/// } catch DatabaseError.SQLITE_CONSTRAINT {
///     // another constraint failed
/// }
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/rescode.html>
public struct ResultCode: RawRepresentable, Hashable, Sendable {
    /// The code that the C API returns.
    public let rawValue: CInt

    /// Creates a result code. Any value is accepted, because SQLite may introduce new codes.
    public init(rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// The primary result code: ``SQLITE_CONSTRAINT`` for ``SQLITE_CONSTRAINT_UNIQUE``.
    public var primaryResultCode: ResultCode {
        ResultCode(rawValue: rawValue & 0xff)
    }

    /// Whether the code is a primary code.
    var isPrimary: Bool {
        self == primaryResultCode
    }
}

// MARK: - Patterns

extension ResultCode {
    /// Returns true if the code equals the pattern, or is an extended code of a primary pattern.
    public static func ~= (pattern: ResultCode, code: ResultCode) -> Bool {
        pattern == (pattern.isPrimary ? code.primaryResultCode : code)
    }

    /// Returns true if the error is a ``DatabaseError`` whose extended code matches the pattern.
    public static func ~= (lhs: ResultCode, rhs: any Error) -> Bool {
        guard let error = rhs as? DatabaseError else { return false }
        return lhs ~= error.extendedResultCode
    }
}

// MARK: - Description

extension ResultCode: CustomStringConvertible {
    /// The code and SQLite's English text of it: `19 (constraint failed)`.
    public var description: String {
        "\(rawValue) (\(RawSQLite.errorString(rawValue)))"
    }
}
