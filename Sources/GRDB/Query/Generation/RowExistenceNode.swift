/// Whether the row of an aliased table exists: `"alias"."id" IS NOT NULL`.
struct RowExistenceNode: SQLNode {
    let alias: TableAliasBase
    var isNegated = false

    func write(to writer: SQLWriter) throws {
        let context = writer.context
        let table = try context.table(of: alias)
        let column = try context.db.keyColumns(of: table)[0]
        let condition = isNegated ? alias[column] == nil : alias[column] != nil
        try condition.write(to: writer)
    }

    var isAtom: Bool { false }
}
