// Associations to and from common table expressions, and tables.

extension CommonTableExpression {
    /// Creates an association to a common table expression, without a condition: all rows are
    /// joined.
    ///
    /// ```swift
    /// // WITH "a" AS (...), "b" AS (...) SELECT "a".*, "b".* FROM "a" JOIN "b"
    /// let request = a.all()
    ///     .with(a).with(b)
    ///     .including(required: a.association(to: b))
    /// ```
    public func association<Destination>(
        to cte: CommonTableExpression<Destination>
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(relation: cte.relation, condition: .none)
    }

    /// Creates an association to a common table expression, on a condition.
    ///
    /// ```swift
    /// // WITH "a" AS (...), "b" AS (...)
    /// // SELECT "a".*, "b".* FROM "a" JOIN "b" ON "a"."x" = "b"."y"
    /// let association = a.association(to: b, on: { a, b in a["x"] == b["y"] })
    /// let request = a.all()
    ///     .with(a).with(b)
    ///     .including(required: association)
    /// ```
    ///
    /// - parameter cte: the joined common table expression. Requests must define it with
    ///   `with(_:)`.
    /// - parameter condition: returns the condition on the columns of both table aliases.
    public func association<Destination>(
        to cte: CommonTableExpression<Destination>,
        on condition:
            @escaping @Sendable (
                _ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>
            ) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(relation: cte.relation, condition: .aliases(condition))
    }

    /// Creates an association to a table, without a condition: all rows are joined.
    public func association<Destination>(
        to destination: Table<Destination>
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(relation: destination.relation, condition: .none)
    }

    /// Creates an association to a table, on a condition.
    ///
    /// - parameter destination: the joined table.
    /// - parameter condition: returns the condition on the columns of both table aliases.
    public func association<Destination>(
        to destination: Table<Destination>,
        on condition:
            @escaping @Sendable (
                _ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>
            ) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(relation: destination.relation, condition: .aliases(condition))
    }
}

extension Table {
    /// Creates an association to a common table expression, without a condition: all rows are
    /// joined.
    public func association<Destination>(
        to cte: CommonTableExpression<Destination>
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(relation: cte.relation, condition: .none)
    }

    /// Creates an association to a common table expression, on a condition.
    ///
    /// - parameter cte: the joined common table expression. Requests must define it with
    ///   `with(_:)`.
    /// - parameter condition: returns the condition on the columns of both table aliases.
    public func association<Destination>(
        to cte: CommonTableExpression<Destination>,
        on condition:
            @escaping @Sendable (
                _ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>
            ) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(relation: cte.relation, condition: .aliases(condition))
    }

    /// Creates an association to another table, without a condition: all rows are joined.
    ///
    /// ```swift
    /// // SELECT "size".*, "color".* FROM "size" JOIN "color"
    /// let sizes = Table("size")
    /// let request = sizes.including(required: sizes.association(to: Table("color")))
    /// ```
    public func association<Destination>(
        to destination: Table<Destination>
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(relation: destination.relation, condition: .none)
    }

    /// Creates an association to another table, on a condition.
    ///
    /// ```swift
    /// // SELECT "event".*, "period".* FROM "event"
    /// // JOIN "period" ON "event"."day" BETWEEN "period"."start" AND "period"."end"
    /// let events = Table("event")
    /// let association = events.association(to: Table("period"), on: { event, period in
    ///     event["day"].isBetween(period["start"], and: period["end"])
    /// })
    /// let request = events.including(required: association)
    /// ```
    ///
    /// - parameter destination: the joined table.
    /// - parameter condition: returns the condition on the columns of both table aliases.
    public func association<Destination>(
        to destination: Table<Destination>,
        on condition:
            @escaping @Sendable (
                _ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>
            ) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(relation: destination.relation, condition: .aliases(condition))
    }
}

extension JoinAssociation {
    /// An association to the rows of a request without joins, for GRDBTables.
    package init(
        to destination: QueryInterfaceRequest<Destination>,
        on condition: (
            @Sendable (TableAlias<Origin>, TableAlias<Destination>) -> any SQLExpressible
        )? = nil
    ) {
        self.init(
            relation: destination.relation, condition: condition.map { .aliases($0) } ?? .none)
    }
}

extension QueryInterfaceRequest {
    /// All columns, except hidden ones, of all rows of a table-valued function, for GRDBTables.
    package init(tableFunction name: String, _ arguments: [SQLExpression]) {
        let relation = Relation(table: .init(name), selection: [AllColumns()])
        self.init(relation: relation.with { $0.arguments = arguments })
    }
}

extension JoinCondition {
    /// A condition on two typed aliases.
    static func aliases<Left, Right>(
        _ condition:
            @escaping @Sendable (TableAlias<Left>, TableAlias<Right>) -> any SQLExpressible
    ) -> JoinCondition {
        .expression { left, right in
            // Typed aliases that represent the aliases of the query.
            condition(TableAlias(standingFor: left), TableAlias(standingFor: right))
        }
    }
}
