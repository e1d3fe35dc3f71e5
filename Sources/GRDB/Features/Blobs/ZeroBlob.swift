import _GRDBSystem

/// A blob filled with zeros. It uses no memory until it is read.
///
/// Store a zero blob to fill it later in chunks:
///
/// ```swift
/// try dbQueue.write { db in
///     // INSERT INTO "video" ("content") VALUES (ZEROBLOB(1000000))
///     try db.execute(literal: "INSERT INTO video (content) VALUES (\(ZeroBlob(count: 1_000_000)))")
///     let blob = try db.openBlob(
///         table: "video", column: "content", rowID: db.lastInsertedRowID, mode: .readWrite)
///     try blob.write(header, at: 0)
/// }
/// ```
///
/// A zero blob uses no memory in SQL literals, requests, assignments, and in
/// ``Statement/execute(values:)``. In ``StatementArguments``, in the columns of records, and as a
/// ``DatabaseValue``, it is converted to `Data`.
///
/// Related SQLite documentation: <https://www.sqlite.org/c3ref/bind_blob.html>
public struct ZeroBlob: Hashable, Sendable {
    /// The number of bytes.
    public var count: Int

    /// Creates a blob filled with zeros.
    ///
    /// - parameter count: the number of bytes. SQLite rejects negative numbers, and numbers beyond
    ///   its limit: see ``Database/setMaximumValueSize(_:)``.
    public init(count: Int) {
        self.count = count
    }
}

extension ZeroBlob: DatabaseValueConvertible {
    /// The zeros, in memory.
    ///
    /// - precondition: there is memory for them.
    public var databaseValue: DatabaseValue { Data(count: max(count, 0)).databaseValue }

    /// No value of SQLite has 2 GB.
    public var _storableDatabaseValue: DatabaseValue? {
        (0..<Int(Int32.max)).contains(count) ? databaseValue : nil
    }

    /// Decodes a blob that contains only zeros; nil for other values.
    public static func fromDatabaseValue(_ dbValue: DatabaseValue) -> ZeroBlob? {
        guard case .blob(let data) = dbValue.storage, data.allSatisfy({ $0 == 0 }) else {
            return nil
        }
        return ZeroBlob(count: data.count)
    }

    public func bind(to sqliteStatement: SQLiteStatement, at index: CInt) -> CInt {
        RawBinding.zeros(sqliteStatement, index, count: count)
    }

    public var sqlExpression: SQLExpression {
        count < 0
            ? storableSQLExpression : .function("ZEROBLOB", count.sqlExpression)
    }
}
