/// The query plan of a statement: how SQLite runs it.
///
/// ```swift
/// let plan = try Player.filter { $0.teamId == 1 }.queryPlan(db)
/// print(plan)
/// // QUERY PLAN
/// // `--SEARCH player USING INDEX player_on_teamId (teamId=?)
/// ```
///
/// Test the plans of important requests: the product GRDBSchema has properties for what a plan scans,
/// sorts and uses. See <doc:Performance#Query-plans>.
///
/// The format of plans is intended for people. Plans depend on the version of SQLite and on the
/// statistics of `ANALYZE`. A table with an alias appears under the name of the alias.
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
    /// print(plan)
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
