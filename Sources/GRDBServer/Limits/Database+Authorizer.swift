import GRDB

extension Database {
    /// An action that a statement wants to perform, passed to an authorizer.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/c_alter_table.html>
    public struct Authorization: Hashable, Sendable {
        /// The action.
        public let action: Action

        /// The schema, such as `main`, if the action has one.
        public let schemaName: String?

        /// The innermost trigger or view that performs the action; nil for the statement itself.
        public let accessor: String?

        /// An action of a statement.
        public enum Action: Hashable, Sendable {
            /// A query.
            case select
            /// A recursive query.
            case recursive
            /// Reads a column. The column is empty if rows are read without any of their columns.
            case read(table: String, column: String)
            /// Inserts rows.
            case insert(table: String)
            /// Updates a column.
            case update(table: String, column: String)
            /// Deletes rows.
            case delete(table: String)
            /// Calls a function.
            case function(name: String)
            /// Runs a pragma, with its argument if it has one.
            case pragma(name: String, argument: String?)
            /// `BEGIN`, `COMMIT` or `ROLLBACK`.
            case transaction(operation: String)
            /// `BEGIN`, `RELEASE` or `ROLLBACK`, and the name of the savepoint.
            case savepoint(operation: String, name: String)
            /// Attaches a database. The path is nil if it is the result of an expression.
            case attach(path: String?)
            /// Detaches a database.
            case detach(schema: String)
            /// Creates a table, an index, a trigger or a view.
            case create(SchemaObjectInfo.Kind, name: String, table: String?, isTemporary: Bool)
            /// Drops a table, an index, a trigger or a view.
            case drop(SchemaObjectInfo.Kind, name: String, table: String?, isTemporary: Bool)
            /// Creates a virtual table.
            case createVirtualTable(name: String, module: String)
            /// Drops a virtual table.
            case dropVirtualTable(name: String, module: String)
            /// Alters a table.
            case alter(table: String)
            /// Rebuilds an index.
            case reindex(name: String)
            /// Computes the statistics of a table.
            case analyze(table: String)
            /// An action unknown to this version of the library, with its code.
            case other(Int32)
        }
    }

    /// The decision of an authorizer.
    public enum AuthorizationDecision: Sendable {
        /// The statement may perform the action.
        case allow
        /// The statement does not compile, and throws an error of code `SQLITE_AUTH`.
        case deny
        /// The statement compiles, but reads NULL instead of the column, does not update the column, or gets
        /// NULL instead of calling the function. Other actions are denied.
        case ignore
    }

    /// A function that decides what statements may do.
    public typealias Authorizer = (Authorization) -> AuthorizationDecision

    /// Executes database operations, and lets a closure decide what their statements may do.
    ///
    /// ```swift
    /// let rows = try db.withAuthorizer { authorization in
    ///     switch authorization.action {
    ///     case .select, .function: .allow
    ///     case .read(table: "user", column: "password"): .ignore
    ///     case .read(table: "user", _): .allow
    ///     default: .deny
    ///     }
    /// } operations: {
    ///     try Row.fetchAll(db, sql: untrustedSQL)
    /// }
    /// ```
    ///
    /// SQLite calls the authorizer when it compiles a statement. All prepared statements are recompiled
    /// when the operations begin and when they end. The authorizer is also called for the library's own
    /// queries of the schema, but not for the statements that its methods run to begin and end
    /// transactions and savepoints.
    ///
    /// Calls can be nested. An inner authorizer can't allow what an outer one denies. Observations are not
    /// affected: they track what statements read, even if it is ignored.
    ///
    /// - parameter authorizer: called on the thread of the connection. It must not use the connection.
    /// - parameter operations: the operations. Their value is returned. Don't let a cursor outlive them.
    /// - throws: the error of the closure, or a ``/GRDB/DatabaseError``. Denied statements throw an error of code
    ///   `SQLITE_AUTH`.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/set_authorizer.html>
    public func withAuthorizer<T>(
        _ authorizer: @escaping Authorizer, operations: () throws -> T
    ) throws -> T {
        try checkAccess()
        let outer = self.authorizer
        self.authorizer = { authorization, answer in
            guard let outer else { return authorization.answer(of: authorizer, answer) }
            let outerAnswer = outer(authorization, answer)
            if outerAnswer == RawAuthorization.deny { return outerAnswer }
            let innerAnswer = authorization.answer(of: authorizer, answer)
            // What the outer authorizer ignores, the inner one can only deny.
            return innerAnswer == RawAuthorization.deny || outerAnswer == answer
                ? innerAnswer : outerAnswer
        }
        expirePreparedStatements()
        defer {
            self.authorizer = outer
            expirePreparedStatements()
        }
        return try operations()
    }
}

extension RawAuthorization {
    /// Calls an authorizer of the app.
    ///
    /// - parameter answer: the decision of the library.
    func answer(of authorizer: Database.Authorizer, _ answer: CInt) -> CInt {
        let question = Database.Authorization(
            action: appAction,
            schemaName: schema.map { String(cString: $0) },
            accessor: accessor.map { String(cString: $0) })
        switch authorizer(question) {
        case .allow:
            return answer
        case .deny:
            return Self.deny
        case .ignore:
            // If ignored, deletions delete rows nevertheless, and other statements are skipped without an
            // error.
            return canBeIgnored ? Self.ignore : Self.deny
        }
    }
}
