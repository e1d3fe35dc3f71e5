/// A type whose instances can be inserted, updated and deleted in its table, and may change on
/// insertion.
///
/// Use it for structs whose id is generated on insertion:
///
/// ```swift
/// // CREATE TABLE player (
/// //   id INTEGER PRIMARY KEY AUTOINCREMENT,
/// //   name TEXT NOT NULL,
/// //   score INTEGER NOT NULL
/// // )
/// struct Player: Encodable {
///     var id: Int64?
///     var name: String
///     var score: Int
/// }
///
/// extension Player: MutablePersistableRecord {
///     mutating func didInsert(_ inserted: InsertionSuccess) {
///         id = inserted.rowID
///     }
/// }
///
/// try dbQueue.write { db in
///     var player = Player(id: nil, name: "Arthur", score: 1000)
///     try player.insert(db)
///     print(player.id) // Some id that is not nil
/// }
/// ```
///
/// Classes, and other records that do not mutate on insertion, should prefer
/// ``PersistableRecord``.
///
/// ## Callbacks
///
/// - insertions and upserts call `willSave`, `aroundSave`, `willInsert`, `aroundInsert`,
///   `didInsert`, `didSave`;
/// - updates call `willSave`, `aroundSave`, `willUpdate`, `aroundUpdate`, `didUpdate`, `didSave`;
/// - deletions call `willDelete`, `aroundDelete`, `didDelete`.
///
/// A save is an update, and then an insertion if no row was updated. Type methods and SQL don't
/// call callbacks.
///
/// The `around` callbacks must call their closure, and rethrow its errors: if they don't, the
/// operation throws a ``DatabaseError`` of code `SQLITE_MISUSE`.
///
/// See <doc:PersistenceMethods> for the choice between the methods, and <doc:RecordCallbacks> for the
/// callbacks.
public protocol MutablePersistableRecord: EncodableRecord, TableRecord {
    /// The conflict clauses of insertions and updates, such as `INSERT OR REPLACE`.
    static var persistenceConflictPolicy: PersistenceConflictPolicy { get }

    /// Runs before an insertion. An error prevents it.
    ///
    /// - throws: any error: the record is then not inserted.
    mutating func willInsert(_ db: Database) throws

    /// Called around the insertion of the record.
    ///
    /// ```swift
    /// func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
    ///     print("Player will insert")
    ///     _ = try insert()
    ///     print("Player did insert")
    /// }
    /// ```
    ///
    /// - throws: the error of the closure, which must be rethrown; or any other error, which the
    ///   operation then throws.
    func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws

    /// Runs after an insertion, and receives the rowid of the row.
    ///
    /// The transaction may still be rolled back.
    mutating func didInsert(_ inserted: InsertionSuccess)

    /// Runs before an update. An error prevents it.
    ///
    /// - parameter db: the connection that updates it.
    /// - parameter columns: the updated columns.
    /// - throws: any error: the record is then not updated.
    func willUpdate(_ db: Database, columns: Set<String>) throws

    /// Called around the update of the record.
    ///
    /// - throws: the error of the closure, which must be rethrown; or any other error, which the
    ///   operation then throws.
    func aroundUpdate(
        _ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess
    ) throws

    /// Runs after an update.
    func didUpdate(_ updated: PersistenceSuccess)

    /// Called before all other callbacks when the record is inserted or updated.
    ///
    /// - throws: any error: the record is then not saved.
    func willSave(_ db: Database) throws

    /// Called around the update or insertion of the record.
    ///
    /// - throws: the error of the closure, which must be rethrown; or any other error, which the
    ///   operation then throws.
    func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws

    /// Runs after the record was updated or inserted, before the transaction ends.
    func didSave(_ saved: PersistenceSuccess)

    /// Runs before a deletion. An error prevents it.
    ///
    /// - throws: any error: the record is then not deleted.
    func willDelete(_ db: Database) throws

    /// Called around the deletion of the record.
    ///
    /// - throws: the error of the closure, which must be rethrown; or any other error, which the
    ///   operation then throws.
    func aroundDelete(_ db: Database, delete: () throws -> Bool) throws

    /// Runs after a deletion.
    ///
    /// - parameter deleted: whether a row was deleted.
    func didDelete(deleted: Bool)
}

// Some default callbacks report that they are the defaults when the first operation on a record of
// the type calls them. Later operations skip them. The `around` callbacks report before their
// action, and again after it, because by then, the connection certainly knows the record type.
extension MutablePersistableRecord {
    @inlinable
    public static var persistenceConflictPolicy: PersistenceConflictPolicy {
        PersistenceConflictPolicy()
    }

    @inlinable
    public mutating func willInsert(_ db: Database) throws {}

    public func aroundInsert(_ db: Database, insert: () throws -> InsertionSuccess) throws {
        db.note(.aroundInsert, of: Self.self)
        _ = try insert()
        db.note(.aroundInsert, of: Self.self)
    }

    public mutating func didInsert(_ inserted: InsertionSuccess) {
        inserted.persistenceContainer.storage.defaultCallbacks?.note(.didInsert, of: Self.self)
    }

    @inlinable
    public func willUpdate(_ db: Database, columns: Set<String>) throws {}

    public func aroundUpdate(
        _ db: Database, columns: Set<String>, update: () throws -> PersistenceSuccess
    ) throws {
        db.note(.aroundUpdate, of: Self.self)
        _ = try update()
        db.note(.aroundUpdate, of: Self.self)
    }

    public func didUpdate(_ updated: PersistenceSuccess) {
        updated.persistenceContainer.storage.defaultCallbacks?.note(.didUpdate, of: Self.self)
    }

    @inlinable
    public func willSave(_ db: Database) throws {}

    public func aroundSave(_ db: Database, save: () throws -> PersistenceSuccess) throws {
        db.note(.aroundSave, of: Self.self)
        _ = try save()
        db.note(.aroundSave, of: Self.self)
    }

    public func didSave(_ saved: PersistenceSuccess) {
        saved.persistenceContainer.storage.defaultCallbacks?.note(.didSave, of: Self.self)
    }

    @inlinable
    public func willDelete(_ db: Database) throws {}

    public func aroundDelete(_ db: Database, delete: () throws -> Bool) throws {
        db.note(.aroundDelete, of: Self.self)
        _ = try delete()
        db.note(.aroundDelete, of: Self.self)
    }

    @inlinable
    public func didDelete(deleted: Bool) {}
}
