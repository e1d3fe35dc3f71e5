// The C library of Android, as far as this package uses it, with the types that its headers give: many pointers
// are declared not to be null. It is for type checks only: see scripts/check-apple-code. What is unavailable here
// has another type in the headers of Glibc.

@_exported public import Glibc

// MARK: - Files

/// An incomplete type: a `FILE *` is an opaque pointer.
@available(*, unavailable)
public struct FILE {}

@available(*, unavailable)
public func fopen(
    _ path: UnsafePointer<CChar>!, _ mode: UnsafePointer<CChar>!
) -> UnsafeMutablePointer<Glibc.FILE>! { nil }

public func fopen(
    _ path: UnsafePointer<CChar>, _ mode: UnsafePointer<CChar>
) -> OpaquePointer? { nil }

public func fread(
    _ buffer: UnsafeMutableRawPointer, _ size: Int, _ count: Int, _ file: OpaquePointer
) -> Int { 0 }

public func ferror(_ file: OpaquePointer) -> CInt { 0 }

@discardableResult
public func fseek(_ file: OpaquePointer, _ offset: Int, _ origin: CInt) -> CInt { 0 }

@discardableResult
public func fclose(_ file: OpaquePointer) -> CInt { 0 }

@available(*, unavailable)
public func read(_ file: CInt, _ buffer: UnsafeMutableRawPointer!, _ count: Int) -> Int { 0 }

public func read(_ file: CInt, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int { 0 }

// MARK: - Memory and texts

@available(*, unavailable)
public func strerror(_ code: CInt) -> UnsafeMutablePointer<CChar>! { nil }

public func strerror(_ code: CInt) -> UnsafeMutablePointer<CChar> { fatalError() }

@available(*, unavailable)
public func memchr(
    _ bytes: UnsafeRawPointer!, _ byte: CInt, _ count: Int
) -> UnsafeMutableRawPointer! { nil }

public func memchr(
    _ bytes: UnsafeRawPointer, _ byte: CInt, _ count: Int
) -> UnsafeMutableRawPointer? { nil }

@available(*, unavailable)
public func memcmp(_ lhs: UnsafeRawPointer!, _ rhs: UnsafeRawPointer!, _ count: Int) -> CInt { 0 }

public func memcmp(_ lhs: UnsafeRawPointer, _ rhs: UnsafeRawPointer, _ count: Int) -> CInt { 0 }

// MARK: - Threads

/// A thread is a signed number.
public typealias pthread_t = Int

@available(*, unavailable)
public func pthread_self() -> Glibc.pthread_t { fatalError() }

public func pthread_self() -> Int { fatalError() }

public func pthread_key_create(
    _ key: UnsafeMutablePointer<pthread_key_t>,
    _ destructor: (@convention(c) (UnsafeMutableRawPointer) -> Void)?
) -> CInt { 0 }

// The strictest of the headers that Android's kits have had.
public func pthread_create(
    _ thread: UnsafeMutablePointer<Int>, _ attributes: UnsafePointer<pthread_attr_t>?,
    _ start: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer,
    _ argument: UnsafeMutableRawPointer?
) -> CInt { 0 }

@discardableResult
public func pthread_detach(_ thread: Int) -> CInt { 0 }

// MARK: - Sockets

public var SOCK_STREAM: CInt { 1 }

@available(*, unavailable)
public func send(_ socket: CInt, _ bytes: UnsafeRawPointer!, _ count: Int, _ flags: CInt) -> Int {
    0
}

public func send(_ socket: CInt, _ bytes: UnsafeRawPointer, _ count: Int, _ flags: CInt) -> Int {
    0
}
