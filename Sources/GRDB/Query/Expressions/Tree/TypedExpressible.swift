/// An SQL expression that carries the Swift type of its values.
///
/// A comparison with a value of another type does not compile, nor does an assignment:
///
/// ```swift
/// extension Player {
///     enum Columns {
///         static let name = TypedColumn<String>("name")
///         static let score = TypedColumn<Int?>("score")
///     }
/// }
///
/// Player.filter { $0.score > 1000 }   // OK
/// Player.filter { $0.score == nil }   // OK
/// Player.filter { $0.score > "1000" } // does not compile
/// ```
///
/// All typed expressions can be compared with nil. A column that is never NULL in its table is NULL
/// if an optional association has no row.
///
/// Conditions on typed expressions are plain ``SQLExpression``, which all requests accept. An
/// expression of an optional type may be NULL.
///
/// If the type gets in the way, use ``untyped``, which is the same expression without a type.
public protocol TypedExpressible<Value>: SQLExpressible, SQLSelectable, SQLOrderingTerm {
    /// The type of the values. It is optional if values may be NULL.
    associatedtype Value
}

extension TypedExpressible {
    public var sqlSelection: SQLSelection { SQLSelection(sqlExpression.node) }

    public var sqlOrdering: SQLOrdering { SQLOrdering(sqlExpression.node) }

    /// The same expression without its type. It can be compared with any other expression.
    public var untyped: SQLExpression { sqlExpression }

    // MARK: - Selection and order

    /// Gives the expression a name in the selection and in fetched rows.
    public func forKey(_ key: String) -> SQLSelection { untyped.forKey(key) }

    /// Gives the expression the name of a coding key in the selection and in fetched rows.
    public func forKey(_ key: some CodingKey) -> SQLSelection { untyped.forKey(key) }

    /// Sorts in ascending order.
    public var asc: SQLOrdering { untyped.asc }

    /// Sorts in descending order.
    public var desc: SQLOrdering { untyped.desc }

    /// Sorts in ascending order, with NULL values at the end.
    public var ascNullsLast: SQLOrdering { untyped.ascNullsLast }

    /// Sorts in descending order, with NULL values at the beginning.
    public var descNullsFirst: SQLOrdering { untyped.descNullsFirst }

    /// Returns an expression that is compared and sorted with a collation.
    public func collating(_ collation: Database.CollationName) -> TypedExpression<Value> {
        TypedExpression(untyped.collating(collation))
    }

    /// Returns an expression that is compared and sorted with a collation.
    public func collating(_ collation: DatabaseCollation) -> TypedExpression<Value> {
        TypedExpression(untyped.collating(collation))
    }
}

/// A computed SQL expression that carries the Swift type of its values. See ``TypedExpressible``.
///
/// ```swift
/// // "score" + "bonus"
/// let total: TypedExpression<Int> = Player.Columns.score + Player.Columns.bonus
/// ```
public struct TypedExpression<Value>: TypedExpressible, Sendable {
    public let sqlExpression: SQLExpression

    /// Gives a type to an expression.
    ///
    /// ```swift
    /// let year = TypedExpression<Int>(SQL("CAST(STRFTIME('%Y', \(Column("date"))) AS INTEGER)"))
    /// ```
    public init(_ expression: some SQLSpecificExpressible) {
        sqlExpression = expression.sqlExpression
    }
}

/// A column that carries the Swift type of its values. See ``TypedExpressible``.
///
/// ```swift
/// enum Columns {
///     static let id = TypedColumn<Int64>("id")
///     static let score = TypedColumn<Int?>("score")
/// }
///
/// let row = try Row.fetchOne(db, Player.all())!
/// let score = row[Player.Columns.score] // Int?
///
/// // SELECT "id" FROM "player"
/// let ids = try Player.select(\.id).fetchAll(db) // [Int64]
/// ```
public struct TypedColumn<Value>: TypedExpressible, _NamedColumn, Hashable, Sendable {
    /// The name of the column, unquoted.
    public var name: String

    /// Creates a column from its name and the type of its values.
    public init(_ name: String, of type: Value.Type = Value.self) {
        self.name = name
    }

    /// Creates a column from a coding key and the type of its values.
    public init(_ codingKey: some CodingKey, of type: Value.Type = Value.self) {
        name = codingKey.stringValue
    }

    /// The same column without its type.
    public var column: Column { Column(name) }

    public var sqlExpression: SQLExpression { column.sqlExpression }

    /// The column without a table: refers to a named expression of the selection. See
    /// ``ColumnExpression/detached``.
    public var detached: TypedExpression<Value> { TypedExpression(column.detached) }
}

// MARK: - Assignments

extension TypedColumn {
    /// Assigns a value.
    ///
    /// ```swift
    /// // UPDATE "player" SET "score" = 0
    /// try Player.updateAll(db) { $0.score.set(to: 0) }
    /// ```
    public func set(to value: Value) -> ColumnAssignment where Value: SQLExpressible {
        column.set(to: value)
    }

    /// Assigns an expression.
    public func set(to expression: some TypedExpressible<Value>) -> ColumnAssignment {
        column.set(to: expression.sqlExpression)
    }

    /// Assigns an expression that is never NULL to a column that may be NULL.
    public func set<Wrapped>(to expression: some TypedExpressible<Wrapped>) -> ColumnAssignment
    where Value == Wrapped? {
        column.set(to: expression.sqlExpression)
    }

    /// Assigns a condition.
    ///
    /// ```swift
    /// // UPDATE "player" SET "isExpert" = "score" > 1000
    /// try Player.updateAll(db) { $0.isExpert.set(to: $0.score > 1000) }
    /// ```
    public func set(to condition: SQLExpression) -> ColumnAssignment where Value == Bool {
        column.set(to: condition)
    }

    /// Assigns a condition, which may be NULL.
    public func set(to condition: SQLExpression) -> ColumnAssignment where Value == Bool? {
        column.set(to: condition)
    }

    /// An assignment that preserves the value of the column when an upsert updates the row. See
    /// ``ColumnExpression/noOverwrite``.
    public var noOverwrite: ColumnAssignment { column.noOverwrite }
}

// MARK: - Rows

extension Row {
    /// The value of the column.
    ///
    /// - precondition: the column exists unless its type is optional, and the value can be
    ///   converted.
    public subscript<Value: DatabaseValueConvertible>(_ column: TypedColumn<Value>) -> Value {
        self[column.name]
    }

    /// Returns the value of the column.
    ///
    /// - throws: a ``RowDecodingError``.
    public func decode<Value: DatabaseValueConvertible>(
        forColumn column: TypedColumn<Value>
    ) throws -> Value {
        try decode(Value.self, forColumn: column.name)
    }
}
