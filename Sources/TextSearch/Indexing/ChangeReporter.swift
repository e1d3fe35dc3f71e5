import Foundation
import GRDB
import GRDBChanges

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
/// `@unchecked Sendable`: the changes are behind a lock.
final class ChangeReporter: @unchecked Sendable {
    private let lock = NSLock()
    private var committed: [FileChange] = []
    private var subscription: AnyDatabaseCancellable?

    /// The changes that have been committed.
    var changes: [FileChange] { lock.withLock { committed } }

    init(_ index: IndexDatabase) {
        let feed = DatabaseChangeFeed(
            tracking: .table(IndexDatabase.fileTable, columns: ["path", "size", "modified"]))
        subscription = feed.start(in: index.queue) { [weak self] transaction in
            let changes = transaction.changes.map(FileChange.init)
            self?.lock.withLock { self?.committed += changes }
        }
    }
}

extension FileChange {
    init(_ change: DatabaseRowChange) {
        let path = change.newValue(forColumn: "path") ?? change.oldValue(forColumn: "path")
        func size(_ value: DatabaseValue?) -> Int { value.flatMap(Int.fromDatabaseValue) ?? 0 }
        let oldSize = size(change.oldValue(forColumn: "size"))
        let newSize = size(change.newValue(forColumn: "size"))
        let kind: Kind =
            switch change.kind {
            case .insert: .inserted(size: newSize)
            case .update: .changed(oldSize: oldSize, newSize: newSize)
            case .delete: .deleted(size: oldSize)
            }
        self.init(path: path.flatMap(String.fromDatabaseValue) ?? "", kind: kind)
    }
}
