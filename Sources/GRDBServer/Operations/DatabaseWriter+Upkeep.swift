import GRDB

extension DatabaseWriter {
    /// Returns unused pages of the file to the file system, in slices.
    ///
    /// The database must have been created with `PRAGMA auto_vacuum = INCREMENTAL`. Other writes
    /// can run between slices.
    ///
    /// ```swift
    /// // PRAGMA incremental_vacuum(200)
    /// let count = try await dbPool.incrementalVacuum(pagesPerSlice: 200)
    /// ```
    ///
    /// - parameters:
    ///   - pagesPerSlice: the number of pages to free per transaction.
    ///   - maximumPageCount: the maximum number of pages to free; nil for all unused pages.
    ///   - progress: called after each slice with the number of remaining unused pages.
    /// - returns: the number of freed pages.
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_MISUSE` if the database is not in that mode;
    ///   `CancellationError` when the task is cancelled, at the latest after the current slice.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_incremental_vacuum>
    @discardableResult
    public func incrementalVacuum(
        pagesPerSlice: Int = 200, maximumPageCount: Int? = nil,
        progress: (@Sendable (_ unusedPageCount: Int) -> Void)? = nil
    ) async throws -> Int {
        var freedCount = 0
        while true {
            try Task.checkCancellation()
            let wanted = min(max(1, pagesPerSlice), (maximumPageCount ?? .max) - freedCount)
            if wanted <= 0 { return freedCount }
            let (freed, left) = try await write { db in
                guard try Int.fetchOne(db, sql: "PRAGMA main.auto_vacuum") == 2 else {
                    throw DatabaseError(
                        resultCode: .SQLITE_MISUSE,
                        message: "The database does not have auto_vacuum = INCREMENTAL")
                }
                func unusedCount() throws -> Int {
                    try Int.fetchOne(db, sql: "PRAGMA main.freelist_count") ?? 0
                }
                let before = try unusedCount()
                if before > 0 {
                    // Each step frees one page.
                    _ = try Row.fetchAll(db, sql: "PRAGMA main.incremental_vacuum(\(wanted))")
                }
                let after = try unusedCount()
                return (before - after, after)
            }
            freedCount += freed
            if freed > 0 { progress?(left) }
            if left == 0 || freed == 0 { return freedCount }
        }
    }
}

/// The progress of an integrity check.
public struct IntegrityCheckProgress: Hashable, Sendable {
    /// The number of completed steps. Each table is a step, and the structure of the file is the
    /// last one.
    public let completedStepCount: Int

    /// The total number of steps.
    public let totalStepCount: Int

    /// The table that was checked last; nil before the first step, and for the structure of the
    /// file.
    public let tableName: String?
}

extension DatabaseReader {
    /// Checks the integrity of the database in the background.
    ///
    /// A pool checks a snapshot of the database, concurrently with reads and writes. The check
    /// prevents the write-ahead log from shrinking.
    ///
    /// ```swift
    /// let problems = try await dbPool.integrityProblems { progress in
    ///     print("\(progress.completedStepCount) of \(progress.totalStepCount)")
    /// }
    /// ```
    ///
    /// - parameters:
    ///   - quick: whether to skip the comparison of indexes with their tables.
    ///   - limit: the number of problems after which the check ends.
    ///   - progress: called before the first step, and after each one, on the thread of the access.
    /// - returns: the problems, as described by SQLite; empty if there are none.
    /// - throws: a ``/GRDB/DatabaseError``; `CancellationError` when the task is cancelled, which
    ///   interrupts the check immediately.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_integrity_check>
    public func integrityProblems(
        quick: Bool = false, limit: Int = 100,
        progress: @escaping @Sendable (IntegrityCheckProgress) -> Void = { _ in }
    ) async throws -> [String] {
        try await read { db in
            // Virtual tables and the schema itself are checked in the last step, with the structure
            // of the file.
            let tables = try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM main.sqlite_master
                    WHERE type = 'table' AND rootpage > 0 ORDER BY rootpage
                    """)
            var problems: [String] = []
            func note(_ count: Int, _ table: String?) {
                progress(
                    IntegrityCheckProgress(
                        completedStepCount: count, totalStepCount: tables.count + 1,
                        tableName: table))
            }
            func check(_ pragma: String, _ argument: String) throws {
                let found = try String.fetchAll(db, sql: "PRAGMA main.\(pragma)(\(argument))")
                for problem in found
                where problem != "ok" && !problems.contains(problem) && problems.count < limit {
                    problems.append(problem)
                }
            }
            note(0, nil)
            for (index, table) in tables.enumerated() {
                if problems.count >= limit { return problems }
                try check(
                    quick ? "quick_check" : "integrity_check", table.quotedDatabaseIdentifier)
                note(index + 1, table)
            }
            if problems.count < limit {
                for problem in try db.integrityProblems(
                    in: "main", quick: true, limit: limit - problems.count)
                where !problems.contains(problem) {
                    problems.append(problem)
                }
            }
            note(tables.count + 1, nil)
            return problems
        }
    }
}
