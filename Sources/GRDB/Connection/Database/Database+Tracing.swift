import Foundation

extension Database {
    /// Registers a tracing function, which replaces the former one.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in
    ///     db.trace { event in print(event) }
    /// }
    /// ```
    ///
    /// - parameter options: the events to trace.
    /// - parameter trace: the function, called on the thread of the connection; nil stops tracing.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/trace_v2.html>
    public func trace(
        options: TracingOptions = .statement, _ trace: ((TraceEvent) -> Void)? = nil
    ) {
        preconditionAccess()
        guard let connection = raw.handle else { return }
        traceFunction = trace
        guard trace != nil, !options.isEmpty else {
            raw.hooks.trace = nil
            raw.hooks.setTrace(mask: 0, in: connection)
            return
        }
        let showsArguments = configuration.publicStatementArguments
        raw.hooks.trace = { [unowned self] event in
            switch event {
            case .statement(let statement, let sql):
                traceFunction?(
                    .statement(
                        TraceEvent.Statement(
                            sqliteStatement: statement, tracedSQL: sql,
                            showsArguments: showsArguments)))
            case .profile(let statement, let nanoseconds):
                traceFunction?(
                    .profile(
                        statement: TraceEvent.Statement(
                            sqliteStatement: statement, tracedSQL: nil,
                            showsArguments: showsArguments),
                        duration: TimeInterval(nanoseconds) / 1.0e9))
            }
        }
        raw.hooks.setTrace(mask: CUnsignedInt(bitPattern: options.rawValue), in: connection)
    }
}
