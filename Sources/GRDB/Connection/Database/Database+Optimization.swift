extension Database {
    /// Which tables `optimize` looks at.
    public enum OptimizationScope: Sendable {
        /// The tables that this connection has used, and whose statistics are out of date.
        case usedTables
        /// All tables whose statistics are out of date, or that have none.
        case allTables
    }

    /// Updates the statistics that the query planner uses, where it is worth it.
    ///
    /// SQLite recommends `.allTables` after a connection that stays open was opened, and when the schema
    /// has changed; and `.usedTables` regularly, and before a connection is closed. ``DatabaseMaintenance``
    /// does both.
    ///
    /// ```swift
    /// try dbPool.writeWithoutTransaction { db in
    ///     // PRAGMA optimize
    ///     try db.optimize()
    /// }
    /// ```
    ///
    /// SQLite limits the rows that it looks at. Most calls take no time at all.
    ///
    /// - parameter scope: which tables to look at.
    /// - throws: a ``DatabaseError``.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_optimize>
    public func optimize(_ scope: OptimizationScope = .usedTables) throws {
        switch scope {
        case .usedTables: try execute(sql: "PRAGMA optimize")
        case .allTables: try execute(sql: "PRAGMA optimize = 0x10002")
        }
    }
}
