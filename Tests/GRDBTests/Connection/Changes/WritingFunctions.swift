import Foundation
import GRDB
import GRDBSQLite

/// SQL functions that change the database behind the back of the toolkit, by C functions.
enum WritingFunctions {
    /// Adds the C function `c_execute(sql)`, which runs SQL on its connection, as functions of extensions do.
    static func add(to db: Database) throws {
        let code = sqlite3_create_function_v2(
            db.sqliteConnection, "c_execute", 1, SQLITE_UTF8, nil,
            { context, _, arguments in
                guard let sql = sqlite3_value_text(arguments?[0]) else { return }
                let connection = sqlite3_context_db_handle(context)
                let text = String(cString: sql)
                if sqlite3_exec(connection, text, nil, nil, nil) != SQLITE_OK {
                    sqlite3_result_error(context, sqlite3_errmsg(connection), -1)
                } else {
                    sqlite3_result_int(context, 1)
                }
            }, nil, nil, nil)
        if code != SQLITE_OK { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    /// Runs SQL on a connection by C functions only.
    @discardableResult
    static func execute(_ db: Database, _ sql: String) -> CInt {
        sqlite3_exec(db.sqliteConnection, sql, nil, nil, nil)
    }

    /// Lets a connection into closures.
    private final class Escaped: @unchecked Sendable {
        unowned let db: Database
        init(_ db: Database) { self.db = db }
    }

    /// Adds the functions `swift_execute(sql)`, which runs SQL by the toolkit, and `swift_c_execute(sql)`,
    /// which calls the C function on the connection.
    static func addSwiftFunctions(to db: Database) throws {
        let escaped = Escaped(db)
        try db.tryAdd(
            function: DatabaseFunction("swift_execute", argumentCount: 1) { values in
                try escaped.db.execute(sql: String.fromDatabaseValue(values[0]) ?? "")
                return 1
            })
        try db.tryAdd(
            function: DatabaseFunction("swift_c_execute", argumentCount: 1) { values in
                execute(escaped.db, String.fromDatabaseValue(values[0]) ?? "") == SQLITE_OK
            })
    }

    static let names = ["c_execute", "swift_execute", "swift_c_execute"]
}
