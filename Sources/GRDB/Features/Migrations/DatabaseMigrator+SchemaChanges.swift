import _GRDBSystem

extension DatabaseMigrator {
    /// Returns whether applied migrations have since been changed, removed or renamed.
    ///
    /// The result is true in two situations:
    ///
    /// - A migration was removed or renamed: the database has applied a migration that is not
    ///   registered.
    /// - The schema of the database differs from the schema that the migrations create in a new
    ///   database, up to the last applied migration. The comparison includes the tables, indexes,
    ///   triggers and views in `sqlite_master`, except internal objects of SQLite and this library,
    ///   and ``preservedTableNames``. If the SQL of an object changes from one run of the migrations
    ///   to the next, for example because a default value is the current date, only its name and the
    ///   columns of a table are compared, without their default values.
    ///
    /// ```swift
    /// if try dbQueue.read(migrator.hasSchemaChanges) {
    ///     // Handle the schema change: warn the user, erase the database...
    /// }
    /// ```
    ///
    /// A database without applied migrations has no schema changes.
    ///
    /// - throws: a ``DatabaseError``, or the error of a migration.
    /// - complexity: runs the migrations in a temporary database.
    public func hasSchemaChanges(_ db: Database) throws -> Bool {
        let applied = try appliedIdentifiers(db)
        if !applied.isSubset(of: migrations) { return true }
        guard let lastIdentifier = migrations.last(where: applied.contains) else { return false }
        let objects = try schemaObjects(db)
        let expected = try newSchemaObjects(db.configuration, upTo: lastIdentifier)
        func isExpected(ignoringSQLOf names: Set<String>) -> Bool {
            texts(objects, ignoringSQLOf: names) == texts(expected, ignoringSQLOf: names)
        }
        if isExpected(ignoringSQLOf: []) { return false }
        let others = try texts(newSchemaObjects(db.configuration, upTo: lastIdentifier))
        let varying = expected.filter { !others.contains($0.text) }
        return varying.isEmpty || !isExpected(ignoringSQLOf: Set(varying.map(\.info.name)))
    }

    /// The schema that the migrations create in a new database.
    private func newSchemaObjects(
        _ configuration: Configuration, upTo targetIdentifier: String
    ) throws -> [SchemaObject] {
        var configuration = configuration
        configuration.readonly = false
        configuration.journalMode = .default
        // The caller is in an access, and may run on the target queue.
        configuration.targetQueue = nil
        configuration.writeTargetQueue = nil
        configuration.observesSuspensionNotifications = false
        if let label = configuration.label {
            configuration.label = "\(label).schema"
        }
        // A regular file, because code that prepares connections may need a path, and because
        // migrations may attach the database, which is impossible for an unnamed database.
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("GRDB-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let queue = try DatabaseQueue(
            path: folder.appendingPathComponent("schema.sqlite").path,
            configuration: configuration)
        // Close the database before the file is removed.
        defer { try? queue.close() }
        return try queue.barrierWriteWithoutTransaction { db in
            try applyMigrations(to: db, upTo: targetIdentifier)
            return try schemaObjects(db)
        }
    }

    // MARK: - Schema objects

    private struct SchemaObject {
        var info: SchemaObjectInfo

        /// The columns of a table: the name, type and constraints of each.
        var columns: [String] = []

        /// Equal texts are equal objects. Not the structure itself, because a set of a type of its own
        /// takes 15 KB.
        var text: String {
            textWithoutSQL + (info.sql.map { "\n" + $0 } ?? "")
        }

        var textWithoutSQL: String {
            ([info.kind.rawValue, info.name, info.tableName] + columns)
                .map(\.quotedDatabaseIdentifier).joined(separator: " ")
        }
    }

    private func texts(
        _ objects: [SchemaObject], ignoringSQLOf names: Set<String> = []
    ) -> Set<String> {
        Set(objects.map { names.contains($0.info.name) ? $0.textWithoutSQL : $0.text })
    }

    /// The objects that migrations have created.
    private func schemaObjects(_ db: Database) throws -> [SchemaObject] {
        var objects: [SchemaObject] = []
        var internalTables: Set<CaseInsensitiveIdentifier> = []
        db.recordSchemaAccess()
        for info in try db.schemaObjects(in: .main).all {
            var object = SchemaObject(info: info)
            if info.kind == .table {
                // The module of a virtual table may be missing.
                let columns = (try? db.columns(in: info.name, in: "main")) ?? []
                if Database.isGRDBInternalTable(info.name, columnNames: columns.map(\.name)) {
                    internalTables.insert(CaseInsensitiveIdentifier(info.name))
                }
                object.columns = columns.flatMap {
                    [$0.name, $0.type, "\($0.isNotNull)", "\($0.primaryKeyIndex)"]
                }
            }
            objects.append(object)
        }
        return objects.filter { object in
            isOwned(object.info) && !internalTables.contains(.init(object.info.tableName))
        }
    }

    private func isOwned(_ object: SchemaObjectInfo) -> Bool {
        [object.name, object.tableName].allSatisfy { name in
            !Database.isReservedTableName(name) && !Database.isGRDBInternalTable(name)
                && !isPreserved(name)
        }
    }

    private func isPreserved(_ tableName: String) -> Bool {
        ASCIICase.lowercased(tableName).hasPrefix("_litestream_")
            || preservedTableNames.contains { ASCIICase.equal($0, tableName) }
    }

    // MARK: - Erasing

    /// Erases the content of the database, except preserved tables.
    func erase(_ db: Database) throws {
        let tableNames = try String.fetchAll(
            db, sql: "SELECT tbl_name FROM main.sqlite_master")
        guard tableNames.contains(where: isPreserved) else {
            try db.erase()
            return
        }
        try db.disablingForeignKeys { _ in
            try db.inTransaction {
                try drop("VIEW", where: "type = 'view'", db)
                // This drops their shadow tables, too.
                try drop("TABLE", where: "type = 'table' AND sql LIKE 'CREATE VIRTUAL %'", db)
                try drop("TABLE", where: "type = 'table'", db)
                try db.execute(sql: "PRAGMA main.user_version = 0")
                return .commit
            }
        }
    }

    private func drop(_ kind: String, where condition: String, _ db: Database) throws {
        let names = try String.fetchAll(
            db, sql: "SELECT name FROM main.sqlite_master WHERE \(condition)")
        // SQLite keeps its internal tables, and deletes their rows on a dropped table.
        for name in names where !Database.isReservedTableName(name) && !isPreserved(name) {
            try db.execute(sql: "DROP \(kind) main.\(name.quotedDatabaseIdentifier)")
        }
    }
}
