/// A base class for records that track their unsaved changes.
///
/// Subclasses override ``databaseTableName``, ``init(row:)`` and ``encode(to:)``:
///
/// ```swift
/// class Player: Record {
///     var id: Int64?
///     var name: String
///
///     init(id: Int64?, name: String) {
///         self.id = id
///         self.name = name
///         super.init()
///     }
///
///     override class var databaseTableName: String { "player" }
///
///     required init(row: Row) throws {
///         id = row["id"]
///         name = row["name"]
///         try super.init(row: row)
///     }
///
///     override func encode(to container: inout PersistenceContainer) throws {
///         container["id"] = id
///         container["name"] = name
///     }
///
///     override func didInsert(_ inserted: InsertionSuccess) {
///         super.didInsert(inserted)
///         id = inserted.rowID
///     }
/// }
/// ```
///
/// Prefer structs that conform to ``FetchableRecord`` and ``PersistableRecord``, and
/// ``MutablePersistableRecord/updateChanges(_:onConflict:modify:)``, unless you need objects that
/// track their changes.
///
/// Overridden callbacks must call `super`.
open class Record {
    /// The values known to be in the database; nil if the row is not known to exist.
    private var savedValues: PersistenceStorage.Content?

    /// Creates a record that is not in the database.
    public init() {}

    /// Decodes a record. Columns that the record encodes and the row lacks count as changes.
    ///
    /// All columns count as changes if the row was not fetched, because its values may not be in
    /// the database.
    ///
    /// - throws: the errors of subclasses. This initializer throws no error.
    public required init(row: Row) throws {
        if !row.isFetched { return }
        savedValues = PersistenceStorage.Content(
            names: row.layout.names, values: row.valueArray)
    }

    // MARK: - Table

    /// The name of the table.
    open class var databaseTableName: String { DefaultTableNames.name(for: self) }

    /// The columns that requests of the class fetch. All of them by default.
    open class var databaseSelection: [any SQLSelectable] { [AllColumns()] }

    /// The conflict clauses of insertions and updates, such as `INSERT OR REPLACE`.
    open class var persistenceConflictPolicy: PersistenceConflictPolicy {
        PersistenceConflictPolicy()
    }

    /// Sets the columns to store, and their values. Sets none by default.
    ///
    /// - throws: any error, which the operation on the record then throws.
    open func encode(to container: inout PersistenceContainer) throws {}

    // MARK: - Changes

    /// Whether the record differs from the row that it was fetched from or saved to.
    ///
    /// It is true when ``databaseChanges`` is not empty, or throws an error.
    public var hasDatabaseChanges: Bool {
        (try? databaseChanges.isEmpty) != true
    }

    /// The columns with unsaved values, with their values in the database; nil if such a value is
    /// not known.
    ///
    /// ```swift
    /// let player = try Player.fetchOne(db, id: 42)!
    /// player.score = 1200
    /// try print(player.databaseChanges) // ["score": 1000]
    /// ```
    ///
    /// - throws: the error of ``encode(to:)``.
    public var databaseChanges: [String: DatabaseValue?] {
        get throws {
            var changes: [String: DatabaseValue?] = [:]
            for column in try changedColumns() {
                changes.updateValue(savedValues?.value(of: column), forKey: column)
            }
            return changes
        }
    }

    private func changedColumns() throws -> [String] {
        try encodedContainer().compactMap { column, value in
            savedValues?.value(of: column)?.isStored(like: value) == true ? nil : column
        }
    }

    /// If the record has changes, executes an `UPDATE` statement on those changes.
    ///
    /// ```swift
    /// player.score = 1200
    /// // UPDATE "player" SET "score"=1200 WHERE "id"=42
    /// try player.updateChanges(db)
    /// ```
    ///
    /// - returns: whether the record had changes. If not, no statement and no callback runs.
    /// - throws: ``RecordError/recordNotFound(databaseTableName:key:)`` if no row was updated; a
    ///   ``DatabaseError``, of code `SQLITE_CONSTRAINT` if a constraint is violated,
    ///   `SQLITE_READONLY` in a read-only access; or the error of a callback or of ``encode(to:)``.
    @discardableResult
    public final func updateChanges(_ db: Database) throws -> Bool {
        let columns = try changedColumns().ordered()
        if columns.isEmpty { return false }
        try update(db, columns: columns)
        return true
    }

    // MARK: - Callbacks

    /// Runs before an insertion. An error prevents it.
    ///
    /// - throws: any error: the record is then not inserted.
    open func willInsert(_ db: Database) throws {}

    /// Called around the insertion of the record.
    ///
    /// - throws: the error of the closure, which must be rethrown; or any other error, which the
    ///   operation then throws.
    open func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
        _ = try insert()
    }

    /// Runs after an insertion, and receives the rowid of the row.
    open func didInsert(_ inserted: InsertionSuccess) {}

    /// Runs before an update. An error prevents it.
    ///
    /// - throws: any error: the record is then not updated.
    open func willUpdate(_ db: Database, columns: Set<String>) throws {}

    /// Called around the update of the record.
    ///
    /// - throws: the error of the closure, which must be rethrown; or any other error, which the
    ///   operation then throws.
    open func aroundUpdate(
        _ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess
    ) throws {
        _ = try update()
    }

    /// Runs after an update.
    open func didUpdate(_ updated: PersistenceSuccess) {}

    /// Called before all other callbacks when the record is inserted or updated.
    ///
    /// - throws: any error: the record is then not saved.
    open func willSave(_ db: Database) throws {}

    /// Called around the update or insertion of the record.
    ///
    /// - throws: the error of the closure, which must be rethrown; or any other error, which the
    ///   operation then throws.
    open func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
        _ = try save()
    }

    /// Runs after the record was inserted or updated. The record then has no changes.
    open func didSave(_ saved: PersistenceSuccess) {
        let storage = saved.persistenceContainer.storage
        let content = storage.content
        guard let columns = storage.savedColumns else {
            savedValues = content
            return
        }
        // The other columns were not saved: they may still differ from the row.
        var savedValues = savedValues ?? PersistenceStorage.Content()
        for column in columns {
            guard let value = content.value(of: column) else { continue }
            savedValues.set(value, forColumn: column)
        }
        self.savedValues = savedValues
    }

    /// Runs before a deletion. An error prevents it.
    ///
    /// - throws: any error: the record is then not deleted.
    open func willDelete(_ db: Database) throws {}

    /// Called around the deletion of the record.
    ///
    /// - throws: the error of the closure, which must be rethrown; or any other error, which the
    ///   operation then throws.
    open func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
        _ = try delete()
    }

    /// Runs after the record was deleted. All values of the record then count as changes.
    open func didDelete(deleted: Bool) {
        savedValues = nil
    }
}

extension Record: FetchableRecord, PersistableRecord {}

// See `Database`.
@available(*, unavailable)
extension Record: Sendable {}
