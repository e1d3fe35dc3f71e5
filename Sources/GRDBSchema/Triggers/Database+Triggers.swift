import GRDB

/// The event that runs a trigger: a kind of change, and a time.
///
/// ```swift
/// .after(.insert)
/// .before(.update(of: ["name", "score"]))
/// .insteadOf(.delete)
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/lang_createtrigger.html>
public struct TriggerEvent: Hashable, Sendable {
    /// The kind of a change.
    public struct Change: Hashable, Sendable {
        let keyword: String
        var columns: [String]?

        /// The insertion of a row.
        public static let insert = Change(keyword: "INSERT")

        /// The deletion of a row.
        public static let delete = Change(keyword: "DELETE")

        /// The update of any column.
        public static let update = Change(keyword: "UPDATE")

        /// The update of at least one of the given columns.
        ///
        /// ```swift
        /// // UPDATE OF "score", "name"
        /// TriggerEvent.after(.update(of: ["score", "name"]))
        /// ```
        public static func update(of columns: [String]) -> Change {
            Change(keyword: "UPDATE", columns: columns)
        }
    }

    enum Timing: String {
        case before = "BEFORE"
        case after = "AFTER"
        case insteadOf = "INSTEAD OF"
    }

    let timing: Timing
    let change: Change

    /// The trigger runs before the row changes.
    public static func before(_ change: Change) -> TriggerEvent {
        TriggerEvent(timing: .before, change: change)
    }

    /// The trigger runs after the row has changed.
    public static func after(_ change: Change) -> TriggerEvent {
        TriggerEvent(timing: .after, change: change)
    }

    /// The trigger runs instead of the change of a row in a view.
    public static func insteadOf(_ change: Change) -> TriggerEvent {
        TriggerEvent(timing: .insteadOf, change: change)
    }

    fileprivate func text() throws -> String {
        let text = "\(timing.rawValue) \(change.keyword)"
        guard let columns = change.columns else { return text }
        return try "\(text) OF \(columns.schemaIdentifiers())"
    }
}

/// Trigger creation options.
public struct TriggerOptions: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Does nothing if a trigger of this name exists, even if its statements are different.
    public static let ifNotExists = TriggerOptions(rawValue: 1 << 0)

    /// Creates a trigger that runs only for changes made by this connection, and that is deleted
    /// when the connection is closed.
    public static let temporary = TriggerOptions(rawValue: 1 << 1)
}

extension Database {
    /// Creates a trigger.
    ///
    /// ```swift
    /// // CREATE TRIGGER "player_ai" AFTER INSERT ON "player" BEGIN
    /// //   UPDATE team SET playerCount = playerCount + 1 WHERE id = NEW.teamId;
    /// // END
    /// try db.create(
    ///     trigger: "player_ai", .after(.insert), on: "player",
    ///     statements: "UPDATE team SET playerCount = playerCount + \(1) WHERE id = NEW.teamId")
    /// ```
    ///
    /// - parameter name: the trigger name.
    /// - parameter event: the changes for which the trigger runs.
    /// - parameter table: a table, or a view.
    /// - parameter options: trigger creation options.
    /// - parameter condition: a condition on the changed row; nil to run the trigger for all rows.
    /// - parameter statements: one or several statements, separated by semicolons.
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_ERROR` if the table does not exist, if the
    ///   name is taken, or if the statements do not compile.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_createtrigger.html>
    public func create(
        trigger name: String,
        _ event: TriggerEvent,
        on table: String,
        options: TriggerOptions = [],
        when condition: (any SQLExpressible)? = nil,
        statements: SQL
    ) throws {
        try checkAccess()
        var sql = "CREATE"
        if options.contains(.temporary) { sql += " TEMPORARY" }
        sql += " TRIGGER"
        if options.contains(.ifNotExists) { sql += " IF NOT EXISTS" }
        sql += try " \(name.schemaIdentifier()) \(event.text()) ON \(table.schemaIdentifier())"
        if let condition {
            sql += try " WHEN \(schemaText("\(condition)"))"
        }
        // On separate lines, because the statements may end with a comment.
        sql += try " BEGIN\n\(SQLText.trimmed(schemaText(statements)))\n;\nEND"
        try execute(sql: sql)
    }

    /// Deletes a trigger.
    ///
    /// ```swift
    /// // DROP TRIGGER "player_ai"
    /// try db.drop(trigger: "player_ai")
    /// ```
    ///
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_ERROR` if there is no such trigger, unless
    ///   the options have `ifExists`.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_droptrigger.html>
    public func drop(trigger name: String, options: DropOptions = []) throws {
        try drop("TRIGGER", name, options)
    }
}
