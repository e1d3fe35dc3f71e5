@testable import GRDBTables
import Foundation
import GRDB
import GRDBTestSupport
import Testing

/// Tables in Swift have the results of ordinary tables. See `TableModel`.
@Suite(.databases) struct TableModelTests {
    @Test(arguments: 1...2)
    func randomQueries(part: UInt64) throws {
        let file = URL(fileURLWithPath: TestDatabases.makePath())
        for seed in part * 24 - 23...part * 24 {
            var model = try TableModel(
                random: SplitMix64(seed: seed),
                configuration: TestDatabases.makePlainConfiguration(),
                folder: file.deletingLastPathComponent().path)
            if let failure = try model.run(queries: 30) {
                Issue.record("seed \(seed), \(failure)")
            }
        }
    }
}
