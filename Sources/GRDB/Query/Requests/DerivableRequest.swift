/// A request that knows the type of fetched rows.
public protocol TypedRequest<RowDecoder> {
    /// The type that fetched rows are decoded into.
    associatedtype RowDecoder
}

/// The common protocol of requests and associations, which can be filtered, sorted, and joined.
///
/// Extend this protocol to define methods of your application for both requests and associations:
///
/// ```swift
/// extension DerivableRequest<Book> {
///     /// The books of a kind
///     func kind(_ kind: Book.Kind) -> Self {
///         filter { $0.kind == kind }
///     }
/// }
///
/// // SELECT * FROM "book" WHERE "kind" = 'novel'
/// let novels = Book.all().kind(.novel)
/// ```
///
/// See <doc:JoinedRequests#Give-conditions-a-name>.
public protocol DerivableRequest<RowDecoder>: AggregatingRequest, FilteredRequest,
    JoinableRequest, OrderedRequest, SelectionRequest, TableRequest
{
    /// Returns a request without duplicate rows.
    ///
    /// ```swift
    /// // SELECT DISTINCT "name" FROM "player"
    /// let request = Player.select(\.name).distinct()
    /// ```
    func distinct() -> Self

    /// Defines a common table expression.
    ///
    /// ```swift
    /// // WITH "playerName" AS (SELECT 'O''Brien') SELECT * FROM "player"
    /// let cte = CommonTableExpression(named: "playerName", literal: "SELECT \("O'Brien")")
    /// let request = Player.all().with(cte)
    /// ```
    ///
    /// A common table expression with the same name is replaced.
    func with<RowDecoder>(_ cte: CommonTableExpression<RowDecoder>) -> Self
}
