/// A compiled statement for the records of a type that set the same columns.
///
/// A record that fits is bound directly to the parameters, with one call per column:
///
/// ```swift
/// guard var container = try plan.begin() else { return .unfit }
/// defer { plan.end() }
/// try encode(to: &container)
/// return try plan.run(container)
/// ```
///
/// A record that sets other columns, or a value that SQLite does not accept, is `.unfit`: nothing has
/// run, and the record must be encoded again, into names and values.
@usableFromInline
final class PersistencePlan {
    let operation: PersistenceOperation
    let table: String
    let statement: Statement

    /// The columns that records set, in order.
    let columns: [String]

    /// Whether the table is a view, so that the changes of `INSTEAD OF` triggers count: see
    /// ``ChangeCount``.
    private let isView: Bool

    /// The parameters of the primary key, for operations that need it.
    let keyParameters: [CInt]

    let roundedParameters: RoundedParameters

    /// The storage of the containers that records are encoded into.
    @exclusivity(unchecked)
    private var session: BindingSession

    /// Whether the statement is being executed, or about to be.
    @exclusivity(unchecked)
    var isInUse = false

    /// Whether the record type has callbacks that receive the stored values.
    @usableFromInline
    @exclusivity(unchecked)
    var hasReceiver = true

    /// The columns for `willUpdate`.
    @usableFromInline let updatedColumns: Set<String>

    /// The rowid returned by the last execution.
    @exclusivity(unchecked)
    private(set) var returnedRowID: Int64?

    init(
        _ operation: PersistenceOperation, table: String, statement: Statement,
        row: RowStatement, updatedColumns: Set<String>, roundedParameters: RoundedParameters,
        isView: Bool
    ) {
        self.operation = operation
        self.table = table
        self.statement = statement
        self.roundedParameters = roundedParameters
        keyParameters = row.keyParameters
        self.updatedColumns = updatedColumns
        self.isView = isView
        columns = row.slots.map(\.name)
        session = BindingSession(statement: statement.sqliteStatement, slots: row.slots)
    }

    deinit {
        releaseBoundStorage()
    }

    // MARK: - Binding a record

    @usableFromInline
    enum Outcome {
        /// The record does not fit, and nothing has run.
        case unfit
        /// A row was inserted, updated or deleted, or exists.
        case row
        /// There was no row, or the key of the record is NULL, so that there can't be one.
        case noRow
    }

    /// Begins a session. Must be balanced by `end`.
    ///
    /// - returns: the container for a record; nil if the plan is in use: the record must then be
    ///   collected.
    @usableFromInline
    func begin() throws -> PersistenceContainer? {
        if isInUse { return nil }
        releaseBoundStorage()
        if !isKnownUniquelyReferenced(&session) {
            // A container has outlived the encoding of its record, possibly on another thread.
            session = BindingSession(like: session)
        }
        try statement.willBind()
        isInUse = true
        session.begin()
        return PersistenceContainer(storage: session)
    }

    /// Executes the statement with the values that the record has set.
    @usableFromInline
    func run(_ container: PersistenceContainer) throws -> Outcome {
        guard session.commit(container) else { return .unfit }
        try statement.didBind(CInt(statement.parameterCount))
        if !keyParameters.isEmpty, isKeyNull { return .noRow }
        try roundedParameters.check(statement, table: table)
        if operation.overwritesTexts { try keepInvalidTexts() }
        let outcome = try operation.execute(statement, isView: isView)
        returnedRowID = outcome.rowID
        return outcome.hasRow ? .row : .noRow
    }

    @usableFromInline
    func end() {
        session.end()
        isInUse = false
    }

    /// The column of a parameter, as the record names it.
    func column(ofParameter parameter: CInt) -> String? {
        session.slots.first { $0.parameter == parameter }?.name
    }

    /// The bound value of a column; nil if the statement does not use the column.
    func boundValue(ofColumn column: String) -> DatabaseValue? {
        session.slots.first { $0.parameter > 0 && ASCIICase.equal($0.name, column) }
            .map { statement.boundValue(at: $0.parameter) }
    }

    private var isKeyNull: Bool {
        for parameter in keyParameters
        where !RawStatement.isBoundNull(statement.sqliteStatement, at: parameter) {
            return false
        }
        return true
    }

    // MARK: - Collected records

    /// Returns the arguments of a collected record that sets the columns of the plan.
    func arguments(_ container: PersistenceContainer) -> StatementArguments {
        var values = [DatabaseValue](repeating: .null, count: statement.parameterCount)
        for (slot, value) in zip(session.slots, container.values) where slot.parameter > 0 {
            values[Int(slot.parameter) - 1] = value
        }
        return StatementArguments(values: values)
    }

    // MARK: - Bound values

    /// The storage of the latest container of bound values. Reused for the next container, unless
    /// another reference remains.
    @exclusivity(unchecked)
    private var boundStorage: BoundStorage?

    /// Returns a container of the values bound to the statement.
    func boundContainer() -> PersistenceContainer {
        releaseBoundStorage()
        let storage = boundStorage ?? BoundStorage()
        boundStorage = storage
        storage.reset(self)
        return PersistenceContainer(storage: storage)
    }

    /// Makes a container that is still referenced read its values before the plan replaces them.
    func releaseBoundStorage() {
        if boundStorage == nil || isKnownUniquelyReferenced(&boundStorage) { return }
        _ = boundStorage?.materialize()
        boundStorage = nil
    }

    /// The columns of the plan, with the values bound to the statement.
    var boundContent: PersistenceStorage.Content {
        PersistenceStorage.Content(
            names: columns,
            values: session.slots.map { statement.boundValue(at: $0.parameter) })
    }

    /// Returns an error of the statement, completed with the bound arguments.
    @usableFromInline
    func completed(_ error: any Error) -> any Error {
        guard let error = error as? DatabaseError, error.sql == statement.sql,
            error.arguments == nil
        else {
            return error
        }
        let values = (0..<statement.parameterCount).map {
            statement.boundValue(at: CInt($0 + 1))
        }
        return DatabaseError(
            resultCode: error.extendedResultCode, message: error.message, sql: error.sql,
            arguments: StatementArguments(values: values),
            publicStatementArguments: statement.database.configuration.publicStatementArguments)
    }
}

extension PersistenceOperation {
    /// Executes the statement of the operation with its current arguments.
    func execute(_ statement: Statement, isView: Bool) throws -> RowOutcome {
        switch verb {
        case .insert:
            try statement.run()
            return RowOutcome(hasRow: true)
        case .upsert:
            // `lastInsertedRowID` is not the rowid of an updated row.
            return RowOutcome(hasRow: true, rowID: try statement.runForInteger())
        case .exists:
            return RowOutcome(hasRow: try statement.runForInteger() == 1)
        case .update, .delete:
            return RowOutcome(
                hasRow: try hasRow(statement.database, isView: isView) { try statement.run() })
        }
    }

    /// Calls a closure that executes the statement of the operation.
    ///
    /// - returns: whether a row was inserted, updated or deleted.
    func hasRow(_ db: Database, isView: Bool, run: () throws -> Void) throws -> Bool {
        let formerTotal = isView ? db.raw.ownChangesCount : 0
        try run()
        if !needsKey { return true }
        return db.changesCount > 0 || isView && db.raw.ownChangesCount > formerTotal
    }
}

extension Statement {
    /// Executes the statement to completion.
    ///
    /// - returns: the first column of the last row; nil if there is no row, or no column.
    fileprivate func runForInteger() throws -> Int64? {
        try prepareRun()
        var integer: Int64?
        while try step() {
            integer = Int64.fromDatabaseValue(
                DatabaseValue(sqliteStatement: sqliteStatement, index: 0))
        }
        return integer
    }

    /// Executes the statement to completion, and decodes its first row. Returns nil if there is
    /// none.
    package func fetchReturnedRow<Value>(_ decode: (Row) throws -> Value) throws -> Value? {
        let rows = try RowCursor(statement: self, adapter: nil)
        guard let row = try rows.next() else { return nil }
        let value = try decode(row)
        // The last step may fail: outside of a transaction, it commits.
        while try rows.next() != nil {}
        return value
    }
}
