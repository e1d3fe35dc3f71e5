// The conditions on primary and unique keys.

/// A list of keys with the same columns.
private struct KeyList {
    /// The columns whose values are not NULL.
    let columns: [String]
    let nullColumns: [String]

    /// The values of `columns`, in order.
    var values: [[DatabaseValue]] = []

    /// Whether a key has the same columns, and NULL in the same columns.
    func accepts(_ key: [String: DatabaseValue]) -> Bool {
        key.count == columns.count + nullColumns.count
            && columns.allSatisfy { key[$0].map { !$0.isNull } ?? false }
            && nullColumns.allSatisfy { key[$0].map(\.isNull) ?? false }
    }

    mutating func append(_ key: [String: DatabaseValue]) {
        values.append(columns.map { key[$0]! })
    }

    var condition: SQLExpression {
        var conditions = nullColumns.map { Column($0) == DatabaseValue.null }
        if !columns.isEmpty { conditions.append(keyCondition(columns, values)) }
        return conditions.joined(operator: .and)
    }
}

/// Returns the condition that columns have the values of one of the keys.
///
/// - parameter keys: the values of the columns, in order. None is NULL.
func keyCondition(_ columns: [String], _ keys: [[DatabaseValue]]) -> SQLExpression {
    if columns.count == 1 {
        return keys.map { $0[0] }.contains(Column(columns[0]))
    }
    if keys.count == 1 {
        return rowCondition(columns, keys[0])
    }
    let operand = SQLExpression(RowValue(expressions: columns.map { Column($0).sqlExpression }))
    return keys.map { SQLExpression(RowValue(expressions: $0.map { $0.sqlExpression })) }
        .contains(operand)
}

/// Returns the condition that columns have the values of a key, in order.
@inline(never)  // 2 KB
func rowCondition(_ columns: [String], _ key: [DatabaseValue]) -> SQLExpression {
    zip(columns, key).map { Column($0) == $1 }.joined(operator: .and)
}

extension PrimaryKeyInfo {
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` unless the primary key has one column.
    func singleColumn(table: String) throws -> String {
        if columns.count == 1 { return columns[0] }
        throw DatabaseError(
            misuse: """
                Filtering by primary key requires a single-column primary key in the table '\(table)'
                """)
    }

    /// Refuses a key that no row can have: a rowid is never a blob.
    ///
    /// Records with UUIDs, and a table whose primary key is another column, would otherwise never be found.
    ///
    /// - throws: a ``DatabaseError`` of code `SQLITE_MISMATCH`, as for an insertion of such a key.
    func checkKey(_ value: DatabaseValue, table: String) throws {
        guard isRowID, case .blob = value.storage else { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISMATCH,
            message: """
                The key is a blob, such as a UUID, but the primary key of the table '\(table)' is the \
                integer '\(columns[0])'
                """)
    }
}

extension Database {
    /// Returns the condition that the primary key is one of the values.
    ///
    /// - throws: a ``DatabaseError``: of code `SQLITE_MISUSE` if the primary key has several columns, of
    ///   code `SQLITE_MISMATCH` if a value is a blob, and the key an integer.
    func keyCondition(
        _ values: [DatabaseValue], onTable table: Relation.TableName
    ) throws -> SQLExpression {
        // No key equals NULL. Among other values, NULL has no effect.
        if values.isEmpty || (values.count == 1 && values[0].isNull) {
            return false.sqlExpression
        }
        let primaryKey = try primaryKey(table.name, in: table.schema)
        let column = try Column(primaryKey.singleColumn(table: table.name))
        for value in values { try primaryKey.checkKey(value, table: table.name) }
        return values.count == 1 ? column == values[0] : values.contains(column)
    }

    /// Returns the condition that a row has one of the primary or unique keys.
    ///
    /// - throws: a ``DatabaseError``: of code `SQLITE_MISUSE` if the columns don't contain a unique
    ///   key.
    func uniqueKeyCondition(
        _ keys: [[String: DatabaseValue]], onTable table: Relation.TableName
    ) throws -> SQLExpression {
        if keys.isEmpty { return false.sqlExpression }
        let names = try columns(in: table.name, in: table.schema).map(\.name)
        // Dictionaries have no order: use the column order of the table.
        func sorted(_ columns: some Collection<String>) -> [String] {
            func index(_ name: String) -> Int {
                names.firstIndex { ASCIICase.equal($0, name) } ?? names.count
            }
            return columns.ordered { (index($0), $0) < (index($1), $1) }
        }
        if keys.count < ValueArrays.minimumCount {
            return try keys.map { key in
                try checkUniqueKey(Array(key.keys), in: table)
                return sorted(key.keys).map { Column($0) == key[$0]! }.joined(operator: .and)
            }
            .joined(operator: .or)
        }
        // Group many keys into few lists, each with the keys of the same columns, and NULL in the
        // same columns.
        var lists: [KeyList] = []
        for key in keys {
            if let index = lists.firstIndex(where: { $0.accepts(key) }) {
                lists[index].append(key)
                continue
            }
            try checkUniqueKey(Array(key.keys), in: table)
            let columns = sorted(key.keys)
            var list = KeyList(
                columns: columns.filter { !key[$0]!.isNull },
                nullColumns: columns.filter { key[$0]!.isNull })
            list.append(key)
            lists.append(list)
        }
        return lists.map(\.condition).joined(operator: .or)
    }

    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` unless the columns identify a row.
    func checkUniqueKey(_ columns: [String], in table: Relation.TableName) throws {
        if try containsUniqueKey(columns, in: table) { return }
        throw DatabaseError(
            misuse: """
                table \(table.name) has no unique index on columns \
                \(columns.ordered().joined(separator: ", "))
                """)
    }

    /// Whether at most one row has given values in the columns, because they contain a unique key.
    func containsUniqueKey(_ columns: [String], in table: Relation.TableName) throws -> Bool {
        try containsUniqueKey(columns, in: table.name, table.schema)
    }

    /// Whether at most one row has given values in the columns, even if these values are NULL: a unique index
    /// accepts many NULLs.
    @inline(never)
    func identifiesRows(_ columns: [String], in table: Relation.TableName) throws -> Bool {
        try containsUniqueKey(columns.filter { try isNeverNull($0, in: table) }, in: table)
    }

    /// Whether a column can't contain NULL.
    func isNeverNull(_ column: String, in table: Relation.TableName) throws -> Bool {
        let columns = try columns(in: table.name, in: table.schema)
        guard let info = columns.first(where: { ASCIICase.equal($0.name, column) }) else {
            // The rowid.
            return true
        }
        if info.isNotNull { return true }
        let key = try primaryKey(table.name, in: table.schema)
        if key.tableHasRowID {
            return key.rowIDColumn.map { ASCIICase.equal($0, column) } ?? false
        }
        return key.columns.contains { ASCIICase.equal($0, column) }
    }
}
