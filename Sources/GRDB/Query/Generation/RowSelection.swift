/// Which rows of a table are meant.
enum RowCondition {
    /// All rows.
    case all
    /// `"id" = ?`, without a value.
    case parameter(column: String)
    /// `"id" = 1`, `"id" IN (1, 2)`
    case keys(column: String, [DatabaseValue])
    /// `("a" = 1) AND ("b" = 2)`, and several of them joined with `OR`.
    case uniqueKeys([[(column: String, value: DatabaseValue)]])

    /// Writes ` WHERE …`.
    fileprivate func write(to writer: SQLWriter) throws {
        switch self {
        case .all:
            break
        case .parameter(let column):
            writer.append(sql: " WHERE \(column.quotedDatabaseIdentifier) = ?")
        case .keys(let column, let values):
            writer.append(sql: " WHERE ")
            try values.contains(Column(column)).write(to: writer)
        case .uniqueKeys(let keys):
            writer.append(sql: " WHERE ")
            for (index, key) in keys.enumerated() {
                if index > 0 { writer.append(sql: " OR ") }
                try write(key, inParentheses: keys.count > 1, to: writer)
            }
        }
    }

    private func write(
        _ key: [(column: String, value: DatabaseValue)], inParentheses: Bool,
        to writer: SQLWriter
    ) throws {
        if inParentheses { writer.append(sql: "(") }
        for (index, (column, value)) in key.enumerated() {
            if index > 0 { writer.append(sql: " AND ") }
            if key.count > 1 { writer.append(sql: "(") }
            writer.append(sql: column.quotedDatabaseIdentifier)
            try writer.append(equal: value)
            if key.count > 1 { writer.append(sql: ")") }
        }
        if inParentheses { writer.append(sql: ")") }
    }
}

extension SQLWriter {
    /// ` = ?`, or ` IS NULL`
    fileprivate func append(equal value: DatabaseValue) throws {
        if value.isNull {
            append(sql: " IS NULL")
        } else {
            append(sql: " = ")
            append(value: value)
        }
    }
}

/// `SELECT * FROM "table" WHERE "id" = 1`
struct RowSelection: SQLNode {
    var selection: [SQLSelection]
    var table: String
    var condition: RowCondition
    var limit: Int?

    func write(to writer: SQLWriter) throws {
        writer.append(sql: "SELECT ")
        try writer.append(list: selection.expanded(ofTable: .init(table), writer.context.db))
        writer.append(sql: " FROM \(table.quotedDatabaseIdentifier)")
        try condition.write(to: writer)
        if let limit {
            writer.append(sql: " LIMIT \(limit)")
        }
    }
}

/// `SELECT COUNT(*) FROM "table"`
struct RowCount: SQLNode {
    var table: String

    func write(to writer: SQLWriter) throws {
        writer.append(sql: "SELECT COUNT(*) FROM \(table.quotedDatabaseIdentifier)")
    }
}

/// `DELETE FROM "table" WHERE "id" = 1`
struct BatchDeletion: SQLNode {
    var table: String
    var condition: RowCondition

    func write(to writer: SQLWriter) throws {
        writer.append(sql: "DELETE FROM \(table.quotedDatabaseIdentifier)")
        try condition.write(to: writer)
    }
}

/// `SELECT EXISTS (SELECT * FROM "table" WHERE "id" = 1)`
struct SelectionExistence: SQLNode {
    var selection: RowSelection

    func write(to writer: SQLWriter) throws {
        writer.append(sql: "SELECT EXISTS (")
        try selection.write(to: writer)
        writer.append(sql: ")")
    }
}
