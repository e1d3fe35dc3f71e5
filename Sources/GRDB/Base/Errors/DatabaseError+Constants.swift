// Repeats the constants of ``ResultCode``, so that you can write
// `catch DatabaseError.SQLITE_CONSTRAINT`.

// MARK: - Results that are not errors

extension DatabaseError {
    /// The operation succeeded. (0)
    public static let SQLITE_OK = ResultCode.SQLITE_OK

    /// An extension was loaded that must stay loaded after its connection is closed. (256)
    public static let SQLITE_OK_LOAD_PERMANENTLY = ResultCode.SQLITE_OK_LOAD_PERMANENTLY

    /// Internal to SQLite: a path was resolved through a symbolic link. (512)
    public static let SQLITE_OK_SYMLINK = ResultCode.SQLITE_OK_SYMLINK

    /// A statement was stepped to a row. (100)
    public static let SQLITE_ROW = ResultCode.SQLITE_ROW

    /// A statement has finished. (101)
    public static let SQLITE_DONE = ResultCode.SQLITE_DONE

    /// Only for the error log: something unusual happened. (27)
    public static let SQLITE_NOTICE = ResultCode.SQLITE_NOTICE

    /// Only for the error log: a WAL file left by a crash was recovered. (283)
    public static let SQLITE_NOTICE_RECOVER_WAL = ResultCode.SQLITE_NOTICE_RECOVER_WAL

    /// Only for the error log: a journal left by a crash was rolled back. (539)
    public static let SQLITE_NOTICE_RECOVER_ROLLBACK = ResultCode.SQLITE_NOTICE_RECOVER_ROLLBACK

    /// Only for the error log: the RBU extension reported something. (795)
    public static let SQLITE_NOTICE_RBU = ResultCode.SQLITE_NOTICE_RBU

    /// Only for the error log: something unusual and probably wrong happened. (28)
    public static let SQLITE_WARNING = ResultCode.SQLITE_WARNING

    /// Only for the error log: a query builds an index that the schema lacks. (284)
    public static let SQLITE_WARNING_AUTOINDEX = ResultCode.SQLITE_WARNING_AUTOINDEX
}

// MARK: - Generic errors

extension DatabaseError {
    /// An error without a code of its own, such as a syntax error or a missing table. (1)
    public static let SQLITE_ERROR = ResultCode.SQLITE_ERROR

    /// A collation that the statement needs is not registered. (257)
    public static let SQLITE_ERROR_MISSING_COLLSEQ = ResultCode.SQLITE_ERROR_MISSING_COLLSEQ

    /// Internal to SQLite: the statement must be compiled again. (513)
    public static let SQLITE_ERROR_RETRY = ResultCode.SQLITE_ERROR_RETRY

    /// A snapshot is no longer available, or is not of this database. (769)
    public static let SQLITE_ERROR_SNAPSHOT = ResultCode.SQLITE_ERROR_SNAPSHOT

    /// The space reserved at the end of each page does not fit the extension in use. (1025)
    public static let SQLITE_ERROR_RESERVESIZE = ResultCode.SQLITE_ERROR_RESERVESIZE

    /// The key of an encryption extension is unsuitable. (1281)
    public static let SQLITE_ERROR_KEY = ResultCode.SQLITE_ERROR_KEY

    /// The operation can't be done in the current state. (1537)
    public static let SQLITE_ERROR_UNABLE = ResultCode.SQLITE_ERROR_UNABLE

    /// SQLite, or code that extends it, has failed its own checks. (2)
    public static let SQLITE_INTERNAL = ResultCode.SQLITE_INTERNAL

    /// A file could not be created with the requested access mode. (3)
    public static let SQLITE_PERM = ResultCode.SQLITE_PERM

    /// A statement was stopped early, often by its own callback. (4)
    public static let SQLITE_ABORT = ResultCode.SQLITE_ABORT

    /// A statement was stopped because its transaction was rolled back in the meantime. (516)
    public static let SQLITE_ABORT_ROLLBACK = ResultCode.SQLITE_ABORT_ROLLBACK

    /// Memory could not be allocated. (7)
    public static let SQLITE_NOMEM = ResultCode.SQLITE_NOMEM

    /// The operation was interrupted. (9)
    public static let SQLITE_INTERRUPT = ResultCode.SQLITE_INTERRUPT

    /// The name or the operation code is unknown. (12)
    public static let SQLITE_NOTFOUND = ResultCode.SQLITE_NOTFOUND

    /// The disk, or the database by its page limit, is full. (13)
    public static let SQLITE_FULL = ResultCode.SQLITE_FULL

    /// The locking protocol failed: connections raced too long to start on a WAL file. (15)
    public static let SQLITE_PROTOCOL = ResultCode.SQLITE_PROTOCOL

    /// Not in use. (16)
    public static let SQLITE_EMPTY = ResultCode.SQLITE_EMPTY

    /// The schema has changed since the statement was compiled. (17)
    public static let SQLITE_SCHEMA = ResultCode.SQLITE_SCHEMA

    /// A string or a blob, or the SQL text itself, is too long. (18)
    public static let SQLITE_TOOBIG = ResultCode.SQLITE_TOOBIG

    /// A value has the wrong type: text for an INTEGER PRIMARY KEY, for example. (20)
    public static let SQLITE_MISMATCH = ResultCode.SQLITE_MISMATCH

    /// The interface of SQLite was misused. (21)
    public static let SQLITE_MISUSE = ResultCode.SQLITE_MISUSE

    /// The file must grow larger than the file system allows. (22)
    public static let SQLITE_NOLFS = ResultCode.SQLITE_NOLFS

    /// Not in use. (24)
    public static let SQLITE_FORMAT = ResultCode.SQLITE_FORMAT

    /// The index of a parameter or a column is out of range. (25)
    public static let SQLITE_RANGE = ResultCode.SQLITE_RANGE
}

// MARK: - Concurrency

extension DatabaseError {
    /// Another connection holds a lock that the operation needs. (5)
    public static let SQLITE_BUSY = ResultCode.SQLITE_BUSY

    /// Another connection is recovering a WAL file left by a crash. (261)
    public static let SQLITE_BUSY_RECOVERY = ResultCode.SQLITE_BUSY_RECOVERY

    /// A read transaction can't become a write transaction: its snapshot is outdated. (517)
    public static let SQLITE_BUSY_SNAPSHOT = ResultCode.SQLITE_BUSY_SNAPSHOT

    /// A blocking lock was not obtained in time. (773)
    public static let SQLITE_BUSY_TIMEOUT = ResultCode.SQLITE_BUSY_TIMEOUT

    /// The same connection, or a connection that shares its cache, holds a conflicting lock. (6)
    public static let SQLITE_LOCKED = ResultCode.SQLITE_LOCKED

    /// A connection that shares the cache holds a lock on the table. (262)
    public static let SQLITE_LOCKED_SHAREDCACHE = ResultCode.SQLITE_LOCKED_SHAREDCACHE

    /// Reserved for virtual tables that lock. (518)
    public static let SQLITE_LOCKED_VTAB = ResultCode.SQLITE_LOCKED_VTAB
}

// MARK: - Access

extension DatabaseError {
    /// The database, or the connection, can't be written. (8)
    public static let SQLITE_READONLY = ResultCode.SQLITE_READONLY

    /// A WAL file must be recovered, and the database can't be written. (264)
    public static let SQLITE_READONLY_RECOVERY = ResultCode.SQLITE_READONLY_RECOVERY

    /// The shared memory of a WAL database can't be locked without write access. (520)
    public static let SQLITE_READONLY_CANTLOCK = ResultCode.SQLITE_READONLY_CANTLOCK

    /// A journal must be rolled back, and the database can't be written. (776)
    public static let SQLITE_READONLY_ROLLBACK = ResultCode.SQLITE_READONLY_ROLLBACK

    /// The database file was moved since it was opened. (1032)
    public static let SQLITE_READONLY_DBMOVED = ResultCode.SQLITE_READONLY_DBMOVED

    /// The shared memory of a WAL database can't be set up by this connection. (1288)
    public static let SQLITE_READONLY_CANTINIT = ResultCode.SQLITE_READONLY_CANTINIT

    /// A journal can't be created, because the directory can't be written. (1544)
    public static let SQLITE_READONLY_DIRECTORY = ResultCode.SQLITE_READONLY_DIRECTORY

    /// A file could not be opened. (14)
    public static let SQLITE_CANTOPEN = ResultCode.SQLITE_CANTOPEN

    /// Not in use. (270)
    public static let SQLITE_CANTOPEN_NOTEMPDIR = ResultCode.SQLITE_CANTOPEN_NOTEMPDIR

    /// The path refers to a directory. (526)
    public static let SQLITE_CANTOPEN_ISDIR = ResultCode.SQLITE_CANTOPEN_ISDIR

    /// The full path could not be determined. (782)
    public static let SQLITE_CANTOPEN_FULLPATH = ResultCode.SQLITE_CANTOPEN_FULLPATH

    /// The path could not be converted for the system (Cygwin). (1038)
    public static let SQLITE_CANTOPEN_CONVPATH = ResultCode.SQLITE_CANTOPEN_CONVPATH

    /// Not in use. (1294)
    public static let SQLITE_CANTOPEN_DIRTYWAL = ResultCode.SQLITE_CANTOPEN_DIRTYWAL

    /// The path is a symbolic link, and the connection does not follow symbolic links. (1550)
    public static let SQLITE_CANTOPEN_SYMLINK = ResultCode.SQLITE_CANTOPEN_SYMLINK

    /// The authorizer refused the statement. (23)
    public static let SQLITE_AUTH = ResultCode.SQLITE_AUTH

    /// The user of a database with user authentication lacks the permission. (279)
    public static let SQLITE_AUTH_USER = ResultCode.SQLITE_AUTH_USER
}

// MARK: - Constraints

extension DatabaseError {
    /// An SQL constraint was violated. (19)
    public static let SQLITE_CONSTRAINT = ResultCode.SQLITE_CONSTRAINT

    /// A CHECK constraint failed. (275)
    public static let SQLITE_CONSTRAINT_CHECK = ResultCode.SQLITE_CONSTRAINT_CHECK

    /// The commit hook turned the commit into a rollback. (531)
    public static let SQLITE_CONSTRAINT_COMMITHOOK = ResultCode.SQLITE_CONSTRAINT_COMMITHOOK

    /// A foreign key constraint failed. (787)
    public static let SQLITE_CONSTRAINT_FOREIGNKEY = ResultCode.SQLITE_CONSTRAINT_FOREIGNKEY

    /// A function of an extension reported a violated constraint. (1043)
    public static let SQLITE_CONSTRAINT_FUNCTION = ResultCode.SQLITE_CONSTRAINT_FUNCTION

    /// A NOT NULL constraint failed. (1299)
    public static let SQLITE_CONSTRAINT_NOTNULL = ResultCode.SQLITE_CONSTRAINT_NOTNULL

    /// A PRIMARY KEY constraint failed. (1555)
    public static let SQLITE_CONSTRAINT_PRIMARYKEY = ResultCode.SQLITE_CONSTRAINT_PRIMARYKEY

    /// A trigger raised an error. (1811)
    public static let SQLITE_CONSTRAINT_TRIGGER = ResultCode.SQLITE_CONSTRAINT_TRIGGER

    /// A UNIQUE constraint failed. (2067)
    public static let SQLITE_CONSTRAINT_UNIQUE = ResultCode.SQLITE_CONSTRAINT_UNIQUE

    /// A virtual table reported a violated constraint. (2323)
    public static let SQLITE_CONSTRAINT_VTAB = ResultCode.SQLITE_CONSTRAINT_VTAB

    /// A rowid is not unique. (2579)
    public static let SQLITE_CONSTRAINT_ROWID = ResultCode.SQLITE_CONSTRAINT_ROWID

    /// A row can't change while an UPDATE trigger holds it. (2835)
    public static let SQLITE_CONSTRAINT_PINNED = ResultCode.SQLITE_CONSTRAINT_PINNED

    /// A value does not fit the column type of a STRICT table. (3091)
    public static let SQLITE_CONSTRAINT_DATATYPE = ResultCode.SQLITE_CONSTRAINT_DATATYPE
}

// MARK: - Corruption

extension DatabaseError {
    /// The database file is damaged. (11)
    public static let SQLITE_CORRUPT = ResultCode.SQLITE_CORRUPT

    /// The content of a virtual table is damaged. (267)
    public static let SQLITE_CORRUPT_VTAB = ResultCode.SQLITE_CORRUPT_VTAB

    /// The sqlite_sequence table is damaged. (523)
    public static let SQLITE_CORRUPT_SEQUENCE = ResultCode.SQLITE_CORRUPT_SEQUENCE

    /// An index has a missing or superfluous entry. (779)
    public static let SQLITE_CORRUPT_INDEX = ResultCode.SQLITE_CORRUPT_INDEX

    /// The file is not a database, or it is encrypted. (26)
    public static let SQLITE_NOTADB = ResultCode.SQLITE_NOTADB
}

// MARK: - Input and output

extension DatabaseError {
    /// The system reported an input or output error. (10)
    public static let SQLITE_IOERR = ResultCode.SQLITE_IOERR

    /// A file could not be read. (266)
    public static let SQLITE_IOERR_READ = ResultCode.SQLITE_IOERR_READ

    /// A read returned fewer bytes than requested. (522)
    public static let SQLITE_IOERR_SHORT_READ = ResultCode.SQLITE_IOERR_SHORT_READ

    /// A file could not be written. (778)
    public static let SQLITE_IOERR_WRITE = ResultCode.SQLITE_IOERR_WRITE

    /// A file could not be flushed to disk. (1034)
    public static let SQLITE_IOERR_FSYNC = ResultCode.SQLITE_IOERR_FSYNC

    /// A directory could not be flushed to disk. (1290)
    public static let SQLITE_IOERR_DIR_FSYNC = ResultCode.SQLITE_IOERR_DIR_FSYNC

    /// A file could not be truncated. (1546)
    public static let SQLITE_IOERR_TRUNCATE = ResultCode.SQLITE_IOERR_TRUNCATE

    /// The information about a file could not be read. (1802)
    public static let SQLITE_IOERR_FSTAT = ResultCode.SQLITE_IOERR_FSTAT

    /// A file could not be unlocked. (2058)
    public static let SQLITE_IOERR_UNLOCK = ResultCode.SQLITE_IOERR_UNLOCK

    /// A read lock could not be obtained. (2314)
    public static let SQLITE_IOERR_RDLOCK = ResultCode.SQLITE_IOERR_RDLOCK

    /// A file could not be deleted. (2570)
    public static let SQLITE_IOERR_DELETE = ResultCode.SQLITE_IOERR_DELETE

    /// Not in use. (2826)
    public static let SQLITE_IOERR_BLOCKED = ResultCode.SQLITE_IOERR_BLOCKED

    /// The system lacked memory for the operation. (3082)
    public static let SQLITE_IOERR_NOMEM = ResultCode.SQLITE_IOERR_NOMEM

    /// The access rights of a file could not be read. (3338)
    public static let SQLITE_IOERR_ACCESS = ResultCode.SQLITE_IOERR_ACCESS

    /// The state of a lock could not be determined. (3594)
    public static let SQLITE_IOERR_CHECKRESERVEDLOCK = ResultCode.SQLITE_IOERR_CHECKRESERVEDLOCK

    /// A file could not be locked. (3850)
    public static let SQLITE_IOERR_LOCK = ResultCode.SQLITE_IOERR_LOCK

    /// A file could not be closed. (4106)
    public static let SQLITE_IOERR_CLOSE = ResultCode.SQLITE_IOERR_CLOSE

    /// A directory could not be closed. (4362)
    public static let SQLITE_IOERR_DIR_CLOSE = ResultCode.SQLITE_IOERR_DIR_CLOSE

    /// A shared memory file could not be opened. (4618)
    public static let SQLITE_IOERR_SHMOPEN = ResultCode.SQLITE_IOERR_SHMOPEN

    /// A shared memory file could not be enlarged. (4874)
    public static let SQLITE_IOERR_SHMSIZE = ResultCode.SQLITE_IOERR_SHMSIZE

    /// Not in use. (5130)
    public static let SQLITE_IOERR_SHMLOCK = ResultCode.SQLITE_IOERR_SHMLOCK

    /// A shared memory file could not be mapped. (5386)
    public static let SQLITE_IOERR_SHMMAP = ResultCode.SQLITE_IOERR_SHMMAP

    /// The position in a file could not be set. (5642)
    public static let SQLITE_IOERR_SEEK = ResultCode.SQLITE_IOERR_SEEK

    /// A file could not be deleted because it does not exist. (5898)
    public static let SQLITE_IOERR_DELETE_NOENT = ResultCode.SQLITE_IOERR_DELETE_NOENT

    /// The database file could not be mapped. (6154)
    public static let SQLITE_IOERR_MMAP = ResultCode.SQLITE_IOERR_MMAP

    /// No directory for temporary files was found. (6410)
    public static let SQLITE_IOERR_GETTEMPPATH = ResultCode.SQLITE_IOERR_GETTEMPPATH

    /// The path could not be converted for the system (Cygwin). (6666)
    public static let SQLITE_IOERR_CONVPATH = ResultCode.SQLITE_IOERR_CONVPATH

    /// Reserved for extensions. (6922)
    public static let SQLITE_IOERR_VNODE = ResultCode.SQLITE_IOERR_VNODE

    /// Reserved for extensions. (7178)
    public static let SQLITE_IOERR_AUTH = ResultCode.SQLITE_IOERR_AUTH

    /// An atomic write could not begin. (7434)
    public static let SQLITE_IOERR_BEGIN_ATOMIC = ResultCode.SQLITE_IOERR_BEGIN_ATOMIC

    /// An atomic write could not be committed. (7690)
    public static let SQLITE_IOERR_COMMIT_ATOMIC = ResultCode.SQLITE_IOERR_COMMIT_ATOMIC

    /// An atomic write could not be rolled back. (7946)
    public static let SQLITE_IOERR_ROLLBACK_ATOMIC = ResultCode.SQLITE_IOERR_ROLLBACK_ATOMIC

    /// The checksum of a page is wrong. (8202)
    public static let SQLITE_IOERR_DATA = ResultCode.SQLITE_IOERR_DATA

    /// The file system is damaged. (8458)
    public static let SQLITE_IOERR_CORRUPTFS = ResultCode.SQLITE_IOERR_CORRUPTFS

    /// A memory-mapped page could not be read. (8714)
    public static let SQLITE_IOERR_IN_PAGE = ResultCode.SQLITE_IOERR_IN_PAGE

    /// Reserved for encryption extensions: the key is wrong. (8970)
    public static let SQLITE_IOERR_BADKEY = ResultCode.SQLITE_IOERR_BADKEY

    /// Reserved for encryption extensions: a page could not be coded or decoded. (9226)
    public static let SQLITE_IOERR_CODEC = ResultCode.SQLITE_IOERR_CODEC
}
