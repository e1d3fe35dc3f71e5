/// A prepared statement.
///
/// ```swift
/// try dbQueue.write { db in
///     let statement = try db.makeStatement(
///         sql: "INSERT INTO player (name, score) VALUES (:name, :score)")
///     try statement.execute(arguments: ["name": "Arthur", "score": 1000])
///     try statement.execute(arguments: ["name": "Barbara", "score": 2000])
/// }
/// ```
///
/// A statement belongs to its connection: it may only be used inside database accesses, and at most
/// one cursor may iterate it. It may be deallocated on any thread.
///
/// Related SQLite documentation: <https://www.sqlite.org/c3ref/stmt.html>
public final class Statement {
    /// The statement as C functions take it. See ``SQLiteStatement``.
    public let sqliteStatement: SQLiteStatement

    /// The SQL query.
    public let sql: String

    let database: Database

    /// Keeps the connection open as long as the statement lives, and finalizes it.
    let raw: RawConnection

    private(set) var effects: StatementEffects

    /// The schema that the effects were learned with.
    private var effectsGeneration: Int

    /// Whether running the statement writes nothing by itself. SQLite counts neither what functions
    /// called by the statement do, nor changes of settings.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/stmt_readonly.html>
    public let isReadonly: Bool

    @usableFromInline let parameterCount: Int

    /// Whether all parameters have got a value.
    @exclusivity(unchecked)
    var areArgumentsValid: Bool

    var boundArguments = StatementArguments()

    /// What was bound instead of `boundArguments`, when it is not empty: the elements of a literal.
    var boundElements: [(any DatabaseValueConvertible)?] = []

    /// Counts executions, so that a cursor knows that its statement was taken from it.
    @exclusivity(unchecked)
    var executionID = 0

    /// What observers wanted to know of the last execution.
    @exclusivity(unchecked)
    var changePlan: ChangePlan?

    /// When it was found that no observer wants to know of the statement: see `Database.interestEpoch`.
    @exclusivity(unchecked)
    var uninterestingEpoch = -1

    /// The same, found without asking: see `Database.lastingInterestEpoch`.
    @exclusivity(unchecked)
    var uninterestingLastingEpoch = -1

    /// Whether the current execution has made its first step.
    @exclusivity(unchecked)
    var isStarted = false

    /// The number of times that the statement was started.
    var runCount = 0

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
        isReadonly = RawStatement.isReadOnly(sqliteStatement)
        parameterCount = RawStatement.parameterCount(sqliteStatement)
        areArgumentsValid = parameterCount == 0
    }

    deinit {
        raw.release(.finalizeStatement(sqliteStatement))
    }

    var eventKinds: [DatabaseEventKind] {
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
                // SQLite compiles the statement again, too, and says what is wrong.
            }
        }
        return effects.eventKinds
    }

    // MARK: - Columns

    /// How many columns each row has; zero for a statement that returns no rows.
    public var columnCount: Int {
        RawStatement.columnCount(sqliteStatement)
    }

    /// The names of the columns of each row, leftmost first.
    public var columnNames: [String] { rowLayout.names }

    /// Returns the index of the leftmost column with the given name, ASCII case apart; nil if there
    /// is no such column.
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

    /// Forgets the column names if the first step has compiled the statement anew, after a change
    /// of the schema.
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
            // Outside of an access, there is nothing that could throw the error.
            if raw.isOwnedByCurrentThread { database.keepFailure(error) }
            return .fullDatabase
        }
    }

    /// What the statement looks into with its present arguments.
    var checkedRegion: DatabaseRegion {
        get throws { try refined(readRegion) }
    }

    /// The region that the statement may read, with any arguments.
    var readRegion: DatabaseRegion {
        get throws { try database.region(ofStatement: self) }
    }

    /// What the statement looks into with its present arguments.
    func refined(_ readRegion: DatabaseRegion) throws -> DatabaseRegion {
        guard let regionRefinement else { return readRegion }
        return try regionRefinement.refine(readRegion)
    }

    /// What knows more about the region of the statement with its present arguments.
    var regionRefinement: (any RegionRefinement)?

    /// Narrows the region by what the query knows that has set the arguments.
    ///
    /// The cache forgets it when the access ends, unless the statement is still in use: closures of
    /// a request may hold anything, even the queue that the connection belongs to.
    func setRegionRefinement(_ refinement: any RegionRefinement) {
        regionRefinement = refinement
        database.statementCache.mayHoldRefinements = true
    }

    /// Forgets what is known of the region, and returns it so that the caller chooses when it goes.
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

/// The query that a statement was made from.
protocol RegionRefinement: AnyObject {
    /// The region of the query.
    ///
    /// - parameter region: the region that the statement may read, with any arguments.
    func refine(_ region: DatabaseRegion) throws -> DatabaseRegion
}
