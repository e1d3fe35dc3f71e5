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
    /// - parameter request: a request for rows of the table or view that the statement changed.
    package func rows(
        _ db: Database, changedIn request: QueryInterfaceRequest<some Any>
    ) throws -> Int {
        let table = request.relation.tableName
        let count = db.changesCount
        let total = db.raw.ownChangesCount - formerTotal
        // Consult the schema only if triggers alone changed rows.
        guard count == 0, total > 0, try db.isView(table.name, in: table.schema) else {
            return count
        }
        return Int(clamping: total)
    }
}
