import Foundation

/// The memory of the process, in kilobytes. Linux only.
public enum ProcessMemory {
    /// The peak memory of the process since the last reset.
    public static var peak: Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM") })
        else { return nil }
        return Int(line.filter(\.isNumber))
    }

    /// Resets the peak.
    ///
    /// - returns: the current memory of the process.
    public static func resetPeak() -> Int? {
        try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
        return peak
    }
}
