import GRDB

extension Configuration {
    /// The limits that differ from the defaults. The default is empty.
    ///
    /// ```swift
    /// configuration.limits[.sqlLength] = 10_000
    /// ```
    ///
    /// The limits are set when a connection opens, before ``/GRDB/Configuration/prepareDatabase(_:)``.
    public var limits: [Database.Limit: Int] {
        get { statementPolicy.limits }
        set { statementPolicy.limits = newValue }
    }

    /// A function that decides what statements may do, once a connection is open and prepared. The default
    /// is nil.
    ///
    /// It is called for all statements, including the library's own queries of the schema, but not for the
    /// statements that begin and end transactions. See ``GRDB/Database/withAuthorizer(_:operations:)``.
    public var authorizer: (@Sendable (Database.Authorization) -> Database.AuthorizationDecision)? {
        get { statementPolicy.authorizer }
        set { statementPolicy.authorizer = newValue }
    }

    private var statementPolicy: StatementPolicy {
        get { policy as? StatementPolicy ?? StatementPolicy() }
        set { policy = newValue }
    }
}

/// The limits and the authorizer of a configuration.
private struct StatementPolicy: ConnectionPolicy {
    var limits: [Database.Limit: Int] = [:]
    var authorizer: (@Sendable (Database.Authorization) -> Database.AuthorizationDecision)?

    func connectionDidOpen(_ db: Database) {
        for (limit, value) in limits { db.raw.setLimit(limit.raw, to: value) }
    }

    func connectionIsPrepared(_ db: Database) {
        guard let authorizer else { return }
        db.authorizer = { $0.answer(of: authorizer, $1) }
        db.expirePreparedStatements()
    }
}
