// How the cost of what the library does grows with the amount of it. Run it with scripts/run-benchmarks growth.

import Foundation
import GRDB

let filter = CommandLine.arguments.dropFirst().first
let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("grdb-growth-\(ProcessInfo.processInfo.processIdentifier)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

if filter.map({ "commits".contains($0) }) ?? true { try printCommits(in: folder) }
// Only when asked for: it writes 1 GB.
if filter == "caches" { try printCaches(in: folder) }
for series in try keySeries() + rowSeries() + tableSeries() + connectionSeries() {
    if let filter, !series.name.contains(filter) { continue }
    try series.run()
}
