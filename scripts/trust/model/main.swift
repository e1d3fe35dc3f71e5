// The programs of scripts/run-trust model, callbacks and interleavings, which compiles and runs them.

import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "model": try runModel(arguments.dropFirst())
default:
    print("unknown arguments: \(arguments)")
    exit(2)
}
