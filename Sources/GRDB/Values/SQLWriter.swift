/// Collects the SQL text and the arguments of a statement.
///
/// This much of it stands here, because values, which are the lowest nodes of SQL trees, write
/// themselves as well. All writers are generation contexts, which know the tables of the statement.
class SQLWriter {
    /// How values appear in the SQL text.
    enum ValueStyle {
        /// As `?`, with an argument.
        case placeholder
        /// As a literal, where SQLite accepts no parameter: in the definition of views, say.
        case literal
    }

    final let valueStyle: ValueStyle

    @exclusivity(unchecked)
    final private(set) var sql = ""

    @exclusivity(unchecked)
    final private(set) var arguments = StatementArguments()

    /// The quoted name of the table that columns belong to, with its period. Nil where it needs not
    /// be told.
    @exclusivity(unchecked)
    final var qualifier: String?

    init(valueStyle: ValueStyle) {
        self.valueStyle = valueStyle
        sql.reserveCapacity(128)
    }

    final func append(sql: String) {
        self.sql += sql
    }

    /// Writes a quoted name.
    final func append(identifier: String) {
        sql += "\""
        if identifier.utf8.contains(UInt8(ascii: "\"")) {
            // By scalars: a quote and a combining character are one Swift character.
            for scalar in identifier.unicodeScalars {
                sql.unicodeScalars.append(scalar)
                if scalar == "\"" { sql.unicodeScalars.append(scalar) }
            }
        } else {
            sql += identifier
        }
        sql += "\""
    }

    /// Writes the name of a column, qualified where the table must be told.
    final func append(column: String) {
        if let qualifier {
            sql += qualifier
        }
        append(identifier: column)
    }

    /// Has columns written in the closure belong to a table, or to none that must be told.
    final func withQualifier(_ qualifier: String?, _ body: () throws -> Void) rethrows {
        let former = self.qualifier
        self.qualifier = qualifier
        defer { self.qualifier = former }
        try body()
    }

    /// Writes a placeholder or a literal for the value.
    final func append(value: DatabaseValue) {
        switch (valueStyle, value.storage) {
        case (_, .null):
            sql += "NULL"
        case (.placeholder, _):
            sql += "?"
            arguments.values.append(value)
        case (.literal, _):
            sql += value.sqlLiteral
        }
    }

    /// Writes a placeholder for an array, the argument of the `carray` table-valued function.
    ///
    /// - precondition: values are written as placeholders.
    final func append(array: ArrayArgument) {
        sql += "?"
        arguments.append(array)
    }

    /// Adds the arguments of SQL that has its own placeholders.
    final func append(arguments newArguments: StatementArguments) throws {
        if newArguments.isEmpty { return }
        guard valueStyle == .placeholder else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "SQL with arguments can't be used where literals are required",
                sql: sql)
        }
        let replaced = arguments.append(contentsOf: newArguments)
        for (name, value) in replaced where arguments.namedValues[name] != value {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: "already defined statement argument: \(name)", sql: sql)
        }
    }

    /// Writes nodes with commas between them.
    final func append(list nodes: some Sequence<some SQLNode>, separator: String = ", ") throws {
        var isFirst = true
        for node in nodes {
            if !isFirst { sql += separator }
            isFirst = false
            try node.write(to: self)
        }
    }
}
