import GRDB
import GRDBTestSupport
import Testing

/// Random requests with joined and prefetched associations on random rows, compared with the same
/// computed over Swift arrays. Negated conditions in the sources show in the first tables.
@Suite struct PrefetchModelTests {
    @Test func randomRequests() throws {
        var random = SplitMix64(seed: 20_261_121)
        var rowCount = 0
        for _ in 0..<6 {
            let world = ModelWorld.random(using: &random)
            try DatabaseQueue().write { db in
                try world.create(db)
                for _ in 0..<25 {
                    let query = ModelQuery.random(depth: 3, on: .node, using: &random)
                    let request = query.request
                    let rows = try Row.fetchAll(db, request)
                    let found = rows.map { ModelResult($0, query) }
                    let expected = query.results(in: world)
                    rowCount += expected.count
                    guard found == expected else {
                        let statement = try request.makePreparedRequest(db).statement
                        Issue.record(
                            """
                            \(statement.sql) \(statement.arguments)
                            \(query)
                            \(found), and not
                            \(expected), in
                            \(world)
                            """)
                        return
                    }
                    try expectEqual(request.fetchCount(db), expected.count)
                    if let row = try Row.fetchOne(db, request) {
                        expectEqual(ModelResult(row, query), expected[0])
                    } else {
                        expectTrue(expected.isEmpty)
                    }
                }
            }
        }
        // Something was compared.
        #expect(rowCount > 200)
    }
}

// MARK: - Rows

private enum ModelTable: String {
    case node, tag
}

/// Nodes with a parent, and tags of nodes, with a weight each.
private struct ModelWorld {
    struct Item: Equatable {
        var id: Int
        /// The parent of a node, or the node of a tag.
        var ownerId: Int?
        var weight: Int
    }

    var nodes: [Item]
    var tags: [Item]

    static func random(using random: inout SplitMix64) -> ModelWorld {
        let count = Int.random(in: 1...7, using: &random)
        func items(_ ids: ClosedRange<Int>) -> [Item] {
            ids.map { id in
                Item(
                    id: id,
                    // Some refer to nodes that don't exist.
                    ownerId: Int.random(in: 0..<4, using: &random) == 0
                        ? nil : Int.random(in: 1...(count + 1), using: &random),
                    weight: Int.random(in: 0..<4, using: &random))
            }
        }
        return ModelWorld(
            nodes: items(1...count), tags: items(1...Int.random(in: 1...9, using: &random)))
    }

    func create(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE node (id INTEGER PRIMARY KEY, ownerId INTEGER, weight INTEGER);
                CREATE TABLE tag (id INTEGER PRIMARY KEY, ownerId INTEGER, weight INTEGER);
                """)
        for (table, items) in [("node", nodes), ("tag", tags)] {
            for item in items {
                try db.execute(
                    sql: "INSERT INTO \(table) VALUES (?, ?, ?)",
                    arguments: [item.id, item.ownerId, item.weight])
            }
        }
    }

    func items(of table: ModelTable) -> [Item] {
        switch table {
        case .node: nodes
        case .tag: tags
        }
    }
}

// MARK: - Associations

private enum ModelAssociation: String, CaseIterable {
    // To one row: the parent of a node, the node of a tag, the parent of the node of a tag.
    case parent, node, parentOfNode
    // To many rows: the children and the tags of a node, and the tags of its children.
    case children, tags, tagsOfChildren

    var origin: ModelTable {
        switch self {
        case .parent, .children, .tags, .tagsOfChildren: .node
        case .node, .parentOfNode: .tag
        }
    }

    var destination: ModelTable {
        switch self {
        case .parent, .node, .parentOfNode, .children: .node
        case .tags, .tagsOfChildren: .tag
        }
    }

    var isToMany: Bool {
        switch self {
        case .parent, .node, .parentOfNode: false
        case .children, .tags, .tagsOfChildren: true
        }
    }

    func results(from item: ModelWorld.Item, in world: ModelWorld) -> [ModelWorld.Item] {
        func parents(_ item: ModelWorld.Item) -> [ModelWorld.Item] {
            world.nodes.filter { $0.id == item.ownerId }
        }
        return switch self {
        case .parent, .node: parents(item)
        case .parentOfNode: parents(item).flatMap(parents)
        case .children: world.nodes.filter { $0.ownerId == item.id }
        case .tags: world.tags.filter { $0.ownerId == item.id }
        case .tagsOfChildren:
            world.nodes.filter { $0.ownerId == item.id }.flatMap { child in
                world.tags.filter { $0.ownerId == child.id }
            }
        }
    }

    static func random(
        from origin: ModelTable, toMany: Bool, using random: inout SplitMix64
    ) -> ModelAssociation {
        allCases.filter { $0.origin == origin && $0.isToMany == toMany }
            .randomElement(using: &random)!
    }
}

// MARK: - Queries

private struct ModelQuery {
    struct Join {
        var key: String
        var association: ModelAssociation
        var isRequired: Bool
        var query: ModelQuery
    }

    struct Prefetch {
        var key: String
        var association: ModelAssociation
        var query: ModelQuery
    }

    var minimum: Int?
    /// By weight and then by id, or by id alone.
    var isSortedByWeight = false
    var isReversed = false
    var limit: (count: Int, offset: Int)?
    var joins: [Join] = []
    var prefetches: [Prefetch] = []

    static func random(
        depth: Int, on table: ModelTable, using random: inout SplitMix64
    ) -> ModelQuery {
        var query = ModelQuery()
        if Int.random(in: 0..<3, using: &random) == 0 {
            query.minimum = Int.random(in: 0..<3, using: &random)
        }
        query.isSortedByWeight = Bool.random(using: &random)
        query.isReversed = Bool.random(using: &random)
        if depth == 3, Int.random(in: 0..<4, using: &random) == 0 {
            query.limit = (
                Int.random(in: 0...4, using: &random), Int.random(in: 0...2, using: &random)
            )
        }
        if depth == 0 { return query }
        for index in 0..<Int.random(in: 0...2, using: &random) {
            let association = ModelAssociation.random(from: table, toMany: false, using: &random)
            query.joins.append(
                Join(
                    key: "join\(depth)x\(index)", association: association,
                    isRequired: Int.random(in: 0..<3, using: &random) == 0,
                    query: .random(depth: depth - 1, on: association.destination, using: &random)))
        }
        if table == .node {
            for index in 0..<Int.random(in: 0...2, using: &random) {
                let association = ModelAssociation.random(from: table, toMany: true, using: &random)
                query.prefetches.append(
                    Prefetch(
                        key: "all\(depth)x\(index)", association: association,
                        query: .random(
                            depth: depth - 1, on: association.destination, using: &random)))
            }
        }
        return query
    }

    // MARK: Requests

    private static let node = Table("node")
    private static let tag = Table("tag")
    private static let foreignKey = ForeignKey(["ownerId"])

    /// The query on the table of nodes.
    var request: QueryInterfaceRequest<Row> {
        let request = refine(Self.node.all())
        return limit.map { request.limit($0.count, offset: $0.offset) } ?? request
    }

    func refine<Request: DerivableRequest>(_ request: Request) -> Request
    where Request.RowDecoder == Row {
        var result = request
        if let minimum { result = result.filter(Column("weight") >= minimum) }
        result =
            isSortedByWeight
            ? result.order(Column("weight"), Column("id")) : result.order(Column("id"))
        if isReversed { result = result.reversed() }
        let (node, tag, foreignKey) = (Self.node, Self.tag, Self.foreignKey)
        for join in joins {
            switch join.association {
            case .parent:
                result = join.included(
                    in: result, node.belongsTo(node, key: join.key, using: foreignKey))
            case .node:
                result = join.included(
                    in: result, tag.belongsTo(node, key: join.key, using: foreignKey))
            default:
                result = join.included(
                    in: result,
                    tag.hasOne(
                        Row.self,
                        // A key of its own, or else it would be merged with other pivots.
                        through: tag.belongsTo(node, key: join.pivotKey, using: foreignKey),
                        using: node.belongsTo(node, using: foreignKey), key: join.key))
            }
        }
        for prefetch in prefetches {
            let children = node.hasMany(node, key: prefetch.key, using: foreignKey)
            switch prefetch.association {
            case .children:
                result = result.including(all: prefetch.query.refine(children))
            case .tags:
                result = result.including(
                    all: prefetch.query.refine(
                        node.hasMany(tag, key: prefetch.key, using: foreignKey)))
            default:
                result = result.including(
                    all: prefetch.query.refine(
                        node.hasMany(
                            Row.self, through: children,
                            using: node.hasMany(tag, using: foreignKey),
                            key: prefetch.key)))
            }
        }
        return result
    }

    // MARK: Results

    func results(in world: ModelWorld) -> [ModelResult] {
        let results = results(from: world.nodes, in: world)
        guard let limit else { return results }
        return Array(results.dropFirst(limit.offset).prefix(limit.count))
    }

    private func results(from items: [ModelWorld.Item], in world: ModelWorld) -> [ModelResult] {
        let sorted = items.sorted { lhs, rhs in
            isSortedByWeight
                ? (lhs.weight, lhs.id) < (rhs.weight, rhs.id) : lhs.id < rhs.id
        }
        return (isReversed ? sorted.reversed() : sorted).compactMap { result(for: $0, in: world) }
    }

    /// Nil if the item does not meet the conditions.
    private func result(for item: ModelWorld.Item, in world: ModelWorld) -> ModelResult? {
        if let minimum, item.weight < minimum { return nil }
        var result = ModelResult(id: item.id)
        for join in joins {
            let joined = join.association.results(from: item, in: world).first
            let joinedResult = joined.flatMap { join.query.result(for: $0, in: world) }
            if join.isRequired, joinedResult == nil { return nil }
            result.joined.append(joinedResult ?? join.query.missingResult)
        }
        result.prefetched = prefetches.map { prefetch in
            prefetch.query.results(
                from: prefetch.association.results(from: item, in: world), in: world)
        }
        return result
    }

    /// What comes out when no row could be joined.
    private var missingResult: ModelResult {
        ModelResult(
            id: nil, joined: joins.map(\.query.missingResult),
            prefetched: prefetches.map { _ in [] })
    }
}

extension ModelQuery.Join {
    var pivotKey: String { "\(key)Pivot" }

    func included<Request: DerivableRequest, A: AssociationToOne>(
        in request: Request, _ association: A
    ) -> Request
    where Request.RowDecoder == Row, A.OriginRowDecoder == Row, A.RowDecoder == Row {
        let association = query.refine(association)
        return isRequired
            ? request.including(required: association) : request.including(optional: association)
    }
}

/// The id of a row, and what belongs to the row, in the order of a query.
private struct ModelResult: Equatable {
    var id: Int?
    var joined: [ModelResult] = []
    var prefetched: [[ModelResult]] = []

    init(id: Int?, joined: [ModelResult] = [], prefetched: [[ModelResult]] = []) {
        self.id = id
        self.joined = joined
        self.prefetched = prefetched
    }

    init(_ row: Row, _ query: ModelQuery) {
        id = row["id"]
        joined = query.joins.map { join in
            let scope = join.association == .parentOfNode ? row.scopes[join.pivotKey]! : row
            return ModelResult(scope.scopes[join.key]!, join.query)
        }
        prefetched = query.prefetches.map { prefetch in
            row.prefetchedRows[prefetch.key]!.map { ModelResult($0, prefetch.query) }
        }
    }
}
