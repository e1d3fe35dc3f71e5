extension EncodableRecord where Self: Encodable {
    /// Encodes the record, with its `Encodable` implementation.
    ///
    /// - throws: the error of `encode(to:)`, or an `EncodingError` when a value has no
    ///   representation in the database.
    // Inlined where the type is known, whose own encoding is then called without a detour.
    @inlinable
    public func encode(to container: inout PersistenceContainer) throws {
        let encoder = container.beginEncoding(Self.self)
        defer { encoder.end() }
        try encode(to: encoder)
        try encoder.finish()
    }
}
