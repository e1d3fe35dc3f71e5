import GRDBQueries
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Counts the rows of random requests, and compares the counts with the fetched rows.
///
/// `COUNTED_REQUESTS=100000 swift test --filter RandomCountTests` counts more requests, and
/// `COUNTED_REQUESTS_SEED` makes others. A failure prints the seed of its request, which is tried
/// alone with `COUNTED_REQUESTS=1`.
@Suite struct RandomCountTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test func countsAreThoseOfFetchedRows() throws {
        let first = Self.number("COUNTED_REQUESTS_SEED") ?? 1
        let count = Self.number("COUNTED_REQUESTS") ?? 1_200
        var outcome = Outcome()
        // Rows depend on the seed, too: those of a failing seed are the same when it is tried alone.
        for group in Dictionary(grouping: first..<first + count, by: { $0 / 200 }).sorted(by: {
            $0.key < $1.key
        }) {
            var random = SplitMix64(seed: group.key)
            try DatabaseQueue().write { db in
                try CountedTables.create(db, using: &random)
                for seed in group.value {
                    var requests = RandomRequests(random: SplitMix64(seed: seed))
                    try outcome.compare(requests.next(), seed, db)
                }
            }
            if outcome.failureCount >= 10 { break }
        }
        if count >= 1_000 {
            // Requests that SQLite refuses prove nothing, and neither do those without any row.
            #expect(outcome.errorCount < Int(count) / 10)
            #expect(outcome.rowCount > Int(count))
            #expect(outcome.emptyCount < Int(count) / 2)
        }
        print("\(outcome)")
    }

    private struct Outcome {
        var requestCount = 0
        var rowCount = 0
        var emptyCount = 0
        var errorCount = 0
        var failureCount = 0

        mutating func compare(_ request: RandomRequests.Request, _ seed: UInt64, _ db: Database)
            throws
        {
            requestCount += 1
            let fetched: Int
            do {
                fetched = try request.fetch(db)
            } catch let error as DatabaseError
                where [.SQLITE_ERROR, .SQLITE_MISUSE].contains(error.resultCode)
            {
                errorCount += 1
                return
            }
            rowCount += fetched
            if fetched == 0 { emptyCount += 1 }
            let statement = try request.statement(db)
            let counted = Result { try request.count(db) }
            let isEmpty = Result { try request.isEmpty(db) }
            let countedSQL = Result {
                try SQLRequest<Row>(sql: statement.sql, arguments: statement.arguments)
                    .fetchCount(db)
            }
            let counts: [Int?] = [try? counted.get(), try? countedSQL.get()]
            let answer: Bool? = try? isEmpty.get()
            if counts == [fetched, fetched], answer == (fetched == 0) { return }
            failureCount += 1
            Issue.record(
                """
                seed \(seed): \(statement.sql) \(statement.arguments): \(fetched) rows, \
                counted \(counted), as SQL \(countedSQL), isEmpty \(isEmpty)
                """)
        }
    }
}

// MARK: - Tables

/// Boxes with items, which have labels. All but identifiers, and the weights of items, may be NULL.
private enum CountedTables {
    static func create(_ db: Database, using random: inout SplitMix64) throws {
        try db.execute(
            sql: """
                CREATE TABLE box (id INTEGER PRIMARY KEY, name TEXT);
                CREATE TABLE item (
                    id INTEGER PRIMARY KEY, a INTEGER, s TEXT COLLATE NOCASE,
                    weight INTEGER NOT NULL, boxId INTEGER REFERENCES box);
                CREATE TABLE label (itemId INTEGER REFERENCES item, text TEXT);
                CREATE TABLE code (code TEXT PRIMARY KEY, a INTEGER);
                CREATE TABLE slot (
                    shelf INTEGER, place INTEGER, a INTEGER, PRIMARY KEY (shelf, place))
                    WITHOUT ROWID;
                CREATE VIEW heavy AS SELECT id, a, s, weight FROM item WHERE weight > 0;
                """)
        if Bool.random(using: &random) { try db.execute(sql: "CREATE INDEX i ON item(a)") }
        if Bool.random(using: &random) { try db.execute(sql: "CREATE INDEX j ON item(s, a)") }
        func int(_ range: ClosedRange<Int> = -1...2) -> Int? {
            Int.random(in: 0..<4, using: &random) == 0 ? nil : .random(in: range, using: &random)
        }
        func text() -> String? {
            ["", "a", "c", "b", nil].randomElement(using: &random)!
        }
        let boxCount = Int.random(in: 0...4, using: &random)
        for id in 0..<boxCount {
            try db.execute(literal: "INSERT INTO box VALUES (\(id), \(text()))")
        }
        let itemCount = Int.random(in: 0...10, using: &random)
        for id in 0..<itemCount {
            let boxID = boxCount == 0 ? nil : int(0...(boxCount - 1))
            let weight = Int.random(in: -1...3, using: &random)
            try db.execute(
                literal: """
                    INSERT INTO item VALUES (\(id), \(int()), \(text()), \(weight), \(boxID))
                    """)
            try db.execute(literal: "INSERT OR IGNORE INTO code VALUES (\(text()), \(int()))")
            try db.execute(
                literal: "INSERT INTO slot VALUES (\(id / 3), \(id % 3), \(int()))")
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                try db.execute(literal: "INSERT INTO label VALUES (\(id), \(text()))")
            }
        }
    }
}

private struct CountedBox: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "box"
    static let items = hasMany(CountedItem.self)
    static let labels = hasMany(
        CountedLabel.self, through: items, using: CountedItem.labels)

    var id: Int64
    var name: String?
}

private struct CountedItem: TableRecord {
    static let databaseTableName = "item"
    static let box = belongsTo(CountedBox.self)
    static let labels = hasMany(CountedLabel.self)
}

private struct CountedLabel: TableRecord {
    static let databaseTableName = "label"
    static let item = belongsTo(CountedItem.self)
}

// MARK: - Requests

private struct RandomRequests {
    /// A request of any type.
    struct Request {
        var fetch: (Database) throws -> Int
        var count: (Database) throws -> Int
        var isEmpty: (Database) throws -> Bool
        var statement: (Database) throws -> Statement

        init(_ request: QueryInterfaceRequest<Row>) {
            self.init(request) { try request.isEmpty($0) }
        }

        init(_ request: CompoundRequest<Row>) {
            self.init(request) { try request.isEmpty($0) }
        }

        private init(
            _ request: some FetchRequest, isEmpty: @escaping (Database) throws -> Bool
        ) {
            fetch = { try Row.fetchAll($0, request).count }
            count = { db in
                let count = try request.fetchCount(db)
                let others = try [
                    AnyFetchRequest(request).fetchCount(db),
                    request.adapted { _ in EmptyRowAdapter() }.fetchCount(db),
                ]
                return others.allSatisfy { $0 == count } ? count : -1
            }
            self.isEmpty = isEmpty
            statement = { try request.makePreparedRequest($0).statement }
        }
    }

    var random: SplitMix64

    private mutating func dice(_ sides: Int) -> Int { .random(in: 0..<sides, using: &random) }

    private mutating func oneOf<T>(_ values: [T]) -> T { values.randomElement(using: &random)! }

    mutating func next() -> Request {
        dice(4) == 0 ? Request(compound(width: 1 + dice(3), depth: 2)) : Request(simple())
    }

    // MARK: Expressions

    private mutating func column() -> Column {
        Column(oneOf(["id", "a", "a", "a", "s", "s", "weight"]))
    }

    private mutating func expression() -> SQLExpression {
        switch dice(12) {
        case 0...4: return column().sqlExpression
        case 5: return column() + dice(3)
        case 6: return column() ?? 0
        case 7: return column() > dice(2)
        case 8: return DatabaseValue.null.sqlExpression
        case 9: return dice(2).sqlExpression
        case 10: return SQL("nullif(\(column()), \(dice(2)))").sqlExpression
        default: return CountedBox.select(max(Column("name"))).sqlExpression
        }
    }

    private mutating func aggregate() -> SQLExpression {
        switch dice(6) {
        case 0: count(.all)
        case 1: count(column())
        case 2: count(distinct: column())
        case 3: max(column())
        case 4: min(column()) + 1
        default: sum(Column("a"), filter: Column("weight") > dice(2))
        }
    }

    private mutating func condition() -> SQLExpression {
        switch dice(8) {
        case 0: column() == nil
        case 1: column() != nil
        case 2: Column("a") > dice(2) - 1
        case 3: [0, 1].contains(Column("a"))
        case 4: SQL("weight >= \(dice(3))").sqlExpression
        case 5: Column("s") == "A"
        case 6: Column("weight") != dice(3)
        default: false.sqlExpression
        }
    }

    /// A selection of some columns.
    private mutating func selection(width: Int) -> [any SQLSelectable] {
        (0..<width).map { index in
            dice(4) == 0 ? expression().forKey("k\(index)") : expression().sqlSelection
        }
    }

    // MARK: Queries

    private func items() -> QueryInterfaceRequest<Row> {
        CountedItem.all().asRequest(of: Row.self)
    }

    /// Tables with the columns `id`, `a`, `s` and `weight`.
    private mutating func source() -> QueryInterfaceRequest<Row> {
        switch dice(8) {
        case 0:
            return Table<Row>("heavy").all()
        case 1:
            let table = CommonTableExpression<Row>(
                named: oneOf(["cte", "item"]),
                request: Table("item").select(["id", "a", "s", "weight"].map { Column($0) }).filter(
                    condition()))
            return table.all().with(table)
        case 2:
            return CountedBox(id: Int64(dice(3)), name: nil).request(for: CountedBox.items)
                .asRequest(of: Row.self)
        case 3:
            return items().aliased(TableAlias<Row>(name: "named"))
        default:
            return items()
        }
    }

    private mutating func simple() -> QueryInterfaceRequest<Row> {
        if dice(12) == 0 { return keyed() }
        if dice(3) == 0 { return joined() }
        var request = source()
        for _ in 0..<dice(3) { request = request.filter(condition()) }
        switch dice(11) {
        case 0, 1: request = request.select(selection(width: 1))
        case 2: request = request.select(selection(width: 2 + dice(2)))
        case 3: request = request.select([column()])
        case 4:
            request = request.select(sql: oneOf(["a", "a, s", "MAX(a)", "a AS x", "1", "NULL"]))
        case 5: request = request.select(SQL("s").sqlExpression)
        case 6: request = request.select([aggregate()])
        case 7: request = request.select([aggregate(), column()])
        case 8: request = request.annotated(with: selection(width: 1))
        case 9: request = request.select([count(.all).over(), column()])
        default: break
        }
        if dice(4) == 0 { request = grouped(request) }
        return ended(request)
    }

    /// Groups are counted alike whatever row of a group SQLite chooses.
    private mutating func grouped(
        _ request: QueryInterfaceRequest<Row>
    ) -> QueryInterfaceRequest<Row> {
        let terms = (0..<1 + dice(2)).map { _ in column() }
        var request = request.group(terms)
        switch dice(4) {
        case 0: request = request.select(terms)
        case 1: request = request.select(terms[0])
        case 2: request = request.select(aggregate())
        default: request = request.select([terms[0].sqlExpression, aggregate()])
        }
        switch dice(4) {
        case 0: request = request.having(count(.all) > dice(2))
        case 1: request = request.having(max(Column("a")) != nil)
        default: break
        }
        return request
    }

    /// A distinct selection, an order, a limit.
    private mutating func ended(
        _ request: QueryInterfaceRequest<Row>
    ) -> QueryInterfaceRequest<Row> {
        var request = request
        if dice(2) == 0 { request = request.distinct() }
        if dice(4) == 0 { request = request.order(Column("a")) }
        if dice(6) == 0 { request = request.reversed() }
        switch dice(6) {
        case 0: request = request.limit(dice(4))
        case 1: request = request.limit(dice(5), offset: dice(4))
        default: break
        }
        return request
    }

    /// Requests by key, and of tables with other keys.
    private mutating func keyed() -> QueryInterfaceRequest<Row> {
        var request: QueryInterfaceRequest<Row>
        switch dice(8) {
        case 0: request = items().filter(keys: [0, 1, 1, dice(9)])
        case 1: request = items().filter(key: dice(3))
        case 2: request = items().none()
        case 3: request = items().selectPrimaryKey(as: Row.self)
        case 4: request = Table<Row>("code").selectPrimaryKey(as: Row.self)
        case 5: request = Table<Row>("code").select(Column("code"))
        case 6: request = Table<Row>("slot").select(Column(oneOf(["shelf", "place", "a"])))
        default: request = items().select(.rowID)
        }
        return ended(request)
    }

    private mutating func joined() -> QueryInterfaceRequest<Row> {
        let (box, labels) = (CountedItem.box, CountedItem.labels)
        var request = CountedItem.all()
        if dice(3) == 0 { request = request.filter(condition()) }
        if dice(5) == 0 { request = request.select(Column("a")) }
        switch dice(14) {
        case 0: request = request.including(required: box)
        case 1: request = request.including(optional: box)
        case 2: request = request.joining(required: labels)
        case 3: request = request.joining(optional: labels.filter(Column("text") != nil))
        case 4: request = request.including(all: labels)
        case 5: request = request.annotated(withRequired: box.select(Column("name")))
        case 6: request = request.annotated(withOptional: box)
        case 7: request = request.annotated(with: labels.count, labels.max(Column("text")))
        case 8: request = request.having(labels.isEmpty)
        case 9: request = request.having(labels.count > dice(2)).including(optional: box)
        case 10: request = request.including(optional: box.including(required: CountedBox.items))
        case 11: request = request.joining(required: labels).group(Column("id"))
        case 12:
            let boxes = CountedBox.joining(optional: CountedBox.labels).select(Column("name"))
            return ended(distinctOrder(boxes.asRequest(of: Row.self)))
        default:
            let boxes = CountedBox.annotated(with: CountedBox.labels.count)
                .including(all: CountedBox.items)
            return limited(boxes.asRequest(of: Row.self))
        }
        return limited(request.asRequest(of: Row.self))
    }

    private func distinctOrder(
        _ request: QueryInterfaceRequest<Row>
    ) -> QueryInterfaceRequest<Row> {
        request.order(Column("name"))
    }

    private mutating func limited(
        _ request: QueryInterfaceRequest<Row>
    ) -> QueryInterfaceRequest<Row> {
        var request = request
        if dice(3) == 0 { request = request.distinct() }
        if dice(3) == 0 { request = request.withStableOrder() }
        if dice(4) == 0 { request = request.limit(dice(5), offset: oneOf([nil, 0, 1])) }
        return request
    }

    // MARK: Compound queries

    /// A query of some columns, that is the same rows each time it is evaluated.
    private mutating func member(width: Int) -> QueryInterfaceRequest<Row> {
        var request = source().select(selection(width: width))
        if dice(2) == 0 { request = request.filter(condition()) }
        switch dice(5) {
        case 0: request = request.distinct()
        case 1: request = request.order(Column("id")).limit(dice(5), offset: oneOf([nil, 1]))
        case 2: request = request.order(Column("a"))
        default: break
        }
        return request
    }

    private mutating func compound(width: Int, depth: Int) -> CompoundRequest<Row> {
        let first = member(width: width)
        var request = combine(first, width: width, depth: depth)
        for _ in 0..<dice(2) {
            let other = member(width: width)
            switch dice(4) {
            case 0: request = request.union(other)
            case 1: request = request.unionAll(other)
            case 2: request = request.intersect(other)
            default: request = request.except(other)
            }
        }
        if dice(4) == 0 { request = request.withStableOrder() }
        if dice(4) == 0, depth == 2 { request = request.limit(dice(6), offset: oneOf([nil, 1])) }
        return request
    }

    private mutating func combine(
        _ first: QueryInterfaceRequest<Row>, width: Int, depth: Int
    ) -> CompoundRequest<Row> {
        if depth > 1, dice(3) == 0 {
            let other = compound(width: width, depth: depth - 1)
            switch dice(4) {
            case 0: return first.union(other)
            case 1: return first.unionAll(other)
            case 2: return first.intersect(other)
            default: return first.except(other)
            }
        }
        let other = member(width: width)
        switch dice(4) {
        case 0: return first.union(other)
        case 1: return first.unionAll(other)
        case 2: return first.intersect(other)
        default: return first.except(other)
        }
    }
}
