import GRDB

/// The counters of SQLite for all executions of a statement.
///
/// ```swift
/// let statement = try db.makeStatement(sql: "SELECT * FROM player WHERE name = 'Arthur'")
/// _ = try Row.fetchAll(statement)
/// // Greater than zero: no index helps.
/// let scanned = statement.counters.fullScanStepCount
/// ```
///
/// Counters never decrease: subtract an earlier value to measure one execution.
///
/// Related SQLite documentation: <https://www.sqlite.org/c3ref/c_stmtstatus_counter.html>
public struct StatementCounters: Hashable, Sendable {
    /// The number of rows that scans of whole tables have stepped over. An index may help.
    public let fullScanStepCount: Int

    /// The number of times that rows were sorted. An index may help.
    public let sortCount: Int

    /// The number of rows inserted into indexes that SQLite has built for one execution. A permanent index
    /// may help.
    public let automaticIndexRowCount: Int

    /// The number of operations of the virtual machine: a measure of work that does not depend on the
    /// machine.
    public let virtualMachineStepCount: Int

    /// The number of times that the statement was compiled again, because the schema has changed,
    /// or because an argument suggested another query plan.
    public let recompilationCount: Int

    /// The number of executions.
    public let runCount: Int

    /// The number of searches in a join that a Bloom filter has avoided.
    public let filterHitCount: Int

    /// The number of searches in a join that a Bloom filter could not avoid.
    public let filterMissCount: Int

    /// The memory of the statement, in bytes.
    public let byteCount: Int

    init(_ statement: SQLiteStatement) {
        func value(_ counter: CInt) -> Int { RawStatus.value(statement, counter) }
        typealias Counter = RawStatus.Statement
        fullScanStepCount = value(Counter.fullScanStep)
        sortCount = value(Counter.sort)
        automaticIndexRowCount = value(Counter.automaticIndex)
        virtualMachineStepCount = value(Counter.virtualMachineStep)
        recompilationCount = value(Counter.recompilation)
        runCount = value(Counter.run)
        filterHitCount = value(Counter.filterHit)
        filterMissCount = value(Counter.filterMiss)
        byteCount = value(Counter.memory)
    }
}

extension Statement {
    /// The counters of SQLite for all executions of the statement.
    ///
    /// A cached statement counts the executions of all accesses that have used it.
    ///
    /// - precondition: called in an access of the database.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/stmt_status.html>
    public var counters: StatementCounters {
        database.preconditionAccess()
        return StatementCounters(sqliteStatement)
    }
}
