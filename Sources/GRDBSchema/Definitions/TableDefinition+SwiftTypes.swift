import GRDB
public import _GRDBSystem

/// A Swift type that can declare the columns that store its values.
///
/// See `column(_:of:)` of ``/GRDB/TableDefinition``. The value types of the library conform. Make your
/// own types conform to use them in table definitions:
///
/// ```swift
/// extension Grape: DatabaseColumnDeclarable {
///     static var databaseColumnType: Database.ColumnType { .text }
/// }
/// ```
public protocol DatabaseColumnDeclarable {
    /// The declared type of the column.
    static var databaseColumnType: Database.ColumnType { get }

    /// Whether the column accepts NULL. The default is false, and true for optionals.
    static var isDatabaseColumnNullable: Bool { get }
}

extension DatabaseColumnDeclarable {
    public static var isDatabaseColumnNullable: Bool { false }
}

extension Optional: DatabaseColumnDeclarable where Wrapped: DatabaseColumnDeclarable {
    public static var databaseColumnType: Database.ColumnType { Wrapped.databaseColumnType }
    public static var isDatabaseColumnNullable: Bool { true }
}

extension DatabaseColumnDeclarable where Self: FixedWidthInteger {
    public static var databaseColumnType: Database.ColumnType { .integer }
}

extension Int: DatabaseColumnDeclarable {}
extension Int8: DatabaseColumnDeclarable {}
extension Int16: DatabaseColumnDeclarable {}
extension Int32: DatabaseColumnDeclarable {}
extension Int64: DatabaseColumnDeclarable {}
extension UInt: DatabaseColumnDeclarable {}
extension UInt8: DatabaseColumnDeclarable {}
extension UInt16: DatabaseColumnDeclarable {}
extension UInt32: DatabaseColumnDeclarable {}
extension UInt64: DatabaseColumnDeclarable {}

extension Bool: DatabaseColumnDeclarable {
    public static var databaseColumnType: Database.ColumnType { .boolean }
}

extension Double: DatabaseColumnDeclarable {
    public static var databaseColumnType: Database.ColumnType { .double }
}

extension Float: DatabaseColumnDeclarable {
    public static var databaseColumnType: Database.ColumnType { .double }
}

extension String: DatabaseColumnDeclarable {
    public static var databaseColumnType: Database.ColumnType { .text }
}

extension Data: DatabaseColumnDeclarable {
    public static var databaseColumnType: Database.ColumnType { .blob }
}

extension Date: DatabaseColumnDeclarable {
    public static var databaseColumnType: Database.ColumnType { .datetime }
}

/// Stored as a blob of 16 bytes.
extension UUID: DatabaseColumnDeclarable {
    public static var databaseColumnType: Database.ColumnType { .blob }
}

extension URL: DatabaseColumnDeclarable {
    public static var databaseColumnType: Database.ColumnType { .text }
}

/// Stored as text: a numeric column would round it.
extension Decimal: DatabaseColumnDeclarable {
    public static var databaseColumnType: Database.ColumnType { .text }
}

extension TableDefinition {
    /// Appends a column for values of a Swift type. The type determines the declared type of the
    /// column, and whether it accepts NULL.
    ///
    /// ```swift
    /// // CREATE TABLE "player" (
    /// //   "name" TEXT NOT NULL,
    /// //   "birthDate" DATETIME
    /// // )
    /// try db.create(table: "player") { t in
    ///     t.column("name", of: String.self)
    ///     t.column("birthDate", of: Date?.self)
    /// }
    /// ```
    ///
    /// - returns: the definition of the column, to add constraints.
    @discardableResult
    public func column<Value: DatabaseColumnDeclarable>(
        _ name: String, of type: Value.Type
    ) -> ColumnDefinition {
        let definition = column(name, Value.databaseColumnType)
        return Value.isDatabaseColumnNullable ? definition : definition.notNull()
    }

    /// Appends a column for values of a Swift type.
    @discardableResult
    public func column<Value: DatabaseColumnDeclarable>(
        _ column: some ColumnExpression, of type: Value.Type
    ) -> ColumnDefinition {
        self.column(column.name, of: type)
    }
}
