/// Associated rows that are fetched after the rows of a relation, with a separate query.
struct Prefetch: Sendable {
    /// The name of the rows, next to the columns of the row that they belong to.
    var key: String

    /// The joins that lead from the relation to the prefetched rows, which are the rows of the last
    /// join.
    var path: [Join]

    /// The keys of the joins that lead to the rows. Prefetches with the same keys are merged.
    var keyPath: [String] { path.dropLast().map(\.key) + [key] }

    /// The key path for display, with the keys of the associations that lead to the rows.
    var displayedKeyPath: [String] {
        path.dropLast().map { $0.prefetchedKey ?? $0.key } + [key]
    }
}

extension Relation {
    /// Whether rows are prefetched, for rows of the relation or of joined relations.
    var hasPrefetches: Bool {
        !prefetches.isEmpty || joins.contains { $0.relation.hasPrefetches }
    }
}

/// The rows that are associated with some given rows.
struct AssociatedRows: Sendable {
    /// The joins that lead from the given rows to the associated rows.
    let path: [Join]

    init(path: [Join]) {
        self.path = path
    }

    init(_ association: _AssociationJoin) {
        path = association.pivots + [association.join]
    }

    /// The columns of the given rows, and the columns that must have the same values.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` if the association does not follow a
    ///   foreign key.
    func columns(_ db: Database) throws -> [(left: String, right: String)] {
        guard case .foreignKey(let join) = path[0].condition else {
            throw DatabaseError(
                misuse: """
                    The association \(path[path.count - 1].key) follows no foreign key: its rows can \
                    be joined only
                    """)
        }
        return try join.columns(db)
    }

    /// Returns the relation of the associated rows.
    ///
    /// ```swift
    /// // The awards of an author
    /// // SELECT "award".*
    /// // FROM "award"
    /// // JOIN "book" ON ("book"."id" = "award"."bookId") AND ("book"."authorId" = 1)
    /// ```
    ///
    /// - parameter keyPrefix: the prefix of the names of additional columns, which hold the key of
    ///   the given row of each associated row; nil for no such columns.
    /// - parameter condition: the condition on the columns that must have given values.
    func relation(
        keyPrefix: String? = nil,
        where condition: @escaping Relation.Deferred<SQLExpression>
    ) -> Relation {
        var result = path[path.count - 1].relation
        let condition = Relation.DeferredCondition(condition)
        // The table whose columns hold the key of the given row.
        var keyAlias: TableAliasBase?
        if path.count == 1 {
            result.filters.append(condition)
        } else {
            // Starting with the given rows, each table is joined to the next one.
            let alias = TableAliasBase(name: nil)
            keyAlias = alias
            var pivot = path[0].relation.withoutSelection
            pivot.aliases.append(alias)
            pivot.filters.append(condition)
            for index in 1..<path.count {
                let join = Join(
                    key: Self.pivotKey, kind: .required,
                    condition: path[index].condition.reversed, relation: pivot)
                if index == path.count - 1 {
                    result.joins.append(join)
                } else {
                    pivot = path[index].relation.withoutSelection
                    pivot.joins.append(join)
                }
            }
        }
        if let keyPrefix {
            let (rows, keyAlias) = (self, keyAlias)
            if let grouping = result.grouping {
                // Each given row has its own groups.
                let (table, aliases) = (result.tableName, result.aliases)
                result.grouping = { db in
                    let expressions = try grouping(db)
                    if keyAlias != nil {
                        return try expressions + rows.columns(db).map { keyAlias.column($0.right) }
                    }
                    let names = expressions.compactMap {
                        $0.sqlExpression.node.columnName(aliases: aliases)
                    }
                    if try names.count == expressions.count && db.isRowKey(names, of: table) {
                        return expressions
                    }
                    let columns = try rows.columns(db).map(\.right).filter { column in
                        !names.contains { ASCIICase.equal($0, column) }
                    }
                    return expressions + columns.map { Column($0) }
                }
            }
            result.selection.append { db in
                try rows.columns(db).map { columns in
                    keyAlias.column(columns.right).forKey(keyPrefix + columns.right)
                }
            }
        }
        return result
    }

    /// A key that no association has: keys don't begin with a NUL character.
    private static let pivotKey = "\u{0}pivot"
}

extension Database {
    /// Whether columns identify the rows of a table.
    fileprivate func isRowKey(
        _ columns: [String], of table: Relation.TableName
    ) throws -> Bool {
        if try columns.isEmpty || hasView(table.name, in: table.schema) { return false }
        let key = try rowKeyColumns(of: table).map { CaseInsensitiveIdentifier($0.name) }
        return Set(columns.map { CaseInsensitiveIdentifier($0) }).isSuperset(of: key)
    }
}

extension TableAliasBase? {
    /// The column of the aliased table, or else of the table of the query.
    fileprivate func column(_ name: String) -> SQLExpression {
        if let self { return self[Column(name)] }
        return Column(name).sqlExpression
    }
}

extension Join {
    /// The same join, without selecting or prefetching rows.
    var withoutSelection: Join {
        var join = self
        join.relation = join.relation.withoutSelection
        return join
    }
}

extension Relation {
    /// The same relation, without selecting or prefetching rows.
    fileprivate var withoutSelection: Relation {
        var relation = self
        relation.selection = .init()
        relation.prefetches = []
        relation.joins = joins.map(\.withoutSelection)
        return relation
    }
}
