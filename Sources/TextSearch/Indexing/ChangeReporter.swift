import Foundation
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

/// Notes which rows of the file table change.
///
/// `@unchecked Sendable`: the changes of the transaction belong to the thread of the connection, and those that have
/// been committed are behind a lock.
final class ChangeReporter: TransactionObserver, @unchecked Sendable {
    private let lock = NSLock()
    private var committed: [FileChange] = []
    private var uncommitted: [FileChange] = []

    /// The changes that have been committed.
    var changes: [FileChange] { lock.withLock { committed } }

    /// The queue does not retain the reporter, and notifies it as long as it exists.
    init(_ index: IndexDatabase) {
        index.queue.add(transactionObserver: self)
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        eventKind.tableName == IndexDatabase.fileTable
    }

    func databaseWillChange(with event: DatabasePreUpdateEvent) {
        uncommitted.append(FileChange(event))
    }

    func databaseDidChange(with event: DatabaseEvent) {}

    func databaseDidCommit(_ db: Database) {
        lock.withLock { committed += uncommitted }
        uncommitted = []
    }

    func databaseDidRollback(_ db: Database) {
        uncommitted = []
    }
}

extension FileChange {
    /// The values before the change, which an ordinary event of SQLite lacks, tell how a file has grown.
    init(_ event: DatabasePreUpdateEvent) {
        func value<T: DatabaseValueConvertible>(_ value: DatabaseValue?) -> T? {
            value.flatMap(T.fromDatabaseValue)
        }
        let oldSize: Int = value(event.initialDatabaseValue(forColumn: "size")) ?? 0
        let newSize: Int = value(event.finalDatabaseValue(forColumn: "size")) ?? 0
        let path: String? =
            value(event.finalDatabaseValue(forColumn: "path"))
            ?? value(event.initialDatabaseValue(forColumn: "path"))
        let kind: Kind =
            switch event.kind {
            case .insert: .inserted(size: newSize)
            case .update: .changed(oldSize: oldSize, newSize: newSize)
            case .delete: .deleted(size: oldSize)
            }
        self.init(path: path ?? "", kind: kind)
    }
}
