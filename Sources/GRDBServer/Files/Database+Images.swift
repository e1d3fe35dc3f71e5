import GRDB
public import _GRDBSystem

extension Database {
    /// Returns the content of a database as the bytes of a database file.
    ///
    /// ```swift
    /// let data = try dbQueue.read { try $0.serialized() }
    /// let copy = try DatabaseQueue(serialized: data)
    /// ```
    ///
    /// The bytes include the changes of the current transaction. An empty database has no bytes.
    ///
    /// - parameter schemaName: `main`, `temp`, or the name of an attached database.
    /// - returns: a copy of the bytes. ``GRDB/Database/withSerializedBytes(schema:_:)`` avoids copying a database in
    ///   memory.
    /// - throws: a ``/GRDB/DatabaseError``: of code `SQLITE_ERROR` if there is no such schema, of code
    ///   `SQLITE_NOMEM` if the database does not fit in memory, or the error of a page that can't be read.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/serialize.html>
    public func serialized(schema schemaName: String = "main") throws -> Data {
        try checkImageAccess(schemaName)
        do {
            guard let bytes = try raw.serialize(schema: schemaName) else { return Data() }
            return Data(bytesNoCopy: bytes.baseAddress!, count: bytes.count, deallocator: .free)
        } catch {
            throw self.error(error)
        }
    }

    /// Calls a closure with the content of a database as the bytes of a database file.
    ///
    /// A database opened by ``GRDB/DatabaseQueue/init(serialized:maximumSize:configuration:)`` is not copied,
    /// unless the current transaction has changed it. All other databases are copied, as with
    /// ``GRDB/Database/serialized(schema:)``.
    ///
    /// ```swift
    /// let checksum = try dbQueue.read { db in
    ///     try db.withSerializedBytes { crc32($0) }
    /// }
    /// ```
    ///
    /// - parameter schemaName: `main`, `temp`, or the name of an attached database.
    /// - parameter body: receives the bytes, which are valid during the call. It must not change the
    ///   database: attempts fail with the code `SQLITE_READONLY`.
    /// - returns: the result of the closure.
    /// - throws: the errors of ``GRDB/Database/serialized(schema:)``, and the error of the closure.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/serialize.html>
    public func withSerializedBytes<Result>(
        schema schemaName: String = "main", _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        try checkImageAccess(schemaName)
        guard let image = raw.memoryImage(schema: schemaName) else {
            return try serialized(schema: schemaName).withUnsafeBytes(body)
        }
        return try readOnly { try body(image) }
    }

    private func checkImageAccess(_ schemaName: String) throws {
        try checkAccess()
        try checkTransaction()
        try checkSuspension(isReadonly: true, effect: nil)
        // SQLite opens the temporary database on first use.
        if schemaName.utf8.contains(0)
            || (raw.isReadOnly(schema: schemaName) == nil && !ASCIICase.equal(schemaName, "temp"))
        {
            throw DatabaseError(message: "no such schema: \(schemaName)")
        }
    }

    /// Opens the main database from an image.
    func open(_ image: DatabaseImage, isReadOnly: Bool, maximumSize: Int?) throws {
        do {
            if isReadOnly, !image.isInWALMode, let bytes = StableBytes(image.data) {
                try raw.open(image: bytes.buffer, ownedBy: bytes)
            } else {
                try image.data.withUnsafeBytes { bytes in
                    try raw.open(copyOfImage: bytes, isReadOnly: isReadOnly, patch: image.patch)
                }
            }
            if let maximumSize {
                try raw.setMaximumImageSize(Int64(maximumSize))
            }
        } catch let failure as RawFailure {
            throw DatabaseError(failure)
        }
    }
}

/// The bytes of a database, checked for completeness.
///
/// See <https://www.sqlite.org/fileformat.html>.
struct DatabaseImage {
    let data: Data

    /// Whether the database was in WAL mode, which databases in memory don't support.
    let isInWALMode: Bool

    /// - throws: a ``/GRDB/DatabaseError`` of code `SQLITE_NOTADB` if the bytes are not a database, of code
    ///   `SQLITE_CORRUPT` if bytes are missing.
    init(_ data: Data) throws {
        self.data = data
        if data.isEmpty {
            isInWALMode = false
            return
        }
        isInWALMode = try data.withUnsafeBytes { bytes in
            let magic = "SQLite format 3\0".utf8
            guard bytes.prefix(magic.count).elementsEqual(magic.prefix(bytes.count)),
                bytes.count >= magic.count
            else {
                throw DatabaseError(
                    resultCode: .SQLITE_NOTADB, message: "The bytes are not those of a database")
            }
            guard bytes.count >= 100 else { throw Self.truncationError(bytes.count) }
            func integer<Integer: FixedWidthInteger>(
                at offset: Int, _ type: Integer.Type
            ) -> Integer {
                Integer(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: type))
            }
            let storedSize = Int(integer(at: 16, UInt16.self))
            let pageSize = storedSize == 1 ? 65_536 : storedSize
            guard pageSize >= 512, pageSize & (pageSize - 1) == 0 else {
                throw DatabaseError(
                    resultCode: .SQLITE_NOTADB, message: "The bytes are not those of a database")
            }
            // The page count is valid only if the last program that wrote the file maintained it.
            let isCountValid = integer(at: 24, UInt32.self) == integer(at: 92, UInt32.self)
            let pageCount = isCountValid ? Int(integer(at: 28, UInt32.self)) : 0
            guard bytes.count % pageSize == 0, bytes.count >= pageCount * pageSize else {
                throw Self.truncationError(bytes.count, expected: pageCount * pageSize)
            }
            return bytes[18] == 2 || bytes[19] == 2
        }
    }

    private static func truncationError(_ count: Int, expected: Int = 0) -> DatabaseError {
        let expectation = expected > count ? ", of \(expected)" : ""
        return DatabaseError(
            resultCode: .SQLITE_CORRUPT,
            message: "The database is truncated: there are \(count) bytes\(expectation)")
    }

    /// Takes the database out of WAL mode.
    func patch(_ bytes: UnsafeMutableRawBufferPointer) {
        guard isInWALMode else { return }
        bytes[18] = 1
        bytes[19] = 1
    }
}

/// Bytes at a stable address.
///
/// Nothing mutates the data that this object stores, so its memory does not move in practice. `Data`
/// does not guarantee this, so the initializer checks, and fails for bytes that move.
private final class StableBytes {
    private let data: Data
    let buffer: UnsafeRawBufferPointer

    init?(_ data: Data) {
        self.data = data
        // `Data` stores small contents inline.
        let first = data.withUnsafeBytes { $0 }
        let copy = [data]
        let second = copy[0].withUnsafeBytes { $0 }
        guard let start = first.baseAddress, start == second.baseAddress else { return nil }
        buffer = first
    }
}

extension DatabaseQueue {
    /// Opens a database in memory from the bytes of a database file.
    ///
    /// ```swift
    /// let data = try Data(contentsOf: url)
    /// let dbQueue = try DatabaseQueue(serialized: data)
    /// ```
    ///
    /// The database starts with a copy of the bytes. It can be changed, and grow up to `maximumSize`.
    /// If ``/GRDB/Configuration/readonly`` is true, SQLite reads the bytes in place instead, so that a
    /// memory-mapped file is not loaded:
    ///
    /// ```swift
    /// var config = Configuration()
    /// config.readonly = true
    /// let data = try Data(contentsOf: url, options: .alwaysMapped)
    /// let dbQueue = try DatabaseQueue(serialized: data, configuration: config)
    /// ```
    ///
    /// Changes are not written back: call ``GRDB/Database/serialized(schema:)`` to get the new bytes. A
    /// database in WAL mode is converted, and is therefore always copied. The bytes don't include
    /// content that is only in the WAL file.
    ///
    /// - parameter data: the bytes of a database, as returned by ``GRDB/Database/serialized(schema:)``. An empty
    ///   database has no bytes.
    /// - parameter maximumSize: the maximum size of the database, in bytes. Changes that need more fail with
    ///   the code `SQLITE_FULL`. The default is 1 GB, or the size of the data if it is larger.
    /// - parameter configuration: the options of the connection.
    /// - throws: a ``/GRDB/DatabaseError``: of code `SQLITE_NOTADB` if the data is not a database, of code
    ///   `SQLITE_CORRUPT` if bytes are missing, of code `SQLITE_NOMEM` if there is not enough memory for
    ///   a copy, which is limited to 2 GB.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/c3ref/deserialize.html>
    public convenience init(
        serialized data: Data, maximumSize: Int? = nil,
        configuration: Configuration = Configuration()
    ) throws {
        let image = try DatabaseImage(data)
        self.init(
            try SerializedDatabase(
                path: ":memory:", configuration: configuration,
                defaultLabel: "GRDB.DatabaseQueue", opensForWriting: true,
                load: { db in
                    try db.open(
                        image, isReadOnly: configuration.readonly, maximumSize: maximumSize)
                },
                setUp: { db in
                    if configuration.readonly { db.forbidWriting() }
                }))
    }
}
