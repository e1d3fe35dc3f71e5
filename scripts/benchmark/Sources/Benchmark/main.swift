// Compares the library with direct calls of the C API. Run it with scripts/run-benchmarks.

import Foundation
import GRDB
import GRDBSQLite

let arguments = CommandLine.arguments.dropFirst()
let filter = arguments.first { !$0.hasPrefix("-") }
let rounds = 9

defer {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        try? FileManager.default.removeItem(atPath: path + suffix)
    }
}

makeIntegers(raw)
makeMixed(raw)

print("SQLite \(String(cString: sqlite3_libversion())), \(rounds) rounds")
Workload.printHeader()
let workloads =
    scanWorkloads() + insertWorkloads() + accessWorkloads() + recordWorkloads()
    + codingWorkloads()
for workload in workloads {
    if let filter, !workload.name.contains(filter) { continue }
    try workload.run(rounds: rounds)
}
