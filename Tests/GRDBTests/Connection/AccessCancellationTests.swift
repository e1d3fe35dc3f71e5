import GRDBTestSupport
import Testing

@testable import GRDB

/// The cancellation of one access, moment by moment.
@Suite(.databases) struct AccessCancellationTests {
    /// Provides the cancellation of an access, and a cursor that an interruption stops.
    private func withCancellation(
        _ body: (AccessCancellation, FastDatabaseValueCursor<Int>) throws -> Void
    ) throws {
        try TestDatabases.makeQueue().read { db in
            let cursor = try Int.fetchCursor(
                db,
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n
                    """)
            #expect(try cursor.next() == 1)
            try body(AccessCancellation(db.raw), cursor)
        }
    }

    @Test func cancelledBeforeItsBeginningItNeverBegins() throws {
        try withCancellation { cancellation, cursor throws in
            cancellation.cancel()
            #expect(cancellation.isCancelled)
            #expect(throws: CancellationError.self) { try cancellation.begin() }
            // Somebody else's access goes on.
            #expect(try cursor.next() == 2)
        }
    }

    @Test func cancelledWhileItRunsItIsInterrupted() throws {
        try withCancellation { cancellation, cursor in
            try cancellation.begin()
            #expect(!cancellation.isCancelled)
            #expect(try cursor.next() == 2)
            cancellation.cancel()
            #expect(cancellation.isCancelled)
            let error = #expect(throws: DatabaseError.self) { try cursor.next() }
            #expect(error?.resultCode == .SQLITE_INTERRUPT)
        }
    }

    @Test func cancelledAfterItsEndItInterruptsNobody() throws {
        try withCancellation { cancellation, cursor in
            try cancellation.begin()
            cancellation.end()
            cancellation.cancel()
            #expect(!cancellation.isCancelled)
            #expect(try cursor.next() == 2)
        }
    }
}
