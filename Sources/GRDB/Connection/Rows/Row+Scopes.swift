extension Row {
    /// The scopes of a row by name: the rows that its adapter makes of parts of its columns.
    ///
    /// ```swift
    /// let adapter = ScopeAdapter([
    ///     "left": RangeRowAdapter(0..<2),
    ///     "right": RangeRowAdapter(2..<4)])
    /// let row = try Row.fetchOne(
    ///     db, sql: "SELECT 0 AS a, 1 AS b, 2 AS c, 3 AS d", adapter: adapter)!
    /// row.scopes["left"]  // [a:0 b:1]
    /// row.scopes["right"] // [c:2 d:3]
    /// ```
    public struct ScopesView: Collection {
        public typealias Index = Dictionary<String, any _LayoutedRowAdapter>.Index

        let row: Row
        let scopes: [String: any _LayoutedRowAdapter]

        /// The names of scopes, in no particular order.
        public var names: Dictionary<String, any _LayoutedRowAdapter>.Keys { scopes.keys }

        public var startIndex: Index { scopes.startIndex }

        public var endIndex: Index { scopes.endIndex }

        public func index(after i: Index) -> Index { scopes.index(after: i) }

        public subscript(position: Index) -> (name: String, row: Row) {
            let (name, adapter) = scopes[position]
            return (name: name, row: row.row(inScope: name, adapter: adapter))
        }

        /// The row in the given scope; nil if there is no such scope.
        public subscript(_ name: String) -> Row? {
            scopes[name].map { row.row(inScope: name, adapter: $0) }
        }
    }

    /// The scopes of a row, their scopes, and so on, by name.
    public struct ScopesTreeView {
        let scopes: ScopesView

        /// The scopes of the row, then those of its scopes, and so on.
        private var levels: some Sequence<[ScopesView]> {
            sequence(first: [scopes]) { level in
                let next = level.flatMap { scopes in
                    scopes.names.sorted().compactMap { scopes[$0]?.scopes }
                }
                return next.isEmpty ? nil : next
            }
        }

        /// The names of the scopes at any depth.
        public var names: Set<String> {
            levels.joined().reduce(into: []) { $0.formUnion($1.names) }
        }

        /// The row in the scope with the given name, at any depth: the shallowest one wins.
        public subscript(_ name: String) -> Row? {
            levels.joined().lazy.compactMap { $0[name] }.first { _ in true }
        }
    }

    /// A view on the prefetched associated rows.
    public struct PrefetchedRowsView: Equatable {
        /// One association: its rows if they were prefetched, and what was prefetched below it.
        struct Node: Equatable {
            var rows: [Row]?
            var children: [String: Node] = [:]

            var containsRow: Bool {
                rows.map { !$0.isEmpty } ?? children.values.contains { $0.containsRow }
            }

            var isEmpty: Bool {
                rows == nil && children.values.allSatisfy(\.isEmpty)
            }
        }

        var nodes: [String: Node] = [:]

        /// Whether there is no prefetched association.
        public var isEmpty: Bool { nodes.values.allSatisfy(\.isEmpty) }

        /// The keys of the prefetched associations, at any depth.
        public var keys: Set<String> {
            var keys = Set<String>()
            func collect(_ nodes: [String: Node]) {
                for (key, node) in nodes {
                    if node.rows != nil { keys.insert(key) }
                    collect(node.children)
                }
            }
            collect(nodes)
            return keys
        }

        /// The prefetched rows of the association with the given key, at any depth: the shallowest
        /// one wins. Nil if there is no such association.
        public subscript(_ key: String) -> [Row]? {
            var level = [nodes]
            while !level.isEmpty {
                var nextLevel: [[String: Node]] = []
                for nodes in level {
                    if let rows = nodes[key]?.rows { return rows }
                    nextLevel += nodes.keys.sorted().compactMap { nodes[$0]?.children }
                }
                level = nextLevel
            }
            return nil
        }

        /// The keys of the associations that were prefetched at this level.
        var ownKeys: [String] { nodes.filter { $0.value.rows != nil }.map(\.key) }

        var containsRow: Bool { nodes.values.contains { $0.containsRow } }

        /// Stores the rows of an association below scopes.
        mutating func set(_ rows: [Row], forKey key: String, in scopes: ArraySlice<String>) {
            Self.set(rows, forKey: key, in: scopes, of: &nodes)
        }

        private static func set(
            _ rows: [Row], forKey key: String, in scopes: ArraySlice<String>,
            of nodes: inout [String: Node]
        ) {
            if let scope = scopes.first {
                set(
                    rows, forKey: key, in: scopes.dropFirst(),
                    of: &nodes[scope, default: Node()].children)
            } else {
                nodes[key, default: Node()].rows = rows
            }
        }

        /// What was prefetched below a scope.
        func scoped(on name: String) -> PrefetchedRowsView {
            PrefetchedRowsView(nodes: nodes[name]?.children ?? [:])
        }
    }
}
