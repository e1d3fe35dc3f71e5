import GRDB

extension Database {
    /// Returns the user version: a number that SQLite stores in the file for the application.
    ///
    /// ```swift
    /// try dbQueue.write { db in
    ///     if try db.userVersion() == 0 {
    ///         try db.create(table: "player") { t in ... }
    ///         try db.setUserVersion(1)
    ///     }
    /// }
    /// ```
    ///
    /// - parameter schemaName: a schema; nil for the main schema.
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_ERROR` if there is no such schema.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_user_version>
    public func userVersion(in schemaName: String? = nil) throws -> Int32 {
        try header("user_version", in: schemaName)
    }

    /// Sets the user version.
    ///
    /// ```swift
    /// try db.setUserVersion(2)
    /// ```
    ///
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_ERROR` if there is no such schema,
    ///   `SQLITE_READONLY` in a read-only access.
    public func setUserVersion(_ version: Int32, in schemaName: String? = nil) throws {
        try setHeader("user_version", version, in: schemaName)
    }

    /// Returns the application ID: a number that identifies the application of a file.
    ///
    /// - parameter schemaName: a schema; nil for the main schema.
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_ERROR` if there is no such schema.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_application_id>
    public func applicationID(in schemaName: String? = nil) throws -> Int32 {
        try header("application_id", in: schemaName)
    }

    /// Sets the application ID.
    ///
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_ERROR` if there is no such schema,
    ///   `SQLITE_READONLY` in a read-only access.
    public func setApplicationID(_ id: Int32, in schemaName: String? = nil) throws {
        try setHeader("application_id", id, in: schemaName)
    }

    private func header(_ pragma: String, in schemaName: String?) throws -> Int32 {
        let schema = (schemaName ?? "main").quotedDatabaseIdentifier
        return try Int32(Int.fetchOne(self, sql: "PRAGMA \(schema).\(pragma)") ?? 0)
    }

    private func setHeader(_ pragma: String, _ value: Int32, in schemaName: String?) throws {
        let schema = (schemaName ?? "main").quotedDatabaseIdentifier
        try execute(sql: "PRAGMA \(schema).\(pragma) = \(value)")
    }
}
