import GRDB
import _GRDBSystem

/// The SQL statements of a table transformation.
///
/// ```swift
/// let plan = try db.transformationPlan(table: "player") { t in
///     t.setDefault(ofColumn: "score", to: 0)
/// }
/// print(plan.rebuildsTable) // true
/// print(plan)
/// // CREATE TABLE "main"."player_transformed" (...);
/// // INSERT OR ABORT INTO "main"."player_transformed" (...) SELECT ... FROM "main"."player";
/// // DROP TABLE "main"."player";
/// // ALTER TABLE "main"."player_transformed" RENAME TO "player";
/// ```
///
/// See ``GRDB/Database/transform(table:body:)`` and ``GRDB/Database/transformationPlan(table:body:)``.
public struct TableTransformationPlan: Hashable, Sendable {
    /// The name of the table.
    public let tableName: String

    /// Whether all rows are copied into a new table, which replaces the table.
    public let rebuildsTable: Bool

    /// The statements, in the order of execution.
    public let statements: [String]
}

extension TableTransformationPlan: CustomStringConvertible {
    /// The statements, one per line, each followed by a semicolon.
    public var description: String {
        statements.map { "\($0);" }.joined(separator: "\n")
    }
}

/// Plans and runs a transformation.
struct TableTransformer {
    let db: Database
    let table: DatabaseObjectID
    let transformation: TableTransformation

    /// A step of a plan.
    private enum Step {
        case run(String)
        /// The copy of all rows into a table with a temporary name.
        case copy(String, name: String)
        /// The end of the statements that need the settings of a rebuild.
        case endOfRebuild

        var sql: String? {
            switch self {
            case .run(let sql), .copy(let sql, _): sql
            case .endOfRebuild: nil
            }
        }
    }

    init(_ db: Database, _ name: String, _ transformation: TableTransformation) throws {
        self.db = db
        table = try db.existingTable(name)
        self.transformation = transformation
        guard let info = try db.tableOrView(name)?.info, info.sql != nil, !info.isVirtualTable,
            !Database.isReservedTableName(info.name)
        else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "can't transform table \(name): it is not an ordinary table")
        }
    }

    // MARK: - Running

    func plan() throws -> TableTransformationPlan {
        guard !transformation.renames.isEmpty else { return plan(try steps()) }
        var result: TableTransformationPlan?
        try db.inSavepoint {
            for statement in try renameStatements() { try db.execute(sql: statement) }
            result = plan(try steps())
            return .rollback
        }
        return result ?? plan([])
    }

    private func plan(_ steps: [Step]) -> TableTransformationPlan {
        TableTransformationPlan(
            tableName: table.name,
            rebuildsTable: steps.contains { if case .copy = $0 { true } else { false } },
            statements: ((try? renameStatements()) ?? []) + steps.compactMap(\.sql))
    }

    func run() throws -> TableTransformationPlan {
        var result = plan([])
        try db.inSavepoint {
            let failures = try db.schemaFailures()
            let violations = try violations()
            for statement in try renameStatements() { try db.execute(sql: statement) }
            let steps = try steps()
            result = plan(steps)
            if result.rebuildsTable {
                try rebuild(steps)
                // Rebuilding does not notify observers of the table: the rows were copied into
                // another table.
                try db.notifyChanges(in: DatabaseRegion(table: table.name))
            } else {
                for case .run(let sql) in steps { try db.execute(sql: sql) }
            }
            try db.checkSchema(after: failures, table.name)
            try check(violations)
            return .commit
        }
        return result
    }

    private func rebuild(_ steps: [Step]) throws {
        let end = steps.firstIndex { if case .endOfRebuild = $0 { true } else { false } }
        try db.disablingForeignKeys { _ in
            try db.withSettingsOfRebuilds {
                for step in steps[..<(end ?? steps.endIndex)] { try run(step) }
            }
        }
        // Triggers are recreated with the settings of the connection.
        for step in steps[(end ?? steps.endIndex)...] { try run(step) }
    }

    private func run(_ step: Step) throws {
        switch step {
        case .run(let sql):
            try db.execute(sql: sql)
        case .copy(let sql, let name):
            let count = try Int64.fetchOne(
                db, sql: "SELECT COUNT(*) FROM \(table.qualifiedName)")
            do {
                try db.execute(sql: sql)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                // The app does not know the temporary name.
                throw DatabaseError(
                    resultCode: error.extendedResultCode,
                    message: error.message.map {
                        $0.replacingText("\(name).", with: "\(table.name).")
                    }, sql: error.sql)
            }
            guard count == db.raw.changesCount else {
                throw DatabaseError(
                    resultCode: .SQLITE_CONSTRAINT,
                    message: """
                        can't transform table \(table.name): \(db.raw.changesCount) of \
                        \(count ?? 0) rows were copied
                        """)
            }
        case .endOfRebuild:
            break
        }
    }

    // MARK: - Foreign keys

    /// The violations of the foreign keys from and to the table.
    private struct Violations {
        /// The numbers of violations, by the names of the tables from and to which keys refer.
        var counts: [[CaseInsensitiveIdentifier]: Int] = [:]

        /// The tables with a foreign key that does not refer to a key, with the error of SQLite, which then
        /// checks none of their foreign keys.
        var mismatches: [CaseInsensitiveIdentifier: String] = [:]
    }

    /// - returns: no violations if the connection does not enforce foreign keys. Migrations that
    ///   disable foreign keys check them at the end.
    private func violations() throws -> Violations {
        guard db.raw.foreignKeysEnabled else { return Violations() }
        var result = Violations()
        let schema = table.schemaID.name
        for object in try db.schemaObjects(ofType: .table, in: schema)
        where !object.isVirtualTable && !Database.isReservedTableName(object.name) {
            let id = DatabaseObjectID(name: object.name, schemaID: table.schemaID)
            let keys = try db.foreignKeyDeclarations(of: id)
            guard
                id == table
                    || keys.contains(where: { ASCIICase.equal($0.destinationTable, table.name) })
            else { continue }
            let name = CaseInsensitiveIdentifier(object.name)
            do {
                let violations = try db.foreignKeyViolations(in: object.name, in: schema)
                while let violation = try violations.next() {
                    let target = CaseInsensitiveIdentifier(violation.destinationTable)
                    result.counts[[name, target], default: 0] += 1
                }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_ERROR {
                result.mismatches[name] = error.message ?? ""
            }
        }
        return result
    }

    /// Throws if there are more violations than before. Those of a table with a mismatched foreign key
    /// were not known.
    private func check(_ former: Violations) throws {
        let found = try violations()
        for (name, message) in found.mismatches where former.mismatches[name] == nil {
            throw DatabaseError(resultCode: .SQLITE_CONSTRAINT_FOREIGNKEY, message: message)
        }
        for (names, count) in found.counts
        where count > former.counts[names, default: 0] && former.mismatches[names[0]] == nil {
            let violations = try db.foreignKeyViolations(
                in: names[0].rawValue, in: table.schemaID.name)
            while let violation = try violations.next() {
                if CaseInsensitiveIdentifier(violation.destinationTable) == names[1] {
                    throw violation.databaseError(db)
                }
            }
        }
    }

    // MARK: - Planning

    private func renameStatements() throws -> [String] {
        try transformation.renames.map { name, newName in
            """
            ALTER TABLE \(table.qualifiedName) RENAME COLUMN \(try name.schemaIdentifier()) \
            TO \(try newName.schemaIdentifier())
            """
        }
    }

    private func steps() throws -> [Step] {
        guard !transformation.changes.isEmpty else { return [] }
        let object = try db.schemaObjects(in: table.schemaID).object(.table, named: table.name)
        guard let text = object?.sql.flatMap({ TableText($0) }) else {
            throw DatabaseError(
                message: "can't transform table \(table.name): unreadable definition")
        }
        let result = try transformation.result(db, of: text, table: table)
        return try cheapSteps(text) ?? rebuildSteps(from: text, result)
    }

    /// Returns the statements that change the table in place.
    ///
    /// - returns: nil if a change can't be made in place.
    private func cheapSteps(_ text: TableText) throws -> [Step]? {
        var steps: [Step] = []
        var text = text
        var droppedColumns: Set<CaseInsensitiveIdentifier> = []
        let head = "ALTER TABLE \(table.qualifiedName)"
        for change in transformation.changes {
            switch change {
            case .drop(let name):
                guard let index = text.index(of: name), text.canDropColumn(at: index),
                    try canCompileSchema()
                else { return nil }
                droppedColumns.insert(CaseInsensitiveIdentifier(name))
                steps.append(.run("\(head) DROP COLUMN \(name.quotedDatabaseIdentifier)"))
                text.columns.remove(at: index)
            case .add(let definition):
                guard definition.indexing == nil else { return nil }
                let definition = try definition.text(ReferenceResolver(db: db))
                guard let column = TableText.addableColumn(definition) else { return nil }
                // `exists` would test conditions on the dropped column of the same name.
                if droppedColumns.contains(CaseInsensitiveIdentifier(column.name)) { return nil }
                steps.append(.run("\(head) ADD COLUMN \(definition)"))
                text.columns.append(column)
            case .addSQL(let literal):
                let definition = try db.schemaText(literal)
                guard let column = TableText.addableColumn(definition) else { return nil }
                // `exists` would test conditions on the dropped column of the same name.
                if droppedColumns.contains(CaseInsensitiveIdentifier(column.name)) { return nil }
                steps.append(.run("\(head) ADD COLUMN \(definition)"))
                text.columns.append(column)
            case .notNull(let name, _):
                guard let index = text.index(of: name) else { return nil }
                if text.columns[index].constraint(.notNull) != nil { continue }
                let column = text.columns[index].name.quotedDatabaseIdentifier
                guard text.columns[index].constraint(.null) == nil,
                    !exists("\(table.name.quotedDatabaseIdentifier).\(column) IS NULL")
                else { return nil }
                steps.append(.run("\(head) ALTER COLUMN \(column) SET NOT NULL"))
            case .nullable(let name):
                guard let index = text.index(of: name) else { return nil }
                if text.columns[index].constraint(.notNull) == nil { continue }
                let column = name.quotedDatabaseIdentifier
                steps.append(.run("\(head) ALTER COLUMN \(column) DROP NOT NULL"))
                text.columns[index].remove { $0.kind == .notNull }
            case .check(let name, let node):
                // `ALTER TABLE ADD CHECK` rejects rows for which the check is NULL, though checks
                // accept them.
                let condition = try db.schemaText(node)
                guard !exists("(\(condition)) IS NULL") else { return nil }
                let constraint = name.map { "CONSTRAINT \($0.quotedDatabaseIdentifier) " } ?? ""
                steps.append(.run("\(head) ADD \(constraint)CHECK (\(condition))"))
            default:
                return nil
            }
        }
        return steps
    }

    /// Returns whether all views and triggers compile. Otherwise, `ALTER TABLE DROP COLUMN` fails.
    private func canCompileSchema() throws -> Bool {
        try db.schemaFailures().allSatisfy { subject, message in
            // The view has triggers, but can't be changed by all kinds of statements.
            !subject.hasPrefix("view ") && message.hasSuffix("because it is a view")
        }
    }

    /// Returns whether a row satisfies the condition, or true if the query fails.
    private func exists(_ condition: String) -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM \(table.qualifiedName) WHERE \(condition))"
        return (try? Bool.fetchOne(db, sql: sql)) ?? true
    }

    private func rebuildSteps(
        from old: TableText, _ result: TableTransformation.Result
    ) throws -> [Step] {
        let schema = table.schemaID.name.quotedDatabaseIdentifier
        let newTable = try DatabaseObjectID(name: unusedName(), schemaID: table.schemaID)
        var new = result.text
        new.replaceQuotedStrings(columns: old.columns.map(\.name) + new.columns.map(\.name))
        new.removeQualifiers(table)

        var steps: [Step] = [.run(new.statement(creating: newTable.qualifiedName))]
        steps.append(.copy(try copy(old, new, result, newTable), name: newTable.name))
        if old.isAutoincremented, new.isAutoincremented {
            // The largest rowid ever used may be larger than those in use.
            let name = try db.schemaText("\(newTable.name)" as SQL)
            steps.append(.run("DELETE FROM \(schema).sqlite_sequence WHERE name = \(name)"))
            steps.append(
                .run(
                    """
                    INSERT INTO \(schema).sqlite_sequence (name, seq) \
                    SELECT \(name), seq FROM \(schema).sqlite_sequence \
                    WHERE name = \(try db.schemaText("\(table.name)" as SQL))
                    """))
        }

        let dependents = try dependents()
        let names = dependents.filter { $0.info.kind == .index }.map(\.info.name)
        let statistics = try statistics(indexes: names)
        let keepsKey = old.withoutRowIDKey.map { $0 == new.withoutRowIDKey } ?? false
        for name in statistics {
            steps.append(
                .run(try retag(name, from: table, to: newTable, indexes: names, keepsKey)))
        }
        steps.append(.run("DROP TABLE \(table.qualifiedName)"))
        steps.append(
            .run(
                "ALTER TABLE \(newTable.qualifiedName) RENAME TO "
                    + table.name.quotedDatabaseIdentifier))
        for (info, schemaID) in dependents where info.kind == .index {
            guard let sql = info.sql else { continue }
            let columns = new.columns.map(\.name) + result.droppedColumns
            steps.append(
                .run(
                    SQLToken.replacingQuotedStrings(
                        in: recreation(sql, "INDEX", schemaID), columns: columns)))
        }
        steps.append(.endOfRebuild)
        for sql in result.indexes { steps.append(.run(sql)) }
        for (info, schemaID) in dependents where info.kind == .trigger {
            guard let sql = info.sql else { continue }
            try check(
                trigger: info, sql, result.droppedColumns.filter { new.index(of: $0) == nil })
            steps.append(.run(recreation(sql, "TRIGGER", schemaID)))
        }
        for name in statistics {
            steps.append(
                .run(try retag(name, from: newTable, to: table, indexes: names, keepsKey)))
        }
        if !statistics.isEmpty { steps.append(.run("ANALYZE \(schema).sqlite_master")) }
        return steps
    }

    /// Returns a temporary name for the new table.
    private func unusedName() throws -> String {
        let objects = try db.schemaObjects(in: table.schemaID).all
        var name = "\(table.name)_transformed"
        var number = 1
        while objects.contains(where: { ASCIICase.equal($0.name, name) }) {
            number += 1
            name = "\(table.name)_transformed\(number)"
        }
        return name
    }

    /// Returns the statement that copies the rows.
    private func copy(
        _ old: TableText, _ new: TableText, _ result: TableTransformation.Result,
        _ newTable: DatabaseObjectID
    ) throws -> String {
        var targets: [String] = []
        var values: [String] = []
        let rowIDColumn = new.rowIDColumn
        var copiesRowID = false
        for column in new.columns where !column.isGenerated {
            let name = column.name.quotedDatabaseIdentifier
            var value: String
            let identifier = CaseInsensitiveIdentifier(column.name)
            if let content = result.contents[identifier] {
                value = "(\(content))"
            } else if old.index(of: column.name) != nil,
                !result.droppedColumns.contains(where: { ASCIICase.equal($0, column.name) })
            {
                value = name
            } else if result.fillers[identifier] != nil, column.constraint(.defaultValue) == nil {
                // The column is new, and NULL is replaced with the filler.
                value = "NULL"
            } else {
                continue
            }
            if let filler = result.fillers[identifier] { value = "IFNULL(\(value), \(filler))" }
            if let rowIDColumn, ASCIICase.equal(rowIDColumn, column.name) {
                copiesRowID = true
                // SQLite would generate a rowid for NULL.
                let isOldKey = old.rowIDColumn.map { ASCIICase.equal($0, column.name) } ?? false
                if !isOldKey || result.contents[identifier] != nil,
                    try Bool.fetchOne(
                        db,
                        sql: """
                            SELECT EXISTS (SELECT 1 FROM \(table.qualifiedName) \
                            WHERE \(value) IS NULL)
                            """) == true
                {
                    throw DatabaseError(
                        resultCode: .SQLITE_CONSTRAINT_NOTNULL,
                        message: "NOT NULL constraint failed: \(table.name).\(column.name)")
                }
            }
            targets.append(name)
            values.append(value)
        }
        if !copiesRowID, old.hasRowID, new.hasRowID, let oldName = old.rowIDName ?? old.rowIDColumn,
            let newName = new.rowIDName ?? rowIDColumn
        {
            // Keep the rowids: full-text indexes and apps may refer to them.
            targets.insert(newName.quotedDatabaseIdentifier, at: 0)
            values.insert(oldName.quotedDatabaseIdentifier, at: 0)
        }
        if targets.isEmpty {
            // All remaining columns are generated or added.
            guard let column = new.columns.first(where: { !$0.isGenerated }) else {
                throw DatabaseError(
                    resultCode: .SQLITE_MISUSE,
                    message: "can't transform table \(table.name): it would have no column")
            }
            targets = [column.name.quotedDatabaseIdentifier]
            values = ["NULL"]
        }
        // OR ABORT overrides conflict clauses of the table that could drop rows.
        return """
            INSERT OR ABORT INTO \(newTable.qualifiedName) (\(targets.joined(separator: ", "))) \
            SELECT \(values.joined(separator: ", ")) FROM \(table.qualifiedName)
            """
    }

    // MARK: - Indexes and triggers

    /// Returns the indexes and triggers of the table, including temporary triggers.
    private func dependents() throws -> [(info: SchemaObjectInfo, schemaID: DatabaseSchemaID)] {
        let schemaIDs = table.schemaID == .temp ? [.temp] : [table.schemaID, .temp]
        return try schemaIDs.flatMap { schemaID in
            try db.schemaObjects(in: schemaID).all.filter { object in
                guard
                    object.kind == .index && schemaID == table.schemaID
                        || object.kind == .trigger
                else { return false }
                guard object.sql != nil, ASCIICase.equal(object.tableName, table.name) else {
                    return false
                }
                return try schemaID == table.schemaID || isTriggerOfTable(object)
            }.map { ($0, schemaID) }
        }
    }

    /// Returns whether a temporary trigger belongs to this table, and not to another table of the
    /// same name.
    private func isTriggerOfTable(_ trigger: SchemaObjectInfo) throws -> Bool {
        let tokens = SQLToken.tokens(of: trigger.sql ?? "")
        guard let index = tokens.firstIndex(where: { $0.isWord("ON") }), index + 2 < tokens.count
        else { return false }
        if tokens[index + 2].kind == .dot {
            return DatabaseSchemaID.attached(tokens[index + 1].name) == table.schemaID
        }
        return try db.existingTableOrView(table.name) == table
    }

    /// Returns the statement that creates an index or trigger again, in its schema.
    private func recreation(
        _ sql: String, _ kind: String, _ schemaID: DatabaseSchemaID
    ) -> String {
        let tokens = SQLToken.tokens(of: sql)
        guard let index = tokens.firstIndex(where: { $0.isWord(kind) }), index + 1 < tokens.count
        else { return sql }
        let bytes = Array(sql.utf8)
        let start = tokens[index + 1].range.lowerBound
        return String(decoding: bytes[..<start], as: UTF8.self)
            + schemaID.name.quotedDatabaseIdentifier + "."
            + String(decoding: bytes[start...], as: UTF8.self)
    }

    /// Throws if a trigger on updates of a dropped column would never run again. SQLite does not
    /// report this.
    private func check(
        trigger: SchemaObjectInfo, _ sql: String, _ droppedColumns: [String]
    ) throws {
        let tokens = SQLToken.tokens(of: sql)
        guard let end = tokens.firstIndex(where: { $0.isWord("ON") }),
            let start = tokens[..<end].indices.dropFirst().first(where: {
                tokens[$0].isWord("OF") && tokens[$0 - 1].isWord("UPDATE")
            })
        else { return }
        for token in tokens[start..<end] {
            if droppedColumns.contains(where: { ASCIICase.equal($0, token.name) }) {
                throw DatabaseError(
                    message: """
                        can't transform table \(table.name): trigger \(trigger.name) uses column \
                        \(token.name)
                        """)
            }
        }
    }

    // MARK: - Statistics

    /// Returns the tables of `ANALYZE` that have statistics of the table.
    private func statistics(indexes: [String]) throws -> [String] {
        let names = try db.schemaObjects(in: table.schemaID).all.map(\.name)
        return try ["sqlite_stat1", "sqlite_stat4"].filter { name in
            guard names.contains(name) else { return false }
            let schema = table.schemaID.name.quotedDatabaseIdentifier
            return try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM \(schema).\(name) WHERE tbl = ?)",
                arguments: [table.name]) == true
        }
    }

    /// Returns the statement that assigns statistics to another table, because dropping a table
    /// also deletes its statistics.
    ///
    /// - parameter keepsKey: whether to keep the statistics of the key of a table without rowid, which has
    ///   the name of the table.
    private func retag(
        _ statistics: String, from old: DatabaseObjectID, to new: DatabaseObjectID,
        indexes: [String], _ keepsKey: Bool
    ) throws -> String {
        let (oldName, newName) = try (
            db.schemaText("\(old.name)" as SQL), db.schemaText("\(new.name)" as SQL)
        )
        var list = try indexes.map { try db.schemaText("\($0)" as SQL) }
        if keepsKey { list.append(oldName) }
        let index = keepsKey ? ", idx = CASE idx WHEN \(oldName) THEN \(newName) ELSE idx END" : ""
        return """
            UPDATE \(table.schemaID.name.quotedDatabaseIdentifier).\(statistics) \
            SET tbl = \(newName)\(index) WHERE tbl = \(oldName) \
            AND (idx IS NULL OR idx IN (\(list.joined(separator: ", "))))
            """
    }
}
