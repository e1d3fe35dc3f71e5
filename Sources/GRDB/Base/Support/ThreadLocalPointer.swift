import _GRDBSystem

/// A pointer with a separate value in each thread, initially nil.
///
/// Only for static properties: the system has few keys, and keys are never released.
struct ThreadLocalPointer: Sendable {
    private let key: pthread_key_t

    /// - parameter destroy: called with each non-nil pointer when its thread ends.
    init(destroy: (@convention(c) (UnsafeMutableRawPointer) -> Void)? = nil) {
        var key = pthread_key_t()
        #if canImport(Darwin) || canImport(Android)
        let status = pthread_key_create(&key, destroy)
        #else
        let status = pthread_key_create(
            &key,
            unsafeBitCast(
                destroy, to: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?.self))
        #endif
        require(status == 0, "Can't create a thread-specific key")
        self.key = key
    }

    @inline(__always)
    var value: UnsafeMutableRawPointer? {
        get { pthread_getspecific(key) }
        nonmutating set { pthread_setspecific(key, newValue) }
    }
}
