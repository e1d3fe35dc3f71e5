/// An SQL statement that SQLite has compiled, and that you can run many times.
///
/// SQLite compiles SQL text into a program. This often takes longer than running it, so compile a
/// statement once if a loop runs it many times:
///
/// ```swift
/// try dbQueue.write { db in
///     let insert = try db.makeStatement(
///         sql: "INSERT INTO player (name, score) VALUES (:name, :score)")
///     try insert.execute(arguments: ["name": "Arthur", "score": 1000])
///     try insert.execute(arguments: ["name": "Barbara", "score": 2000])
/// }
/// ```
///
/// Rows, values and records can be fetched from a statement:
///
/// ```swift
/// let select = try db.makeStatement(sql: "SELECT * FROM player WHERE name = ?")
/// let arthur = try Player.fetchOne(select, arguments: ["Arthur"])
/// let barbara = try Player.fetchOne(select, arguments: ["Barbara"])
/// ```
///
/// ## Arguments
///
/// A parameter of the SQL, `?` or `:name`, gets its value from the arguments. Values are never parsed
/// as SQL. The arguments must fit the parameters: if one is missing, or if there are too many, the
/// statement throws an error of code `SQLITE_MISUSE` before it runs. Arguments remain set until you
/// set others.
///
/// ## The cache
///
/// Most code needs no statements: `execute(sql:)`, the `fetch` methods and requests find their
/// compiled statement in a cache of the connection, by its text. Don't build such a cache yourself.
/// ``Database/cachedStatement(sql:)`` returns a statement from it.
///
/// ## Lifetime
///
/// A statement belongs to its connection. It may be used only inside accesses to this connection,
/// and at most one cursor may iterate it at a time. It may be deallocated on any thread.
///
/// One statement is one SQL command. To run several commands in one string, use
/// ``Database/execute(sql:arguments:)`` or ``Database/allStatements(sql:arguments:)``.
///
/// See <doc:RowsAndValues#Run-one-statement-many-times>.
///
/// Related SQLite documentation: <https://www.sqlite.org/c3ref/stmt.html>
public final class Statement {
    /// The statement for C functions. See ``SQLiteStatement``.
    public let sqliteStatement: SQLiteStatement

    /// The SQL that the statement was compiled from: one statement, without what followed it.
    public let sql: String

    package let database: Database

    /// Keeps the connection open while the statement is alive, and finalizes the statement.
    let raw: RawConnection

    @exclusivity(unchecked)
    package private(set) var effects: StatementEffects

    /// The schema generation for which the effects were determined.
    private var effectsGeneration: Int

    /// The number of the schema cache for which the statement was compiled; nil if it is not known.
    var schemaNumber: Int?

    /// Whether the statement itself writes nothing when it runs. SQLite ignores changes made by
    /// functions that the statement calls, and changes of settings.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/stmt_readonly.html>
    public let isReadonly: Bool

    @usableFromInline package let parameterCount: Int

    /// Whether all parameters have a value.
    @exclusivity(unchecked)
    var areArgumentsValid: Bool

    @exclusivity(unchecked)
    var boundArguments = StatementArguments()

    /// The bound elements of a literal. If not empty, they replace `boundArguments`.
    @exclusivity(unchecked)
    var boundElements: [(any DatabaseValueConvertible)?] = []

    /// Counts executions, so that a cursor detects that its statement was executed again.
    @exclusivity(unchecked)
    var executionID = 0

    /// The observers of the changes of the last execution.
    @exclusivity(unchecked)
    var audience: ChangeAudience?

    /// The value of `Database.interestEpoch` when no observer observed the statement.
    @exclusivity(unchecked)
    var uninterestingEpoch = -1

    /// The value of `Database.lastingInterestEpoch` when no observer observed the statement, and
    /// the answers of all observers were valid in all transactions.
    @exclusivity(unchecked)
    var uninterestingLastingEpoch = -1

    /// Whether the current execution has made its first step.
    @exclusivity(unchecked)
    var isStarted = false

    /// The number of times that the statement was started.
    @exclusivity(unchecked)
    var runCount = 0

    @exclusivity(unchecked)
    private var cachedRowLayout: RowLayout?
    var cachedParameterNames: [String?]?

    init(
        database: Database, sqliteStatement: SQLiteStatement, sql: String,
        effects: StatementEffects, effectsGeneration: Int
    ) {
        self.database = database
        self.raw = database.raw
        self.sqliteStatement = sqliteStatement
        self.sql = sql
        self.effects = effects
        self.effectsGeneration = effectsGeneration
        RawStatement.own(sqliteStatement)
        isReadonly = RawStatement.isReadOnly(sqliteStatement)
        parameterCount = RawStatement.parameterCount(sqliteStatement)
        areArgumentsValid = parameterCount == 0
    }

    deinit {
        raw.release(.finalizeStatement(sqliteStatement))
    }

    package var eventKinds: [DatabaseEventKind] {
        if effectsGeneration != database.schemaGeneration {
            // Functions that run during the compilation may change the schema, or settings.
            let generation = database.schemaGeneration
            do {
                effects = try database.effects(ofStatement: self)
                effectsGeneration = generation
            } catch let error as DatabaseError where error.resultCode == .SQLITE_NOMEM {
                // Observers might miss a change.
                database.keepFailure(error)
            } catch {
                // SQLite recompiles the statement, too, and reports the error.
            }
        }
        return effects.eventKinds
    }

    // MARK: - Columns

    /// The number of columns of each row; zero for a statement that returns no rows.
    public var columnCount: Int {
        RawStatement.columnCount(sqliteStatement)
    }

    /// The names of the columns of each row, leftmost first.
    public var columnNames: [String] { rowLayout.names }

    /// The index of a column, found by its name; nil if there is none. Of several columns with the
    /// name, it is the leftmost one. ASCII case is ignored.
    public func index(ofColumn name: String) -> Int? {
        rowLayout.index(of: name)
    }

    var rowLayout: RowLayout {
        if let cachedRowLayout { return cachedRowLayout }
        let columns = 0..<columnCount
        let layout = RowLayout(
            names: columns.map { RawStatement.columnName(sqliteStatement, at: $0) },
            origin: RowOrigin(
                sql: sql,
                tables: columns.map { RawStatement.columnTable(sqliteStatement, at: $0) }),
            showsValues: database.configuration.publicStatementArguments,
            convertsMismatchedValues: database.configuration.convertsMismatchedValues)
        cachedRowLayout = layout
        knownColumnCount = layout.names.count
        return layout
    }

    /// Discards the column names if the first step has recompiled the statement after a schema
    /// change.
    func refreshRowLayout() {
        if knownColumnCount < 0 { return }
        if columnCount == knownColumnCount,
            RawStatement.recompilationCount(sqliteStatement) == knownRecompilationCount
        {
            return
        }
        knownRecompilationCount = RawStatement.recompilationCount(sqliteStatement)
        cachedRowLayout = nil
        knownColumnCount = -1
    }

    /// The number of columns of the cached layout, negative if there is none.
    @exclusivity(unchecked)
    private var knownColumnCount = -1

    @exclusivity(unchecked)
    private var knownRecompilationCount: CInt = 0

    /// The values of the current row.
    func columnValues() -> [DatabaseValue] {
        let count = columnCount
        return [DatabaseValue](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            for index in 0..<count {
                buffer.initializeElement(
                    at: index,
                    to: DatabaseValue(sqliteStatement: sqliteStatement, index: CInt(index)))
            }
            initializedCount = count
        }
    }

    // MARK: - Region

    /// The tables, columns and rows that the statement reads, as the authorizer of SQLite reports
    /// them.
    ///
    /// If SQLite can't compile the statement, because memory is exhausted or a table was dropped, this
    /// is the full database, and the access throws the error at its end.
    ///
    /// - complexity: compiles the statement once more.
    public var databaseRegion: DatabaseRegion {
        do {
            return try checkedRegion
        } catch {
            // Outside of an access, nothing could throw the error.
            if raw.isOwnedByCurrentThread { database.keepFailure(error) }
            return .fullDatabase
        }
    }

    /// The region that the statement reads with its current arguments.
    var checkedRegion: DatabaseRegion {
        get throws { try refined(readRegion) }
    }

    /// The region that the statement may read, with any arguments.
    var readRegion: DatabaseRegion {
        get throws { try database.region(ofStatement: self) }
    }

    /// The region that the statement reads with its current arguments.
    func refined(_ readRegion: DatabaseRegion) throws -> DatabaseRegion {
        guard let regionRefinement else { return readRegion }
        return try regionRefinement.refine(readRegion)
    }

    /// Narrows the region of the statement with its current arguments.
    @exclusivity(unchecked)
    var regionRefinement: (any RegionRefinement)?

    /// Sets the refinement of the region by the query that has set the arguments.
    ///
    /// The cache releases the refinement when the access ends, unless the statement is still in
    /// use: closures of a request may retain anything, even the queue that the connection belongs
    /// to.
    package func setRegionRefinement(_ refinement: any RegionRefinement) {
        regionRefinement = refinement
        database.statementCache.mayHoldRefinements = true
    }

    /// Removes the refinement, and returns it so that the caller chooses when to release it.
    func takeRegionRefinement() -> (any RegionRefinement)? {
        defer { regionRefinement = nil }
        return regionRefinement
    }
}

extension Statement: CustomStringConvertible {
    public var description: String { sql }
}

// See `Database`.
@available(*, unavailable)
extension Statement: Sendable {}

/// The query that a statement was created from.
package protocol RegionRefinement: AnyObject {
    /// The region of the query.
    ///
    /// - parameter region: the region that the statement may read, with any arguments.
    func refine(_ region: DatabaseRegion) throws -> DatabaseRegion
}
