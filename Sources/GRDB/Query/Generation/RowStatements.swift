// The statements on one row, identified by its primary key. `PersistencePlan` keeps them compiled.

/// `UPDATE "table" SET "a"=?, "b"=? WHERE "id"=?`
struct UpdateStatement: SQLFragment {
    var table: String
    var conflictResolution = Database.ConflictResolution.abort
    var columns: [String]
    var keyColumns: [String]
    /// The values of `columns`, then the values of the key.
    var values: [DatabaseValue]
    /// Assignments of other columns of the row.
    var assignments: [ColumnAssignment] = []
    var returning: [SQLSelection] = []

    func write(to writer: SQLWriter) throws {
        writer.append(sql: "UPDATE")
        writer.append(conflictResolution)
        writer.append(sql: " \(table.quotedDatabaseIdentifier) SET ")
        let parameters = columns.map { "\($0.quotedDatabaseIdentifier)=?" }
        writer.append(sql: parameters.joined(separator: ", "))
        try writer.append(
            arguments: StatementArguments(
                values: Array(values.prefix(columns.count))))
        for (index, assignment) in assignments.enumerated() {
            if index > 0 || !columns.isEmpty { writer.append(sql: ", ") }
            writer.append(sql: "\(assignment.columnName.quotedDatabaseIdentifier)=")
            try assignment.value.write(to: writer)
        }
        try writer.append(
            keyColumns: keyColumns, key: Array(values.dropFirst(columns.count)))
        try writer.append(returning: returning, ofTable: .init(table))
    }
}

/// A statement on the row with a key: its text before and after the condition.
struct KeyedStatement: SQLFragment {
    let head: String
    var tail = ""
    let keyColumns: [String]
    let key: [DatabaseValue]

    func write(to writer: SQLWriter) throws {
        writer.append(sql: head)
        try writer.append(keyColumns: keyColumns, key: key)
        writer.append(sql: tail)
    }
}

extension SQLWriter {
    /// ` WHERE "a"=? AND "b"=?`
    fileprivate func append(keyColumns: [String], key: [DatabaseValue]) throws {
        let conditions = keyColumns.map { "\($0.quotedDatabaseIdentifier)=?" }
        append(sql: " WHERE \(conditions.joined(separator: " AND "))")
        try append(arguments: StatementArguments(values: key))
    }
}
