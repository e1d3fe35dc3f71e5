/// A type-erased ``DatabaseReader``.
public final class AnyDatabaseReader: _ForwardingReader {
    public let _reader: any DatabaseReader

    /// Creates a reader that forwards its accesses to another reader.
    public init(_ base: any DatabaseReader) {
        _reader = base
    }
}

/// A reader that forwards its accesses to another reader. Internal.
public protocol _ForwardingReader: DatabaseReader {
    var _reader: any DatabaseReader { get }
}

extension _ForwardingReader {
    public var _underlyingReader: any DatabaseReader { _reader._underlyingReader }

    public var configuration: Configuration { _reader.configuration }

    public var path: String { _reader.path }

    public func close() throws {
        try _reader.close()
    }

    public func interrupt() {
        _reader.interrupt()
    }

    public func read<T>(_ value: (Database) throws -> T) throws -> T {
        try _reader.read(value)
    }

    public func read<T: Sendable>(
        _ value: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await _reader.read(value)
    }

    public func asyncRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        _reader.asyncRead(value)
    }

    public func unsafeRead<T>(_ value: (Database) throws -> T) throws -> T {
        try _reader.unsafeRead(value)
    }

    public func unsafeRead<T: Sendable>(
        _ value: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await _reader.unsafeRead(value)
    }

    public func asyncUnsafeRead(
        _ value: @escaping @Sendable (Result<Database, any Error>) -> Void
    ) {
        _reader.asyncUnsafeRead(value)
    }

    public func unsafeReentrantRead<T>(_ value: (Database) throws -> T) throws -> T {
        try _reader.unsafeReentrantRead(value)
    }
}
