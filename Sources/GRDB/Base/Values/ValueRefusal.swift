/// Notes that a value can't be stored, where somebody wants to know instead of a trap.
///
/// `databaseValue` can't throw: it traps on values that SQLite can't store. Types that make it of
/// another value, a raw value or a coded one, don't know whether that one would be refused. So
/// ``DatabaseValueConvertible/_storableDatabaseValue`` replaces the trap, on its thread and for the
/// time of the call.
enum ValueRefusal {
    private static let current = ThreadLocalPointer()

    /// Runs the closure.
    ///
    /// - returns: the result of the closure, nil if a value was refused in it.
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

    /// Refuses a value: traps, unless somebody wants to know.
    static func refuse(_ message: @autoclosure () -> String) -> DatabaseValue {
        guard let current = current.value else { fatalError(message()) }
        current.assumingMemoryBound(to: Bool.self).pointee = true
        return .null
    }
}
