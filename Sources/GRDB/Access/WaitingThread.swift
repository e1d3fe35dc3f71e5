/// Threads that may wait for a database, so that their tasks access it in place. The task executor of GRDBServer
/// has such threads.
package enum WaitingThread {
    private static let mark = ThreadLocalPointer()

    static var isCurrent: Bool { mark.value != nil }

    /// Makes the current thread one that may wait.
    ///
    /// - parameter owner: an object that outlives the thread.
    package static func mark(owner: AnyObject) {
        mark.value = Unmanaged.passUnretained(owner).toOpaque()
    }
}
