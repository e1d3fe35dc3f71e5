import _GRDBSystem

/// A value protected by a mutex.
///
/// ```swift
/// let counter = Locked(0)
/// let next = counter.withLock { count in
///     count += 1
///     return count
/// }
/// ```
///
/// The mutex is not recursive: calling `withLock` inside of `withLock` on the same instance deadlocks
/// (and traps in debug builds). Copies share the value and the mutex.
///
/// `Synchronization.Mutex` is not available on the oldest systems that the package supports.
///
/// `@unchecked Sendable` for any type of value: the value is only accessible through `withLock`, which
/// runs on one thread at a time. If the value refers to a non-sendable class, the caller must make sure
/// that no reference escapes from `withLock`.
package struct Locked<Value>: @unchecked Sendable {
    private let storage: Storage

    package init(_ value: Value) {
        let buffer = Storage.create(minimumCapacity: 1) { _ in value }
        buffer.withUnsafeMutablePointerToElements { $0.initializeMutex() }
        storage = unsafeDowncast(buffer, to: Storage.self)
    }

    /// Calls the closure while no other thread accesses the value.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // The pointers are valid while the buffer is alive, because they point into its single allocation.
        let (value, mutex) = storage.withUnsafeMutablePointers { ($0, $1) }
        defer { withExtendedLifetime(storage) {} }
        mutex.lockMutex()
        defer { mutex.unlockMutex() }
        return try body(&value.pointee)
    }

    /// Locks the mutex for a section that is not a closure, until the same thread calls `unlock()`.
    func lock() where Value == Void {
        storage.withUnsafeMutablePointerToElements { $0.lockMutex() }
    }

    func unlock() where Value == Void {
        storage.withUnsafeMutablePointerToElements { $0.unlockMutex() }
    }

    /// The value is the header, and the mutex is the only element. A mutex must have a stable address,
    /// which a stored property does not guarantee.
    private final class Storage: ManagedBuffer<Value, MutexPrimitive> {
        deinit {
            withUnsafeMutablePointerToElements {
                $0.destroyMutex()
                $0.deinitialize(count: 1)
            }
        }
    }
}

#if canImport(Darwin)

private typealias MutexPrimitive = os_unfair_lock_s

extension UnsafeMutablePointer where Pointee == MutexPrimitive {
    fileprivate func initializeMutex() {
        initialize(to: os_unfair_lock_s())
    }

    fileprivate func destroyMutex() {}

    @inline(__always)
    fileprivate func lockMutex() {
        os_unfair_lock_lock(self)
    }

    @inline(__always)
    fileprivate func unlockMutex() {
        os_unfair_lock_unlock(self)
    }
}

#else

private typealias MutexPrimitive = pthread_mutex_t

extension UnsafeMutablePointer where Pointee == MutexPrimitive {
    fileprivate func initializeMutex() {
        initialize(to: pthread_mutex_t())
        #if DEBUG
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        // Report a second lock by the same thread, instead of waiting forever.
        pthread_mutexattr_settype(&attributes, CInt(PTHREAD_MUTEX_ERRORCHECK))
        let status = pthread_mutex_init(self, &attributes)
        pthread_mutexattr_destroy(&attributes)
        #else
        let status = pthread_mutex_init(self, nil)
        #endif
        require(status == 0, "Can't create a mutex")
    }

    fileprivate func destroyMutex() {
        pthread_mutex_destroy(self)
    }

    @inline(__always)
    fileprivate func lockMutex() {
        let status = pthread_mutex_lock(self)
        assert(status == 0, "The mutex is already locked by this thread")
    }

    @inline(__always)
    fileprivate func unlockMutex() {
        let status = pthread_mutex_unlock(self)
        assert(status == 0, "The mutex is not locked by this thread")
    }
}

#endif
