/// The paths of the library that make it faster, and never change a result. See `Sources/README.md`.
@usableFromInline
enum FastPaths {
    /// False in builds with `GRDB_NO_FAST_PATHS`, which show that no result depends on the paths.
    @inlinable
    @inline(__always)
    static var areEnabled: Bool {
        #if GRDB_NO_FAST_PATHS
        false
        #else
        true
        #endif
    }
}
