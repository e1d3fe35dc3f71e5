import Foundation
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
        #expect(caught(.SQLITE_CONSTRAINT_FOREIGNKEY) == "foreign key")
        #expect(caught(.SQLITE_CONSTRAINT_CHECK) == "constraint")
        #expect(caught(.SQLITE_CONSTRAINT) == "constraint")
        #expect(caught(.SQLITE_FULL) == "other")
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
        #expect(error.resultCode == .SQLITE_CONSTRAINT)
        #expect(error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE)
    }

    @Test func defaultsAreAGenericErrorWithTheTextOfTheCode() {
        let error = DatabaseError()
        #expect(error.extendedResultCode == .SQLITE_ERROR)
        #expect(error.message == "SQL logic error")
        #expect(error.sql == nil)
        #expect(error.arguments == nil)
        #expect(error.offset == nil)
        #expect(error.description == "SQLite error 1: SQL logic error")
        #expect(DatabaseError(resultCode: .SQLITE_BUSY).message == "database is locked")
        #expect(
            DatabaseError(resultCode: ResultCode(rawValue: 12345)).description
                == "SQLite error 57: unknown error")
    }

    @Test func descriptionHasThePrimaryCodeTheMessageAndTheSQL() {
        #expect(DatabaseError(message: "m").description == "SQLite error 1: m")
        #expect(DatabaseError(message: "").description == "SQLite error 1: ")
        #expect(
            DatabaseError(
                resultCode: .SQLITE_CONSTRAINT_UNIQUE,
                message: "UNIQUE constraint failed: t.a",
                sql: "INSERT INTO t (a) VALUES (1)"
            ).description
                == "SQLite error 19: UNIQUE constraint failed: t.a"
                + " - while executing `INSERT INTO t (a) VALUES (1)`")
    }

    @Test func descriptionTrimsTheSQLThatThePropertyKeeps() {
        let error = DatabaseError(message: "m", sql: " \n SELECT 1 ; ;\n")
        #expect(error.description == "SQLite error 1: m - while executing `SELECT 1`")
        #expect(error.sql == " \n SELECT 1 ; ;\n")
    }

    @Test func descriptionHidesArguments() {
        let error = DatabaseError(message: "m", sql: "SELECT ?, ?", arguments: [1, "secret"])
        #expect(error.description == "SQLite error 1: m - while executing `SELECT ?, ?`")
        #expect(
            error.expandedDescription
                == "SQLite error 1: m - while executing `SELECT ?, ?` with arguments [1, \"secret\"]"
        )
        #expect(error.arguments == [1, "secret"])
    }

    @Test func descriptionShowsPublicArguments() {
        let error = DatabaseError(
            message: "m", sql: "SELECT ?", arguments: [1], publicStatementArguments: true)
        #expect(
            error.description
                == "SQLite error 1: m - while executing `SELECT ?` with arguments [1]")
        #expect(error.expandedDescription == error.description)
    }

    @Test func emptyArgumentsAreNotShown() {
        let error = DatabaseError(
            message: "m", sql: "SELECT 1", arguments: [], publicStatementArguments: true)
        #expect(error.expandedDescription == "SQLite error 1: m - while executing `SELECT 1`")
    }

    @Test(arguments: [
        (ResultCode.SQLITE_ABORT, true),
        (.SQLITE_ABORT_ROLLBACK, true),
        (.SQLITE_INTERRUPT, true),
        (.SQLITE_BUSY, false),
        (.SQLITE_ERROR, false),
    ])
    func interruptionErrors(code: ResultCode, isInterruption: Bool) {
        #expect(DatabaseError(resultCode: code).isInterruptionError == isInterruption)
    }

    @Test func rawFailureKeepsCodeMessageAndOffset() {
        let failure = RawFailure(code: 1, message: "near \"FOO\": syntax error", offset: 7)
        let error = DatabaseError(failure, sql: "SELECT FOO BAR")
        #expect(error.extendedResultCode == .SQLITE_ERROR)
        #expect(error.offset == 7)
        #expect(
            error.description
                == "SQLite error 1: near \"FOO\": syntax error - while executing `SELECT FOO BAR`")

        let silent = DatabaseError(RawFailure(code: 1299))
        #expect(silent.extendedResultCode == .SQLITE_CONSTRAINT_NOTNULL)
        #expect(silent.message == "constraint failed")
        #expect(silent.offset == nil)
    }

    @Test func bridgesToNSError() {
        let error = DatabaseError(
            resultCode: .SQLITE_CONSTRAINT_UNIQUE, message: "m", sql: "SELECT 1")
        let nsError = error as NSError
        #expect(DatabaseError.errorDomain == "GRDB.DatabaseError")
        #expect(nsError.domain == "GRDB.DatabaseError")
        #expect(nsError.code == 2067)
        #expect(nsError.localizedDescription == error.description)
        #expect(nsError.localizedFailureReason == "m")
        #expect(error.localizedDescription == error.description)
    }
}
