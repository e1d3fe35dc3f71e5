import CGRDBSQLite

/// The available stack of the current thread, so that deep recursion ends with an error instead of a
/// crash. Stacks of threads may have 512 KB or less.
enum ThreadStack {
    /// The lowest address that recursion may reach. It leaves some stack for the functions called there.
    /// 0 if the bounds of the stack are unknown.
    static var limit: UInt {
        if let bounds = key.value {
            return limit(bounds.assumingMemoryBound(to: Bounds.self).pointee)
        }
        return limit(learnBounds())
    }

    /// Whether the stack has passed a limit.
    @inline(__always)
    static func isBelow(_ limit: UInt) -> Bool { grdb_stack_address() < limit }

    /// The number of bytes above the limit.
    static func remaining(above limit: UInt) -> Int {
        let address = grdb_stack_address()
        return address > limit ? Int(clamping: address - limit) : 0
    }

    private struct Bounds {
        /// The lowest address of the stack.
        var low: UInt
        var limit: UInt
    }

    private static let key = ThreadLocalPointer { $0.deallocate() }

    private static func limit(_ bounds: Bounds) -> UInt {
        // The thread may have switched to another stack, with unknown bounds.
        grdb_stack_address() < bounds.low ? 0 : bounds.limit
    }

    private static func learnBounds() -> Bounds {
        var size: UInt = 0
        let low = grdb_stack_bounds(&size)
        let bounds = Bounds(low: low, limit: low == 0 ? 0 : low + min(96 * 1024, size / 3))
        let pointer = UnsafeMutablePointer<Bounds>.allocate(capacity: 1)
        pointer.initialize(to: bounds)
        key.value = UnsafeMutableRawPointer(pointer)
        return bounds
    }
}
