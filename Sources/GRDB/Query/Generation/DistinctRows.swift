// Queries from which SQLite must not drop `DISTINCT`.

extension SQLNode {
    /// Whether a query starts with an offset in rows of which SQLite must know that they differ.
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
