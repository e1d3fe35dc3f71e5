/// A request that knows the type of what it fetches.
public protocol TypedRequest<RowDecoder> {
    /// The type that fetched rows are decoded into.
    associatedtype RowDecoder
}

/// The base of requests and associations: all that can be filtered, sorted, joined…
///
/// Extensions of this protocol define the vocabulary of an application, for requests and
/// associations alike:
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

    /// Embeds a common table expression.
    ///
    /// ```swift
    /// // WITH "playerName" AS (SELECT 'O''Brien') SELECT * FROM "player"
    /// let cte = CommonTableExpression(named: "playerName", literal: "SELECT \("O'Brien")")
    /// let request = Player.all().with(cte)
    /// ```
    ///
    /// A common table expression of the same name is replaced.
    func with<RowDecoder>(_ cte: CommonTableExpression<RowDecoder>) -> Self
}
