/// `INSERT INTO "table" ("a", "b") VALUES (?,?)`
struct InsertStatement: SQLNode {
    /// `ON CONFLICT DO UPDATE SET …`
    struct Upsert {
        /// The columns of the constraint that triggers the update; empty for any constraint.
        var conflictTarget: [String]
        var assignments: [ColumnAssignment]
    }

    var table: String
    var conflictResolution = Database.ConflictResolution.abort
    var columns: [String]
    /// The values of rows, or nil to leave the parameters of one row without a value.
    var rows: [[DatabaseValue]]?
    /// Other columns of the row.
    var assignments: [ColumnAssignment] = []
    var upsert: Upsert?
    var returning: [SQLSelection] = []

    func write(to writer: SQLWriter) throws {
        writer.append(sql: "INSERT")
        writer.append(conflictResolution)
        writer.append(sql: " INTO ")
        writer.append(sql: table.quotedDatabaseIdentifier)
        if columns.isEmpty, assignments.isEmpty {
            writer.append(sql: " DEFAULT VALUES")
        } else {
            try writeValues(to: writer)
        }
        try upsert?.write(to: writer)
        try writer.append(returning: returning, ofTable: .init(table))
    }

    private func writeValues(to writer: SQLWriter) throws {
        writer.append(sql: " (")
        let names = columns + assignments.map(\.columnName)
        writer.append(sql: names.map(\.quotedDatabaseIdentifier).joined(separator: ", "))
        writer.append(sql: ") VALUES ")
        let marks = databaseQuestionMarks(count: columns.count)
        for index in 0..<(rows?.count ?? 1) {
            writer.append(sql: index == 0 ? "(\(marks)" : ", (\(marks)")
            if let values = rows?[index] {
                try writer.append(
                    arguments: StatementArguments(values: values, namedValues: [:]))
            }
            for (position, assignment) in assignments.enumerated() {
                if position > 0 || !columns.isEmpty { writer.append(sql: ",") }
                try assignment.assignedValue.write(to: writer)
            }
            writer.append(sql: ")")
        }
    }
}

extension InsertStatement.Upsert {
    /// - parameters:
    ///     - columns: the inserted columns.
    ///     - keyColumns: those of the primary key.
    ///     - overwritesColumns: whether all inserted columns are overwritten, but those of the
    ///       primary key, of the conflict target, and those of the assignments.
    init(
        columns: [String], keyColumns: [String], conflictTarget: [String],
        assignments chosen: [ColumnAssignment], overwritesColumns: Bool
    ) {
        let excluded = TableAliasBase(name: "excluded")
        var assignments = chosen.filter { $0.value != nil }
        if overwritesColumns {
            let kept = Set(
                (keyColumns + conflictTarget + chosen.map(\.columnName))
                    .map { CaseInsensitiveIdentifier($0) })
            assignments += columns.filter { !kept.contains(CaseInsensitiveIdentifier($0)) }
                .map { Column($0).set(to: excluded[$0]) }
        }
        if assignments.isEmpty {
            // The row must be updated all the same: otherwise nothing is returned.
            let column = columns.first ?? keyColumns[0]
            assignments = [ColumnAssignment(columnName: column, value: nil)]
        }
        self.init(conflictTarget: conflictTarget, assignments: assignments)
    }

    /// ` ON CONFLICT("a") DO UPDATE SET "b" = "excluded"."b"`
    func write(to writer: SQLWriter) throws {
        // Without columns, there is no conflict to resolve with their values.
        writer.append(sql: " ON CONFLICT")
        if !conflictTarget.isEmpty {
            let target = conflictTarget.map(\.quotedDatabaseIdentifier)
            writer.append(sql: "(\(target.joined(separator: ", ")))")
        }
        writer.append(sql: " DO UPDATE SET ")
        for (index, assignment) in assignments.enumerated() {
            if index > 0 { writer.append(sql: ", ") }
            writer.append(sql: "\(assignment.columnName.quotedDatabaseIdentifier) = ")
            try assignment.assignedValue.write(to: writer)
        }
    }
}

extension ColumnAssignment {
    /// The assigned value; the column itself when it should not change.
    var assignedValue: SQLExpression {
        if let value { value } else { Column(columnName).sqlExpression }
    }
}

extension SQLWriter {
    /// ` OR REPLACE`, nothing for what SQLite does anyway.
    func append(_ conflictResolution: Database.ConflictResolution) {
        if conflictResolution != .abort {
            append(sql: " OR \(conflictResolution.rawValue)")
        }
    }

    /// ` RETURNING …`, nothing when nothing is selected.
    func append(
        returning selection: [SQLSelection], ofTable table: Relation.TableName
    ) throws {
        if selection.isEmpty { return }
        append(sql: " RETURNING ")
        try append(list: selection.expanded(ofTable: table, context.db))
    }

}
