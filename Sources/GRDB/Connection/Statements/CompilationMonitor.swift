/// The possible effects of a statement, which the authorizer reports during compilation.
package struct StatementEffects {
    package enum TransactionEffect {
        case begin
        case commit
        case rollback
        case beginSavepoint(String)
        case releaseSavepoint(String)
        case rollbackToSavepoint(String)
    }

    /// The changes that observers can observe.
    var eventKinds: [DatabaseEventKind] = []

    /// Whether the statement may delete rows that conflict with inserted or updated rows.
    package var replacesRows = false

    /// Whether the statement calls a custom function that may change the database: a function
    /// declared neither deterministic nor innocuous.
    var mayWriteByFunctions = false

    var transactionEffect: TransactionEffect? {
        didSet {
            switch transactionEffect {
            case .begin: beginsTransaction = true
            case .commit, .rollback, .releaseSavepoint: endsTransaction = true
            default: break
            }
        }
    }
    private(set) var beginsTransaction = false

    /// Whether the statement ends a transaction, or a savepoint, which may be the outermost one.
    private(set) var endsTransaction = false

    var changesSchema = false

    /// The table or view that the statement drops or alters. SQLite does not report the rows that a
    /// dropped table loses, and an altered table may temporarily have another name.
    var droppedOrAlteredTable: String?

    /// The table of the main schema whose name the statement frees: a table that is dropped or renamed.
    var replacedTable: String?
    var isPragma = false

    /// Whether a pragma has an argument, and may therefore change the effects of other statements.
    /// For example, deletions cascade once foreign keys are enabled.
    var changesSettings = false

    /// The pragmas whose argument does not change the effects of other statements.
    static let harmlessPragmas: Set<CaseInsensitiveIdentifier> = [
        // They describe or check the database.
        "foreign_key_check", "foreign_key_list", "index_info", "index_list", "index_xinfo",
        "integrity_check", "quick_check", "table_info", "table_list", "table_xinfo",
        // They concern the file, memory and locks.
        "application_id", "auto_vacuum", "busy_timeout", "cache_size", "cache_spill",
        "checkpoint_fullfsync", "fullfsync", "incremental_vacuum", "journal_mode",
        "journal_size_limit", "locking_mode", "max_page_count", "mmap_size", "page_size",
        "query_only", "secure_delete", "synchronous", "threads", "user_version",
        "wal_autocheckpoint", "wal_checkpoint",
    ]

    /// Whether a second execution may use the same compiled statement.
    ///
    /// Many pragmas act when they are compiled. Statements that change the schema seldom run twice.
    var isReusable: Bool { !isPragma && !changesSchema }
}

/// Records what the authorizer reports about statements during their compilation.
///
/// A statement may be compiled during the compilation of another statement. SQLite connects a
/// virtual table when a connection first compiles a statement that uses it, and the table then runs
/// statements of its own: FTS3 reads the page size with a pragma, FTS5 reads its configuration, an
/// R-tree prepares the changes of its shadow tables, and custom tokenizers may run any statement.
/// Functions that are called with constants may also run during a compilation. The effects of such
/// inner statements are not recorded.
final class CompilationMonitor {
    /// The effects of a statement, and the columns that it reads.
    struct Recording {
        fileprivate(set) var effects = StatementEffects()

        /// The columns that the statement reads; nil unless reads are recorded.
        fileprivate(set) var reads: DatabaseRegion?

        /// The table of the main schema that the statement alters.
        fileprivate var alteredMainTable: String?

        /// The compilation in progress when the compilation of the statement began.
        fileprivate let enclosingCompilation: UnsafeRawPointer?
    }

    private let raw: RawConnection

    /// The innermost recording.
    private var recording: Recording?

    /// The table of the main schema that a statement of C code alters.
    private var undeclaredAlteration: String?

    /// The table that the last action drops, and the compilation that drops it. See `authorize`.
    private var droppedTable: (name: String, compilation: UnsafeRawPointer?)?

    /// The names of databases that compiled statements detach.
    private var detachedNames: Set<CaseInsensitiveIdentifier> = []

    /// Whether C code has deserialized an image.
    private var hasDeserialized = false

    /// Whether a statement that attaches a database was compiled since `takeReplacedSchemas(among:)`.
    @exclusivity(unchecked)
    private(set) var mayReplaceSchemas = false

    init(raw: RawConnection) {
        self.raw = raw
    }

    /// The schemas whose names now belong to other databases; nil for an unknown schema.
    ///
    /// - parameter names: the names of the present schemas.
    func takeReplacedSchemas(among names: [String]) -> [String?] {
        mayReplaceSchemas = false
        if hasDeserialized {
            hasDeserialized = false
            return [nil]
        }
        return names.filter { detachedNames.remove(CaseInsensitiveIdentifier($0)) != nil }
    }

    private func noteAttachment(_ authorization: RawAuthorization, isRecording: Bool) {
        let argument = authorization.argument1.map { String(cString: $0) }
        if authorization.action == RawAuthorization.attach {
            mayReplaceSchemas = true
            // The statement of sqlite3_deserialize().
            if !isRecording, argument == "x" { hasDeserialized = true }
        } else if authorization.action == RawAuthorization.detach {
            // The name may be the value of an argument.
            let names = argument.map { [$0] } ?? raw.schemaNames
            detachedNames.formUnion(names.map { CaseInsensitiveIdentifier($0) })
        }
    }

    /// Records the effects of the statement that the closure compiles.
    ///
    /// - parameter recordsReads: whether to record what the statement reads.
    func record<Result, Failure: Error>(
        reads recordsReads: Bool = false, _ compile: () throws(Failure) -> Result
    ) throws(Failure) -> (result: Result, recording: Recording) {
        let outerRecording = recording
        let newRecording = Recording(
            reads: recordsReads ? DatabaseRegion() : nil,
            enclosingCompilation: raw.currentCompilation)
        recording = newRecording
        droppedTable = nil
        defer { recording = outerRecording }
        let result = try compile()
        return (result, recording ?? newRecording)
    }

    /// Handles one action. A statement that SQLite recompiles on its own is not recorded, but gets
    /// the same answers as the first time.
    ///
    /// - parameter observesDeletes: whether deletions from a table must be reported row by row. The
    ///   second argument is whether the statement is recorded.
    /// - parameter noteUndeclaredChange: called when C code compiles a statement that changes a table.
    /// - parameter noteUndeclaredReplacement: called when C code compiles a statement that drops or renames a
    ///   table of the main schema, other than a shadow table.
    func authorize(
        _ authorization: RawAuthorization, isReadOnly: Bool,
        observesDeletes: (String, Bool) -> Bool, noteUndeclaredChange: () -> Void,
        noteUndeclaredReplacement: (String) -> Void
    ) -> CInt {
        let formerlyDroppedTable = droppedTable
        droppedTable = nil
        // Statements compiled during the compilation of the recorded one are not recorded.
        let isRecording =
            recording.map { $0.enclosingCompilation == raw.enclosingCompilation } ?? false

        if isRecording { record(authorization) }

        switch authorization.action {
        case RawAuthorization.read, RawAuthorization.transaction, RawAuthorization.savepoint:
            break

        case RawAuthorization.function:
            if !isRecording, let table = undeclaredAlteration, let name = authorization.argument2,
                String(cString: name) == Self.renamingFunction
            {
                noteUndeclaredReplacement(table)
            }

        case RawAuthorization.insert, RawAuthorization.update:
            if !isRecording, isChangeOfApp(authorization) { noteUndeclaredChange() }

        case RawAuthorization.delete:
            guard let table = changedTable(authorization) else { break }
            // DROP TABLE and DROP VIEW also request a DELETE, and do nothing when the answer is
            // SQLITE_IGNORE.
            if let formerlyDroppedTable, ASCIICase.equal(formerlyDroppedTable.name, table),
                formerlyDroppedTable.compilation == raw.currentCompilation
            {
                break
            }
            if isRecording {
                recording?.effects.add(.delete(tableName: table))
            } else if isChangeOfApp(authorization) {
                noteUndeclaredChange()
            }
            // Without WHERE, SQLite clears the table without calling a hook, unless the authorizer
            // disables this shortcut.
            if observesDeletes(table, isRecording) { return RawAuthorization.ignore }

        case RawAuthorization.pragma:
            // A read-only access must not be made writable from inside.
            if isReadOnly, authorization.argument2 != nil,
                let name = authorization.argument1.map({ String(cString: $0) }),
                ASCIICase.equal(name, "query_only")
            {
                return RawAuthorization.deny
            }

        case RawAuthorization.dropTable, RawAuthorization.dropTempTable,
            RawAuthorization.dropVirtualTable, RawAuthorization.dropView,
            RawAuthorization.dropTempView:
            guard let table = authorization.argument1 else { break }
            let name = String(cString: table)
            droppedTable = (name: name, compilation: raw.currentCompilation)
            if !isRecording, authorization.action == RawAuthorization.dropTable,
                isMain(authorization.schema), raw.isChangeOfApp(authorization.schema, table)
            {
                noteUndeclaredReplacement(name)
            }

        case RawAuthorization.alterTable:
            if !isRecording {
                undeclaredAlteration = authorization.argument2.flatMap { table in
                    isMain(authorization.argument1)
                        && raw.isChangeOfApp(authorization.argument1, table)
                        ? String(cString: table) : nil
                }
            }

        default:
            noteAttachment(authorization, isRecording: isRecording)
        }
        return RawAuthorization.allow
    }

    /// Records an action of the statement that is being compiled, other than a deletion of rows.
    private func record(_ authorization: RawAuthorization) {
        guard var recording = recording.take() else { return }
        defer { self.recording = recording }
        func argument1() -> String? { authorization.argument1.map { String(cString: $0) } }
        func argument2() -> String? { authorization.argument2.map { String(cString: $0) } }

        switch authorization.action {
        case RawAuthorization.read:
            // The column is empty for COUNT(*) and the like.
            if recording.reads != nil, let table = argument1() {
                recording.reads?.insert(column: argument2() ?? "", ofTable: table)
            }

        case RawAuthorization.function:
            guard let name = authorization.argument2 else { break }
            if raw.mayWriteByFunction(name) { recording.effects.mayWriteByFunctions = true }
            if let table = recording.alteredMainTable,
                String(cString: name) == Self.renamingFunction
            {
                recording.effects.replacedTable = table
            }

        case RawAuthorization.insert:
            if let table = changedTable(authorization) {
                recording.effects.add(.insert(tableName: table))
            }

        case RawAuthorization.update:
            if let table = changedTable(authorization) {
                recording.effects.add(
                    .update(tableName: table, columnNames: [argument2() ?? ""]))
            }

        case RawAuthorization.delete:
            break

        case RawAuthorization.transaction:
            switch argument1() {
            case "BEGIN": recording.effects.transactionEffect = .begin
            case "COMMIT": recording.effects.transactionEffect = .commit
            case "ROLLBACK": recording.effects.transactionEffect = .rollback
            default: break
            }

        case RawAuthorization.savepoint:
            guard let name = argument2() else { break }
            switch argument1() {
            case "BEGIN": recording.effects.transactionEffect = .beginSavepoint(name)
            case "RELEASE": recording.effects.transactionEffect = .releaseSavepoint(name)
            case "ROLLBACK": recording.effects.transactionEffect = .rollbackToSavepoint(name)
            default: break
            }

        case RawAuthorization.pragma:
            recording.effects.isPragma = true
            if authorization.argument2 != nil, let name = argument1(),
                !StatementEffects.harmlessPragmas.contains(CaseInsensitiveIdentifier(name))
            {
                recording.effects.changesSettings = true
            }

        case RawAuthorization.dropTable, RawAuthorization.dropTempTable,
            RawAuthorization.dropVirtualTable, RawAuthorization.dropView,
            RawAuthorization.dropTempView:
            recording.effects.changesSchema = true
            recording.effects.droppedOrAlteredTable = argument1()
            if authorization.action == RawAuthorization.dropTable, isMain(authorization.schema) {
                recording.effects.replacedTable = argument1()
            }

        case RawAuthorization.alterTable:
            recording.effects.changesSchema = true
            recording.effects.droppedOrAlteredTable = argument2()
            if isMain(authorization.argument1) { recording.alteredMainTable = argument2() }

        default:
            if authorization.changesSchema { recording.effects.changesSchema = true }
        }
    }

    /// Unlike the alteration of columns, `ALTER TABLE … RENAME TO` calls this function.
    private static let renamingFunction = "sqlite_rename_table"

    private func isMain(_ schemaName: UnsafePointer<CChar>?) -> Bool {
        schemaName.map { ASCIICase.equal(String(cString: $0), "main") } ?? false
    }

    /// Whether the app compiles a change of one of its own tables.
    private func isChangeOfApp(_ authorization: RawAuthorization) -> Bool {
        guard let table = authorization.argument1, changedTable(authorization) != nil else {
            return false
        }
        return raw.isChangeOfApp(authorization.schema, table)
    }

    /// The table of a change, unless it belongs to SQLite.
    private func changedTable(_ authorization: RawAuthorization) -> String? {
        guard let name = authorization.argument1.map({ String(cString: $0) }),
            !Database.isReservedTableName(name)
        else { return nil }
        return name
    }
}

extension StatementEffects {
    /// Records whether the statement may delete conflicting rows. An update that may delete rows
    /// other than those it updates, such as `UPDATE OR REPLACE`, counts as an update of all
    /// columns.
    mutating func addReplacements(by statement: SQLiteStatement) {
        guard eventKinds.contains(where: { $0.rowKind != .delete }) else { return }
        for (name, columns) in RawStatement.deletions(statement) {
            let table = name.rawValue
            replacesRows = true
            // Insertions and deletions affect all columns anyway.
            let isKnown = eventKinds.contains {
                $0.rowKind != .update && ASCIICase.equal($0.tableName, table)
            }
            if isKnown { continue }
            for case .update(let updated, _) in eventKinds
            where ASCIICase.equal(updated, table) {
                add(.update(tableName: updated, columnNames: columns))
            }
        }
    }

    /// Adds an event kind. Updates of the same table are merged.
    fileprivate mutating func add(_ kind: DatabaseEventKind) {
        for (index, known) in eventKinds.enumerated() {
            switch (known, kind) {
            case (.insert(let known), .insert(let table)) where known.hasSameBytes(as: table):
                return
            case (.delete(let known), .delete(let table)) where known.hasSameBytes(as: table):
                return
            case (.update(let known, let knownColumns), .update(let table, let columns))
            where known.hasSameBytes(as: table):
                eventKinds[index] = .update(
                    tableName: table, columnNames: knownColumns.union(columns))
                return
            default:
                continue
            }
        }
        eventKinds.append(kind)
    }
}
