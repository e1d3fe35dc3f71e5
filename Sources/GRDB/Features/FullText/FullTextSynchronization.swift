/// The triggers that apply the changes of a table to a full-text index.
///
/// Other libraries create and drop triggers of the same names. The triggers of all libraries must
/// be compatible.
package struct FullTextSynchronization {
    enum Module {
        case fts4, fts5

        fileprivate var suffixes: [String] {
            switch self {
            case .fts4: ["bu", "bd", "au", "ai"]
            case .fts5: ["ai", "ad", "au"]
            }
        }
    }

    let module: Module
    let db: Database
    let tableName: String
    let contentTable: FullTextContentTable
    /// The columns of the full-text table that are also columns of the content table.
    let columns: [String]

    /// Those of the columns whose text is indexed.
    let indexedColumns: [String]

    package static func triggerName(_ tableName: String, _ suffix: String) -> String {
        "__\(tableName)_\(suffix)"
    }

    fileprivate static func dropTriggers(
        _ db: Database, _ module: Module, _ tableName: String
    ) throws {
        try db.executeAll(
            module.suffixes.map {
                "DROP TRIGGER IF EXISTS \(triggerName(tableName, $0).quotedDatabaseIdentifier)"
            })
    }

    /// Creates the triggers, and fills the index.
    func begin() throws {
        try triggers().forEach(create)
        try rebuildIndex()
    }

    /// Recreates missing triggers. If there are any, fills the index, which lacks the changes that these triggers
    /// would have applied.
    ///
    /// Replaces triggers that run on all updates, which former versions and other libraries create.
    func restore() throws {
        let existing = try db.schemaObjects(ofType: .trigger, in: contentTable.schemaName)
        var isIncomplete = false
        for trigger in try triggers() {
            let name = Self.triggerName(tableName, trigger.suffix)
            guard let known = existing.first(where: { ASCIICase.equal($0.name, name) }) else {
                isIncomplete = true
                try create(trigger)
                continue
            }
            if trigger.columns.isEmpty { continue }
            var former = trigger
            former.columns = []
            func words(_ sql: String) -> [Substring] { sql.split(whereSeparator: \.isWhitespace) }
            if words(known.sql ?? "") == words("CREATE TRIGGER " + text(of: former)) {
                try db.execute(
                    sql: "DROP TRIGGER \(contentTable.schemaName).\(name.quotedDatabaseIdentifier)")
                try create(trigger)
            }
        }
        if isIncomplete { try rebuildIndex() }
    }

    private func rebuildIndex() throws {
        let schemaName = contentTable.schemaName
        let column = tableName.quotedDatabaseIdentifier
        let table = tableName.qualified(in: schemaName)
        try db.executeFullTextCommand(
            "rebuild", on: tableName, in: schemaName,
            sql: "INSERT INTO \(table)(\(column)) VALUES('rebuild')")
    }

    private struct Trigger {
        let suffix: String
        let event: String
        /// The columns on whose updates the trigger runs; empty for all.
        var columns: [String] = []
        let statements: [String]
    }

    private func triggers() throws -> [Trigger] {
        let rowID = try contentTable.rowIDName()
        let updated = updatedColumns(rowID)
        let table = tableName.quotedDatabaseIdentifier
        let names = columns.map(\.quotedDatabaseIdentifier)
        let newValues = list(values("new", rowID))
        switch module {
        case .fts4:
            // FTS4 reads the text to remove from the content table, so the trigger runs before that text
            // changes.
            let delete = "DELETE FROM \(table) WHERE docid=old.\(rowID.quotedDatabaseIdentifier);"
            let insert = """
                INSERT INTO \(table)(\(list(["\"docid\""] + names))) VALUES(\(newValues));
                """
            return [
                Trigger(
                    suffix: "bu", event: "BEFORE UPDATE", columns: updated, statements: [delete]),
                Trigger(suffix: "bd", event: "BEFORE DELETE", statements: [delete]),
                Trigger(
                    suffix: "au", event: "AFTER UPDATE", columns: updated, statements: [insert]),
                Trigger(suffix: "ai", event: "AFTER INSERT", statements: [insert]),
            ]
        case .fts5:
            let insert = """
                INSERT INTO \(table)(\(list(["\"rowid\""] + names))) VALUES (\(newValues));
                """
            // Deletions pass the text to remove to FTS5.
            let delete = """
                INSERT INTO \(table)(\(list([table, "\"rowid\""] + names))) \
                VALUES('delete', \(list(values("old", rowID))));
                """
            return [
                Trigger(suffix: "ai", event: "AFTER INSERT", statements: [insert]),
                Trigger(suffix: "ad", event: "AFTER DELETE", statements: [delete]),
                Trigger(
                    suffix: "au", event: "AFTER UPDATE", columns: updated,
                    statements: [delete, insert]),
            ]
        }
    }

    /// The columns whose updates change the index: the indexed ones, those from which SQLite generates them, and
    /// the rowid under each of its names.
    private func updatedColumns(_ rowID: String) -> [String] {
        var names = indexedColumns
        func append(_ name: String) {
            if !names.contains(where: { ASCIICase.equal($0, name) }) { names.append(name) }
        }
        append(rowID)
        for name in ["rowid", "oid", "_rowid_"]
        where !contentTable.columns.contains(where: { ASCIICase.equal($0, name) }) {
            append(name)
        }
        let generated = db.raw.generatedColumns(in: contentTable.name)
        var position = 0
        while position < names.count {
            for (column, source) in generated where ASCIICase.equal(column, names[position]) {
                append(source)
            }
            position += 1
        }
        return names
    }

    /// `new."id", new."title"`
    private func values(_ row: String, _ rowID: String) -> [String] {
        ([rowID] + columns).map { "\(row).\($0.quotedDatabaseIdentifier)" }
    }

    private func list(_ elements: [String]) -> String {
        elements.joined(separator: ", ")
    }

    /// The text after `CREATE TRIGGER`, without the schema, as SQLite stores it.
    private func text(of trigger: Trigger) -> String {
        let columns = trigger.columns.map(\.quotedDatabaseIdentifier)
        return """
            \(Self.triggerName(tableName, trigger.suffix).quotedDatabaseIdentifier) \
            \(trigger.event)\(columns.isEmpty ? "" : " OF \(list(columns))") \
            ON \(contentTable.name.quotedDatabaseIdentifier) BEGIN
                \(trigger.statements.joined(separator: "\n    "))
            END
            """
    }

    private func create(_ trigger: Trigger) throws {
        // Qualified with the schema, because a temporary table of the same name would take
        // precedence.
        try db.execute(sql: "CREATE TRIGGER \(contentTable.schemaName).\(text(of: trigger))")
    }
}

extension Database {
    /// Drops the triggers that keep an FTS4 table up to date with its content table.
    ///
    /// Call this method after you have dropped the full-text table. Otherwise, the triggers remain,
    /// and all changes of the content table fail:
    ///
    /// ```swift
    /// try db.create(virtualTable: "book_ft", using: FTS4()) { t in
    ///     t.synchronize(withTable: "book")
    ///     t.column("title")
    /// }
    ///
    /// try db.drop(table: "book_ft")
    /// try db.dropFTS4SynchronizationTriggers(forTable: "book_ft")
    /// ```
    ///
    /// Missing triggers are ignored. Dropping a content table drops its triggers.
    ///
    /// - parameter tableName: the name of the full-text table.
    /// - throws: a ``DatabaseError``, of code `SQLITE_READONLY` in a read-only access.
    public func dropFTS4SynchronizationTriggers(forTable tableName: String) throws {
        try FullTextSynchronization.dropTriggers(self, .fts4, tableName)
    }

    /// Drops the triggers that keep an FTS5 table up to date with its content table.
    ///
    /// Call this method after you have dropped the full-text table. Otherwise, the triggers remain,
    /// and all changes of the content table fail:
    ///
    /// ```swift
    /// try db.create(virtualTable: "book_ft", using: FTS5()) { t in
    ///     t.synchronize(withTable: "book")
    ///     t.column("title")
    /// }
    ///
    /// try db.drop(table: "book_ft")
    /// try db.dropFTS5SynchronizationTriggers(forTable: "book_ft")
    /// ```
    ///
    /// Missing triggers are ignored. Dropping a content table drops its triggers.
    ///
    /// - parameter tableName: the name of the full-text table.
    /// - throws: a ``DatabaseError``, of code `SQLITE_READONLY` in a read-only access.
    public func dropFTS5SynchronizationTriggers(forTable tableName: String) throws {
        try FullTextSynchronization.dropTriggers(self, .fts5, tableName)
    }
}
