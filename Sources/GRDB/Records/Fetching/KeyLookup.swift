/// The statement that fetches a row by primary key, and the row object that it reuses.
final class KeyLookup {
    let statement: Statement

    /// The selection of the statement.
    @exclusivity(unchecked)
    private var selection: [any SQLSelectable]

    /// The strategies that the decoder of the row relies on.
    @exclusivity(unchecked)
    var strategies: DecodingStrategies?

    /// Created at the first step, and reused because its decoder knows the columns.
    @exclusivity(unchecked)
    var row: Row?

    @exclusivity(unchecked)
    var isInUse = false

    /// The cursor of the lookup, while the lookup is in use.
    @exclusivity(unchecked)
    var cursorID = 0

    init(statement: Statement, selection: [any SQLSelectable]) {
        self.statement = statement
        self.selection = selection
    }

    /// Whether the statement still selects the columns of the record type, which may vary.
    ///
    /// - parameter sql: the text of the statement that selects them; nil if it is not known.
    func selects(_ selection: [any SQLSelectable], _ sql: () throws -> String?) rethrows -> Bool {
        if selection.isIdentical(to: self.selection) { return true }
        guard
            try selection.isEqual(to: self.selection)
                || sql().map(statement.sql.hasSameBytes(as:)) == true
        else {
            return false
        }
        // If the type returns a constant array, the next comparison is faster.
        self.selection = selection
        return true
    }
}

// Generic functions look up the metadata of the generic types that they handle, at every call. Only
// the functions that create a record are generic here.
extension KeyLookup {
    /// The outcome of a lookup: whether there is a row, or that the lookup is for another version
    /// of the schema.
    enum Outcome {
        case row
        case noRow
        case outdated
    }

    /// Looks for the row of a key. A schema version is given only outside of transactions. The
    /// current version is read while the statement already reads, so that SQLite locks the file
    /// once.
    ///
    /// - returns: `.row` if there is one: ``endWithRecord(_:)`` must then be called.
    func begin(
        _ key: DatabaseValue, ifSchemaVersionIs version: Int32? = nil
    ) throws -> Outcome {
        isInUse = true
        do {
            try statement.bindKey(key)
            cursorID = try statement.beginCursor()
        } catch {
            isInUse = false
            throw error
        }
        do {
            let hasRow: Bool
            do {
                hasRow = try statement.step()
            } catch {
                // The table may have been replaced or dropped.
                if try isCurrent(version, isOnRow: false) { throw error }
                end()
                return .outdated
            }
            let isCurrent = try isCurrent(version, isOnRow: hasRow)
            if hasRow && isCurrent { return .row }
            end()
            return isCurrent ? .noRow : .outdated
        } catch {
            end()
            throw error
        }
    }

    private func isCurrent(_ version: Int32?, isOnRow: Bool) throws -> Bool {
        guard let version else { return true }
        return try statement.database.mainSchemaVersion(isOnRow: isOnRow) == version
    }

    private func end() {
        statement.endCursor(cursorID)
        isInUse = false
    }

    /// Ends the lookup, and returns the record of its row.
    func endWithRecord<Record: FetchableRecord>(_ type: Record.Type) throws -> Record {
        defer { end() }
        let row = row ?? Row(statement: statement)
        self.row = row
        row.statementDidStep()
        if row.decodingCache != nil, !(strategies?.areCurrent(for: type) ?? true) {
            row.decodingCache = nil
            strategies = nil
        }
        let record: Record
        do {
            record = try Record(row: row)
        } catch {
            throw statement.decodingError(error)
        }
        try statement.checkMemory()
        if row.decodingCache != nil {
            row.noteStrategies(of: type, in: &strategies)
        }
        return record
    }
}

extension [any SQLSelectable] {
    /// Whether both arrays share the same storage.
    func isIdentical(to other: Self) -> Bool {
        withUnsafeBufferPointer { elements in
            other.withUnsafeBufferPointer { elements.baseAddress == $0.baseAddress }
        }
    }

    /// Whether both arrays are known to have equal elements.
    func isEqual(to other: Self) -> Bool {
        guard count == other.count else { return false }
        return zip(self, other).allSatisfy { element, other in
            switch (element, other) {
            case (is AllColumns, is AllColumns): true
            case (let column as Column, let other as Column):
                column.name.hasSameBytes(as: other.name)
            default: false
            }
        }
    }
}

extension Statement {
    /// Whether the statement is being executed, or was not run to its end.
    var isBusy: Bool { RawStatement.isBusy(sqliteStatement) }

    /// Binds the only parameter.
    func bindKey(_ key: DatabaseValue) throws {
        if database.configuration.publicStatementArguments {
            // Errors only show arguments that were set with `setArguments`.
            return try setArguments(StatementArguments(values: [key]))
        }
        try willBind()
        let code = key.bind(to: sqliteStatement, at: 1)
        if code != RawStatement.ok { throw bindingError(code) }
        try didBind(1)
    }
}
