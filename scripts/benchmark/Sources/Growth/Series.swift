// One kind of work, in several amounts.

import Foundation

struct Series {
    var name: String

    /// What the amounts count.
    var unit: String

    var amounts: [Int]

    /// Prepares an amount of work, which is not measured, and returns it. The work returns how much
    /// of it was done, as a check.
    var prepare: (Int) throws -> () throws -> Int

    /// Measures all amounts, and prints the CPU time of each, and how it grows: the exponent is 1 when
    /// twice the amount costs twice the time.
    func run() throws {
        print("\(name), by \(unit)")
        var points: [(amount: Int, seconds: Double)] = []
        for amount in amounts {
            let work = try prepare(amount)
            var result = 0
            // Once may be too short for the clock. The minimum is what nothing has disturbed.
            var seconds = Double.infinity
            var total = 0.0
            repeat {
                let duration = try cpuTime { result = try work() }
                seconds = min(seconds, duration)
                total += duration
            } while total < 0.05
            points.append((amount, seconds))
            print(
                "  \(amount)".padded(to: 12), "\(milliseconds(seconds)) ms".padded(to: 16),
                "\(Int(seconds / Double(max(1, amount)) * 1e9)) ns each".padded(to: 18),
                "result \(result)")
        }
        // Small amounts show what a call costs, not how it grows.
        let large = points.filter { $0.amount >= amounts.last! / 1_000 && $0.amount > 0 }
        if let first = large.first, let last = large.last, first.amount < last.amount {
            let exponent =
                log(last.seconds / first.seconds)
                / log(Double(last.amount) / Double(first.amount))
            print("  exponent \((exponent * 100).rounded() / 100)")
        }
    }

    private func milliseconds(_ seconds: Double) -> Double {
        (seconds * 1e6).rounded() / 1e3
    }
}

/// The CPU time of the process during a call, in seconds.
func cpuTime(_ body: () throws -> Void) rethrows -> Double {
    func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
    let start = now()
    try body()
    return now() - start
}

extension String {
    func padded(to length: Int) -> String {
        self + String(repeating: " ", count: max(0, length - count))
    }
}

/// The peak of the memory that the process has used, in MB.
func peakMemory() -> Int {
    var usage = rusage()
    #if canImport(Glibc)
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
    getrusage(RUSAGE_SELF, &usage)
    #endif
    return usage.ru_maxrss / 1024
}
