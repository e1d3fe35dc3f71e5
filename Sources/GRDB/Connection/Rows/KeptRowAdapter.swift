/// An adapter that is applied once to the columns of a statement, however often the statement runs.
///
/// Applying the adapter of a joined request takes longer than fetching one row.
final class KeptRowAdapter: RowAdapter {
    private let adapter: any RowAdapter

    /// The result for the columns of the last statement. A lock guards it, because prepared requests
    /// are public, and other connections may use their adapters.
    private let latest = Locked<(layout: RowLayout, applied: any _LayoutedRowAdapter)?>(nil)

    init(_ adapter: any RowAdapter) {
        self.adapter = adapter
    }

    func _applied(to source: some _RowColumns) throws -> any _LayoutedRowAdapter {
        guard let layout = source as? RowLayout else { return try adapter._applied(to: source) }
        if let latest = latest.withLock({ $0 }), latest.layout === layout { return latest.applied }
        let applied = try adapter._applied(to: layout)
        latest.withLock { $0 = (layout, applied) }
        return applied
    }
}
