import GRDB
import _GRDBSystem

extension DatabaseFunctionSet {
    /// Functions that create and convert UUIDs: `uuid()`, `uuid_blob()`, `uuidv7()`,
    /// `uuidv7_blob()`, `uuid_str(X)` and `uuid_blob(X)`.
    ///
    /// ```swift
    /// db.add(functions: .uuid)
    /// // CREATE TABLE "player" ("id" BLOB PRIMARY KEY DEFAULT (uuidv7_blob()), …)
    /// try db.create(table: "player") { t in
    ///     t.primaryKey("id", .blob).defaults(sql: "(uuidv7_blob())")
    /// }
    /// ```
    ///
    /// Texts are in lower case. Blobs have 16 bytes. Foundation's `UUID` decodes both, and is
    /// stored as a blob.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/src/file/ext/misc/uuid.c>
    public static let uuid = DatabaseFunctionSet(
        functions: [.uuid, .uuidBlob, .uuidV7, .uuidV7Blob, .uuidText, .uuidToBlob])
}

extension DatabaseFunction {
    /// The SQL function `uuid()`: a random UUID as text.
    public static let uuid = makingUUID("uuid") { UUID().databaseText }

    /// The SQL function `uuid_blob()`: a random UUID as a blob.
    public static let uuidBlob = makingUUID("uuid_blob") { UUID() }

    /// The SQL function `uuidv7()`: a UUID of version 7 as text.
    ///
    /// The UUID starts with the current time, so that new rows are appended to the end of an index.
    /// Within a process, UUIDs always increase, even within a millisecond, and after the clock was
    /// set back.
    public static let uuidV7 = makingUUID("uuidv7") { UUIDV7.next().databaseText }

    /// The SQL function `uuidv7_blob()`: a UUID of version 7 as a blob. See ``uuidV7``.
    public static let uuidV7Blob = makingUUID("uuidv7_blob") { UUIDV7.next() }

    /// The SQL function `uuid_str(X)`: converts a UUID to text. The result is NULL if the argument
    /// is not a UUID.
    public static let uuidText = DatabaseFunction(
        "uuid_str", argumentCount: 1, pure: true
    ) { UUID.fromDatabaseValue($0[0])?.databaseText }
    .withOptions(.innocuous)

    /// The SQL function `uuid_blob(X)`: converts a UUID to a blob. The result is NULL if the
    /// argument is not a UUID.
    public static let uuidToBlob = DatabaseFunction(
        "uuid_blob", argumentCount: 1, pure: true
    ) { UUID.fromDatabaseValue($0[0]) }
    .withOptions(.innocuous)

    private static func makingUUID(
        _ name: String, _ make: @escaping @Sendable () -> any DatabaseValueConvertible
    ) -> DatabaseFunction {
        DatabaseFunction(name, argumentCount: 0) { _ in make() }.withOptions(.innocuous)
    }
}

extension UUID {
    fileprivate var databaseText: String { uuidString.lowercased() }
}

/// Creates UUIDs of version 7. Each UUID is greater than the previous one.
///
/// See <https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-7>.
enum UUIDV7 {
    /// The time of the latest UUID in milliseconds, and the value of its 12-bit counter.
    private static let latest = Locked((milliseconds: UInt64(0), counter: UInt16(0)))

    static func next() -> UUID {
        next(milliseconds: UInt64(max(Date().timeIntervalSince1970 * 1000, 0)))
    }

    static func next(milliseconds now: UInt64) -> UUID {
        let (milliseconds, counter) = latest.withLock { latest in
            if now > latest.milliseconds {
                // Half of the range is left for further UUIDs of the same millisecond.
                latest = (now, .random(in: 0..<0x800))
            } else if latest.counter < 0xfff {
                latest.counter += 1
            } else {
                latest = (latest.milliseconds + 1, .random(in: 0..<0x800))
            }
            return latest
        }
        var bytes = UUID().uuid
        withUnsafeMutableBytes(of: &bytes) { bytes in
            for index in 0..<6 {
                bytes[index] = UInt8(truncatingIfNeeded: milliseconds >> (40 - 8 * UInt64(index)))
            }
            bytes[6] = 0x70 | UInt8(counter >> 8)
            bytes[7] = UInt8(truncatingIfNeeded: counter)
            // The two variant bits are the same for all versions.
        }
        return UUID(uuid: bytes)
    }
}
