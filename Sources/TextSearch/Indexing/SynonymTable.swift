import Foundation
import GRDB

/// The synonyms of one connection, where its tokenizers find them.
///
/// SQLite creates tokenizers on its own, and passes nothing but the connection: hence the static
/// list. The synonyms themselves belong to the queue of the connection.
final class SynonymTable {
    var list = SynonymList()

    private weak var database: Database?

    private init(database: Database) {
        self.database = database
    }

    /// All tables of the process.
    ///
    /// `@unchecked Sendable`: the lock guards `tables`.
    private final class Tables: @unchecked Sendable {
        let lock = NSLock()
        var tables: [ObjectIdentifier: SynonymTable] = [:]
    }

    private static let all = Tables()

    /// Returns the synonyms of a connection. They are empty at first.
    static func of(_ db: Database) -> SynonymTable {
        all.lock.withLock {
            let id = ObjectIdentifier(db)
            if let table = all.tables[id], table.database === db { return table }
            // Those of closed connections.
            all.tables = all.tables.filter { $0.value.database != nil }
            let table = SynonymTable(database: db)
            all.tables[id] = table
            return table
        }
    }
}
