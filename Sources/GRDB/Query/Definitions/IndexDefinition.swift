/// An index to create.
package struct IndexDefinition {
    var name: String
    var table: String
    var terms: [any SQLFragment]
    var options: IndexOptions
    var condition: (any SQLExpressible)?
}

extension IndexDefinition {
    /// Creates an index with the default name.
    init(
        onTable table: String, columns: [String], options: IndexOptions,
        condition: (any SQLExpressible)? = nil
    ) {
        self.init(
            name: "index_\(table)_on_\(columns.joined(separator: "_"))", table: table,
            terms: columns.map { ColumnNode(name: $0) }, options: options, condition: condition)
    }

    package func text(_ db: Database) throws -> String {
        let kind = options.contains(.unique) ? "UNIQUE INDEX" : "INDEX"
        let terms = try terms.map { try db.schemaText($0) }.joined(separator: ", ")
        var sql = try name.creation(of: kind, ifNotExists: options.contains(.ifNotExists))
        sql += try " ON \(table.schemaIdentifier())(\(terms))"
        if let condition {
            sql += try " WHERE \(db.schemaText(condition.sqlExpression))"
        }
        return sql
    }
}
