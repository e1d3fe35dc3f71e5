// Puts the concurrent parts of the library under load. Run it with scripts/run-trust stress.

import Dispatch
import Foundation
import GRDB

let arguments = CommandLine.arguments.dropFirst()
let job = arguments.first ?? ""
let amount = arguments.dropFirst().first.flatMap { Int($0) }

switch job {
case "mixed": try mixedWork(seconds: amount ?? 60)
case "fulltext":
    try fullText(
        inputs: amount ?? 200_000, seed: arguments.dropFirst(2).first.flatMap { UInt64($0) })
case "lifetimes": try lifetimes(seconds: amount ?? 30)
case "kill": try killedWriters(count: amount ?? 500)
case "killed-writer": try writeUntilKilled(path: arguments.dropFirst().first ?? "")
case "cancel": try await cancellations(count: amount ?? 1000)
case "hurry": try await hurriedCancellations(count: amount ?? 100_000)
case "tasks": try await manyTasks(count: amount ?? 1000)
case "observe": try await observations(seconds: amount ?? 60)
case "memory": try memoryFailures(step: amount ?? 1)
case "memory-child":
    let rest = Array(arguments.dropFirst())
    try memoryChild(
        scenario: rest[0], alsoFollowing: rest[1] == "1", from: Int(rest[2])!, step: Int(rest[3])!)
default:
    print("usage: Stress mixed|lifetimes|kill|cancel|hurry|fulltext|tasks|observe|memory [AMOUNT]")
    exit(2)
}
exit(failures.count == 0 ? 0 : 1)
