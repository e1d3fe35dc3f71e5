/// Copied rows of one statement, without one object per row.
///
/// A batch does not change once it is filled: several threads may use rows created from it.
final class RowBatch {
    /// The address of the values of a row, and their owner.
    private struct Position {
        let values: UnsafePointer<CopiedValue>
        /// One of `storages`.
        let storage: Unmanaged<RowStorage>
    }

    let shape: RowShape
    private var positions: [Position] = []
    private var storages: [RowStorage] = []

    /// The prefetched rows, in the order of the request.
    var prefetches: [RowGrouping] = []

    init(shape: RowShape) {
        self.shape = shape
    }

    /// Creates a batch from copied rows of one statement.
    convenience init(_ rows: [Row]) {
        self.init(shape: rows.first?.shape ?? .empty)
        for row in rows {
            if let storage = row.storage { append(row.values, in: storage) }
        }
    }

    var count: Int { positions.count }

    /// Copies the current row of a statement.
    @inline(__always)
    func append(_ copier: inout RowCopier) {
        let (values, storage) = copier.values()
        append(values, in: storage)
    }

    /// Adds a copied row.
    @inline(__always)
    func append(_ values: UnsafePointer<CopiedValue>, in storage: RowStorage) {
        if storages.last !== storage { storages.append(storage) }
        positions.append(Position(values: values, storage: .passUnretained(storage)))
    }

    /// The values of a row, in the order of the columns of the statement. Valid while the batch is
    /// alive.
    @inline(__always)
    func values(at index: Int) -> UnsafePointer<CopiedValue> { positions[index].values }

    /// Creates a row.
    func row(at index: Int) -> Row {
        let position = positions[index]
        let row = Row(
            values: position.values, in: position.storage.takeUnretainedValue(), shape: shape)
        if !prefetches.isEmpty { row.setPrefetches(prefetchedRows(at: index)) }
        return row
    }

    /// Creates all rows.
    var rows: [Row] { (0..<count).map { row(at: $0) } }

    /// Moves a row that has no other reference to another row of the batch.
    @inline(__always)
    fileprivate func move(_ row: Row, to index: Int) {
        let position = positions[index]
        row.move(
            to: position.values, in: position.storage,
            prefetches: prefetches.isEmpty ? nil : prefetchedRows(at: index))
    }

    private func prefetchedRows(at index: Int) -> Row.PrefetchedRowsView {
        Row.PrefetchedRowsView(
            entries: prefetches.map { grouping in
                Row.PrefetchedRowsView.Entry(
                    path: grouping.path, key: grouping.key, rows: grouping.group(ofRow: index))
            })
    }
}

/// The rows of an association, grouped by the row that they belong to.
struct RowGrouping {
    let path: [Row.PrefetchedRowsView.Entry.Step]
    let key: String
    private let batch: RowBatch

    /// The group number of each row that rows may belong to; nil for a row without group.
    private let groups: [Int?]

    /// The rows of the batch, group by group.
    private let order: [Int]

    /// The start of each group in `order`, and the end of the last group.
    private let starts: [Int]

    /// - parameter memberGroups: the group number of each row of the batch.
    init(
        path: [Row.PrefetchedRowsView.Entry.Step], key: String, groups: [Int?], groupCount: Int,
        batch: RowBatch, memberGroups: [Int]
    ) {
        self.path = path
        self.key = key
        self.batch = batch
        self.groups = groups
        var starts = [Int](repeating: 0, count: groupCount + 1)
        for group in memberGroups { starts[group + 1] += 1 }
        for group in 0..<groupCount { starts[group + 1] += starts[group] }
        self.starts = starts
        var order = [Int](repeating: 0, count: memberGroups.count)
        for (index, group) in memberGroups.enumerated() {
            order[starts[group]] = index
            starts[group] += 1
        }
        self.order = order
    }

    func group(ofRow index: Int) -> RowGroup {
        guard let group = groups[index] else { return RowGroup(batch, []) }
        return RowGroup(batch, order[starts[group]..<starts[group + 1]])
    }
}

/// The rows of a batch that belong to one row.
///
/// Retaining a row with its prefetched rows retains the whole batch, including the prefetched rows of
/// its neighbors.
final class RowGroup {
    let batch: RowBatch

    /// The indexes of the rows in the batch.
    let indexes: ArraySlice<Int>

    /// Created on first access, on the thread of the row that the group belongs to.
    private(set) lazy var rows: [Row] = indexes.map { batch.row(at: $0) }

    init(_ batch: RowBatch, _ indexes: ArraySlice<Int>) {
        self.batch = batch
        self.indexes = indexes
    }

    var count: Int { indexes.count }
    var isEmpty: Bool { indexes.isEmpty }
}

extension RowGroup: Equatable {
    static func == (lhs: RowGroup, rhs: RowGroup) -> Bool {
        lhs === rhs || lhs.count == rhs.count && lhs.rows == rhs.rows
    }
}

/// Presents rows of batches one after the other, with the same object while it has no other
/// reference.
///
/// The object keeps its decoder, which is thus reused for all rows.
struct SlidingRow {
    private var row: Row?

    mutating func row(at index: Int, of batch: RowBatch) -> Row {
        if isKnownUniquelyReferenced(&row), let row, row.shape === batch.shape {
            batch.move(row, to: index)
            return row
        }
        let newRow = batch.row(at: index)
        if let row, row.shape === batch.shape { newRow.takeDecoder(of: row) }
        row = newRow
        return newRow
    }
}
