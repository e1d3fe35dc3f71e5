import Foundation

// model SEED COUNT FOLDER [replay]
//
// Runs sequences of calls, those of COUNT seeds from SEED on, and shrinks those that fail. The sequences
// themselves are in Tests/GRDBTests/Access/Model.
func runModel(_ arguments: ArraySlice<String>) throws {
    let arguments = Array(arguments)
    let (first, count, folder) = (UInt64(arguments[0])!, UInt64(arguments[1])!, arguments[2])
    let path = folder + "/model.sqlite"
    if arguments.last == "replay" {
        let sequence = ModelSequence(seed: first)
        let failure = sequence.run(path: path) { printLine($0) }
        return printLine(failure ?? "no failure")
    }
    var failures = 0
    var done: UInt64 = 0
    for seed in first..<first + count {
        // What ends the process is known by its seed.
        printLine("seed \(seed)")
        let sequence = ModelSequence(seed: seed)
        let failure = sequence.run(path: path)
        done += 1
        var text = failure
        let openCount = lastingConnections(path)
        if text == nil, openCount > 0 { text = "\(openCount) files stay open" }
        guard let text else { continue }
        failures += 1
        let smallest = sequence.shrunk(path: path) {
            $0.run(path: path)?.prefix(5) == text.prefix(5)
        }
        printLine("FAILED seed \(seed) \(sequence.kind): \(text)")
        let repeated = smallest.run(path: path) { printLine("    \($0)") }
        printLine("    \(repeated ?? "it succeeds the second time")")
        if failures == 5 { break }
    }
    print("end \(done) \(failures)")
}

// PART SEED COUNT FOLDER
//
// Runs a model whose sequences of tasks can't be repeated exactly, and so not shrunk.
func runSeeds(
    _ arguments: ArraySlice<String>,
    _ run: @escaping @Sendable (UInt64, String) async throws -> String?
) {
    let arguments = Array(arguments)
    let (first, count) = (UInt64(arguments[0])!, UInt64(arguments[1])!)
    let path = arguments[2] + "/model.sqlite"
    let isDone = DispatchSemaphore(value: 0)
    Task {
        var failures = 0
        for seed in first..<first + count {
            printLine("seed \(seed)")
            var failure: String?
            do { failure = try await run(seed, path) } catch { failure = "\(error)" }
            if failure == nil, lastingConnections(path) > 0 { failure = "files stay open" }
            guard let failure else { continue }
            failures += 1
            printLine("FAILED seed \(seed): \(failure)")
        }
        print("end \(count) \(failures)")
        isDone.signal()
    }
    isDone.wait()
}

/// Prints at once: what comes after may crash.
func printLine(_ line: String) {
    print(line)
    fflush(nil)
}

/// The number of connections that stay open. Those of tasks may be released on other queues.
func lastingConnections(_ path: String) -> Int {
    for _ in 0..<200 where openConnections(path) > 0 { usleep(10_000) }
    return openConnections(path)
}

/// The number of connections that the process has open to files of the model.
func openConnections(_ path: String) -> Int {
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return descriptors.count {
        let target = try? FileManager.default.destinationOfSymbolicLink(
            atPath: "/proc/self/fd/\($0)")
        return target?.contains(path) == true
    }
}
