// Times a workload against its twin: the same work by direct calls of the C API of the same SQLite,
// that makes the same Swift values.
//
// The two run in turn, so that a machine whose speed drifts slows both. What is measured is the CPU
// time of the process, all of its threads: it hardly depends on what else the machine does. What
// counts is the ratio of the medians; the minimum shows how much noise there is.

import Foundation

struct Workload {
    /// The CPU time that counts.
    enum Clock: String {
        /// That of all threads.
        case process = "all"
        /// That of the thread that runs the workload, and so of the accesses that it waits for.
        case writer
    }

    var name: String
    /// How many times the operation that the name is about runs, for the time of one.
    var count: Int
    var clock = Clock.process
    /// Both return a checksum: they must agree, or they don't do the same work.
    var twin: () throws -> Int
    var library: () throws -> Int
}

struct Measure {
    /// In seconds.
    var durations: [Double] = []

    var median: Double { durations.sorted()[durations.count / 2] }

    var minimum: Double { durations.min() ?? 0 }
}

/// The CPU time of the process, or of the current thread, during a call, in seconds.
func cpuTime(_ clock: Workload.Clock, _ body: () throws -> Void) rethrows -> Double {
    func now() -> Double {
        var time = timespec()
        clock_gettime(
            clock == .process ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
    let start = now()
    try body()
    return now() - start
}

extension Workload {
    enum Side: CaseIterable {
        case twin
        case library
    }

    /// Runs one side, without measuring it. Not inlined: tools count what this function calls.
    @inline(never)
    func run(_ side: Side, rounds: Int) throws {
        for _ in 0..<rounds { _ = try side == .twin ? twin() : library() }
    }

    /// What both sides take.
    struct Result {
        let twin: Measure
        let library: Measure

        var ratioOfMedians: Double { library.median / twin.median }
        var ratioOfMinima: Double { library.minimum / twin.minimum }
    }

    func measure(rounds: Int) throws -> Result {
        var twinMeasure = Measure()
        var libraryMeasure = Measure()
        for round in 0...rounds {
            var twinSum = 0
            var librarySum = 0
            let twinDuration = try cpuTime(clock) { twinSum = try twin() }
            let libraryDuration = try cpuTime(clock) { librarySum = try library() }
            precondition(
                twinSum == librarySum, "\(name): checksums differ: \(twinSum), \(librarySum)")
            // The first round warms up.
            if round > 0 {
                twinMeasure.durations.append(twinDuration)
                libraryMeasure.durations.append(libraryDuration)
            }
        }
        return Result(twin: twinMeasure, library: libraryMeasure)
    }

    func run(rounds: Int) throws {
        let result = try measure(rounds: rounds)
        let columns = [
            name.padded(to: Self.nameWidth),
            format(result.ratioOfMedians, decimals: 2).leftPadded(to: 7),
            format(result.ratioOfMinima, decimals: 2).leftPadded(to: 7),
            format(result.library.median / Double(count) * 1e9, decimals: 0).leftPadded(to: 9),
            format(result.twin.median / Double(count) * 1e9, decimals: 0).leftPadded(to: 9),
        ]
        print(columns.joined(separator: " "))
        // Whoever reads a file wants the lines so far, even if a later workload fails.
        fflush(nil)
    }

    private static let nameWidth = 52

    static func printHeader() {
        let columns = [
            "workload".padded(to: nameWidth), "median".leftPadded(to: 7), "min".leftPadded(to: 7),
            "ns/op".leftPadded(to: 9), "C ns/op".leftPadded(to: 9),
        ]
        print(columns.joined(separator: " "))
    }
}

func format(_ value: Double, decimals: Int) -> String {
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let scaled = Int((value * scale).rounded())
    if decimals == 0 { return String(scaled) }
    let fraction = String(scaled % Int(scale))
    let zeros = String(repeating: "0", count: decimals - fraction.count)
    return "\(scaled / Int(scale)).\(zeros)\(fraction)"
}

extension String {
    fileprivate func padded(to length: Int) -> String {
        self + String(repeating: " ", count: max(0, length - count))
    }

    func leftPadded(to length: Int) -> String {
        String(repeating: " ", count: max(0, length - count)) + self
    }
}
