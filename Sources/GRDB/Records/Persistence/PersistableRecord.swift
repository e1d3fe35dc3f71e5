/// A type whose instances can be inserted, updated and deleted in its table.
///
/// It has the methods of ``MutablePersistableRecord``, without mutation. Use it for classes, and
/// for structs whose key is known before insertion:
///
/// ```swift
/// struct Country: Codable, PersistableRecord {
///     var code: String
///     var name: String
/// }
///
/// try dbQueue.write { db in
///     try Country(code: "FR", name: "France").insert(db)
/// }
/// ```
///
/// See <doc:Records#Choose-the-protocols> for the choice between the protocols.
public protocol PersistableRecord: MutablePersistableRecord {
    /// Runs before an insertion. An error prevents it.
    ///
    /// - throws: any error: the record is then not inserted.
    func willInsert(_ db: Database) throws

    /// Runs after an insertion, and receives the rowid of the row.
    ///
    /// The transaction may still be rolled back.
    func didInsert(_ inserted: InsertionSuccess)
}

extension PersistableRecord {
    /// Does nothing.
    ///
    /// - throws: no error. Implementations may throw any error: the record is then not inserted.
    @inlinable
    public func willInsert(_ db: Database) throws {}

    /// Does nothing visible to applications.
    public func didInsert(_ inserted: InsertionSuccess) {
        inserted.persistenceContainer.storage.defaultCallbacks?.note(.didInsert, of: Self.self)
    }
}
