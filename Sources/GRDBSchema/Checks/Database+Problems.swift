import GRDB

extension Database {
    /// Returns what does not fit between a record type and its table, to test it before a user meets it.
    ///
    /// ```swift
    /// @Test func recordsFitTheirTables() throws {
    ///     let dbQueue = try DatabaseQueue()
    ///     try migrator.migrate(dbQueue)
    ///     try dbQueue.read { db in
    ///         let problems = try db.problems(of: Player.self)
    ///         // player(score): the record may leave the column NULL
    ///         // player(teamId): no index: each deletion in team reads the whole table
    ///         #expect(problems.isEmpty, "\(problems)")
    ///     }
    /// }
    /// ```
    ///
    /// The problems are:
    ///
    /// - columns that don't exist, or that are generated, so that they can't be written;
    /// - `NOT NULL` columns that the record may leave NULL, or does not have;
    /// - values that a column rejects or changes because of its type, such as a `Decimal` in a numeric column;
    /// - a primary key that the record does not have, or may leave NULL, unless it is the rowid;
    /// - foreign keys without an index, and those that refer to no table or to columns that are not unique;
    /// - indexes that are the beginning of another index.
    ///
    /// Nothing is written, and no row is read. The columns of a `Decodable` type are found by decoding a record
    /// from sample values. A property that has no sample value, such as an enumeration that is not
    /// `CaseIterable`, requires `samples`: records with and without the values of optional properties. The check
    /// never guesses: without samples, it reports the type as a problem of kind
    /// ``SchemaProblem/Kind/unknownColumns``.
    ///
    /// - parameters:
    ///   - type: a record type.
    ///   - samples: records of the type, whose columns and values are checked.
    /// - returns: the problems; an empty array if there are none.
    /// - throws: a ``/GRDB/DatabaseError``, or the error of encoding a record.
    public func problems<Record: TableRecord>(
        of type: Record.Type, samples: [Record] = []
    ) throws -> [SchemaProblem] {
        let name = type.databaseTableName
        guard let (id, info) = try tableOrView(name) else {
            let message = "the table of \(type) does not exist"
            return [SchemaProblem(kind: .missingColumn, table: name, columns: [], message: message)]
        }
        let isTable = info.map { $0.kind == .table && !$0.isVirtualTable } ?? false
        var table = TableProblems(self, table: id)
        var problems: [SchemaProblem] = []
        do {
            let tableColumns = try allColumns(in: id.name, in: id.schemaID.name).map(\.name)
            if let columns = try RecordColumns(
                of: type, samples: samples, tableColumns: tableColumns)
            {
                try table.checkColumns(columns, isTable: isTable)
            }
        } catch let error where samples.isEmpty && !(error is DatabaseError) {
            let message =
                "the columns of \(type) are only known from samples, because \(Self.reason(error))"
            problems = [
                SchemaProblem(kind: .unknownColumns, table: id.name, columns: [], message: message)
            ]
        }
        if isTable { try table.checkIndexes() }
        return problems + table.problems
    }

    /// Returns the problems of several record types: see ``problems(of:samples:)``.
    ///
    /// ```swift
    /// let problems = try db.problems(of: [Player.self, Team.self])
    /// ```
    ///
    /// - throws: a ``/GRDB/DatabaseError``, or the error of encoding a record.
    public func problems(of types: [any TableRecord.Type]) throws -> [SchemaProblem] {
        var problems: [SchemaProblem] = []
        for type in types {
            // Types of the same table share the problems of its indexes.
            problems += try allProblems(of: type).filter { !problems.contains($0) }
        }
        return problems
    }

    /// Returns the problems of foreign keys and indexes: see ``problems(of:samples:)``.
    ///
    /// ```swift
    /// // player(teamId): no index: each deletion in team reads the whole table
    /// let problems = try db.indexProblems()
    /// ```
    ///
    /// - parameter tableName: the name of a table. By default, all tables of the main database are checked.
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_ERROR` if the table does not exist.
    public func indexProblems(in tableName: String? = nil) throws -> [SchemaProblem] {
        let names =
            try tableName.map { [$0] }
            ?? schemaObjects(ofType: .table, in: "main")
            .filter { !$0.isVirtualTable && !Self.isReservedTableName($0.name) }.map(\.name)
            .sorted()
        return try names.flatMap { name in
            var table = TableProblems(
                self, table: try existingTable(name, in: tableName == nil ? "main" : nil))
            try table.checkIndexes()
            return table.problems
        }
    }

    /// Opens the existential type, which is impossible in a call with other parameters of the type.
    private func allProblems<Record: TableRecord>(of type: Record.Type) throws -> [SchemaProblem] {
        try problems(of: type, samples: [])
    }

    private static func reason(_ error: any Error) -> String {
        guard case DecodingError.dataCorrupted(let context) = error else { return "\(error)" }
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        return "the property \(path) has no sample value"
    }
}
