/// Applies the changeset of a group exactly: with what triggers and foreign key actions have changed when
/// it was recorded, and no more.
struct UndoneChangeset {
    private let changeset: Changeset
    private let options: ChangesetApplyOptions

    init(_ changeset: Changeset, isInverted: Bool) {
        self.changeset = changeset
        options = isInverted ? .inverted : []
    }

    /// - throws: a `ChangesetConflictError` if rows are not as the changeset has left them.
    func apply(_ db: Database) throws {
        if try changesVirtualTables(db) {
            try applyWithTriggers(db)
        } else {
            try applyExactly(db)
        }
    }

    private func applyExactly(_ db: Database) throws {
        let formerly = db.raw.setTriggersEnabled(false)
        defer { db.raw.setTriggersEnabled(formerly) }
        try db.apply(changeset, options: options.union(.withoutForeignKeyActions))
    }

    /// Lets triggers keep virtual tables up to date, whose changes no session records.
    private func applyWithTriggers(_ db: Database) throws {
        // Finds conflicts: below, conflicts with changes of triggers must be distinguished from
        // conflicts with changes of others.
        try db.inSavepoint {
            try applyExactly(db)
            return .rollback
        }
        // What triggers do now need not be what they did then. Foreign keys are fine in the end.
        try db.apply(changeset, filter: { !$0.isIndirect }, options: options) { conflict in
            switch conflict.kind {
            case .data, .conflict: .replace
            case .foreignKey, .notFound: .omit
            case .constraint: .abort
            }
        }
        try db.apply(
            changeset, filter: \.isIndirect, options: options.union(.ignoringNoops)
        ) { conflict in
            switch conflict.kind {
            case .data, .conflict: .replace
            case .foreignKey, .notFound: .omit
            case .constraint: .abort
            }
        }
    }

    /// Whether triggers change virtual tables when rows change as in the changeset.
    private func changesVirtualTables(_ db: Database) throws -> Bool {
        var changed: Set<CaseInsensitiveIdentifier> = []
        for summary in changeset.summaries {
            let header = summary.header
            guard
                let table = try ChangesetSchema.table(header.tableName, schema: "main", in: db),
                table.mismatch(header) == nil
            else { continue }
            let effects = try ChangesetEffects(
                header, columnNames: table.columnNames, changedColumns: summary.changedColumns,
                in: db)
            for kind in effects.kinds {
                changed.insert(CaseInsensitiveIdentifier(kind.tableName))
            }
        }
        let tables = Set(changeset.tableNames.map { CaseInsensitiveIdentifier($0) })
        for table in changed.subtracting(tables) {
            let isVirtual = try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS(SELECT * FROM pragma_table_list(?) WHERE type = 'virtual')
                    """, arguments: [table.rawValue])
            if isVirtual == true { return true }
        }
        return false
    }
}
