import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// The chapter "Error Handling" of the 0.107 guide.
@Suite(.databases) struct Guide107ErrorHandlingTests {
    private func withPets(_ body: (Database) throws -> Void) throws {
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    CREATE TABLE persons (id INTEGER PRIMARY KEY, email TEXT UNIQUE);
                    CREATE TABLE pets (masterId INTEGER REFERENCES persons(id), name TEXT);
                    """)
            try body(db)
        }
    }

    @Test func databaseError() throws {
        try withPets { db in
            do {
                try db.execute(
                    sql: "INSERT INTO pets (masterId, name) VALUES (?, ?)",
                    arguments: [1, "Bobby"])
                Issue.record("no error")
            } catch let error as DatabaseError {
                // The SQLite error code: 19 (SQLITE_CONSTRAINT)
                expectEqual(error.resultCode, .SQLITE_CONSTRAINT)
                expectEqual(error.resultCode.rawValue, 19)

                // The extended error code: 787 (SQLITE_CONSTRAINT_FOREIGNKEY)
                expectEqual(error.extendedResultCode, .SQLITE_CONSTRAINT_FOREIGNKEY)
                expectEqual(error.extendedResultCode.rawValue, 787)

                // The eventual SQLite message: FOREIGN KEY constraint failed
                expectEqual(error.message, "FOREIGN KEY constraint failed")

                // The eventual erroneous SQL query
                expectEqual(error.sql, "INSERT INTO pets (masterId, name) VALUES (?, ?)")

                // Full error description. Arguments are not shown today.
                expectEqual(
                    error.description,
                    "SQLite error 19: FOREIGN KEY constraint failed - while executing "
                        + "`INSERT INTO pets (masterId, name) VALUES (?, ?)`")
            }
        }
    }

    private struct Person: Codable, FetchableRecord, PersistableRecord {
        static let databaseTableName = "persons"

        var id: Int64
        var email: String
    }

    @Test func recordError() throws {
        try withPets { db in
            do {
                try Person(id: 1, email: "a").update(db)
                Issue.record("no error")
            } catch RecordError.recordNotFound(let table, let key) {
                // There was nothing to update
                expectEqual(table, "persons")
                expectEqual(key, ["id": 1.databaseValue])
            }
        }
    }

    private protocol MissingKey {
        func missingKey(_ db: Database) throws -> [String: DatabaseValue]?
    }

    /// A witness that is deprecated uses the former name of the error without a warning.
    private struct FormerName: MissingKey {
        @available(*, deprecated)
        func missingKey(_ db: Database) throws -> [String: DatabaseValue]? {
            do {
                try Person(id: 1, email: "a").update(db)
                return nil
            } catch PersistenceError.recordNotFound(_, let key) {
                return key
            }
        }
    }

    @Test func persistenceError() throws {
        try withPets { db in
            let former: any MissingKey = FormerName()
            try expectEqual(former.missingKey(db), ["id": 1.databaseValue])
        }
    }

    /// A fatal error, formerly. It throws today.
    @Test func keysThatAreNotUnique() throws {
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE persons (id INTEGER PRIMARY KEY, email TEXT)")
            let error = expectError(DatabaseError.self) {
                try Person.deleteOne(db, key: ["email": "arthur@example.com"])
            }
            expectEqual(error?.resultCode, .SQLITE_MISUSE)
            // Solution: add a unique index to the persons.email column
            try db.execute(sql: "CREATE UNIQUE INDEX i ON persons(email)")
            try Person(id: 1, email: "arthur@example.com").insert(db)
            try expectTrue(Person.deleteOne(db, key: ["email": "arthur@example.com"]))
        }
    }

    private func caught(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "no error"
        } catch let error as DatabaseError
            where error.extendedResultCode == .SQLITE_CONSTRAINT_FOREIGNKEY
        {
            return "foreign key constraint error"
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            return "any other constraint error"
        } catch is DatabaseError {
            return "any other database error"
        } catch {
            return "any other error"
        }
    }

    private func switched(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "no error"
        } catch let error as DatabaseError {
            switch error.extendedResultCode {
            case ResultCode.SQLITE_CONSTRAINT_FOREIGNKEY:
                return "foreign key constraint error"
            case ResultCode.SQLITE_CONSTRAINT:
                return "any other constraint error"
            default:
                return "any other database error"
            }
        } catch {
            return "any other error"
        }
    }

    @Test func codes() throws {
        try withPets { db in
            for result in [caught, switched] {
                expectEqual(
                    result { try db.execute(sql: "INSERT INTO pets VALUES (1, 'Bobby')") },
                    "foreign key constraint error")
                expectEqual(
                    result {
                        try db.execute(sql: "INSERT INTO persons (email) VALUES ('a'), ('a')")
                    },
                    "any other constraint error")
                expectEqual(
                    result { try db.execute(sql: "INSERT INTO nope VALUES (1)") },
                    "any other database error")
                expectEqual(result { throw TestError() }, "any other error")
            }
        }
    }

    @Test func fatalErrors() async throws {
        // The code asks for a non-optional value, when the database contains NULL.
        await #expect(processExitsWith: .failure) {
            let row: Row = ["name": nil]
            let _: String = row["name"]
        }
        // The code asks for a Date, when the database contains garbage.
        await #expect(processExitsWith: .failure) {
            let row: Row = ["date": "Mom’s birthday"]
            let _: Date? = row["date"]
        }
    }

    /// The solutions of the guide.
    @Test func solutions() throws {
        let row: Row = ["name": nil, "date": "Mom’s birthday"]
        let name: String? = row["name"]
        expectEqual(name, nil)

        let dbv: DatabaseValue = row["date"]
        if dbv.isNull {
            Issue.record("NULL")
        } else if let date = Date.fromDatabaseValue(dbv) {
            Issue.record("\(date)")
        } else {
            // Handle invalid date
        }
    }

    @Test func reentrancyThrows() throws {
        let dbQueue = try TestDatabases.makeQueue()
        expectError("SQLite error 21: Database methods are not reentrant.") {
            try dbQueue.inDatabase { _ in
                try dbQueue.read { _ in }
            }
        }
    }

    // MARK: - Untrusted databases

    @Test func untrustedArgumentsAndValues() throws {
        try TestDatabases.makeQueue().writeWithoutTransaction { db in
            let sql = "SELECT :date"
            var results: [String] = []
            // Some untrusted arguments for the query
            let untrusted: [[String: Any]] = [
                ["date": "2015-09-11"], ["date": "Mom’s birthday"], ["date": NSNull()],
                ["date": TestError()], ["day": "2015-09-11"],
            ]
            for values in untrusted {
                // Untrusted arguments
                guard let arguments = StatementArguments(values) else {
                    results.append("invalid arguments")
                    continue
                }
                let statement = try db.makeStatement(sql: sql)
                do {
                    try statement.validateArguments(arguments)
                } catch {
                    results.append("missing arguments")
                    continue
                }
                statement.setUncheckedArguments(arguments)

                let cursor = try Row.fetchCursor(statement)
                while let row = try cursor.next() {
                    // Untrusted database content
                    let dbv: DatabaseValue = row[0]
                    if dbv.isNull {
                        results.append("NULL")
                    } else if Date.fromDatabaseValue(dbv) != nil {
                        results.append("valid date")
                    } else {
                        results.append("invalid date")
                    }
                }
            }
            expectEqual(
                results,
                [
                    "valid date", "invalid date", "NULL", "invalid arguments", "missing arguments",
                ])
        }
    }
}
