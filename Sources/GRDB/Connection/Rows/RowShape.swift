/// The properties shared by all rows of a statement: the columns that the statement returns, and
/// the row adapter. Immutable.
@usableFromInline
final class RowShape {
    /// The columns of the row.
    let layout: RowLayout

    /// The columns of the statement, before any adapter.
    let base: RowLayout

    let adapter: (any _LayoutedRowAdapter)?

    /// The index of each column of the row among the columns of the statement; nil if they are the
    /// same.
    let columnIndexes: UnsafePointer<CInt>?

    init(_ base: RowLayout, adapter: (any _LayoutedRowAdapter)? = nil) {
        self.base = base
        self.adapter = adapter
        guard let selection = adapter?._selection else {
            layout = base
            columnIndexes = nil
            return
        }
        layout = selection.layout
        let indexes = UnsafeMutableBufferPointer<CInt>.allocate(
            capacity: max(1, selection.columnIndexes.count))
        _ = indexes.initialize(from: selection.columnIndexes)
        columnIndexes = UnsafePointer(indexes.baseAddress!)
    }

    deinit {
        columnIndexes?.deallocate()
    }

    /// The shape of rows without columns.
    static var empty: RowShape { RowShape(.empty) }
}
