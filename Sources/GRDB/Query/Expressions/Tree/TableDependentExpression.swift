/// An expression that depends on the table that its columns belong to, which is known when the statement is
/// written. For other modules, which define no nodes.
private struct TableDependentExpression: SQLOperation {
    let operands: [SQLExpression]
    let traits: SQLTraits
    let expression: @Sendable (Database, _ table: String, _ schema: String?) throws -> SQLExpression

    func write(to writer: SQLWriter) throws {
        let context = writer.context
        let table = try context.tableOfColumns()
        try expression(context.db, table.name, table.schema).write(to: writer)
    }
}

extension SQLExpression {
    /// - parameter operands: the expressions that the closure uses.
    /// - parameter isMatch: whether the expression searches a virtual table.
    /// - parameter expression: returns an expression of columns without a table.
    package static func dependingOnTable(
        _ operands: [SQLExpression] = [], isMatch: Bool = false,
        _ expression:
            @escaping @Sendable (Database, _ table: String, _ schema: String?) throws ->
            SQLExpression
    ) -> SQLExpression {
        SQLExpression(
            TableDependentExpression(
                operands: operands,
                traits: operands.inheritedTraits.union(isMatch ? [.compound, .match] : .compound),
                expression: expression))
    }
}
