import Foundation
import GRDBTestSupport
import Testing

@testable import GRDB

@Suite struct DatabaseErrorTests {
    @Test func catchClausesMatchResultCodes() {
        func caught(_ code: ResultCode) -> String {
            do {
                throw DatabaseError(resultCode: code)
            } catch DatabaseError.SQLITE_CONSTRAINT_FOREIGNKEY {
                return "foreign key"
            } catch DatabaseError.SQLITE_CONSTRAINT {
                return "constraint"
            } catch {
                return "other"
            }
        }
        expectEqual(caught(.SQLITE_CONSTRAINT_FOREIGNKEY), "foreign key")
        expectEqual(caught(.SQLITE_CONSTRAINT_CHECK), "constraint")
        expectEqual(caught(.SQLITE_CONSTRAINT), "constraint")
        expectEqual(caught(.SQLITE_FULL), "other")
    }

    @Test func switchMatchesResultCodes() {
        let error = DatabaseError(resultCode: .SQLITE_CONSTRAINT_UNIQUE)
        switch error {
        case DatabaseError.SQLITE_CONSTRAINT_FOREIGNKEY:
            Issue.record("wrong case")
        case DatabaseError.SQLITE_CONSTRAINT:
            break
        default:
            Issue.record("wrong case")
        }
    }

    @Test func resultCodeIsPrimary() {
        let error = DatabaseError(resultCode: .SQLITE_CONSTRAINT_UNIQUE)
        expectEqual(error.resultCode, .SQLITE_CONSTRAINT)
        expectEqual(error.extendedResultCode, .SQLITE_CONSTRAINT_UNIQUE)
    }

    @Test func defaultsAreAGenericErrorWithTheTextOfTheCode() {
        let error = DatabaseError()
        expectEqual(error.extendedResultCode, .SQLITE_ERROR)
        expectEqual(error.message, "SQL logic error")
        expectEqual(error.sql, nil)
        expectEqual(error.arguments, nil)
        expectEqual(error.offset, nil)
        expectEqual(error.description, "SQLite error 1: SQL logic error")
        expectEqual(DatabaseError(resultCode: .SQLITE_BUSY).message, "database is locked")
        expectEqual(
            DatabaseError(resultCode: ResultCode(rawValue: 12345)).description,
            "SQLite error 57: unknown error")
    }

    @Test func descriptionHasThePrimaryCodeTheMessageAndTheSQL() {
        expectEqual(DatabaseError(message: "m").description, "SQLite error 1: m")
        expectEqual(DatabaseError(message: "").description, "SQLite error 1: ")
        expectEqual(
            DatabaseError(
                resultCode: .SQLITE_CONSTRAINT_UNIQUE,
                message: "UNIQUE constraint failed: t.a",
                sql: "INSERT INTO t (a) VALUES (1)"
            ).description,
            "SQLite error 19: UNIQUE constraint failed: t.a"
                + " - while executing `INSERT INTO t (a) VALUES (1)`")
    }

    @Test func descriptionTrimsTheSQLThatThePropertyKeeps() {
        let error = DatabaseError(message: "m", sql: " \n SELECT 1 ; ;\n")
        expectEqual(error.description, "SQLite error 1: m - while executing `SELECT 1`")
        expectEqual(error.sql, " \n SELECT 1 ; ;\n")
    }

    @Test func descriptionHidesArguments() {
        let error = DatabaseError(message: "m", sql: "SELECT ?, ?", arguments: [1, "secret"])
        expectEqual(error.description, "SQLite error 1: m - while executing `SELECT ?, ?`")
        expectEqual(
            error.expandedDescription,
            "SQLite error 1: m - while executing `SELECT ?, ?` with arguments [1, \"secret\"]")
        expectEqual(error.arguments, [1, "secret"])
    }

    @Test func descriptionShowsPublicArguments() {
        let error = DatabaseError(
            message: "m", sql: "SELECT ?", arguments: [1], publicStatementArguments: true)
        expectEqual(
            error.description,
            "SQLite error 1: m - while executing `SELECT ?` with arguments [1]")
        expectEqual(error.expandedDescription, error.description)
    }

    @Test func emptyArgumentsAreNotShown() {
        let error = DatabaseError(
            message: "m", sql: "SELECT 1", arguments: [], publicStatementArguments: true)
        expectEqual(error.expandedDescription, "SQLite error 1: m - while executing `SELECT 1`")
    }

    @Test(arguments: [
        (ResultCode.SQLITE_ABORT, true),
        (.SQLITE_ABORT_ROLLBACK, true),
        (.SQLITE_INTERRUPT, true),
        (.SQLITE_BUSY, false),
        (.SQLITE_ERROR, false),
    ])
    func interruptionErrors(code: ResultCode, isInterruption: Bool) {
        expectEqual(DatabaseError(resultCode: code).isInterruptionError, isInterruption)
    }

    @Test func rawFailureKeepsCodeMessageAndOffset() {
        let failure = RawFailure(code: 1, message: "near \"FOO\": syntax error", offset: 7)
        let error = DatabaseError(failure, sql: "SELECT FOO BAR")
        expectEqual(error.extendedResultCode, .SQLITE_ERROR)
        expectEqual(error.offset, 7)
        expectEqual(
            error.description,
            "SQLite error 1: near \"FOO\": syntax error - while executing `SELECT FOO BAR`")

        let silent = DatabaseError(RawFailure(code: 1299))
        expectEqual(silent.extendedResultCode, .SQLITE_CONSTRAINT_NOTNULL)
        expectEqual(silent.message, "constraint failed")
        expectEqual(silent.offset, nil)
    }

    @Test func bridgesToNSError() {
        let error = DatabaseError(
            resultCode: .SQLITE_CONSTRAINT_UNIQUE, message: "m", sql: "SELECT 1")
        let nsError = error as NSError
        expectEqual(DatabaseError.errorDomain, "GRDB.DatabaseError")
        expectEqual(nsError.domain, "GRDB.DatabaseError")
        expectEqual(nsError.code, 2067)
        expectEqual(nsError.localizedDescription, error.description)
        expectEqual(nsError.localizedFailureReason, "m")
        expectEqual(error.localizedDescription, error.description)
    }
}
