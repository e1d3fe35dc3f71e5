/// A connection as the model sees it: transactions, savepoints, and the callbacks of observers.
///
/// `@unchecked Sendable`: see `ModelRun`.
final class ModelConnection: @unchecked Sendable {
    struct Transaction {
        var id: Int
        var content: ModelContent
        var savepoints: [(name: String, content: ModelContent, eventCount: Int)] = []
        /// Events are held back while a savepoint is open.
        var events: [ModelEvent] = []
        /// Whether the outermost savepoint is the transaction.
        var isSavepoint = false
        var isSchemaChanged = false
        /// Whether it began in a read-only scope, which it does not outlive: observers are not notified of it.
        var isReadOnly = false
        /// Whether a reader has begun it without a read, so that later commits may still be seen in it.
        var isDeferred = false
    }

    /// What is committed, or what a reader sees.
    var committed: ModelContent
    var transaction: Transaction?
    var requiresTransaction = false
    var readOnlyDepth = 0
    var isSnapshot = false
    /// Counts the accesses, to which cursors and blobs are bound.
    var accessID = 0
    private var transactionCount = 0

    /// What observers are notified of.
    var log: [String] = []
    var vetoesCommit = false
    /// All committed contents.
    var history: [ModelContent]

    init(_ content: ModelContent) {
        committed = content
        history = [content]
    }

    var content: ModelContent { transaction?.content ?? committed }

    static let misuse = "! 21"
    static let aborted = "! 4"

    /// The error of any statement now.
    func statementError(writes: Bool) -> String? {
        if requiresTransaction, transaction == nil { return Self.aborted }
        return writes && readOnlyDepth > 0 ? "! 8" : nil
    }

    // MARK: - Transactions

    func begin(isSavepoint: Bool = false) {
        transactionCount += 1
        transaction = Transaction(
            id: transactionCount, content: committed, isSavepoint: isSavepoint,
            isReadOnly: readOnlyDepth > 0)
    }

    /// Returns the error.
    func commit() -> String? {
        guard let ended = transaction else { return "! 1" }
        if ended.isReadOnly {
            transaction = nil
            return nil
        }
        log += ended.events.map(\.description)
        log.append("willCommit")
        if vetoesCommit {
            vetoesCommit = false
            transaction = nil
            log.append("didRollback")
            return "! Veto"
        }
        transaction = nil
        if ended.content != committed { history.append(ended.content) }
        committed = ended.content
        log.append("didCommit")
        return nil
    }

    func rollback() {
        guard let ended = transaction else { return }
        transaction = nil
        if !ended.isReadOnly { log.append("didRollback") }
    }

    func openSavepoint(_ name: String) {
        if transaction == nil { begin(isSavepoint: true) }
        let (content, count) = (transaction!.content, transaction!.events.count)
        transaction!.savepoints.append((name, content, count))
    }

    func savepoint(_ name: String) -> Int? {
        transaction?.savepoints.lastIndex { $0.name == name }
    }

    /// Returns the error.
    func release(_ index: Int) -> String? {
        transaction!.savepoints.removeSubrange(index...)
        guard transaction!.savepoints.isEmpty else { return nil }
        if transaction!.isSavepoint { return commit() }
        log += transaction!.events.map(\.description)
        transaction!.events = []
        return nil
    }

    func rollback(toSavepoint index: Int) {
        let savepoint = transaction!.savepoints[index]
        transaction!.savepoints.removeSubrange((index + 1)...)
        transaction!.content = savepoint.content
        transaction!.events.removeSubrange(savepoint.eventCount...)
    }

    // MARK: - Statements

    private func emit(_ events: [ModelEvent]) {
        if let transaction, !transaction.savepoints.isEmpty {
            self.transaction!.events += events
        } else {
            log += events.map(\.description)
        }
    }

    /// Performs a statement, and returns its error.
    func perform(_ effect: ModelEffect, changesSchema: Bool = false) -> String? {
        let isAutomatic = transaction == nil
        if isAutomatic { begin() }
        // In a savepoint, the changes of a failed statement are known to be undone before they are notified.
        if effect.code == 0 || effect.keepsChanges || transaction!.savepoints.isEmpty {
            emit(effect.events)
        }
        if effect.code == 0 || effect.keepsChanges {
            transaction!.content = effect.content
            if changesSchema { transaction!.isSchemaChanged = true }
        }
        if effect.code != 0, effect.endsTransaction || (isAutomatic && !effect.keepsChanges) {
            if isAutomatic, effect.events.isEmpty { transaction = nil } else { rollback() }
            return "! \(effect.code)"
        }
        let commitError = isAutomatic ? commit() : nil
        return commitError ?? (effect.code != 0 ? "! \(effect.code)" : nil)
    }
}
