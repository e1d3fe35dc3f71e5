import Foundation
import GRDB

/// A query that never ends unless it is interrupted. Connections of ``TestDatabases`` can run it.
///
/// It sleeps most of the time: all tests start at once, and the task that interrupts the query may wait for a
/// thread until many of them have ended.
public let endlessSQL = """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT doze(i + 1) FROM n) \
    SELECT COUNT(*) FROM n
    """

extension DatabaseFunction {
    /// Returns its argument after a short while.
    static let doze = DatabaseFunction("doze", argumentCount: 1, pure: false) { values in
        Thread.sleep(forTimeInterval: 0.000_2)
        return values[0]
    }
}
