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
