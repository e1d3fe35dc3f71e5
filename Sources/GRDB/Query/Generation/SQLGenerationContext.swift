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

        /// The number of tables that have entered queries before.
        let index: Int

        /// Whether the table has another name than the one it was given.
        let isRenamed: Bool

        /// The quoted name before columns in the query, with its period. Nil where they need none.
        var columnQualifier: String?

        /// The quoted name, with its period.
        var qualifier: String { "\(name.quotedDatabaseIdentifier)." }

        /// Whether the name comes from an alias.
        var hasGivenName: Bool { aliases.contains { $0.name != nil } }

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

    /// What writing the statement has shown about the names of its tables.
    private var names = TableNames()

    /// What a former attempt to write the same statement has shown.
    private let knownNames: TableNames

    /// The names of the tables of a statement.
    struct TableNames {
        /// The names, in the order in which tables enter queries.
        var all: [String] = []

        /// The tables that need another name, by their places in this order: a query refers to a
        /// table of a query around it by a name that one of its own tables has.
        var renamed: Set<Int> = []
    }

    init(
        _ db: Database, valueStyle: ValueStyle = .placeholder, knownNames: TableNames = TableNames()
    ) {
        self.db = db
        self.knownNames = knownNames
        super.init(valueStyle: valueStyle)
    }

    /// A context in which a node is written.
    ///
    /// A query refers to tables of the queries around it by names that its own tables must not have.
    /// Only the text shows where that happens: then it is written again, with other names.
    static func writing(
        _ node: some SQLNode, _ db: Database, valueStyle: ValueStyle = .placeholder
    ) throws -> SQLGenerationContext {
        let context = SQLGenerationContext(db, valueStyle: valueStyle)
        try node.write(to: context)
        if context.names.renamed.isEmpty { return context }
        let other = SQLGenerationContext(db, valueStyle: valueStyle, knownNames: context.names)
        try node.write(to: other)
        return other
    }

    /// A table that enters a query.
    ///
    /// - parameter isReferred: whether the query itself refers to the table by an alias.
    func source(
        _ table: Relation.TableName, named name: String, aliases: [TableAliasBase],
        isReferred: Bool
    ) -> Source {
        let index = names.all.count
        let isRenamed = knownNames.renamed.contains(index)
        var name = name
        if isRenamed {
            repeat {
                name += String(repeating: "_", count: depth + 1)
            } while isTaken(name)
        }
        names.all.append(name)
        let reference =
            aliases.first ?? (isReferred ? TableAliasBase(name: nil) : Self.noAlias)
        return Source(
            table: table, name: name, aliases: aliases, reference: reference, index: index,
            isRenamed: isRenamed)
    }

    /// Whether a table of the statement has the name, or will have it.
    private func isTaken(_ name: String) -> Bool {
        func isEqual(_ other: String) -> Bool { ASCIICase.equal(other, name) }
        return knownNames.all.contains(where: isEqual) || names.all.contains(where: isEqual)
    }

    /// The name of tables that nothing refers to.
    private static let noAlias = TableAliasBase(name: nil)

    /// Resolves aliases to the tables of a query, and of the queries around it.
    func withSources(_ newSources: [Source], _ body: () throws -> Void) rethrows {
        let count = sources.count
        for source in newSources {
            sources.append((source, depth))
        }
        defer { sources.removeSubrange(count...) }
        try body()
    }

    /// Whether the query that is being written is inside of another one.
    var isInSubquery: Bool { depth > 0 }

    /// Whether a query with tables is being written.
    var isInQuery: Bool { !sources.isEmpty }

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

    /// The table whose columns are written: the one with the qualifier, or the first one of the
    /// query.
    func tableOfColumns() throws -> Relation.TableName {
        let table = sources.last { [qualifier] source, sourceDepth in
            sourceDepth == depth && source.qualifier == qualifier
        }
        guard let table = table ?? sources.first(where: { $0.depth == depth }) else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE, message: "the expression belongs to no table")
        }
        return table.source.table
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
    ///   that is being written has it, or if an inner query gives the same name to another table.
    func qualifier(for alias: TableAliasBase) throws -> String? {
        guard let index = sources.lastIndex(where: { $0.source.isCalled(alias) }) else {
            if let name = alias.name { return "\(name.quotedDatabaseIdentifier)." }
            throw Self.undefinedAlias
        }
        let (source, sourceDepth) = sources[index]
        if sourceDepth == depth { return source.columnQualifier }
        for (other, otherDepth) in sources[(index + 1)...]
        where otherDepth > sourceDepth && ASCIICase.equal(other.name, source.name) {
            if !source.hasGivenName {
                names.renamed.insert(source.index)
            } else if !other.hasGivenName {
                // A name that was given is kept.
                names.renamed.insert(other.index)
            } else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE, message: "ambiguous alias: \(source.name)")
            }
        }
        return source.qualifier
    }
}

extension SQLWriter {
    /// The writer as a generation context: there are no other writers.
    var context: SQLGenerationContext {
        unsafeDowncast(self, to: SQLGenerationContext.self)
    }
}

extension SQLNode {
    /// The SQL text of a statement, with its arguments.
    func build(_ db: Database) throws -> (sql: String, arguments: StatementArguments) {
        let context = try SQLGenerationContext.writing(self, db)
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
