/// The paths of the library that could be left out without a change of any result. See
/// `Sources/README.md`.
enum FastPaths {
    /// False in builds with `GRDB_NO_FAST_PATHS`.
    static var areEnabled: Bool {
        #if GRDB_NO_FAST_PATHS
        false
        #else
        true
        #endif
    }
}
