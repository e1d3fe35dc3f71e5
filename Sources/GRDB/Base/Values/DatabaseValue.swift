public import _GRDBSystem

/// A value of SQLite: an integer, a real number, text, a blob, or NULL.
///
/// ```swift
/// let dbValue = "Arthur".databaseValue
/// try dbQueue.read { db in
///     let fetched = try DatabaseValue.fetchOne(db, sql: "SELECT name FROM player")
///     switch fetched?.storage {
///     case .string(let name): print(name)
///     default: break
///     }
/// }
/// ```
///
/// Two values are equal if SQLite considers them equal without type affinity: an integer equals a
/// real number of the same mathematical value, and a string never equals a blob. Texts are compared
/// like Swift strings.
///
/// See <doc:Values>.
///
/// Related SQLite documentation: <https://www.sqlite.org/datatype3.html>
public struct DatabaseValue: Sendable {
    /// The storage class and the value.
    public let storage: Storage

    /// A value as SQLite stores it: NULL, INTEGER, REAL, TEXT or BLOB.
    @frozen
    public enum Storage: Sendable {
        /// The NULL storage class.
        case null
        /// The INTEGER storage class.
        case int64(Int64)
        /// The REAL storage class.
        case double(Double)
        /// The TEXT storage class.
        case string(String)
        /// The BLOB storage class.
        case blob(Data)

        /// The stored value as `Int64`, `Double`, `String` or `Data`; nil for NULL.
        public var value: (any DatabaseValueConvertible)? {
            switch self {
            case .null: nil
            case .int64(let value): value
            case .double(let value): value
            case .string(let value): value
            case .blob(let value): value
            }
        }
    }

    /// The NULL value.
    public static let null = DatabaseValue(storage: .null)

    @usableFromInline
    package init(storage: Storage) {
        self.storage = storage
    }

    /// Whether the value is NULL.
    public var isNull: Bool {
        if case .null = storage { true } else { false }
    }

    /// Creates a database value from any value: a database value, a ``DatabaseValueConvertible``
    /// value, including NSxxx classes, or an optional of these.
    ///
    /// - returns: nil if the value can't be stored in a database.
    public init?(value: Any) {
        guard let convertible = value as? any DatabaseValueConvertible,
            let dbValue = convertible._storableDatabaseValue
        else {
            return nil
        }
        self = dbValue
    }

    /// Reads a column of the current row of a raw statement.
    ///
    /// - parameter sqliteStatement: a raw statement with a current row.
    /// - parameter index: the index of the column, from 0.
    public init(sqliteStatement: SQLiteStatement, index: CInt) {
        let integer = RawColumn.integer(sqliteStatement, index)
        switch integer.type {
        case RawType.integer:
            storage = .int64(integer.value)
        case RawType.float:
            storage = .double(RawColumn.real(sqliteStatement, index).value)
        case RawType.text:
            storage = .string(RawColumn.string(sqliteStatement, index))
        case RawType.blob:
            storage = .blob(Data(RawColumn.bytes(sqliteStatement, index)))
        default:
            storage = .null
        }
    }
}

// MARK: - Equality

extension DatabaseValue.Storage: Hashable {
    public static func == (lhs: Self, rhs: Self) -> Bool {
        switch (lhs, rhs) {
        case (.null, .null): true
        case (.int64(let lhs), .int64(let rhs)): lhs == rhs
        case (.double(let lhs), .double(let rhs)): lhs == rhs
        case (.string(let lhs), .string(let rhs)): lhs == rhs
        case (.blob(let lhs), .blob(let rhs)): lhs.hasSameBytes(as: rhs)
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .int64(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .string(let value): hasher.combine(value)
        case .blob(let value): hasher.combine(value)
        }
    }
}

extension DatabaseValue: Hashable {
    public static func == (lhs: DatabaseValue, rhs: DatabaseValue) -> Bool {
        switch (lhs.storage, rhs.storage) {
        case (.int64(let integer), .double(let real)), (.double(let real), .int64(let integer)):
            Int64(exactly: real) == integer
        case (let lhs, let rhs):
            lhs == rhs
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch storage {
        case .double(let real):
            // A real that equals an integer must have the same hash.
            if let integer = Int64(exactly: real) {
                hasher.combine(integer)
            } else {
                hasher.combine(real)
            }
        default:
            storage.hash(into: &hasher)
        }
    }
}

// MARK: - Conversions

extension DatabaseValue: DatabaseValueConvertible {
    public var databaseValue: DatabaseValue { self }

    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> DatabaseValue? {
        dbValue
    }
}

extension DatabaseValue: StatementBinding {
    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        switch storage {
        case .null:
            RawBinding.null(sqliteStatement, index)
        case .int64(let value):
            RawBinding.int64(sqliteStatement, index, value)
        case .double(let value):
            RawBinding.double(sqliteStatement, index, value)
        case .string(let value):
            RawBinding.text(sqliteStatement, index, value)
        case .blob(let value):
            value.withUnsafeBytes { RawBinding.blob(sqliteStatement, index, $0) }
        }
    }
}

extension DatabaseValue: SQLExpressible {
    public var sqlExpression: SQLExpression { SQLExpression(self) }
}

extension DatabaseValue: SQLLeaf {
    var traits: SQLTraits { .repeatable }

    var condition: SQLCondition { .constant(self) }

    /// The negation of NULL, 0 and 1 is written as a constant.
    var negation: SQLExpression? {
        switch storage {
        case .null: sqlExpression
        case .int64(0): true.sqlExpression
        case .int64(1): false.sqlExpression
        default: nil
        }
    }

    func write(to writer: SQLWriter) throws {
        writer.append(value: self)
    }
}

extension DatabaseValue: CustomStringConvertible {
    /// The value as text: texts in quotes, and the sizes of blobs instead of their bytes.
    public var description: String {
        switch storage {
        case .null: "NULL"
        case .int64(let value): value.description
        case .double(let value): value.description
        case .string(let value): value.debugDescription
        case .blob(let value): "Data(\(value.count) bytes)"
        }
    }
}

extension DatabaseValue {
    /// The value of an argument of an SQL function, or of the preupdate hook.
    package init(rawValue value: OpaquePointer) {
        switch RawValue.type(value) {
        case RawType.integer:
            storage = .int64(RawValue.int64(value))
        case RawType.float:
            storage = .double(RawValue.double(value))
        case RawType.text:
            storage = .string(RawValue.string(value))
        case RawType.blob:
            storage = .blob(Data(RawValue.bytes(value)))
        default:
            storage = .null
        }
    }
}

extension DatabaseValue {
    /// Whether the values are stored identically: 1 differs from 1.0, texts with other bytes differ, and
    /// NaN equals itself.
    @inline(never)
    func isIdentical(to other: DatabaseValue) -> Bool {
        switch (storage, other.storage) {
        case (.null, .null): true
        case (.int64(let value), .int64(let other)): value == other
        case (.double(let value), .double(let other)): value.bitPattern == other.bitPattern
        case (.string(let value), .string(let other)): value.hasSameBytes(as: other)
        case (.blob(let value), .blob(let other)): value.hasSameBytes(as: other)
        default: false
        }
    }
}

extension Data {
    /// Not inlined, unlike `==`, whose code is long.
    @inline(never)
    fileprivate func hasSameBytes(as other: Data) -> Bool { self == other }
}
