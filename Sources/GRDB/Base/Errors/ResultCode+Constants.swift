// The result codes of SQLite 3.53. They are written out, because only the SQLite room imports the C
// module.

/// A type that has the result codes as static properties. Internal.
///
/// ``DatabaseError`` has them as well, so that you can write `catch DatabaseError.SQLITE_CONSTRAINT`.
public protocol _ResultCodes {}

extension ResultCode: _ResultCodes {}
extension DatabaseError: _ResultCodes {}

// MARK: - Results that are not errors

extension _ResultCodes {
    /// The operation succeeded. (0)
    public static var SQLITE_OK: ResultCode { .init(rawValue: 0) }

    /// An extension was loaded that must stay loaded after its connection is closed. (256)
    public static var SQLITE_OK_LOAD_PERMANENTLY: ResultCode { .init(rawValue: 0 | 1 << 8) }

    /// Internal to SQLite: a path was resolved through a symbolic link. (512)
    public static var SQLITE_OK_SYMLINK: ResultCode { .init(rawValue: 0 | 2 << 8) }

    /// A statement was stepped to a row. (100)
    public static var SQLITE_ROW: ResultCode { .init(rawValue: 100) }

    /// A statement has finished. (101)
    public static var SQLITE_DONE: ResultCode { .init(rawValue: 101) }

    /// Only for the error log: something unusual happened. (27)
    public static var SQLITE_NOTICE: ResultCode { .init(rawValue: 27) }

    /// Only for the error log: a WAL file left by a crash was recovered. (283)
    public static var SQLITE_NOTICE_RECOVER_WAL: ResultCode { .init(rawValue: 27 | 1 << 8) }

    /// Only for the error log: a journal left by a crash was rolled back. (539)
    public static var SQLITE_NOTICE_RECOVER_ROLLBACK: ResultCode { .init(rawValue: 27 | 2 << 8) }

    /// Only for the error log: the RBU extension reported something. (795)
    public static var SQLITE_NOTICE_RBU: ResultCode { .init(rawValue: 27 | 3 << 8) }

    /// Only for the error log: something unusual and probably wrong happened. (28)
    public static var SQLITE_WARNING: ResultCode { .init(rawValue: 28) }

    /// Only for the error log: a query builds an index that the schema lacks. (284)
    public static var SQLITE_WARNING_AUTOINDEX: ResultCode { .init(rawValue: 28 | 1 << 8) }
}

// MARK: - Generic errors

extension _ResultCodes {
    /// An error without a code of its own, such as a syntax error or a missing table. (1)
    public static var SQLITE_ERROR: ResultCode { .init(rawValue: 1) }

    /// A collation that the statement needs is not registered. (257)
    public static var SQLITE_ERROR_MISSING_COLLSEQ: ResultCode { .init(rawValue: 1 | 1 << 8) }

    /// Internal to SQLite: the statement must be compiled again. (513)
    public static var SQLITE_ERROR_RETRY: ResultCode { .init(rawValue: 1 | 2 << 8) }

    /// A snapshot is no longer available, or is not of this database. (769)
    public static var SQLITE_ERROR_SNAPSHOT: ResultCode { .init(rawValue: 1 | 3 << 8) }

    /// The space reserved at the end of each page does not fit the extension in use. (1025)
    public static var SQLITE_ERROR_RESERVESIZE: ResultCode { .init(rawValue: 1 | 4 << 8) }

    /// The key of an encryption extension is unsuitable. (1281)
    public static var SQLITE_ERROR_KEY: ResultCode { .init(rawValue: 1 | 5 << 8) }

    /// The operation can't be done in the current state. (1537)
    public static var SQLITE_ERROR_UNABLE: ResultCode { .init(rawValue: 1 | 6 << 8) }

    /// SQLite, or code that extends it, has failed its own checks. (2)
    public static var SQLITE_INTERNAL: ResultCode { .init(rawValue: 2) }

    /// A file could not be created with the requested access mode. (3)
    public static var SQLITE_PERM: ResultCode { .init(rawValue: 3) }

    /// A statement was stopped early, often by its own callback. (4)
    public static var SQLITE_ABORT: ResultCode { .init(rawValue: 4) }

    /// A statement was stopped because its transaction was rolled back in the meantime. (516)
    public static var SQLITE_ABORT_ROLLBACK: ResultCode { .init(rawValue: 4 | 2 << 8) }

    /// Memory could not be allocated. (7)
    public static var SQLITE_NOMEM: ResultCode { .init(rawValue: 7) }

    /// The operation was interrupted. (9)
    public static var SQLITE_INTERRUPT: ResultCode { .init(rawValue: 9) }

    /// The name or the operation code is unknown. (12)
    public static var SQLITE_NOTFOUND: ResultCode { .init(rawValue: 12) }

    /// The disk, or the database by its page limit, is full. (13)
    public static var SQLITE_FULL: ResultCode { .init(rawValue: 13) }

    /// The locking protocol failed: connections raced too long to start on a WAL file. (15)
    public static var SQLITE_PROTOCOL: ResultCode { .init(rawValue: 15) }

    /// Not in use. (16)
    public static var SQLITE_EMPTY: ResultCode { .init(rawValue: 16) }

    /// The schema has changed since the statement was compiled. (17)
    public static var SQLITE_SCHEMA: ResultCode { .init(rawValue: 17) }

    /// A string or a blob, or the SQL text itself, is too long. (18)
    public static var SQLITE_TOOBIG: ResultCode { .init(rawValue: 18) }

    /// A value has the wrong type: text for an INTEGER PRIMARY KEY, for example. (20)
    public static var SQLITE_MISMATCH: ResultCode { .init(rawValue: 20) }

    /// The interface of SQLite was misused. (21)
    public static var SQLITE_MISUSE: ResultCode { .init(rawValue: 21) }

    /// The file must grow larger than the file system allows. (22)
    public static var SQLITE_NOLFS: ResultCode { .init(rawValue: 22) }

    /// Not in use. (24)
    public static var SQLITE_FORMAT: ResultCode { .init(rawValue: 24) }

    /// The index of a parameter or a column is out of range. (25)
    public static var SQLITE_RANGE: ResultCode { .init(rawValue: 25) }
}

// MARK: - Concurrency

extension _ResultCodes {
    /// Another connection holds a lock that the operation needs. (5)
    public static var SQLITE_BUSY: ResultCode { .init(rawValue: 5) }

    /// Another connection is recovering a WAL file left by a crash. (261)
    public static var SQLITE_BUSY_RECOVERY: ResultCode { .init(rawValue: 5 | 1 << 8) }

    /// A read transaction can't become a write transaction: its snapshot is outdated. (517)
    public static var SQLITE_BUSY_SNAPSHOT: ResultCode { .init(rawValue: 5 | 2 << 8) }

    /// A blocking lock was not obtained in time. (773)
    public static var SQLITE_BUSY_TIMEOUT: ResultCode { .init(rawValue: 5 | 3 << 8) }

    /// The same connection, or a connection that shares its cache, holds a conflicting lock. (6)
    public static var SQLITE_LOCKED: ResultCode { .init(rawValue: 6) }

    /// A connection that shares the cache holds a lock on the table. (262)
    public static var SQLITE_LOCKED_SHAREDCACHE: ResultCode { .init(rawValue: 6 | 1 << 8) }

    /// Reserved for virtual tables that lock. (518)
    public static var SQLITE_LOCKED_VTAB: ResultCode { .init(rawValue: 6 | 2 << 8) }
}

// MARK: - Access

extension _ResultCodes {
    /// The database, or the connection, can't be written. (8)
    public static var SQLITE_READONLY: ResultCode { .init(rawValue: 8) }

    /// A WAL file must be recovered, and the database can't be written. (264)
    public static var SQLITE_READONLY_RECOVERY: ResultCode { .init(rawValue: 8 | 1 << 8) }

    /// The shared memory of a WAL database can't be locked without write access. (520)
    public static var SQLITE_READONLY_CANTLOCK: ResultCode { .init(rawValue: 8 | 2 << 8) }

    /// A journal must be rolled back, and the database can't be written. (776)
    public static var SQLITE_READONLY_ROLLBACK: ResultCode { .init(rawValue: 8 | 3 << 8) }

    /// The database file was moved since it was opened. (1032)
    public static var SQLITE_READONLY_DBMOVED: ResultCode { .init(rawValue: 8 | 4 << 8) }

    /// The shared memory of a WAL database can't be set up by this connection. (1288)
    public static var SQLITE_READONLY_CANTINIT: ResultCode { .init(rawValue: 8 | 5 << 8) }

    /// A journal can't be created, because the directory can't be written. (1544)
    public static var SQLITE_READONLY_DIRECTORY: ResultCode { .init(rawValue: 8 | 6 << 8) }

    /// A file could not be opened. (14)
    public static var SQLITE_CANTOPEN: ResultCode { .init(rawValue: 14) }

    /// Not in use. (270)
    public static var SQLITE_CANTOPEN_NOTEMPDIR: ResultCode { .init(rawValue: 14 | 1 << 8) }

    /// The path refers to a directory. (526)
    public static var SQLITE_CANTOPEN_ISDIR: ResultCode { .init(rawValue: 14 | 2 << 8) }

    /// The full path could not be determined. (782)
    public static var SQLITE_CANTOPEN_FULLPATH: ResultCode { .init(rawValue: 14 | 3 << 8) }

    /// The path could not be converted for the system (Cygwin). (1038)
    public static var SQLITE_CANTOPEN_CONVPATH: ResultCode { .init(rawValue: 14 | 4 << 8) }

    /// Not in use. (1294)
    public static var SQLITE_CANTOPEN_DIRTYWAL: ResultCode { .init(rawValue: 14 | 5 << 8) }

    /// The path is a symbolic link, and the connection does not follow symbolic links. (1550)
    public static var SQLITE_CANTOPEN_SYMLINK: ResultCode { .init(rawValue: 14 | 6 << 8) }

    /// The authorizer refused the statement. (23)
    public static var SQLITE_AUTH: ResultCode { .init(rawValue: 23) }

    /// The user of a database with user authentication lacks the permission. (279)
    public static var SQLITE_AUTH_USER: ResultCode { .init(rawValue: 23 | 1 << 8) }
}

// MARK: - Constraints

extension _ResultCodes {
    /// An SQL constraint was violated. (19)
    public static var SQLITE_CONSTRAINT: ResultCode { .init(rawValue: 19) }

    /// A CHECK constraint failed. (275)
    public static var SQLITE_CONSTRAINT_CHECK: ResultCode { .init(rawValue: 19 | 1 << 8) }

    /// The commit hook turned the commit into a rollback. (531)
    public static var SQLITE_CONSTRAINT_COMMITHOOK: ResultCode { .init(rawValue: 19 | 2 << 8) }

    /// A foreign key constraint failed. (787)
    public static var SQLITE_CONSTRAINT_FOREIGNKEY: ResultCode { .init(rawValue: 19 | 3 << 8) }

    /// A function of an extension reported a violated constraint. (1043)
    public static var SQLITE_CONSTRAINT_FUNCTION: ResultCode { .init(rawValue: 19 | 4 << 8) }

    /// A NOT NULL constraint failed. (1299)
    public static var SQLITE_CONSTRAINT_NOTNULL: ResultCode { .init(rawValue: 19 | 5 << 8) }

    /// A PRIMARY KEY constraint failed. (1555)
    public static var SQLITE_CONSTRAINT_PRIMARYKEY: ResultCode { .init(rawValue: 19 | 6 << 8) }

    /// A trigger raised an error. (1811)
    public static var SQLITE_CONSTRAINT_TRIGGER: ResultCode { .init(rawValue: 19 | 7 << 8) }

    /// A UNIQUE constraint failed. (2067)
    public static var SQLITE_CONSTRAINT_UNIQUE: ResultCode { .init(rawValue: 19 | 8 << 8) }

    /// A virtual table reported a violated constraint. (2323)
    public static var SQLITE_CONSTRAINT_VTAB: ResultCode { .init(rawValue: 19 | 9 << 8) }

    /// A rowid is not unique. (2579)
    public static var SQLITE_CONSTRAINT_ROWID: ResultCode { .init(rawValue: 19 | 10 << 8) }

    /// A row can't change while an UPDATE trigger holds it. (2835)
    public static var SQLITE_CONSTRAINT_PINNED: ResultCode { .init(rawValue: 19 | 11 << 8) }

    /// A value does not fit the column type of a STRICT table. (3091)
    public static var SQLITE_CONSTRAINT_DATATYPE: ResultCode { .init(rawValue: 19 | 12 << 8) }
}

// MARK: - Corruption

extension _ResultCodes {
    /// The database file is damaged. (11)
    public static var SQLITE_CORRUPT: ResultCode { .init(rawValue: 11) }

    /// The content of a virtual table is damaged. (267)
    public static var SQLITE_CORRUPT_VTAB: ResultCode { .init(rawValue: 11 | 1 << 8) }

    /// The sqlite_sequence table is damaged. (523)
    public static var SQLITE_CORRUPT_SEQUENCE: ResultCode { .init(rawValue: 11 | 2 << 8) }

    /// An index has a missing or superfluous entry. (779)
    public static var SQLITE_CORRUPT_INDEX: ResultCode { .init(rawValue: 11 | 3 << 8) }

    /// The file is not a database, or it is encrypted. (26)
    public static var SQLITE_NOTADB: ResultCode { .init(rawValue: 26) }
}

// MARK: - Input and output

extension _ResultCodes {
    /// The system reported an input or output error. (10)
    public static var SQLITE_IOERR: ResultCode { .init(rawValue: 10) }

    /// A file could not be read. (266)
    public static var SQLITE_IOERR_READ: ResultCode { .init(rawValue: 10 | 1 << 8) }

    /// A read returned fewer bytes than requested. (522)
    public static var SQLITE_IOERR_SHORT_READ: ResultCode { .init(rawValue: 10 | 2 << 8) }

    /// A file could not be written. (778)
    public static var SQLITE_IOERR_WRITE: ResultCode { .init(rawValue: 10 | 3 << 8) }

    /// A file could not be flushed to disk. (1034)
    public static var SQLITE_IOERR_FSYNC: ResultCode { .init(rawValue: 10 | 4 << 8) }

    /// A directory could not be flushed to disk. (1290)
    public static var SQLITE_IOERR_DIR_FSYNC: ResultCode { .init(rawValue: 10 | 5 << 8) }

    /// A file could not be truncated. (1546)
    public static var SQLITE_IOERR_TRUNCATE: ResultCode { .init(rawValue: 10 | 6 << 8) }

    /// The information about a file could not be read. (1802)
    public static var SQLITE_IOERR_FSTAT: ResultCode { .init(rawValue: 10 | 7 << 8) }

    /// A file could not be unlocked. (2058)
    public static var SQLITE_IOERR_UNLOCK: ResultCode { .init(rawValue: 10 | 8 << 8) }

    /// A read lock could not be obtained. (2314)
    public static var SQLITE_IOERR_RDLOCK: ResultCode { .init(rawValue: 10 | 9 << 8) }

    /// A file could not be deleted. (2570)
    public static var SQLITE_IOERR_DELETE: ResultCode { .init(rawValue: 10 | 10 << 8) }

    /// Not in use. (2826)
    public static var SQLITE_IOERR_BLOCKED: ResultCode { .init(rawValue: 10 | 11 << 8) }

    /// The system lacked memory for the operation. (3082)
    public static var SQLITE_IOERR_NOMEM: ResultCode { .init(rawValue: 10 | 12 << 8) }

    /// The access rights of a file could not be read. (3338)
    public static var SQLITE_IOERR_ACCESS: ResultCode { .init(rawValue: 10 | 13 << 8) }

    /// The state of a lock could not be determined. (3594)
    public static var SQLITE_IOERR_CHECKRESERVEDLOCK: ResultCode { .init(rawValue: 10 | 14 << 8) }

    /// A file could not be locked. (3850)
    public static var SQLITE_IOERR_LOCK: ResultCode { .init(rawValue: 10 | 15 << 8) }

    /// A file could not be closed. (4106)
    public static var SQLITE_IOERR_CLOSE: ResultCode { .init(rawValue: 10 | 16 << 8) }

    /// A directory could not be closed. (4362)
    public static var SQLITE_IOERR_DIR_CLOSE: ResultCode { .init(rawValue: 10 | 17 << 8) }

    /// A shared memory file could not be opened. (4618)
    public static var SQLITE_IOERR_SHMOPEN: ResultCode { .init(rawValue: 10 | 18 << 8) }

    /// A shared memory file could not be enlarged. (4874)
    public static var SQLITE_IOERR_SHMSIZE: ResultCode { .init(rawValue: 10 | 19 << 8) }

    /// Not in use. (5130)
    public static var SQLITE_IOERR_SHMLOCK: ResultCode { .init(rawValue: 10 | 20 << 8) }

    /// A shared memory file could not be mapped. (5386)
    public static var SQLITE_IOERR_SHMMAP: ResultCode { .init(rawValue: 10 | 21 << 8) }

    /// The position in a file could not be set. (5642)
    public static var SQLITE_IOERR_SEEK: ResultCode { .init(rawValue: 10 | 22 << 8) }

    /// A file could not be deleted because it does not exist. (5898)
    public static var SQLITE_IOERR_DELETE_NOENT: ResultCode { .init(rawValue: 10 | 23 << 8) }

    /// The database file could not be mapped. (6154)
    public static var SQLITE_IOERR_MMAP: ResultCode { .init(rawValue: 10 | 24 << 8) }

    /// No directory for temporary files was found. (6410)
    public static var SQLITE_IOERR_GETTEMPPATH: ResultCode { .init(rawValue: 10 | 25 << 8) }

    /// The path could not be converted for the system (Cygwin). (6666)
    public static var SQLITE_IOERR_CONVPATH: ResultCode { .init(rawValue: 10 | 26 << 8) }

    /// Reserved for extensions. (6922)
    public static var SQLITE_IOERR_VNODE: ResultCode { .init(rawValue: 10 | 27 << 8) }

    /// Reserved for extensions. (7178)
    public static var SQLITE_IOERR_AUTH: ResultCode { .init(rawValue: 10 | 28 << 8) }

    /// An atomic write could not begin. (7434)
    public static var SQLITE_IOERR_BEGIN_ATOMIC: ResultCode { .init(rawValue: 10 | 29 << 8) }

    /// An atomic write could not be committed. (7690)
    public static var SQLITE_IOERR_COMMIT_ATOMIC: ResultCode { .init(rawValue: 10 | 30 << 8) }

    /// An atomic write could not be rolled back. (7946)
    public static var SQLITE_IOERR_ROLLBACK_ATOMIC: ResultCode { .init(rawValue: 10 | 31 << 8) }

    /// The checksum of a page is wrong. (8202)
    public static var SQLITE_IOERR_DATA: ResultCode { .init(rawValue: 10 | 32 << 8) }

    /// The file system is damaged. (8458)
    public static var SQLITE_IOERR_CORRUPTFS: ResultCode { .init(rawValue: 10 | 33 << 8) }

    /// A memory-mapped page could not be read. (8714)
    public static var SQLITE_IOERR_IN_PAGE: ResultCode { .init(rawValue: 10 | 34 << 8) }

    /// Reserved for encryption extensions: the key is wrong. (8970)
    public static var SQLITE_IOERR_BADKEY: ResultCode { .init(rawValue: 10 | 35 << 8) }

    /// Reserved for encryption extensions: a page could not be coded or decoded. (9226)
    public static var SQLITE_IOERR_CODEC: ResultCode { .init(rawValue: 10 | 36 << 8) }
}
