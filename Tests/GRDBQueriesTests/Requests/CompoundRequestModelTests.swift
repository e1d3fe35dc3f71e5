import GRDB
import GRDBQueries
import GRDBTestSupport
import Testing

/// Random compound requests on random rows, compared with the same queries computed over Swift
/// arrays.
@Suite struct CompoundRequestModelTests {
    @Test func randomRequests() throws {
        for seed in 1...UInt64(16) {
            var random = SplitMix64(seed: seed)
            let items = Item.random(using: &random)
            try DatabaseQueue().write { db in
                try db.execute(
                    sql: "CREATE TABLE item (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, s TEXT)")
                for item in items {
                    let values = Item.columns.map { item.values[$0]!.dbValue }
                    try db.execute(
                        sql: "INSERT INTO item VALUES (?, ?, ?, ?)",
                        arguments: StatementArguments(values))
                }
                for index in 0..<100 {
                    let compound = Compound.random(
                        depth: .random(in: 0...2, using: &random),
                        width: .random(in: 1...3, using: &random), using: &random)
                    var difference = try differenceOfRows(compound, items, db)
                    if difference == nil, index % 3 == 0 {
                        difference = try differenceOfOtherUses(compound, items, db)
                    }
                    if let difference {
                        let literal = try SQL("\(compound.request)").build(db)
                        Issue.record(
                            """
                            Request \(index) of seed \(seed): \(difference)
                            \(literal.sql) \(literal.arguments)
                            """)
                        return
                    }
                }
            }
        }
    }

    /// How the fetched rows differ from those of the arrays.
    private func differenceOfRows(
        _ compound: Compound, _ items: [Item], _ db: Database
    ) throws -> String? {
        let request = compound.request
        let expected = compound.rows(items)
        let fetched = try request.fetchAll(db).map { row in
            Array(row.databaseValues.map { Value($0) })
        }
        if compound.ending?.isTotal == true {
            if fetched != expected { return "\(fetched), not \(expected)" }
        } else if fetched.sorted(by: Self.precedes) != expected.sorted(by: Self.precedes) {
            return "\(fetched), not \(expected) in any order"
        }
        return nil
    }

    /// How the request differs from the arrays when its rows are counted, or when it is a subquery.
    private func differenceOfOtherUses(
        _ compound: Compound, _ items: [Item], _ db: Database
    ) throws -> String? {
        let request = compound.request
        let expected = compound.rows(items)
        let count = try request.fetchCount(db)
        if count != expected.count { return "counts \(count), not \(expected.count)" }
        let isEmpty = try request.isEmpty(db)
        if isEmpty != expected.isEmpty { return "isEmpty is \(isEmpty)" }

        // As a subquery
        guard compound.width == 1 else { return nil }
        let ids = try Table("item").filter(request.contains(Column("a")))
            .selectPrimaryKey(as: Int64.self).fetchSet(db)
        let values = Set(expected.map { $0[0] })
        let expectedIDs = Set(
            items.filter { $0.values["a"] != .null && values.contains($0.values["a"]!) }
                .map { $0.values["id"]! })
        if Set(ids.map { Value.int($0) }) != expectedIDs { return "contains \(ids)" }
        return nil
    }
}

// MARK: - Values

extension ModelValue {
    fileprivate static func random(using random: inout SplitMix64) -> ModelValue {
        switch Int.random(in: 0..<8, using: &random) {
        case 0, 1: .null
        case 2: .text(["", "a", "ab", "B"].randomElement(using: &random)!)
        default: .int(.random(in: -1...2, using: &random))
        }
    }
}

extension CompoundRequestModelTests {
    private typealias Value = ModelValue

    private static func precedes(_ left: [Value], _ right: [Value]) -> Bool {
        left.lexicographicallyPrecedes(right)
    }

    /// A row of the table, which has few different values, so that members share some.
    private struct Item {
        static let columns = ["id", "a", "b", "s"]

        var values: [String: Value]

        static func random(using random: inout SplitMix64) -> [Item] {
            (1...Int64.random(in: 1...8, using: &random)).map { id in
                func int() -> Value {
                    Int.random(in: 0..<5, using: &random) == 0
                        ? .null : .int(.random(in: -1...2, using: &random))
                }
                let texts: [Value] = [.null, .text(""), .text("a"), .text("ab"), .text("B")]
                return Item(values: [
                    "id": .int(id), "a": int(), "b": int(),
                    "s": texts.randomElement(using: &random)!,
                ])
            }
        }
    }
}

// MARK: - Members

extension CompoundRequestModelTests {
    /// The expression of a result column.
    private enum Term {
        case column(String)
        case constant(Value)
        case increment(String)

        static func random(using random: inout SplitMix64) -> Term {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: .constant(.random(using: &random))
            case 1: .increment(["id", "a", "b"].randomElement(using: &random)!)
            default: .column(Item.columns.randomElement(using: &random)!)
            }
        }

        var expression: SQLExpression {
            switch self {
            case .column(let name): Column(name).sqlExpression
            case .constant(let value): value.dbValue.sqlExpression
            case .increment(let name): Column(name) + 1
            }
        }

        func value(_ item: Item) -> Value {
            switch self {
            case .column(let name): item.values[name]!
            case .constant(let value): value
            case .increment(let name): item.values[name]!.int.map { .int($0 + 1) } ?? .null
            }
        }
    }

    private enum Filter {
        case isNull(String)
        case isNot(String, Int64)
        case less(String, Int64)

        static func random(using random: inout SplitMix64) -> Filter {
            let column = ["id", "a", "b"].randomElement(using: &random)!
            let bound = Int64.random(in: 0...3, using: &random)
            return switch Int.random(in: 0..<4, using: &random) {
            case 0: .isNull(column)
            case 1: .isNot(column, bound)
            default: .less(column, bound)
            }
        }

        var condition: SQLExpression {
            switch self {
            case .isNull(let name): Column(name) == nil
            case .isNot(let name, let value): Column(name) !== value
            case .less(let name, let bound): Column(name) < bound
            }
        }

        func accepts(_ item: Item) -> Bool {
            switch self {
            case .isNull(let name): item.values[name] == .null
            case .isNot(let name, let value): item.values[name] != .int(value)
            case .less(let name, let bound): item.values[name]!.int.map { $0 < bound } ?? false
            }
        }
    }

    /// A request that is no compound. Its result columns are called c0, c1, …
    private struct Member {
        enum Source: CaseIterable {
            case table, commonTable, sql, values
        }

        var source: Source
        var terms: [Term]
        var filters: [Filter]
        var isDistinct: Bool
        var ending: Ending?
        /// The rows of a list of values.
        var values: [[Value]]

        /// - parameter isFirst: whether the member names the columns of the compound.
        static func random(width: Int, isFirst: Bool, using random: inout SplitMix64) -> Member {
            let source = Source.allCases.randomElement(using: &random)!
            if source == .values, !isFirst {
                let values = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    (0..<width).map { _ in Value.random(using: &random) }
                }
                return Member(
                    source: source, terms: [], filters: [], isDistinct: false, values: values)
            }
            return Member(
                source: source == .values ? .table : source,
                terms: (0..<width).map { _ in .random(using: &random) },
                filters: (0..<Int.random(in: 0...2, using: &random)).map { _ in
                    .random(using: &random)
                },
                isDistinct: Int.random(in: 0..<5, using: &random) == 0,
                ending: Int.random(in: 0..<4, using: &random) == 0
                    ? .random(width: width, isComplete: true, using: &random) : nil,
                values: [])
        }

        private var condition: SQLExpression { filters.map(\.condition).joined(operator: .and) }

        private var names: [String] { terms.indices.map { "c\($0)" } }

        var request: any FetchRequest<Row> & Sendable {
            switch source {
            case .table:
                return request(Table("item").all().filter(condition))
            case .commonTable:
                let cte = CommonTableExpression<Row>(
                    named: "part", request: Table("item").filter(condition))
                return request(cte.all().with(cte))
            case .sql:
                return SQLRequest<Row>(literal: literal)
            case .values:
                let rows = values.map { row in
                    SQL("\(row.map(\.dbValue))")
                }
                return SQLRequest<Row>(literal: "VALUES \(rows.joined(separator: ", "))")
            }
        }

        private func request(_ base: QueryInterfaceRequest<Row>) -> QueryInterfaceRequest<Row> {
            var request = base.select(zip(terms, names).map { $0.expression.forKey($1) })
            if isDistinct { request = request.distinct() }
            guard let ending else { return request }
            request = request.order(
                ending.orderings.map { $0.term(Column("c\($0.column)").detached) })
            if ending.isReversed { request = request.reversed() }
            if let limit = ending.limit {
                request = request.limit(limit.count, offset: limit.offset)
            }
            return request
        }

        private var literal: SQL {
            let selection = zip(terms, names).map { SQL("\($0.expression) AS \(identifier: $1)") }
            var literal: SQL = isDistinct ? "SELECT DISTINCT " : "SELECT "
            literal += "\(selection.joined(separator: ", ")) FROM item WHERE \(condition)"
            guard let ending else { return literal }
            let orderings = ending.effectiveOrderings.map { ordering in
                SQL("\(ordering.term(Column("c\(ordering.column)").detached))")
            }
            literal += " ORDER BY \(orderings.joined(separator: ", "))"
            if let limit = ending.limit { literal += " LIMIT \(limit.count)" }
            if let offset = ending.limit?.offset { literal += " OFFSET \(offset)" }
            return literal
        }

        func rows(_ items: [Item]) -> [[Value]] {
            if source == .values { return values }
            var rows = items.filter { item in filters.allSatisfy { $0.accepts(item) } }
                .map { item in terms.map { $0.value(item) } }
            if isDistinct { rows = Array(Set(rows)) }
            return ending.map { $0.rows(rows) } ?? rows
        }
    }
}

// MARK: - Order and limit

extension CompoundRequestModelTests {
    /// The order of rows by a result column.
    private struct Ordering {
        var column: Int
        var isDescending: Bool
        /// Whether NULL does not stand where SQLite has it by default.
        var movesNull: Bool

        func term(_ expression: some SQLSpecificExpressible) -> SQLOrdering {
            switch (isDescending, movesNull) {
            case (false, false): expression.asc
            case (false, true): expression.ascNullsLast
            case (true, false): expression.desc
            case (true, true): expression.descNullsFirst
            }
        }

        /// nil when none of both rows stands before the other one.
        func precedes(_ left: [Value], _ right: [Value]) -> Bool? {
            let (left, right) = (left[column], right[column])
            if left == right { return nil }
            if movesNull, left == .null || right == .null { return (left == .null) == isDescending }
            return (left < right) != isDescending
        }
    }

    private struct Ending {
        var width: Int
        var orderings: [Ordering]
        /// Whether all columns follow in the order.
        var isStable = false
        var isReversed = false
        var limit: (count: Int, offset: Int?)?

        /// Whether the order of rows is known.
        var isTotal: Bool { isStable || orderings.count == width }

        /// - parameter isComplete: whether rows are sorted by each column.
        static func random(
            width: Int, isComplete: Bool, using random: inout SplitMix64
        ) -> Ending {
            let columns = (0..<width).shuffled(using: &random)
            let count = isComplete ? width : Int.random(in: 0...width, using: &random)
            var ending = Ending(
                width: width,
                orderings: columns.prefix(count).map {
                    Ordering(
                        column: $0, isDescending: .random(using: &random),
                        movesNull: Int.random(in: 0..<4, using: &random) == 0)
                })
            ending.isStable = !isComplete && Bool.random(using: &random)
            ending.isReversed = Int.random(in: 0..<3, using: &random) == 0
            if ending.isTotal, Bool.random(using: &random) {
                let hasOffset = Bool.random(using: &random)
                ending.limit = (
                    .random(in: 0...5, using: &random),
                    hasOffset ? .random(in: 0...3, using: &random) : nil
                )
            }
            return ending
        }

        /// The orderings that remain once they are completed, and reversed.
        var effectiveOrderings: [Ordering] {
            var result = orderings
            if isStable {
                result += (0..<width).map {
                    Ordering(column: $0, isDescending: false, movesNull: false)
                }
            }
            if isReversed {
                for index in result.indices { result[index].isDescending.toggle() }
            }
            return result
        }

        /// The rows in order, and those within the limit.
        func rows(_ rows: [[Value]]) -> [[Value]] {
            let orderings = effectiveOrderings
            let sorted = rows.sorted { left, right in
                orderings.lazy.compactMap { $0.precedes(left, right) }.first ?? false
            }
            guard let limit else { return sorted }
            return Array(sorted.dropFirst(limit.offset ?? 0).prefix(limit.count))
        }
    }
}

// MARK: - Compounds

extension CompoundRequestModelTests {
    private enum Operator: CaseIterable {
        case union, unionAll, intersect, except

        func request(
            _ left: some FetchRequest<Row> & Sendable, _ right: some SQLSubqueryable
        ) -> CompoundRequest<Row> {
            switch self {
            case .union: left.union(right)
            case .unionAll: left.unionAll(right)
            case .intersect: left.intersect(right)
            case .except: left.except(right)
            }
        }

        func rows(_ left: [[Value]], _ right: [[Value]]) -> [[Value]] {
            switch self {
            case .union: Array(Set(left).union(right))
            case .unionAll: left + right
            case .intersect: Array(Set(left).intersection(right))
            case .except: Array(Set(left).subtracting(right))
            }
        }
    }

    private indirect enum Operand {
        case member(Member)
        case compound(Compound)

        static func random(
            depth: Int, width: Int, isFirst: Bool, using random: inout SplitMix64
        ) -> Operand {
            if depth > 0, Int.random(in: 0..<3, using: &random) == 0 {
                return .compound(.random(depth: depth - 1, width: width, using: &random))
            }
            return .member(.random(width: width, isFirst: isFirst, using: &random))
        }

        var request: any FetchRequest<Row> & Sendable {
            switch self {
            case .member(let member): member.request
            case .compound(let compound): compound.request
            }
        }

        func rows(_ items: [Item]) -> [[Value]] {
            switch self {
            case .member(let member): member.rows(items)
            case .compound(let compound): compound.rows(items)
            }
        }
    }

    private struct Compound {
        var width: Int
        var first: Operand
        var others: [(sqlOperator: Operator, operand: Operand)]
        var ending: Ending?
        /// Whether the order is by the numbers of the result columns, instead of their names.
        var isOrderedByNumber: Bool

        static func random(depth: Int, width: Int, using random: inout SplitMix64) -> Compound {
            Compound(
                width: width,
                first: .random(depth: depth, width: width, isFirst: true, using: &random),
                others: (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    (
                        Operator.allCases.randomElement(using: &random)!,
                        .random(depth: depth, width: width, isFirst: false, using: &random)
                    )
                },
                ending: Bool.random(using: &random)
                    ? .random(width: width, isComplete: false, using: &random) : nil,
                isOrderedByNumber: Bool.random(using: &random))
        }

        var request: CompoundRequest<Row> {
            var request = others[0].sqlOperator.request(first.request, others[0].operand.request)
            for (sqlOperator, operand) in others.dropFirst() {
                request = sqlOperator.request(request, operand.request)
            }
            guard let ending else { return request }
            request = request.order(
                ending.orderings.map { ordering in
                    isOrderedByNumber
                        ? ordering.term(SQLExpression.resultColumn(ordering.column + 1))
                        : ordering.term(Column("c\(ordering.column)"))
                })
            if ending.isStable { request = request.withStableOrder() }
            if ending.isReversed { request = request.reversed() }
            if let limit = ending.limit {
                request = request.limit(limit.count, offset: limit.offset)
            }
            return request
        }

        func rows(_ items: [Item]) -> [[Value]] {
            let rows = others.reduce(first.rows(items)) { rows, other in
                other.sqlOperator.rows(rows, other.operand.rows(items))
            }
            return ending.map { $0.rows(rows) } ?? rows
        }
    }
}
