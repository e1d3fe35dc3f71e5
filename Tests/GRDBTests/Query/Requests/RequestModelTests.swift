import GRDB
import GRDBTestSupport
import Testing

/// Random requests on random rows, compared with the same queries computed over Swift arrays. A negated condition in the
/// sources shows in at least a third of the tables.
@Suite struct RequestModelTests {
    @Test func randomRequests() throws {
        var random = SplitMix64(seed: 20_261_121)
        var count = 0
        while count < 2_000 {
            let rows = ModelRow.random(using: &random)
            try DatabaseQueue().write { db in
                try db.execute(
                    sql: "CREATE TABLE item(id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, s TEXT)")
                for row in rows {
                    try db.execute(
                        literal: """
                            INSERT INTO item VALUES \
                            (\(row.id), \(row.a.dbValue), \(row.b.dbValue), \(row.s.dbValue))
                            """)
                }
                for _ in 0..<200 {
                    count += 1
                    let query = ModelQuery.random(using: &random)
                    let expected = query.result(rows)
                    let request = query.request
                    let fetched = try Row.fetchAll(db, request).map { row in
                        Array(row.databaseValues.map { ModelValue($0) })
                    }
                    guard fetched == expected else {
                        let statement = try request.makePreparedRequest(db).statement
                        let sql = "\(statement.sql) \(statement.arguments)"
                        Issue.record("\(sql): \(fetched), and not \(expected), in \(rows)")
                        return
                    }
                    let fetchedCount = try request.fetchCount(db)
                    guard fetchedCount == expected.count else {
                        let statement = try request.makePreparedRequest(db).statement
                        let sql = "\(statement.sql) \(statement.arguments)"
                        Issue.record("count of \(sql): \(fetchedCount), not \(expected.count)")
                        return
                    }
                    let isEmpty = try request.isEmpty(db)
                    expectEqual(isEmpty, expected.isEmpty)
                }
            }
        }
    }
}

// MARK: - Rows

private struct ModelRow {
    var id: Int64
    var a: ModelValue
    var b: ModelValue
    var s: ModelValue

    static func random(using random: inout SplitMix64) -> [ModelRow] {
        (1...Int64.random(in: 1...14, using: &random)).map { id in
            func int() -> ModelValue {
                Int.random(in: 0..<5, using: &random) == 0
                    ? .null : .int(.random(in: -3...4, using: &random))
            }
            let texts: [ModelValue] = [.null, .text(""), .text("a"), .text("ab"), .text("B")]
            return ModelRow(id: id, a: int(), b: int(), s: texts.randomElement(using: &random)!)
        }
    }
}

// MARK: - Expressions

/// An expression, and how to compute it for a row.
private struct ModelExpression {
    var sql: SQLExpression
    var value: (ModelRow) -> ModelValue

    static let columns: [(name: String, value: @Sendable (ModelRow) -> ModelValue)] = [
        ("id", { .int($0.id) }), ("a", { $0.a }), ("b", { $0.b }),
    ]

    static func integer(_ depth: Int, _ random: inout SplitMix64) -> ModelExpression {
        func sub() -> ModelExpression { integer(depth - 1, &random) }
        let kinds = depth > 0 ? 10 : 2
        switch Int.random(in: 0..<kinds, using: &random) {
        case 0:
            let column = columns.randomElement(using: &random)!
            return .init(sql: Column(column.name).sqlExpression, value: column.value)
        case 1:
            let constant = Int64.random(in: -3...4, using: &random)
            return .init(sql: constant.sqlExpression) { _ in .int(constant) }
        case 2:
            let (l, r) = (sub(), sub())
            return arithmetic(l, r, l.sql + r.sql) { $0 &+ $1 }
        case 3:
            let (l, r) = (sub(), sub())
            return arithmetic(l, r, l.sql - r.sql) { $0 &- $1 }
        case 4:
            let (l, r) = (sub(), sub())
            return arithmetic(l, r, l.sql * r.sql) { $0 &* $1 }
        case 5:
            let (l, r) = (sub(), sub())
            return arithmetic(l, r, l.sql / r.sql) { $1 == 0 ? nil : $0 / $1 }
        case 6:
            let e = sub()
            return .init(sql: -e.sql) { row in e.value(row).int.map { .int(-$0) } ?? .null }
        case 7:
            let (l, r) = (sub(), sub())
            return .init(sql: l.sql ?? r.sql) { row in
                let value = l.value(row)
                return value == .null ? r.value(row) : value
            }
        case 8:
            let (l, r) = (sub(), sub())
            return arithmetic(l, r, max(l.sql, r.sql)) { Swift.max($0, $1) }
        default:
            return condition(depth - 1, &random)
        }
    }

    private static func arithmetic(
        _ l: ModelExpression, _ r: ModelExpression, _ sql: SQLExpression,
        _ compute: @escaping (Int64, Int64) -> Int64?
    ) -> ModelExpression {
        .init(sql: sql) { row in
            guard let left = l.value(row).int, let right = r.value(row).int else { return .null }
            return compute(left, right).map { .int($0) } ?? .null
        }
    }

    static func condition(_ depth: Int, _ random: inout SplitMix64) -> ModelExpression {
        func sub() -> ModelExpression { condition(depth - 1, &random) }
        func operand() -> ModelExpression { integer(depth - 1, &random) }
        let kinds = depth > 0 ? 13 : 1
        switch Int.random(in: 0..<kinds, using: &random) {
        case 0:
            let column = columns.randomElement(using: &random)!
            return .init(sql: Column(column.name) > 0) { row in
                ModelValue(column.value(row).int.map { $0 > 0 })
            }
        case 1:
            let (l, r) = (sub(), sub())
            return .init(sql: l.sql && r.sql) { row in
                switch (l.value(row).bool, r.value(row).bool) {
                case (false, _), (_, false): .int(0)
                case (true, true): .int(1)
                default: .null
                }
            }
        case 2:
            let (l, r) = (sub(), sub())
            return .init(sql: l.sql || r.sql) { row in
                switch (l.value(row).bool, r.value(row).bool) {
                case (true, _), (_, true): .int(1)
                case (false, false): .int(0)
                default: .null
                }
            }
        case 3:
            let e = sub()
            return .init(sql: !e.sql) { row in ModelValue(e.value(row).bool.map { !$0 }) }
        case 4:
            let (l, r) = (operand(), operand())
            return comparison(l, r, l.sql == r.sql) { $0 == $1 }
        case 5:
            let (l, r) = (operand(), operand())
            return comparison(l, r, l.sql != r.sql) { $0 != $1 }
        case 6:
            let (l, r) = (operand(), operand())
            return comparison(l, r, l.sql < r.sql) { $0 < $1 }
        case 7:
            let (l, r) = (operand(), operand())
            return comparison(l, r, l.sql >= r.sql) { $0 >= $1 }
        case 8:
            let e = operand()
            return .init(sql: e.sql == nil) { row in ModelValue(e.value(row) == .null) }
        case 9:
            let (l, r) = (operand(), operand())
            return .init(sql: l.sql === r.sql) { row in ModelValue(l.value(row) == r.value(row)) }
        case 10:
            let e = operand()
            let values = (0..<Int.random(in: 0...130, using: &random)).map { _ in
                Int64.random(in: -3...4, using: &random)
            }
            return .init(sql: values.contains(e.sql)) { row in
                guard !values.isEmpty else { return .int(0) }
                return ModelValue(e.value(row).int.map { values.contains($0) })
            }
        case 11:
            let e = operand()
            let low = Int64.random(in: -3...1, using: &random)
            let high = low + Int64.random(in: 0...3, using: &random)
            return .init(sql: (low...high).contains(e.sql)) { row in
                ModelValue(e.value(row).int.map { (low...high).contains($0) })
            }
        default:
            let text = ["", "a", "ab", "B", "x"].randomElement(using: &random)!
            return .init(sql: Column("s") <= text) { row in
                guard case .text(let value) = row.s else { return .null }
                return ModelValue(
                    Array(value.utf8).lexicographicallyPrecedes(Array(text.utf8))
                        || value == text)
            }
        }
    }

    private static func comparison(
        _ l: ModelExpression, _ r: ModelExpression, _ sql: SQLExpression,
        _ compare: @escaping (Int64, Int64) -> Bool
    ) -> ModelExpression {
        .init(sql: sql) { row in
            guard let left = l.value(row).int, let right = r.value(row).int else { return .null }
            return ModelValue(compare(left, right))
        }
    }
}

// MARK: - Queries

private struct ModelQuery {
    var selection: [ModelExpression] = []
    var filters: [ModelExpression] = []
    var isDistinct = false
    /// Columns, and whether they sort in descending order.
    var ordering: [(ModelExpression, isDescending: Bool)] = []
    var isReversed = false
    var limit: (count: Int, offset: Int?)?
    var group: ModelExpression?

    static func random(using random: inout SplitMix64) -> ModelQuery {
        var query = ModelQuery()
        query.filters = (0..<Int.random(in: 0...3, using: &random)).map { _ in
            .condition(Int.random(in: 1...3, using: &random), &random)
        }
        if Int.random(in: 0..<5, using: &random) == 0 {
            // Constants would be the numbers of result columns.
            let column = ModelExpression.columns.randomElement(using: &random)!
            query.group = ModelExpression(
                sql: Column(column.name).sqlExpression, value: column.value)
            return query
        }
        query.selection = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            .integer(Int.random(in: 0...2, using: &random), &random)
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            query.isDistinct = true
            return query
        }
        query.ordering = (0..<Int.random(in: 0...2, using: &random)).map { _ in
            let column = ModelExpression.columns.randomElement(using: &random)!
            let expression = ModelExpression(
                sql: Column(column.name).sqlExpression, value: column.value)
            return (expression, Bool.random(using: &random))
        }
        query.isReversed = Bool.random(using: &random)
        if Bool.random(using: &random) {
            let offset =
                Bool.random(using: &random) ? Int.random(in: 0...5, using: &random) : nil
            query.limit = (Int.random(in: 0...6, using: &random), offset)
        }
        return query
    }

    /// The rows always come in an order that is fully defined.
    var request: QueryInterfaceRequest<Row> {
        var request = Table("item").all()
        for filter in filters {
            request = request.filter(filter.sql)
        }
        let a = Column("a")
        if let group {
            return
                request
                .select(group.sql, count(.all), count(a), sum(a), max(a), count(distinct: a))
                .group(group.sql)
                .order(group.sql)
        }
        request = request.select(selection.map(\.sql))
        if isDistinct {
            return request.distinct().order(
                (1...selection.count).map { SQL(sql: "\($0)") })
        }
        request = request.order(
            ordering.map { $0.isDescending ? $0.0.sql.desc : $0.0.sql.sqlOrdering })
        request = request.withStableOrder()
        if isReversed { request = request.reversed() }
        if let limit { request = request.limit(limit.count, offset: limit.offset) }
        return request
    }

    /// What the request fetches.
    func result(_ rows: [ModelRow]) -> [[ModelValue]] {
        var rows = rows.filter { row in filters.allSatisfy { $0.value(row).bool == true } }
        if let group {
            return Dictionary(grouping: rows, by: group.value)
                .sorted { $0.key < $1.key }
                .map { key, rows in
                    let values = rows.compactMap(\.a.int)
                    return [
                        key, .int(Int64(rows.count)), .int(Int64(values.count)),
                        values.isEmpty ? .null : .int(values.reduce(0, +)),
                        values.max().map { .int($0) } ?? .null,
                        .int(Int64(Set(values).count)),
                    ]
                }
        }
        if isDistinct {
            return Set(rows.map { row in selection.map { $0.value(row) } })
                .sorted { $0.lexicographicallyPrecedes($1) }
        }
        rows.sort { lhs, rhs in
            for (expression, isDescending) in ordering {
                let (left, right) = (expression.value(lhs), expression.value(rhs))
                if left != right { return (left < right) != isDescending }
            }
            return lhs.id < rhs.id
        }
        if isReversed { rows.reverse() }
        if let limit {
            rows = Array(rows.dropFirst(limit.offset ?? 0).prefix(limit.count))
        }
        return rows.map { row in selection.map { $0.value(row) } }
    }
}
