/// A value computed from all rows of an association.
///
/// ```swift
/// // SELECT "author".*, COUNT(DISTINCT "book"."id") AS "bookCount"
/// // FROM "author"
/// // LEFT JOIN "book" ON "book"."authorId" = "author"."id"
/// // GROUP BY "author"."id"
/// Author.annotated(with: Author.books.count)
///
/// // SELECT "author".*
/// // FROM "author"
/// // LEFT JOIN "book" ON "book"."authorId" = "author"."id"
/// // GROUP BY "author"."id"
/// // HAVING COUNT(DISTINCT "book"."id") = 0
/// Author.having(Author.books.isEmpty)
/// ```
///
/// To-many associations have aggregates, such as ``AssociationToMany/count``. Aggregates can be
/// combined with operators, compared, and named with ``forKey(_:)-(String)``.
///
/// Aggregates of associations with the same key are computed from the same rows.
///
/// See <doc:AssociationAggregates>.
public struct AssociationAggregate<RowDecoder>: Sendable {
    /// The joins of the aggregated rows.
    let joins: [Join]

    let expression: Relation.Deferred<SQLExpression>

    /// The negation of a condition, if it has a specific SQL form.
    var negation: Relation.Deferred<SQLExpression>?

    /// The name of the column; nil to leave it unnamed.
    var key: String?

    /// The expression, with its name.
    var selection: Relation.Deferred<[any SQLSelectable]> {
        let (expression, key) = (expression, key)
        return { db in
            let expression = try expression(db)
            if let key { return [expression.forKey(key)] }
            return [expression]
        }
    }

    /// Gives the column of the aggregate a name.
    ///
    /// ```swift
    /// // SELECT "author".*, COUNT(DISTINCT "book"."id") AS "numberOfBooks" FROM …
    /// Author.annotated(with: Author.books.count.forKey("numberOfBooks"))
    /// ```
    public func forKey(_ key: String) -> AssociationAggregate<RowDecoder> {
        var aggregate = self
        aggregate.key = key
        return aggregate
    }

    /// Gives the column of the aggregate the name of a coding key.
    public func forKey(_ key: some CodingKey) -> AssociationAggregate<RowDecoder> {
        forKey(key.stringValue)
    }

    /// Returns an aggregate of the same rows, with a transformed expression.
    ///
    /// - parameter keepsKey: whether the result has the same name.
    func map(
        keepsKey: Bool = false, _ transform: @escaping @Sendable (SQLExpression) -> SQLExpression
    ) -> AssociationAggregate<RowDecoder> {
        let expression = expression
        return AssociationAggregate(
            joins: joins, expression: { db in try transform(expression(db)) },
            key: keepsKey ? key : nil)
    }

    /// Returns an aggregate that combines the expressions of two aggregates.
    func combined(
        with other: AssociationAggregate<RowDecoder>,
        _ combine: @escaping @Sendable (SQLExpression, SQLExpression) -> SQLExpression
    ) -> AssociationAggregate<RowDecoder> {
        let (expression, otherExpression) = (expression, other.expression)
        return AssociationAggregate(
            joins: joins + other.joins,
            expression: { db in try combine(expression(db), otherExpression(db)) })
    }
}

// MARK: - Aggregates of associations

extension AssociationToMany {
    /// The number of associated rows.
    ///
    /// ```swift
    /// // SELECT "author".*, COUNT(DISTINCT "book"."id") AS "bookCount"
    /// // FROM "author"
    /// // LEFT JOIN "book" ON "book"."authorId" = "author"."id"
    /// // GROUP BY "author"."id"
    /// Author.annotated(with: Author.books.count)
    /// ```
    ///
    /// The aggregate counts rowids or primary keys. The statement fails if the destination is a
    /// view without a primary key.
    public var count: AssociationAggregate<OriginRowDecoder> {
        let alias = TableAliasBase(name: nil)
        let table = _join.join.relation.tableName
        return AssociationAggregate(
            joins: [aggregatedJoin(alias)],
            expression: { db in
                try GRDB.count(distinct: alias[db.rowKeyColumns(of: table).rowIdentity])
            },
            key: "\(_join.singularKey)Count")
    }

    /// Whether there are no associated rows.
    ///
    /// ```swift
    /// // SELECT "author".*
    /// // FROM "author"
    /// // LEFT JOIN "book" ON "book"."authorId" = "author"."id"
    /// // GROUP BY "author"."id"
    /// // HAVING COUNT(DISTINCT "book"."id") = 0
    /// Author.having(Author.books.isEmpty)
    /// ```
    public var isEmpty: AssociationAggregate<OriginRowDecoder> {
        let count = count
        func comparison(_ comparison: String) -> AssociationAggregate<OriginRowDecoder> {
            count.map { SQLExpression(CountComparison(count: $0, comparison: comparison)) }
        }
        var aggregate = comparison(" = 0")
        aggregate.negation = comparison(" > 0").expression
        aggregate.key = "hasNo\(_join.singularKey.capitalizingFirst)"
        return aggregate
    }

    /// The average of an expression over the associated rows.
    ///
    /// ```swift
    /// // SELECT "author".*, AVG("book"."price") AS "averageBookPrice" FROM …
    /// Author.annotated(with: Author.books.average(Column("price")))
    /// ```
    public func average(
        _ expression: any SQLSpecificExpressible
    ) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(expression, key: { "average\($0.capitalizingFirst)\($1)" }) { GRDB.average($0) }
    }

    /// The maximum of an expression over the associated rows.
    ///
    /// ```swift
    /// // SELECT "author".*, MAX("book"."year") AS "maxBookYear" FROM …
    /// Author.annotated(with: Author.books.max(Column("year")))
    /// ```
    public func max(
        _ expression: any SQLSpecificExpressible
    ) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(expression, key: { "max\($0.capitalizingFirst)\($1)" }) { GRDB.max($0) }
    }

    /// The minimum of an expression over the associated rows.
    ///
    /// ```swift
    /// // SELECT "author".*, MIN("book"."year") AS "minBookYear" FROM …
    /// Author.annotated(with: Author.books.min(Column("year")))
    /// ```
    public func min(
        _ expression: any SQLSpecificExpressible
    ) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(expression, key: { "min\($0.capitalizingFirst)\($1)" }) { GRDB.min($0) }
    }

    /// The sum of an expression over the associated rows; NULL if there are none.
    ///
    /// ```swift
    /// // SELECT "author".*, SUM("book"."price") AS "bookPriceSum" FROM …
    /// Author.annotated(with: Author.books.sum(Column("price")))
    /// ```
    public func sum(
        _ expression: any SQLSpecificExpressible
    ) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(expression, key: { "\($0)\($1)Sum" }) { GRDB.sum($0) }
    }

    /// The sum of an expression over the associated rows, as a real number; 0.0 if there are none.
    ///
    /// ```swift
    /// // SELECT "author".*, TOTAL("book"."price") AS "bookPriceSum" FROM …
    /// Author.annotated(with: Author.books.total(Column("price")))
    /// ```
    public func total(
        _ expression: any SQLSpecificExpressible
    ) -> AssociationAggregate<OriginRowDecoder> {
        aggregate(expression, key: { "\($0)\($1)Sum" }) { GRDB.total($0) }
    }

    /// Returns an aggregate of an expression on the associated table.
    ///
    /// - parameter key: returns the name of the aggregate from the names of the association and the
    ///   column.
    private func aggregate(
        _ expression: any SQLSpecificExpressible,
        key: (_ association: String, _ column: String) -> String,
        _ function: @escaping @Sendable (SQLExpression) -> SQLExpression
    ) -> AssociationAggregate<OriginRowDecoder> {
        let expression = expression.sqlExpression
        let alias = TableAliasBase(name: nil)
        let column = expression.node.columnName(aliases: [])
        return AssociationAggregate(
            joins: [aggregatedJoin(alias)],
            expression: { _ in function(alias[expression]) },
            key: column.map { key(_join.singularKey, $0.capitalizingFirst) })
    }

    private func aggregatedJoin(_ alias: TableAliasBase) -> Join {
        _join.joined(.optional) { join in
            join.relation.selection = .init()
            join.relation.aliases.append(alias)
        }
    }
}

extension _AssociationJoin {
    /// The singular form of the association key.
    fileprivate var singularKey: String { Inflections.singular(of: join.key) }
}

extension [Column] {
    /// An expression that identifies a row by its key; NULL if there is no row.
    fileprivate var rowIdentity: SQLExpression {
        count == 1 ? self[0].sqlExpression : SQLExpression(RowIdentity(columns: map(\.name)))
    }
}

/// The values of several columns as one expression, because aggregates have only one argument.
private struct RowIdentity: SQLLeaf {
    let columns: [String]

    var traits: SQLTraits { [] }

    func write(to writer: SQLWriter) throws {
        writer.append(sql: "CASE WHEN ")
        writer.append(column: columns[0])
        writer.append(sql: " IS NOT NULL THEN ")
        for (index, column) in columns.enumerated() {
            writer.append(sql: index == 0 ? "QUOTE(" : " || ',' || QUOTE(")
            writer.append(column: column)
            writer.append(sql: ")")
        }
        writer.append(sql: " END")
    }
}

/// `COUNT(…) = 0`. Unlike other values, the number is a literal, and not an argument of the
/// statement.
private struct CountComparison: SQLOperation {
    let count: SQLExpression
    let comparison: String

    func write(to writer: SQLWriter) throws {
        try count.write(to: writer)
        writer.append(sql: comparison)
    }

    var traits: SQLTraits { [.compound, .aggregate] }

    var operands: [SQLExpression] { [count] }
}

// MARK: - Requests

extension DerivableRequest {
    /// Appends aggregates of associations to the selected columns.
    ///
    /// ```swift
    /// // SELECT "author".*, COUNT(DISTINCT "book"."id") AS "bookCount"
    /// // FROM "author"
    /// // LEFT JOIN "book" ON "book"."authorId" = "author"."id"
    /// // GROUP BY "author"."id"
    /// Author.all().annotated(with: Author.books.count)
    /// ```
    public func annotated(with aggregates: AssociationAggregate<RowDecoder>...) -> Self {
        annotated(with: aggregates)
    }

    /// Appends aggregates of associations to the selected columns.
    public func annotated(with aggregates: [AssociationAggregate<RowDecoder>]) -> Self {
        aggregates.reduce(self) { request, aggregate in
            request.joining(aggregate).annotatedWhenConnected(with: aggregate.selection)
        }
    }

    /// Filters rows by an aggregate of associations.
    ///
    /// ```swift
    /// // SELECT "author".*
    /// // FROM "author"
    /// // LEFT JOIN "book" ON "book"."authorId" = "author"."id"
    /// // GROUP BY "author"."id"
    /// // HAVING COUNT(DISTINCT "book"."id") > 5
    /// Author.all().having(Author.books.count > 5)
    /// ```
    public func having(_ predicate: AssociationAggregate<RowDecoder>) -> Self {
        joining(predicate).havingWhenConnected(predicate.expression)
    }

    private func joining(_ aggregate: AssociationAggregate<RowDecoder>) -> Self {
        aggregate.joins.reduce(self) { $0._joining(_RelationJoin($1)) }.groupByPrimaryKey()
    }
}
