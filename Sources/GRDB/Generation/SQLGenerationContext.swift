/// Collects the SQL text and the arguments of a statement, and knows the names of its tables.
final class SQLGenerationContext: SQLWriter {
    /// A table of a query.
    struct Source {
        /// The table.
        let table: Relation.TableName

        /// The name of the table in the query.
        var name: String

        /// What other parts of the statement call the table.
        let aliases: [TableAliasBase]

        /// What the query itself calls the table.
        let reference: TableAliasBase

        /// The quoted name before columns in the query, with its period. Nil where they need none.
        var columnQualifier: String?

        /// The quoted name, with its period.
        var qualifier: String { "\(name.quotedDatabaseIdentifier)." }

        /// Whether an alias stands for the table.
        func isCalled(_ alias: TableAliasBase) -> Bool {
            reference === alias || aliases.contains { $0 === alias }
        }
    }

    let db: Database

    /// The tables of the queries that are being written, the innermost last.
    private var sources: [(source: Source, depth: Int)] = []

    /// The number of queries around the one that is being written.
    private var depth = 0

    /// The aliases whose tables must be given another name: that which they have hides one of an
    /// outer query, which the inner query refers to.
    private var renamedAliases: Set<TableAliasBase>

    /// The aliases that need another name, as writing the statement has shown.
    private(set) var ambiguousAliases: Set<TableAliasBase> = []

    init(
        _ db: Database, valueStyle: ValueStyle = .placeholder,
        renamedAliases: Set<TableAliasBase> = []
    ) {
        self.db = db
        self.renamedAliases = renamedAliases
        super.init(valueStyle: valueStyle)
    }

    /// A table that enters a query.
    ///
    /// - parameter isReferred: whether the query itself refers to the table by an alias.
    func source(
        _ table: Relation.TableName, named name: String, aliases: [TableAliasBase],
        isReferred: Bool
    ) -> Source {
        var name = name
        if !renamedAliases.isEmpty, aliases.contains(where: renamedAliases.contains) {
            // As many underscores as there are queries around make the name unique.
            name += String(repeating: "_", count: depth + 1)
        }
        let reference =
            aliases.first ?? (isReferred ? TableAliasBase(name: nil) : Self.noAlias)
        return Source(table: table, name: name, aliases: aliases, reference: reference)
    }

    /// What tables are called that nothing refers to.
    private static let noAlias = TableAliasBase(name: nil)

    /// Whether the table has another name than the one it was given.
    func isRenamed(_ source: Source) -> Bool {
        !renamedAliases.isEmpty && source.aliases.contains(where: renamedAliases.contains)
    }

    /// Has aliases refer to the tables of a query, and of the queries around it.
    func withSources(_ newSources: [Source], _ body: () throws -> Void) rethrows {
        let count = sources.count
        for source in newSources {
            sources.append((source, depth))
        }
        defer { sources.removeSubrange(count...) }
        try body()
    }

    /// Writes a query inside another one.
    func withSubquery(_ body: () throws -> Void) rethrows {
        depth += 1
        defer { depth -= 1 }
        try withQualifier(nil, body)
    }

    /// The table that an alias stands for.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if no query that is being written has
    ///   the alias.
    func table(of alias: TableAliasBase) throws -> Relation.TableName {
        guard let (source, _) = sources.last(where: { $0.source.isCalled(alias) }) else {
            throw Self.undefinedAlias
        }
        return source.table
    }

    private static var undefinedAlias: DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: "undefined table alias: no table of the request is aliased with it")
    }

    /// The quoted name of an aliased table, with its period; nil in the query of this table, when
    /// its columns need no name.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the alias has no name, and no query
    ///   that is being written has it.
    func qualifier(for alias: TableAliasBase) throws -> String? {
        guard let index = sources.lastIndex(where: { $0.source.isCalled(alias) }) else {
            if let name = alias.name { return "\(name.quotedDatabaseIdentifier)." }
            throw Self.undefinedAlias
        }
        let (source, sourceDepth) = sources[index]
        if sourceDepth == depth { return source.columnQualifier }
        let isHidden = sources[(index + 1)...].contains {
            $0.depth > sourceDepth && ASCIICase.equal($0.source.name, source.name)
        }
        if isHidden, alias.name == nil {
            ambiguousAliases.insert(alias)
        }
        return source.qualifier
    }
}

extension SQLWriter {
    /// The writer with all that it knows. There are no other writers.
    var context: SQLGenerationContext {
        unsafeDowncast(self, to: SQLGenerationContext.self)
    }
}

extension SQLNode {
    /// The SQL text of a statement, with its arguments.
    func build(_ db: Database) throws -> (sql: String, arguments: StatementArguments) {
        var context = SQLGenerationContext(db)
        try write(to: context)
        if !context.ambiguousAliases.isEmpty {
            context = SQLGenerationContext(db, renamedAliases: context.ambiguousAliases)
            try write(to: context)
        }
        return (context.sql, context.arguments)
    }
}

extension Database {
    /// A statement of the cache, with its arguments.
    func cachedStatement(_ node: some SQLNode) throws -> Statement {
        let (sql, arguments) = try node.build(self)
        let statement = try cachedStatement(sql: sql)
        try statement.setArguments(arguments)
        return statement
    }

    func execute(_ node: some SQLNode) throws {
        try cachedStatement(node).execute()
    }
}
