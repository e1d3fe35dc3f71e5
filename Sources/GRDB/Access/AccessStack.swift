/// The accesses in progress on the current thread. Accesses of different connections may be nested.
///
/// An intrusive linked list: the links are stored in the connections, so pushing allocates nothing.
package enum AccessStack {
    private static let innermost = ThreadLocalPointer()

    @inline(__always)
    static func push(_ database: SerializedDatabase) {
        database.outerAccess = innermost.value
        innermost.value = Unmanaged.passUnretained(database).toOpaque()
    }

    @inline(__always)
    static func pop(_ database: SerializedDatabase) {
        innermost.value = database.outerAccess
        database.outerAccess = nil
    }

    /// Runs the closure while an access of the current thread is the innermost one.
    static func withInnermost<T>(
        _ database: SerializedDatabase, _ body: () throws -> T
    ) rethrows -> T {
        let pointer = Unmanaged.passUnretained(database).toOpaque()
        guard innermost.value != pointer, let inner = first(where: { $0.outerAccess == pointer })
        else { return try body() }
        inner.outerAccess = database.outerAccess
        push(database)
        defer {
            pop(database)
            database.outerAccess = inner.outerAccess
            inner.outerAccess = pointer
        }
        return try body()
    }

    /// Whether the current thread is in an access of any connection.
    static var isInAccess: Bool { innermost.value != nil }

    /// Returns the innermost access that satisfies a condition.
    package static func first(
        where predicate: (SerializedDatabase) -> Bool
    ) -> SerializedDatabase? {
        var pointer = innermost.value
        while let current = pointer {
            // Still alive: an access retains its connection until it ends.
            let database = Unmanaged<SerializedDatabase>.fromOpaque(current)
                .takeUnretainedValue()
            if predicate(database) { return database }
            pointer = database.outerAccess
        }
        return nil
    }
}
