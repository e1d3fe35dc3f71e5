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
        var sql = "CREATE"
        if options.contains(.unique) { sql += " UNIQUE" }
        sql += " INDEX"
        if options.contains(.ifNotExists) { sql += " IF NOT EXISTS" }
        let terms = try terms.map { try db.schemaText($0) }.joined(separator: ", ")
        sql += try " \(name.schemaIdentifier()) ON \(table.schemaIdentifier())(\(terms))"
        if let condition {
            sql += try " WHERE \(db.schemaText(condition.sqlExpression))"
        }
        return sql
    }
}
