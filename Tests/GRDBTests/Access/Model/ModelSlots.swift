import GRDBChanges
import Foundation
import GRDB

/// What calls leave for later calls: statements, cursors, blobs, snapshots, sessions, observations.
final class ModelSlots {
    struct StatementSlot {
        var statement: Statement
        var connection: ObjectIdentifier
        var kind: Int
    }

    final class CursorSlot {
        enum State: Equatable { case ready, running, done, failed(String) }

        let cursor: RowCursor
        let connection: ObjectIdentifier
        let accessID: Int
        let isSorted: Bool
        var state = State.ready
        /// Whether a rollback has changed the schema.
        var isAborted = false
        var lastID = Int.min
        /// The rows that a sorter has collected.
        var rows: [String] = []

        init(_ cursor: RowCursor, _ context: ModelRun.Context, isSorted: Bool) {
            self.cursor = cursor
            connection = context.id
            accessID = context.model.accessID
            self.isSorted = isSorted
        }
    }

    struct BlobSlot {
        var blob: DatabaseBlob
        var connection: ObjectIdentifier
        var id: Int
        var isWritable: Bool
        /// Whether the row has not changed since.
        var isValid = true
        /// Whether the row has changed. SQLite keeps such a blob open.
        var isExpired = false
        /// Whether the model does not know: after a rollback.
        var isUncertain = false

        /// Whether SQLite has it open, as a statement that runs.
        var isOpen: Bool { isValid || isExpired }
    }

    struct SnapshotSlot {
        var reader: any DatabaseSnapshotReader
        var content: ModelContent
    }

    struct SessionSlot {
        var session: Session
        var base: ModelContent
    }

    var statements: [StatementSlot?] = [nil, nil]
    var cursors: [CursorSlot?] = [nil, nil]
    var blob: BlobSlot?
    var snapshots: [SnapshotSlot?] = [nil, nil, nil, nil]
    var session: SessionSlot?
    var observations: [ModelObservation?] = [nil, nil]
    private var readerAccessID = 1_000_000

    func nextReaderAccess() -> Int {
        readerAccessID += 1
        return readerAccessID
    }

    var hasWritableBlob: Bool { blob.map { $0.isWritable && $0.isOpen } ?? false }

    /// Whether a cursor is on a row of a connection.
    func isActive(_ context: ModelRun.Context) -> Bool {
        cursors.contains {
            $0 != nil && $0!.connection == context.id && $0!.accessID == context.model.accessID
                && $0!.state == .running
        }
    }

    /// An access of a connection has ended.
    func endBlob(of connection: ObjectIdentifier) {
        guard blob?.connection == connection else { return }
        blob?.isValid = false
        blob?.isExpired = false
    }

    func endBlobsOfTransaction() {
        guard blob?.isWritable == true else {
            blob?.isUncertain = true
            return
        }
        blob?.isValid = false
        blob?.isExpired = false
    }

    /// A statement has stored the row of the blob.
    func blobChanged(_ id: Int) {
        guard blob?.id == id else { return }
        blob?.isValid = false
        blob?.isExpired = true
    }

    func removeAll() {
        statements = [nil, nil]
        cursors = [nil, nil]
        blob = nil
        session = nil
        observations.forEach { $0?.cancel() }
        observations = [nil, nil]
        snapshots.forEach { try? $0?.reader.close() }
        snapshots = [nil, nil, nil, nil]
    }

    func checkObservers(_ run: ModelRun) {
        for observation in observations {
            if run.failure == nil { observation?.check(run) }
        }
    }
}

/// An observation, whose values must follow the commits.
final class ModelObservation: @unchecked Sendable {
    private let condition = NSCondition()
    private var values: [String] = []
    private var error: (any Error)?
    private var cancellable: AnyDatabaseCancellable?
    private var isCancelled = false
    private let first: Int

    private struct Scheduler: ValueObservationScheduler {
        func immediateInitialValue() -> Bool { false }
        func schedule(_ action: @escaping @Sendable () -> Void) { action() }
    }

    init(_ writer: any DatabaseWriter, first: Int) {
        self.first = first
        cancellable = ValueObservation.tracking { try ModelRun.rows($0) }.start(
            in: writer, scheduling: Scheduler(),
            onError: { [weak self] error in
                guard let self else { return }
                condition.withLock {
                    self.error = error
                    self.condition.broadcast()
                }
            },
            onChange: { [weak self] value in
                guard let self else { return }
                condition.withLock {
                    self.values.append(value)
                    self.condition.broadcast()
                }
            })
    }

    func cancel() { cancellable?.cancel() }

    /// The last value is that of the last commit, and the former ones are in the order of the commits.
    func check(_ run: ModelRun) {
        if run.isClosed { return }
        let history = run.model.history[first...].map(\.rows)
        let deadline = Date(timeIntervalSinceNow: 20)
        let values = condition.withLock {
            while self.values.last != history.last, error == nil {
                if !condition.wait(until: deadline) { break }
            }
            return self.values
        }
        if let error {
            // An interruption reaches all connections.
            if run.hasInterrupted, (error as? DatabaseError)?.resultCode == .SQLITE_INTERRUPT {
                return
            }
            return run.fail("an observation has failed: \(error)")
        }
        if values.last != history.last {
            return run.fail(
                "an observation has \(values.last ?? "no value") instead of \(history.last!)")
        }
        var index = history.startIndex
        for value in values {
            while index < history.endIndex, history[index] != value { index += 1 }
            if index == history.endIndex {
                return run.fail(
                    "an observation has \(values), which are not in the order of \(history)")
            }
        }
    }
}
