/// Counts the rows that a statement changes.
///
/// Rows changed by triggers don't count, except for views: a view stores no rows, so the rows
/// changed by its `INSTEAD OF` triggers count instead.
package struct ChangeCount {
    private let formerTotal: Int64

    /// Starts counting. Create the value before the statement runs.
    package init(_ db: Database) {
        formerTotal = db.raw.ownChangesCount
    }

    /// Returns the number of rows that the last statement changed.
    ///
    /// - parameter table: the table or view that the statement changed.
    func rows(_ db: Database, changedIn table: Relation.TableName) throws -> Int {
        let count = db.changesCount
        let total = db.raw.ownChangesCount - formerTotal
        // Consult the schema only if triggers alone changed rows.
        guard count == 0, total > 0, try db.isView(table.name, in: table.schema) else {
            return count
        }
        return Int(clamping: total)
    }

    /// Returns the number of rows that the last statement inserted, for GRDBQueries.
    package func rows(_ db: Database, changedIn table: Table<some Any>) throws -> Int {
        try rows(db, changedIn: table.relation.tableName)
    }
}
