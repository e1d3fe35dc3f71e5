import GRDB

/// The definition of a table over a collection, shared by all connections that have it.
final class CollectionTableDescription: Sendable {
    enum Source: Sendable {
        /// Elements that never change.
        case fixed(CollectionSnapshot)
        /// Elements that a closure returns for each statement.
        case provided(@Sendable (Database) throws -> CollectionSnapshot)
        /// Elements that a closure makes of the arguments of a table-valued function.
        case function(@Sendable (Database, [DatabaseValue]) throws -> CollectionSnapshot)
    }

    let columns: [CollectionColumn]
    let parameters: [String]

    /// The number of columns before the parameters. SQLite takes the first hidden columns for the
    /// parameters of a function.
    let firstParameter: Int
    let source: Source
    let trust: VirtualTableTrust
    private let latestRowCount: Locked<Int>

    init(
        columns: [CollectionColumn], parameters: [String] = [], source: Source,
        trust: VirtualTableTrust = .standard, estimatedRowCount: Int?
    ) {
        let visible = parameters.isEmpty ? columns : columns.filter { !$0.isHidden }
        firstParameter = visible.count
        self.columns = parameters.isEmpty ? columns : visible + columns.filter(\.isHidden)
        self.parameters = parameters
        self.source = source
        self.trust = trust
        latestRowCount = Locked(
            min(max(estimatedRowCount ?? (parameters.isEmpty ? 1000 : 25), 0), Int(Int32.max)))
        keepsEstimate = estimatedRowCount != nil
    }

    private let keepsEstimate: Bool

    /// The number of rows that the query planner should expect.
    var rowCount: Int {
        if case .fixed(let snapshot) = source { return snapshot.count }
        return latestRowCount.withLock { $0 }
    }

    func noteRowCount(_ count: Int) {
        if !keepsEstimate { latestRowCount.withLock { $0 = count } }
    }

    var declaration: String {
        var terms = columns.map(\.declaration)
        terms.insert(
            contentsOf: parameters.map { "\($0.quotedDatabaseIdentifier) HIDDEN" },
            at: firstParameter)
        let key = columns.filter(\.isPrimaryKey).map(\.name.quotedDatabaseIdentifier)
        if !key.isEmpty { terms.append("PRIMARY KEY (\(key.joined(separator: ", ")))") }
        return "CREATE TABLE x(\(terms.joined(separator: ", ")))"
    }

    func makeModule(_ name: String) -> DatabaseModule {
        DatabaseModule(name: name) { [self] db in
            ClosureModule(
                db.raw,
                RawTableModule.Features(
                    isEponymousOnly: true, isEponymous: true, isWritable: false,
                    hasTransactions: false, shadowNames: [])
            ) { [weak db] _, _ in
                (CollectionTable(self, db), self.declaration, self.trust.config)
            }
        }
    }
}

/// A table over a collection in one connection.
final class CollectionTable: RawVirtualTable {
    let description: CollectionTableDescription
    private weak var database: Database?
    let steps: UnsafeMutableBufferPointer<ElementStep>

    /// The elements that the open cursors read, so that a statement sees the same ones in all of them.
    private var snapshot: CollectionSnapshot?
    private var cursorCount = 0

    init(_ description: CollectionTableDescription, _ database: Database?) {
        self.description = description
        self.database = database
        steps = .allocate(capacity: description.columns.count)
        _ = steps.initialize(
            from: description.columns.map {
                ElementStep(kind: $0.reader.kind, offset: $0.reader.offset)
            })
    }

    deinit { steps.deallocate() }

    override func returnsOnlyValues(of affinity: RawAffinity, at index: Int) -> Bool {
        // The parameters are between the columns.
        let first = description.firstParameter
        let column = index < first ? index : index - description.parameters.count
        if index >= first, column < first { return false }
        return steps[column].kind.isStored(as: affinity)
    }

    override func makeCursor() throws -> RawTableCursor {
        let cursor = CollectionCursor(self)
        cursorCount += 1
        return cursor
    }

    func cursorDidClose() {
        cursorCount -= 1
        if cursorCount == 0 { snapshot = nil }
    }

    /// The elements for a cursor, with the arguments of a function.
    func elements(_ arguments: [DatabaseValue]) throws -> CollectionSnapshot {
        switch description.source {
        case .fixed(let snapshot):
            return snapshot
        case .provided(let make):
            if let snapshot { return snapshot }
            guard let database else { throw Database.closedError }
            let elements = try make(database)
            description.noteRowCount(elements.count)
            snapshot = elements
            return elements
        case .function(let make):
            guard let database else { throw Database.closedError }
            let elements = try make(database, arguments)
            description.noteRowCount(elements.count)
            return elements
        }
    }

    // MARK: - Plans

    /// What a cursor does, as bits of the number of the plan. The arguments come in this order.
    struct Plan: OptionSet {
        let rawValue: Int32

        static let rowID = Plan(rawValue: 1)
        static let equal = Plan(rawValue: 2)
        static let list = Plan(rawValue: 4)
        static let lower = Plan(rawValue: 8)
        static let upper = Plan(rawValue: 16)
        static let lowerIsExclusive = Plan(rawValue: 32)
        static let upperIsExclusive = Plan(rawValue: 64)
        static let sorted = Plan(rawValue: 128)
        static let descending = Plan(rawValue: 256)
        static let limit = Plan(rawValue: 512)
        static let offset = Plan(rawValue: 1024)

        /// The indexed column is in the bits from here.
        static let columnShift: Int32 = 12
    }

    override func plan(_ raw: RawTablePlan) throws -> Bool {
        var plan = VirtualTablePlan(raw)
        var bits: Plan = []
        var indexed: Int?
        let rowCount = Double(description.rowCount)
        guard let argumentCount = useArguments(&plan) else { return false }

        func find(
            _ column: Int?, _ comparisons: VirtualTablePlan.Comparison...
        ) -> VirtualTablePlan.Constraint? {
            plan.constraints.first {
                comparisons.contains($0.comparison)
                    && (column == nil ? isIndexed($0.column) : $0.column == column)
                    && $0.collation.uppercased() == "BINARY"
            }
        }

        plan.cost = rowCount + 10
        plan.rowCount = Int(rowCount)
        if description.parameters.isEmpty, let constraint = find(-1, .equal) {
            bits.insert(.rowID)
            plan.use(constraint)
            plan.cost = 1
            plan.rowCount = 1
            plan.isUnique = true
        } else if let constraint = find(nil, .equal) {
            indexed = constraint.column
            bits.insert(.equal)
            if constraint.isList { bits.insert(.list) }
            plan.use(constraint, receivesList: true)
            let found = estimatedRowCount(equalOn: constraint.column)
            plan.cost = 2 + found
            plan.rowCount = Int(found)
        } else {
            // The lists are sorted by the bytes of UTF-8.
            let isSorted = database?.raw.encodesUTF16 != true
            let lower = isSorted ? find(nil, .greaterThan, .greaterThanOrEqual) : nil
            let upper =
                !isSorted
                ? nil
                : lower.map { find($0.column, .lessThan, .lessThanOrEqual) }
                    ?? find(nil, .lessThan, .lessThanOrEqual)
            if let lower {
                indexed = lower.column
                bits.insert(
                    lower.comparison == .greaterThan ? [.lower, .lowerIsExclusive] : .lower)
                plan.use(lower)
            }
            if let upper {
                indexed = upper.column
                bits.insert(upper.comparison == .lessThan ? [.upper, .upperIsExclusive] : .upper)
                plan.use(upper)
            }
            if indexed != nil {
                bits.insert(.sorted)
                let part = lower != nil && upper != nil ? 0.1 : 0.3
                plan.cost = 10 + rowCount * part
                plan.rowCount = Int(rowCount * part)
            }
            setOrder(&plan, &bits, &indexed) { isSorted && isIndexed($0) }
        }
        if let indexed { bits.insert(Plan(rawValue: Int32(indexed) << Plan.columnShift)) }
        skipRows(&plan, &bits, argumentCount: argumentCount)
        plan.number = Int(bits.rawValue)
        try plan.apply()
        return true
    }

    /// Takes the arguments of a function.
    ///
    /// - returns: their number; nil if another order of the join provides an argument.
    private func useArguments(_ plan: inout VirtualTablePlan) -> Int? {
        let first = description.firstParameter
        var given: [VirtualTablePlan.Constraint] = []
        for parameter in first..<(first + description.parameters.count) {
            if let argument = plan.constraints.first(where: {
                $0.column == parameter && $0.comparison == .equal
            }) {
                given.append(argument)
            } else if plan.unusableConstraints.contains(where: {
                $0.column == parameter && $0.comparison == .equal
            }) {
                return nil
            }
        }
        for argument in given { plan.use(argument, isExact: true) }
        if !given.isEmpty {
            plan.text = given.map { String($0.column - first) }.joined(separator: " ")
        }
        return given.count
    }

    private func isIndexed(_ column: Int) -> Bool {
        // The rows of a function are read once. And with an argument from IN, SQLite finds no order of a join
        // if the plan also takes values from other tables.
        description.parameters.isEmpty && description.columns.indices.contains(column)
            && description.columns[column].isIndexed
    }

    /// Rows can be skipped when no other condition chooses among them.
    private func skipRows(
        _ plan: inout VirtualTablePlan, _ bits: inout Plan, argumentCount: Int
    ) {
        let others = plan.constraints.count - argumentCount + plan.unusableConstraints.count
        let limits = plan.constraints.filter {
            $0.comparison == .limit || $0.comparison == .offset
        }
        if others == limits.count, plan.isOrdered || plan.orderings.isEmpty {
            if let offset = limits.first(where: { $0.comparison == .offset }),
                let limit = limits.first(where: { $0.comparison == .limit })
            {
                bits.insert([.limit, .offset])
                plan.use(limit)
                plan.use(offset, isExact: true)
            }
        }
    }

    private func estimatedRowCount(equalOn column: Int) -> Double {
        if case .fixed(let snapshot) = description.source,
            let count = snapshot.rowCount(perValueOf: column)
        {
            return Double(count)
        }
        return description.columns[column].isPrimaryKey
            ? 1 : max(1, Double(description.rowCount) / 100)
    }

    private func setOrder(
        _ plan: inout VirtualTablePlan, _ bits: inout Plan, _ indexed: inout Int?,
        _ isIndexed: (Int) -> Bool
    ) {
        guard plan.orderings.count == 1, let ordering = plan.orderings.first else { return }
        if ordering.column < 0 {
            guard indexed == nil else { return }
        } else {
            guard isIndexed(ordering.column), indexed == nil || indexed == ordering.column
            else { return }
            indexed = ordering.column
            bits.insert(.sorted)
        }
        if ordering.isDescending { bits.insert(.descending) }
        plan.isOrdered = true
    }
}

extension CollectionTable.Plan {
    var column: Int { Int(rawValue >> Self.columnShift) }
}
