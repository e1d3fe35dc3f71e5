import GRDB

extension Database {
    /// Changes a table, and keeps its rows.
    ///
    /// Use this method for changes that `ALTER TABLE` does not support: types, constraints, keys,
    /// default values, and the order of columns.
    ///
    /// ```swift
    /// try db.transform(table: "player") { t in
    ///     t.rename(column: "name", to: "fullName")
    ///     t.change(column: "score", type: .integer)
    ///     t.setNotNull(column: "score", replacingNullWith: 0)
    ///     t.addForeignKey(["teamId"], references: "team", onDelete: .cascade)
    ///     t.drop(column: "nickname")
    ///     t.reorder(columns: ["id", "fullName"])
    /// }
    /// ```
    ///
    /// If `ALTER TABLE` supports all changes, this method uses it. Otherwise it copies the rows
    /// into a new table, which replaces the old one, with the same indexes, triggers, rowids,
    /// `AUTOINCREMENT` counter, and statistics. Foreign keys are disabled during the copy, so rows
    /// of other tables that refer to the table remain. No triggers run.
    ///
    /// The changes are made in a savepoint, all or none. Before the savepoint ends, the method
    /// checks that:
    ///
    /// - all rows were copied;
    /// - all views, triggers and external-content full-text tables that compiled before still
    ///   compile;
    /// - there are no new violations of foreign keys from and to the table, if the connection
    ///   enforces foreign keys.
    ///
    /// Call the method in migrations, or in any write access, even inside a transaction.
    /// Observations of the table are notified.
    ///
    /// - parameter name: the name of an ordinary table: not a virtual table or a view.
    /// - parameter body: a closure that defines the changes.
    /// - returns: the plan that was run.
    /// - throws: the error of the closure, or a ``/GRDB/DatabaseError``: `SQLITE_MISUSE` for changes of
    ///   columns and constraints that don't exist, `SQLITE_CONSTRAINT` for rows that don't meet the
    ///   new constraints, `SQLITE_ERROR` for views and triggers that no longer compile. The table
    ///   is then unchanged.
    /// - complexity: O(*n*) for a rebuilt table of *n* rows, and one foreign key check of the
    ///   tables that refer to it.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/lang_altertable.html#otheralter>
    @discardableResult
    public func transform(
        table name: String, body: (TableTransformation) throws -> Void
    ) throws -> TableTransformationPlan {
        try checkAccess()
        let transformation = TableTransformation()
        try body(transformation)
        return try TableTransformer(self, name, transformation).run()
    }

    /// Returns the plan of ``transform(table:body:)``, without running it.
    ///
    /// ```swift
    /// let plan = try db.transformationPlan(table: "player") { t in
    ///     t.change(column: "score", type: .integer)
    /// }
    /// print(plan)
    /// ```
    ///
    /// - parameter name: the name of a table.
    /// - parameter body: a closure that defines the changes.
    /// - throws: the error of the closure, or a ``/GRDB/DatabaseError``. A plan that renames columns needs a
    ///   write access, because the columns are renamed in a savepoint that is rolled back.
    public func transformationPlan(
        table name: String, body: (TableTransformation) throws -> Void
    ) throws -> TableTransformationPlan {
        try checkAccess()
        let transformation = TableTransformation()
        try body(transformation)
        return try TableTransformer(self, name, transformation).plan()
    }
}
