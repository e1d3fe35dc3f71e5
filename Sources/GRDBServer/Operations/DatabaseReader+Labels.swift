import GRDB

extension DatabaseReader {
    /// Runs a closure like `read`, in an access with a label.
    ///
    /// The label and the source location appear in the errors of the access
    /// (``/GRDB/DatabaseError/accessLabel``), in reports of slow statements, and, with a
    /// ``DatabaseMetricsCollector``, in ``DatabaseMetrics/oldestRead`` and in the log line about a
    /// read that prevents the write-ahead log from shrinking.
    ///
    /// ```swift
    /// let players = try dbPool.read(label: "list players") { db in
    ///     try Player.fetchAll(db)
    /// }
    /// ```
    ///
    /// - throws: the error of the closure, or a ``/GRDB/DatabaseError``.
    public func read<T>(
        label: String, file: String = #fileID, line: UInt = #line,
        _ value: (Database) throws -> T
    ) throws -> T {
        let label = AccessLabel(label, file: file, line: line)
        return try read { db in try db.withAccessLabel(label) { try value(db) } }
    }

    /// Runs a closure like `read`, in an access with a label.
    ///
    /// ```swift
    /// let players = try await dbPool.read(label: "list players") { db in
    ///     try Player.fetchAll(db)
    /// }
    /// ```
    ///
    /// - throws: the error of the closure, or a ``/GRDB/DatabaseError``. `CancellationError` when the task is
    ///   cancelled.
    public func read<T: Sendable>(
        label: String, file: String = #fileID, line: UInt = #line,
        _ value: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        let label = AccessLabel(label, file: file, line: line)
        return try await read { db in try db.withAccessLabel(label) { try value(db) } }
    }
}

extension DatabaseWriter {
    /// Runs a closure like `write`, in an access with a label.
    ///
    /// ```swift
    /// try dbPool.write(label: "add player") { db in
    ///     try player.insert(db)
    /// }
    /// ```
    ///
    /// - throws: the error of the closure, or a ``/GRDB/DatabaseError``.
    public func write<T>(
        label: String, file: String = #fileID, line: UInt = #line,
        _ updates: (Database) throws -> T
    ) throws -> T {
        let label = AccessLabel(label, file: file, line: line)
        return try write { db in try db.withAccessLabel(label) { try updates(db) } }
    }

    /// Runs a closure like `write`, in an access with a label.
    ///
    /// ```swift
    /// try await dbPool.write(label: "add player") { db in
    ///     try player.insert(db)
    /// }
    /// ```
    ///
    /// - throws: the error of the closure, or a ``/GRDB/DatabaseError``. `CancellationError` when the task is
    ///   cancelled.
    public func write<T: Sendable>(
        label: String, file: String = #fileID, line: UInt = #line,
        _ updates: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        let label = AccessLabel(label, file: file, line: line)
        return try await write { db in try db.withAccessLabel(label) { try updates(db) } }
    }
}
