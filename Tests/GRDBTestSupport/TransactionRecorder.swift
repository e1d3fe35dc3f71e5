public import GRDB

/// A transaction observer that records its callbacks, one line per callback:
///
/// ```text
/// observes insert(t)
/// willChange insert main.t 1
/// didChange insert main.t 1
/// didChange
/// willCommit
/// didCommit
/// didRollback
/// ```
///
/// Several recorders can share a log, to check the order of their callbacks. Each then starts its
/// lines with its name.
public final class TransactionRecorder: TransactionObserver {
    /// The callbacks to record.
    public struct Callbacks: OptionSet, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// `observes(eventsOfKind:)`
        public static let observes = Callbacks(rawValue: 1)
        /// `databaseWillChange(with:)`
        public static let willChange = Callbacks(rawValue: 2)
        /// All other callbacks.
        public static let others = Callbacks(rawValue: 4)
    }

    private let name: String?
    private let callbacks: Callbacks
    private let log: Log<String>

    /// Returns whether to observe events of a kind. By default, all events are observed.
    public var filter: (DatabaseEventKind) -> Bool = { _ in true }
    public var onChange: ((DatabaseEvent) -> Void)?
    public var onUnspecifiedChange: (() -> Void)?
    public var onWillChange: ((DatabasePreUpdateEvent) -> Void)?
    public var onWillCommit: (() throws -> Void)?
    public var onCommit: ((Database) -> Void)?
    public var onRollback: ((Database) -> Void)?

    public init(
        _ name: String? = nil, _ callbacks: Callbacks = .others, log: Log<String> = Log()
    ) {
        self.name = name
        self.callbacks = callbacks
        self.log = log
    }

    private func record(_ line: String, _ callback: Callbacks = .others) {
        guard callbacks.contains(callback) else { return }
        log.append(name.map { "\($0): \(line)" } ?? line)
    }

    /// Returns the lines that were recorded since the last call.
    public func lines() -> [String] {
        log.removeAll()
    }

    /// Adds a line, to mark a point between callbacks.
    public func mark(_ line: String) {
        log.append(line)
    }

    public func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool {
        let isObserved = filter(eventKind)
        let description =
            switch eventKind {
            case .insert(let table): "insert(\(table))"
            case .delete(let table): "delete(\(table))"
            case .update(let table, let columns):
                "update(\(table), \(columns.sorted().joined(separator: " ")))"
            }
        record("observes \(description)\(isObserved ? "" : ": no")", .observes)
        return isObserved
    }

    public func databaseDidChange() {
        record("didChange")
        onUnspecifiedChange?()
    }

    public func databaseDidChange(with event: DatabaseEvent) {
        record("didChange \(event.kind) \(event.databaseName).\(event.tableName) \(event.rowID)")
        onChange?(event)
    }

    public func databaseWillChange(with event: DatabasePreUpdateEvent) {
        let rowID =
            switch (event.initialRowID, event.finalRowID) {
            case (let initial?, let final?) where initial != final: "\(initial)→\(final)"
            case (let initial, let final): (initial ?? final).map(String.init) ?? "?"
            }
        record(
            "willChange \(event.kind) \(event.databaseName).\(event.tableName) \(rowID)",
            .willChange)
        onWillChange?(event)
    }

    public func databaseWillCommit() throws {
        record("willCommit")
        try onWillCommit?()
    }

    public func databaseDidCommit(_ db: Database) {
        record("didCommit\(db.isInsideTransaction ? " inside a transaction" : "")")
        onCommit?(db)
    }

    public func databaseDidRollback(_ db: Database) {
        record("didRollback\(db.isInsideTransaction ? " inside a transaction" : "")")
        onRollback?(db)
    }
}
