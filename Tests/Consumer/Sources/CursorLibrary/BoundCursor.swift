// A library over GRDB, as others write them: it depends on the product GRDB alone, hands C types to
// its own clients, and has a cursor whose statement is bound through C.

public import GRDB
public import GRDBSQLite

/// The integers that a statement finds.
public final class BoundCursor: DatabaseCursor {
    public typealias Element = sqlite3_int64

    public let _statement: Statement
    public var _isDone = false

    /// - parameter bindings: binds the parameters of the statement, by C functions.
    public init(statement: Statement, bindings: (OpaquePointer) -> Void) {
        _statement = statement
        sqlite3_reset(statement.sqliteStatement)
        bindings(statement.sqliteStatement)
    }

    deinit {
        sqlite3_reset(_statement.sqliteStatement)
        sqlite3_clear_bindings(_statement.sqliteStatement)
    }

    public func _element(sqliteStatement: SQLiteStatement) throws -> sqlite3_int64 {
        sqlite3_column_int64(sqliteStatement, 0)
    }
}

extension Database {
    /// The number of changes, as C counts them.
    public var changesOfC: sqlite3_int64 { sqlite3_total_changes64(sqliteConnection) }
}
