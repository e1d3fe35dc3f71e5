/// Records that a value can't be stored, for callers that must not trap.
///
/// `databaseValue` can't throw: it traps for values that SQLite can't store. Types that derive it
/// from another value, such as a raw value or a coded value, don't know whether that value can be
/// stored. ``DatabaseValueConvertible/_storableDatabaseValue`` therefore disables the trap, on its
/// thread, for the duration of the call.
package enum ValueRefusal {
    private static let current = ThreadLocalPointer()

    /// Runs the closure, and disables the trap.
    ///
    /// - returns: the result of the closure; nil if a value can't be stored.
    static func storable(_ databaseValue: () -> DatabaseValue) -> DatabaseValue? {
        var isRefused = false
        let outer = current.value
        defer { current.value = outer }
        let value = withUnsafeMutablePointer(to: &isRefused) {
            current.value = UnsafeMutableRawPointer($0)
            return databaseValue()
        }
        return isRefused ? nil : value
    }

    /// Rejects a value: traps, unless the trap is disabled.
    package static func refuse(_ message: @autoclosure () -> String) -> DatabaseValue {
        guard let current = current.value else { fatalError(message()) }
        current.assumingMemoryBound(to: Bool.self).pointee = true
        return .null
    }
}
