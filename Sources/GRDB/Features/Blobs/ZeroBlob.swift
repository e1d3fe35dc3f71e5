import Foundation

/// A blob of zeros, which takes no memory until it is read.
///
/// Store one in order to fill it in pieces:
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
/// No memory is taken in SQL literals, in requests and assignments, and by
/// ``Statement/execute(values:)``. In ``StatementArguments``, in the columns of records, and as a
/// ``DatabaseValue``, it becomes `Data`.
///
/// Related SQLite documentation: <https://www.sqlite.org/c3ref/bind_blob.html>
public struct ZeroBlob: Hashable, Sendable {
    /// The number of bytes.
    public var count: Int

    /// Creates a blob of zeros.
    ///
    /// - parameter count: the number of bytes. SQLite refuses negative numbers, and those beyond its
    ///   limit: see ``Database/setMaximumValueSize(_:)``.
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

    /// A blob that contains nothing but zeros.
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
