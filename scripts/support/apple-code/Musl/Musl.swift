// Musl, as far as this package uses it, with the types that its headers give. It is for type checks only: see
// scripts/check-apple-code. What is unavailable here has another type in the headers of Glibc.

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
    _ path: UnsafePointer<CChar>!, _ mode: UnsafePointer<CChar>!
) -> OpaquePointer! { nil }

public func fread(
    _ buffer: UnsafeMutableRawPointer!, _ size: Int, _ count: Int, _ file: OpaquePointer!
) -> Int { 0 }

public func ferror(_ file: OpaquePointer!) -> CInt { 0 }

@discardableResult
public func fseek(_ file: OpaquePointer!, _ offset: Int, _ origin: CInt) -> CInt { 0 }

@discardableResult
public func fclose(_ file: OpaquePointer!) -> CInt { 0 }

// MARK: - Threads

/// A thread is a pointer to an incomplete type.
public typealias pthread_t = OpaquePointer

@available(*, unavailable)
public func pthread_self() -> Glibc.pthread_t { fatalError() }

public func pthread_self() -> OpaquePointer! { fatalError() }

public func pthread_create(
    _ thread: UnsafeMutablePointer<OpaquePointer?>!, _ attributes: UnsafePointer<pthread_attr_t>!,
    _ start: (@convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?)!,
    _ argument: UnsafeMutableRawPointer!
) -> CInt { 0 }

@discardableResult
public func pthread_detach(_ thread: OpaquePointer!) -> CInt { 0 }

// MARK: - Sockets

public var SOCK_STREAM: CInt { 1 }
