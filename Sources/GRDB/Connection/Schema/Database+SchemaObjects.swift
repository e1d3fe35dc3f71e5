extension Database {
    // MARK: - Version

    /// Fetches the number that SQLite increments with each change of the schema.
    ///
    /// ```swift
    /// let version = try dbQueue.read { db in
    ///     try db.schemaVersion()
    /// }
    /// ```
    ///
    /// - throws: a ``DatabaseError``.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/pragma.html#pragma_schema_version>
    public func schemaVersion() throws -> Int32 {
        try Int32(Int.fetchOne(self, sql: "PRAGMA schema_version") ?? 0)
    }

    // MARK: - Existence

    /// Looks for a table by name, ignoring ASCII case.
    ///
    /// ```swift
    /// try dbQueue.read { db in
    ///     if try db.tableExists("player") { ... }
    ///     if try db.tableExists("player", in: "attached") { ... }
    /// }
    /// ```
    ///
    /// ASCII case of names is ignored, here and in all introspection methods.
    ///
    /// - parameter name: the name of the table.
    /// - parameter schemaName: `main`, `temp`, or the name of an attached database; nil for all
    ///   schemas.
    /// - throws: a ``DatabaseError``, for example if there is no schema of this name.
    public func tableExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try Self.checkName(name, of: "table")
        recordSchemaAccess()
        return try exists(.table, name, in: schemaName)
    }

    /// Returns whether a view exists.
    ///
    /// - parameter name: the name of the view.
    /// - parameter schemaName: `main`, `temp`, or the name of an attached database; nil for all
    ///   schemas.
    /// - throws: a ``DatabaseError``, for example if there is no schema of this name.
    public func viewExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try Self.checkName(name, of: "view")
        recordSchemaAccess()
        return try exists(.view, name, in: schemaName)
    }

    /// Returns whether a trigger exists.
    ///
    /// - parameter name: the name of the trigger.
    /// - parameter schemaName: `main`, `temp`, or the name of an attached database; nil for all
    ///   schemas.
    /// - throws: a ``DatabaseError``, for example if there is no schema of this name.
    public func triggerExists(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try Self.checkName(name, of: "trigger")
        recordSchemaAccess()
        return try exists(.trigger, name, in: schemaName)
    }

    /// Returns the same result as ``tableExists(_:in:)``, which observations do not track: the
    /// regions of statements depend on their tables anyway.
    package func hasTable(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try exists(.table, name, in: schemaName)
    }

    /// Returns the same result as ``viewExists(_:in:)``, which observations do not track.
    func hasView(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try exists(.view, name, in: schemaName)
    }

    private func exists(
        _ kind: SchemaObjectInfo.Kind, _ name: String, in schemaName: String?
    ) throws -> Bool {
        for schemaID in try schemaIDs(named: schemaName) {
            if try schemaObjects(in: schemaID).object(kind, named: name) != nil { return true }
        }
        return false
    }

    // MARK: - Objects

    /// Returns the objects of a type, in the order of their creation.
    ///
    /// ```swift
    /// let tables = try db.schemaObjects(ofType: .table)
    /// for table in tables {
    ///     print(table.name, table.sql ?? "")
    /// }
    /// ```
    ///
    /// The result includes the internal tables and indexes of SQLite: see
    /// ``Database/isSQLiteInternalTable(_:)``.
    ///
    /// - parameter kind: the type of the objects.
    /// - parameter schemaName: a schema; nil for all schemas.
    /// - throws: a ``DatabaseError``, for example if there is no schema of this name.
    public func schemaObjects(
        ofType kind: SchemaObjectInfo.Kind, in schemaName: String? = nil
    ) throws -> [SchemaObjectInfo] {
        try schemaIDs(named: schemaName).flatMap { schemaID in
            try schemaObjects(in: schemaID).all.filter { $0.kind == kind }
        }
    }

    /// Returns the triggers of a table or view.
    ///
    /// ```swift
    /// let triggers = try db.triggers(on: "player")
    /// ```
    ///
    /// The result includes temporary triggers on a table of another schema, unless a schema is
    /// given.
    ///
    /// - parameter tableName: the name of a table or view.
    /// - parameter schemaName: the schema of the triggers; nil for all schemas.
    /// - throws: a ``DatabaseError``, for example if there is no such table or view.
    public func triggers(
        on tableName: String, in schemaName: String? = nil
    ) throws -> [SchemaObjectInfo] {
        let table = try existingTableOrView(tableName, in: schemaName)
        return try schemaObjects(ofType: .trigger, in: schemaName)
            .filter { ASCIICase.equal($0.tableName, table.name) }
    }

    // MARK: - Schemas

    /// The schemas with the given name, or all schemas, in the order in which SQLite resolves
    /// unqualified names.
    package func schemaIDs(named schemaName: String?) throws -> [DatabaseSchemaID] {
        let cache = try validSchemaCache()
        let schemaIDs = cache.schemaIDs ?? []
        guard let schemaName else { return schemaIDs }
        let schemaID = DatabaseSchemaID.attached(schemaName)
        guard let known = schemaIDs.first(where: { $0 == schemaID }) else {
            throw DatabaseError(message: "no such schema: \(schemaName)")
        }
        return [known]
    }

    /// The names of the `WITHOUT ROWID` tables of all schemas, except shadow tables of virtual
    /// tables.
    func tablesWithoutRowID() throws -> Set<CaseInsensitiveIdentifier> {
        var names: Set<CaseInsensitiveIdentifier> = []
        // See `schemaObjects(in:)` for the temporary schema.
        for schemaID in try schemaIDs(named: nil)
        where schemaID != .temp || raw.hasTemporaryDatabase {
            let rows = try withoutRecordingRegion {
                try Row.fetchAll(
                    self, sql: "PRAGMA \(schemaID.name.quotedDatabaseIdentifier).table_list")
            }
            for row in rows {
                let type: String = row.columnValue("type")
                guard type == "table", row.columnValue("wr") else { continue }
                let name: String = try row.decode(atIndex: 1)
                names.insert(CaseInsensitiveIdentifier(name))
            }
        }
        return names
    }

    /// The objects of a schema.
    package func schemaObjects(in schemaID: DatabaseSchemaID) throws -> SchemaObjects {
        let cache = try validSchemaCache()
        if let objects = cache.objects[schemaID] { return objects }
        // Reading the temporary database would create it, and each write transaction would then
        // lock it, too.
        if schemaID == .temp, !raw.hasTemporaryDatabase { return SchemaObjects([]) }
        let schema = schemaID.name.quotedDatabaseIdentifier
        let rows = try withoutRecordingRegion {
            try Row.fetchAll(
                self,
                sql: "SELECT type, name, tbl_name, sql FROM \(schema).\(schemaID.schemaTableName)")
        }
        let objects = SchemaObjects(
            try rows.compactMap { row in
                // A corrupt schema may contain any values.
                do {
                    let type = try row.decode(String.self, atIndex: 0)
                    guard let kind = SchemaObjectInfo.Kind(rawValue: type) else { return nil }
                    return try SchemaObjectInfo(
                        kind: kind, name: row.decode(atIndex: 1), tableName: row.decode(atIndex: 2),
                        sql: row.decode(atIndex: 3))
                } catch let error as RowDecodingError {
                    throw DatabaseError(
                        resultCode: .SQLITE_CORRUPT, message: "malformed database schema: \(error)")
                }
            })
        cache.objects[schemaID] = objects
        return objects
    }

    // MARK: - Names

    /// The table or view with a name, in the given schema, or in the first schema that contains it.
    /// The name is spelled as in the schema. Nil if there is no such table or view.
    package func tableOrView(
        _ name: String, in schemaName: String? = nil
    ) throws -> (id: DatabaseObjectID, info: SchemaObjectInfo?)? {
        let schemaIDs = try schemaIDs(named: schemaName)
        for schemaID in schemaIDs {
            if let info = try schemaObjects(in: schemaID).tableOrView(named: name) {
                return (DatabaseObjectID(name: info.name, schemaID: schemaID), info)
            }
        }
        // The schema tables don't list themselves.
        switch ASCIICase.lowercased(name) {
        case "sqlite_temp_master", "sqlite_temp_schema":
            return schemaIDs.contains(.temp)
                ? (DatabaseObjectID(name: "sqlite_temp_master", schemaID: .temp), nil) : nil
        case "sqlite_master", "sqlite_schema":
            let schemaID = schemaName == nil ? .main : schemaIDs[0]
            return (DatabaseObjectID(name: schemaID.schemaTableName, schemaID: schemaID), nil)
        default:
            return nil
        }
    }

    /// The table or view with a name, in the given schema, or in the first schema that contains it.
    package func existingTableOrView(
        _ name: String, in schemaName: String? = nil
    ) throws -> DatabaseObjectID {
        guard let (id, _) = try tableOrView(name, in: schemaName) else {
            throw DatabaseError.noSuchTable(name)
        }
        return id
    }

    /// The table with a name, in the given schema, or in the first schema that contains it. Views
    /// are ignored.
    package func existingTable(_ name: String, in schemaName: String? = nil) throws
        -> DatabaseObjectID
    {
        guard let (id, info) = try tableOrView(name, in: schemaName), info?.kind != .view else {
            throw DatabaseError.noSuchTable(name)
        }
        return id
    }

    /// Whether a name refers to a view.
    func isView(_ name: String, in schemaName: String? = nil) throws -> Bool {
        try tableOrView(name, in: schemaName)?.info?.kind == .view
    }
}

extension DatabaseObjectID {
    /// `"schema"."name"`
    package var qualifiedName: String {
        name.qualified(in: schemaID.name)
    }

    /// The pragma of a table or an index, qualified with its schema.
    func pragma(_ pragma: String, of name: String? = nil) -> String {
        let name = (name ?? self.name).quotedDatabaseIdentifier
        return "PRAGMA \(schemaID.name.quotedDatabaseIdentifier).\(pragma)(\(name))"
    }
}

extension DatabaseError {
    package static func noSuchTable(_ name: String) -> DatabaseError {
        DatabaseError(message: "no such table: \(name)")
    }
}
