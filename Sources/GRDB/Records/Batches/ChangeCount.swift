/// Counts the rows that a statement changes.
///
/// Rows changed by triggers don't count, except through views: a view has no rows, so that what its
/// `INSTEAD OF` triggers have changed counts.
struct ChangeCount {
    private let formerTotal: Int

    /// Begins to count: to be called before the statement runs.
    init(_ db: Database) {
        formerTotal = db.totalChangesCount
    }

    /// The number of rows that the last statement has changed.
    ///
    /// - parameter table: the table or view that the statement has changed.
    func rows(_ db: Database, changedIn table: Relation.TableName) throws -> Int {
        let count = db.changesCount
        let total = db.totalChangesCount - formerTotal
        // The schema is only asked when nothing but triggers have changed rows.
        guard count == 0, total > 0, try db.isView(table.name, in: table.schema) else {
            return count
        }
        return total
    }
}
