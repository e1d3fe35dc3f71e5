// The modules of the system that the package uses, for one import instead of conditions in each file.
//
// With the trait Foundation, and where there is no FoundationEssentials, that is Foundation. The C library is exported
// as well, because FoundationEssentials does not export it. Modules that import this one don't pass it on: apps see only
// what they import themselves.

#if GRDB_FOUNDATION || !canImport(FoundationEssentials)
@_exported public import Foundation
#else
@_exported public import FoundationEssentials
#endif

#if canImport(Darwin)
@_exported public import Darwin
#elseif canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#elseif canImport(Android)
@_exported public import Android
#endif
