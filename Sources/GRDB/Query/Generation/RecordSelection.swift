/// The selection of a record type, qualified with the name of its table: `"player".*`.
struct RecordSelection: SQLFragment {
    let table: Relation.TableName
    let alias: String
    let selection: [SQLSelection]

    func write(to writer: SQLWriter) throws {
        let columns = try selection.expanded(ofTable: table, writer.context.db)
        try writer.withQualifier(.given(alias)) {
            try writer.append(list: columns)
        }
    }
}

extension [SQLSelection] {
    /// Returns the selection, with `allColumns(excluding:)` replaced by columns of the table.
    func expanded(ofTable table: Relation.TableName, _ db: Database) throws -> [SQLSelection] {
        guard contains(where: { $0.node.excludedColumns != nil }) else { return self }
        return try flatMap { try $0.spelledOut(ofTable: table, db) }
    }
}

extension SQLSelection {
    /// Returns the selection itself; or, if it excludes columns, all other columns of the table, or
    /// `*` if the table has none of the excluded columns.
    func spelledOut(ofTable table: Relation.TableName, _ db: Database) throws -> [SQLSelection] {
        guard let excluded = node.excludedColumns else { return [self] }
        let names = try db.columns(in: table.name, in: table.schema).map(\.name)
        let others = names.filter { !excluded.contains(CaseInsensitiveIdentifier($0)) }
        return others.count == names.count
            ? [AllColumns().sqlSelection] : others.map { Column($0).sqlSelection }
    }
}
