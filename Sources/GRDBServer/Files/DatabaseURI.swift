import GRDB

/// The location of a database with the parameters that SQLite accepts in a file URI.
///
/// ```swift
/// // file:/path/to/database.sqlite?immutable=1&mode=ro
/// let uri = DatabaseURI(
///     path: "/path/to/database.sqlite",
///     parameters: [.mode(.readOnly), .immutable(true)])
/// let dbQueue = try DatabaseQueue(uri: uri)
/// ```
///
/// Related SQLite documentation: <https://www.sqlite.org/uri.html>
public struct DatabaseURI: Hashable, Sendable {
    /// A parameter of a database URI.
    public struct Parameter: Hashable, Sendable {
        /// The mode in which the database is opened.
        public enum Mode: String, Sendable {
            /// The file must exist, and can't be changed.
            case readOnly = "ro"

            /// The file must exist, and can be changed.
            case readWrite = "rw"

            /// The file is created if it does not exist.
            case readWriteCreate = "rwc"

            /// The database is in memory.
            case memory = "memory"
        }

        /// Whether connections of this process share their cache.
        public enum Cache: String, Sendable {
            /// The connections share a cache.
            case shared

            /// Each connection has its own cache.
            case `private`
        }

        let name: String
        let value: String

        /// The mode in which the database is opened. It can only restrict the configuration.
        public static func mode(_ mode: Mode) -> Parameter {
            Parameter(name: "mode", value: mode.rawValue)
        }

        /// Whether connections share their cache.
        public static func cache(_ cache: Cache) -> Parameter {
            Parameter(name: "cache", value: cache.rawValue)
        }

        /// Whether the file never changes, so that no locks are needed.
        public static func immutable(_ isImmutable: Bool) -> Parameter {
            Parameter(name: "immutable", value: isImmutable ? "1" : "0")
        }

        /// Whether file locks are disabled.
        public static func nolock(_ isUnlocked: Bool) -> Parameter {
            Parameter(name: "nolock", value: isUnlocked ? "1" : "0")
        }

        /// Whether the disk guarantees that a write does not change the bytes next to it.
        public static func powersafeOverwrite(_ isSafe: Bool) -> Parameter {
            Parameter(name: "psow", value: isSafe ? "1" : "0")
        }

        /// The file whose permissions are applied to journal files.
        public static func modeOf(_ path: String) -> Parameter {
            Parameter(name: "modeof", value: path)
        }

        /// The name of the virtual file system.
        public static func vfs(_ name: String) -> Parameter {
            Parameter(name: "vfs", value: name)
        }

        /// A parameter of a custom virtual file system.
        public static func custom(_ name: String, _ value: String) -> Parameter {
            Parameter(name: name, value: value)
        }
    }

    /// The path of the file, or the name of an in-memory database.
    public var path: String

    /// The parameters, in the order of the URI.
    public var parameters: [Parameter]

    /// Creates a URI.
    ///
    /// - parameter path: the path of the file, or the name of an in-memory database.
    /// - parameter parameters: the parameters.
    public init(path: String, parameters: [Parameter] = []) {
        self.path = path
        self.parameters = parameters
    }

    /// The URI, percent-encoded.
    public var string: String {
        DatabasePath.uri(path, parameters.map { ($0.name, $0.value) })
    }

    /// Returns the URI. Throws if a part of it contains a NUL character, where SQLite would stop.
    func checkedString() throws -> String {
        try DatabasePath.checkedURI(path, parameters.map { ($0.name, $0.value) })
    }
}

extension DatabaseQueue {
    /// Opens a database by URI, with typed parameters.
    ///
    /// ```swift
    /// let dbQueue = try DatabaseQueue(
    ///     uri: DatabaseURI(path: "/resources/db.sqlite", parameters: [.immutable(true)]))
    /// ```
    ///
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_CANTOPEN` if the file can't be opened or
    ///   created, `SQLITE_NOTADB` if it is not a database; or the error of a closure of
    ///   ``/GRDB/Configuration/prepareDatabase(_:)``.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/uri.html>
    public convenience init(
        uri: DatabaseURI, configuration: Configuration = Configuration()
    ) throws {
        try self.init(path: uri.checkedString(), configuration: configuration)
    }
}

extension DatabasePool {
    /// Opens a database by URI, with typed parameters.
    ///
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_CANTOPEN` if the file can't be opened or
    ///   created, `SQLITE_NOTADB` if it is not a database; or the error of a closure of
    ///   ``/GRDB/Configuration/prepareDatabase(_:)``.
    public convenience init(
        uri: DatabaseURI, configuration: Configuration = Configuration()
    ) throws {
        try self.init(path: uri.checkedString(), configuration: configuration)
    }
}

extension Database {
    /// Attaches another database to the connection, with the parameters of its URI.
    ///
    /// ```swift
    /// let archive = DatabaseURI(path: "/path/to/archive.sqlite", parameters: [.mode(.readOnly)])
    /// try db.attach(archive, as: "archive")
    /// ```
    ///
    /// - throws: a ``/GRDB/DatabaseError``, of code `SQLITE_CANTOPEN` if the file can't be opened or
    ///   created, `SQLITE_NOTADB` if it is not a database, `SQLITE_ERROR` if the name of the schema
    ///   is in use.
    public func attach(_ uri: DatabaseURI, as schemaName: String) throws {
        try attach(uri.checkedString(), as: schemaName)
    }
}
