extension Row {
    /// The scopes of a row by name: the rows that its adapter builds from parts of its columns.
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

        /// The scopes of the row, then the scopes of its scopes, and so on.
        private var levels: some Sequence<[ScopesView]> {
            sequence(first: [scopes]) { level in
                let next = level.flatMap { scopes in
                    scopes.names.ordered().compactMap { scopes[$0]?.scopes }
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

    /// The rows that `including(all:)` has fetched, by the key of their association.
    public struct PrefetchedRowsView {
        /// The rows of one association.
        struct Entry: Equatable {
            /// A step that leads to associated rows.
            enum Step: Hashable {
                /// To the row in a scope.
                case scope(String)
                /// To the rows of an intermediate association, which were not fetched.
                case association(String)
            }

            /// The steps from the row that has the prefetched rows, without the key of the
            /// association.
            var path: [Step]

            var key: String
            var rows: RowGroup

            /// Whether no scope leads to the rows.
            var isOwn: Bool {
                path.allSatisfy { step in
                    switch step {
                    case .scope: false
                    case .association: true
                    }
                }
            }
        }

        /// In the order of the request. No two entries have the same path and key.
        var entries: [Entry] = []

        /// Whether there is no prefetched association.
        public var isEmpty: Bool { entries.isEmpty }

        /// The keys of the prefetched associations, at any depth.
        public var keys: Set<String> { Set(entries.map(\.key)) }

        /// The prefetched rows of the association with the given key, at any depth: the shallowest
        /// one wins, then the first one in the request. Nil if there is no such association.
        public subscript(_ key: String) -> [Row]? { group(key)?.rows }

        /// The rows of the association with the key, without creating row objects.
        func group(_ key: String) -> RowGroup? {
            var result: Entry?
            for entry in entries where entry.key == key {
                if result.map({ entry.path.count < $0.path.count }) ?? true { result = entry }
            }
            return result?.rows
        }

        /// The keys of the associations that no scope leads to.
        var ownKeys: Set<String> { Set(entries.filter(\.isOwn).map(\.key)) }

        var containsRow: Bool { entries.contains { !$0.rows.isEmpty } }

        /// The prefetched rows below a scope.
        func scoped(on name: String) -> PrefetchedRowsView {
            if entries.isEmpty { return self }
            return PrefetchedRowsView(
                entries: entries.compactMap { entry in
                    guard entry.path.first == .scope(name) else { return nil }
                    var entry = entry
                    entry.path.removeFirst()
                    return entry
                })
        }
    }
}

extension Row.PrefetchedRowsView: Equatable {
    /// Whether both have the same rows. The order of their associations does not matter.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.entries == rhs.entries
            || lhs.entries.count == rhs.entries.count
                && lhs.entries.allSatisfy(rhs.entries.contains)
    }
}
