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

    func add(_ text: String) throws -> Note {
        try database.write { db in
            try Note(text: text, modified: db.transactionDate).inserted(db)
        }
    }

    func notes() throws -> [Note] {
        try database.read { db in
            try Note.order(\.modified.desc, \.id.desc).fetchAll(db)
        }
    }

    func edit(_ id: Int64, _ text: String) throws {
        try database.write { db in
            var note = try Note.find(db, key: id)
            try note.updateChanges(db) {
                $0.text = text
                $0.modified = try db.transactionDate
            }
        }
    }
}

@main
struct Notes {
    static func main() throws {
        let notebook = try Notebook(path: "notes.sqlite")
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("add", 2):
            let note = try notebook.add(arguments[1])
            print("Added note \(note.id!).")
        case ("edit", 3):
            guard let id = Int64(arguments[1]) else { fallthrough }
            try notebook.edit(id, arguments[2])
        default:
            show(try notebook.notes())
        }
    }

    static func show(_ notes: [Note]) {
        for note in notes { print("\(note.id!)  \(note.text)") }
    }
}
