/// The accesses that the current thread is in: accesses of several connections may be nested.
///
/// A list whose links are stored in the connections, so that it allocates nothing.
enum AccessStack {
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

    /// Whether the current thread is in any access at all.
    static var isInAccess: Bool { innermost.value != nil }

    /// The innermost access that satisfies a condition.
    static func first(
        where predicate: (SerializedDatabase) -> Bool
    ) -> SerializedDatabase? {
        var pointer = innermost.value
        while let current = pointer {
            // Alive: an access retains the connection until its end.
            let database = Unmanaged<SerializedDatabase>.fromOpaque(current)
                .takeUnretainedValue()
            if predicate(database) { return database }
            pointer = database.outerAccess
        }
        return nil
    }
}
