// The programs of scripts/run-trust model, tables, callbacks and interleavings, which compiles and runs them.

import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "model": try runModel(arguments.dropFirst())
case "tables": try runTables(arguments.dropFirst())
case "callbacks": try runCallbacks(arguments.dropFirst())
case "interleavings": try runInterleavings(arguments.dropFirst())
case "starvation": try runStarvation(arguments.dropFirst())
default:
    print("unknown arguments: \(arguments)")
    exit(2)
}
