// Queries whose `DISTINCT` SQLite must not drop.

extension SQLNode {
    /// Whether a query begins with an offset in distinct rows: only without duplicates does the
    /// offset skip the right ones.
    var skipsDistinctRows: Bool {
        switch self {
        case let query as SelectQuery:
            query.relation.isDistinct && query.relation.limit?.offset != nil
        case let query as CompoundQuery:
            query.limit?.offset != nil
                && (query.first.node.selectsDistinctRows
                    || query.others.contains { $0.query.node.selectsDistinctRows })
        case let literal as SQL:
            literal.words.contains("LIMIT") && literal.words.contains("DISTINCT")
        default:
            false
        }
    }

    private var selectsDistinctRows: Bool {
        switch self {
        case let query as SelectQuery:
            query.relation.isDistinct
        case let query as CompoundQuery:
            query.first.node.selectsDistinctRows
                || query.others.contains { $0.query.node.selectsDistinctRows }
        case let literal as SQL:
            literal.words.contains("DISTINCT")
        default:
            false
        }
    }
}
