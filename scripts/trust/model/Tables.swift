import Foundation

// tables SEED COUNT FOLDER
//
// Compares tables in Swift with ordinary ones, by 40 random queries for each seed. The queries are in
// Tests/GRDBTests/Features/VirtualTables.
func runTables(_ arguments: ArraySlice<String>) throws {
    let arguments = Array(arguments)
    let (first, count) = (UInt64(arguments[0])!, UInt64(arguments[1])!)
    var failures = 0
    for seed in first..<first + count {
        printLine("seed \(seed)")
        var model = try TableModel(random: ModelRandom(seed: seed), folder: arguments[2])
        guard let failure = try model.run(queries: 40) else { continue }
        failures += 1
        printLine("FAILED seed \(seed) \(failure.replacing("\n", with: "\n    "))")
    }
    print("end \(count) \(failures)")
}
