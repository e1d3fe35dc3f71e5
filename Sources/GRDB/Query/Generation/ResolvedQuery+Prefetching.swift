// Fetching associated rows after those of a relation.

extension ResolvedQuery {
    /// Fetches the associated rows of rows of the query, and stores them there.
    ///
    /// One query an association, whatever the number of rows.
    func prefetch(for rows: [Row]) throws {
        if rows.isEmpty { return }
        var views = [Row.PrefetchedRowsView](repeating: Row.PrefetchedRowsView(), count: rows.count)
        for plan in prefetchPlans() {
            let prefetchedRows = try plan.fetch(for: rows, of: self)
            let path =
                plan.scopes.map { Row.PrefetchedRowsView.Entry.Step.scope($0) }
                + plan.prefetch.keyPath.dropLast().map { .association($0) }
            for (index, rows) in prefetchedRows.enumerated() {
                views[index].entries.append(.init(path: path, key: plan.prefetch.key, rows: rows))
            }
        }
        for (row, view) in zip(rows, views) {
            row.setPrefetches(view)
        }
    }

    /// The requests that fetch the associated rows of rows of the query, of which there is one at
    /// least.
    func associatedRequests(for rows: [Row]) throws -> [AssociatedRequest] {
        try prefetchPlans().map { try $0.request(for: rows, of: self) }
    }

    /// The region that prefetched rows depend on, beside the tables of the query.
    func prefetchedRegion() throws -> DatabaseRegion {
        try prefetchPlans().reduce(into: DatabaseRegion()) { region, plan in
            // Nothing belongs to rows that don't exist.
            for table in plan.tables where try possibleRowIDs(ofTableAt: table)?.isEmpty ?? false {
                return
            }
            let associatedRows = AssociatedRows(path: plan.prefetch.path)
            let columns = try associatedRows.columns(db)
            let relation = associatedRows.relation(keyPrefix: prefetchedKeyPrefix) { _ in
                // Which rows are prefetched is not known. An expression tells nothing of them.
                columns.map { (Column($0.right) + 0) == 0 }.joined(operator: .and)
            }
            try region.formUnion(relation.databaseRegion(db))
        }
    }

    /// What is prefetched, for the first table and for joined ones.
    private func prefetchPlans() -> [PrefetchPlan] {
        var plans: [PrefetchPlan] = []
        var count = 0
        func appendPlans(
            of relation: Relation, tables: [Int], basePath: [Join], scopes: [String],
            isInScope: Bool
        ) {
            let tables = tables + [count]
            count += 1
            for prefetch in relation.prefetches {
                plans.append(
                    PrefetchPlan(
                        prefetch: prefetch, tables: tables, basePath: basePath, scopes: scopes,
                        isInScope: isInScope))
            }
            for join in relation.joins {
                appendPlans(
                    of: join.relation, tables: tables, basePath: basePath.leading(to: join),
                    scopes: join.isScope ? scopes + [join.key] : scopes,
                    isInScope: isInScope && join.isScope)
            }
        }
        appendPlans(of: relation, tables: [], basePath: [], scopes: [], isInScope: true)
        return plans
    }
}

/// The request of the associated rows of some rows.
struct AssociatedRequest {
    /// The keys of the associations on the way from the rows to the associated ones.
    var keyPath: [String]

    var relation: Relation

    /// The columns that tell to which row an associated one belongs. They stand after others of the
    /// same name.
    var keyColumns: [String]
}

/// The prefix of the additional columns that tell to which row a prefetched row belongs.
private let prefetchedKeyPrefix = "grdb_"

extension [Join] {
    /// The joins that lead to a join of the last one. It is not joined twice.
    fileprivate func leading(to join: Join) -> [Join] {
        var path = self
        if !path.isEmpty {
            path[path.count - 1].relation.joins.removeAll { $0.key == join.key }
        }
        return path + [join]
    }
}

extension Join {
    /// Whether fetched rows have a scope for the joined relation.
    fileprivate var isScope: Bool { relation.selectsColumns }
}

extension Relation {
    /// Whether the relation, or a joined one, selects columns.
    fileprivate var selectsColumns: Bool {
        !selection.isEmpty || joins.contains { $0.relation.selectsColumns }
    }
}

/// The prefetch of an association of a relation, or of one that is joined to it.
private struct PrefetchPlan {
    let prefetch: Prefetch

    /// The places of the tables that lead to that of the association, which is the last one.
    let tables: [Int]

    /// The joins that lead to the origin of the association.
    let basePath: [Join]

    /// The scopes that lead to the prefetched rows.
    let scopes: [String]

    /// Whether the columns of the origin are those of the last scope.
    let isInScope: Bool

    /// The associated rows of each row of a query.
    func fetch(for rows: [Row], of query: ResolvedQuery) throws -> [[Row]] {
        let query = try associatedQuery(for: rows, of: query)
        var groups: [PrefetchKey: [Row]] = [:]
        if !query.knownKeys.isEmpty {
            let request = QueryInterfaceRequest<Row>(relation: query.relation)
            let rows = try Row.fetchAll(query.db, request)
            let indexes = rows.first?.lastIndexes(of: query.keyColumns)
            for row in rows {
                guard let indexes, let key = PrefetchKey(row, indexes, query.comparisons),
                    query.knownKeys.contains(key)
                else { throw lostRow(row) }
                groups[key, default: []].append(row)
            }
        }
        return query.keys.map { key in key.flatMap { groups[$0] } ?? [] }
    }

    /// The request of the associated rows of all rows of a query.
    func request(for rows: [Row], of query: ResolvedQuery) throws -> AssociatedRequest {
        let query = try associatedQuery(for: rows, of: query)
        return AssociatedRequest(
            keyPath: scopes + prefetch.displayedKeyPath, relation: query.relation,
            keyColumns: query.keyColumns)
    }

    private func associatedQuery(
        for rows: [Row], of query: ResolvedQuery
    ) throws -> AssociatedQuery {
        let db = query.db
        let associatedRows = AssociatedRows(path: prefetch.path)
        let columns = try associatedRows.columns(db)
        if isInScope {
            // Rows that are joined all belong to the same tree of scopes.
            let origins = rows.map { row in scopes.reduce(row) { $0?.scopes[$1] } }
            let count = try query.ownColumnCount(ofTableAt: tables[tables.count - 1])
            if let indexes = origins[0]?.indexes(of: columns.map(\.left), among: count) {
                return try AssociatedQuery(db, associatedRows, columns, for: origins, indexes)
            }
        }
        // The origin is joined, and not all of its columns are fetched: start from the row itself.
        if !basePath.isEmpty {
            let associatedRows = AssociatedRows(path: basePath + prefetch.path)
            let columns = try associatedRows.columns(db)
            let count = try query.ownColumnCount(ofTableAt: 0)
            if let indexes = rows[0].indexes(of: columns.map(\.left), among: count) {
                return try AssociatedQuery(db, associatedRows, columns, for: rows, indexes)
            }
        }
        throw DatabaseError(
            resultCode: .SQLITE_MISUSE,
            message: """
                Can't prefetch the association "\(prefetch.key)": the request does not select \
                \(columns.map(\.left).joined(separator: ", "))
                """)
    }

    /// The row was found under a key that SQLite takes for equal, by rules of its own.
    private func lostRow(_ row: Row) -> DatabaseError {
        DatabaseError(
            resultCode: .SQLITE_MISMATCH,
            message: """
                Can't prefetch the association "\(prefetch.key)": the key of \(row) is compared by \
                the types or the collation of columns in a way that is not supported
                """)
    }
}

/// The query of the associated rows of some rows.
private struct AssociatedQuery {
    let db: Database

    /// What the columns that join both tables are called in the rows, and in the associated rows.
    let columns: [(left: String, right: String)]
    let comparisons: [KeyComparison]

    /// The key of each row; nil for those that have no associated rows.
    let keys: [PrefetchKey?]
    let knownKeys: Set<PrefetchKey>
    private let associatedRows: AssociatedRows

    /// - parameter indexes: the positions of the columns in the rows.
    init(
        _ db: Database, _ associatedRows: AssociatedRows,
        _ columns: [(left: String, right: String)], for origins: [Row?], _ indexes: [Int]
    ) throws {
        self.db = db
        self.associatedRows = associatedRows
        self.columns = columns
        let target = associatedRows.path[0].relation.tableName
        let comparisons = try columns.map { try db.keyComparison(ofColumn: $0.right, in: target) }
        keys = origins.map { row in row.flatMap { PrefetchKey($0, indexes, comparisons) } }
        knownKeys = Set(keys.compactMap { $0 })
        self.comparisons = comparisons
    }

    /// The columns that tell the key of an associated row.
    var keyColumns: [String] { columns.map { prefetchedKeyPrefix + $0.right } }

    var relation: Relation {
        let columns = columns.map(\.right)
        let values = PrefetchKey.sorted(knownKeys)
        return associatedRows.relation(keyPrefix: prefetchedKeyPrefix) { _ in
            keyCondition(columns, values)
        }
    }
}

/// The values of the columns that join two tables.
private struct PrefetchKey: Hashable {
    let values: [Value]

    /// The values, in the spelling that was found first.
    let databaseValues: [DatabaseValue]

    enum Value: Hashable, Comparable {
        case integer(Int64)
        case real(Double)
        case text([UInt8])
        case blob([UInt8])

        static func < (lhs: Value, rhs: Value) -> Bool {
            switch (lhs, rhs) {
            case (.integer(let lhs), .integer(let rhs)): lhs < rhs
            case (.real(let lhs), .real(let rhs)): lhs < rhs
            case (.integer(let lhs), .real(let rhs)): Double(lhs) < rhs
            case (.real(let lhs), .integer(let rhs)): lhs < Double(rhs)
            case (.text(let lhs), .text(let rhs)), (.blob(let lhs), .blob(let rhs)):
                lhs.lexicographicallyPrecedes(rhs)
            default: lhs.rank < rhs.rank
            }
        }

        private var rank: Int {
            switch self {
            case .integer, .real: 0
            case .text: 1
            case .blob: 2
            }
        }
    }

    /// Nil if a value is NULL, which equals nothing.
    init?(_ row: Row, _ indexes: [Int], _ comparisons: [KeyComparison]) {
        var values: [Value] = []
        var databaseValues: [DatabaseValue] = []
        for (index, comparison) in zip(indexes, comparisons) {
            let databaseValue: DatabaseValue = row[index]
            switch databaseValue.storage {
            case .null: return nil
            case .int64(let integer): values.append(comparison.value(integer))
            case .double(let real):
                values.append(Int64(exactly: real).map { comparison.value($0) } ?? .real(real))
            case .string(let text): values.append(comparison.value(text))
            case .blob(let data): values.append(.blob(Array(data)))
            }
            databaseValues.append(databaseValue)
        }
        self.values = values
        self.databaseValues = databaseValues
    }

    static func == (lhs: PrefetchKey, rhs: PrefetchKey) -> Bool { lhs.values == rhs.values }

    func hash(into hasher: inout Hasher) { hasher.combine(values) }

    /// The different keys in a stable order.
    static func sorted(_ keys: Set<PrefetchKey>) -> [[DatabaseValue]] {
        keys.sorted { $0.values.lexicographicallyPrecedes($1.values) }.map(\.databaseValues)
    }
}

/// Which values are equal for a column, given its type and its collation.
private struct KeyComparison {
    enum Collation {
        case binary, nocase, rtrim
    }

    var collation = Collation.binary

    /// Whether numbers are compared as texts.
    var comparesTexts = false

    /// Whether texts that look like numbers are compared as numbers.
    var comparesNumbers = false

    func value(_ integer: Int64) -> PrefetchKey.Value {
        comparesTexts ? .text(Array(String(integer).utf8)) : .integer(integer)
    }

    func value(_ text: String) -> PrefetchKey.Value {
        if comparesNumbers, let integer = Int64(text) { return .integer(integer) }
        let text = Array(text.utf8)
        switch collation {
        case .binary: return .text(text)
        case .nocase: return .text(text.map { ASCIICase.fold($0) })
        case .rtrim:
            return .text(Array(text.reversed().drop { $0 == UInt8(ascii: " ") }.reversed()))
        }
    }
}

extension Database {
    /// How `"column" IN (…)` compares.
    ///
    /// See <https://www.sqlite.org/datatype3.html#determination_of_column_affinity>.
    fileprivate func keyComparison(
        ofColumn column: String, in table: Relation.TableName
    ) throws -> KeyComparison {
        let info = raw.columnMetadata(column, in: table.name, schema: table.schema)
        var comparison = KeyComparison()
        switch info?.collation.lowercased() {
        case "nocase": comparison.collation = .nocase
        case "rtrim": comparison.collation = .rtrim
        default: break
        }
        if let type = info?.type.uppercased() {
            func has(_ names: String...) -> Bool { names.contains { type.contains($0) } }
            if has("INT") {
                comparison.comparesNumbers = true
            } else if has("CHAR", "CLOB", "TEXT") {
                comparison.comparesTexts = true
            } else if !type.isEmpty, !has("BLOB") {
                comparison.comparesNumbers = true
            }
        }
        return comparison
    }
}

extension Row {
    /// The positions of columns; nil if one of them is missing.
    ///
    /// - parameter count: the number of columns to look at; nil for all.
    fileprivate func indexes(of columns: [String], among count: Int?) -> [Int]? {
        let names = Array(columnNames).prefix(count ?? .max)
        let indexes = columns.compactMap { column in
            names.firstIndex { ASCIICase.equal($0, column) }
        }
        return indexes.count == columns.count ? indexes : nil
    }

    /// The positions of the last columns with the names.
    fileprivate func lastIndexes(of columns: [String]) -> [Int]? {
        let names = Array(columnNames)
        let indexes = columns.compactMap { column in
            names.lastIndex { ASCIICase.equal($0, column) }
        }
        return indexes.count == columns.count ? indexes : nil
    }
}
