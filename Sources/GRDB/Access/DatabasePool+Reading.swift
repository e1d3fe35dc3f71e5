extension DatabasePool {
    // MARK: - Reading

    @inlinable
    public func read<T>(_ value: (Database) throws -> T) throws -> T {
        var result: T?
        try syncRead { result = try value($0) }
        return result.unsafelyUnwrapped
    }

    @usableFromInline
    func syncRead(_ body: (Database) throws -> Void) throws {
        try withReader { db in
            try db.inReadOnlyTransaction(isIsolated: true) { try body(db) }
        }
    }

    public func read<T: Sendable>(
        _ value: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await readers.execute { db in
            try db.inReadOnlyTransaction(isIsolated: true) { try value(db) }
        }
    }

    public func asyncRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        readers.async { result in
            do {
                let db = try result.get()
                try db.startReadAccess(isIsolated: true) { value(.success(db)) }
            } catch {
                value(.failure(error))
            }
        }
    }

    public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
        var result: T?
        try withReader { result = try value($0) }
        return result!
    }

    public func unsafeRead<T: Sendable>(
        _ value: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await readers.execute(value)
    }

    public func asyncUnsafeRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        readers.async(value)
    }

    /// Executes database operations without a transaction, even from inside another access. In a
    /// write, the closure gets the connection of the write; in a read, the connection of the read.
    ///
    /// - throws: the error of the closure, or a ``DatabaseError``.
    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        if let current = AccessStack.first(where: { $0 === writer || readers.owns($0) }) {
            return try current.execute(value)
        }
        return try unsafeRead(value)
    }

    // MARK: - Connections

    /// Runs the closure with a read-only connection.
    private func withReader(_ body: (Database) throws -> Void) throws {
        try checkNotInRead()
        let reader = try readers.borrow(writer.isOwnedByCurrentThread ? .immediate : .normal)
        defer { readers.giveBack(reader) }
        try reader.syncExclusively(body)
    }
}
