import GRDB

/// The tables that a history records in one group.
struct UndoRecording {
    /// The recorded tables, with those that their triggers and foreign key actions change; nil for all
    /// tables.
    private let tables: Set<CaseInsensitiveIdentifier>?

    /// - parameter tableNames: the tables of a history; nil for all tables.
    /// - throws: a `DatabaseError` if one of them can't be recorded.
    init(_ tableNames: [String]?, in db: Database) throws {
        guard let tableNames else {
            tables = nil
            return
        }
        var tables: Set<CaseInsensitiveIdentifier> = []
        for name in tableNames {
            guard let info = try db.tableOrView(name, in: "main")?.info else {
                throw DatabaseError.noSuchTable(name)
            }
            guard info.kind == .table, !info.isVirtualTable,
                let table = try ChangesetSchema.table(name, schema: "main", in: db),
                !Database.isGRDBInternalTable(name, columnNames: table.columnNames)
            else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: """
                        A history can't record \(info.name): it is a view, a virtual table, or an \
                        internal table
                        """)
            }
            tables.insert(CaseInsensitiveIdentifier(info.name))
            let header = ChangesetHeader(
                tableName: info.name, keyFlags: table.keyFlags, isPatchset: false)
            let effects = try ChangesetEffects(
                header, columnNames: table.columnNames,
                changedColumns: table.columnNames.map { _ in true }, in: db)
            for kind in effects.kinds {
                tables.insert(CaseInsensitiveIdentifier(kind.tableName))
            }
        }
        self.tables = tables
    }

    /// Runs a closure, and returns its changes.
    ///
    /// - throws: a `DatabaseError` of code `SQLITE_MISUSE` if undoing the changes would not restore the
    ///   rows of all recorded tables.
    func record(_ updates: () throws -> Void, in db: Database) throws -> Changeset {
        let formerTables = try db.schemaObjects(ofType: .table, in: "main")
        let outerAlterations = db.alterations.recorded
        db.alterations.recorded = []
        defer {
            let alterations = db.alterations.recorded ?? []
            db.alterations.recorded = outerAlterations?.union(alterations)
        }
        var shadowTables: Set<String> = []
        let session = try db.makeSession(options: .rowIDs)
        try session.attachTables(
            where: { contains($0) }, onShadowTable: { shadowTables.insert($0) })
        try updates()
        let changeset = try session.changeset()

        if let name = try session.tableWithNullKey {
            throw refusal("a row of the table \(name) whose primary key contains NULL")
        }
        let alterations = db.alterations.recorded ?? []
        for table in formerTables where alterations.contains(.init(table.name)) {
            if contains(table.name) {
                throw refusal("that the table \(table.name) is dropped or altered")
            }
        }
        for shadowTable in shadowTables {
            guard
                let name = db.raw.virtualTable(keepingContentIn: shadowTable, "main"),
                contains(name), try !SynchronizedFullTextIndex.isSynchronized(name, in: db)
            else { continue }
            throw refusal(
                """
                changes of the virtual table \(name). Write to it, and to tables whose triggers write \
                to it, elsewhere
                """)
        }
        return changeset
    }

    private func contains(_ tableName: String) -> Bool {
        tables?.contains(CaseInsensitiveIdentifier(tableName)) ?? true
    }

    private func refusal(_ reason: String) -> DatabaseError {
        DatabaseError(resultCode: .SQLITE_MISUSE, message: "A history can't record \(reason)")
    }
}
