import GRDB

/// The numbers of announced and of committed transactions at one moment.
struct AnnouncedChanges {
    private let commitCount: UInt32
    private let announcementCount: Int64

    /// Reads the present state.
    ///
    /// - parameter former: a former state.
    /// - returns: the state, and the tables that other connections have changed since the former state.
    ///   The state is nil if the connection announces nothing, is in a transaction, or is not in WAL
    ///   mode. The tables are nil if any table may have changed.
    static func read(
        _ db: Database, since former: AnnouncedChanges?
    ) throws -> (state: AnnouncedChanges?, tableNames: [String]?) {
        guard let announcer = TableChangeAnnouncer.current(db), !db.isInsideTransaction,
            try db.hasTable(TableChangeAnnouncer.tableName, in: "main")
        else { return (nil, nil) }
        return try db.inReadOnlyTransaction {
            let count = try TableChangeAnnouncer.announcementCount(db)
            let snapshot = try? RawSnapshot(db.raw)
            guard let commitCount = snapshot?.commitCount else { return (nil, nil) }
            let state = AnnouncedChanges(commitCount: commitCount, announcementCount: count)
            guard let former,
                commitCount &- former.commitCount
                    == UInt32(truncatingIfNeeded: count &- former.announcementCount)
            else { return (state, nil) }
            let names = try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM main.\(TableChangeAnnouncer.tableName)
                    WHERE name <> ''
                        AND CASE writer WHEN ? THEN numberOfOthers ELSE number END > ?
                    """, arguments: [announcer.writer, former.announcementCount])
            return (state, names)
        }
    }
}
