/// A join on the columns of a foreign key, which the database schema or the association declares.
struct ForeignKeyJoin: Equatable, Sendable {
    /// The table that has the foreign key.
    var origin: Relation.TableName

    /// The referenced table.
    var destination: Relation.TableName

    /// The foreign key that the association declares; nil to look it up in the schema.
    var foreignKey: ForeignKey?

    /// Whether the table that has the foreign key is the left table, to which the other table is
    /// joined.
    var isOriginLeft: Bool

    /// The join in the other direction.
    var reversed: ForeignKeyJoin {
        var join = self
        join.isOriginLeft.toggle()
        return join
    }

    /// The columns that must be equal.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the foreign key is not known, or if
    ///   there are several.
    func columns(_ db: Database) throws -> [(left: String, right: String)] {
        try mapping(db).map { columns in
            isOriginLeft
                ? (left: columns.origin, right: columns.destination)
                : (left: columns.destination, right: columns.origin)
        }
    }

    private func mapping(_ db: Database) throws -> [(origin: String, destination: String)] {
        if let foreignKey, let destinationColumns = foreignKey.destinationColumns {
            let originColumns = foreignKey.originColumns
            guard !originColumns.isEmpty, originColumns.count == destinationColumns.count else {
                throw unknown()
            }
            return zip(originColumns, destinationColumns).map { (origin: $0, destination: $1) }
        }
        let declarations =
            try db.hasView(origin.name, in: origin.schema)
            ? []
            : db.foreignKeys(on: origin.name, in: origin.schema, to: destination.name)
        guard let foreignKey else {
            switch declarations.count {
            case 1: return declarations[0].mapping
            case 0: throw unknown()
            default: throw misuse("Ambiguous")
            }
        }
        // Use the destination columns of the declaration, in its order.
        func identifiers(_ columns: [String]) -> Set<CaseInsensitiveIdentifier> {
            Set(columns.map { CaseInsensitiveIdentifier($0) })
        }
        let columns = identifiers(foreignKey.originColumns)
        if let declaration = declarations.first(where: { identifiers($0.originColumns) == columns })
        {
            return declaration.mapping
        }
        let primaryKey: PrimaryKeyInfo
        do {
            primaryKey = try db.primaryKey(destination.name, in: destination.schema)
        } catch {
            guard try db.hasView(destination.name, in: destination.schema) else { throw error }
            throw unknown(", with both origin and destination columns")
        }
        guard primaryKey.columns.count == foreignKey.originColumns.count else { throw unknown() }
        return zip(foreignKey.originColumns, primaryKey.columns)
            .map { (origin: $0, destination: $1) }
    }

    private func unknown(_ details: String = "") -> DatabaseError {
        misuse("Could not infer", details)
    }

    private func misuse(_ problem: String, _ details: String = "") -> DatabaseError {
        DatabaseError(
            misuse: """
                \(problem) foreign key from '\(origin.name)' to '\(destination.name)'. To fix this \
                error, provide an explicit `ForeignKey` in the association definition\(details).
                """)
    }
}
