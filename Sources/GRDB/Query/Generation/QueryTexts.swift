/// The texts of the queries that were written on a connection, by their shapes.
///
/// Writing a query takes several times as long as running it. A query of a known shape is neither
/// resolved nor written: its values are bound to the cached statement.
final class QueryTexts {
    fileprivate final class Entry {
        let shape: QueryShape
        let text: String

        /// The adapter of the rows; nil if there is nothing to adapt.
        let adapter: KeptRowAdapter?

        /// The number of the schema cache when the text was written; nil if the text does not
        /// depend on the schema. For example, a query for the row of a unique key needs no `LIMIT`.
        let schemaNumber: Int?

        init(
            shape: QueryShape, text: String, adapter: KeptRowAdapter?, schemaNumber: Int?
        ) {
            self.shape = shape
            self.text = text
            self.adapter = adapter
            self.schemaNumber = schemaNumber
        }
    }

    /// The maximum number of shapes. All shapes are discarded when there are more.
    private static let maximumCount = 500

    /// The entries by the hashes of their shapes. Of several shapes with the same hash, the latest
    /// is kept.
    @exclusivity(unchecked)
    private var entries: [UInt64: Entry] = [:]

    /// The two latest entries. Loops request the same shape, or two shapes in turn, and comparing
    /// shapes is faster than looking up their hash.
    @exclusivity(unchecked)
    private var latest: Entry?
    @exclusivity(unchecked)
    private var former: Entry?

    private func entry(of shape: borrowing QueryShapeWriter) -> Entry? {
        if let latest, shape.matches(latest.shape) { return latest }
        if let former, shape.matches(former.shape) {
            swap(&latest, &self.former)
            return former
        }
        guard let entry = entries[shape.hash], shape.matches(entry.shape) else { return nil }
        former = latest
        latest = entry
        return entry
    }

    fileprivate func entry(
        of shape: borrowing QueryShapeWriter, _ db: Database
    ) throws -> Entry? {
        guard let entry = entry(of: shape) else { return nil }
        if let number = entry.schemaNumber, try db.validSchemaCache().number != number {
            return nil
        }
        return entry
    }

    fileprivate func remember(
        _ text: String, _ adapter: KeptRowAdapter?, of shape: QueryShapeWriter,
        schemaNumber: Int?
    ) {
        if entries.count >= Self.maximumCount { entries = [:] }
        entries[shape.hash] = Entry(
            shape: shape.shape, text: text, adapter: adapter, schemaNumber: schemaNumber)
        latest = nil
        former = nil
    }

    /// Reused memory for the next shape. Nil while a shape is written, because closures of a
    /// request may run other requests.
    @exclusivity(unchecked)
    private var unusedWriter: QueryShapeWriter?

    fileprivate func takeWriter() -> QueryShapeWriter {
        guard var writer = unusedWriter.take() else { return QueryShapeWriter() }
        writer.reset()
        return writer
    }

    fileprivate func giveBack(_ writer: consuming QueryShapeWriter) {
        if !writer.values.isEmpty { writer.values.removeAll(keepingCapacity: true) }
        unusedWriter = writer
    }

    /// The texts of a connection.
    fileprivate static func of(_ db: Database) -> QueryTexts {
        if let known = db.queryTexts { return unsafeDowncast(known, to: QueryTexts.self) }
        let texts = QueryTexts()
        db.queryTexts = texts
        return texts
    }
}

/// The information about a query before it is resolved: its shape, and the statement of its text if
/// a query of the same shape was written before.
struct WrittenQueryPlan: ~Copyable {
    /// The results of the closures of the relation, which are called once each. Nil for closures
    /// that were not called.
    struct Parts {
        var selection: [any SQLSelectable]?
        var filters: [SQLExpression]?
        var grouping: [SQLExpression]?
        var orderings: [SQLOrdering]?
    }

    fileprivate(set) var parts = Parts()

    /// Nil if the query has no shape, so that it is always written; or if there is a statement.
    fileprivate var shape: QueryShapeWriter?

    /// The statement, with its arguments.
    fileprivate(set) var statement: Statement?

    /// The adapter of the rows of the statement; nil if there is nothing to adapt.
    fileprivate(set) var adapter: KeptRowAdapter?

    #if DEBUG
    /// The arguments of the statement.
    fileprivate var values: [DatabaseValue] = []
    #endif
}

extension Relation {
    /// Looks up the statement of a query of the same shape.
    ///
    /// - parameters:
    ///     - isOrdered: whether the statement depends on the order.
    ///     - rest: adds to the shape what else the text depends on, where its values are bound:
    ///       after the selection, before the conditions.
    func plan(
        of use: ResolvedQuery.Use, isOrdered: Bool = true, _ db: Database,
        _ rest: (inout QueryShapeWriter) -> Void = { _ in }
    ) throws -> WrittenQueryPlan {
        var plan = WrittenQueryPlan()
        guard FastPaths.areEnabled, mayHaveShape else { return plan }
        let texts = QueryTexts.of(db)
        var shape = texts.takeWriter()
        try writeShape(to: &shape, of: use, isOrdered: isOrdered, db, &plan.parts, rest)
        guard shape.isComplete else {
            texts.giveBack(shape)
            return plan
        }
        guard let entry = try texts.entry(of: shape, db) else {
            plan.shape = shape
            return plan
        }
        #if DEBUG
        plan.values = shape.values
        #endif
        let statement = try db.cachedStatement(sql: entry.text, keepsArguments: true)
        try statement.exchangeArguments(&shape.values)
        plan.statement = statement
        plan.adapter = entry.adapter
        texts.giveBack(consume shape)
        return plan
    }
}

extension ResolvedQuery {
    /// The use of the rows of a query in a statement.
    enum Use: UInt8 {
        case fetchAll, fetchOne, count, exist, delete, update
    }

    /// Writes the statement of a plan without a known text, and remembers the text.
    ///
    /// - returns: a cached statement, with its arguments set.
    func statement(
        _ plan: borrowing WrittenQueryPlan, writing write: (StatementWriter) throws -> Void
    ) throws -> Statement {
        try request(plan, isAdapted: false, writing: write).statement
    }

    /// Writes the statement of a plan without a known text, and remembers the text, and the adapter
    /// of the rows.
    ///
    /// - parameter isAdapted: whether the rows have a scope for each joined relation.
    func request(
        _ plan: borrowing WrittenQueryPlan, isAdapted: Bool,
        writing write: (StatementWriter) throws -> Void
    ) throws -> PreparedRequest {
        let formerUseCount = db.schemaCache.useCount
        let context = StatementWriter(db)
        try write(context)
        context.settleNames()
        // One string, so that comparing it with the key in the cache only compares addresses.
        let sql = context.sql
        holdsQueries = context.subqueryCount > 0
        literalTexts = context.literalTexts
        let statement =
            try isAdapted
            ? db.cachedStatementOfCurrentSchema(sql: sql)
            : db.cachedStatement(sql: sql)
        try statement.setArguments(context.arguments)
        let adapter = try isAdapted ? rowAdapter(columnCount: statement.columnCount) : nil
        if let shape = plan.shape, context.arguments.isList(of: shape.values) {
            let dependsOnSchema = db.schemaCache.useCount != formerUseCount
            let keptAdapter = adapter.map { KeptRowAdapter($0) }
            try QueryTexts.of(db).remember(
                sql, keptAdapter, of: shape,
                schemaNumber: dependsOnSchema ? db.validSchemaCache().number : nil)
            return PreparedRequest(statement: statement, adapter: keptAdapter)
        }
        return PreparedRequest(statement: statement, adapter: adapter)
    }

    /// In debug builds, stops the program if the text found by a shape differs from the text that
    /// the query would write.
    @inline(__always)
    static func check(
        _ plan: borrowing WrittenQueryPlan, _ statement: Statement,
        of relation: @autoclosure () -> Relation, _ db: Database,
        writing write: (ResolvedQuery, StatementWriter) throws -> Void
    ) throws {
        #if DEBUG
        let query = try ResolvedQuery(relation(), db, plan.parts)
        let context = StatementWriter(db)
        try write(query, context)
        context.settleNames()
        precondition(
            context.sql == statement.sql
                && context.arguments.isList(of: plan.values),
            "a shape has two texts: \(statement.sql); \(context.sql) \(context.arguments)")
        #endif
    }
}

/// The query of a statement that was found by its shape. The query is resolved only when its region
/// is requested.
final class PlannedQuery: RegionRefinement {
    private let relation: Relation
    private let parts: WrittenQueryPlan.Parts
    private let db: Database

    init(_ relation: Relation, _ parts: WrittenQueryPlan.Parts, _ db: Database) {
        self.relation = relation
        self.parts = parts
        self.db = db
    }

    func refine(_ region: DatabaseRegion) throws -> DatabaseRegion {
        let query = try ResolvedQuery(relation, db, parts)
        // Nodes that have a shape contain no queries, and no literals.
        query.holdsQueries = false
        return try query.refine(region)
    }
}

extension StatementArguments {
    /// Whether the arguments are these values, in this order, and nothing else.
    fileprivate func isList(of values: [DatabaseValue]) -> Bool {
        count == values.count && !hasNamesOrExceptions
            && zip(self.values, values).allSatisfy { $0.isIdentical(to: $1) }
    }
}
