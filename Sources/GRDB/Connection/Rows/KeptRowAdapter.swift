/// An adapter that is applied once to the columns of a statement, however often the statement runs.
///
/// Applying the adapter of a joined request takes several times as long as fetching one row.
final class KeptRowAdapter: RowAdapter {
    private let adapter: any RowAdapter

    /// The result for the columns of the last statement. A lock guards it, because prepared requests
    /// are public, and their adapters may be used by other connections.
    private let latest = Locked<Applied?>(nil)

    private struct Applied: Sendable {
        let layout: RowLayout
        let checked: any _LayoutedRowAdapter

        /// Nil if the adapter changes nothing.
        let effective: (any _LayoutedRowAdapter)?
    }

    init(_ adapter: any RowAdapter) {
        self.adapter = adapter
    }

    func _applied(to source: some _RowColumns) throws -> any _LayoutedRowAdapter {
        try adapter._applied(to: source)
    }

    func checkedAdapter(for layout: RowLayout) throws -> any _LayoutedRowAdapter {
        try applied(to: layout).checked
    }

    func effectiveAdapter(for layout: RowLayout) throws -> (any _LayoutedRowAdapter)? {
        try applied(to: layout).effective
    }

    private func applied(to layout: RowLayout) throws -> Applied {
        if let latest = latest.withLock({ $0 }), latest.layout === layout { return latest }
        let applied = try Applied(
            layout: layout, checked: adapter.checkedAdapter(for: layout),
            effective: adapter.effectiveAdapter(for: layout))
        latest.withLock { $0 = applied }
        return applied
    }
}
