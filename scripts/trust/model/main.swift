// The programs of scripts/run-trust that compare random sequences with a model, which compiles and runs them.

import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "model": try runModel(arguments.dropFirst())
case "tables": try runTables(arguments.dropFirst())
case "undo": runUndo(arguments.dropFirst())
case "callbacks": try runCallbacks(arguments.dropFirst())
case "batches": runSeeds(arguments.dropFirst()) { try await BatchModel(seed: $0).run(path: $1) }
case "outboxes": runSeeds(arguments.dropFirst()) { try await OutboxModel(seed: $0).run(path: $1) }
case "interleavings": try runInterleavings(arguments.dropFirst())
case "starvation": try runStarvation(arguments.dropFirst())
default:
    print("unknown arguments: \(arguments)")
    exit(2)
}
