import Foundation
import GRDB

struct Note: Codable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var text: String
    var modified: Date

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let modified = Column(CodingKeys.modified)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

struct Notebook {
    let database: DatabaseQueue

    init(path: String) throws {
        database = try DatabaseQueue(path: path)

        var migrator = DatabaseMigrator()
        migrator.registerMigration("notes") { db in
            try db.create(table: "note") { t in
                t.autoIncrementedPrimaryKey("id")
                t.column("text", .text).notNull()
                t.column("modified", .datetime).notNull()
            }
        }
        try migrator.migrate(database)
    }
}
