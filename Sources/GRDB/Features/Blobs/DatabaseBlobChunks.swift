import Dispatch
public import _GRDBSystem

/// The chunks of a blob, as an asynchronous sequence.
///
/// ``DatabaseReader/blobChunks(table:column:rowID:in:ofSize:)`` creates the sequence:
///
/// ```swift
/// for try await chunk in dbPool.blobChunks(table: "video", column: "content", rowID: 1) {
///     try await upload.send(chunk)
/// }
/// ```
///
/// No access stays open between two chunks: the loop can run for any time, and can use the
/// database. SQLite reads on a queue of the database, and does not block a thread of the task pool.
/// In a large blob, an access reads several chunks at a time, at most 16 MB. All chunks belong to
/// the same value:
///
/// - A pool creates a snapshot when the iteration begins, and keeps it until the end. Later changes
///   of the row are not visible.
/// - A queue has a single connection. The iteration throws an error of code `SQLITE_ABORT` if the
///   row has changed since the first chunk, or if another connection has changed any row of the
///   file.
///
/// The sequence can be iterated any number of times.
public struct DatabaseBlobChunks: AsyncSequence, Sendable {
    public typealias Element = Data

    fileprivate let reader: any DatabaseReader
    fileprivate let tableName: String
    fileprivate let columnName: String
    fileprivate let rowID: Int64
    fileprivate let schemaName: String?
    fileprivate let size: Int

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(chunks: self)
    }

    /// Reads the chunks of a blob.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let chunks: DatabaseBlobChunks
        private var source: Source?
        private var offset = 0
        private var isFinished = false

        fileprivate init(chunks: DatabaseBlobChunks) {
            self.chunks = chunks
        }

        /// Reads the next chunk.
        ///
        /// - returns: the next chunk; nil after the last chunk.
        /// - throws: the errors of ``Database/openBlob(table:column:rowID:in:mode:)`` and
        ///   ``DatabaseBlob/read(count:at:)``; `CancellationError` if the task is cancelled.
        public mutating func next() async throws -> Data? {
            if isFinished { return nil }
            do {
                let source = if let source { source } else { try await Source.open(chunks) }
                self.source = source
                let (piece, count) = try await source.read(at: offset)
                self.offset += piece.count
                if self.offset >= count { finish() }
                return piece.isEmpty ? nil : piece
            } catch {
                finish()
                throw error
            }
        }

        private mutating func finish() {
            isFinished = true
            source = nil
        }
    }

    /// The connection or snapshot that an iteration reads from.
    fileprivate final class Source: Sendable {
        private let chunks: DatabaseBlobChunks
        private let reader: any DatabaseReader
        /// Nil for snapshots, whose rows don't change.
        private let watcher: RowWatcher?
        /// Whether the iteration has created its snapshot, and must close it.
        private let ownsReader: Bool
        private let portion = Locked<Portion?>(nil)

        private init(
            _ chunks: DatabaseBlobChunks, reader: any DatabaseReader, ownsReader: Bool = false,
            watcher: RowWatcher? = nil
        ) {
            self.chunks = chunks
            self.reader = reader
            self.ownsReader = ownsReader
            self.watcher = watcher
        }

        deinit {
            if ownsReader {
                // Closing a connection takes time, and should not block the task.
                let reader = reader
                Self.queue.async { withExtendedLifetime(reader) {} }
            }
        }

        /// The queue on which snapshots are opened and closed.
        private static let queue = DispatchQueue(label: "GRDB.DatabaseBlobChunks")

        static func open(_ chunks: DatabaseBlobChunks) async throws -> Source {
            guard chunks.size > 0 else { throw DatabaseBlob.chunkSizeError(chunks.size) }
            switch chunks.reader._underlyingReader {
            case let pool as DatabasePool:
                try Task.checkCancellation()
                let snapshot = try await withCheckedThrowingContinuation { continuation in
                    queue.async {
                        continuation.resume(with: Result { try pool.makeSnapshot() })
                    }
                }
                return Source(chunks, reader: snapshot, ownsReader: true)
            case let snapshot as any DatabaseSnapshotReader:
                return Source(chunks, reader: snapshot)
            case let reader:
                return Source(chunks, reader: reader, watcher: RowWatcher())
            }
        }

        /// - returns: the chunk, and the size of the whole blob.
        func read(at offset: Int) async throws -> (piece: Data, count: Int) {
            let known = portion.withLock { portion in
                portion?.piece(at: offset, size: chunks.size).map { ($0, portion!.count) }
            }
            if let known {
                try Task.checkCancellation()
                return known
            }
            // At most one portion is in memory.
            self.portion.withLock { $0 = nil }
            let portion = try await reader.read { [self] db in
                let blob = try db.openBlob(
                    table: chunks.tableName, column: chunks.columnName, rowID: chunks.rowID,
                    in: chunks.schemaName)
                try watcher?.check(blob, db)
                let size = Swift.max(chunks.size, Self.readAhead(at: offset, chunks.size))
                let bytes = try blob.read(count: Swift.min(size, blob.count - offset), at: offset)
                return Portion(offset: offset, bytes: bytes, count: blob.count)
            }
            let piece = portion.piece(at: offset, size: chunks.size) ?? Data()
            // A portion of a single chunk is not kept.
            if portion.bytes.count > piece.count { self.portion.withLock { $0 = portion } }
            return (piece, portion.count)
        }

        /// The number of bytes that are read in one access: a multiple of the chunk size.
        ///
        /// SQLite finds an offset in a blob by following the chain of its pages. If each access
        /// read a single chunk, the total time would grow with the square of the size of the blob.
        private static func readAhead(at offset: Int, _ size: Int) -> Int {
            Swift.min(offset / 8, 16 << 20) / size * size
        }
    }

    /// The bytes that an access has read.
    fileprivate struct Portion {
        let offset: Int
        let bytes: Data
        /// The size of the whole blob.
        let count: Int

        /// - returns: the chunk; nil if the portion does not contain the whole chunk.
        func piece(at offset: Int, size: Int) -> Data? {
            let start = offset - self.offset
            let end = start + Swift.min(size, count - offset)
            guard start >= 0, start < end, end <= bytes.count else { return nil }
            return bytes.count == end - start ? bytes : Data(bytes[start..<end])
        }
    }
}

extension DatabaseReader {
    /// Returns the chunks of a blob, as an asynchronous sequence.
    ///
    /// ```swift
    /// for try await chunk in dbPool.blobChunks(table: "video", column: "content", rowID: 1) {
    ///     try await upload.send(chunk)
    /// }
    /// ```
    ///
    /// See ``DatabaseBlobChunks`` for the effects of changes of the row.
    ///
    /// - parameter tableName: the name of a table.
    /// - parameter columnName: the name of a column.
    /// - parameter rowID: the rowid of the row.
    /// - parameter schemaName: `main`, `temp`, or the name of an attached database; nil for the
    ///   first schema that contains the table.
    /// - parameter size: the size of a chunk, in bytes. The last chunk may be smaller.
    /// - returns: a sequence. Nothing is read before it is iterated.
    public func blobChunks(
        table tableName: String, column columnName: String, rowID: Int64,
        in schemaName: String? = nil, ofSize size: Int = 65_536
    ) -> DatabaseBlobChunks {
        DatabaseBlobChunks(
            reader: self, tableName: tableName, columnName: columnName, rowID: rowID,
            schemaName: schemaName, size: size)
    }
}

/// Detects whether a row has changed between two accesses of a connection.
///
/// `@unchecked Sendable`: used on the queue of the connection only.
private final class RowWatcher: TransactionObserver, ChangeConsumer, @unchecked Sendable {
    private var row: (tableName: String, schemaName: String, rowID: Int64)?
    private var dataVersion = 0

    /// Whether the current transaction, or an earlier one, has changed the row.
    private var isChanging = false
    private var hasChanged = false

    /// Throws an error if the row has changed since the first call.
    func check(_ blob: DatabaseBlob, _ db: Database) throws {
        let dataVersion = try Int.fetchOne(
            db, sql: "PRAGMA \(blob.schemaName.quotedDatabaseIdentifier).data_version")
        if row == nil {
            row = (blob.tableName, blob.schemaName, blob.rowID)
            self.dataVersion = dataVersion ?? 0
            db.add(transactionObserver: self)
        } else if hasChanged || isChanging {
            throw DatabaseError(
                resultCode: .SQLITE_ABORT, message: "The row of the blob was changed or deleted")
        } else if dataVersion != self.dataVersion {
            throw DatabaseError(
                resultCode: .SQLITE_ABORT,
                message: "Another connection has changed the database of the blob")
        }
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        guard let row, !hasChanged else { return false }
        return ASCIICase.equal(eventKind.tableName, row.tableName)
    }

    func databaseDidChange() {
        isChanging = true
    }

    func contentWasReplaced(in schemaName: String?, _ db: Database) {
        guard let row else { return }
        if schemaName.map({ ASCIICase.equal($0, row.schemaName) }) ?? true { hasChanged = true }
    }

    // Unlike the event after the change, this event also reports rows that are replaced.
    func databaseWillChange(with event: DatabasePreUpdateEvent) {
        guard let row, event.initialRowID == row.rowID,
            ASCIICase.equal(event.tableName, row.tableName),
            ASCIICase.equal(event.databaseName, row.schemaName)
        else { return }
        isChanging = true
    }

    func databaseDidChange(with event: DatabaseEvent) {}

    func databaseDidCommit(_ db: Database) {
        if isChanging { hasChanged = true }
    }

    func databaseDidRollback(_ db: Database) {
        if isChanging, db.broker.mayHaveCommitted { hasChanged = true }
        isChanging = false
    }
}
