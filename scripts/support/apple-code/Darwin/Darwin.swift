// Darwin, as far as this package uses it, with the types that Apple's headers give. It is for type
// checks only: see scripts/check-apple-code.

public import Dispatch
@_exported public import Glibc

// MARK: - Locks and threads

public struct os_unfair_lock_s {
    public init() {}
}

public func os_unfair_lock_lock(_ lock: UnsafeMutablePointer<os_unfair_lock_s>) {}
public func os_unfair_lock_unlock(_ lock: UnsafeMutablePointer<os_unfair_lock_s>) {}

public func pthread_self() -> OpaquePointer { fatalError() }

public func pthread_main_np() -> CInt { 0 }

// As in Darwin, where the thread is an optional pointer and the argument of the function is not.
public func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t?>, _ attributes: UnsafePointer<pthread_attr_t>?,
    _ start: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?,
    _ argument: UnsafeMutableRawPointer?
) -> CInt { 0 }

public func pthread_key_create(
    _ key: UnsafeMutablePointer<pthread_key_t>,
    _ destructor: (@convention(c) (UnsafeMutableRawPointer) -> Void)?
) -> CInt { 0 }

// MARK: - Files

public var O_EVTONLY: CInt { 0x8000 }
public var UTIME_OMIT: CInt { -2 }
public var SO_NOSIGPIPE: CInt { 0x1022 }

extension stat {
    public var st_mtimespec: timespec { st_mtim }
}

// MARK: - Dispatch sources

public protocol DispatchSourceFileSystemObject: AnyObject, DispatchSourceProtocol {
    var data: DispatchSource.FileSystemEvent { get }
}

extension DispatchSource {
    public class func makeFileSystemObjectSource(
        fileDescriptor: CInt, eventMask: FileSystemEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceFileSystemObject { fatalError() }
}
