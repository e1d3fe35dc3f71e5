import _GRDBSystem

/// The number of processors that the process can use now.
var processorCount: Int { max(1, Int(sysconf(CInt(_SC_NPROCESSORS_ONLN)))) }

/// Runs the closure on a new thread.
///
/// - precondition: the system has enough memory for the thread.
func startThread(_ body: @escaping @Sendable () -> Void) {
    let context = Unmanaged.passRetained(ThreadBody(run: body)).toOpaque()
    // Headers differ in what may be null: the code compiles with all of them.
    #if canImport(Darwin) || canImport(Musl)
    var thread: pthread_t?
    #else
    var thread = pthread_t()
    #endif
    let status = pthread_create(
        &thread, nil, { ThreadBody.run(($0 as UnsafeMutableRawPointer?)!) }, context)
    precondition(status == 0, "Can't create a thread")
    if let thread = thread as pthread_t? { pthread_detach(thread) }
}

private final class ThreadBody {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) { self.run = run }

    /// - returns: a result that nobody reads, because the thread is detached.
    static func run(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
        Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run()
        return context
    }
}
