/// `INSERT INTO "table" ("a", "b") VALUES (?,?)`
struct InsertStatement: SQLFragment {
    enum Source {
        /// `DEFAULT VALUES`
        case defaultValues
        /// The parameters of one row, whose values are bound later.
        case parameters
        /// One or more rows of records: the values of the first columns, and the assignments of the
        /// other columns, which are the same for all rows.
        case values([[DatabaseValue]], assignments: [ColumnAssignment])
    }

    /// `ON CONFLICT DO UPDATE SET …`
    struct Upsert: SQLFragment {
        /// The columns of the constraint that triggers the update; empty for any constraint.
        var conflictTarget: [String]
        var assignments: [ColumnAssignment]
    }

    var table: Relation.TableName
    var conflictResolution = Database.ConflictResolution.abort
    /// The columns that the rows have values for; empty for all columns of the table.
    var columns: [String] = []
    var source: Source
    var upsert: Upsert?
    var returning: [SQLSelection] = []

    func write(to writer: SQLWriter) throws {
        writer.append(sql: "INSERT")
        writer.append(conflictResolution)
        writer.append(sql: " INTO ")
        writer.append(nameOf: table)
        if !columns.isEmpty {
            let names = columns.map(\.quotedDatabaseIdentifier)
            writer.append(sql: " (\(names.joined(separator: ", ")))")
        }
        switch source {
        case .defaultValues:
            writer.append(sql: " DEFAULT VALUES")
        case .parameters:
            writer.append(sql: " VALUES (\(databaseQuestionMarks(count: columns.count)))")
        case .values(let rows, let assignments):
            writer.append(sql: " VALUES ")
            for (index, values) in rows.enumerated() {
                if index > 0 { writer.append(sql: ", ") }
                try writer.append(values, assignments)
            }
        }
        try upsert?.write(to: writer)
        try writer.append(returning: returning, ofTable: table)
    }
}

extension InsertStatement {
    /// Creates an insertion of records.
    ///
    /// - parameters:
    ///     - rows: the values of the records; nil for the parameters of one record, whose values
    ///       are bound later.
    ///     - assignments: assignments of other columns, for all rows.
    init(
        intoTable table: String,
        onConflict conflictResolution: Database.ConflictResolution = .abort,
        columns: [String], rows: [[DatabaseValue]]?, assignments: [ColumnAssignment] = []
    ) {
        let allColumns = columns + assignments.map(\.columnName)
        let source: Source =
            if allColumns.isEmpty {
                .defaultValues
            } else if let rows {
                .values(rows, assignments: assignments)
            } else {
                .parameters
            }
        self.init(
            table: .init(table), conflictResolution: conflictResolution, columns: allColumns,
            source: source)
    }
}

extension InsertStatement.Upsert {
    /// - parameters:
    ///     - columns: the inserted columns.
    ///     - keyColumns: the columns of the primary key.
    ///     - overwritesColumns: whether all inserted columns are overwritten, except for the
    ///       columns of the primary key, the conflict target, and the assignments.
    init(
        columns: [String], keyColumns: [String], conflictTarget: [String],
        assignments chosen: [ColumnAssignment], overwritesColumns: Bool
    ) {
        let excluded = TableAliasBase(name: "excluded")
        var assignments = chosen.filter { !$0.keepsValue }
        if overwritesColumns {
            let kept = Set(
                (keyColumns + conflictTarget + chosen.map(\.columnName))
                    .map { CaseInsensitiveIdentifier($0) })
            assignments += columns.filter { !kept.contains(CaseInsensitiveIdentifier($0)) }
                .map { Column($0).set(to: excluded[$0]) }
        }
        if assignments.isEmpty {
            // Update the row anyway: otherwise, `RETURNING` returns nothing.
            let column = columns.first ?? keyColumns[0]
            assignments = [Column(column).noOverwrite]
        }
        self.init(conflictTarget: conflictTarget, assignments: assignments)
    }

    /// ` ON CONFLICT("a") DO UPDATE SET "b" = "excluded"."b"`
    func write(to writer: SQLWriter) throws {
        // Without a conflict target, the clause applies to all constraints.
        writer.append(sql: " ON CONFLICT")
        if !conflictTarget.isEmpty {
            let target = conflictTarget.map(\.quotedDatabaseIdentifier)
            writer.append(sql: "(\(target.joined(separator: ", ")))")
        }
        writer.append(sql: " DO UPDATE SET ")
        try writer.append(list: assignments)
    }
}

extension SQL {
    /// ` ON CONFLICT("a") DO UPDATE SET "b" = "excluded"."b"`, for GRDBQueries.
    package init(
        upserting columns: [String], keyColumns: [String], conflictTarget: [String],
        assignments: [ColumnAssignment], overwritesColumns: Bool
    ) {
        self.init()
        append(
            EmbeddedFragment(
                fragment: InsertStatement.Upsert(
                    columns: columns, keyColumns: keyColumns, conflictTarget: conflictTarget,
                    assignments: assignments, overwritesColumns: overwritesColumns)))
    }
}

extension ColumnAssignment: SQLFragment {
    func write(to writer: SQLWriter) throws {
        // Assigned columns are not qualified.
        writer.append(identifier: columnName)
        writer.append(sql: " = ")
        try value.write(to: writer)
    }
}

extension SQLWriter {
    /// `"schema"."table"`
    func append(nameOf table: Relation.TableName) {
        if let schema = table.schema {
            append(identifier: schema)
            append(sql: ".")
        }
        append(identifier: table.name)
    }

    /// ` OR REPLACE`, or nothing for the default of SQLite.
    func append(_ conflictResolution: Database.ConflictResolution) {
        if conflictResolution != .abort {
            append(sql: " OR \(conflictResolution.rawValue)")
        }
    }

    /// `(?,?)`
    fileprivate func append(_ values: [DatabaseValue], _ assignments: [ColumnAssignment]) throws {
        append(sql: "(\(databaseQuestionMarks(count: values.count))")
        try append(arguments: StatementArguments(values: values))
        for (index, assignment) in assignments.enumerated() {
            if index > 0 || !values.isEmpty { append(sql: ",") }
            try assignment.value.write(to: self)
        }
        append(sql: ")")
    }

    /// ` RETURNING …`, or nothing if the selection is empty.
    func append(
        returning selection: [SQLSelection], ofTable table: Relation.TableName
    ) throws {
        if selection.isEmpty { return }
        append(sql: " RETURNING ")
        try append(list: selection.expanded(ofTable: table, context.db))
    }
}
