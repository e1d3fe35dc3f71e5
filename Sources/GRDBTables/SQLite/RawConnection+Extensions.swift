import GRDB
import CGRDBSQLite
import _GRDBSystem

extension RawConnection {
    /// Loads a shared library. Loading is enabled for this call only, and only for the C function.
    func loadExtension(at path: String, entryPoint: String?) throws(RawFailure) {
        let handle = try openHandle()
        var wasEnabled: CInt = 0
        _ = grdb_db_config_int(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, -1, &wasEnabled)
        _ = grdb_db_config_int(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, nil)
        var message: UnsafeMutablePointer<CChar>?
        let code = grdb_sqlite3_load_extension(handle, path, entryPoint, &message)
        _ = grdb_db_config_int(
            handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, wasEnabled, nil)
        defer { grdb_sqlite3_free(message) }
        if code == SQLITE_OK { return }
        if Self.isMissing(path) {
            throw RawFailure(code: SQLITE_CANTOPEN, message: "no such file")
        }
        throw RawFailure(code: code, message: message.map { String(cString: $0) })
    }

    /// Whether there is no library at a path. The system searches for names without a folder.
    private static func isMissing(_ path: String) -> Bool {
        guard path.utf8.contains(UInt8(ascii: "/")) else { return false }
        #if canImport(Darwin)
        let ending = ".dylib"
        #else
        let ending = ".so"
        #endif
        return access(path, F_OK) != 0 && access(path + ending, F_OK) != 0
    }

    /// Calls the entry point of an extension that is linked with the program.
    ///
    /// - parameter initialize: receives the connection, a pointer for a message allocated with
    ///   `sqlite3_mprintf()`, and the `sqlite3_api_routines`.
    func initializeExtension(
        _ initialize: (
            OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, UnsafeRawPointer
        ) -> CInt
    ) throws(RawFailure) {
        let handle = try openHandle()
        let routines = grdb_extension_api()!
        var message: UnsafeMutablePointer<CChar>?
        let code = initialize(handle, &message, routines)
        defer { grdb_sqlite3_free(message) }
        // The second code is `SQLITE_OK_LOAD_PERMANENTLY`.
        if code == SQLITE_OK || code == SQLITE_OK | (1 << 8) { return }
        throw RawFailure(
            code: code,
            message: message.map { String(cString: $0) }
                ?? String(cString: grdb_sqlite3_errstr(code)))
    }
}
