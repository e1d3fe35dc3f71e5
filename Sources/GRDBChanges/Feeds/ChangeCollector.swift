import GRDB

/// Collects the row changes of each transaction for one feed.
///
/// `@unchecked Sendable`: all mutable state belongs to the queue of the connection, except
/// `isEnded`, which a lock protects.
final class ChangeCollector: DatabaseClosingObserver, UndoneChangesObserver, @unchecked Sendable {
    private let columnsByTable: [CaseInsensitiveIdentifier: [CaseInsensitiveIdentifier]?]?
    private let schemaName: String?
    private let willCommit: @Sendable () throws -> Void
    private let onChange: @Sendable (DatabaseTransactionChanges) -> Void
    private let onEnd: @Sendable (any Error) -> Void
    private let isEnded = Locked(false)

    /// The changes of the current transaction, and their count.
    private(set) var changes: [DatabaseRowChange] = []
    private var ordinals: [Int] = []

    /// Whether changes of the current transaction were stored elsewhere, and removed from
    /// `changes`.
    private var hasStoredChanges = false

    /// The columns of a table that the feed reports.
    private struct Selection {
        let tableColumns: TableColumns
        let indexes: [Int]
        let columns: TableColumns
    }

    /// The schemas whose changes were collected.
    private var reportedSchemas: Set<CaseInsensitiveIdentifier> = []

    /// A tracked column that its table no longer has.
    private var missingColumn: (table: String, column: String)?

    /// The selections of this transaction. The schema may change before the next transaction.
    private var selections: [CaseInsensitiveIdentifier: Selection] = [:]

    /// - parameters:
    ///   - schemaName: the schema whose tables are recorded; nil for all schemas.
    ///   - willCommit: called before a transaction with changes is committed. If it throws, the
    ///     transaction is rolled back.
    ///   - onEnd: called at most once.
    init(
        _ feed: DatabaseChangeFeed, schemaName: String? = nil,
        willCommit: @escaping @Sendable () throws -> Void,
        onChange: @escaping @Sendable (DatabaseTransactionChanges) -> Void,
        onEnd: @escaping @Sendable (any Error) -> Void
    ) {
        columnsByTable = feed.columnsByTable
        self.schemaName = schemaName
        self.willCommit = willCommit
        self.onChange = onChange
        self.onEnd = onEnd
    }

    // MARK: - Start and end

    /// Returns immediately. Observation starts before any later write.
    func start(in writer: any DatabaseWriter) {
        writer.asyncWriteWithoutTransaction { [weak self] db in
            guard let self else { return }
            do {
                try begin(db)
            } catch {
                end(error)
            }
        }
    }

    private func begin(_ db: Database) throws {
        try db.checkAccess()
        if db.configuration.readonly {
            throw DatabaseError(
                resultCode: .SQLITE_READONLY,
                message: "A change feed can't observe a read-only connection: nothing changes")
        }
        for case (let table, let columns?) in columnsByTable ?? [:] {
            guard try db.hasTable(table.rawValue) else { continue }
            let known = try Set(
                db.columns(in: table.rawValue).map { CaseInsensitiveIdentifier($0.name) })
            for column in columns where !known.contains(column) {
                throw Self.missingColumnError(table.rawValue, column.rawValue)
            }
        }
        db.add(transactionObserver: self)
    }

    private static func missingColumnError(_ table: String, _ column: String) -> DatabaseError {
        DatabaseError(
            message: """
                A change feed tracks the column \(column), which the table \(table) does not have
                """)
    }

    func cancel() {
        isEnded.withLock { $0 = true }
    }

    private func end(_ error: any Error) {
        let wasEnded = isEnded.withLock { isEnded in
            defer { isEnded = true }
            return isEnded
        }
        if !wasEnded { onEnd(error) }
    }

    func databaseDidClose() {
        end(Database.closedError)
    }

    func contentWasReplaced(in schemaName: String?, _ db: Database) {
        if isConcerned(schemaName, db) {
            end(DatabaseChangeFeed.ContentReplacedError(schemaName: schemaName, tableName: nil))
        }
    }

    /// Whether the content of a schema belongs to the feed. Apps often attach databases under one name, only to copy
    /// from them.
    private func isConcerned(_ schemaName: String?, _ db: Database) -> Bool {
        guard let schemaName, !isMain(schemaName) else { return true }
        if reportedSchemas.contains(CaseInsensitiveIdentifier(schemaName)) { return true }
        return columnsByTable?.keys.contains { table in
            (try? db.hasTable(table.rawValue, in: schemaName)) == true
        } ?? false
    }

    // MARK: - Changes

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        if isEnded.withLock({ $0 }) { return false }
        guard let columnsByTable else { return true }
        // All kinds of events: an UPDATE OR REPLACE of any column may delete rows.
        let name = CaseInsensitiveIdentifier(eventKind.tableName)
        if columnsByTable[name] != nil { return true }
        // A shadow table of a virtual table.
        let prefix = eventKind.tableName + "_"
        return columnsByTable.keys.contains { table in
            table.rawValue.utf8.count > prefix.utf8.count
                && ASCIICase.equal(
                    String(decoding: table.rawValue.utf8.prefix(prefix.utf8.count), as: UTF8.self),
                    prefix)
        }
    }

    func databaseDidChange(with event: DatabaseEvent) {}

    func databaseWillChange(with event: DatabasePreUpdateEvent) {
        guard let selection = selection(event) else { return }
        let oldValues =
            event.kind == .insert
            ? nil
            : selection.indexes.map {
                event.initialDatabaseValue(atIndex: $0) ?? .null
            }
        let newValues =
            event.kind == .delete
            ? nil
            : selection.indexes.map {
                event.finalDatabaseValue(atIndex: $0) ?? .null
            }
        let hasRowID = event.hasRowID
        let oldRowID = hasRowID ? event.initialRowID : nil
        let newRowID = hasRowID ? event.finalRowID : nil
        if event.kind == .update, oldRowID == newRowID, oldValues == newValues { return }
        let kind: DatabaseRowChange.Kind =
            switch event.kind {
            case .insert: .insert
            case .update: .update
            case .delete: .delete
            }
        changes.append(
            DatabaseRowChange(
                kind: kind, names: event.names, columns: selection.columns, oldRowID: oldRowID,
                newRowID: newRowID, oldValues: oldValues, newValues: newValues,
                triggerDepth: Int(event.depth)))
        ordinals.append(event.ordinal)
    }

    /// The selection of the table of an event; nil if the table is not tracked.
    private func selection(_ event: DatabasePreUpdateEvent) -> Selection? {
        let name = CaseInsensitiveIdentifier(event.tableName)
        let tracked: [CaseInsensitiveIdentifier]?
        if let columnsByTable {
            guard let columns = columnsByTable[name] else { return nil }
            if let schemaName, event.databaseName != schemaName { return nil }
            tracked = columns
        } else {
            tracked = nil
        }
        let tableColumns = event.columns
        if let selection = selections[name], selection.tableColumns === tableColumns {
            return selection
        }
        if columnsByTable == nil,
            event.isShadowTable
                || Database.isGRDBInternalTable(event.tableName, columnNames: tableColumns.names)
        {
            return nil
        }
        let indexes = tableColumns.names.indices.filter { index in
            event.isColumnStored(at: index)
                && tracked?.contains(CaseInsensitiveIdentifier(tableColumns.names[index])) ?? true
        }
        let names = Set(tableColumns.names.map { CaseInsensitiveIdentifier($0) })
        if event.databaseName == "main", let column = tracked?.first(where: { !names.contains($0) })
        {
            // A statement has renamed or dropped it.
            missingColumn = (event.tableName, column.rawValue)
        }
        reportedSchemas.insert(CaseInsensitiveIdentifier(event.databaseName))
        let selection = Selection(
            tableColumns: tableColumns, indexes: indexes,
            columns: TableColumns(
                names: indexes.map { tableColumns.names[$0] },
                convertsMismatchedValues: tableColumns.convertsMismatchedValues))
        selections[name] = selection
        return selection
    }

    var hasChanges: Bool { !changes.isEmpty }

    /// By how many rows a table has grown.
    ///
    /// - parameter start: the number of changes that happened before.
    func growth(of table: String, after start: Int) -> Int {
        changes.dropFirst(start).reduce(0) { growth, change in
            guard ASCIICase.equal(change.tableName, table) else { return growth }
            return growth + (change.kind == .insert ? 1 : change.kind == .delete ? -1 : 0)
        }
    }

    /// Removes the changes, which are now stored in the current transaction.
    func changesWereStored() {
        changes = []
        ordinals = []
        hasStoredChanges = true
    }

    func changesWereUndone(since ordinal: Int) {
        let count = ordinals.firstIndex { $0 > ordinal } ?? ordinals.count
        ordinals.removeSubrange(count...)
        changes.removeSubrange(count...)
    }

    // MARK: - Transactions

    func databaseWillCommit() throws {
        if !changes.isEmpty, !isEnded.withLock({ $0 }) { try willCommit() }
    }

    func databaseDidCommit(_ db: Database) {
        let transaction = DatabaseTransactionChanges(changes: changes)
        let hasChanges = !transaction.changes.isEmpty || hasStoredChanges
        let missingColumn = missingColumn
        forget()
        // An outbox checks this itself.
        if schemaName == nil, let tables = columnsByTable?.keys,
            let table = tables.first(where: db.alterations.replaced.contains)
        {
            return end(
                DatabaseChangeFeed.ContentReplacedError(
                    schemaName: "main", tableName: table.rawValue))
        }
        if let missingColumn {
            return end(Self.missingColumnError(missingColumn.table, missingColumn.column))
        }
        if hasChanges, !isEnded.withLock({ $0 }) { onChange(transaction) }
    }

    func databaseDidRollback(_ db: Database) {
        forget()
    }

    private func forget() {
        changes = []
        ordinals = []
        hasStoredChanges = false
        missingColumn = nil
        selections = [:]
    }
}
