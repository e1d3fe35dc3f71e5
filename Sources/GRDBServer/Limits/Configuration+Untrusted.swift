import GRDB

extension Configuration {
    /// A configuration for untrusted databases and untrusted SQL.
    ///
    /// ```swift
    /// var configuration = Configuration.untrusted
    /// configuration.readonly = true
    /// let dbQueue = try DatabaseQueue(path: path, configuration: configuration)
    /// ```
    ///
    /// Connections are defensive (``/GRDB/Configuration/isDefensive``), don't trust the schema
    /// (``/GRDB/Configuration/trustsSchema``), check the cells that they read
    /// (``/GRDB/Configuration/checksCellSizes``), and have lower ``GRDB/Configuration/limits``. Their
    /// ``GRDB/Configuration/authorizer`` denies `ATTACH`, `DETACH`, `load_extension`, `fts3_tokenizer`, and
    /// all pragmas except those that describe or check the database. Extensions can't be loaded.
    ///
    /// Statements can still run for hours: run them with ``/GRDB/Database/withTimeLimit(_:_:)``.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/security.html>
    public static var untrusted: Configuration {
        var configuration = Configuration()
        configuration.isDefensive = true
        configuration.trustsSchema = false
        configuration.checksCellSizes = true
        configuration.limits = [
            .length: 10_000_000,
            .sqlLength: 100_000,
            .columnCount: 200,
            .expressionDepth: 100,
            .compoundQueryCount: 20,
            .instructionCount: 100_000,
            .functionArgumentCount: 32,
            .attachedDatabaseCount: 0,
            .likePatternLength: 200,
            .argumentCount: 1000,
            .triggerDepth: 10,
            .workerThreadCount: 0,
        ]
        configuration.authorizer = { authorization in
            switch authorization.action {
            case .attach, .detach:
                .deny
            case .function(let name):
                ["load_extension", "fts3_tokenizer"].contains(ASCIICase.lowercased(name))
                    ? .deny : .allow
            case .pragma(let name, let argument):
                UntrustedPragmas.allows(ASCIICase.lowercased(name), argument) ? .allow : .deny
            default:
                .allow
            }
        }
        return configuration
    }
}

private enum UntrustedPragmas {
    /// Pragmas that describe or check the database.
    private static let descriptions: Set<String> = [
        "application_id", "collation_list", "compile_options", "data_version", "database_list",
        "encoding", "foreign_key_check", "foreign_key_list", "freelist_count", "function_list",
        "index_info", "index_list", "index_xinfo", "integrity_check", "module_list", "page_count",
        "page_size", "pragma_list", "quick_check", "schema_version", "table_info", "table_list",
        "table_xinfo", "user_version",
    ]

    /// Pragmas that change a setting if they have an argument, and are harmless without one.
    private static let settings: Set<String> = [
        "application_id", "data_version", "encoding", "page_size", "schema_version",
    ]

    static func allows(_ name: String, _ argument: String?) -> Bool {
        // SQLite's virtual tables read these settings.
        if name == "journal_mode" || name == "foreign_keys" { return argument == nil }
        return descriptions.contains(name) && (argument == nil || !settings.contains(name))
    }
}
