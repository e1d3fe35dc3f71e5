import GRDB
public import _GRDBSystem

/// A statement whose execution reached the duration threshold.
///
/// See ``GRDB/Configuration/reportSlowStatements(threshold:onSlowStatement:)``.
public struct SlowStatement: Sendable {
    /// The SQL text. Arguments are visible if ``/GRDB/Configuration/publicStatementArguments`` is true.
    public let sql: String

    /// The time from the start to the end of the statement, in seconds, including the time that the
    /// app spends between rows.
    public let duration: TimeInterval

    /// The query plan of the statement; nil if it can no longer be explained, for example because
    /// its table was dropped.
    public let plan: QueryPlan?

    /// The label of the access, if it has one.
    public let label: AccessLabel?

    /// The name of the connection, such as `GRDB.DatabasePool.reader.2`.
    public let connection: String
}

extension SlowStatement: CustomStringConvertible {
    public var description: String {
        let milliseconds = Int((duration * 1000).rounded())
        let access = label.map { " in \($0)" } ?? ""
        return "\(milliseconds) ms\(access): \(sql)" + (plan.map { "\n\($0)" } ?? "")
    }
}

extension Configuration {
    /// Reports slow statements, with their query plans.
    ///
    /// ```swift
    /// var configuration = Configuration()
    /// configuration.reportSlowStatements(threshold: 0.1) { statement in
    ///     logger.warning("\(statement)")
    /// }
    /// ```
    ///
    /// SQLite measures durations in milliseconds. Query plans are computed at the end of the
    /// access.
    ///
    /// - parameters:
    ///   - threshold: the duration, in seconds, from which statements are reported.
    ///   - onSlowStatement: called on the thread of the access, at its end. It must not use the
    ///     database.
    public mutating func reportSlowStatements(
        threshold: TimeInterval, onSlowStatement: @escaping @Sendable (SlowStatement) -> Void
    ) {
        prepareDatabase { db in
            let reporter = SlowStatementReporter(threshold, onSlowStatement)
            db.setProfiler { [unowned db] statement, duration in
                reporter.statementDidEnd(statement, duration, db)
            }
            db.callbacks.accessDidEnd = { reporter.report($0) }
        }
    }
}

/// Collects the slow statements of the current access. Only used on the queue of the connection.
private final class SlowStatementReporter {
    private let threshold: TimeInterval
    private let onSlowStatement: @Sendable (SlowStatement) -> Void
    private var found: [Found] = []
    private var isReporting = false

    private struct Found {
        var sql: String
        var description: String
        var duration: TimeInterval
        var label: AccessLabel?
    }

    init(
        _ threshold: TimeInterval, _ onSlowStatement: @escaping @Sendable (SlowStatement) -> Void
    ) {
        self.threshold = threshold
        self.onSlowStatement = onSlowStatement
    }

    func statementDidEnd(
        _ statement: Database.TraceEvent.Statement, _ duration: TimeInterval, _ db: Database
    ) {
        guard duration >= threshold, !isReporting else { return }
        // Limits the number of reports per access.
        guard found.count < 100 else { return }
        found.append(
            Found(
                sql: statement.sql, description: statement.description, duration: duration,
                label: db.accessLabel))
    }

    func report(_ db: Database) {
        if found.isEmpty { return }
        isReporting = true
        let found = found
        self.found = []
        defer { isReporting = false }
        for found in found {
            db.configuration.metricsCollector?.countSlowStatement()
            onSlowStatement(
                SlowStatement(
                    sql: found.description, duration: found.duration,
                    plan: plan(of: found.sql, db), label: found.label,
                    connection: db.description))
        }
    }

    /// Returns the plan of a statement, explained with NULL arguments because the original ones are
    /// no longer known.
    private func plan(of sql: String, _ db: Database) -> QueryPlan? {
        // There is no plan if the access has left a transaction open, nor for statements such as
        // BEGIN. To explain a pragma would run it again.
        guard db.raw.isInAutocommitMode, SQLText.outerWords(sql).first != "PRAGMA",
            let statement = try? db.makeStatement(sql: "EXPLAIN QUERY PLAN \(sql)")
        else { return nil }
        let arguments = StatementArguments(
            repeatElement(DatabaseValue.null, count: statement.parameterCount))
        let plan = try? db.queryPlan(sql: sql, arguments: arguments)
        return plan?.steps.isEmpty ?? true ? nil : plan
    }
}
