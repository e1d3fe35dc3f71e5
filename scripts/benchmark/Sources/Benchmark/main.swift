// Compares the library with direct calls of the C API. Run it with scripts/run-benchmarks.

import Foundation
import GRDB
import GRDBSQLite

if try MemoryCase.runAsChild(CommandLine.arguments) { exit(0) }

let arguments = CommandLine.arguments.dropFirst()
/// Parts of names, separated by bars.
let filters = arguments.first { !$0.hasPrefix("-") }?.split(separator: "|") ?? []

// For profilers, and tools that count instructions: one side only, a given number of times.
let profiledSide = Workload.Side.allCases.first { arguments.contains("--\($0)") }
let rounds =
    arguments.first { $0.hasPrefix("--rounds=") }.flatMap { Int($0.dropFirst(9)) } ?? 9

let slack =
    arguments.first { $0.hasPrefix("--slack=") }.flatMap { Double($0.dropFirst(8)) } ?? 0

func removeFiles() {
    let file = URL(fileURLWithPath: path)
    let folder = file.deletingLastPathComponent()
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    where name.hasPrefix(file.lastPathComponent) {
        try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    }
}

makeIntegers(raw)
makeMixed(raw)

let isCheck = arguments.contains("--check")
let raisesCeilings = arguments.contains("--raise-ceilings")
let writesCeilings = raisesCeilings || arguments.contains("--write-ceilings")
/// Where the results go that the page is made from.
let results = arguments.first { $0.hasPrefix("--results=") }
    .map { Results(path: String($0.dropFirst(10))) }

if profiledSide == nil, !isCheck, !writesCeilings, results == nil {
    print("SQLite \(String(cString: sqlite3_libversion())), \(rounds) rounds")
    Workload.printHeader()
}
var workloads =
    scanWorkloads() + insertWorkloads() + accessWorkloads() + recordWorkloads() + writeWorkloads()
    + codingWorkloads() + dateWorkloads() + orderWorkloads() + awaitingWorkloads()
    + associationWorkloads() + requestWorkloads() + observationWorkloads()
    + valueObservationWorkloads()
#if !AGAINST_GRDB
// Not for the page: what they measure is SQLite.
if results == nil {
    workloads += sessionWorkloads() + blobWorkloads() + virtualTableWorkloads()
    workloads += vectorWorkloads()
}
#endif
#if !AGAINST_GRDB
// Not for the page: their twins are functions written in C, and they take minutes.
if results == nil { workloads += fullTextWorkloads() }
#else
// What the other library lacks, and what would take it minutes.
workloads.removeAll { workload in
    ["value pack", "1000 observations"].contains(where: workload.name.contains)
}
#endif
if !filters.isEmpty {
    workloads.removeAll { workload in !filters.contains(where: workload.name.contains) }
}
var isKept = true
if isCheck || writesCeilings {
    let ceilings = try Ceilings(path: "ceilings.txt")
    if writesCeilings {
        try ceilings.write(workloads, raisesOnly: raisesCeilings, rounds: rounds)
    } else {
        isKept = try ceilings.check(
            workloads, isSelection: !filters.isEmpty, slack: slack, rounds: rounds)
    }
}
try results?.write(workloads, rounds: rounds)
for workload in workloads where !isCheck && !writesCeilings && results == nil {
    if let profiledSide {
        try workload.run(profiledSide, rounds: rounds)
    } else {
        try workload.run(rounds: rounds)
    }
}
removeFiles()
if !isKept { exit(1) }
