import Foundation

/// The memory of the process, in kilobytes. Linux only.
public enum ProcessMemory {
    /// The greatest amount of memory that the process has had since the last reset.
    public static var peak: Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM") })
        else { return nil }
        return Int(line.filter(\.isNumber))
    }

    /// Forgets the peak.
    ///
    /// - returns: what the process has now.
    public static func resetPeak() -> Int? {
        try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
        return peak
    }
}
