// The programs of scripts/run-trust, which compiles and runs them.

import Foundation

do {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "faults": try runFaults(arguments.dropFirst())
    case "power": try runPower(arguments.dropFirst())
    case "kills": try runKills(arguments.dropFirst())
    case "observation": try runObservation(arguments.dropFirst())
    default: throw Failed("unknown arguments: \(arguments)")
    }
} catch {
    FileHandle.standardError.write(Data("trust: \(error)\n".utf8))
    exit(2)
}
