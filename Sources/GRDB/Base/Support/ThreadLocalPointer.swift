#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A pointer that has a value of its own in each thread, nil until it is set there.
///
/// Meant for static properties: the system has few keys, and this one is never given back.
struct ThreadLocalPointer: Sendable {
    private let key: pthread_key_t

    /// - parameter destroy: called when a thread ends, with the pointer that is not nil.
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
