import GRDB

/// The space that a table or an index uses in the database file.
///
/// See ``GRDB/Database/tableSizes(in:)``.
///
/// Related SQLite documentation: <https://www.sqlite.org/dbstat.html>
public struct BTreeSize: Hashable, Sendable {
    /// The number of pages.
    public internal(set) var pageCount = 0

    /// The total size of the pages, in bytes.
    public internal(set) var byteCount = 0

    /// The size of the content, in bytes.
    public internal(set) var payloadByteCount = 0

    /// The size of unused space, in bytes. `VACUUM` may free some of it.
    public internal(set) var unusedByteCount = 0

    /// The size of the largest row or index entry, in bytes.
    public internal(set) var largestPayloadByteCount = 0

    init() {}

    fileprivate init(_ row: Row) throws {
        pageCount = try row.decode(Int.self, atIndex: 2)
        byteCount = try row.decode(Int.self, atIndex: 3)
        payloadByteCount = try row.decode(Int.self, atIndex: 4)
        unusedByteCount = try row.decode(Int.self, atIndex: 5)
        largestPayloadByteCount = try row.decode(Int.self, atIndex: 6)
    }

    fileprivate mutating func add(_ other: BTreeSize) {
        pageCount += other.pageCount
        byteCount += other.byteCount
        payloadByteCount += other.payloadByteCount
        unusedByteCount += other.unusedByteCount
        largestPayloadByteCount = Swift.max(
            largestPayloadByteCount, other.largestPayloadByteCount)
    }
}

/// The space that a table and its indexes use in the database file.
///
/// See ``GRDB/Database/tableSizes(in:)``.
public struct TableSizeInfo: Hashable, Sendable {
    /// The name of the table.
    public let tableName: String

    /// The space used by the rows.
    public internal(set) var rows = BTreeSize()

    /// The space used by each index, by name of the index.
    public internal(set) var indexes: [String: BTreeSize] = [:]

    /// The space used by the table and all its indexes.
    public var total: BTreeSize {
        var total = rows
        for index in indexes.values { total.add(index) }
        return total
    }
}

extension Database {
    /// Returns the space that each table and its indexes use in the database file. The largest
    /// table is first.
    ///
    /// ```swift
    /// let sizes = try dbQueue.read { db in try db.tableSizes() }
    /// for size in sizes {
    ///     print(size.tableName, size.total.byteCount)
    /// }
    /// ```
    ///
    /// The result includes internal tables of SQLite, such as `sqlite_schema`. The space of a
    /// virtual table is that of its shadow tables.
    ///
    /// - parameter schemaName: the schema; nil for the main schema.
    /// - throws: a `DatabaseError`, for example if there is no schema of this name.
    /// - complexity: reads all pages of the database.
    ///
    /// Related SQLite documentation: <https://www.sqlite.org/dbstat.html>
    public func tableSizes(in schemaName: String? = nil) throws -> [TableSizeInfo] {
        let schema = try schemaIDs(named: schemaName ?? "main")[0].name
        let rows = try Row.fetchAll(
            self,
            sql: """
                SELECT coalesce(s.tbl_name, d.name), s.type = 'index', d.pageno, d.pgsize, d.payload, \
                d.unused, d.mx_payload, d.name \
                FROM dbstat(?, 1) d \
                LEFT JOIN \(schema.quotedDatabaseIdentifier).sqlite_master s ON s.name = d.name
                """,
            arguments: [schema])
        var sizes: [TableSizeInfo] = []
        var indexes: [CaseInsensitiveIdentifier: Int] = [:]
        for row in rows {
            let table = try row.decode(String.self, atIndex: 0)
            let index = indexes[CaseInsensitiveIdentifier(table)] ?? sizes.count
            if index == sizes.count {
                indexes[CaseInsensitiveIdentifier(table)] = index
                sizes.append(TableSizeInfo(tableName: table))
            }
            let size = try BTreeSize(row)
            if try row.decode(Bool?.self, atIndex: 1) ?? false {
                sizes[index].indexes[try row.decode(String.self, atIndex: 7)] = size
            } else {
                sizes[index].rows.add(size)
            }
        }
        return sizes.ordered {
            ($1.total.byteCount, $0.tableName) < ($0.total.byteCount, $1.tableName)
        }
    }
}
