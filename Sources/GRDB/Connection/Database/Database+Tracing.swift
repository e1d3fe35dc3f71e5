import _GRDBSystem

extension Database {
    /// Registers a tracing function, which replaces the current one.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.prepareDatabase { db in
    ///     db.trace { event in print(event) }
    /// }
    /// ```
    ///
    /// - parameter options: the events to trace.
    /// - parameter trace: the function, called on the thread of the connection. Nil stops tracing.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/trace_v2.html>
    public func trace(
        options: TracingOptions = .statement, _ trace: ((TraceEvent) -> Void)? = nil
    ) {
        preconditionAccess()
        tracing.function = trace
        tracing.options = trace == nil ? [] : options
        updateTrace()
    }

    /// Registers a function that receives the duration of each statement, in seconds. Independent of
    /// `trace`.
    ///
    /// - parameter profiler: called on the thread of the connection. It must not use the connection.
    package func setProfiler(_ profiler: ((TraceEvent.Statement, TimeInterval) -> Void)?) {
        tracing.profiler = profiler
        updateTrace()
    }

    private func updateTrace() {
        guard let connection = raw.handle else { return }
        var options = tracing.options
        if tracing.profiler != nil { options.insert(.profile) }
        guard !options.isEmpty else {
            raw.hooks.trace = nil
            raw.hooks.setTrace(mask: 0, in: connection)
            return
        }
        let showsArguments = configuration.publicStatementArguments
        raw.hooks.trace = { [unowned self] event in
            switch event {
            case .statement(let statement, let sql):
                tracing.function?(
                    .statement(
                        TraceEvent.Statement(
                            sqliteStatement: statement, tracedSQL: sql,
                            showsArguments: showsArguments)))
            case .profile(let statement, let nanoseconds):
                let statement = TraceEvent.Statement(
                    sqliteStatement: statement, tracedSQL: nil, showsArguments: showsArguments)
                let duration = TimeInterval(nanoseconds) / 1.0e9
                tracing.profiler?(statement, duration)
                guard tracing.options.contains(.profile) else { return }
                tracing.function?(.profile(statement: statement, duration: duration))
            }
        }
        raw.hooks.setTrace(mask: CUnsignedInt(bitPattern: options.rawValue), in: connection)
    }
}
