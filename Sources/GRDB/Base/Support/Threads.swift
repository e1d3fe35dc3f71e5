import _GRDBSystem

/// Whether the current thread is the main thread of the process.
var isMainThread: Bool {
    #if canImport(Darwin)
    return pthread_main_np() != 0
    #else
    // Points to PROCESS/task/THREAD. The first thread of a process has its number.
    var target = [UInt8](repeating: 0, count: 64)
    let count = target.withUnsafeMutableBytes {
        readlink("/proc/thread-self", $0.bindMemory(to: CChar.self).baseAddress!, $0.count)
    }
    // Without that file system, nobody knows.
    if count <= 0 { return true }
    let parts = target[..<count].split(separator: UInt8(ascii: "/"))
    return parts.first == parts.last
    #endif
}
