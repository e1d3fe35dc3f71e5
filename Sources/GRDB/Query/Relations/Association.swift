/// A connection between two tables.
///
/// Use associations with the joining methods of requests:
///
/// ```swift
/// // SELECT "book".*, "author".*
/// // FROM "book"
/// // JOIN "author" ON "author"."id" = "book"."authorId"
/// Book.including(required: Book.author)
/// ```
///
/// Like requests, associations can be filtered, sorted, and joined to other associations.
///
/// See <doc:Associations>.
public protocol Association<OriginRowDecoder>: DerivableRequest, Sendable {
    /// The type of the rows that the association starts from. It leads to rows of type
    /// `RowDecoder`.
    associatedtype OriginRowDecoder

    /// Internal. Used by the joining methods of requests.
    var _join: _AssociationJoin { get set }

    /// Returns the association with another key: the name of the scope of its columns in fetched
    /// rows, and of the property that decodes them.
    ///
    /// ```swift
    /// struct BookInfo: FetchableRecord, Decodable {
    ///     var book: Book
    ///     var writer: Author
    /// }
    ///
    /// let request = Book
    ///     .including(required: Book.author.forKey("writer"))
    ///     .asRequest(of: BookInfo.self)
    /// ```
    func forKey(_ key: String) -> Self
}

/// How an association joins its table. Internal.
public struct _AssociationJoin: Sendable {
    /// How the associated table is joined to the last pivot, or else to the origin.
    var join: Join

    /// The joins that lead from the origin to the associated table, in this order.
    var pivots: [Join] = []

    /// Whether the key is a plural, which names several rows.
    var isKeyPlural = false

    /// The name of the scope when the table is joined.
    ///
    /// ```swift
    /// // The "books" of an author are joined as one "book" after the other.
    /// Author.including(required: Author.books)
    /// ```
    var joinedKey: String {
        isKeyPlural ? Inflections.singular(of: join.key) : join.key
    }

    /// Returns the join of the associated table to the origin, through the pivots.
    ///
    /// - parameter change: changes the join of the associated table.
    func joined(_ kind: Join.Kind, _ change: (inout Join) -> Void = { _ in }) -> Join {
        var result = join
        result.key = joinedKey
        result.kind = kind
        change(&result)
        for pivot in pivots.reversed() {
            var outer = pivot
            outer.kind = kind
            // The rows of pivots are not fetched.
            outer.relation.selection = .init()
            outer.relation.join(result)
            result = outer
        }
        return result
    }
}

extension Association {
    /// Returns the association with the name of a coding key as its key.
    public func forKey(_ codingKey: some CodingKey) -> Self {
        forKey(codingKey.stringValue)
    }

    fileprivate func with(key: String) -> Self {
        var association = self
        association._join.join.key = key
        return association
    }

    private func with(_ change: (inout Relation) -> Void) -> Self {
        var association = self
        change(&association._join.join.relation)
        return association
    }

    // The methods of requests, on the joined table.

    public func selectWhenConnected(
        _ selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
    ) -> Self {
        with { $0.selection = .init(selection) }
    }

    public func annotatedWhenConnected(
        with selection: @escaping @Sendable (Database) throws -> [any SQLSelectable]
    ) -> Self {
        with { $0.selection.append(selection) }
    }

    public func filterWhenConnected(
        _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
    ) -> Self {
        with { $0.filters.append(.init(predicate)) }
    }

    public func groupWhenConnected(
        _ expressions: @escaping @Sendable (Database) throws -> [any SQLExpressible]
    ) -> Self {
        with { $0.grouping = expressions }
    }

    public func havingWhenConnected(
        _ predicate: @escaping @Sendable (Database) throws -> any SQLExpressible
    ) -> Self {
        with { $0.groupFilters.append(.init(predicate)) }
    }

    public func orderWhenConnected(
        _ orderings: @escaping @Sendable (Database) throws -> [any SQLOrderingTerm]
    ) -> Self {
        with { $0.ordering = .init(orderings) }
    }

    public func reversed() -> Self {
        with { $0.ordering.isReversed.toggle() }
    }

    public func unordered() -> Self {
        with { $0.removeOrder() }
    }

    public func withStableOrder() -> Self {
        with { $0.stabilizeOrder() }
    }

    public func distinct() -> Self {
        with { $0.isDistinct = true }
    }

    public func with<RowDecoder>(_ cte: CommonTableExpression<RowDecoder>) -> Self {
        with { $0.commonTables.define(cte.definition) }
    }

    /// The name of the associated table.
    public var databaseTableName: String { _join.join.relation.table }

    public func _aliased(_ alias: TableAliasBase) -> Self {
        with { $0.aliases.append(alias) }
    }

    public func _joining(_ join: _RelationJoin) -> Self {
        with(join.add)
    }
}

/// An association to at most one row.
public protocol AssociationToOne: Association {}

extension AssociationToOne {
    public func forKey(_ key: String) -> Self { with(key: key) }
}

/// An association to any number of rows.
///
/// Its associated rows can be joined, prefetched with `including(all:)`, and aggregated:
///
/// ```swift
/// // SELECT * FROM "author"
/// // SELECT *, "authorId" AS "grdb_authorId" FROM "book" WHERE "authorId" IN (1, 2, 3)
/// Author.including(all: Author.books)
///
/// // SELECT "author".*, COUNT(DISTINCT "book"."id") AS "bookCount"
/// // FROM "author"
/// // LEFT JOIN "book" ON "book"."authorId" = "author"."id"
/// // GROUP BY "author"."id"
/// Author.annotated(with: Author.books.count)
/// ```
public protocol AssociationToMany: Association {}

extension AssociationToMany {
    /// Returns the association with another key: the name of its rows next to the columns of the
    /// row that they belong to, and of the property that decodes them. If the table is joined, the
    /// key is the singular of the name.
    public func forKey(_ key: String) -> Self { with(key: key) }
}

/// An association on any condition, for example with a common table expression.
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
/// let request = Chat
///     .with(latestMessageCTE)
///     .including(optional: latestMessage)
/// ```
///
/// The key of the association is the singular of the name of the associated table: each row is
/// joined with one associated row. Call ``Association/forKey(_:)-(String)`` to change the key.
public struct JoinAssociation<Origin, Destination>: AssociationToOne {
    public typealias OriginRowDecoder = Origin
    public typealias RowDecoder = Destination

    public var _join: _AssociationJoin

    init(relation: Relation, condition: JoinCondition) {
        let key = Inflections.singular(of: relation.table)
        _join = _AssociationJoin(
            join: Join(key: key, kind: .required, condition: condition, relation: relation))
    }
}
