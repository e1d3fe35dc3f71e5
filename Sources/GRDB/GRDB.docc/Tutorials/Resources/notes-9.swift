import Foundation
import GRDB
import GRDBChanges

struct Note: Codable, FetchableRecord, MutablePersistableRecord {
    var id: Int64?
    var text: String
    var modified: Date

    static let content = belongsTo(NoteContent.self, using: ForeignKey(["id"], to: ["rowid"]))

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let modified = Column(CodingKeys.modified)
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

/// The words of the notes.
struct NoteContent: TableRecord {
    static let databaseTableName = "noteContent"
}

struct Notebook {
    let database: DatabaseQueue
    let history: UndoHistory

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
        migrator.registerMigration("search") { db in
            try db.create(virtualTable: "noteContent", using: FTS5()) { t in
                t.synchronize(withTable: "note")
                t.tokenizer = .porter()
                t.column("text")
            }
        }
        try migrator.migrate(database)
        history = try UndoHistory(database, tables: ["note"], storage: .table("undoneNotes"))
    }

    func add(_ text: String) throws -> Note {
        try history.record("add") { db in
            try Note(text: text, modified: db.transactionDate).inserted(db)
        }
    }

    func notes() throws -> [Note] {
        try database.read { db in
            try Note.order(\.modified.desc, \.id.desc).fetchAll(db)
        }
    }

    func edit(_ id: Int64, _ text: String) throws {
        try history.record("edit") { db in
            var note = try Note.find(db, key: id)
            try note.updateChanges(db) {
                $0.text = text
                $0.modified = try db.transactionDate
            }
        }
    }

    func search(_ text: String) throws -> [Note] {
        let pattern = FTS5Pattern(matchingAllPrefixesIn: text)
        return try database.read { db in
            try Note
                .joining(required: Note.content.matching(pattern).order(Column.rank))
                .fetchAll(db)
        }
    }

    func undo() throws -> String {
        switch try history.undo() {
        case .nothing: "There is nothing to undo."
        case .done(let group): "Undid: \(group.name)"
        case .givenUp(let group, let error): "Can't undo \(group.name): \(error)"
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
        case ("search", 2):
            show(try notebook.search(arguments[1]))
        case ("undo", 1):
            print(try notebook.undo())
        default:
            show(try notebook.notes())
        }
    }

    static func show(_ notes: [Note]) {
        for note in notes { print("\(note.id!)  \(note.text)") }
    }
}
