#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The number of processors that the process can use now.
var processorCount: Int { max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN)))) }

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

/// Runs the closure on a new thread.
///
/// - precondition: the system has enough memory for the thread.
func startThread(_ body: @escaping @Sendable () -> Void) {
    let context = Unmanaged.passRetained(ThreadBody(run: body)).toOpaque()
    #if canImport(Darwin)
    var thread: pthread_t?
    let status = pthread_create(&thread, nil, { ThreadBody.run($0) }, context)
    if let thread { pthread_detach(thread) }
    #elseif canImport(Android)
    var thread = pthread_t()
    let status = pthread_create(&thread, nil, { ThreadBody.run($0) }, context)
    pthread_detach(thread)
    #else
    var thread = pthread_t()
    let status = pthread_create(&thread, nil, { ThreadBody.run($0!) }, context)
    pthread_detach(thread)
    #endif
    require(status == 0, "Can't create a thread")
}

private final class ThreadBody {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) { self.run = run }

    static func run(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
        return nil
    }
}
