import Dispatch

/// Shows how far the work is: a bar on a terminal, and nothing elsewhere.
struct ProgressReport {
    private let console: Console
    private let fileCount: Int
    private let byteCount: Int
    private let now: () -> Double
    private let start: Double
    private var lastReport: Double
    private var doneFiles = 0
    private var doneBytes = 0
    private var isBarShown = false

    /// - parameter now: a clock, in seconds.
    init(
        console: Console, fileCount: Int, byteCount: Int,
        now: @escaping () -> Double = ProgressReport.uptime
    ) {
        self.console = console
        self.fileCount = fileCount
        self.byteCount = byteCount
        self.now = now
        start = now()
        lastReport = start
    }

    /// Seconds, of a clock that never goes back.
    static func uptime() -> Double {
        Double(DispatchTime.now().uptimeNanoseconds) / 1e9
    }

    /// A file has been dealt with.
    mutating func advance(bytes: Int) {
        doneFiles += 1
        doneBytes += bytes
        guard console.isErrorTerminal else { return }
        let time = now()
        guard time - lastReport >= 0.1 else { return }
        lastReport = time
        showBar(elapsed: time - start)
    }

    /// Removes the bar.
    mutating func clear() {
        guard isBarShown else { return }
        isBarShown = false
        console.writeError("\r\u{1b}[K")
    }

    /// How much is done, from 0 to 1. By bytes, since they are what takes time.
    private var fraction: Double {
        byteCount > 0
            ? min(1, Double(doneBytes) / Double(byteCount))
            : Double(doneFiles) / Double(max(1, fileCount))
    }

    func figures(elapsed: Double) -> String {
        let rate = Double(doneBytes) / max(elapsed, 0.001)
        var parts = [
            "\(Int(fraction * 100)) %",
            "\(TextFormat.count(doneFiles))/\(TextFormat.count(fileCount, "file"))",
            "\(TextFormat.size(Int(rate)))/s",
        ]
        if fraction > 0 {
            parts.append("\(TextFormat.duration(elapsed / fraction * (1 - fraction))) left")
        }
        return parts.joined(separator: ", ")
    }

    private mutating func showBar(elapsed: Double) {
        let figures = figures(elapsed: elapsed)
        // The last column stays free: terminals wrap there.
        let width = min(40, console.columns() - figures.count - 4)
        var line = figures
        if width >= 5 {
            let filled = Int(fraction * Double(width))
            let bar =
                String(repeating: "#", count: filled)
                + String(repeating: "-", count: width - filled)
            line = "[\(bar)] \(figures)"
        }
        isBarShown = true
        console.writeError("\r\(line.prefix(max(1, console.columns() - 1)))\u{1b}[K")
    }
}
