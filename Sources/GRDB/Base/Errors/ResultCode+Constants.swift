// The result codes of SQLite 3.53. They are written out, because only the SQLite room imports the C
// module.

// MARK: - Results that are not errors

extension ResultCode {
    /// The operation succeeded. (0)
    public static let SQLITE_OK = ResultCode(rawValue: 0)

    /// An extension was loaded that must stay loaded after its connection is closed. (256)
    public static let SQLITE_OK_LOAD_PERMANENTLY = ResultCode(rawValue: 0 | 1 << 8)

    /// Internal to SQLite: a path was resolved through a symbolic link. (512)
    public static let SQLITE_OK_SYMLINK = ResultCode(rawValue: 0 | 2 << 8)

    /// A statement was stepped to a row. (100)
    public static let SQLITE_ROW = ResultCode(rawValue: 100)

    /// A statement has finished. (101)
    public static let SQLITE_DONE = ResultCode(rawValue: 101)

    /// Only for the error log: something unusual happened. (27)
    public static let SQLITE_NOTICE = ResultCode(rawValue: 27)

    /// Only for the error log: a WAL file left by a crash was recovered. (283)
    public static let SQLITE_NOTICE_RECOVER_WAL = ResultCode(rawValue: 27 | 1 << 8)

    /// Only for the error log: a journal left by a crash was rolled back. (539)
    public static let SQLITE_NOTICE_RECOVER_ROLLBACK = ResultCode(rawValue: 27 | 2 << 8)

    /// Only for the error log: the RBU extension reported something. (795)
    public static let SQLITE_NOTICE_RBU = ResultCode(rawValue: 27 | 3 << 8)

    /// Only for the error log: something unusual and probably wrong happened. (28)
    public static let SQLITE_WARNING = ResultCode(rawValue: 28)

    /// Only for the error log: a query builds an index that the schema lacks. (284)
    public static let SQLITE_WARNING_AUTOINDEX = ResultCode(rawValue: 28 | 1 << 8)
}

// MARK: - Generic errors

extension ResultCode {
    /// An error without a code of its own, such as a syntax error or a missing table. (1)
    public static let SQLITE_ERROR = ResultCode(rawValue: 1)

    /// A collation that the statement needs is not registered. (257)
    public static let SQLITE_ERROR_MISSING_COLLSEQ = ResultCode(rawValue: 1 | 1 << 8)

    /// Internal to SQLite: the statement must be compiled again. (513)
    public static let SQLITE_ERROR_RETRY = ResultCode(rawValue: 1 | 2 << 8)

    /// A snapshot is no longer available, or is not of this database. (769)
    public static let SQLITE_ERROR_SNAPSHOT = ResultCode(rawValue: 1 | 3 << 8)

    /// The space reserved at the end of each page does not fit the extension in use. (1025)
    public static let SQLITE_ERROR_RESERVESIZE = ResultCode(rawValue: 1 | 4 << 8)

    /// The key of an encryption extension is unsuitable. (1281)
    public static let SQLITE_ERROR_KEY = ResultCode(rawValue: 1 | 5 << 8)

    /// The operation can't be done in the current state. (1537)
    public static let SQLITE_ERROR_UNABLE = ResultCode(rawValue: 1 | 6 << 8)

    /// SQLite, or code that extends it, has failed its own checks. (2)
    public static let SQLITE_INTERNAL = ResultCode(rawValue: 2)

    /// A file could not be created with the requested access mode. (3)
    public static let SQLITE_PERM = ResultCode(rawValue: 3)

    /// A statement was stopped early, often by its own callback. (4)
    public static let SQLITE_ABORT = ResultCode(rawValue: 4)

    /// A statement was stopped because its transaction was rolled back in the meantime. (516)
    public static let SQLITE_ABORT_ROLLBACK = ResultCode(rawValue: 4 | 2 << 8)

    /// Memory could not be allocated. (7)
    public static let SQLITE_NOMEM = ResultCode(rawValue: 7)

    /// The operation was interrupted. (9)
    public static let SQLITE_INTERRUPT = ResultCode(rawValue: 9)

    /// The name or the operation code is unknown. (12)
    public static let SQLITE_NOTFOUND = ResultCode(rawValue: 12)

    /// The disk, or the database by its page limit, is full. (13)
    public static let SQLITE_FULL = ResultCode(rawValue: 13)

    /// The locking protocol failed: connections raced too long to start on a WAL file. (15)
    public static let SQLITE_PROTOCOL = ResultCode(rawValue: 15)

    /// Not in use. (16)
    public static let SQLITE_EMPTY = ResultCode(rawValue: 16)

    /// The schema has changed since the statement was compiled. (17)
    public static let SQLITE_SCHEMA = ResultCode(rawValue: 17)

    /// A string or a blob, or the SQL text itself, is too long. (18)
    public static let SQLITE_TOOBIG = ResultCode(rawValue: 18)

    /// A value has the wrong type: text for an INTEGER PRIMARY KEY, for example. (20)
    public static let SQLITE_MISMATCH = ResultCode(rawValue: 20)

    /// The interface of SQLite was misused. (21)
    public static let SQLITE_MISUSE = ResultCode(rawValue: 21)

    /// The file must grow larger than the file system allows. (22)
    public static let SQLITE_NOLFS = ResultCode(rawValue: 22)

    /// Not in use. (24)
    public static let SQLITE_FORMAT = ResultCode(rawValue: 24)

    /// The index of a parameter or a column is out of range. (25)
    public static let SQLITE_RANGE = ResultCode(rawValue: 25)
}

// MARK: - Concurrency

extension ResultCode {
    /// Another connection holds a lock that the operation needs. (5)
    public static let SQLITE_BUSY = ResultCode(rawValue: 5)

    /// Another connection is recovering a WAL file left by a crash. (261)
    public static let SQLITE_BUSY_RECOVERY = ResultCode(rawValue: 5 | 1 << 8)

    /// A read transaction can't become a write transaction: its snapshot is outdated. (517)
    public static let SQLITE_BUSY_SNAPSHOT = ResultCode(rawValue: 5 | 2 << 8)

    /// A blocking lock was not obtained in time. (773)
    public static let SQLITE_BUSY_TIMEOUT = ResultCode(rawValue: 5 | 3 << 8)

    /// The same connection, or a connection that shares its cache, holds a conflicting lock. (6)
    public static let SQLITE_LOCKED = ResultCode(rawValue: 6)

    /// A connection that shares the cache holds a lock on the table. (262)
    public static let SQLITE_LOCKED_SHAREDCACHE = ResultCode(rawValue: 6 | 1 << 8)

    /// Reserved for virtual tables that lock. (518)
    public static let SQLITE_LOCKED_VTAB = ResultCode(rawValue: 6 | 2 << 8)
}

// MARK: - Access

extension ResultCode {
    /// The database, or the connection, can't be written. (8)
    public static let SQLITE_READONLY = ResultCode(rawValue: 8)

    /// A WAL file must be recovered, and the database can't be written. (264)
    public static let SQLITE_READONLY_RECOVERY = ResultCode(rawValue: 8 | 1 << 8)

    /// The shared memory of a WAL database can't be locked without write access. (520)
    public static let SQLITE_READONLY_CANTLOCK = ResultCode(rawValue: 8 | 2 << 8)

    /// A journal must be rolled back, and the database can't be written. (776)
    public static let SQLITE_READONLY_ROLLBACK = ResultCode(rawValue: 8 | 3 << 8)

    /// The database file was moved since it was opened. (1032)
    public static let SQLITE_READONLY_DBMOVED = ResultCode(rawValue: 8 | 4 << 8)

    /// The shared memory of a WAL database can't be set up by this connection. (1288)
    public static let SQLITE_READONLY_CANTINIT = ResultCode(rawValue: 8 | 5 << 8)

    /// A journal can't be created, because the directory can't be written. (1544)
    public static let SQLITE_READONLY_DIRECTORY = ResultCode(rawValue: 8 | 6 << 8)

    /// A file could not be opened. (14)
    public static let SQLITE_CANTOPEN = ResultCode(rawValue: 14)

    /// Not in use. (270)
    public static let SQLITE_CANTOPEN_NOTEMPDIR = ResultCode(rawValue: 14 | 1 << 8)

    /// The path refers to a directory. (526)
    public static let SQLITE_CANTOPEN_ISDIR = ResultCode(rawValue: 14 | 2 << 8)

    /// The full path could not be determined. (782)
    public static let SQLITE_CANTOPEN_FULLPATH = ResultCode(rawValue: 14 | 3 << 8)

    /// The path could not be converted for the system (Cygwin). (1038)
    public static let SQLITE_CANTOPEN_CONVPATH = ResultCode(rawValue: 14 | 4 << 8)

    /// Not in use. (1294)
    public static let SQLITE_CANTOPEN_DIRTYWAL = ResultCode(rawValue: 14 | 5 << 8)

    /// The path is a symbolic link, and the connection does not follow symbolic links. (1550)
    public static let SQLITE_CANTOPEN_SYMLINK = ResultCode(rawValue: 14 | 6 << 8)

    /// The authorizer refused the statement. (23)
    public static let SQLITE_AUTH = ResultCode(rawValue: 23)

    /// The user of a database with user authentication lacks the permission. (279)
    public static let SQLITE_AUTH_USER = ResultCode(rawValue: 23 | 1 << 8)
}

// MARK: - Constraints

extension ResultCode {
    /// An SQL constraint was violated. (19)
    public static let SQLITE_CONSTRAINT = ResultCode(rawValue: 19)

    /// A CHECK constraint failed. (275)
    public static let SQLITE_CONSTRAINT_CHECK = ResultCode(rawValue: 19 | 1 << 8)

    /// The commit hook turned the commit into a rollback. (531)
    public static let SQLITE_CONSTRAINT_COMMITHOOK = ResultCode(rawValue: 19 | 2 << 8)

    /// A foreign key constraint failed. (787)
    public static let SQLITE_CONSTRAINT_FOREIGNKEY = ResultCode(rawValue: 19 | 3 << 8)

    /// A function of an extension reported a violated constraint. (1043)
    public static let SQLITE_CONSTRAINT_FUNCTION = ResultCode(rawValue: 19 | 4 << 8)

    /// A NOT NULL constraint failed. (1299)
    public static let SQLITE_CONSTRAINT_NOTNULL = ResultCode(rawValue: 19 | 5 << 8)

    /// A PRIMARY KEY constraint failed. (1555)
    public static let SQLITE_CONSTRAINT_PRIMARYKEY = ResultCode(rawValue: 19 | 6 << 8)

    /// A trigger raised an error. (1811)
    public static let SQLITE_CONSTRAINT_TRIGGER = ResultCode(rawValue: 19 | 7 << 8)

    /// A UNIQUE constraint failed. (2067)
    public static let SQLITE_CONSTRAINT_UNIQUE = ResultCode(rawValue: 19 | 8 << 8)

    /// A virtual table reported a violated constraint. (2323)
    public static let SQLITE_CONSTRAINT_VTAB = ResultCode(rawValue: 19 | 9 << 8)

    /// A rowid is not unique. (2579)
    public static let SQLITE_CONSTRAINT_ROWID = ResultCode(rawValue: 19 | 10 << 8)

    /// A row can't change while an UPDATE trigger holds it. (2835)
    public static let SQLITE_CONSTRAINT_PINNED = ResultCode(rawValue: 19 | 11 << 8)

    /// A value does not fit the column type of a STRICT table. (3091)
    public static let SQLITE_CONSTRAINT_DATATYPE = ResultCode(rawValue: 19 | 12 << 8)
}

// MARK: - Corruption

extension ResultCode {
    /// The database file is damaged. (11)
    public static let SQLITE_CORRUPT = ResultCode(rawValue: 11)

    /// The content of a virtual table is damaged. (267)
    public static let SQLITE_CORRUPT_VTAB = ResultCode(rawValue: 11 | 1 << 8)

    /// The sqlite_sequence table is damaged. (523)
    public static let SQLITE_CORRUPT_SEQUENCE = ResultCode(rawValue: 11 | 2 << 8)

    /// An index has a missing or superfluous entry. (779)
    public static let SQLITE_CORRUPT_INDEX = ResultCode(rawValue: 11 | 3 << 8)

    /// The file is not a database, or it is encrypted. (26)
    public static let SQLITE_NOTADB = ResultCode(rawValue: 26)
}

// MARK: - Input and output

extension ResultCode {
    /// The system reported an input or output error. (10)
    public static let SQLITE_IOERR = ResultCode(rawValue: 10)

    /// A file could not be read. (266)
    public static let SQLITE_IOERR_READ = ResultCode(rawValue: 10 | 1 << 8)

    /// A read returned fewer bytes than requested. (522)
    public static let SQLITE_IOERR_SHORT_READ = ResultCode(rawValue: 10 | 2 << 8)

    /// A file could not be written. (778)
    public static let SQLITE_IOERR_WRITE = ResultCode(rawValue: 10 | 3 << 8)

    /// A file could not be flushed to disk. (1034)
    public static let SQLITE_IOERR_FSYNC = ResultCode(rawValue: 10 | 4 << 8)

    /// A directory could not be flushed to disk. (1290)
    public static let SQLITE_IOERR_DIR_FSYNC = ResultCode(rawValue: 10 | 5 << 8)

    /// A file could not be truncated. (1546)
    public static let SQLITE_IOERR_TRUNCATE = ResultCode(rawValue: 10 | 6 << 8)

    /// The information about a file could not be read. (1802)
    public static let SQLITE_IOERR_FSTAT = ResultCode(rawValue: 10 | 7 << 8)

    /// A file could not be unlocked. (2058)
    public static let SQLITE_IOERR_UNLOCK = ResultCode(rawValue: 10 | 8 << 8)

    /// A read lock could not be obtained. (2314)
    public static let SQLITE_IOERR_RDLOCK = ResultCode(rawValue: 10 | 9 << 8)

    /// A file could not be deleted. (2570)
    public static let SQLITE_IOERR_DELETE = ResultCode(rawValue: 10 | 10 << 8)

    /// Not in use. (2826)
    public static let SQLITE_IOERR_BLOCKED = ResultCode(rawValue: 10 | 11 << 8)

    /// The system lacked memory for the operation. (3082)
    public static let SQLITE_IOERR_NOMEM = ResultCode(rawValue: 10 | 12 << 8)

    /// The access rights of a file could not be read. (3338)
    public static let SQLITE_IOERR_ACCESS = ResultCode(rawValue: 10 | 13 << 8)

    /// The state of a lock could not be determined. (3594)
    public static let SQLITE_IOERR_CHECKRESERVEDLOCK = ResultCode(rawValue: 10 | 14 << 8)

    /// A file could not be locked. (3850)
    public static let SQLITE_IOERR_LOCK = ResultCode(rawValue: 10 | 15 << 8)

    /// A file could not be closed. (4106)
    public static let SQLITE_IOERR_CLOSE = ResultCode(rawValue: 10 | 16 << 8)

    /// A directory could not be closed. (4362)
    public static let SQLITE_IOERR_DIR_CLOSE = ResultCode(rawValue: 10 | 17 << 8)

    /// A shared memory file could not be opened. (4618)
    public static let SQLITE_IOERR_SHMOPEN = ResultCode(rawValue: 10 | 18 << 8)

    /// A shared memory file could not be enlarged. (4874)
    public static let SQLITE_IOERR_SHMSIZE = ResultCode(rawValue: 10 | 19 << 8)

    /// Not in use. (5130)
    public static let SQLITE_IOERR_SHMLOCK = ResultCode(rawValue: 10 | 20 << 8)

    /// A shared memory file could not be mapped. (5386)
    public static let SQLITE_IOERR_SHMMAP = ResultCode(rawValue: 10 | 21 << 8)

    /// The position in a file could not be set. (5642)
    public static let SQLITE_IOERR_SEEK = ResultCode(rawValue: 10 | 22 << 8)

    /// A file could not be deleted because it does not exist. (5898)
    public static let SQLITE_IOERR_DELETE_NOENT = ResultCode(rawValue: 10 | 23 << 8)

    /// The database file could not be mapped. (6154)
    public static let SQLITE_IOERR_MMAP = ResultCode(rawValue: 10 | 24 << 8)

    /// No directory for temporary files was found. (6410)
    public static let SQLITE_IOERR_GETTEMPPATH = ResultCode(rawValue: 10 | 25 << 8)

    /// The path could not be converted for the system (Cygwin). (6666)
    public static let SQLITE_IOERR_CONVPATH = ResultCode(rawValue: 10 | 26 << 8)

    /// Reserved for extensions. (6922)
    public static let SQLITE_IOERR_VNODE = ResultCode(rawValue: 10 | 27 << 8)

    /// Reserved for extensions. (7178)
    public static let SQLITE_IOERR_AUTH = ResultCode(rawValue: 10 | 28 << 8)

    /// An atomic write could not begin. (7434)
    public static let SQLITE_IOERR_BEGIN_ATOMIC = ResultCode(rawValue: 10 | 29 << 8)

    /// An atomic write could not be committed. (7690)
    public static let SQLITE_IOERR_COMMIT_ATOMIC = ResultCode(rawValue: 10 | 30 << 8)

    /// An atomic write could not be rolled back. (7946)
    public static let SQLITE_IOERR_ROLLBACK_ATOMIC = ResultCode(rawValue: 10 | 31 << 8)

    /// The checksum of a page is wrong. (8202)
    public static let SQLITE_IOERR_DATA = ResultCode(rawValue: 10 | 32 << 8)

    /// The file system is damaged. (8458)
    public static let SQLITE_IOERR_CORRUPTFS = ResultCode(rawValue: 10 | 33 << 8)

    /// A memory-mapped page could not be read. (8714)
    public static let SQLITE_IOERR_IN_PAGE = ResultCode(rawValue: 10 | 34 << 8)

    /// Reserved for encryption extensions: the key is wrong. (8970)
    public static let SQLITE_IOERR_BADKEY = ResultCode(rawValue: 10 | 35 << 8)

    /// Reserved for encryption extensions: a page could not be coded or decoded. (9226)
    public static let SQLITE_IOERR_CODEC = ResultCode(rawValue: 10 | 36 << 8)
}
