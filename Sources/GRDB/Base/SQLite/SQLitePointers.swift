/// The `sqlite3 *` behind a ``Database``, for code that calls C functions.
///
/// To call them, import the module `GRDBSQLite`, which declares the functions of the SQLite that this
/// package includes. Never pass this pointer to functions of another SQLite, such as that of the
/// system.
///
/// The connection may only be used inside a database access, on its thread.
public typealias SQLiteConnection = OpaquePointer

/// The `sqlite3_stmt *` behind a ``Statement``.
///
/// See ``SQLiteConnection`` for the functions that accept it.
public typealias SQLiteStatement = OpaquePointer

/// The storage classes that `sqlite3_column_type()` and `sqlite3_value_type()` return.
///
/// See <https://www.sqlite.org/c3ref/c_blob.html>.
@usableFromInline
package enum RawType {
    @inlinable package static var integer: CInt { 1 }
    @inlinable package static var float: CInt { 2 }
    @inlinable package static var text: CInt { 3 }
    @inlinable package static var blob: CInt { 4 }
    @inlinable package static var null: CInt { 5 }
}
