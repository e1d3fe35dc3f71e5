/// Whether the row of an aliased table exists: `"alias"."id" IS NOT NULL`.
struct RowExistenceNode: SQLLeaf, NegatableNode {
    let alias: TableAliasBase
    var isNegated = false

    func write(to writer: SQLWriter) throws {
        let context = writer.context
        let columns = try context.db.existenceColumns(of: context.table(of: alias))
        let conditions = columns.map { column in
            isNegated ? alias[Column(column)] == nil : alias[Column(column)] != nil
        }
        try conditions.joined(operator: isNegated ? .and : .or).write(to: writer)
    }

    var traits: SQLTraits { .compound }
}

extension Database {
    /// Returns columns that are not all NULL in the rows of a table, unlike in rows that a `LEFT
    /// JOIN` did not find: the columns that identify a row, or else all columns.
    fileprivate func existenceColumns(of table: Relation.TableName) throws -> [String] {
        if try hasView(table.name, in: table.schema) {
            return try viewKeyColumns(of: table)
                ?? columns(in: table.name, in: table.schema).map(\.name)
        }
        let primaryKey = try primaryKey(table.name, in: table.schema)
        if let column = primaryKey.rowIDColumn { return [column] }
        if primaryKey.tableHasRowID {
            let columns = try columns(in: table.name, in: table.schema)
            // Columns may hide all names of the rowid.
            return rowIDName(besides: columns).map { [$0] } ?? columns.map(\.name)
        }
        return primaryKey.columns
    }

    /// The columns that identify the rows of a view, if the schema source provides them.
    func viewKeyColumns(of view: Relation.TableName) throws -> [String]? {
        guard let schemaSource, let (id, _) = try tableOrView(view.name, in: view.schema)
        else { return nil }
        let columns = try schemaSource.columnsForPrimaryKey(self, inView: id) ?? []
        return columns.isEmpty ? nil : columns
    }
}
