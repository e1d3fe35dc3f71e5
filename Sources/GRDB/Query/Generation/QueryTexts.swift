/// The texts of the queries that were written on a connection, by their shapes.
///
/// Writing a query takes several times as long as running it. A query of a known shape is not written:
/// its values are bound to the statement of the same text.
///
/// Some texts depend on the schema: the row of a unique key needs no `LIMIT`. They are dropped with the
/// schema cache. Texts that were written without a look at the schema are kept as long as the
/// connection.
final class QueryTexts {
    /// How many shapes are kept. When there are more, all are forgotten.
    private static let maximumCount = 500

    @exclusivity(unchecked)
    private var texts: [QueryShape: String] = [:]

    func text(of shape: QueryShape) -> String? { texts[shape] }

    func remember(_ text: String, of shape: QueryShape) {
        if texts.count == Self.maximumCount { texts = [:] }
        texts[shape] = text
    }

    /// The texts that don't depend on the schema.
    fileprivate enum Key: DatabaseStorageKey {
        static var defaultValue: QueryTexts? { nil }
    }
}

extension Database {
    /// The text of the queries of a shape, if one was written.
    fileprivate func text(of shape: QueryShape) throws -> String? {
        if let text = self[QueryTexts.Key.self]?.text(of: shape) { return text }
        // Nothing is read for texts that can't be there.
        guard schemaCache.versions != nil,
            let texts = try validSchemaCache().derivedValue(for: ObjectIdentifier(QueryTexts.self))
        else { return nil }
        return unsafeDowncast(texts, to: QueryTexts.self).text(of: shape)
    }

    /// - parameter dependsOnSchema: whether the schema was looked at when the text was written.
    fileprivate func remember(
        _ text: String, of shape: QueryShape, dependsOnSchema: Bool
    ) throws {
        let texts: QueryTexts
        if dependsOnSchema {
            let id = ObjectIdentifier(QueryTexts.self)
            if let known = try validSchemaCache().derivedValue(for: id) {
                texts = unsafeDowncast(known, to: QueryTexts.self)
            } else {
                texts = QueryTexts()
                schemaCache.setDerivedValue(texts, for: id)
            }
        } else {
            texts = self[QueryTexts.Key.self] ?? QueryTexts()
            self[QueryTexts.Key.self] = texts
        }
        texts.remember(text, of: shape)
    }
}

extension ResolvedQuery {
    /// What a statement does with the rows of a query.
    enum Use: UInt8 {
        case fetchAll, fetchOne, count, exist, delete, update
    }

    /// A statement of the cache, with its arguments.
    ///
    /// - parameters:
    ///     - shape: the shape of the statement; nil if it has none.
    ///     - write: writes the statement, if no statement of this shape was written before.
    func statement(
        _ shape: QueryShapeWriter?, writing write: (StatementWriter) throws -> Void
    ) throws -> Statement {
        guard let shape else { return try writtenStatement(write).statement }
        if let text = try db.text(of: shape.shape) {
            #if DEBUG
            try checkText(text, shape, write)
            #endif
            let statement = try db.cachedStatement(sql: text)
            try statement.setArguments(
                StatementArguments(values: shape.values, namedValues: [:]))
            return statement
        }
        let formerUseCount = db.schemaCache.useCount
        let (statement, context) = try writtenStatement(write)
        if context.arguments.isList(of: shape.values) {
            try db.remember(
                context.sql, of: shape.shape,
                dependsOnSchema: db.schemaCache.useCount != formerUseCount)
        }
        return statement
    }

    private func writtenStatement(
        _ write: (StatementWriter) throws -> Void
    ) throws -> (statement: Statement, StatementWriter) {
        let context = StatementWriter(db)
        try write(context)
        context.settleNames()
        holdsQueries = context.subqueryCount > 0
        literalTexts = context.literalTexts
        let statement = try db.cachedStatement(sql: context.sql)
        try statement.setArguments(context.arguments)
        return (statement, context)
    }

    #if DEBUG
    /// Stops the program if a shape stands for another text than the one that is written.
    private func checkText(
        _ text: String, _ shape: QueryShapeWriter,
        _ write: (StatementWriter) throws -> Void
    ) throws {
        let context = StatementWriter(db)
        try write(context)
        context.settleNames()
        precondition(
            context.sql == text && context.arguments.isList(of: shape.values),
            "a shape has two texts: \(text); \(context.sql) \(context.arguments)")
        holdsQueries = context.subqueryCount > 0
        literalTexts = context.literalTexts
    }
    #endif

    /// The shape of a statement on the rows of the query; nil if it has none.
    ///
    /// - parameter rest: adds what the text also depends on, in the place where its values are bound:
    ///   after the selection, before the conditions.
    func shape(
        of use: Use, _ rest: (inout QueryShapeWriter) -> Void = { _ in }
    ) throws -> QueryShapeWriter? {
        #if GRDB_NO_FAST_PATHS
        return nil
        #else
        guard tables.count == 1, relation.joins.isEmpty, relation.prefetches.isEmpty,
            relation.aliases.isEmpty, relation.commonTables.isEmpty, windows.isEmpty,
            relation.groupFilters.isEmpty, relation.ambiguousKey == nil
        else { return nil }
        var shape = QueryShapeWriter()
        shape.append(.query)
        shape.append(Int(use.rawValue))
        shape.append(relation.tableName.schema)
        shape.append(relation.table)
        shape.append(isDistinct)
        let table = tables[0]
        let selects =
            switch use {
            case .fetchAll, .fetchOne, .count, .exist: true
            case .delete, .update: false
            }
        if selects {
            try shape.append(nodes: table.selection(db))
        }
        rest(&shape)
        guard shape.isComplete else { return nil }
        shape.append(.filters)
        try shape.append(conditions: table.filters(db))
        guard shape.isComplete else { return nil }
        if relation.grouping != nil {
            shape.append(.grouping)
            try shape.append(nodes: grouping())
        }
        if isOrdered, !relation.ordering.terms.isEmpty {
            guard selects, let orderings = try knownOrdering() else { return nil }
            shape.append(.ordering)
            shape.append(nodes: orderings)
        }
        if let limit = relation.limit {
            guard selects else { return nil }
            shape.append(.limit)
            shape.append(limit.count)
            shape.append(limit.offset != nil)
            shape.append(limit.offset ?? 0)
        }
        return shape.isComplete ? shape : nil
        #endif
    }
}

extension StatementArguments {
    /// Whether the arguments are these values, in this order, and nothing else.
    fileprivate func isList(of values: [DatabaseValue]) -> Bool {
        guard self.values.count == values.count, namedValues.isEmpty, arrays.isEmpty else {
            return false
        }
        return zip(self.values, values).allSatisfy { $0.isIdentical(to: $1) }
    }
}

extension DatabaseValue {
    /// Whether the values are stored alike: 1 is not 1.0, and NaN is itself.
    fileprivate func isIdentical(to other: DatabaseValue) -> Bool {
        switch (storage, other.storage) {
        case (.null, .null): true
        case (.int64(let value), .int64(let other)): value == other
        case (.double(let value), .double(let other)): value.bitPattern == other.bitPattern
        case (.string(let value), .string(let other)): value == other
        case (.blob(let value), .blob(let other)): value == other
        default: false
        }
    }
}
