// The conditions on primary and unique keys.

extension Database {
    /// The condition on the primary key: one of the values.
    ///
    /// - throws: a ``DatabaseError``: of code `SQLITE_MISUSE` if the primary key has several columns.
    func keyCondition(
        _ values: [DatabaseValue], onTable table: Relation.TableName
    ) throws -> SQLExpression {
        // No key equals NULL. Beside other values, NULL changes nothing.
        if values.isEmpty || (values.count == 1 && values[0].isNull) {
            return false.sqlExpression
        }
        let primaryKey = try primaryKey(table.name, in: table.schema)
        guard primaryKey.columns.count == 1 else {
            throw DatabaseError(
                resultCode: .SQLITE_MISUSE,
                message: """
                    Filtering by primary key requires a single-column primary key in the table \
                    '\(table.name)'
                    """)
        }
        return values.contains(Column(primaryKey.columns[0]))
    }

    /// The condition on primary or unique keys: one of them.
    ///
    /// - throws: a ``DatabaseError``: of code `SQLITE_MISUSE` if the columns are not those of a
    ///   unique key.
    func uniqueKeyCondition(
        _ keys: [[String: DatabaseValue]], onTable table: Relation.TableName
    ) throws -> SQLExpression {
        if keys.isEmpty { return false.sqlExpression }
        let columns = try columns(in: table.name, in: table.schema).map(\.name)
        func index(_ name: String) -> Int {
            columns.firstIndex { ASCIICase.equal($0, name) } ?? columns.count
        }
        if let condition = try manyKeysCondition(keys, onTable: table) { return condition }
        return try keys.map { key in
            try checkUniqueKey(Array(key.keys), in: table)
            // Dictionaries have no order: the columns get that of the table.
            return
                key
                .sorted { (index($0.key), $0.key) < (index($1.key), $1.key) }
                .map { Column($0.key) == $0.value }
                .joined(operator: .and)
        }
        .joined(operator: .or)
    }

    /// The condition on many keys of the same column, as few parameters; nil for other keys.
    private func manyKeysCondition(
        _ keys: [[String: DatabaseValue]], onTable table: Relation.TableName
    ) throws -> SQLExpression? {
        guard keys.count >= ValueArrays.minimumCount, let name = keys[0].keys.first else {
            return nil
        }
        var values: [DatabaseValue] = []
        values.reserveCapacity(keys.count)
        var hasNull = false
        for key in keys {
            guard key.count == 1, let value = key[name] else { return nil }
            if value.isNull {
                hasNull = true
            } else {
                values.append(value)
            }
        }
        try checkUniqueKey([name], in: table)
        let condition = values.contains(Column(name))
        return hasNull ? condition || Column(name) == nil : condition
    }

    /// - throws: a ``DatabaseError`` of code `SQLITE_MISUSE` unless the columns identify a row.
    func checkUniqueKey(_ columns: [String], in table: Relation.TableName) throws {
        if try containsUniqueKey(columns, in: table) { return }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                table \(table.name) has no unique index on columns \
                \(columns.sorted().joined(separator: ", "))
                """)
    }

    /// Whether one row at most has given values in the columns: those of a unique key, and maybe
    /// others.
    func containsUniqueKey(
        _ columns: [String], in table: Relation.TableName
    ) throws -> Bool {
        let (name, schema) = (table.name, table.schema)
        if try uniqueKey(columns, in: name, schema) != nil { return true }
        if columns.count == 1 { return false }
        let given = Set(columns.map { CaseInsensitiveIdentifier($0) })
        func isGiven(_ key: [String]) -> Bool {
            given.isSuperset(of: key.map { CaseInsensitiveIdentifier($0) })
        }
        if try isGiven(primaryKey(name, in: schema).columns) { return true }
        for index in try indexes(on: name, in: schema)
        where index.isUnique && isGiven(index.columns) {
            if try uniqueKey(index.columns, in: name, schema) != nil { return true }
        }
        return false
    }

    /// Whether a column can't hold NULL.
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
