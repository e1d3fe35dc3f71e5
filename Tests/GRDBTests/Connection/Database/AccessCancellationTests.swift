import GRDBTestSupport
import Testing

@testable import GRDB

/// The cancellation of one access, moment by moment.
@Suite(.databases) struct AccessCancellationTests {
    /// Provides the cancellation of an access, and a cursor that an interruption stops.
    private func withCancellation(
        _ body: (AccessCancellation, RawConnection, FastDatabaseValueCursor<Int>) throws -> Void
    ) throws {
        try TestDatabases.makeQueue().read { db in
            let cursor = try Int.fetchCursor(
                db,
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n
                    """)
            try expectEqual(cursor.next(), 1)
            try body(AccessCancellation(), db.raw, cursor)
        }
    }

    @Test func cancelledBeforeItsBeginningItNeverBegins() throws {
        try withCancellation { cancellation, raw, cursor throws in
            cancellation.cancel()
            expectTrue(cancellation.isCancelled)
            expectTrue(!cancellation.begin(raw))
            // Somebody else's access goes on.
            try expectEqual(cursor.next(), 2)
        }
    }

    @Test func cancelledWhileItWaitsItIsToldAtOnce() throws {
        try withCancellation { cancellation, raw, _ in
            let log = Log<String>()
            expectTrue(cancellation.wait { log.append("cancelled") })
            cancellation.cancel()
            cancellation.cancel()
            expectEqual(log.elements, ["cancelled"])
            expectTrue(!cancellation.begin(raw))
        }
    }

    @Test func cancelledBeforeItWaitsItDoesNotWait() throws {
        try withCancellation { cancellation, _, _ in
            let log = Log<String>()
            cancellation.cancel()
            expectTrue(!cancellation.wait { log.append("cancelled") })
            expectTrue(!cancellation.wait { log.append("once more") })
            expectTrue(!cancellation.fail())
            expectEqual(log.elements, ["cancelled"])
        }
    }

    @Test func failureEndsTheWait() throws {
        try withCancellation { cancellation, _, _ in
            let log = Log<String>()
            expectTrue(cancellation.wait { log.append("cancelled") })
            expectTrue(cancellation.fail())
            cancellation.cancel()
            expectEqual(log.elements, [])
        }
    }

    @Test func cancelledWhileItRunsItIsInterrupted() throws {
        try withCancellation { cancellation, raw, cursor throws in
            expectTrue(cancellation.begin(raw))
            expectTrue(!cancellation.isCancelled)
            try expectEqual(cursor.next(), 2)
            cancellation.cancel()
            expectTrue(cancellation.isCancelled)
            let error = expectError(DatabaseError.self) { try cursor.next() }
            expectEqual(error?.resultCode, .SQLITE_INTERRUPT)
        }
    }

    @Test func cancelledAfterItsEndItInterruptsNobody() throws {
        try withCancellation { cancellation, raw, cursor throws in
            expectTrue(cancellation.begin(raw))
            cancellation.end()
            cancellation.cancel()
            expectTrue(!cancellation.isCancelled)
            try expectEqual(cursor.next(), 2)
        }
    }
}
