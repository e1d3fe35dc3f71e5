/// Collects the SQL text and the arguments of a statement, and resolves the names of its tables.
package final class StatementWriter: SQLWriter {
    package let db: Database

    /// The tables of the queries that are being written, the innermost last.
    private var sources: [ResolvedQuery.Table] = []

    /// All tables of the queries so far, in order.
    private var allSources: [ResolvedQuery.Table] = []

    /// The number of queries around the query that is being written.
    private var depth = 0

    /// The qualifier of columns around the innermost query.
    private var outerQualifier: Qualifier?

    /// The number of subqueries, and of other reads of tables, that were written.
    private(set) var subqueryCount = 0

    /// The tables that are read outside of the sources of queries.
    private var otherTables: [String] = []

    /// The texts of literals that were written. Their content is unknown.
    private(set) var literalTexts: [String] = []

    /// Whether tables must be renamed because of conflicts.
    private var hasConflicts = false

    package init(_ db: Database, valueStyle: ValueStyle = .placeholder) {
        self.db = db
        super.init(valueStyle: valueStyle)
    }

    /// Returns a writer that contains the text of a node.
    static func writing(
        _ node: some SQLFragment, _ db: Database, valueStyle: ValueStyle = .placeholder
    ) throws -> StatementWriter {
        let context = StatementWriter(db, valueStyle: valueStyle)
        try node.write(to: context)
        context.settleNames()
        return context
    }

    /// Renames the tables whose names are in conflict. Call it once everything is written.
    package func settleNames() {
        if !hasConflicts { return }
        for source in allSources where source.isChanged {
            repeat {
                source.text += String(repeating: "_", count: source.depth + 1)
            } while allSources.contains {
                $0 !== source && ASCIICase.equal($0.text, source.text)
            }
        }
        bindNames()
    }

    /// Returns text that is written separately, because the text before it depends on it, or
    /// because it appears in several places.
    package func fragment(
        _ write: (StatementWriter) throws -> Void
    ) throws -> StatementWriter {
        let fragment = StatementWriter(db, valueStyle: valueStyle)
        try write(fragment)
        fragment.settleNames()
        return fragment
    }

    /// The text and arguments of a writer whose names are settled.
    struct Written: Sendable {
        let sql: String
        let arguments: StatementArguments
        fileprivate let subqueryCount: Int
        fileprivate let literalTexts: [String]
        fileprivate let otherTables: [String]
    }

    var written: Written {
        Written(
            sql: sql, arguments: arguments, subqueryCount: subqueryCount,
            literalTexts: literalTexts, otherTables: otherTables)
    }

    /// Appends the text of another writer, whose names are settled.
    package func append(_ fragment: StatementWriter) throws {
        try append(fragment.written)
    }

    func append(_ fragment: Written) throws {
        append(sql: fragment.sql)
        try append(arguments: fragment.arguments)
        subqueryCount += fragment.subqueryCount
        literalTexts += fragment.literalTexts
        otherTables += fragment.otherTables
    }

    /// Records that the statement reads a table outside of the sources of queries.
    func noteRead(ofTable name: String) {
        subqueryCount += 1
        otherTables.append(name)
    }

    /// Whether a query that was written may read one of the common table expressions. Literals may
    /// read any table.
    func mayRead(_ commonTables: [CommonTable]) -> Bool {
        func isCommon(_ name: String) -> Bool {
            commonTables.contains { ASCIICase.equal($0.name, name) }
        }
        if commonTables.isEmpty { return false }
        return otherTables.contains(where: isCommon)
            || literalTexts.contains(where: SQLText.mayHoldQuery)
            || allSources.contains {
                $0.depth > 0 && $0.relation.tableName.schema == nil && isCommon($0.relation.table)
            }
    }

    /// Writes the text of an SQL literal.
    func append(literal sql: String) {
        literalTexts.append(sql)
        append(sql: sql)
    }

    /// Resolves aliases to the tables of a query, and of the queries around it.
    func withSources(
        of query: ResolvedQuery, _ body: () throws -> Void
    ) rethrows {
        let count = sources.count
        for table in query.tables { table.depth = depth }
        sources += query.tables
        allSources += query.tables
        defer { sources.removeSubrange(count...) }
        try body()
    }

    /// Whether the query that is being written is inside of another query.
    package var isInSubquery: Bool { depth > 0 }

    /// Whether a query with tables is being written.
    var isInQuery: Bool { !sources.isEmpty }

    /// Writes a query inside another one.
    package func withSubquery(_ body: () throws -> Void) throws {
        try checkStack()
        subqueryCount += 1
        depth += 1
        let formerQualifier = outerQualifier
        outerQualifier = qualifier
        defer {
            depth -= 1
            outerQualifier = formerQualifier
        }
        try withQualifier(nil, body)
    }

    /// Returns the qualifier of the columns of the query around the query that is being written;
    /// nil if there is none.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if both queries have tables that were given
    ///   the same name.
    func qualifierAroundQuery() throws -> Qualifier? {
        switch outerQualifier {
        case .name(let name), .nameIfChanged(let name):
            guard let index = sources.lastIndex(where: { $0 === name }) else { return .name(name) }
            return try qualifier(ofOuterSourceAt: index)
        case .given, nil:
            return outerQualifier
        }
    }

    /// Returns the table that an alias refers to.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if no query that is being written has
    ///   the alias.
    func table(of alias: TableAliasBase) throws -> Relation.TableName {
        guard let source = sources.last(where: { $0.isCalled(alias) }) else {
            throw Self.undefinedAlias
        }
        return source.relation.tableName
    }

    /// Returns the table whose columns are written: the table with the qualifier, or the first
    /// table of the query.
    func tableOfColumns() throws -> Relation.TableName {
        let name: SourceName? =
            switch qualifier {
            case .name(let name), .nameIfChanged(let name): name
            case .given, nil: nil
            }
        guard
            let table = sources.last(where: { $0.depth == depth && $0 === name })
                ?? sources.first(where: { $0.depth == depth })
        else {
            throw DatabaseError(misuse: "the expression belongs to no table")
        }
        return table.relation.tableName
    }

    private static var undefinedAlias: DatabaseError {
        DatabaseError(misuse: "undefined table alias: no table of the request is aliased with it")
    }

    /// Returns the qualifier of the columns of an aliased table.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the alias has no name, and no query
    ///   that is being written has it, or if an inner query gives the same name to another table.
    func qualifier(for alias: TableAliasBase) throws -> Qualifier {
        guard let index = sources.lastIndex(where: { $0.isCalled(alias) }) else {
            if let name = alias.name { return .given(name) }
            throw Self.undefinedAlias
        }
        let source = sources[index]
        if source.depth == depth { return source.columnQualifier }
        return try qualifier(ofOuterSourceAt: index)
    }

    /// Returns the qualifier, in an inner query, of the columns of a table of a query around it.
    private func qualifier(ofOuterSourceAt index: Int) throws -> Qualifier {
        let source = sources[index]
        for other in sources[(index + 1)...]
        where other.depth > source.depth && ASCIICase.equal(other.text, source.text) {
            if !source.hasGivenName {
                source.isChanged = true
            } else if !other.hasGivenName {
                // Given names are kept.
                other.isChanged = true
            } else {
                throw DatabaseError(misuse: "ambiguous alias: \(source.text)")
            }
            hasConflicts = true
        }
        return .name(source)
    }
}

extension SQLWriter {
    /// The writer as a `StatementWriter`, the only subclass of `SQLWriter`.
    ///
    /// Base declares nodes and their writer, because values are nodes. Nodes of the Query layer also
    /// need the tables of the statement, which only this subclass knows.
    var context: StatementWriter {
        guard let context = self as? StatementWriter else {
            preconditionFailure("a statement is not written by a StatementWriter")
        }
        return context
    }
}

extension SQLFragment {
    /// The SQL text of a statement, with its arguments.
    func build(_ db: Database) throws -> (sql: String, arguments: StatementArguments) {
        let context = try StatementWriter.writing(self, db)
        return (context.sql, context.arguments)
    }
}

extension Database {
    /// Returns a cached statement, with its arguments set.
    func cachedStatement(_ node: some SQLFragment) throws -> Statement {
        let (sql, arguments) = try node.build(self)
        let statement = try cachedStatement(sql: sql)
        try statement.setArguments(arguments)
        return statement
    }

    /// Compiles a statement that the caller keeps, and whose parameters are bound later.
    func makeStatement(_ node: some SQLFragment) throws -> Statement {
        let (sql, arguments) = try node.build(self)
        let statement = try makeStatement(sql: sql)
        if !arguments.isEmpty { try statement.setArguments(arguments) }
        return statement
    }
}
