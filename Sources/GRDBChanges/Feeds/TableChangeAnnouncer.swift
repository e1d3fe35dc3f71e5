import GRDB

/// Stores the names of the tables that each transaction changes in the database, for the monitors of
/// other processes.
///
/// Statements declare the names when observers are asked, and the names are stored right before `COMMIT`
/// runs. Nothing is announced for a statement outside a transaction, for a transaction that changes the
/// schema or only writes through a blob, or by a program that does not use announcements. The number of
/// announcements then differs from the number of commits in the index of the write-ahead log, and readers
/// treat all tables as changed. Recovery of the index after a crash has the same effect.
///
/// Belongs to the queue of the connection that writes, which owns it.
final class TableChangeAnnouncer: TransactionObserver, ChangeConsumer {
    static let tableName = "grdb_changed_table"

    /// Identifies the announcements of this connection.
    let writer = Int64.random(in: .min ... .max)

    /// The tables that statements of the current transaction may have changed.
    private var names: Set<CaseInsensitiveIdentifier> = []
    /// The number of the announcement of the current transaction, whose `COMMIT` may be tried again.
    private var number: Int64?
    private var formerChangesCount: Int
    private var formerGeneration: Int

    private init(_ db: Database) {
        // The first look at the schema is a new generation.
        db.noteSchemaChangesOfOthers(isInTransaction: !db.raw.isInAutocommitMode)
        formerChangesCount = db.totalChangesCount
        formerGeneration = db.schemaGeneration
    }

    private enum StorageKey: DatabaseStorageKey {
        static var defaultValue: TableChangeAnnouncer? { nil }
    }

    /// The announcer of the connection; nil if it announces nothing.
    static func current(_ db: Database) -> TableChangeAnnouncer? { db[StorageKey.self] }

    /// Starts announcing the changes of the connection.
    static func start(_ db: Database) throws {
        if db.configuration.readonly { return }
        try createTable(db)
        if current(db) != nil { return }
        let announcer = TableChangeAnnouncer(db)
        db.add(transactionObserver: announcer, extent: .databaseLifetime)
        db[StorageKey.self] = announcer
        CommitPreparation.install(db)
    }

    private static func createTable(_ db: Database) throws {
        if try db.hasTable(tableName, in: "main") { return }
        try db.execute(
            sql: """
                CREATE TABLE IF NOT EXISTS main.\(tableName)(
                    name TEXT PRIMARY KEY COLLATE NOCASE NOT NULL,
                    number INTEGER NOT NULL,
                    writer INTEGER NOT NULL,
                    numberOfOthers INTEGER NOT NULL
                ) WITHOUT ROWID
                """)
    }

    // MARK: - Observing

    /// The replacement is not announced. Its number of announcements, which may be that of any other time, must not
    /// look as if it was.
    func contentWasReplaced(in schemaName: String?, _ db: Database) {
        guard isMain(schemaName), (try? db.hasTable(Self.tableName, in: "main")) == true else {
            return
        }
        try? db.execute(
            sql: "UPDATE main.\(Self.tableName) SET number = number + ? WHERE name = ''",
            arguments: [Int64.random(in: 1 << 24..<1 << 31)])
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        let name = CaseInsensitiveIdentifier(eventKind.tableName)
        if name.rawValue != Self.tableName { names.insert(name) }
        // The rows don't matter.
        return false
    }

    func databaseDidChange(with event: DatabaseEvent) {}

    func databaseDidCommit(_ db: Database) { transactionDidEnd(db) }

    func databaseDidRollback(_ db: Database) { transactionDidEnd(db) }

    private func transactionDidEnd(_ db: Database) {
        names = []
        number = nil
        formerChangesCount = db.totalChangesCount
        formerGeneration = db.schemaGeneration
    }

    // MARK: - Announcing

    /// Stores the names of the tables that the current transaction has changed.
    func announce(_ db: Database) throws {
        // A statement may have changed no rows, and an empty transaction must notify nobody.
        guard !names.isEmpty, db.totalChangesCount != formerChangesCount,
            db.schemaGeneration == formerGeneration
        else { return }
        let names = try names.map(\.rawValue).filter { try db.hasTable($0, in: "main") }
        guard !names.isEmpty else { return }
        try db.inSavepoint {
            // A transaction that created the table may have been rolled back, or the content was replaced.
            try Self.createTable(db)
            // A transaction that is committed at the second attempt is counted once.
            let number = try number ?? nextNumber(db)
            let statement = try db.cachedStatement(
                sql: """
                    INSERT INTO main.\(Self.tableName) VALUES (?1, ?2, ?3, 0)
                    ON CONFLICT DO UPDATE SET
                        numberOfOthers = CASE writer WHEN ?3 THEN numberOfOthers ELSE number END,
                        number = ?2, writer = ?3
                    """)
            for name in names.sorted() {
                try statement.execute(arguments: [name, number, writer])
            }
            self.number = number
            return .commit
        }
    }

    /// Counts the transaction. The row without a name stores the number of announcements.
    private func nextNumber(_ db: Database) throws -> Int64 {
        try db.execute(
            sql: """
                INSERT INTO main.\(Self.tableName) VALUES ('', 1, 0, 0)
                ON CONFLICT DO UPDATE SET number = number + 1
                """)
        return try Self.announcementCount(db)
    }

    static func announcementCount(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT number FROM main.\(tableName) WHERE name = ''") ?? 0
    }
}
