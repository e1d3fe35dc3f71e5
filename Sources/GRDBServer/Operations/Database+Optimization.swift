import GRDB

extension Database {
    /// The tables that `optimize` considers.
    public enum OptimizationScope: Sendable {
        /// The tables that this connection has used, and whose statistics are outdated.
        case usedTables
        /// All tables whose statistics are outdated or missing.
        case allTables
    }

    /// Updates the query planner's statistics, where worthwhile.
    ///
    /// SQLite recommends `.allTables` after opening a long-lived connection, and after schema changes. It
    /// recommends `.usedTables` at regular intervals, and before closing a connection.
    /// ``DatabaseMaintenance`` does both.
    ///
    /// ```swift
    /// try dbPool.writeWithoutTransaction { db in
    ///     // PRAGMA optimize
    ///     try db.optimize()
    /// }
    /// ```
    ///
    /// SQLite limits the number of rows that it analyzes. Most calls take almost no time.
    ///
    /// - parameter scope: the tables to consider.
    /// - throws: a ``/GRDB/DatabaseError``.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_optimize>
    public func optimize(_ scope: OptimizationScope = .usedTables) throws {
        switch scope {
        case .usedTables: try execute(sql: "PRAGMA optimize")
        case .allTables: try execute(sql: "PRAGMA optimize = 0x10002")
        }
    }
}
