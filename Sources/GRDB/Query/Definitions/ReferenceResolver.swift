/// Finds the keys that foreign keys refer to.
package struct ReferenceResolver {
    /// A column of a key.
    package struct KeyColumn {
        package var name: String
        var type: Database.ColumnType?
    }

    /// The table and the columns that a foreign key refers to.
    package struct Destination {
        var table: String
        package var columns: [KeyColumn]
        var isHiddenRowID = false
    }

    package let db: Database

    /// The table to create, which may refer to itself; nil when a table is altered.
    var definition: TableDefinition?

    package init(db: Database, definition: TableDefinition? = nil) {
        self.db = db
        self.definition = definition
    }

    /// The destination of a foreign key that was defined by a name only: the table with this name,
    /// or with its plural.
    func destination(of foreignKey: ForeignKeyDefinition) throws -> Destination {
        if let table = foreignKey.table { return try primaryKey(of: table) }
        for name in [foreignKey.name, Inflections.default.pluralize(foreignKey.name)]
        where try isDefined(name) || db.hasTable(name) {
            return try primaryKey(of: name)
        }
        throw DatabaseError.noSuchTable(foreignKey.name)
    }

    /// Whether the table is the table to create.
    private func isDefined(_ table: String) -> Bool {
        definition.map { ASCIICase.equal($0.name, table) } ?? false
    }

    /// The primary key of a table, including the table to create.
    package func primaryKey(of table: String) throws -> Destination {
        if let definition, isDefined(table) {
            let columns = try definition.primaryKeyColumns(self)
            return columns.isEmpty
                ? hiddenRowID(of: table) : Destination(table: table, columns: columns)
        }
        // A foreign key refers to a table of the same schema.
        let schemaName = definition?.options.contains(.temporary) == true ? "temp" : "main"
        let isThere = try definition != nil && db.hasTable(table, in: schemaName)
        let schema = isThere ? schemaName : nil
        let key = try db.primaryKey(table, in: schema)
        if key.isHiddenRowID { return hiddenRowID(of: table) }
        let columns = try db.columns(in: table, in: schema)
        return Destination(
            table: table,
            columns: key.columns.map { name in
                let type = columns.first { ASCIICase.equal($0.name, name) }?.type ?? ""
                return KeyColumn(
                    name: name,
                    type: type.isEmpty ? nil : Database.ColumnType(rawValue: type))
            })
    }

    private func hiddenRowID(of table: String) -> Destination {
        Destination(
            table: table, columns: [KeyColumn(name: "rowid", type: .integer)],
            isHiddenRowID: true)
    }
}
