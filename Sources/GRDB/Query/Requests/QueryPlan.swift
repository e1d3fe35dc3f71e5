import _GRDBSystem

/// The query plan of a statement: how SQLite runs it.
///
/// ```swift
/// let plan = try Player.filter { $0.teamId == 1 }.queryPlan(db)
/// print(plan)
/// // QUERY PLAN
/// // `--SEARCH player USING INDEX player_on_teamId (teamId=?)
/// ```
///
/// Test the plans of important requests, to detect changes of the schema or of a request that turn
/// a search into a scan:
///
/// ```swift
/// #expect(plan.scansNoTable)
/// #expect(plan.usesIndex("player_on_teamId"))
/// #expect(!plan.sorts)
/// ```
///
/// The format of plans is intended for people. Plans depend on the version of SQLite and on the
/// statistics of `ANALYZE`. A table with an alias appears under the name of the alias.
///
/// See <doc:Performance#Query-plans>.
///
/// Related SQLite documentation: <https://www.sqlite.org/eqp.html>
public struct QueryPlan: Hashable, Sendable {
    /// A step of a plan, with its nested steps.
    public struct Step: Hashable, Sendable {
        /// The description of the step, such as `SCAN player`.
        public let detail: String

        /// The nested steps.
        public let children: [Step]
    }

    /// The outermost steps.
    public let steps: [Step]

    /// All steps. Each step precedes its nested steps.
    public var allSteps: [Step] { steps.flatMap(\.withChildren) }

    // MARK: - Analysis

    /// The tables that are scanned from their first to their last row, or index entry, in the order
    /// of the plan. Virtual tables, subqueries and constants are excluded.
    public var scannedTables: [String] {
        // Materialized subqueries and common table expressions are also scanned.
        let subqueries = allSteps.compactMap(\.subquery)
        return allSteps.compactMap(\.scannedTable).filter { name in
            !subqueries.contains { ASCIICase.equal($0, name) }
        }
    }

    /// Whether no table is scanned from its first to its last row.
    public var scansNoTable: Bool { scannedTables.isEmpty }

    /// Returns whether a table is scanned from its first to its last row.
    ///
    /// - parameter name: the name of the table, or its alias if it has one. Its ASCII case is
    ///   ignored.
    public func scansTable(_ name: String) -> Bool {
        scannedTables.contains { ASCIICase.equal($0, name) }
    }

    /// The indexes that are used, in the order of the plan.
    ///
    /// They include neither rowids, nor primary keys of `WITHOUT ROWID` tables, nor indexes that
    /// SQLite builds for one run of the statement: see ``buildsIndex``.
    public var usedIndexes: [String] { allSteps.compactMap(\.index) }

    /// Returns whether an index is used.
    ///
    /// - parameter name: the name of the index. Its ASCII case is ignored.
    public func usesIndex(_ name: String) -> Bool {
        usedIndexes.contains { ASCIICase.equal($0, name) }
    }

    /// Whether rows are sorted, because no index provides the requested order.
    public var sorts: Bool {
        allSteps.contains {
            $0.detail.hasPrefix("USE TEMP B-TREE FOR ") && $0.detail.hasSuffix("ORDER BY")
        }
    }

    /// Whether rows or groups are collected in a temporary B-tree, for sorting, grouping, or
    /// removing duplicates.
    public var usesTemporaryTree: Bool {
        allSteps.contains { $0.detail.hasPrefix("USE TEMP B-TREE") }
    }

    /// Whether SQLite builds a temporary index each time the statement runs.
    public var buildsIndex: Bool {
        allSteps.contains { $0.detail.rangeOfText(" USING AUTOMATIC ") != nil }
    }
}

extension QueryPlan: CustomStringConvertible {
    /// The tree, in the format of SQLite's command-line shell.
    public var description: String {
        var lines = ["QUERY PLAN"]
        func append(_ steps: [Step], _ indent: String) {
            for (index, step) in steps.enumerated() {
                let isLast = index == steps.count - 1
                lines.append("\(indent)\(isLast ? "`--" : "|--")\(step.detail)")
                append(step.children, indent + (isLast ? "   " : "|  "))
            }
        }
        append(steps, "")
        return lines.joined(separator: "\n")
    }
}

extension QueryPlan.Step {
    fileprivate var withChildren: [QueryPlan.Step] { [self] + children.flatMap(\.withChildren) }

    /// Returns the text after a verb.
    private func subject(_ verb: String) -> Substring? {
        guard detail.hasPrefix(verb) else { return nil }
        return detail.dropFirst(verb.count)
    }

    fileprivate var subquery: String? {
        for verb in ["CO-ROUTINE ", "MATERIALIZE "] {
            if let name = subject(verb) { return String(name) }
        }
        // The rows that a recursive query has found.
        return nil
    }

    fileprivate var scannedTable: String? {
        guard var name = subject("SCAN ") else { return nil }
        if name == "CONSTANT ROW" || name.hasSuffix(" CONSTANT ROWS") || name.hasPrefix("(")
            || name.hasSuffix("-ROW VALUES CLAUSE")
            || name.rangeOfText(" VIRTUAL TABLE INDEX ") != nil
        {
            return nil
        }
        for suffix in [" LEFT-JOIN", " RIGHT-JOIN"] where name.hasSuffix(suffix) {
            name = name.dropLast(suffix.count)
        }
        if let range = name.rangeOfText(" USING ") { name = name[..<range.lowerBound] }
        return String(name)
    }

    fileprivate var index: String? {
        for clause in [" USING COVERING INDEX ", " USING INDEX "] {
            guard let range = detail.rangeOfText(clause) else { continue }
            var name = detail[range.upperBound...]
            for suffix in [" LEFT-JOIN", " RIGHT-JOIN"] where name.hasSuffix(suffix) {
                name = name.dropLast(suffix.count)
            }
            // The terms that are searched for.
            if name.hasSuffix(")"), let terms = name.rangeOfText(" (", backwards: true) {
                name = name[..<terms.lowerBound]
            }
            return String(name)
        }
        // Steps such as INDEX 1 are the parts of a MULTI-INDEX OR.
        return nil
    }
}

extension Database {
    /// Returns how SQLite runs a statement, without running it.
    ///
    /// ```swift
    /// let plan = try db.queryPlan(
    ///     sql: "SELECT * FROM player WHERE teamId = ?", arguments: [1])
    /// ```
    ///
    /// - parameter sql: a single statement. It may be one that changes the database, because it
    ///   does not run.
    /// - parameter arguments: the arguments of the statement, which may influence the plan.
    /// - throws: a ``DatabaseError``, for example if the statement does not compile.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/eqp.html>
    public func queryPlan(
        sql: String, arguments: StatementArguments = StatementArguments()
    ) throws -> QueryPlan {
        var children: [Int: [(id: Int, detail: String)]] = [:]
        let statement = try makeStatement(sql: "EXPLAIN QUERY PLAN \(sql)")
        let rows = try Row.fetchCursor(statement, arguments: arguments)
        while let row = try rows.next() {
            children[row[1], default: []].append((id: row[0], detail: row[3]))
        }
        func steps(_ parent: Int) -> [QueryPlan.Step] {
            // Each step is listed once, and removed, so that no step is its own parent.
            (children.removeValue(forKey: parent) ?? []).map {
                QueryPlan.Step(detail: $0.detail, children: steps($0.id))
            }
        }
        return QueryPlan(steps: steps(0))
    }

    /// Returns how SQLite runs the statement of a literal, without running it.
    ///
    /// ```swift
    /// let plan = try db.queryPlan(literal: "SELECT * FROM player WHERE teamId = \(teamId)")
    /// ```
    ///
    /// - throws: a ``DatabaseError``.
    public func queryPlan(literal: SQL) throws -> QueryPlan {
        let (sql, arguments) = try literal.build(self)
        return try queryPlan(sql: sql, arguments: arguments)
    }
}

extension FetchRequest {
    /// Returns how SQLite fetches the rows of the request.
    ///
    /// ```swift
    /// let plan = try Player.filter { $0.teamId == 1 }.queryPlan(db)
    /// #expect(plan.scansNoTable)
    /// ```
    ///
    /// The plan does not include the separate statements that fetch the associated rows of
    /// `including(all:)`.
    ///
    /// - throws: a ``DatabaseError``.
    public func queryPlan(_ db: Database) throws -> QueryPlan {
        let statement = try makePreparedRequest(db, forSingleResult: false).statement
        return try db.queryPlan(sql: statement.sql, arguments: statement.arguments)
    }
}
