import GRDB

/// What a failure of the database means to the user of the program.
enum DatabaseFailure {
    static func message(_ error: DatabaseError) -> String {
        let text = error.message ?? "\(error)"
        switch error {
        case DatabaseError.SQLITE_BUSY, DatabaseError.SQLITE_LOCKED:
            return """
                the index is locked by another process that writes: try again later. What was \
                indexed before is kept.
                """
        case DatabaseError.SQLITE_FULL:
            return """
                the disk is full. What was indexed before is kept; make room, and index again to \
                go on.
                """
        case DatabaseError.SQLITE_IOERR:
            return """
                the index can't be read or written (\(text), \
                code \(error.extendedResultCode.rawValue)). What was indexed before is kept.
                """
        case DatabaseError.SQLITE_CANTOPEN:
            return "the index can't be opened: \(text)"
        case DatabaseError.SQLITE_READONLY, DatabaseError.SQLITE_PERM:
            return """
                the index and its folder must be writable, also in order to search: SQLite keeps \
                a log beside the file (\(text))
                """
        case DatabaseError.SQLITE_NOTADB:
            return "the file is not an SQLite database, and is left as it is"
        case DatabaseError.SQLITE_CORRUPT:
            return "the index is damaged (\(text)): delete it, and index again"
        default:
            return "\(error)"
        }
    }
}
