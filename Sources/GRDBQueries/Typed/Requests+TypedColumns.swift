import GRDB

// The typed columns of record types in requests and aliases.

extension FilteredRequest where Self: TypedRequest, RowDecoder: TableRecord {
    /// Filters rows by a boolean column or expression.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "isActive"
    /// let request = Player.all().filter { $0.isActive }
    /// ```
    @_disfavoredOverload  // the compiler tries the other overloads first, and stops if one fits
    public func filter(
        _ predicate: (DatabaseComponents) throws -> some TypedExpressible<Bool>
    ) rethrows -> Self {
        try filter(predicate(RowDecoder.databaseComponents))
    }
}

// Separate methods instead of one for `some TypedExpressible`, with which the compiler would try
// all operators on each closure that returns another type.
extension QueryInterfaceRequest where RowDecoder: TableRecord {
    /// Selects an expression, and decodes rows as its type.
    ///
    /// ```swift
    /// // SELECT "score" FROM "player"
    /// let scores = try Player.all().select { $0.score }.fetchAll(db) // [Int]
    /// ```
    public func select<Value>(
        _ selection: (DatabaseComponents) throws -> TypedExpression<Value>
    ) rethrows -> QueryInterfaceRequest<Value> {
        try select(selection(RowDecoder.databaseComponents))
    }

    /// Selects a column, and decodes rows as its type.
    public func select<Value>(
        _ selection: (DatabaseComponents) throws -> TypedColumn<Value>
    ) rethrows -> QueryInterfaceRequest<Value> {
        try select(selection(RowDecoder.databaseComponents))
    }
}

extension TableRecord {
    /// Returns a request for the rows that meet a condition.
    @_disfavoredOverload  // the compiler tries the other overloads first, and stops if one fits
    public static func filter(
        _ predicate: any TypedExpressible<Bool>
    ) -> QueryInterfaceRequest<Self> {
        all().filter(predicate)
    }

    /// Returns a request for the rows that meet a condition.
    ///
    /// ```swift
    /// // SELECT * FROM "player" WHERE "isActive"
    /// let request = Player.filter { $0.isActive }
    /// ```
    @_disfavoredOverload  // the compiler tries the other overloads first, and stops if one fits
    public static func filter(
        _ predicate: (DatabaseComponents) throws -> some TypedExpressible<Bool>
    ) rethrows -> QueryInterfaceRequest<Self> {
        try all().filter(predicate)
    }

    /// Selects an expression, and decodes rows as its type.
    public static func select<Value>(
        _ selection: any TypedExpressible<Value>
    ) -> QueryInterfaceRequest<Value> {
        all().select(selection)
    }

    /// Selects an expression, and decodes rows as its type.
    ///
    /// ```swift
    /// // SELECT "score" FROM "player"
    /// let scores = try Player.select(\.score).fetchAll(db) // [Int]
    /// ```
    public static func select<Value>(
        _ selection: (DatabaseComponents) throws -> TypedExpression<Value>
    ) rethrows -> QueryInterfaceRequest<Value> {
        try all().select(selection)
    }

    /// Selects a column, and decodes rows as its type.
    public static func select<Value>(
        _ selection: (DatabaseComponents) throws -> TypedColumn<Value>
    ) rethrows -> QueryInterfaceRequest<Value> {
        try all().select(selection)
    }
}

// MARK: - Aliases

extension TableAlias where RowDecoder: TableRecord {
    /// A typed expression on the aliased table.
    public subscript<T>(
        dynamicMember keyPath: KeyPath<DatabaseComponents, T>
    ) -> TypedExpression<T.Value> where T: TypedExpressible {
        self[RowDecoder.databaseComponents[keyPath: keyPath]]
    }
}
