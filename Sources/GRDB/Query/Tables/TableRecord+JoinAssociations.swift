// Associations on any condition, to and from the table of a record type.

extension TableRecord {
    /// Creates an association to a common table expression: all its rows are joined.
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
    /// - parameter cte: the common table expression that is joined. Requests need it in `with(_:)`.
    /// - parameter condition: the condition on both tables. They are distinguished by their
    ///   aliases.
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
    /// - parameter destination: the record type whose table is joined.
    /// - parameter condition: the condition on both tables. They are distinguished by their
    ///   aliases.
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
    /// - parameter destination: the table that is joined.
    /// - parameter condition: the condition on both tables. They are distinguished by their
    ///   aliases.
    public static func association<Destination>(
        to destination: Table<Destination>,
        on condition:
            @escaping @Sendable (
                _ left: TableAlias<Self>, _ right: TableAlias<Destination>
            ) -> any SQLExpressible
    ) -> JoinAssociation<Self, Destination> {
        JoinAssociation(relation: destination.relation, condition: .aliases(condition))
    }

    /// Creates an association to a table: all its rows are joined.
    public static func association<Destination>(
        to destination: Table<Destination>
    ) -> JoinAssociation<Self, Destination> {
        JoinAssociation(relation: destination.relation, condition: .none)
    }

    /// Creates an association to the table of another record type: all its rows are joined.
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
    /// Creates an association to the table of a record type: all its rows are joined.
    public func association<Destination: TableRecord>(
        to destination: Destination.Type
    ) -> JoinAssociation<RowDecoder, Destination> {
        JoinAssociation(relation: destination.all().relation, condition: .none)
    }

    /// Creates an association to the table of a record type, on a condition.
    ///
    /// - parameter destination: the record type whose table is joined.
    /// - parameter condition: the condition on both tables. They are distinguished by their
    ///   aliases.
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
