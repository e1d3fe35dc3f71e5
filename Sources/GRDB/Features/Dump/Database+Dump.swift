/// Whether the dump of a table starts with the name of the table.
public enum DumpTableHeaderOptions: Sendable {
    /// Names are printed if there are several tables.
    case automatic

    /// Names are always printed.
    case always
}

extension Database {
    /// Runs the statements of a literal, and prints their rows.
    ///
    /// ```swift
    /// // 1|Arthur|500
    /// // 2|Barbara|1000
    /// try db.dumpSQL("SELECT * FROM player")
    ///
    /// let minScore = 800
    /// try db.dumpSQL("SELECT name FROM player WHERE score > \(minScore)")
    /// ```
    ///
    /// - parameter sql: the statements. All are executed.
    /// - parameter format: the output format.
    /// - parameter stream: the stream to print to; nil for the standard output. Use a class to read
    ///   the stream afterwards, because the method works on a copy of a structure.
    /// - throws: a ``DatabaseError``, or the error of the format. The rows before the error are
    ///   printed.
    public func dumpSQL(
        _ sql: SQL,
        format: some DumpFormat = .debug(),
        to stream: (any TextOutputStream)? = nil
    ) throws {
        var stream = DumpStream(stream)
        let statements = try allStatements(literal: sql)
        while let statement = try statements.next() {
            try dump(statement, format: format, to: &stream)
        }
    }

    /// Fetches a request, and prints its rows.
    ///
    /// ```swift
    /// // 1|Arthur|500
    /// // 2|Barbara|1000
    /// let request: SQLRequest<Row> = "SELECT * FROM player"
    /// try db.dumpRequest(request)
    /// ```
    ///
    /// The columns are those of the statement: row adapters are ignored.
    ///
    /// Prefetched associations follow. Each has a title with the association keys that lead to its
    /// rows:
    ///
    /// ```swift
    /// // 1|Reds
    /// // 2|Blues
    /// //
    /// // players
    /// // 1|1|Arthur
    /// // 2|2|Barbara
    /// try db.dumpRequest(Team.including(all: Team.players))
    /// ```
    ///
    /// The additional columns with the keys of prefetched associations are only printed by custom
    /// formats.
    ///
    /// - parameter request: the request to run.
    /// - parameter format: the output format.
    /// - parameter stream: the stream to print to; nil for the standard output. Use a class to read
    ///   the stream afterwards, because the method works on a copy of a structure.
    /// - throws: a ``DatabaseError``, or the error of the format.
    public func dumpRequest(
        _ request: some FetchRequest,
        format: some DumpFormat = .debug(),
        to stream: (any TextOutputStream)? = nil
    ) throws {
        var stream = DumpStream(stream)
        let request = try request.makePreparedRequest(self, forSingleResult: false)
        if request.hasPrefetches {
            try inReadTransactionIfNeeded {
                try dump(request, format: format, to: &stream)
            }
        } else {
            try dump(request.statement, format: format, to: &stream)
        }
    }

    /// Prints the contents of tables and views.
    ///
    /// ```swift
    /// // player
    /// // 1|Arthur|500
    /// // 2|Barbara|1000
    /// //
    /// // team
    /// // 1|Red
    /// try db.dumpTables(["player", "team"])
    /// ```
    ///
    /// Outside a transaction, the method opens a transaction, so that it reads a consistent state
    /// of all tables.
    ///
    /// - parameter tables: the names of tables and views, printed in this order.
    /// - parameter format: the output format.
    /// - parameter tableHeader: whether to print the names of tables. By default, they are printed
    ///   if there are several tables.
    /// - parameter stableOrder: whether to sort rows, so that two dumps of the same content are
    ///   equal. Rows of tables are sorted by primary key or rowid, rows of views by all columns. By
    ///   default, SQLite chooses the order.
    /// - parameter stream: the stream to print to; nil for the standard output. Use a class to read
    ///   the stream afterwards, because the method works on a copy of a structure.
    /// - throws: a ``DatabaseError``, or the error of the format.
    public func dumpTables(
        _ tables: [String],
        format: some DumpFormat = .debug(),
        tableHeader: DumpTableHeaderOptions = .automatic,
        stableOrder: Bool = false,
        to stream: (any TextOutputStream)? = nil
    ) throws {
        var stream = DumpStream(stream)
        let writesHeader =
            switch tableHeader {
            case .automatic: tables.count > 1
            case .always: true
            }
        try inReadTransactionIfNeeded {
            for (index, table) in tables.enumerated() {
                if index > 0 {
                    stream.margin()
                }
                if writesHeader {
                    stream.writeLine(table)
                }
                try dump(
                    TableSource(name: table), stableOrder: stableOrder, format: format,
                    to: &stream)
            }
        }
    }

    /// Prints the schema and the contents of the main database.
    ///
    /// ```swift
    /// // sqlite_master
    /// // CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
    /// //
    /// // player
    /// // 1|Arthur|500
    /// // 2|Barbara|1000
    /// try db.dumpContent()
    /// ```
    ///
    /// Tables are sorted by name, rows by primary key or rowid. Internal tables of SQLite and of
    /// this library are omitted, as are the shadow tables of virtual tables. For a virtual table that can't be
    /// read, because its module or its tokenizer is missing, the error is printed instead.
    ///
    /// Outside a transaction, the method opens a transaction, so that it reads a consistent state
    /// of all tables.
    ///
    /// - parameter format: the output format of rows.
    /// - parameter stream: the stream to print to; nil for the standard output. Use a class to read
    ///   the stream afterwards, because the method works on a copy of a structure.
    /// - throws: a ``DatabaseError``, or the error of the format.
    public func dumpContent(
        format: some DumpFormat = .debug(),
        to stream: (any TextOutputStream)? = nil
    ) throws {
        var stream = DumpStream(stream)
        try inReadTransactionIfNeeded {
            let objects = try dumpedObjects()
            dumpSchema(objects, to: &stream)
            // The objects are sorted: a table precedes the other objects with its name.
            for name in objects.filter(\.isTable).map(\.name) {
                stream.margin()
                stream.writeLine(name)
                let table = TableSource(name: name, schema: "main")
                do {
                    try dump(table, stableOrder: true, format: format, to: &stream)
                } catch let error as DatabaseError where !canRead(table) {
                    stream.writeLine("-- \(error.message ?? "")")
                }
            }
        }
    }

    /// Prints the schema of the main database: its tables with their indexes and triggers, and its
    /// views.
    ///
    /// ```swift
    /// // sqlite_master
    /// // CREATE TABLE player (id INTEGER PRIMARY KEY, name TEXT, score INTEGER);
    /// // CREATE INDEX player_on_score ON player(score);
    /// try db.dumpSchema()
    /// ```
    ///
    /// Internal tables of SQLite and of this library are omitted, as are the shadow tables of
    /// virtual tables.
    ///
    /// - parameter stream: the stream to print to; nil for the standard output. Use a class to read
    ///   the stream afterwards, because the method works on a copy of a structure.
    /// - throws: a ``DatabaseError``.
    public func dumpSchema(to stream: (any TextOutputStream)? = nil) throws {
        var stream = DumpStream(stream)
        try inReadTransactionIfNeeded {
            dumpSchema(try dumpedObjects(), to: &stream)
        }
    }

    // MARK: - Statements

    /// Prints the rows of a statement with a copy of the format, so that statements don't share the
    /// state of a format.
    private func dump(
        _ statement: Statement, format: some DumpFormat, to stream: inout DumpStream
    ) throws {
        var format = format
        let stepper = try _StatementStepper(statement: statement)
        while try stepper.next() {
            try format.writeRow(self, statement: statement, to: &stream)
        }
        format.finalize(self, statement: statement, to: &stream)
    }

    /// Prints rows, followed by the rows of prefetched associations.
    private func dump(
        _ request: PreparedRequest, format baseFormat: some DumpFormat,
        to stream: inout DumpStream
    ) throws {
        var format = baseFormat
        var rows: [Row] = []
        let cursor = try RowCursor(statement: request.statement, adapter: request.adapter)
        while let row = try cursor.next() {
            if request.hasPrefetches { rows.append(row.copy()) }
            try format.writeRow(self, statement: request.statement, to: &stream)
        }
        format.finalize(self, statement: request.statement, to: &stream)
        for associatedRequest in try request.associatedRequests(for: rows) {
            stream.margin()
            stream.writeLine(associatedRequest.keyPath.joined(separator: "."))
            stream.hiddenColumns = associatedRequest.keyColumns
            try dump(
                associatedRequest.relation.prepare(self, forSingleResult: false),
                format: baseFormat, to: &stream)
        }
    }

    // MARK: - Tables

    /// A table or a view.
    private struct TableSource {
        var name: String
        /// Nil for the first schema in which SQLite finds the table.
        var schema: String?

        var selectSQL: String { "SELECT * FROM \(name.qualified(in: schema))" }
    }

    /// Whether a table can be read: its module, or its tokenizer, may not be available.
    private func canRead(_ table: TableSource) -> Bool {
        (try? makeStatement(sql: table.selectSQL)) != nil
    }

    private func dump(
        _ table: TableSource, stableOrder: Bool, format: some DumpFormat,
        to stream: inout DumpStream
    ) throws {
        var sql = table.selectSQL
        if stableOrder {
            let terms = try orderingTerms(table)
            if !terms.isEmpty {
                sql += " ORDER BY \(terms.joined(separator: ", "))"
            }
        }
        try dump(makeStatement(sql: sql), format: format, to: &stream)
    }

    /// The terms that sort the rows: the primary key, the rowid, or all columns.
    private func orderingTerms(_ table: TableSource) throws -> [String] {
        if let (id, info) = try tableOrView(table.name, in: table.schema), info?.kind == .table {
            let key = try primaryKey(id.name, in: id.schemaID.name)
            let columns = try columns(in: id.name, in: id.schemaID.name)
            // Columns may hide all names of the rowid.
            if !key.isHiddenRowID || rowIDName(besides: columns) != nil {
                return key.columns.map(\.quotedDatabaseIdentifier)
            }
        }
        let columnCount = try makeStatement(sql: table.selectSQL).columnCount
        return (0..<columnCount).map { "\($0 + 1)" }
    }

    // MARK: - Schema

    private struct DumpedObject {
        var name: String
        var isTable: Bool
        var sql: String
    }

    /// The objects of the main database. Each table is followed by its indexes and triggers.
    private func dumpedObjects() throws -> [DumpedObject] {
        let shadowTables = try Set(
            String.fetchAll(
                self,
                sql: """
                    SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow'
                    """))
        let rows = try Row.fetchCursor(
            self,
            sql: """
                SELECT name, tbl_name, type = 'table', sql
                FROM main.sqlite_master
                WHERE sql IS NOT NULL
                ORDER BY
                    tbl_name COLLATE NOCASE,
                    CASE type WHEN 'table' THEN 1 WHEN 'index' THEN 2 WHEN 'trigger' THEN 3 ELSE 4 END,
                    name COLLATE NOCASE,
                    sql
                """)
        var objects: [DumpedObject] = []
        while let row = try rows.next() {
            let names: [String] = try [row.decode(atIndex: 0), row.decode(atIndex: 1)]
            let isInternal = names.contains { name in
                Database.isReservedTableName(name) || Database.isGRDBInternalTable(name)
                    || shadowTables.contains(name)
            }
            if !isInternal {
                objects.append(
                    try DumpedObject(
                        name: names[0], isTable: row.decode(atIndex: 2), sql: row.decode(atIndex: 3)
                    ))
            }
        }
        return objects
    }

    private func dumpSchema(_ objects: [DumpedObject], to stream: inout DumpStream) {
        stream.writeLine("sqlite_master")
        for object in objects {
            stream.writeLine(object.sql + ";")
        }
    }
}
