// Associations on any condition, to and from the table of a record type.

extension TableRecord {
    /// Creates an association to a common table expression that joins all its rows.
    public static func association<Destination>(
        to cte: CommonTableExpression<Destination>
    ) -> JoinAssociation<Self, Destination> {
        JoinAssociation(relation: cte.relation, condition: .none)
    }

    /// Creates an association to a common table expression, on a condition.
    ///
    /// ```swift
    /// // WITH "latestMessage" AS (SELECT *, MAX("date") FROM "message" GROUP BY "chatId")
    /// // SELECT "chat".*, "latestMessage".*
    /// // FROM "chat"
    /// // LEFT JOIN "latestMessage" ON "chat"."id" = "latestMessage"."chatId"
    /// let latestMessageCTE = CommonTableExpression<Message>(
    ///     named: "latestMessage",
    ///     request: Message.annotated { max($0.date) }.group(\.chatId))
    ///
    /// let latestMessage = Chat.association(
    ///     to: latestMessageCTE,
    ///     on: { chat, latestMessage in chat.id == latestMessage.chatId })
    ///
    /// let request = Chat.with(latestMessageCTE).including(optional: latestMessage)
    /// ```
    ///
    /// - parameter cte: the common table expression to join. Add it to requests with `with(_:)`.
    /// - parameter condition: the condition on both tables. The closure receives an alias of each
    ///   table.
    public static func association<Destination>(
        to cte: CommonTableExpression<Destination>,
        on condition:
            @escaping @Sendable (
                _ left: TableAlias<Self>, _ right: TableAlias<Destination>
            ) -> any SQLExpressible
    ) -> JoinAssociation<Self, Destination> {
        JoinAssociation(relation: cte.relation, condition: .aliases(condition))
    }

    /// Creates an association to the table of another record type, on any condition.
    ///
    /// - parameter destination: the record type whose table to join.
    /// - parameter condition: the condition on both tables. The closure receives an alias of each
    ///   table.
    public static func association<Destination: TableRecord>(
        to destination: Destination.Type,
        on condition:
            @escaping @Sendable (
                _ left: TableAlias<Self>, _ right: TableAlias<Destination>
            ) -> any SQLExpressible
    ) -> JoinAssociation<Self, Destination> {
        JoinAssociation(relation: destination.all().relation, condition: .aliases(condition))
    }

    /// Creates an association to a table, on any condition.
    ///
    /// ```swift
    /// // SELECT "player".*, "award".*
    /// // FROM "player"
    /// // LEFT JOIN "award" ON "award"."winner" = "player"."name"
    /// let award = Player.association(
    ///     to: Table("award"), on: { player, award in award["winner"] == player["name"] })
    /// let request = Player.including(optional: award)
    /// ```
    ///
    /// - parameter destination: the table to join.
    /// - parameter condition: the condition on both tables. The closure receives an alias of each
    ///   table.
    public static func association<Destination>(
        to destination: Table<Destination>,
        on condition:
            @escaping @Sendable (
                _ left: TableAlias<Self>, _ right: TableAlias<Destination>
            ) -> any SQLExpressible
    ) -> JoinAssociation<Self, Destination> {
        JoinAssociation(relation: destination.relation, condition: .aliases(condition))
    }

    /// Creates an association to a table that joins all its rows.
    public static func association<Destination>(
        to destination: Table<Destination>
    ) -> JoinAssociation<Self, Destination> {
        JoinAssociation(relation: destination.relation, condition: .none)
    }

    /// Creates an association to the table of another record type that joins all its rows.
    ///
    /// ```swift
    /// // SELECT "size".*, "color".* FROM "size" JOIN "color"
    /// let request = Size.including(required: Size.association(to: Color.self))
    /// ```
    public static func association<Destination: TableRecord>(
        to destination: Destination.Type
    ) -> JoinAssociation<Self, Destination> {
        JoinAssociation(relation: destination.all().relation, condition: .none)
    }
}

extension CommonTableExpression {
    /// Creates an association to the table of a record type that joins all its rows.
    public func association<Destination: TableRecord>(
        to destination: Destination.Type
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(relation: destination.all().relation, condition: .none)
    }

    /// Creates an association to the table of a record type, on a condition.
    ///
    /// - parameter destination: the record type whose table to join.
    /// - parameter condition: the condition on both tables. The closure receives an alias of each
    ///   table.
    public func association<Destination: TableRecord>(
        to destination: Destination.Type,
        on condition:
            @escaping @Sendable (
                _ left: TableAlias<RowDecoder>, _ right: TableAlias<Destination>
            ) -> any SQLExpressible
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(relation: destination.all().relation, condition: .aliases(condition))
    }
}
