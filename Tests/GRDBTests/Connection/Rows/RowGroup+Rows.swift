@testable import GRDB

extension RowGroup {
    /// The rows as if they had been prefetched. All have the columns of the first one.
    convenience init(rows: [Row]) {
        let names = rows.first.map { Array($0.columnNames) } ?? []
        let batch = RowBatch(shape: RowShape(RowLayout(names: names)))
        for row in rows {
            let storage = RowStorage.make(Array(row.databaseValues))
            batch.append(storage.start, in: storage)
        }
        self.init(batch, ArraySlice(0..<rows.count))
    }
}
