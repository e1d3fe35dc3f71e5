/// The name that stands for a table in a statement.
public class TableAliasBase {
    let name: String?

    init(name: String?) {
        self.name = name
    }

    /// A column of the aliased table.
    public subscript(_ column: String) -> SQLExpression {
        self[Column(column)]
    }

    /// An expression whose columns are those of the aliased table.
    public subscript(_ expression: some SQLSpecificExpressible) -> SQLExpression {
        let expression = expression.sqlExpression
        guard let name else { return expression }
        return SQLExpression(QualifiedNode(base: expression.node, qualifier: name))
    }
}

/// The name that stands for the table of a record type in a statement.
///
/// The `doUpdate` closure of upserts receives one, for the values that were not inserted:
///
/// ```swift
/// let upserted = try player.upsertAndFetch(db, doUpdate: { excluded in
///     [Column("score").set(to: excluded["score"])]
/// })
/// ```
public final class TableAlias<RowDecoder>: TableAliasBase {
    /// Creates an alias.
    public init(name: String? = nil, for record: RowDecoder.Type = RowDecoder.self) {
        super.init(name: name)
    }
}

/// An expression on the columns of one table.
private struct QualifiedNode: SQLNode {
    let base: any SQLNode
    let qualifier: String

    func write(to writer: any SQLWriter) throws {
        try writer.withQualifier(qualifier) { try base.write(to: writer) }
    }
}
