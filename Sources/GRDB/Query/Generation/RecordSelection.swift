/// The selection of a record type, qualified with the name of its table: `"player".*`.
struct RecordSelection: SQLNode {
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
    /// The selection, with the columns of the table that `allColumns(excluding:)` stands for.
    func expanded(ofTable table: Relation.TableName, _ db: Database) throws -> [SQLSelection] {
        guard contains(where: { $0.node is AllColumnsExcludingNode }) else { return self }
        return try flatMap { selection in
            guard let node = selection.node as? AllColumnsExcludingNode else { return [selection] }
            return try node.selection(ofTable: table, db)
        }
    }
}
