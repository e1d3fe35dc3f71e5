import GRDB

/// A change of the index that has been committed.
struct FileChange: Equatable, Sendable {
    enum Kind: Equatable, Sendable {
        case inserted(size: Int)
        case changed(oldSize: Int, newSize: Int)
        case deleted(size: Int)
    }

    var path: String
    var kind: Kind
}

/// Notes which rows of the file table change, through the preupdate hook of SQLite: it alone knows
/// what a row was before.
///
/// Belongs to the queue of the connection; `changes` may be read once its accesses are over.
final class ChangeReporter: TransactionObserver {
    /// The changes that have been committed.
    private(set) var changes: [FileChange] = []

    /// The changes of the current transaction.
    private var pending: [FileChange] = []

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        // Not the tables in which FTS5 keeps its words.
        eventKind.tableName == IndexDatabase.fileTable
    }

    func databaseWillChange(with event: DatabasePreUpdateEvent) {
        func initial<T: DatabaseValueConvertible>(_ column: Int) -> T? {
            event.initialDatabaseValue(atIndex: column).flatMap { T.fromDatabaseValue($0) }
        }
        func final<T: DatabaseValueConvertible>(_ column: Int) -> T? {
            event.finalDatabaseValue(atIndex: column).flatMap { T.fromDatabaseValue($0) }
        }
        typealias Column = IndexDatabase.FileColumn
        let path: String? = event.kind == .delete ? initial(Column.path) : final(Column.path)
        let oldSize: Int? = initial(Column.size)
        let newSize: Int? = final(Column.size)
        let kind: FileChange.Kind =
            switch event.kind {
            case .insert: .inserted(size: newSize ?? 0)
            case .update: .changed(oldSize: oldSize ?? 0, newSize: newSize ?? 0)
            case .delete: .deleted(size: oldSize ?? 0)
            }
        pending.append(FileChange(path: path ?? "", kind: kind))
    }

    func databaseDidChange(with event: DatabaseEvent) {}

    func databaseDidCommit(_ db: Database) {
        changes += pending
        pending = []
    }

    func databaseDidRollback(_ db: Database) {
        pending = []
    }
}
