import CGRDBSQLite

/// The error log of SQLite, shared by the whole process.
///
/// See <https://www.sqlite.org/errlog.html>.
package enum RawLog {
    typealias Handler = @Sendable (CInt, String) -> Void

    private static let handler = Locked<Handler?>(nil)

    /// SQLite only accepts a log callback before its initialization. Therefore, a callback is installed
    /// before the first connection opens, and reads the current handler when it is called.
    private static let installation: CInt = grdb_config_log(
        { _, code, message in
            RawLog.write(code, message.map { String(cString: $0) } ?? "")
        }, nil)

    /// Passes a message to the handler, in full: `sqlite3_log` truncates messages at about 200 bytes.
    package static func write(_ code: CInt, _ message: String) {
        guard let handler = handler.withLock({ $0 }) else { return }
        #if GRDB_ENCRYPTION
        let isWithheld = quietThreads.withLock { $0.contains(currentThreadID()) }
        handler(code, isWithheld ? RawSQLite.errorString(code) : SQLText.withoutKeys(message))
        #else
        handler(code, message)
        #endif
    }

    #if GRDB_ENCRYPTION
    /// The threads that compile a statement with a key.
    private static let quietThreads = Locked<Set<UInt>>([])

    /// Writes the codes of messages only, while a statement is compiled that contains a key: messages quote
    /// parts of it.
    static func withholdingMessages<T, Failure: Error>(
        _ body: () throws(Failure) -> T
    ) throws(Failure) -> T {
        let isOutermost = quietThreads.withLock { $0.insert(currentThreadID()).inserted }
        defer {
            if isOutermost { _ = quietThreads.withLock { $0.remove(currentThreadID()) } }
        }
        return try body()
    }
    #endif

    static func install() {
        _ = installation
    }

    static func setHandler(_ newHandler: Handler?) {
        install()
        // Keep the former handler until the lock is released: deallocating its captures may run any code.
        let former = handler.withLock { handler in
            defer { handler = newHandler }
            return handler
        }
        withExtendedLifetime(former) {}
    }

    /// Writes a message to the error log of SQLite.
    static func log(code: CInt, _ message: String) {
        grdb_log(code, message)
    }
}
