import CGRDBSQLite

extension RawConnection {
    /// Deletes a session, unless closing the connection has already deleted it.
    func deleteSession(_ session: OpaquePointer) {
        if let callback = sessions.removeValue(forKey: session) {
            withExtendedLifetime(callback) { grdb_sqlite3session_delete(session) }
        }
    }

    func deleteSessions() {
        for session in sessions.keys { deleteSession(session) }
    }
}
