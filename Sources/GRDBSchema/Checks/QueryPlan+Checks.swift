import GRDB

// What a query plan scans, sorts and uses. Test it for important requests, to detect changes of the schema or of a
// request that turn a search into a scan.

extension QueryPlan {
    /// All steps. Each step precedes its nested steps.
    public var allSteps: [Step] { steps.flatMap(\.withChildren) }

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
    ///
    /// ```swift
    /// let plan = try Player.filter { $0.teamId == 1 }.queryPlan(db)
    /// #expect(plan.scansNoTable)
    /// #expect(plan.usesIndex("player_on_teamId"))
    /// #expect(!plan.sorts)
    /// ```
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
    /// SQLite builds for one run of the statement: see ``GRDB/QueryPlan/buildsIndex``.
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
