import Foundation

/// How SQLite runs a statement.
///
/// ```swift
/// let plan = try Player.filter { $0.teamId == 1 }.queryPlan(db)
/// print(plan)
/// // QUERY PLAN
/// // `--SEARCH player USING INDEX player_on_teamId (teamId=?)
/// ```
///
/// Test the plans of important requests, so that a change of the schema or of a request does not turn a
/// search into a scan:
///
/// ```swift
/// #expect(plan.scansNoTable)
/// #expect(plan.usesIndex("player_on_teamId"))
/// #expect(!plan.sorts)
/// ```
///
/// Plans are written for people to read, and depend on the version of SQLite and on the statistics of `ANALYZE`. Names
/// are those that the statement gives: a table with an alias has the name of the alias.
///
/// Related SQLite documentation: <https://www.sqlite.org/eqp.html>
public struct QueryPlan: Hashable, Sendable {
    /// A step of a plan, with the steps it is made of.
    public struct Step: Hashable, Sendable {
        /// What the step does, such as `SCAN player`.
        public let detail: String

        /// The nested steps.
        public let children: [Step]
    }

    /// The outermost steps.
    public let steps: [Step]

    /// All steps: each before those inside of it.
    public var allSteps: [Step] { steps.flatMap(\.withChildren) }

    // MARK: - Questions

    /// The tables that are read from their first to their last row, or index entry, in the order of the
    /// plan. Virtual tables, subqueries and constants are not among them.
    public var scannedTables: [String] {
        // Subqueries and common tables that have rows of their own are scanned, too.
        let subqueries = allSteps.compactMap(\.subquery)
        return allSteps.compactMap(\.scannedTable).filter { name in
            !subqueries.contains { ASCIICase.equal($0, name) }
        }
    }

    /// Whether no table is read from its first to its last row.
    public var scansNoTable: Bool { scannedTables.isEmpty }

    /// Whether a table is read from its first to its last row.
    ///
    /// - parameter name: the name of the table, or its alias if it has one, ASCII case apart.
    public func scansTable(_ name: String) -> Bool {
        scannedTables.contains { ASCIICase.equal($0, name) }
    }

    /// The indexes that are used, in the order of the plan.
    ///
    /// Neither the primary keys of tables without rowid nor rowids are among them, nor are indexes that
    /// SQLite builds for one run of the statement: see ``buildsIndex``.
    public var usedIndexes: [String] { allSteps.compactMap(\.index) }

    /// Whether an index is used.
    ///
    /// - parameter name: the name of the index, ASCII case apart.
    public func usesIndex(_ name: String) -> Bool {
        usedIndexes.contains { ASCIICase.equal($0, name) }
    }

    /// Whether rows are sorted, because no index has them in the wanted order.
    public var sorts: Bool {
        allSteps.contains {
            $0.detail.hasPrefix("USE TEMP B-TREE FOR ") && $0.detail.hasSuffix("ORDER BY")
        }
    }

    /// Whether rows or groups are collected in a temporary tree: for sorting, grouping, or removing
    /// duplicates.
    public var usesTemporaryTree: Bool {
        allSteps.contains { $0.detail.hasPrefix("USE TEMP B-TREE") }
    }

    /// Whether an index is built, and thrown away, each time the statement runs.
    public var buildsIndex: Bool {
        allSteps.contains { $0.detail.contains(" USING AUTOMATIC ") }
    }
}

extension QueryPlan: CustomStringConvertible {
    /// The tree, as the command-line program of SQLite prints it.
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

    /// The name behind a verb.
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
            || name.range(of: " VIRTUAL TABLE INDEX ") != nil
        {
            return nil
        }
        for suffix in [" LEFT-JOIN", " RIGHT-JOIN"] where name.hasSuffix(suffix) {
            name = name.dropLast(suffix.count)
        }
        if let range = name.range(of: " USING ") { name = name[..<range.lowerBound] }
        return String(name)
    }

    fileprivate var index: String? {
        for clause in [" USING COVERING INDEX ", " USING INDEX "] {
            guard let range = detail.range(of: clause) else { continue }
            var name = detail[range.upperBound...]
            for suffix in [" LEFT-JOIN", " RIGHT-JOIN"] where name.hasSuffix(suffix) {
                name = name.dropLast(suffix.count)
            }
            // The terms that are searched for.
            if name.hasSuffix(")"), let terms = name.range(of: " (", options: .backwards) {
                name = name[..<terms.lowerBound]
            }
            return String(name)
        }
        // INDEX 1, and the like, are the parts of a MULTI-INDEX OR.
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
    /// - parameter sql: a single statement, which may also change the database.
    /// - parameter arguments: the arguments of the statement. SQLite may look at them when it plans.
    /// - throws: a ``DatabaseError``, also if the statement does not compile.
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
    /// Associated rows that `including(all:)` fetches with statements of their own are not part of the
    /// plan.
    ///
    /// - throws: a ``DatabaseError``.
    public func queryPlan(_ db: Database) throws -> QueryPlan {
        let statement = try makePreparedRequest(db, forSingleResult: false).statement
        return try db.queryPlan(sql: statement.sql, arguments: statement.arguments)
    }
}
