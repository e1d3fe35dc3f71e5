import Foundation
import GRDB

/// A query that never ends unless it is interrupted. Connections of ``TestDatabases`` can run it.
///
/// All tests start at once, so that whoever interrupts it may wait for a thread until other tests end. Until then,
/// the query sleeps most of the time.
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
