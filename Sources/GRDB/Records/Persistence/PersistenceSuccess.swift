/// The result of a successful insertion.
public struct InsertionSuccess {
    /// The rowID of the inserted record.
    ///
    /// With a conflict resolution of `.ignore`, it may be the rowID of an earlier insertion.
    /// Meaningless for tables without rowid.
    public var rowID: Int64

    /// The name of the column that is the `INTEGER PRIMARY KEY`; nil when there is none.
    public var rowIDColumn: String?

    /// The inserted values, with the rowID assigned by SQLite.
    public var persistenceContainer: PersistenceContainer
}

/// The result of a successful insertion or update.
public struct PersistenceSuccess {
    /// The saved values.
    public var persistenceContainer: PersistenceContainer

    init(persistenceContainer: PersistenceContainer) {
        self.persistenceContainer = persistenceContainer
    }

    @usableFromInline
    init(_ insertion: InsertionSuccess) {
        persistenceContainer = insertion.persistenceContainer
    }
}
