import GRDB

/// Applies the changeset of a group exactly: with the recorded changes of triggers and foreign key
/// actions, and no others.
struct UndoneChangeset {
    private let changeset: Changeset
    private let options: ChangesetApplyOptions

    init(_ changeset: Changeset, isInverted: Bool) {
        self.changeset = changeset
        options = isInverted ? .inverted : []
    }

    /// - throws: a `ChangesetConflictError` if rows have changed since the changeset was recorded.
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

    /// Runs triggers to update virtual tables, whose changes no session records.
    private func applyWithTriggers(_ db: Database) throws {
        // Detect conflicts with unrecorded changes in a dry run. Below, conflicts may also come
        // from changes of triggers.
        try db.inSavepoint {
            try applyExactly(db)
            return .rollback
        }
        // Triggers may not make the same changes as when the group was recorded. Foreign keys are
        // satisfied at the end.
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

    /// Returns whether the changes fire triggers that change virtual tables.
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
