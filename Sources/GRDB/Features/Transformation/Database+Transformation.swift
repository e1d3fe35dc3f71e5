extension Database {
    /// Changes a table, and keeps its rows.
    ///
    /// Use it for changes that `ALTER TABLE` can't make: types, constraints, keys, default values, and
    /// the order of columns.
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
    /// If `ALTER TABLE` can make all changes, it does. Otherwise rows are copied into a new table, which
    /// replaces the table. It has the same indexes, triggers, rowids, `AUTOINCREMENT` counter, and
    /// statistics. Foreign keys are disabled meanwhile: the rows of other tables that refer to the table
    /// stay. No trigger runs.
    ///
    /// Changes are made in a savepoint, all of them or none. Before it ends, the method checks that:
    ///
    /// - all rows were copied;
    /// - all views, triggers and external-content full-text tables that could be compiled before can
    ///   still be compiled;
    /// - foreign keys from and to the table, if the connection enforces foreign keys, are no more
    ///   violated than before.
    ///
    /// Call the method in migrations, or in any write access, also inside of a transaction. Observations
    /// of the table are notified.
    ///
    /// - parameter name: the name of a table, which is neither virtual nor a view.
    /// - parameter body: a closure that defines the changes.
    /// - returns: what was done.
    /// - throws: the error of the closure, or a ``DatabaseError``: `SQLITE_MISUSE` for changes of
    ///   columns and constraints that don't exist, `SQLITE_CONSTRAINT` for rows that don't meet the new
    ///   constraints, `SQLITE_ERROR` for views and triggers that don't compile any more. The table is
    ///   then as before.
    /// - complexity: O(*n*) for a rebuilt table of *n* rows, and one check of the rows of tables that
    ///   refer to it.
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

    /// Returns what ``transform(table:body:)`` would do, without doing it.
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
    /// - throws: the error of the closure, or a ``DatabaseError``. A plan that renames columns needs a
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
