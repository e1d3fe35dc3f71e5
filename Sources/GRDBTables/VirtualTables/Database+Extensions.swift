import GRDB

// C extensions of SQLite: shared libraries, and entry points linked with the program.

extension Database {
    /// Loads a C extension of SQLite from a shared library into this connection.
    ///
    /// ```swift
    /// try dbQueue.write { db in
    ///     try db.loadExtension(at: "/path/to/vec0.so")
    ///     let version = try String.fetchOne(db, sql: "SELECT vec_version()")
    /// }
    /// ```
    ///
    /// To load an extension into all connections of a pool, use
    /// ``GRDB/Configuration/loadExtension(at:entryPoint:)``. The library remains loaded until the connection is
    /// closed, or longer if the extension requests it.
    ///
    /// Loading is only allowed during this call: the SQL function `load_extension()` always fails.
    ///
    /// - warning: An extension is native code that runs with all rights of the process. Only load
    ///   libraries that you trust, from folders that no one else can write to. See
    ///   [Extensions](/documentation/grdb/extensions).
    ///
    /// - parameter path: the path of the library, with or without the platform's suffix for shared
    ///   libraries. If it contains no `/`, the system searches for the library.
    /// - parameter entryPoint: the name of the C function that initializes the extension. If nil, SQLite
    ///   looks for `sqlite3_extension_init`, then for `sqlite3_NAME_init`, where `NAME` is derived from the
    ///   file name.
    /// - throws: a ``/GRDB/DatabaseError``: of code `SQLITE_CANTOPEN` if there is no such file; of code
    ///   `SQLITE_ERROR` if the file is not a library, lacks the entry point, or fails to initialize; of code
    ///   `SQLITE_MISUSE` if an argument contains a NUL character, or if the connection is closed or does not
    ///   belong to the current thread.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/loadext.html>
    public func loadExtension(at path: String, entryPoint: String? = nil) throws {
        try checkAccess()
        try Self.checkName(path, of: "extension")
        if let entryPoint { try Self.checkName(entryPoint, of: "entry point") }
        try initializingExtension("can't load the extension \(path)") { () throws(RawFailure) in
            try raw.loadExtension(at: path, entryPoint: entryPoint)
        }
    }

    /// Adds a C extension of SQLite that is linked with the program to this connection.
    ///
    /// The argument is the entry point of the extension, a C function that is usually named
    /// `sqlite3_NAME_init`. The module that declares it may import `sqlite3.h` or `sqlite3ext.h` of any
    /// SQLite:
    ///
    /// ```c
    /// int sqlite3_vec_init(sqlite3 *db, char **pzErrMsg, const sqlite3_api_routines *pApi);
    /// ```
    ///
    /// ```swift
    /// try db.register(extension: sqlite3_vec_init)
    /// ```
    ///
    /// To add an extension to all connections of a pool, use `register(extension:)` of ``/GRDB/Configuration``.
    ///
    /// - precondition: The extension calls SQLite through the `sqlite3_api_routines` that it receives, as
    ///   loadable extensions do. Compile it without `SQLITE_CORE`: an extension that calls `sqlite3_…`
    ///   functions by name calls another SQLite, with a connection that does not belong to it.
    /// - parameter entryPoint: the function that initializes the extension. It returns an SQLite result
    ///   code.
    /// - throws: a ``/GRDB/DatabaseError`` with the code and the message of the entry point; of code
    ///   `SQLITE_MISUSE` if the connection is closed or does not belong to the current thread.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/loadext.html#statically_linking_a_run_time_loadable_extension>
    public func register<API>(
        extension entryPoint: (
            OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
            UnsafePointer<API>?
        ) -> CInt
    ) throws {
        try checkAccess()
        try initializingExtension("can't initialize the extension") { () throws(RawFailure) in
            try raw.initializeExtension { connection, message, routines in
                entryPoint(connection, message, routines.assumingMemoryBound(to: API.self))
            }
        }
    }

    /// Adds a C extension of SQLite that is linked with the program to this connection.
    ///
    /// A variant of `register(extension:)` for entry points declared with `sqlite3.h` only, where
    /// `sqlite3_api_routines` has no definition.
    ///
    /// - parameter entryPoint: the function that initializes the extension.
    /// - throws: a ``/GRDB/DatabaseError`` with the code and the message of the entry point; of code
    ///   `SQLITE_MISUSE` if the connection is closed or does not belong to the current thread.
    public func register(
        extension entryPoint: (
            OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?
        ) -> CInt
    ) throws {
        try checkAccess()
        try initializingExtension("can't initialize the extension") { () throws(RawFailure) in
            try raw.initializeExtension { connection, message, routines in
                entryPoint(connection, message, OpaquePointer(routines))
            }
        }
    }

    /// Runs a C function that initializes an extension. The function may run statements.
    private func initializingExtension(
        _ failureMessage: String, _ body: () throws(RawFailure) -> Void
    ) throws {
        let outerError = raw.callbackError
        raw.callbackError = nil
        defer { raw.callbackError = outerError }
        do throws(RawFailure) {
            try raw.checkState()
            try body()
        } catch {
            let message = error.message.map { "\(failureMessage): \($0)" } ?? failureMessage
            throw DatabaseError(
                resultCode: ResultCode(rawValue: error.code), message: message)
        }
        statementDidReset()
    }
}

extension Configuration {
    /// Loads a C extension of SQLite from a shared library into each connection, after it is opened.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.loadExtension(at: "/path/to/vec0.so")
    /// let dbPool = try DatabasePool(path: "/path/to/database.sqlite", configuration: config)
    /// ```
    ///
    /// The connections of pools and snapshots load the extension as well. Extensions are loaded in the order
    /// of the calls of this method, `register(extension:)` and
    /// ``/GRDB/Configuration/prepareDatabase(_:)``. If an extension can't be loaded, opening the
    /// connection throws the error of ``GRDB/Database/loadExtension(at:entryPoint:)``.
    ///
    /// - warning: An extension is native code that runs with all rights of the process. See
    ///   [Extensions](/documentation/grdb/extensions).
    ///
    /// - parameter path: the path of the library, with or without the platform's suffix for shared
    ///   libraries. If it contains no `/`, the system searches for the library.
    /// - parameter entryPoint: the name of the C function that initializes the extension. If nil, SQLite
    ///   looks for it.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/loadext.html>
    public mutating func loadExtension(at path: String, entryPoint: String? = nil) {
        prepareDatabase { db in
            try db.loadExtension(at: path, entryPoint: entryPoint)
        }
    }

    /// Adds a C extension of SQLite that is linked with the program to each connection, after it is
    /// opened.
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.register(extension: sqlite3_vec_init)
    /// ```
    ///
    /// - precondition: The extension was compiled without `SQLITE_CORE`. See
    ///   `register(extension:)`.
    /// - parameter entryPoint: the function that initializes the extension. If it fails, opening the
    ///   connection throws.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/loadext.html#statically_linking_a_run_time_loadable_extension>
    public mutating func register<API>(
        extension entryPoint:
            @escaping @Sendable (
                OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
                UnsafePointer<API>?
            ) -> CInt
    ) {
        prepareDatabase { db in
            try db.register(extension: entryPoint)
        }
    }

    /// Adds a C extension of SQLite that is linked with the program to each connection, after it is
    /// opened.
    ///
    /// A variant of `register(extension:)` for entry points declared with `sqlite3.h` only, where
    /// `sqlite3_api_routines` has no definition.
    ///
    /// - parameter entryPoint: the function that initializes the extension. If it fails, opening the
    ///   connection throws.
    public mutating func register(
        extension entryPoint:
            @escaping @Sendable (
                OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?
            ) -> CInt
    ) {
        prepareDatabase { db in
            try db.register(extension: entryPoint)
        }
    }
}
